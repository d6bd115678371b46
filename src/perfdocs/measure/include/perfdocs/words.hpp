// Random words that are known from their place, for kernels and for the host; perfdocs.measure.words has them in NumPy.
#pragma once

#ifdef __CUDACC__
#define PERFDOCS_BOTH __device__ __forceinline__
#define PERFDOCS_EACH _Pragma("unroll")
#else
#include <cstring>
#define PERFDOCS_BOTH inline
#define PERFDOCS_EACH _Pragma("GCC unroll 64")
#endif

namespace perfdocs {

using u32 = unsigned int;
using u64 = unsigned long long;

// An integer hash with little bias: https://github.com/skeeto/hash-prospector
PERFDOCS_BOTH u32 mixed(u32 i) {
  i = (i ^ (i >> 16)) * 0x21f0aaadu;
  i = (i ^ (i >> 15)) * 0x735a2d97u;
  return i ^ (i >> 15);
}

constexpr int kPeriodBits = 20;
constexpr u32 kPeriod = 1u << kPeriodBits;

// The word at the place i. The random bits repeat every kPeriod words but for what tells the periods apart: sums over
// whole buffers have a closed form, and a period that is read in another's place shows.
PERFDOCS_BOTH u32 word_at(u64 i) { return mixed(u32(i) & (kPeriod - 1)) + u32(i >> kPeriodBits) * 0x9e3779b9u; }

// So many byte, 4, 8, 16 or more, aligned so that a GPU moves them by one instruction, or by those of 16 byte.
template <int Bytes>
struct alignas(Bytes < 16 ? Bytes : 16) Vector {
  u32 words[Bytes / 4];
};

// The sum of an element's words.
template <class T>
PERFDOCS_BOTH u32 folded(const T& x) {
  constexpr int kWords = sizeof(T) / 4;
  u32 words[kWords], sum = 0;
  memcpy(words, &x, sizeof x);
  PERFDOCS_EACH
  for (int w = 0; w < kWords; ++w) sum += words[w];
  return sum;
}

}  // namespace perfdocs
