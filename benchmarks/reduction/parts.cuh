// What every kernel of ours shares: a thread's own sum.
#pragma once

using Sum = long long;

// The sum of every pair that is this thread's turn: 16 bytes a load, several loads on their way at a time.
__device__ __forceinline__ Sum own_sum(const longlong2* __restrict__ pairs, unsigned count) {
  const unsigned stride = gridDim.x * blockDim.x;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Sum sum = 0;
  for (; i + (REDUCTION_LOADS - 1) * stride < count; i += REDUCTION_LOADS * stride) {
    longlong2 pair[REDUCTION_LOADS];
#pragma unroll
    for (int k = 0; k < REDUCTION_LOADS; ++k) pair[k] = pairs[i + k * stride];
#pragma unroll
    for (int k = 0; k < REDUCTION_LOADS; ++k) sum += pair[k].x + pair[k].y;
  }
  for (; i < count; i += stride) sum += pairs[i].x + pairs[i].y;
  return sum;
}
