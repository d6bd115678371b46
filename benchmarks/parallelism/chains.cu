// Chains of multiply-adds in registers, so many a thread.
#include <perfdocs/chain.hpp>

using perfdocs::u32;

#ifndef PARALLELISM_TYPE
#define PARALLELISM_TYPE float
#endif
#ifndef PARALLELISM_CHAINS
#define PARALLELISM_CHAINS 8  // a thread
#endif
#ifndef PARALLELISM_BODY
#define PARALLELISM_BODY 256  // multiply-adds in the loop's body
#endif

typedef PARALLELISM_TYPE Real;

// sums[t] is that of the words at the ends of thread t's chains.
extern "C" __global__ __launch_bounds__(1024) void parallelism_chains(u32 steps, u32 even_mask, u32 even_base,
                                                                      u32 odd_mask, u32 odd_base, Real a, Real first,
                                                                      Real second, u32* sums) {
  const perfdocs::Bits bits = {even_mask, even_base, odd_mask, odd_base};
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  Real x[PARALLELISM_CHAINS];
#pragma unroll
  for (int c = 0; c < PARALLELISM_CHAINS; ++c)
    x[c] = perfdocs::element<Real>((thread * PARALLELISM_CHAINS + c) * (sizeof(Real) / 4), bits);
  perfdocs::advance<PARALLELISM_BODY / 2 / PARALLELISM_CHAINS>(x, steps, a, first, second);
  u32 sum = 0;
#pragma unroll
  for (int c = 0; c < PARALLELISM_CHAINS; ++c) sum += perfdocs::folded(x[c]);
  sums[thread] = sum;
}

// The cycles that one warp takes for a chain: each step waits for the one before.
extern "C" __global__ __launch_bounds__(32) void parallelism_latency(u32 steps, u32 even_mask, u32 even_base,
                                                                     u32 odd_mask, u32 odd_base, Real a, Real first,
                                                                     Real second, u32* sum, long long* cycles) {
  const perfdocs::Bits bits = {even_mask, even_base, odd_mask, odd_base};
  Real x[1] = {perfdocs::element<Real>(threadIdx.x * (sizeof(Real) / 4), bits)};
  const long long begin = clock64();
  perfdocs::advance<PARALLELISM_BODY / 2>(x, steps, a, first, second);
  u32 word = perfdocs::folded(x[0]);
  asm volatile("" : "+r"(word));  // it is there before the clock is read again
  const long long end = clock64();
  sum[threadIdx.x] = word;
  if (threadIdx.x == 0) *cycles = end - begin;
}
