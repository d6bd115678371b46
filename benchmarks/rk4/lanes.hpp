// A vector of doubles as the `real` of step.cuh: the same step over as many samples as the vector has lanes.
//
// The multiply-adds are fused exactly where those of the scalar step are, so both make the same bits.
#pragma once

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_FMA) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstdint>

#ifndef RK4_VECTOR_BYTE
#if defined(__AVX512F__)
#define RK4_VECTOR_BYTE 64
#elif defined(__AVX__)
#define RK4_VECTOR_BYTE 32
#else
#define RK4_VECTOR_BYTE 16
#endif
#endif

namespace rk4 {

constexpr int kWidth = RK4_VECTOR_BYTE / 8;  // doubles of a vector
typedef double Doubles __attribute__((vector_size(RK4_VECTOR_BYTE)));

struct Lanes {
  Doubles each;

  Lanes() = default;
  constexpr Lanes(Doubles values) : each(values) {}
  constexpr explicit Lanes(double all) : each(all - Doubles{}) {}
};

static inline __attribute__((always_inline)) Lanes operator*(Lanes a, Lanes b) { return a.each * b.each; }

constexpr Lanes operator/(Lanes a, int b) { return a.each / double(b); }

static inline __attribute__((always_inline)) Lanes fused(Lanes a, Lanes b, Lanes c) {
#if defined(__FMA__) && defined(__AVX512F__) && RK4_VECTOR_BYTE == 64
  return Doubles(_mm512_fmadd_pd(__m512d(a.each), __m512d(b.each), __m512d(c.each)));
#elif defined(__FMA__) && RK4_VECTOR_BYTE == 32
  return Doubles(_mm256_fmadd_pd(__m256d(a.each), __m256d(b.each), __m256d(c.each)));
#elif defined(__FMA__) && RK4_VECTOR_BYTE == 16
  return Doubles(_mm_fmadd_pd(__m128d(a.each), __m128d(b.each), __m128d(c.each)));
#elif defined(__FMA__)
  Doubles out;
  for (int i = 0; i < kWidth; ++i) out[i] = __builtin_fma(a.each[i], b.each[i], c.each[i]);
  return out;
#elif defined(__ARM_FEATURE_FMA) && defined(__aarch64__) && RK4_VECTOR_BYTE == 16
  return Doubles(vfmaq_f64(float64x2_t(c.each), float64x2_t(a.each), float64x2_t(b.each)));
#else
  return a.each * b.each + c.each;
#endif
}

}  // namespace rk4

#define RK4_REAL rk4::Lanes
#define RK4_FMA(a, b, c) rk4::fused((a), (b), (c))
