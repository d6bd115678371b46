// Launches of RK4_STEPS steps over the whole batch, repeated by the host or by the WHILE node of a graph.
//
// Planes are arrays of n: omega, zeta, x, v (real), nstop, steps (int64), limit (uint32, nstop in half the bytes). All
// samples start together, so the number of steps that a running sample has taken is the same for all of them: it is
// kept once, in the control words, and a sample's own count is written when the sample ends.
#include "step.cuh"

typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;

#define RK4_FULL 0xffffffffu
#ifndef RK4_STEPS
#define RK4_STEPS 1  // steps a launch
#endif
#ifndef RK4_THREADS
#define RK4_THREADS 256  // threads a block
#endif
#ifndef RK4_RESIDENT
#define RK4_RESIDENT 4  // blocks an SM
#endif
#ifndef RK4_AHEAD
#define RK4_AHEAD 0  // whether a sample is read before it is known to run: one wait less, more bytes
#endif
#ifndef RK4_THETA
#define RK4_THETA 0.0  // the live share of the touched groups of 32 below which samples are moved; 0: never
#endif
// RK4_LIVE: 0 for the kernels over every sample only, 1 for those over the live ones only; without it both.
#define RK4_CHUNK (RK4_STEPS < 4 ? RK4_STEPS : 4)  // steps between two looks at the count, where none can be the last
#define RK4_WARPS (RK4_THREADS / 32)
#ifndef RK4_PLANE  // a compiler for the host may put a pointer here that counts what is read and written
#define RK4_PLANE(T) T*
#define RK4_ONLY(T) T* __restrict__
#endif

// How the batch is seen by a launch: `span` entries; `map` 0: an entry is a position, 1 or 2: it is looked up in that
// map; `planes` 0: positions are samples, 1 or 2: they are places in that set of moved planes; `base`: steps taken.
struct alignas(16) View {
  u32 span, map, planes, base;
};

struct Control {
  View before, now;            // they differ while the first launch of a round makes the new view from the old
  alignas(128) u64 arrived;    // blocks that arrived at a guard (upper half), what they count (lower half)
  u32 count;                   // groups of 32 touched (guard), samples ended (host's loop)
};

struct Sample {
  real x, v, damping, stiffness;

  __device__ __forceinline__ void set(real omega, real zeta, real x0, real v0) {
    damping = real(-2) * zeta * omega;
    stiffness = -omega * omega;
    x = x0;
    v = v0;
  }

  __device__ __forceinline__ void step() { rk4::step(x, v, damping, stiffness); }
};

__device__ __forceinline__ u32 least(u32 value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(RK4_FULL, value);
#else
#pragma unroll
  for (int span = 16; span; span /= 2) value = min(value, __shfl_xor_sync(RK4_FULL, value, span));
  return value;
#endif
}

// Steps that a sample has left of this launch's.
__device__ __forceinline__ u32 left_of(u32 limit, u32 base) {
  return limit > base ? min(limit - base, (u32)RK4_STEPS) : 0;
}

// Takes `left` steps in each lane; all lanes of a warp call it.
__device__ __forceinline__ void run(Sample& sample, u32 left) {
#if RK4_STEPS == 1
  if (left) sample.step();
#else
  if (!__any_sync(RK4_FULL, left)) return;
  const u32 sure = least(left ? left : RK4_STEPS);
  u32 count = 0;
  for (; count + RK4_CHUNK <= sure; count += RK4_CHUNK) {
    if (left) {
#pragma unroll
      for (int k = 0; k < RK4_CHUNK; ++k) sample.step();
    }
  }
  for (; count < left; ++count) sample.step();
#endif
}

// Whether this block is the last of `blocks` to arrive at a guard; then `sum` is what all of them counted. One thread
// of a block calls it. What is summed travels with the arrival, so that there is one atomic to wait for and no fence.
__device__ __forceinline__ bool last_to_arrive(u64* arrived, u32 blocks, u32 count, u32& sum) {
  const u64 before = atomicAdd(arrived, (u64(1) << 32) | count);
  if ((u32)(before >> 32) + 1 != blocks) return false;
  sum = (u32)before + count;
  *arrived = 0;
  return true;
}

