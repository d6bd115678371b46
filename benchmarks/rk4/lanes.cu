// One launch, state in registers. Planes are arrays of n: omega, zeta, x, v (real), nstop, steps (int64).
#include "step.cuh"

typedef long long i64;
typedef unsigned int u32;
typedef unsigned short u16;

#define RK4_FULL 0xffffffffu
#ifndef RK4_UNROLL
#define RK4_UNROLL 8  // steps between two looks at the count, where none of them can be the last
#endif

#define RK4_MOST (1 << 24)  // steps of a sample: what they cost a tile still fits 32 bits

// A sample that asks for fewer steps than none takes none; one that asks for too many takes as many as there may be.
__device__ __forceinline__ int length(i64 nstop) { return (int)min(max(nstop, (i64)0), (i64)RK4_MOST); }

// A sample on its way: what its steps need, and nothing else.
struct Sample {
  real x, v, damping, stiffness;

  __device__ __forceinline__ void read(i64 i, const real* omega, const real* zeta, const real* x0, const real* v0) {
    const real w = omega[i];
    damping = real(-2) * zeta[i] * w;
    stiffness = -w * w;
    x = x0[i];
    v = v0[i];
  }

  __device__ __forceinline__ void step() { rk4::step(x, v, damping, stiffness); }

  // A floating-point instruction takes two issue slots of its unit and the count of a loop takes slots too, so steps
  // that need no look at the count go by several at a time.
  __device__ __forceinline__ void steps() {
#pragma unroll
    for (int k = 0; k < RK4_UNROLL; ++k) step();
  }
};

// ---- one thread per sample -------------------------------------------------------------------------------------

extern "C" __global__ void rk4_per_thread(i64 n, const real* __restrict__ omega, const real* __restrict__ zeta,
                                          const real* __restrict__ x0, const real* __restrict__ v0,
                                          const i64* __restrict__ nstop, real* __restrict__ x_out,
                                          real* __restrict__ v_out, i64* __restrict__ steps_out) {
  const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
  if (i >= n) return;
  Sample sample;
  sample.read(i, omega, zeta, x0, v0);
  const int limit = length(nstop[i]);
  int count = 0;
  for (; count + RK4_UNROLL <= limit; count += RK4_UNROLL) sample.steps();
  for (; count < limit; ++count) sample.step();
  x_out[i] = sample.x;
  v_out[i] = sample.v;
  steps_out[i] = count;
}

// ---- longest first ----------------------------------------------------------------------------------------------

#ifndef RK4_BLOCK
#define RK4_BLOCK 256  // threads of a block
#endif
#ifndef RK4_RESIDENT
#define RK4_RESIDENT 3  // blocks an SM
#endif
#ifndef RK4_TILE
#define RK4_TILE 1280  // samples a block holds in shared memory at a time
#endif
#ifndef RK4_TOLL
#define RK4_TOLL 4  // what beginning and ending a group costs its warp, in steps
#endif
#define RK4_BINS 1024  // lengths told apart by the sort
#define RK4_ROWS (RK4_TILE / 32)
#define RK4_SLOTS (RK4_BLOCK / 32)

// One tile of samples and its sorted order.
struct Tile {
  real omega[RK4_TILE];
  real zeta[RK4_TILE];
  real x[RK4_TILE];
  real v[RK4_TILE];
  int steps[RK4_TILE];     // to do, then done
  u32 bins[RK4_BINS];      // how many samples are of a length, then where they begin
  u32 start[RK4_ROWS];     // what the groups before one cost
  int longest;
  u32 carry[RK4_SLOTS];
  u32 begun[RK4_SLOTS];    // whether a slot has passed on the group it shares with the slot before
  u16 order[RK4_TILE];     // longest first
};

// Copies one item of 4 or 8 bytes from global to shared memory without a register in between.
template <typename Item>
__device__ __forceinline__ void copy(Item* to, const Item* from) {
#if __CUDA_ARCH__ >= 800
  const u32 address = (u32)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(sizeof(Item)) : "memory");
#else
  *to = *from;
#endif
}

__device__ __forceinline__ void copies_sent() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void copies_arrived() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Turns each value of `items` into the sum of those before it; returns the sum of all. All threads call it.
template <int COUNT>
__device__ __forceinline__ u32 exclusive_sums(u32* items, u32* carry) {
  constexpr int EACH = (COUNT + RK4_BLOCK - 1) / RK4_BLOCK;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int first = threadIdx.x * EACH;
  u32 own[EACH];
  u32 total = 0;
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const u32 item = first + k < COUNT ? items[first + k] : 0;
    own[k] = total;
    total += item;
  }
  u32 upto = total;
