// One attempt of Fehlberg's embedded Runge-Kutta pair of orders 7 and 8 on r'' = -r / |r|^3, written once for the
// device and the host: thirteen stages in first-order form, the eighth order propagated, the step control with it.
//
// Stages hold V = h v and F = h^2 a, so that h enters once: a stage is place + sum(a_ij V_j) and V_0 + sum(a_ij F_j),
// one multiply-add a coefficient, coefficients that are zero left out. The last row of the tableau is row 10 less row
// 11 less the first slope plus the eleventh (a test holds the tableau to that), so the last stage takes differences of
// stages that are known, and the error of the place is the difference of the first and the eleventh acceleration.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define RK78_DEVICE 1
#define RK78_INLINE __device__ __forceinline__
#define RK78_FMA(a, b, c) fma((a), (b), (c))
#else
#include <cmath>
#define RK78_INLINE static inline __attribute__((always_inline))
#if defined(RK78_FMA)
// Given by a source that steps vectors of orbits.
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define RK78_FMA(a, b, c) __builtin_fma((a), (b), (c))
#else
// Without the instruction a call into the C library would cost more than the step.
#define RK78_FMA(a, b, c) ((a) * (b) + (c))
#endif
#endif

// What a caller may set otherwise when it compiles.
#ifndef RK78_END
#define RK78_END 64.0
#endif
#ifndef RK78_TOLERANCE
#define RK78_TOLERANCE 1e-10
#endif
#ifndef RK78_MU
#define RK78_MU 1.0
#endif

namespace rk78 {

constexpr double kMu = RK78_MU;         // strength of the pull
constexpr double kEnd = RK78_END;       // t_final
constexpr double kFirst = kEnd < 1.0 ? kEnd : 1.0;  // the first step
constexpr double kTolerance = RK78_TOLERANCE;  // relative and absolute
constexpr int kAttempts = 4000;         // at most
constexpr double kError = 41.0 / 840.0; // of the first and eleventh stage in the error

// Rows 1 to 12: what stage i takes of the slopes before it.
constexpr double kTableau[12][12] = {
    {2.0 / 27},
    {1.0 / 36, 1.0 / 12},
    {1.0 / 24, 0, 1.0 / 8},
    {5.0 / 12, 0, -25.0 / 16, 25.0 / 16},
    {1.0 / 20, 0, 0, 1.0 / 4, 1.0 / 5},
    {-25.0 / 108, 0, 0, 125.0 / 108, -65.0 / 27, 125.0 / 54},
    {31.0 / 300, 0, 0, 0, 61.0 / 225, -2.0 / 9, 13.0 / 900},
    {2.0, 0, 0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3.0},
    {-91.0 / 108, 0, 0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12},
    {2383.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82, 45.0 / 164, 18.0 / 41},
    {3.0 / 205, 0, 0, 0, 0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41, 0},
    {-1777.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82, 33.0 / 164, 12.0 / 41, 0,
     1.0},
};
// Of the slopes in the propagated, eighth order.
constexpr double kWeights[13] = {
    0, 0, 0, 0, 0, 34.0 / 105, 9.0 / 35, 9.0 / 35, 9.0 / 280, 9.0 / 280, 0, kError, kError};

// Templates are of the type of a number: a double, on the host also a vector of them, one an orbit.
template <class Real>
struct VecOf {
  Real x, y, z;
};

// One orbit on its way. `step` is cut to what is left of the time; it is zero once the end is reached.
template <class Real>
struct StateOf {
  VecOf<Real> place, speed;
  Real time, step;
};

using Vec = VecOf<double>;
using State = StateOf<double>;

// ---- numbers ----------------------------------------------------------------------------------------------------

template <class Real>
RK78_INLINE VecOf<Real> operator+(VecOf<Real> a, VecOf<Real> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
RK78_INLINE VecOf<Real> operator-(VecOf<Real> a, VecOf<Real> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Factor, class Real>
RK78_INLINE VecOf<Real> operator*(Factor a, VecOf<Real> b) {
  return {a * b.x, a * b.y, a * b.z};
}
template <class Factor, class Real>
RK78_INLINE VecOf<Real> add(Factor a, VecOf<Real> b, VecOf<Real> c) {
  return {RK78_FMA(a, b.x, c.x), RK78_FMA(a, b.y, c.y), RK78_FMA(a, b.z, c.z)};
}

#ifdef RK78_DEVICE
// Numbers that are not negative compare as their bits do, which leaves the FP64 units to the arithmetic. What is not a
// number counts as larger than any.
RK78_INLINE unsigned long long bits(double a) { return (unsigned long long)__double_as_longlong(a) & ~(1ull << 63); }
RK78_INLINE bool larger(double a, double b) { return bits(a) > bits(b); }
RK78_INLINE double magnitude(double a) { return __longlong_as_double((long long)bits(a)); }

RK78_INLINE double reciprocal(double a) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));  // 20 bits; the cube of its error is below rounding
  const double e = fma(-a, y, 1.0);
  return fma(y, fma(e, e, e), y);
}

