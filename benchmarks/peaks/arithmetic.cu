// Chains of multiply-adds in registers, so many a thread.
#include <perfdocs/chain.hpp>

using perfdocs::u32;

#ifndef PEAKS_TYPE
#define PEAKS_TYPE float
#endif
#ifndef PEAKS_CHAINS
#define PEAKS_CHAINS 8  // a thread
#endif
#ifndef PEAKS_THREADS
#define PEAKS_THREADS 256  // a block
#endif
#ifndef PEAKS_BLOCKS
#define PEAKS_BLOCKS 4  // blocks an SM that the registers must leave room for
#endif
#ifndef PEAKS_BODY
#define PEAKS_BODY 256  // multiply-adds in the loop's body
#endif

extern "C" __global__ __launch_bounds__(PEAKS_THREADS, PEAKS_BLOCKS) void peaks_chains(
    u32 steps, u32 even_mask, u32 even_base, u32 odd_mask, u32 odd_base, PEAKS_TYPE a, PEAKS_TYPE first,
    PEAKS_TYPE second, u32* sums) {
  const perfdocs::Bits bits = {even_mask, even_base, odd_mask, odd_base};
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int kWords = sizeof(PEAKS_TYPE) / 4;
  PEAKS_TYPE x[PEAKS_CHAINS];
#pragma unroll
  for (int c = 0; c < PEAKS_CHAINS; ++c)
    x[c] = perfdocs::element<PEAKS_TYPE>((thread * PEAKS_CHAINS + c) * kWords, bits);
  perfdocs::advance<PEAKS_BODY / 2 / PEAKS_CHAINS>(x, steps, a, first, second);
  u32 sum = 0;
#pragma unroll
  for (int c = 0; c < PEAKS_CHAINS; ++c) sum += perfdocs::folded(x[c]);
  sums[thread] = sum;
}
