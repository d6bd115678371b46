// Vectors of orbits as the number type of step.cuh: two side by side, so that the long chain of a stage, its force above
// all, finds a second one to overlap with, and a coefficient is loaded once for both.
#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_FMA) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstdint>

#ifndef RK78_VECTOR_BYTE
#if defined(__AVX512F__)
#define RK78_VECTOR_BYTE 64
#elif defined(__AVX__)
#define RK78_VECTOR_BYTE 32
#else
#define RK78_VECTOR_BYTE 16
#endif
#endif
#ifndef RK78_VECTORS
#define RK78_VECTORS 2
#endif
// For every vector of a group.
#define RK78_EACH _Pragma("GCC unroll 8") for (int k = 0; k < kVectors; ++k)
#define RK78_MEMBER inline __attribute__((always_inline))
#define RK78_HIDDEN static RK78_MEMBER

namespace rk78 {

constexpr int kWidth = RK78_VECTOR_BYTE / 8;  // doubles of a vector
constexpr int kVectors = RK78_VECTORS;
constexpr int kLanes = kVectors * kWidth;  // orbits of a group
typedef double Doubles __attribute__((vector_size(RK78_VECTOR_BYTE)));
typedef std::int64_t Longs __attribute__((vector_size(RK78_VECTOR_BYTE)));
typedef std::uint64_t Bits __attribute__((vector_size(RK78_VECTOR_BYTE)));

// ---- one vector

RK78_HIDDEN Doubles all(double a) { return a - Doubles{}; }

RK78_HIDDEN Doubles fused(Doubles a, Doubles b, Doubles c) {
#if defined(__FMA__) && defined(__AVX512F__) && RK78_VECTOR_BYTE == 64
  return Doubles(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
#elif defined(__FMA__) && RK78_VECTOR_BYTE == 32
  return Doubles(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
#elif defined(__FMA__)
  Doubles out;
  for (int i = 0; i < kWidth; ++i) out[i] = __builtin_fma(a[i], b[i], c[i]);
  return out;
#elif defined(__ARM_FEATURE_FMA) && defined(__aarch64__) && RK78_VECTOR_BYTE == 16
  return Doubles(vfmaq_f64(float64x2_t(c), float64x2_t(a), float64x2_t(b)));
#else
  return a * b + c;
#endif
}

RK78_HIDDEN Doubles root(Doubles a) {
#if defined(__AVX512F__) && RK78_VECTOR_BYTE == 64
  return Doubles(_mm512_sqrt_pd(__m512d(a)));
#elif defined(__AVX__) && RK78_VECTOR_BYTE == 32
  return Doubles(_mm256_sqrt_pd(__m256d(a)));
#else
  Doubles out;
  for (int i = 0; i < kWidth; ++i) out[i] = __builtin_sqrt(a[i]);
  return out;
#endif
}

// Estimates with errors up to 2^-14, which the functions below refine: a division or a root would hold its unit for as
// long as a dozen multiply-adds or more take.
#if defined(__AVX512F__) && RK78_VECTOR_BYTE == 64
#undef RK78_ESTIMATES
#define RK78_ESTIMATES 1
RK78_HIDDEN Doubles estimate_reciprocal(Doubles a) { return Doubles(_mm512_rcp14_pd(__m512d(a))); }
RK78_HIDDEN Doubles estimate_inverse_root(Doubles a) { return Doubles(_mm512_rsqrt14_pd(__m512d(a))); }
#elif defined(RK78_ESTIMATES)  // as coarse, for tests on other processors
RK78_HIDDEN Doubles coarse(Doubles a) { return Doubles(Bits(a) & ~((1ull << 38) - 1)); }
RK78_HIDDEN Doubles estimate_reciprocal(Doubles a) { return coarse(1.0 / a); }
RK78_HIDDEN Doubles estimate_inverse_root(Doubles a) { return coarse(1.0 / root(a)); }
#endif

RK78_HIDDEN Doubles reciprocal(Doubles a) {
#ifdef RK78_ESTIMATES
  const Doubles y = estimate_reciprocal(a);
  const Doubles e = fused(-a, y, all(1.0));
  return fused(y, fused(e * e, e, fused(e, e, e)), y);  // 1 / (1 - e) up to e^3
#else
  return 1.0 / a;
#endif
}

// |r|^-3 times `factor`, of r.r
RK78_HIDDEN Doubles cubed_inverse(Doubles square, Doubles factor) {
#ifdef RK78_ESTIMATES
  const Doubles y = estimate_inverse_root(square);
  const Doubles q = y * y;
  const Doubles e = fused(-square, q, all(1.0));
  const Doubles w = q * (y * factor);
  // (1 - e)^(-3/2) up to e^4
  return fused(w * e, fused(e, fused(e, fused(e, all(2.4609375), all(2.1875)), all(1.875)), all(1.5)), w);
#else
  const Doubles y = 1.0 / root(square);
  return y * y * (y * factor);
#endif
}

RK78_HIDDEN Doubles magnitude(Doubles a) { return Doubles(Longs(a) & INT64_MAX); }

RK78_HIDDEN bool some(Longs flags) {
#if defined(__AVX512F__) && RK78_VECTOR_BYTE == 64
  return _mm512_test_epi64_mask(__m512i(flags), __m512i(flags)) != 0;
#elif defined(__AVX__) && RK78_VECTOR_BYTE == 32
  return _mm256_movemask_pd(__m256d(flags)) != 0;
#else
  std::int64_t any = 0;
  for (int i = 0; i < kWidth; ++i) any |= flags[i];
  return any != 0;
#endif
}

// What is not a number counts as larger than any.
RK78_HIDDEN Doubles most(Doubles a, Doubles b) { return a <= b ? b : a; }
RK78_HIDDEN Doubles least(Doubles a, Doubles b) { return a <= b ? a : b; }

// x^(-1/9) where `accepted`, else x^(-1/8), for x in [2^-27, 2^18]. A double's bits, read as a number, are its logarithm
// to the base 2 within a tenth; a share of that, read back, is the root within some 5 %, and each round of three takes
// the error to the third power.
RK78_HIDDEN Doubles inverse_root(Doubles x, Longs accepted) {
  const Doubles exponent = Doubles((Bits(x) >> 52) | Bits(all(0x1p52))) - all(0x1p52 + 1023);
  const Doubles part = Doubles((Bits(x) & 0xfffffffffffff) | Bits(all(1.0)));  // in [1, 2)
  const Doubles share = accepted ? all(1.0 / 9) : all(1.0 / 8);
  const Doubles second = accepted ? all(5.0 / 81) : all(9.0 / 128);
  const Doubles logarithm = fused(share, all(0.957) - (exponent + part), all(1023 - 0.043));
  // Added to 3 * 2^51 a number leaves its whole part in the low bits.
  Doubles y = Doubles(Bits(fused(logarithm, all(0x1p20), all(0x1.8p52))) << 32);
  for (int round = 0; round < 3; ++round) {
    const Doubles y2 = y * y;
    const Doubles y4 = y2 * y2;
    const Doubles power = y4 * y4 * (accepted ? y : all(1.0));
    const Doubles e = fused(-x, power, all(1.0));
    y = fused(y * e, fused(second, e, share), y);
  }
  return y;
}

RK78_HIDDEN Doubles growth(Doubles ratio, Longs accepted) {
  const Doubles x = least(most(ratio, all(0x1p-27)), all(0x1p18));
  return least(most(all(0.9) * inverse_root(x, accepted), all(0.2)), all(5.0));
}

// ---- vectors side by side

struct Lanes {
  Doubles v[kVectors];
  Lanes() = default;
  RK78_MEMBER Lanes(double every) {
    RK78_EACH v[k] = all(every);
  }
};

struct Flags {
  Longs v[kVectors];  // all bits or none
};

RK78_HIDDEN Lanes operator+(Lanes x, Lanes y) {
  Lanes out;
  RK78_EACH out.v[k] = x.v[k] + y.v[k];
  return out;
}
RK78_HIDDEN Lanes operator-(Lanes x, Lanes y) {
  Lanes out;
  RK78_EACH out.v[k] = x.v[k] - y.v[k];
  return out;
}
RK78_HIDDEN Lanes operator*(Lanes x, Lanes y) {
  Lanes out;
  RK78_EACH out.v[k] = x.v[k] * y.v[k];
  return out;
}
RK78_HIDDEN Flags operator<(Lanes x, Lanes y) {
  Flags out;
  RK78_EACH out.v[k] = x.v[k] < y.v[k];
  return out;
}
RK78_HIDDEN Lanes fused(Lanes x, Lanes y, Lanes z) {
  Lanes out;
  RK78_EACH out.v[k] = fused(x.v[k], y.v[k], z.v[k]);
  return out;
}
RK78_HIDDEN Lanes reciprocal(Lanes x) {
  Lanes out;
  RK78_EACH out.v[k] = reciprocal(x.v[k]);
  return out;
}
RK78_HIDDEN Lanes magnitude(Lanes x) {
  Lanes out;
  RK78_EACH out.v[k] = magnitude(x.v[k]);
  return out;
}
RK78_HIDDEN Lanes most(Lanes x, Lanes y) {
  Lanes out;
  RK78_EACH out.v[k] = most(x.v[k], y.v[k]);
  return out;
}
RK78_HIDDEN Lanes least(Lanes x, Lanes y) {
  Lanes out;
  RK78_EACH out.v[k] = least(x.v[k], y.v[k]);
  return out;
}
RK78_HIDDEN Lanes cubed_inverse(Lanes square, Lanes factor) {
  Lanes out;
  RK78_EACH out.v[k] = cubed_inverse(square.v[k], factor.v[k]);
  return out;
}
RK78_HIDDEN Lanes growth(Lanes ratio, Flags accepted) {
  Lanes out;
  RK78_EACH out.v[k] = growth(ratio.v[k], accepted.v[k]);
  return out;
}
RK78_HIDDEN Lanes select(Flags where, Lanes yes, Lanes no) {
  Lanes out;
  RK78_EACH out.v[k] = where.v[k] ? yes.v[k] : no.v[k];
  return out;
}

// See step.cuh.
RK78_HIDDEN void largest(Lanes error, Lanes scale, Lanes& over, Lanes& under) {
  RK78_EACH {
    const Doubles e = magnitude(error.v[k]);
    const Longs keep = e * under.v[k] <= over.v[k] * scale.v[k];
    over.v[k] = keep ? over.v[k] : e;
    under.v[k] = keep ? under.v[k] : scale.v[k];
  }
}

RK78_HIDDEN double fused(double a, double b, double c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace rk78

#define RK78_FMA(a, b, c) rk78::fused((a), (b), (c))
