// Random words and chains of multiply-adds, for kernels and for the host. perfdocs.measure.chains knows in NumPy what the
// words are and where a chain ends.
#pragma once

#ifdef __CUDACC__
#define PERFDOCS_BOTH __device__ __forceinline__
#define PERFDOCS_EACH _Pragma("unroll")
#define PERFDOCS_PAIRS _Pragma("unroll Pairs")
#else
#include <cstring>
#define PERFDOCS_BOTH inline
#define PERFDOCS_EACH _Pragma("GCC unroll 64")
#define PERFDOCS_PAIRS
#endif

namespace perfdocs {

using u32 = unsigned int;

// An integer hash with little bias: https://github.com/skeeto/hash-prospector
PERFDOCS_BOTH u32 mixed(u32 i) {
  i = (i ^ (i >> 16)) * 0x21f0aaadu;
  i = (i ^ (i >> 15)) * 0x735a2d97u;
  return i ^ (i >> 15);
}

// What a word at an even and at an odd place is: the bits of `mask` random, `base` added.
struct Bits {
  u32 even_mask, even_base, odd_mask, odd_base;
};

PERFDOCS_BOTH u32 word(u32 i, Bits bits) {
  return i & 1 ? (mixed(i) & bits.odd_mask) + bits.odd_base : (mixed(i) & bits.even_mask) + bits.even_base;
}

// The element whose first word stands at the place `i`.
template <class T>
PERFDOCS_BOTH T element(u32 i, Bits bits) {
  constexpr int kWords = sizeof(T) / 4;
  u32 words[kWords];
  PERFDOCS_EACH
  for (int w = 0; w < kWords; ++w) words[w] = word(i + w, bits);
  T x;
  memcpy(&x, words, sizeof x);
  return x;
}

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

// One instruction for every type: compilers contract it where there is one.
template <class T>
PERFDOCS_BOTH T multiply_add(T x, T a, T b) {
  return x * a + b;
}

#ifdef __CUDACC__
// Two halves in one register. By assembly, so that no header of CUDA is needed.
struct HalfPair {
  u32 bits;
};

PERFDOCS_BOTH HalfPair multiply_add(HalfPair x, HalfPair a, HalfPair b) {
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(x.bits) : "r"(x.bits), "r"(a.bits), "r"(b.bits));
  return x;
}
#endif

// `steps` multiply-adds of each of several chains that do not wait for one another: x·a + first, then x·a + second, and
// so on in turn. `Pairs` of them stand in the loop's body on a GPU.
template <int Pairs, int Chains, class T>
PERFDOCS_BOTH void advance(T (&x)[Chains], u32 steps, T a, T first, T second) {
  PERFDOCS_PAIRS
  for (u32 pair = 0; pair < steps / 2; ++pair) {
    PERFDOCS_EACH
    for (int c = 0; c < Chains; ++c) x[c] = multiply_add(x[c], a, first);
    PERFDOCS_EACH
    for (int c = 0; c < Chains; ++c) x[c] = multiply_add(x[c], a, second);
  }
  if (steps & 1) {
    PERFDOCS_EACH
    for (int c = 0; c < Chains; ++c) x[c] = multiply_add(x[c], a, first);
  }
}

}  // namespace perfdocs