#pragma unroll
  for (int span = 1; span < 32; span *= 2) {
    const u32 other = __shfl_up_sync(RK4_FULL, upto, span);
    if (lane >= span) upto += other;
  }
  if (lane == 31) carry[warp] = upto;
  __syncthreads();
  if (warp == 0) {
    u32 sum = lane < RK4_SLOTS ? carry[lane] : 0;
#pragma unroll
    for (int span = 1; span < 32; span *= 2) {
      const u32 other = __shfl_up_sync(RK4_FULL, sum, span);
      if (lane >= span) sum += other;
    }
    if (lane < RK4_SLOTS) carry[lane] = sum;
  }
  __syncthreads();
  const u32 before = (warp ? carry[warp - 1] : 0) + upto - total;
  const u32 all = carry[RK4_SLOTS - 1];
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    if (first + k < COUNT) items[first + k] = before + own[k];
  __syncthreads();
  return all;
}

__device__ __forceinline__ int least(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(RK4_FULL, value);
#else
#pragma unroll
  for (int span = 16; span; span /= 2) value = min(value, __shfl_xor_sync(RK4_FULL, value, span));
  return value;
#endif
}

// Adds one to bins[bin] for every lane that is `in`; returns the place each lane got. One atomic where all lanes
// meet in one bin, as they do where all samples are of one length.
__device__ __forceinline__ u32 place_in(u32* bins, u32 bin, bool in) {
  const u32 lanes = __ballot_sync(RK4_FULL, in);
  if (!lanes) return 0;
  const int leader = __ffs(lanes) - 1;
  const u32 common = __shfl_sync(RK4_FULL, bin, leader);
  if (__all_sync(RK4_FULL, !in || bin == common)) {
    u32 base = 0;
    const int lane = threadIdx.x & 31;
    if (lane == leader) base = atomicAdd(&bins[common], __popc(lanes));
    return __shfl_sync(RK4_FULL, base, leader) + __popc(lanes & ((1u << lane) - 1u));
  }
  return in ? atomicAdd(&bins[bin], 1u) : 0;
}