// |r|^-3 times `factor`, of r.r
RK78_INLINE double cubed_inverse(double square, double factor) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(square));
  const double q = y * y;
  const double e = fma(-square, q, 1.0);
  const double w = q * (y * factor);
  return fma(w * e, fma(1.875, e, 1.5), w);  // (1 - e)^(-3/2)
}

RK78_INLINE double estimate(double x, float exponent) {
  float l, y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(l) : "f"((float)x));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(l * exponent));
  return y;
}
#else
RK78_INLINE bool larger(double a, double b) { return a > b || a != a; }
RK78_INLINE double magnitude(double a) { return std::fabs(a); }
RK78_INLINE double reciprocal(double a) { return 1.0 / a; }
RK78_INLINE double cubed_inverse(double square, double factor) {
  const double y = 1.0 / std::sqrt(square);
  return y * y * (y * factor);
}
RK78_INLINE double estimate(double x, float exponent) { return std::exp2(std::log2((float)x) * exponent); }
#endif

RK78_INLINE double most(double a, double b) { return larger(a, b) ? a : b; }
RK78_INLINE double least(double a, double b) { return larger(a, b) ? b : a; }

// x^(-1/9) where `ninth`, else x^(-1/8), for x in [2^-30, 2^20]: a float's estimate and one step in double whose
// remainder, the cube of the estimate's error, is below rounding.
RK78_INLINE double inverse_root(double x, bool ninth) {
  const double y = estimate(x, ninth ? -1.0f / 9 : -1.0f / 8);
  const double y2 = y * y;
  const double y4 = y2 * y2;
  const double power = y4 * y4 * (ninth ? y : 1.0);
  const double e = RK78_FMA(-x, power, 1.0);  // x = y^-p (1 - e)
  return RK78_FMA(y * e, RK78_FMA(ninth ? 5.0 / 81 : 9.0 / 128, e, ninth ? 1.0 / 9 : 1.0 / 8), y);
}

// By what the step is multiplied: 0.9 ratio^(-1/9 accepted, -1/8 rejected), between a fifth and five.
RK78_INLINE double growth(double ratio, bool accepted) {
  const double x = least(most(ratio, 0x1p-27), 0x1p18);  // beyond them the limits hold anyway; not a number: a fifth
  return least(most(0.9 * inverse_root(x, accepted), 0.2), 5.0);
}

// ---- the attempt ------------------------------------------------------------------------------------------------

// y + sum over j < I of tableau[I][j] k[j]
template <int I, int J = 0, class Real>
RK78_INLINE VecOf<Real> stage(const VecOf<Real>* k, VecOf<Real> y) {
  if constexpr (J < I) {
    if constexpr (kTableau[I - 1][J] != 0.0) y = add(kTableau[I - 1][J], k[J], y);
    return stage<I, J + 1>(k, y);
  } else {
    return y;
  }
}

// y + sum over j in [J, 10] of weights[j] k[j]
template <int J = 5, class Real>
RK78_INLINE VecOf<Real> weighted(const VecOf<Real>* k, VecOf<Real> y) {
  if constexpr (J < 10) {
    return weighted<J + 1>(k, add(kWeights[J], k[J], y));
  } else {
    return y;
  }
}

// h^2 a at a place; `pull` is -mu h^2
template <class Real>
RK78_INLINE VecOf<Real> force(VecOf<Real> r, Real pull) {
  return cubed_inverse(RK78_FMA(r.x, r.x, RK78_FMA(r.y, r.y, r.z * r.z)), pull) * r;
}