#ifdef RK4_GRAPH
extern "C" __device__ void cudaGraphSetConditional(u64 handle, unsigned int value);
#endif

// Writes the start state and the control words.
extern "C" __global__ void rk4_begin(i64 n, RK4_ONLY(const real) x0, RK4_ONLY(const real) v0,
                                     RK4_ONLY(const i64) nstop, RK4_ONLY(real) x, RK4_ONLY(real) v,
                                     RK4_ONLY(i64) steps, RK4_ONLY(u32) limit, Control* control) {
  const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
  if (i == 0) {
    const View all = {(u32)n, 0, 0, 0};
    control->before = all;
    control->now = all;
    control->arrived = 0;
    control->count = 0;
  }
  if (i >= n) return;
  const u32 own = (u32)nstop[i];
  x[i] = x0[i];
  v[i] = v0[i];
  limit[i] = own;
  if (own == 0) steps[i] = 0;
}

// ---- every sample in every launch -------------------------------------------------------------------------------

#if !defined(RK4_LIVE) || !RK4_LIVE

// Advances this thread's samples (a stride of the grid apart) from step number `base` on. Returns whether one of them
// runs on; `ended` is how many samples of the warp ended.
__device__ __forceinline__ bool advance(i64 n, RK4_ONLY(const real) omega, RK4_ONLY(const real) zeta, RK4_ONLY(real) x,
                                        RK4_ONLY(real) v, RK4_ONLY(i64) steps, RK4_ONLY(const u32) limits, u32 base,
                                        u32& ended) {
  const u32 lane = threadIdx.x & 31;
  const i64 stride = gridDim.x * (i64)blockDim.x;
  bool running = false;
  for (i64 first = blockIdx.x * (i64)blockDim.x + (threadIdx.x - lane); first < n; first += stride) {
    const i64 i = first + lane;
    const bool in = i < n;
    const u32 limit = in ? (u32)limits[i] : 0;
    const u32 left = left_of(limit, base);
    Sample sample = {};
    if (RK4_AHEAD ? in : left != 0) sample.set(omega[i], zeta[i], x[i], v[i]);
    run(sample, left);
    const bool ends = left && limit <= base + RK4_STEPS;
    if (left) {
      x[i] = sample.x;
      v[i] = sample.v;
      if (ends) steps[i] = base + left;
    }
    running = running || limit > base + RK4_STEPS;
    ended += __popc(__ballot_sync(RK4_FULL, ends || (in && base == 0 && limit == 0)));
  }
  return running;
}

// For a loop on the host, which gives the number of steps taken and reads how many samples have ended.
extern "C" __global__ void __launch_bounds__(RK4_THREADS, RK4_RESIDENT)
    rk4_steps_count(i64 n, RK4_ONLY(const real) omega, RK4_ONLY(const real) zeta, RK4_ONLY(real) x, RK4_ONLY(real) v,
                    RK4_ONLY(i64) steps, RK4_ONLY(const u32) limits, Control* control, u32 base) {
  u32 ended = 0;
  advance(n, omega, zeta, x, v, steps, limits, base, ended);
  if ((threadIdx.x & 31) == 0 && ended) atomicAdd(&control->count, ended);
}

// `offset` is the number of steps since the last guard.
extern "C" __global__ void __launch_bounds__(RK4_THREADS, RK4_RESIDENT)
    rk4_steps(i64 n, RK4_ONLY(const real) omega, RK4_ONLY(const real) zeta, RK4_ONLY(real) x, RK4_ONLY(real) v,
              RK4_ONLY(i64) steps, RK4_ONLY(const u32) limits, Control* control, u32 offset) {
  u32 ended = 0;
  advance(n, omega, zeta, x, v, steps, limits, control->now.base + offset, ended);
}

