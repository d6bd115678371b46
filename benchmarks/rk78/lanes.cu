// One launch, state in registers. `start` is six planes of n (place, speed), `end` seven (place, speed, time).
#include "step.cuh"

typedef long long i64;
typedef unsigned int u32;

__device__ __forceinline__ rk78::State read(const double* __restrict__ start, i64 n, i64 i) {
  return {{start[i], start[n + i], start[2 * n + i]},
          {start[3 * n + i], start[4 * n + i], start[5 * n + i]},
          0.0,
          rk78::kFirst};
}

__device__ __forceinline__ void write(const rk78::State& s, double* __restrict__ end, i64 n, i64 i) {
  end[i] = s.place.x;
  end[n + i] = s.place.y;
  end[2 * n + i] = s.place.z;
  end[3 * n + i] = s.speed.x;
  end[4 * n + i] = s.speed.y;
  end[5 * n + i] = s.speed.z;
  end[6 * n + i] = s.time;
}

// ---- per_thread ---------------------------------------------------------------------------------------------------

#ifndef RK78_THREADS
#define RK78_THREADS 32  // a block; small, so that a small batch spreads over many SMs
#endif
#ifndef RK78_THREAD_BLOCKS
#define RK78_THREAD_BLOCKS 16  // blocks an SM that the registers must leave room for
#endif

extern "C" __global__ void __launch_bounds__(RK78_THREADS, RK78_THREAD_BLOCKS)
    rk78_per_thread(i64 n, const double* __restrict__ start, double* __restrict__ end, int* __restrict__ accepted,
                    int* __restrict__ rejected) {
  const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
  if (i >= n) return;
  rk78::State s = read(start, n, i);
  int taken = 0, refused = 0;
  while (s.step > 0) rk78::advance(s, taken, refused);
  write(s, end, n, i);
  accepted[i] = taken;
  rejected[i] = refused;
}

// ---- persistent ---------------------------------------------------------------------------------------------------

#ifndef RK78_WARPS
#define RK78_WARPS 4  // warps a block
#endif
#ifndef RK78_BLOCKS
#define RK78_BLOCKS 4  // blocks an SM that the registers must leave room for
#endif
#ifndef RK78_BATCH
#define RK78_BATCH 4  // samples a warp takes from the queue at a time
#endif
#ifndef RK78_REFILL
#define RK78_REFILL 1  // idle lanes that make a warp hand out samples
#endif
#define RK78_FULL 0xffffffffu

// A lane that finishes takes the next sample. `queue` is {samples handed out beyond the first deal, blocks done}, zero
// before and after every launch. A warp draws its next batch of samples when it begins to hand out the one before, so
// that it need not wait for the queue's answer.
extern "C" __global__ void __launch_bounds__(32 * RK78_WARPS, RK78_BLOCKS)
    rk78_persistent(u32 n, const double* __restrict__ start, double* __restrict__ end, int* __restrict__ accepted,
                    int* __restrict__ rejected, u32* __restrict__ queue) {
  const u32 lane = threadIdx.x & 31;
  const u32 warp = threadIdx.x >> 5;
  const u32 dealt = gridDim.x * (32 * RK78_WARPS);
  bool more = dealt < n;  // there may be samples in the queue
  u32 next = 0, stop = 0, ticket = 0;
  if (more && lane == 0) ticket = dealt + atomicAdd(&queue[0], (u32)RK78_BATCH);

  // The first deal goes block by block, so that few samples spread over all SMs.
  u32 sample = (warp * gridDim.x + blockIdx.x) * 32 + lane;
  bool holds = sample < n;
  rk78::State s = {};
  if (holds) s = read(start, n, sample);
  int taken = 0, refused = 0;

  while (true) {
    u32 idle = __ballot_sync(RK78_FULL, !(s.step > 0));
    if (__popc(idle) >= (more ? RK78_REFILL : 32)) {
      if (holds && !(s.step > 0)) {
        write(s, end, n, sample);
        accepted[sample] = taken;
        rejected[sample] = refused;
        holds = false;
      }
      while (more && idle) {
        if (next == stop) {
          next = __shfl_sync(RK78_FULL, ticket, 0);
          if (next >= n) {
            more = false;
            break;
          }
          stop = min(next + RK78_BATCH, n);
          if (lane == 0) ticket = dealt + atomicAdd(&queue[0], (u32)RK78_BATCH);
        }
        const u32 mine = next + __popc(idle & ((1u << lane) - 1u));
        if (!(s.step > 0) && mine < stop) {
          sample = mine;
          holds = true;
          s = read(start, n, sample);
          taken = 0;
          refused = 0;
        }
        next = min(next + (u32)__popc(idle), stop);
        idle = __ballot_sync(RK78_FULL, !(s.step > 0));
      }
      if (idle == RK78_FULL) break;
    }
    if (s.step > 0) rk78::advance(s, taken, refused);
  }
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&queue[1], 1u) == gridDim.x - 1) {
    queue[0] = 0;
    queue[1] = 0;
  }
}