// Each block takes an equal share of the samples, a tile at a time, sorts it by length (known before the start) in
// shared memory, and cuts the sorted row into groups of 32: one warp's lanes then end together. Laid end to end, the
// groups are dealt to the warps in equal parts (McNaughton's wrap-around rule), so the warps end together as well: a
// group that a cut divides is begun by the later warp, at its start, and ended by the earlier one, at its end.
extern "C" __global__ void __launch_bounds__(RK4_BLOCK, RK4_RESIDENT)
    rk4_longest_first(i64 n, const real* __restrict__ omega, const real* __restrict__ zeta,
                      const real* __restrict__ x0, const real* __restrict__ v0, const i64* __restrict__ nstop,
                      real* __restrict__ x_out, real* __restrict__ v_out, i64* __restrict__ steps_out) {
  extern __shared__ char memory[];
  Tile& tile = *(Tile*)memory;
  const int lane = threadIdx.x & 31;
  const u32 slot = threadIdx.x >> 5;

  // The block's share in rows of 32 samples, cut into tiles of almost one size.
  const i64 all_rows = (n + 31) / 32;
  const i64 from = all_rows * blockIdx.x / gridDim.x;
  const int share = (int)(all_rows * (blockIdx.x + 1) / gridDim.x - from);
  const int tiles = (share + RK4_ROWS - 1) / RK4_ROWS;
  for (int t = 0; t < tiles; ++t) {
    const i64 first_row = from + (i64)share * t / tiles;
    const int rows = (int)(from + (i64)share * (t + 1) / tiles - first_row);
    const i64 base = first_row * 32;
    const int m = (int)min((i64)rows * 32, n - base);

    for (int b = threadIdx.x; b < RK4_BINS; b += RK4_BLOCK) tile.bins[b] = 0;
    if (threadIdx.x < RK4_SLOTS) tile.begun[threadIdx.x] = 0;
    if (threadIdx.x == 0) tile.longest = 0;
    __syncthreads();
    int most = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < m; i += RK4_BLOCK) {
      const int steps = length(nstop[base + i]);
      tile.steps[i] = steps;
      most = max(most, steps);
    }
#pragma unroll 2
    for (int i = threadIdx.x; i < m; i += RK4_BLOCK) {
      copy(&tile.omega[i], omega + base + i);
      copy(&tile.zeta[i], zeta + base + i);
      copy(&tile.x[i], x0 + base + i);
      copy(&tile.v[i], v0 + base + i);
    }
    copies_sent();
    most = -least(-most);
    if (lane == 0) atomicMax(&tile.longest, most);
    __syncthreads();
    const int longest = tile.longest;
    int shift = 0;
    while ((longest >> shift) >= RK4_BINS) ++shift;
#pragma unroll 1
    for (int i = threadIdx.x; i < rows * 32; i += RK4_BLOCK)
      place_in(tile.bins, i < m ? (u32)(longest - tile.steps[i]) >> shift : 0, i < m);
    __syncthreads();
    exclusive_sums<RK4_BINS>(tile.bins, tile.carry);
#pragma unroll 1
    for (int i = threadIdx.x; i < rows * 32; i += RK4_BLOCK) {
      const u32 at = place_in(tile.bins, i < m ? (u32)(longest - tile.steps[i]) >> shift : 0, i < m);
      if (i < m) tile.order[at] = (u16)i;
    }
    __syncthreads();
    // A group lasts as long as its first sample, or as the longest its bin may hold.
    for (int g = threadIdx.x; g < RK4_ROWS; g += RK4_BLOCK) {
      u32 cost = 0;
      if (g < rows) cost = longest - (((longest - tile.steps[tile.order[g * 32]]) >> shift) << shift) + RK4_TOLL;
      tile.start[g] = cost;
    }
    __syncthreads();
    const u32 first_cost = tile.start[0];
    __syncthreads();
    const u32 total = exclusive_sums<RK4_ROWS>(tile.start, tile.carry);
    const u32 span = max((total + RK4_SLOTS - 1) / RK4_SLOTS, first_cost);  // what one slot may cost
    copies_arrived();
    __syncthreads();

    // This warp's part of the row: [position, end).
    u32 position = min(slot * span, total);
    const u32 end = min(position + span, total);
    int g = 0;
    while (g + 1 < rows && tile.start[g + 1] <= position) ++g;
    while (position < end) {
      const u32 group_from = tile.start[g];
      const u32 group_to = g + 1 < rows ? tile.start[g + 1] : total;
      // A cut divides the steps [0, length) of a group: those before it are done by the later slot, at its
      // beginning, those from it on by the earlier slot, at its end. What is no longer than the toll is not cut off.
      const bool inherits = group_from < position;
      const bool leaves = group_to > end + RK4_TOLL;
      const int a = leaves ? (int)(group_to - end - RK4_TOLL) : 0;  // ours are the steps [a, b)
      const int b = (int)(group_to - (inherits ? position : group_from)) - RK4_TOLL;
      const int row = g * 32 + lane;
      position = min(group_to, end);
      ++g;
      if (b <= 0) continue;  // done by the slot before
      const bool in = row < m;
      const int at = tile.order[in ? row : m - 1];
      const int limit = in ? tile.steps[at] : 0;
      if (leaves) {  // begun by the next slot, long ago where all go at one pace
        while (*(volatile u32*)&tile.begun[slot + 1] == 0) {
        }
        __threadfence_block();
      }
      Sample sample;
      sample.read(at, tile.omega, tile.zeta, tile.x, tile.v);
      const int mine = max(min(limit, b), a);
      const int sure = least(in ? mine : b);
      int count = a;
      for (; count + RK4_UNROLL <= sure; count += RK4_UNROLL) sample.steps();
      for (; count < mine; ++count) sample.step();
      if (in && limit > a) {
        tile.x[at] = sample.x;
        tile.v[at] = sample.v;
        if (count >= limit) tile.steps[at] = count;
      }
      if (inherits) {
        __threadfence_block();
        __syncwarp();
        if (lane == 0) *(volatile u32*)&tile.begun[slot] = 1;
      }
    }
    __syncthreads();
#pragma unroll 2
    for (int i = threadIdx.x; i < m; i += RK4_BLOCK) {
      x_out[base + i] = tile.x[i];
      v_out[base + i] = tile.v[i];
      steps_out[base + i] = tile.steps[i];
    }
    __syncthreads();
  }
}

// ---- work stealing ----------------------------------------------------------------------------------------------

#ifndef RK4_BATCH
#define RK4_BATCH 16  // samples a warp takes from the queue at a time
#endif
#ifndef RK4_REFILL
#define RK4_REFILL 3  // idle lanes that make a warp stop and hand out samples
#endif
#ifndef RK4_CHUNK
#define RK4_CHUNK 4  // steps between two looks at how many lanes idle
#endif
#define RK4_WARPS 4  // warps a block

// Samples a warp has fetched and not yet begun: two batches, one being handed out while the other arrives.
struct Stock {
  real omega[2][RK4_BATCH];
  real zeta[2][RK4_BATCH];
  real x[2][RK4_BATCH];
  real v[2][RK4_BATCH];
  i64 nstop[2][RK4_BATCH];
};

