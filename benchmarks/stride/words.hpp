// What the buffer holds: random words that any part can be computed from, on the device and on the host.
#pragma once

#ifdef __CUDACC__
#define STRIDE_BOTH __device__ __forceinline__
#else
#define STRIDE_BOTH inline
#endif

namespace words {

using Word = unsigned int;
using Long = unsigned long long;

constexpr int kPeriodBits = 20;

// Wellons' lowbias32: every bit of the result depends on every bit of x.
STRIDE_BOTH Word mix(Word x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// Word i: random bits that repeat every 2^20 words, but for what tells these periods apart.
STRIDE_BOTH Word word(Long i) {
  return mix(Word(i) & ((1u << kPeriodBits) - 1)) + Word(i >> kPeriodBits) * 0x9e3779b9u;
}

// The element that thread `id` reads i-th at a stride of 2^shift, of 2^order a thread: the bits that count i stand above
// the lowest `shift` bits of the address, and those of the thread around them.
STRIDE_BOTH Long element(Word id, int shift, Word i, int order) {
  const Word low = id & ((1u << shift) - 1);
  return Long(id ^ low) << order | Long(i) << shift | low;
}

}  // namespace words
