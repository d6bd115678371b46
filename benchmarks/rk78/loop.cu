// One launch, one attempt of every orbit on its way. `planes` are eight of n (place, speed, time, step); `counts` two of
// n (accepted, rejected). A step of zero says that an orbit has ended.
#include "step.cuh"

typedef long long i64;
typedef unsigned int u32;

#ifndef RK78_THREADS
#define RK78_THREADS 64  // a block
#endif
#ifndef RK78_BLOCKS
#define RK78_BLOCKS 6  // blocks an SM that the registers must leave room for
#endif
#define RK78_FULL 0xffffffffu

extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

// What the kernels of a graph tell one another.
struct Progress {
  u32 ended;     // orbits that have
  u32 arrived;   // blocks of the launch now running
  u32 live;      // orbits in the map
  u32 filled;    // of the map that is being made
  u32 mapped;    // orbits that had ended when the map was made
  u32 map;       // which of the two maps is in use
  u32 span;      // places that the planes in use take
  u32 side;      // which of the two sets of planes is in use
  u32 move;      // the planes are to be moved together
};

__device__ __forceinline__ i64 first_of() { return blockIdx.x * (i64)blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 stride_of() { return gridDim.x * (i64)blockDim.x; }

__device__ __forceinline__ void place_start(i64 n, i64 i, const double* __restrict__ start, double* __restrict__ planes,
                                            int* __restrict__ counts) {
  for (int c = 0; c < 6; ++c) planes[c * n + i] = start[c * n + i];
  planes[6 * n + i] = 0.0;
  planes[7 * n + i] = rk78::kFirst;
  counts[i] = 0;
  counts[n + i] = 0;
}

// Tries a step of orbit i, if it is on its way; returns whether it ended by it.
__device__ __forceinline__ bool attempt_at(i64 n, i64 i, double* __restrict__ planes, int* __restrict__ counts) {
  const double step = planes[7 * n + i];
  if (!(step > 0)) return false;
  rk78::State s = {{planes[i], planes[n + i], planes[2 * n + i]},
                   {planes[3 * n + i], planes[4 * n + i], planes[5 * n + i]},
                   planes[6 * n + i],
                   step};
  const int before = counts[i];
  int accepted = before;
  int rejected = counts[n + i];
  rk78::advance(s, accepted, rejected);
  planes[7 * n + i] = s.step;
  if (accepted != before) {
    planes[i] = s.place.x;
    planes[n + i] = s.place.y;
    planes[2 * n + i] = s.place.z;
    planes[3 * n + i] = s.speed.x;
    planes[4 * n + i] = s.speed.y;
    planes[5 * n + i] = s.speed.z;
    planes[6 * n + i] = s.time;
    counts[i] = accepted;
  } else {
    counts[n + i] = rejected;
  }
  return !(s.step > 0);
}

__device__ __forceinline__ void add_ended(u32 ended, Progress* progress) {
#if __CUDA_ARCH__ >= 800
  ended = __reduce_add_sync(RK78_FULL, ended);
#else
  for (int span = 16; span; span /= 2) ended += __shfl_down_sync(RK78_FULL, ended, span);
#endif
  if ((threadIdx.x & 31) == 0 && ended) atomicAdd(&progress->ended, ended);
}

// Whether this thread speaks for the last block to come here; what the others wrote before is then visible to it.
__device__ __forceinline__ bool last_to_arrive(Progress* progress) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0 || atomicInc(&progress->arrived, gridDim.x - 1) != gridDim.x - 1) return false;
  __threadfence();
  return true;
}

// ---- graph --------------------------------------------------------------------------------------------------------

extern "C" __global__ void rk78_begin(i64 n, const double* __restrict__ start, double* __restrict__ planes,
                                      int* __restrict__ counts, Progress* progress) {
  for (i64 i = first_of(); i < n; i += stride_of()) place_start(n, i, start, planes, counts);
  if (first_of() == 0) *progress = Progress{};
}

// The body of the WHILE node; the last block to arrive decides whether the node runs again.
extern "C" __global__ void __launch_bounds__(RK78_THREADS, RK78_BLOCKS)
    rk78_attempt_while(i64 n, double* __restrict__ planes, int* __restrict__ counts, Progress* progress,
                       unsigned long long handle) {
  u32 ended = 0;
  for (i64 i = first_of(); i < n; i += stride_of()) ended += attempt_at(n, i, planes, counts);
  add_ended(ended, progress);
  if (last_to_arrive(progress)) cudaGraphSetConditional(handle, *(volatile u32*)&progress->ended < (u32)n);
}

// ---- map ----------------------------------------------------------------------------------------------------------

// The map keeps the numbers of the orbits on their way; `maps` has room for two of n.
extern "C" __global__ void rk78_begin_map(i64 n, const double* __restrict__ start, double* __restrict__ planes,
                                          int* __restrict__ counts, u32* __restrict__ maps, Progress* progress) {
  for (i64 i = first_of(); i < n; i += stride_of()) {
    place_start(n, i, start, planes, counts);
    maps[i] = (u32)i;
  }
  if (first_of() == 0) {
    Progress all = {};
    all.live = all.span = (u32)n;
    *progress = all;
  }
}

