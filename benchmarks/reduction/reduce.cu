// The sum in one launch, four ways to add up what the threads have. Whoever ends last adds up the partial sums: `ended`
// counts who has ended, and is zero before and after. REDUCTION_THREADS is the block.
#include "parts.cuh"

// Number i of 1 to n in the scrambled order; n is a power of two.
extern "C" __global__ void reduction_numbers(long long n, long long factor, Sum* numbers) {
  const long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    numbers[i] = 1 + ((i * factor) & (n - 1));
  }
}

constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ Sum warp_sum(Sum value) {
#pragma unroll
  for (int span = 16; span; span /= 2) value += __shfl_down_sync(kAll, value, span);
  return value;
}

// A block's sum, valid in its first thread: a tree in shared memory.
struct InSharedMemory {
  static __device__ __forceinline__ Sum of_block(Sum value) {
    __shared__ Sum sums[REDUCTION_THREADS];
    sums[threadIdx.x] = value;
    __syncthreads();
#pragma unroll
    for (int half = REDUCTION_THREADS / 2; half; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    return sums[0];
  }
};

// The same: shuffles within each warp, then one warp over what the warps left in shared memory.
struct ByShuffles {
  static __device__ __forceinline__ Sum of_block(Sum value) {
    __shared__ Sum sums[REDUCTION_THREADS / 32];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    return warp_sum(threadIdx.x < REDUCTION_THREADS / 32 ? sums[threadIdx.x] : 0);
  }
};

template <class Way>
__device__ __forceinline__ void sum_by_blocks(const longlong2* pairs, unsigned count, Sum* partial, unsigned* ended,
                                              Sum* total) {
  __shared__ bool last;
  Sum sum = Way::of_block(own_sum(pairs, count));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ended, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += REDUCTION_THREADS) sum += __ldcg(partial + i);
  sum = Way::of_block(sum);
  if (threadIdx.x == 0) {
    *total = sum;
    *ended = 0;
  }
}

extern "C" __global__ void __launch_bounds__(REDUCTION_THREADS)
    reduction_shared(const longlong2* pairs, unsigned count, Sum* partial, unsigned* ended, Sum* total) {
  sum_by_blocks<InSharedMemory>(pairs, count, partial, ended, total);
}

extern "C" __global__ void __launch_bounds__(REDUCTION_THREADS)
    reduction_shuffle_shared(const longlong2* pairs, unsigned count, Sum* partial, unsigned* ended, Sum* total) {
  sum_by_blocks<ByShuffles>(pairs, count, partial, ended, total);
}

// Shuffles only: warps know nothing of their block, and leave a partial sum each.
extern "C" __global__ void __launch_bounds__(REDUCTION_THREADS)
    reduction_shuffle(const longlong2* pairs, unsigned count, Sum* partial, unsigned* ended, Sum* total) {
  const unsigned warps = gridDim.x * (REDUCTION_THREADS / 32), lane = threadIdx.x % 32;
  const unsigned warp = (blockIdx.x * REDUCTION_THREADS + threadIdx.x) / 32;
  Sum sum = warp_sum(own_sum(pairs, count));
  unsigned before = 0;
  if (lane == 0) {
    partial[warp] = sum;
    __threadfence();
    before = atomicAdd(ended, 1u);
  }
  if (__shfl_sync(kAll, before, 0) != warps - 1) return;
  __threadfence();
  sum = 0;
  for (unsigned i = lane; i < warps; i += 32) sum += __ldcg(partial + i);
  sum = warp_sum(sum);
  if (lane == 0) {
    *total = sum;
    *ended = 0;
  }
}

// Atomics: each thread adds its sum to the total, which is zero before.
extern "C" __global__ void __launch_bounds__(REDUCTION_THREADS)
    reduction_atomics(const longlong2* pairs, unsigned count, Sum*, unsigned*, Sum* total) {
  atomicAdd(reinterpret_cast<unsigned long long*>(total), (unsigned long long)own_sum(pairs, count));
}