#ifdef RK4_GRAPH
// The same, and a guard: the last block to arrive decides whether the WHILE node runs its body again.
extern "C" __global__ void __launch_bounds__(RK4_THREADS, RK4_RESIDENT)
    rk4_steps_while(i64 n, RK4_ONLY(const real) omega, RK4_ONLY(const real) zeta, RK4_ONLY(real) x, RK4_ONLY(real) v,
                    RK4_ONLY(i64) steps, RK4_ONLY(const u32) limits, Control* control, u32 offset, u64 handle) {
  const u32 base = control->now.base + offset;
  u32 ended = 0;
  const bool running = advance(n, omega, zeta, x, v, steps, limits, base, ended);
  const u32 count = __syncthreads_or(running) ? 1 : 0;
  if (threadIdx.x == 0) {
    u32 sum;
    if (last_to_arrive(&control->arrived, gridDim.x, count, sum)) {
      control->now.base = base + RK4_STEPS;
      cudaGraphSetConditional(handle, sum != 0);
    }
  }
}

#endif
#endif

// ---- live samples only ------------------------------------------------------------------------------------------

#if defined(RK4_GRAPH) && (!defined(RK4_LIVE) || RK4_LIVE)
//
// A round is a few launches. The last one ends with a guard: it counts the samples that run on, warp by warp. If some
// have ended in the round, the first launch of the next round, which still goes over the old entries, leaves the
// finished ones out: it knows from the counts where each warp's survivors go. It writes a map of their positions, in
// ascending order, or, once they lie thin, moves their planes together; later launches go over the new entries. Each
// warp has a run of whole groups of 32 entries, the same in the last launch of a round and the first of the next.

struct Batch {
  u32 n;
  RK4_PLANE(const real) omega;
  RK4_PLANE(const real) zeta;
  RK4_PLANE(real) x;
  RK4_PLANE(real) v;
  RK4_PLANE(i64) steps;
  RK4_PLANE(u32) limit;
  RK4_PLANE(u32) maps;         // two of n
  RK4_PLANE(real) moved;       // omega, zeta, x, v of each of two sets of moved samples
  RK4_PLANE(u32) moved_words;  // limit and sample of each
  u32* counts;                 // survivors of each block; of the warps before, in its block, for each warp
  Control* control;

  // Samples that a set of moved planes has room for. The first holds less than theta (at most a half) of the batch,
  // and a group; the second less than theta of that.
  __device__ __forceinline__ u32 room(u32 set) const { return set == 1 ? n / 2 + 32 : n / 4 + 64; }
  __device__ __forceinline__ u64 reals(u32 set) const { return set == 1 ? 0 : 4 * (u64)room(1); }
  __device__ __forceinline__ u64 words(u32 set) const { return set == 1 ? 0 : 2 * (u64)room(1); }
};

// Survivors in the blocks before this one; all threads of a block call it.
__device__ __forceinline__ u32 survivors_before(const u32* counts) {
  __shared__ u32 parts[RK4_WARPS];
  u32 sum = 0;
  for (u32 b = threadIdx.x; b < blockIdx.x; b += RK4_THREADS) sum += counts[b];
#pragma unroll
  for (int span = 16; span; span /= 2) sum += __shfl_xor_sync(RK4_FULL, sum, span);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int w = 0; w < RK4_WARPS; ++w) sum += parts[w];
  return sum;
}

