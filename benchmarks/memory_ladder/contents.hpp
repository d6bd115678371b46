// What the buffers hold: random bits that any part of the buffer can be computed from, on the device and on the host.
// They repeat every kPeriod elements but for what tells the periods apart, so that sums over the whole have a closed
// form and a period that is read in another's place shows.
#pragma once

#ifdef __CUDACC__
#define LADDER_BOTH __device__ __forceinline__
#else
#include <cstring>
#define LADDER_BOTH inline
#endif

namespace contents {

using Word = unsigned int;
using Long = unsigned long long;

constexpr int kPeriodBits = 20;
constexpr Word kPeriod = 1u << kPeriodBits;

// Wellons' lowbias32: every bit of the result depends on every bit of x.
LADDER_BOTH Word mix(Word x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// Word i of a buffer of 32-bit words.
LADDER_BOTH Word word(Long i) {
  return mix(Word(i) & (kPeriod - 1)) + Word(i >> kPeriodBits) * 0x9e3779b9u;
}

// Element i of the array `which` (0 or 1) of doubles: 52 random bits in [0.5, 1), times 1 + period / 256.
LADDER_BOTH double real(Long i, Word which) {
  const Word at = 4 * (Word(i) & (kPeriod - 1)) + 2 * which;
  const Long bits = 0x3feull << 52 | Long(mix(at) & 0xfffffu) << 32 | mix(at + 1);
#ifdef __CUDACC__
  const double base = __longlong_as_double((long long)bits);
#else
  double base;
  std::memcpy(&base, &bits, sizeof base);
#endif
  return base * (1.0 + double(i >> kPeriodBits) * 0.00390625);
}

}  // namespace contents
