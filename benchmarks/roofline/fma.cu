// Every element is loaded once and goes through a chain of multiply-adds.
#include <perfdocs/chain.hpp>

using perfdocs::u32;
using perfdocs::u64;

#ifndef ROOFLINE_TYPE
#define ROOFLINE_TYPE float
#endif
#ifndef ROOFLINE_LOADS
#define ROOFLINE_LOADS 4  // 16-byte loads that a thread has on their way
#endif
#ifndef ROOFLINE_THREADS
#define ROOFLINE_THREADS 256  // a block
#endif
#ifndef ROOFLINE_BLOCKS
#define ROOFLINE_BLOCKS 4  // blocks an SM that the registers must leave room for
#endif
#ifndef ROOFLINE_PAIRS
#define ROOFLINE_PAIRS 8  // pairs of steps in the loop's body
#endif

extern "C" __global__ void roofline_fill(u32* data, u64 words, u32 even_mask, u32 even_base, u32 odd_mask,
                                         u32 odd_base) {
  const perfdocs::Bits bits = {even_mask, even_base, odd_mask, odd_base};
  const u64 threads = gridDim.x * blockDim.x;
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads) data[i] = perfdocs::word((u32)i, bits);
}

// A thread takes every vector of 16 byte whose number is its own modulo the threads, `rounds` times some of them at
// once, `passes` times over. sums[t] is that of the words at the ends of the chains of thread t.
extern "C" __global__ __launch_bounds__(ROOFLINE_THREADS, ROOFLINE_BLOCKS) void roofline_fma(
    const uint4* __restrict__ data, u32 rounds, u32 passes, u32 steps, ROOFLINE_TYPE a, ROOFLINE_TYPE first,
    ROOFLINE_TYPE second, u32* sums) {
  constexpr int kVector = 16 / sizeof(ROOFLINE_TYPE);
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  const u64 threads = gridDim.x * blockDim.x;
  u32 sum = 0;
  for (u32 pass = 0; pass < passes; ++pass) {
    u64 at = thread;
#pragma unroll 1
    for (u32 round = 0; round < rounds; ++round, at += ROOFLINE_LOADS * threads) {
      uint4 loaded[ROOFLINE_LOADS];
#pragma unroll
      for (int i = 0; i < ROOFLINE_LOADS; ++i) loaded[i] = data[at + i * threads];
      ROOFLINE_TYPE x[ROOFLINE_LOADS * kVector];
#pragma unroll
      for (int i = 0; i < ROOFLINE_LOADS; ++i) memcpy(&x[i * kVector], &loaded[i], 16);
      perfdocs::advance<ROOFLINE_PAIRS>(x, steps, a, first, second);
#pragma unroll
      for (int c = 0; c < ROOFLINE_LOADS * kVector; ++c) sum += perfdocs::folded(x[c]);
    }
  }
  sums[thread] = sum;
}
