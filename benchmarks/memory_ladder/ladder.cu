// The ladder's kernel: nothing but loads, as wide, as far apart and as many at a time as its definitions say.
//   LADDER_WIDTH   byte of one load: 4, 8 or 16
//   LADDER_LOADS   independent loads of a thread in flight
//   LADDER_STRIDE  vector elements between a thread's consecutive loads
//   LADDER_BLOCKS  of the largest size that an SM is to hold at once, where it can hold two
#include <perfdocs/words.hpp>

using perfdocs::u32;
using perfdocs::u64;
using perfdocs::word_at;

constexpr int kThreads = 1024;  // the largest block
#if __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030
constexpr int kBlocks = LADDER_BLOCKS;
#else  // fewer than 64 warps an SM
constexpr int kBlocks = 1;
#endif

extern "C" __global__ void __launch_bounds__(kThreads) ladder_fill(perfdocs::Vector<16>* buffer, u64 count) {
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const u64 at = 4 * i;
    buffer[i] = {{word_at(at), word_at(at + 1), word_at(at + 2), word_at(at + 3)}};
  }
}

// Access number e reads from byte x mod 2^shift + 128 * (x / 2^shift mod (last + 1)) where x = e * stride * width: with
// 2^shift byte behind it, it begins again, one line of 128 byte further on. Access e = (k * T + t) * loads + j is load
// j of round k of thread t of T. `end` is the x that is no longer read. What each thread read is summed into `sums`.
// Were the blocks not said, the compiler would spare registers, and add up the first words before the last load.
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    ladder_read(const char* __restrict__ buffer, u64 end, int shift, u64 last, u32* __restrict__ sums) {
  using Loaded = perfdocs::Vector<LADDER_WIDTH>;
  constexpr int kApart = LADDER_STRIDE * LADDER_WIDTH;
  const u64 thread = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  const u64 step = u64(gridDim.x) * blockDim.x * (LADDER_LOADS * kApart);
  const u64 inside = (1ull << shift) - 1;
  u32 sum = 0;
#pragma unroll 1  // one round more would be more loads in flight than LADDER_LOADS
  for (u64 x = thread * (LADDER_LOADS * kApart); x < end; x += step) {
    const char* from = buffer + (x & inside) + ((x >> shift & last) << 7);
    Loaded loaded[LADDER_LOADS];
#pragma unroll
    for (int j = 0; j < LADDER_LOADS; ++j) loaded[j] = *reinterpret_cast<const Loaded*>(from + j * kApart);
#pragma unroll
    for (int j = 0; j < LADDER_LOADS; ++j) sum += perfdocs::folded(loaded[j]);
  }
  sums[thread] = sum;
}
