// Random words, kernels that do next to nothing, and atomics.
#include <perfdocs/chain.hpp>

using perfdocs::u32;
using perfdocs::u64;

extern "C" __device__ void cudaGraphSetConditional(u64 handle, unsigned int value);

extern "C" __global__ void peaks_fill(u32* data, u64 words, u32 even_mask, u32 even_base, u32 odd_mask, u32 odd_base) {
  const perfdocs::Bits bits = {even_mask, even_base, odd_mask, odd_base};
  const u64 threads = gridDim.x * blockDim.x;
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads) data[i] = perfdocs::word((u32)i, bits);
}

// Launched where it is timed; where it is checked that each launch is there, the one that counts.
extern "C" __global__ void peaks_empty() {}

extern "C" __global__ void peaks_count(u32* count) {
  if (threadIdx.x == 0) atomicAdd(count, 1u);
}

// A WHILE node whose body runs so many times.
extern "C" __global__ void peaks_begin(u32* done) { *done = 0; }

extern "C" __global__ void peaks_again(u32* done, u32 times, u64 handle) {
  if (++*done == times) cudaGraphSetConditional(handle, 0);
}

// Neighbours add to neighbours. The mask is not known when this is compiled, so nothing is added up before.
extern "C" __global__ void peaks_add(u32* counters, u32 mask, u32 rounds) {
  const u32 threads = gridDim.x * blockDim.x;
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 8
  for (u32 round = 0; round < rounds; ++round, i += threads) atomicAdd(&counters[i & mask], 1u);
}