template <int I, class Real>
RK78_INLINE void evaluate(const StateOf<Real>& s, Real pull, VecOf<Real>* V, VecOf<Real>* F) {
  const VecOf<Real> r = stage<I>(V, s.place);
  V[I] = stage<I>(F, V[0]);
  F[I] = force(r, pull);
}

// The largest of |error| / scale so far, as its two parts: no division before the last.
RK78_INLINE void largest(double error, double scale, double& over, double& under) {
  const double e = magnitude(error);
  if (larger(e * under, over * scale)) {
    over = e;
    under = scale;
  }
}

// What a step leads to; its error is small enough where `over` is less than `under`.
template <class Real>
struct TrialOf {
  VecOf<Real> place, speed;
  Real over, under;
};

using Trial = TrialOf<double>;

template <class Real>
RK78_INLINE TrialOf<Real> try_step(const StateOf<Real>& s) {
  using Vec = VecOf<Real>;
  const Real h = s.step;
  const Real pull = -kMu * h * h;
  Vec V[12], F[12];
  V[0] = h * s.speed;
  F[0] = force(s.place, pull);
  evaluate<1>(s, pull, V, F);
  evaluate<2>(s, pull, V, F);
  evaluate<3>(s, pull, V, F);
  evaluate<4>(s, pull, V, F);
  evaluate<5>(s, pull, V, F);
  evaluate<6>(s, pull, V, F);
  evaluate<7>(s, pull, V, F);
  evaluate<8>(s, pull, V, F);
  evaluate<9>(s, pull, V, F);
  const Vec r10 = stage<10>(V, s.place);
  V[10] = stage<10>(F, V[0]);
  F[10] = force(r10, pull);
  const Vec r11 = stage<11>(V, s.place);
  V[11] = stage<11>(F, V[0]);
  F[11] = force(r11, pull);
  const Vec off = F[0] - F[11];  // times kError: the error of the place
  const Vec r12 = (r10 - r11) + (s.place + (V[11] - V[0]));
  const Vec V12 = (V[10] - V[11]) + (V[0] - off);
  const Vec F12 = force(r12, pull);

  const Vec place = add(kError, V12, add(kError, V[11], weighted(V, s.place)));
  const Vec change = add(kError, F12, add(kError, F[11], weighted<6>(F, kWeights[5] * F[5])));
  const Vec speed = add(reciprocal(h), change, s.speed);
  const Vec off_speed = off + (F[10] - F12);  // times kError: the error of the speed, times h

  // |error| / (atol + rtol max(|new|, |old|)), both parts divided by kError, those of the speed multiplied by h.
  constexpr double scale = kTolerance / kError;
  const Real scale_speed = scale * h;
  Real over = magnitude(off.x);
  Real under = RK78_FMA(scale, most(magnitude(place.x), magnitude(s.place.x)), scale);
  largest(off.y, RK78_FMA(scale, most(magnitude(place.y), magnitude(s.place.y)), scale), over, under);
  largest(off.z, RK78_FMA(scale, most(magnitude(place.z), magnitude(s.place.z)), scale), over, under);
  largest(off_speed.x, RK78_FMA(scale_speed, most(magnitude(speed.x), magnitude(s.speed.x)), scale_speed), over,
          under);
  largest(off_speed.y, RK78_FMA(scale_speed, most(magnitude(speed.y), magnitude(s.speed.y)), scale_speed), over,
          under);
  largest(off_speed.z, RK78_FMA(scale_speed, most(magnitude(speed.z), magnitude(s.speed.z)), scale_speed), over,
          under);
  return {place, speed, over, under};
}

// Try a step; take it if its error is small enough, and choose the next.
RK78_INLINE bool attempt(State& s) {
  const double h = s.step;
  const Trial trial = try_step(s);
  const bool accepted = trial.over < trial.under;
  if (accepted) {
    s.place = trial.place;
    s.speed = trial.speed;
    s.time += h;
  }
  const double ratio = magnitude(trial.over * reciprocal(trial.under));
  s.step = least(h * growth(ratio, accepted), kEnd - s.time);
  return accepted;
}

// Try a step and count it; an orbit out of attempts stops where it is.
RK78_INLINE void advance(State& s, int& accepted, int& rejected) {
  if (attempt(s)) {
    ++accepted;
  } else {
    ++rejected;
  }
  if (accepted + rejected >= kAttempts) s.step = 0.0;
}

}  // namespace rk78
