// Reads whole arrays at a stride of 2^shift elements between the consecutive loads of a thread.
//   STRIDE_INTS   32-bit integers an element: 1, 2 or 4
//   STRIDE_LOADS  loads that a thread has in flight
#include "words.hpp"

using perfdocs::u32;
using perfdocs::u64;
using perfdocs::word_at;

constexpr int kThreads = 256;
constexpr int kOrder = 6;  // 2^6 elements a thread
#if __CUDA_ARCH__ == 750 || (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
constexpr int kBlocks = 4;  // an SM
#else
constexpr int kBlocks = 8;
#endif

using Element = perfdocs::Vector<4 * STRIDE_INTS>;

extern "C" __global__ void __launch_bounds__(kThreads) stride_fill(perfdocs::Vector<16>* buffer, u64 count) {
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const u64 at = 4 * i;
    buffer[i] = {{word_at(at), word_at(at + 1), word_at(at + 2), word_at(at + 3)}};
  }
}

// A column of blocks for each array: 2^20 threads in blocks of 256, 64 elements a thread. One sum is written for a warp.
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    stride_read(const Element* __restrict__ buffer, int shift, u32* __restrict__ sums) {
  const u32 id = blockIdx.x * kThreads + threadIdx.x;
  const u64 array = (u64(gridDim.x) * kThreads << kOrder) * blockIdx.y;
  const Element* from = buffer + array + words::element(id, shift, 0, kOrder);
  const u64 apart = u64(1) << shift;
  u32 sum = 0;
#pragma unroll 1
  for (int i = 0; i < 1 << kOrder; i += STRIDE_LOADS) {
    Element loaded[STRIDE_LOADS];
#pragma unroll
    for (int j = 0; j < STRIDE_LOADS; ++j) {
      loaded[j] = *from;
      from += apart;
    }
#pragma unroll
    for (int j = 0; j < STRIDE_LOADS; ++j) sum += perfdocs::folded(loaded[j]);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) sums[(u64(blockIdx.y) * gridDim.x * kThreads + id) / 32] = sum;
}
