// One launch, one step of every running sample. Planes are arrays of n: omega, zeta, x, v (real), nstop, steps (int64).
#include "step.cuh"

typedef long long i64;
typedef unsigned int u32;

// Writes the start state and clears the counters; `progress` is {samples finished, blocks arrived}.
extern "C" __global__ void rk4_begin(i64 n, const real* __restrict__ x0, const real* __restrict__ v0,
                                     const i64* __restrict__ nstop, real* __restrict__ x, real* __restrict__ v,
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
__device__ __forceinline__ u32 advance(i64 n, const real* __restrict__ omega, const real* __restrict__ zeta,
                                       const i64* __restrict__ nstop, real* __restrict__ x,
                                       real* __restrict__ v, i64* __restrict__ steps) {
  u32 ended = 0;
  const i64 stride = gridDim.x * (i64)blockDim.x;
  for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += stride) {
    const i64 count = steps[i];
    const i64 limit = nstop[i];
    if (count >= limit) continue;
    const real w = omega[i];
    real xi = x[i];
    real vi = v[i];
    rk4::step(xi, vi, real(-2) * zeta[i] * w, -w * w);
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

extern "C" __global__ void rk4_step_all(i64 n, const real* __restrict__ omega, const real* __restrict__ zeta,
                                        const i64* __restrict__ nstop, real* __restrict__ x,
                                        real* __restrict__ v, i64* __restrict__ steps, u32* progress) {
  add_finished(advance(n, omega, zeta, nstop, x, v, steps), progress);
}

#ifdef RK4_GRAPH
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

// The same step, as the body of a WHILE node: the last block to arrive decides whether the node runs again.
extern "C" __global__ void rk4_step_while(i64 n, const real* __restrict__ omega, const real* __restrict__ zeta,
                                          const i64* __restrict__ nstop, real* __restrict__ x,
                                          real* __restrict__ v, i64* __restrict__ steps, u32* progress,
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
