// Kernels of the CuPy arms. Planes are arrays of n: omega, zeta, x, v (float64), nstop, steps (int64).
#include "step.cuh"

typedef long long i64;
typedef unsigned int u32;

// ---- one thread per sample -------------------------------------------------------------------------------------

extern "C" __global__ void rk4_per_thread(i64 n, const double* __restrict__ omega, const double* __restrict__ zeta,
                                          const double* __restrict__ x0, const double* __restrict__ v0,
                                          const i64* __restrict__ nstop, double* __restrict__ x_out,
                                          double* __restrict__ v_out, i64* __restrict__ steps_out) {
  const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double w = omega[i];
  const double damping = -2.0 * zeta[i] * w;
  const double stiffness = -w * w;
  double x = x0[i];
  double v = v0[i];
  const int limit = (int)nstop[i];
  int count = 0;
  while (count < limit) {
    rk4::step(x, v, damping, stiffness);
    ++count;
  }
  x_out[i] = x;
  v_out[i] = v;
  steps_out[i] = count;
}

// ---- one step of every running sample a launch -----------------------------------------------------------------

// Writes the start state and clears the counters; `progress` is {samples finished, blocks arrived}.
extern "C" __global__ void rk4_begin(i64 n, const double* __restrict__ x0, const double* __restrict__ v0,
                                     const i64* __restrict__ nstop, double* __restrict__ x, double* __restrict__ v,
                                     i64* __restrict__ steps, u32* __restrict__ progress) {
  const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
  if (i == 0) {
    progress[0] = 0;
    progress[1] = 0;
  }
  if (i >= n) return;
  x[i] = x0[i];
  v[i] = v0[i];
  steps[i] = 0;
}

// Advances the samples of this thread (a grid-stride loop) by one step; returns how many of them ended by it.
__device__ __forceinline__ u32 advance(i64 n, const double* __restrict__ omega, const double* __restrict__ zeta,
                                       const i64* __restrict__ nstop, double* __restrict__ x,
                                       double* __restrict__ v, i64* __restrict__ steps) {
  u32 ended = 0;
  const i64 stride = gridDim.x * (i64)blockDim.x;
  for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += stride) {
    const i64 count = steps[i];
    const i64 limit = nstop[i];
    if (count >= limit) continue;
    const double w = omega[i];
    double xi = x[i];
    double vi = v[i];
    rk4::step(xi, vi, -2.0 * zeta[i] * w, -w * w);
    x[i] = xi;
    v[i] = vi;
    steps[i] = count + 1;
    ended += count + 1 >= limit;
  }
  return ended;
}

__device__ __forceinline__ void add_finished(u32 ended, u32* progress) {
#if __CUDA_ARCH__ >= 800
  ended = __reduce_add_sync(0xffffffffu, ended);
#else
  for (int span = 16; span; span /= 2) ended += __shfl_down_sync(0xffffffffu, ended, span);
#endif
  if ((threadIdx.x & 31) == 0 && ended) atomicAdd(&progress[0], ended);
}

extern "C" __global__ void rk4_step_all(i64 n, const double* __restrict__ omega, const double* __restrict__ zeta,
                                        const i64* __restrict__ nstop, double* __restrict__ x,
                                        double* __restrict__ v, i64* __restrict__ steps, u32* progress) {
  add_finished(advance(n, omega, zeta, nstop, x, v, steps), progress);
}

#ifdef RK4_GRAPH
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

// The same step, as the body of a WHILE node: the last block to arrive decides whether the node runs again.
extern "C" __global__ void rk4_step_while(i64 n, const double* __restrict__ omega, const double* __restrict__ zeta,
                                          const i64* __restrict__ nstop, double* __restrict__ x,
                                          double* __restrict__ v, i64* __restrict__ steps, u32* progress,
                                          unsigned long long handle) {
  add_finished(advance(n, omega, zeta, nstop, x, v, steps), progress);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicInc(&progress[1], gridDim.x - 1) == gridDim.x - 1) {
    __threadfence();
    const u32 finished = *(volatile u32*)&progress[0];
    cudaGraphSetConditional(handle, finished < (u32)n);
  }
}
#endif

// ---- work stealing ----------------------------------------------------------------------------------------------

#ifndef RK4_BATCH
#define RK4_BATCH 16  // samples a warp takes from the queue at a time
#endif
#ifndef RK4_REFILL
#define RK4_REFILL 3  // idle lanes that make a warp stop and hand out samples
#endif
#define RK4_WARPS 4  // warps a block
#define RK4_FULL 0xffffffffu

// Samples a warp has fetched and not yet begun: two batches, one being handed out while the other arrives.
struct Stock {
  double omega[2][RK4_BATCH];
  double zeta[2][RK4_BATCH];
  double x[2][RK4_BATCH];
  double v[2][RK4_BATCH];
  i64 nstop[2][RK4_BATCH];
};

__device__ __forceinline__ void copy8(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
  const u32 address = (u32)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(from) : "memory");
#else
  *(i64*)to = *(const i64*)from;
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
  __syncwarp();
}

// A lane that finishes takes the next sample. `queue` is {next batch beyond those dealt at the start, blocks done},
// zero before and after every launch. A warp deals from a stock in shared memory that the copy unit fills ahead of
// need, so that neither the queue's atomic nor the loads from memory hold up the lanes that are still running.
extern "C" __global__ void __launch_bounds__(32 * RK4_WARPS)
    rk4_persistent(i64 n, const double* __restrict__ omega, const double* __restrict__ zeta,
                   const double* __restrict__ x0, const double* __restrict__ v0, const i64* __restrict__ nstop,
                   double* __restrict__ x_out, double* __restrict__ v_out, i64* __restrict__ steps_out,
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
      copy8(&stock.omega[half][lane], omega + from);
      copy8(&stock.zeta[half][lane], zeta + from);
      copy8(&stock.x[half][lane], x0 + from);
      copy8(&stock.v[half][lane], v0 + from);
      copy8(&stock.nstop[half][lane], nstop + from);
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
  bool asked = false;  // a ticket has been drawn for the other half and its copies not yet sent
  u32 ticket = 0;

  i64 sample = -1;
  int count = 0;
  int limit = 0;
  double x = 0.0, v = 0.0, damping = 0.0, stiffness = 0.0;

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
          x_out[sample] = x;
          v_out[sample] = v;
          steps_out[sample] = count;
        }
        const double w = stock.omega[half][slot];
        damping = -2.0 * stock.zeta[half][slot] * w;
        stiffness = -w * w;
        x = stock.x[half][slot];
        v = stock.v[half][slot];
        limit = (int)stock.nstop[half][slot];
        count = 0;
        sample = (i64)batch * RK4_BATCH + slot;
      }
      given = min(given + (u32)__popc(idle), held);
      if (given == held) {  // this half is empty: turn to the other, and draw a ticket to fill this one
        copies_arrived();
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
      if (count < limit) {
        rk4::step(x, v, damping, stiffness);
        ++count;
      }
      idle = __ballot_sync(RK4_FULL, count >= limit);
    } while (__popc(idle) < enough);
  }
  if (sample >= 0) {
    x_out[sample] = x;
    v_out[sample] = v;
    steps_out[sample] = count;
  }
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&queue[1], 1u) == gridDim.x - 1) {
    queue[0] = 0;
    queue[1] = 0;
  }
}