template <bool FIRST, bool LAST>
__device__ __forceinline__ void pass(const Batch& batch, u32 offset, u64 handle) {
  const u32 lane = threadIdx.x & 31;
  const u32 warp = threadIdx.x >> 5;
  const u32 lower = (1u << lane) - 1;
  Control* const control = batch.control;
  const View now = control->now;
  const View view = FIRST ? control->before : now;
  const u32 base = now.base + offset;
  const u32 after = base + RK4_STEPS;

  // This warp's groups of entries: [begin, end). Where there are fewer groups than warps, the first ones have one.
  const u32 groups = view.span / 32 + (view.span % 32 != 0);
  const u32 warps = gridDim.x * RK4_WARPS;
  const u32 each = groups / warps;
  const u32 rest = groups % warps;
  const u32 active = each ? gridDim.x : max((rest + RK4_WARPS - 1) / RK4_WARPS, 1u);  // blocks with work
  if (blockIdx.x >= active) return;  // also if the guard has written the next view by now: its span is no larger
  const u32 own = blockIdx.x * RK4_WARPS + warp;
  const u32 begin = own * each + min(own, rest);
  const u32 end = begin + each + (own < rest ? 1 : 0);

  // Where entries are looked up, and where the planes are.
  const u64 map = view.map == 2 ? batch.n : 0;
  const u64 reals = batch.reals(view.planes), words = batch.words(view.planes);
  const u64 room = view.planes ? batch.room(view.planes) : 0;
  const bool moved = RK4_THETA > 0 && view.planes;
  const auto limit_at = [&](u32 at) -> u32 { return moved ? (u32)batch.moved_words[words + at] : (u32)batch.limit[at]; };

  // What the first launch of a round makes of the old entries.
  const bool gathers = FIRST && RK4_THETA > 0 && view.planes != now.planes;
  const bool maps = FIRST && !gathers && view.map != now.map;
  const u64 new_map = now.map == 2 ? batch.n : 0;
  const u64 new_reals = batch.reals(now.planes), new_words = batch.words(now.planes);
  const u64 new_room = now.planes ? batch.room(now.planes) : 0;
  u32 to = 0;
  if (FIRST && (gathers || maps)) to = survivors_before(batch.counts) + batch.counts[gridDim.x + own];

  u32 alive = 0;      // samples of this warp that run on
  u32 touched = 0;    // groups of 32 positions that hold one, each counted where its first such sample is
  u32 latest = ~0u;   // the group of the latest one
  if (LAST && RK4_THETA > 0 && view.map && begin < end && begin > 0) {
    const u32 at = batch.maps[map + (begin - 1) * 32 + lane];
    const u32 runs = __ballot_sync(RK4_FULL, limit_at(at) > after);
    const u32 group = __shfl_sync(RK4_FULL, at >> 5, runs ? 31 - __clz(runs) : 0);
    if (runs) latest = group;
  }

  for (u32 g = begin; g < end; ++g) {
    const u32 entry = g * 32 + lane;
    const bool in = entry < view.span;
    u32 at = entry;
    if (view.map && in) at = batch.maps[map + entry];
    u32 limit = 0;
    real omega = 0, zeta = 0;
    Sample sample = {};
    if (in) {  // all at once: few entries have ended since the map was made, and waiting for the limit takes longer
      limit = limit_at(at);
      if (moved) {
        omega = batch.moved[reals + at];
        zeta = batch.moved[reals + room + at];
        sample.set(omega, zeta, batch.moved[reals + 2 * room + at], batch.moved[reals + 3 * room + at]);
      } else {
        omega = batch.omega[at];
        zeta = batch.zeta[at];
        sample.set(omega, zeta, batch.x[at], batch.v[at]);
      }
    }
    const u32 left = left_of(limit, base);
    run(sample, left);
    const bool ends = left && limit <= after;

    u32 place = 0;  // of a survivor of the old round in the new entries
    if (FIRST && (gathers || maps)) {
      const u32 kept = __ballot_sync(RK4_FULL, left != 0);
      place = to + __popc(kept & lower);
      to += __popc(kept);
    }
    if (left) {
      u32 id = at;  // of the sample
      if (moved && (gathers || ends)) id = batch.moved_words[words + room + at];
      if (maps) batch.maps[new_map + place] = at;
      if (gathers) {
        batch.moved[new_reals + place] = omega;
        batch.moved[new_reals + new_room + place] = zeta;
        batch.moved_words[new_words + place] = limit;
        batch.moved_words[new_words + new_room + place] = id;
      }
      if (gathers && !ends) {
        batch.moved[new_reals + 2 * new_room + place] = sample.x;
        batch.moved[new_reals + 3 * new_room + place] = sample.v;
      } else if (moved && !ends) {
        batch.moved[reals + 2 * room + at] = sample.x;
        batch.moved[reals + 3 * room + at] = sample.v;
      } else {
        batch.x[id] = sample.x;
        batch.v[id] = sample.v;
      }
      if (ends) batch.steps[id] = base + left;
    }
    if (LAST) {
      const u32 runs = __ballot_sync(RK4_FULL, limit > after);
      alive += __popc(runs);
      if (RK4_THETA > 0) {
        const u32 group = at >> 5;
        const u32 earlier = runs & lower;
        const u32 previous = __shfl_sync(RK4_FULL, group, earlier ? 31 - __clz(earlier) : 0);
        const bool leads = (runs >> lane & 1) && group != (earlier ? previous : latest);
        touched += __popc(__ballot_sync(RK4_FULL, leads));
        const u32 last = __shfl_sync(RK4_FULL, group, runs ? 31 - __clz(runs) : 0);
        if (runs) latest = last;
      }
    }
  }

  if (LAST) {
    __shared__ u32 alive_of[32], touched_of[32];
    if (lane == 0) {
      alive_of[warp] = alive;
      touched_of[warp] = touched;
    }
    __syncthreads();
    if (warp) return;
    const u32 mine = lane < RK4_WARPS ? alive_of[lane] : 0;
    u32 upto = mine;
    u32 seen = lane < RK4_WARPS ? touched_of[lane] : 0;
#pragma unroll
    for (int span = 1; span < 32; span *= 2) {
      const u32 other = __shfl_up_sync(RK4_FULL, upto, span);
      if (lane >= span) upto += other;
      seen += __shfl_xor_sync(RK4_FULL, seen, span);
    }
    if (lane < RK4_WARPS) batch.counts[gridDim.x + own + lane] = upto - mine;
    const u32 total = __shfl_sync(RK4_FULL, upto, 31);
    if (lane) return;
    batch.counts[blockIdx.x] = total;
    if (RK4_THETA > 0) {
      atomicAdd(&control->count, seen);
      __threadfence();
    }
    u32 sum;
    if (!last_to_arrive(&control->arrived, active, total, sum)) return;
    View next = now;
    next.span = sum;
    next.base = after;
    if (sum < now.span) {
      bool thin = false;
      if (RK4_THETA > 0) {
        __threadfence();
        thin = sum < RK4_THETA * 32 * *(volatile u32*)&control->count;
      }
      if (thin) {
        next.planes = now.planes == 1 ? 2 : 1;
        next.map = 0;
      } else {
        next.map = now.map == 1 ? 2 : 1;
      }
    }
    control->count = 0;
    control->before = now;
    control->now = next;
    cudaGraphSetConditional(handle, sum != 0);
  }
}

