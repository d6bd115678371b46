// Reads whole arrays at a stride of 2^shift elements between the consecutive loads of a thread.
//   STRIDE_INTS   32-bit integers an element: 1, 2 or 4
//   STRIDE_LOADS  loads that a thread has in flight
#include "words.hpp"

using words::Long;
using words::Word;

constexpr int kThreads = 256;
constexpr int kOrder = 6;  // 2^6 elements a thread
#if __CUDA_ARCH__ == 750 || (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
constexpr int kBlocks = 4;  // an SM
#else
constexpr int kBlocks = 8;
#endif

template <int kInts>
struct Vector;
template <>
struct Vector<1> {
  using Type = uint1;
};
template <>
struct Vector<2> {
  using Type = uint2;
};
template <>
struct Vector<4> {
  using Type = uint4;
};

__device__ __forceinline__ Word folded(uint1 v) { return v.x; }
__device__ __forceinline__ Word folded(uint2 v) { return v.x + v.y; }
__device__ __forceinline__ Word folded(uint4 v) { return v.x + v.y + v.z + v.w; }

extern "C" __global__ void __launch_bounds__(kThreads) stride_fill(uint4* buffer, Long count) {
  const Long step = Long(gridDim.x) * blockDim.x;
  for (Long i = Long(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const Long at = 4 * i;
    buffer[i] = make_uint4(words::word(at), words::word(at + 1), words::word(at + 2), words::word(at + 3));
  }
}

// A column of blocks for each array: 2^20 threads in blocks of 256, 64 elements a thread. One sum is written for a warp.
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    stride_read(const Vector<STRIDE_INTS>::Type* __restrict__ buffer, int shift, Word* __restrict__ sums) {
  const Word id = blockIdx.x * kThreads + threadIdx.x;
  const Long array = (Long(gridDim.x) * kThreads << kOrder) * blockIdx.y;
  const Vector<STRIDE_INTS>::Type* from = buffer + array + words::element(id, shift, 0, kOrder);
  const Long apart = Long(1) << shift;
  Word sum = 0;
#pragma unroll 1
  for (int i = 0; i < 1 << kOrder; i += STRIDE_LOADS) {
    Vector<STRIDE_INTS>::Type loaded[STRIDE_LOADS];
#pragma unroll
    for (int j = 0; j < STRIDE_LOADS; ++j) {
      loaded[j] = *from;
      from += apart;
    }
#pragma unroll
    for (int j = 0; j < STRIDE_LOADS; ++j) sum += folded(loaded[j]);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) sums[(Long(blockIdx.y) * gridDim.x * kThreads + id) / 32] = sum;
}
