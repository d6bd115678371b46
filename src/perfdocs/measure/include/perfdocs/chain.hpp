// Elements of random words and chains of multiply-adds, for kernels and for the host. perfdocs.measure.chains knows in
// NumPy what the words are and where a chain ends.
#pragma once

#include "words.hpp"

#ifdef __CUDACC__
#define PERFDOCS_PAIRS _Pragma("unroll Pairs")
#else
#define PERFDOCS_PAIRS
#endif

namespace perfdocs {

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