// A lane that finishes takes the next sample. `queue` is {next batch beyond those dealt at the start, blocks done},
// zero before and after every launch; where RK4_COUNT is set, a third counts the steps that warps issue. A warp deals
// from a stock in shared memory that the copy unit fills ahead of need, so that neither the queue's atomic nor the loads
// from memory hold up the lanes that are still running.
extern "C" __global__ void __launch_bounds__(32 * RK4_WARPS)
    rk4_persistent(i64 n, const real* __restrict__ omega, const real* __restrict__ zeta,
                   const real* __restrict__ x0, const real* __restrict__ v0, const i64* __restrict__ nstop,
                   real* __restrict__ x_out, real* __restrict__ v_out, i64* __restrict__ steps_out,
                   u32* __restrict__ queue) {
  __shared__ Stock stocks[RK4_WARPS];
  const u32 lane = threadIdx.x & 31;
  const u32 warp = threadIdx.x >> 5;
  Stock& stock = stocks[warp];
  const u32 batches = (u32)((n + RK4_BATCH - 1) / RK4_BATCH);
  const u32 warps = gridDim.x * RK4_WARPS;

  const auto fetch = [&](u32 batch, u32 half) {
    const i64 from = (i64)batch * RK4_BATCH + lane;
    if (batch < batches && lane < RK4_BATCH && from < n) {
      copy(&stock.omega[half][lane], omega + from);
      copy(&stock.zeta[half][lane], zeta + from);
      copy(&stock.x[half][lane], x0 + from);
      copy(&stock.v[half][lane], v0 + from);
      copy(&stock.nstop[half][lane], nstop + from);
    }
    copies_sent();
  };
  const auto size = [&](u32 batch) -> u32 {
    if (batch >= batches) return 0;
    const i64 left = n - (i64)batch * RK4_BATCH;
    return left < RK4_BATCH ? (u32)left : RK4_BATCH;
  };

  // The first two batches are dealt without the queue, block by block, so that few samples spread over all SMs.
  u32 half = 0;
  u32 batch = warp * gridDim.x + blockIdx.x;
  u32 after = batch + warps;  // the batch in the other half; batches or more means none
  u32 given = 0;
  u32 held = size(batch);
  fetch(batch, 0);
  fetch(after, 1);
  copies_arrived();
  __syncwarp();
  bool asked = false;  // a ticket has been drawn for the other half and its copies not yet sent
  u32 ticket = 0;

  i64 sample = -1;
  int count = 0;
  int limit = 0;
  Sample state = {};
#ifdef RK4_COUNT
  u32 issued = 0;
#endif

  while (true) {
    u32 idle = __ballot_sync(RK4_FULL, count >= limit);
    // Hand out samples to the idle lanes while there are any of both.
    while (held > given && idle) {
      if (asked) {  // drawn at an earlier stop, so the answer is here by now
        after = __shfl_sync(RK4_FULL, ticket, 0);
        fetch(after, half ^ 1);
        asked = false;
      }
      const u32 rank = __popc(idle & ((1u << lane) - 1u));
      const u32 slot = given + rank;
      const bool takes = count >= limit && slot < held;
      if (takes) {
        if (sample >= 0) {
          x_out[sample] = state.x;
          v_out[sample] = state.v;
          steps_out[sample] = count;
        }
        const real w = stock.omega[half][slot];
        state.damping = real(-2) * stock.zeta[half][slot] * w;
        state.stiffness = -w * w;
        state.x = stock.x[half][slot];
        state.v = stock.v[half][slot];
        limit = length(stock.nstop[half][slot]);
        count = 0;
        sample = (i64)batch * RK4_BATCH + slot;
      }
      given = min(given + (u32)__popc(idle), held);
      if (given == held) {  // this half is empty: turn to the other, and draw a ticket to fill this one
        copies_arrived();
        __syncwarp();
        batch = after;
        half ^= 1;
        given = 0;
        held = size(batch);
        if (held) {
          if (lane == 0) ticket = 2 * warps + atomicAdd(&queue[0], 1u);
          asked = true;
          after = batches;
        }
      }
      idle = __ballot_sync(RK4_FULL, count >= limit);
    }
    if (idle == RK4_FULL) break;
    // Step until enough lanes idle to be worth a stop, or all of them once the stock is empty.
    const int enough = held > given ? RK4_REFILL : 32;
    do {
#pragma unroll
      for (int k = 0; k < RK4_CHUNK; ++k) {
#ifdef RK4_COUNT
        issued += __any_sync(RK4_FULL, count < limit);
#endif
        if (count < limit) {
          state.step();
          ++count;
        }
      }
      idle = __ballot_sync(RK4_FULL, count >= limit);
    } while (__popc(idle) < enough);
  }
  if (sample >= 0) {
    x_out[sample] = state.x;
    v_out[sample] = state.v;
    steps_out[sample] = count;
  }
#ifdef RK4_COUNT
  if (lane == 0) atomicAdd(&queue[2], issued);
#endif
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&queue[1], 1u) == gridDim.x - 1) {
    queue[0] = 0;
    queue[1] = 0;
  }
}