extern "C" __global__ void __launch_bounds__(RK78_THREADS, RK78_BLOCKS)
    rk78_attempt_map(i64 n, double* __restrict__ planes, int* __restrict__ counts, const u32* __restrict__ maps,
                     Progress* progress) {
  const u32 live = progress->live;
  const u32* map = maps + progress->map * n;
  u32 ended = 0;
  for (i64 k = first_of(); k < live; k += stride_of()) ended += attempt_at(n, map[k], planes, counts);
  add_ended(ended, progress);
}

// Makes the map anew if an orbit ended since it was made. Blocks keep the order of what they copy, and append it as they
// come. With `theta` above 0 the planes are to be moved where less than that part of what they span is live.
extern "C" __global__ void __launch_bounds__(256)
    rk78_compact_while(i64 n, const double* __restrict__ planes, u32* __restrict__ maps, Progress* progress,
                       double theta, unsigned long long handle) {
  __shared__ u32 totals[8];
  __shared__ u32 base;
  const u32 ended = progress->ended;
  const bool changed = ended != progress->mapped;
  const u32 live = progress->live;
  const u32 which = progress->map;
  if (changed) {
    const u32* from = maps + which * n;
    u32* to = maps + (which ^ 1) * n;
    const double* step = planes + (progress->side * 8 + 7) * n;
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (i64 first = blockIdx.x * (i64)blockDim.x; first < live; first += stride_of()) {
      const i64 k = first + threadIdx.x;
      const u32 i = k < live ? from[k] : 0;
      const bool keep = k < live && step[i] > 0;
      const u32 kept = __ballot_sync(RK78_FULL, keep);
      if (lane == 0) totals[warp] = __popc(kept);
      __syncthreads();
      if (threadIdx.x == 0) {
        u32 sum = 0;
        for (int w = 0; w < 8; ++w) {
          const u32 own = totals[w];
          totals[w] = sum;
          sum += own;
        }
        base = sum ? atomicAdd(&progress->filled, sum) : 0;
      }
      __syncthreads();
      if (keep) to[base + totals[warp] + __popc(kept & ((1u << lane) - 1u))] = i;
      __syncthreads();
    }
  }
  if (last_to_arrive(progress)) {
    if (changed) {
      const u32 left = *(volatile u32*)&progress->filled;
      progress->live = left;
      progress->filled = 0;
      progress->mapped = ended;
      progress->map = which ^ 1;
      progress->move = left && left < theta * progress->span;
    }
    cudaGraphSetConditional(handle, ended < (u32)n);
  }
}

// ---- reorder ------------------------------------------------------------------------------------------------------

// There are two sets of planes, counts and numbers of the orbits in them; what is live moves from one to the other. An
// orbit's end is written to its own place as soon as it is reached.
extern "C" __global__ void rk78_begin_reorder(i64 n, const double* __restrict__ start, double* __restrict__ planes,
                                              int* __restrict__ counts, u32* __restrict__ orbits,
                                              u32* __restrict__ maps, Progress* progress) {
  for (i64 i = first_of(); i < n; i += stride_of()) {
    place_start(n, i, start, planes, counts);
    orbits[i] = (u32)i;
    maps[i] = (u32)i;
  }
  if (first_of() == 0) {
    Progress all = {};
    all.live = all.span = (u32)n;
    *progress = all;
  }
}

extern "C" __global__ void __launch_bounds__(RK78_THREADS, RK78_BLOCKS)
    rk78_attempt_reorder(i64 n, double* __restrict__ planes, int* __restrict__ counts, const u32* __restrict__ orbits,
                         const u32* __restrict__ maps, double* __restrict__ end, int* __restrict__ accepted,
                         int* __restrict__ rejected, Progress* progress) {
  const u32 live = progress->live;
  const u32 side = progress->side;
  const u32* map = maps + progress->map * n;
  double* own = planes + side * 8 * n;
  int* own_counts = counts + side * 2 * n;
  u32 ended = 0;
  for (i64 k = first_of(); k < live; k += stride_of()) {
    const u32 i = map[k];
    if (attempt_at(n, i, own, own_counts)) {
      const u32 orbit = orbits[side * n + i];
      for (int c = 0; c < 7; ++c) end[c * n + orbit] = own[c * n + i];
      accepted[orbit] = own_counts[i];
      rejected[orbit] = own_counts[n + i];
      ++ended;
    }
  }
  add_ended(ended, progress);
}

extern "C" __global__ void __launch_bounds__(256)
    rk78_move(i64 n, double* __restrict__ planes, int* __restrict__ counts, u32* __restrict__ orbits,
              u32* __restrict__ maps, Progress* progress) {
  if (!progress->move) return;
  const u32 live = progress->live;
  const u32 side = progress->side;
  u32* map = maps + progress->map * n;
  const double* from = planes + side * 8 * n;
  double* to = planes + (side ^ 1) * 8 * n;
  const int* from_counts = counts + side * 2 * n;
  int* to_counts = counts + (side ^ 1) * 2 * n;
  for (i64 k = first_of(); k < live; k += stride_of()) {
    const u32 i = map[k];
    for (int c = 0; c < 8; ++c) to[c * n + k] = from[c * n + i];
    for (int c = 0; c < 2; ++c) to_counts[c * n + k] = from_counts[c * n + i];
    orbits[(side ^ 1) * n + k] = orbits[side * n + i];
    map[k] = (u32)k;
  }
  if (last_to_arrive(progress)) {
    progress->side = side ^ 1;
    progress->span = live;
    progress->move = 0;
  }
}