#define RK4_BATCH                                                                                                      \
  i64 n, RK4_PLANE(const real) omega, RK4_PLANE(const real) zeta, RK4_PLANE(real) x, RK4_PLANE(real) v,                \
      RK4_PLANE(i64) steps, RK4_PLANE(u32) limit, RK4_PLANE(u32) maps, RK4_PLANE(real) moved,                          \
      RK4_PLANE(u32) moved_words, u32 *counts, Control *control, u32 offset
#define RK4_GIVEN {(u32)n, omega, zeta, x, v, steps, limit, maps, moved, moved_words, counts, control}

extern "C" __global__ void __launch_bounds__(RK4_THREADS, RK4_RESIDENT) rk4_live_first(RK4_BATCH) {
  const Batch batch = RK4_GIVEN;
  pass<true, false>(batch, offset, 0);
}

extern "C" __global__ void __launch_bounds__(RK4_THREADS, RK4_RESIDENT) rk4_live(RK4_BATCH) {
  const Batch batch = RK4_GIVEN;
  pass<false, false>(batch, offset, 0);
}

extern "C" __global__ void __launch_bounds__(RK4_THREADS, RK4_RESIDENT) rk4_live_while(RK4_BATCH, u64 handle) {
  const Batch batch = RK4_GIVEN;
  pass<false, true>(batch, offset, handle);
}
#endif
