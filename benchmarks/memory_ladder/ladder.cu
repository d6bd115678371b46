// The ladder's kernel: nothing but loads, as wide, as far apart and as many at a time as its definitions say.
//   LADDER_WIDTH   byte of one load: 4, 8 or 16
//   LADDER_LOADS   independent loads of a thread in flight
//   LADDER_STRIDE  vector elements between a thread's consecutive loads
//   LADDER_BLOCKS  of the largest size that an SM is to hold at once, where it can hold two
#include "contents.hpp"

using contents::Long;
using contents::Word;

constexpr int kThreads = 1024;  // the largest block
#if __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030
constexpr int kBlocks = LADDER_BLOCKS;
#else  // fewer than 64 warps an SM
constexpr int kBlocks = 1;
#endif

template <int kWidth>
struct Vector;
template <>
struct Vector<4> {
  using Type = uint1;
};
template <>
struct Vector<8> {
  using Type = uint2;
};
template <>
struct Vector<16> {
  using Type = uint4;
};

__device__ __forceinline__ Word folded(uint1 v) { return v.x; }
__device__ __forceinline__ Word folded(uint2 v) { return v.x + v.y; }
__device__ __forceinline__ Word folded(uint4 v) { return v.x + v.y + v.z + v.w; }

extern "C" __global__ void __launch_bounds__(kThreads) ladder_fill(uint4* buffer, Long count) {
  const Long step = Long(gridDim.x) * blockDim.x;
  for (Long i = Long(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const Long at = 4 * i;
    buffer[i] = make_uint4(contents::word(at), contents::word(at + 1), contents::word(at + 2), contents::word(at + 3));
  }
}

// Access number e reads from byte x mod 2^shift + 128 * (x / 2^shift mod (last + 1)) where x = e * stride * width: with
// 2^shift byte behind it, it begins again, one line of 128 byte further on. Access e = (k * T + t) * loads + j is load
// j of round k of thread t of T. `end` is the x that is no longer read. What each thread read is summed into `sums`.
// Were the blocks not said, the compiler would spare registers, and add up the first words before the last load.
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    ladder_read(const char* __restrict__ buffer, Long end, int shift, Long last, Word* __restrict__ sums) {
  using Loaded = Vector<LADDER_WIDTH>::Type;
  constexpr int kApart = LADDER_STRIDE * LADDER_WIDTH;
  const Long thread = Long(blockIdx.x) * blockDim.x + threadIdx.x;
  const Long step = Long(gridDim.x) * blockDim.x * (LADDER_LOADS * kApart);
  const Long inside = (1ull << shift) - 1;
  Word sum = 0;
#pragma unroll 1  // one round more would be more loads in flight than LADDER_LOADS
  for (Long x = thread * (LADDER_LOADS * kApart); x < end; x += step) {
    const char* from = buffer + (x & inside) + ((x >> shift & last) << 7);
    Loaded loaded[LADDER_LOADS];
#pragma unroll
    for (int j = 0; j < LADDER_LOADS; ++j) loaded[j] = *reinterpret_cast<const Loaded*>(from + j * kApart);
#pragma unroll
    for (int j = 0; j < LADDER_LOADS; ++j) sum += folded(loaded[j]);
  }
  sums[thread] = sum;
}
