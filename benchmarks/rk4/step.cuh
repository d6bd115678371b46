// One classical Runge-Kutta step of x'' = -(2 zeta omega) x' - omega^2 x, written once for the device and the host.
//
// All four stages are evaluated every step. `damping` is -2 zeta omega (1/s), `stiffness` is -omega^2 (1/s^2); both are
// constants of the sample. The order of the sums is chosen for a short chain of dependent operations: everything that
// does not need the newest stage is added before it arrives, so a step is eight dependent multiply-adds long.
#pragma once

#ifndef RK4_REAL
#define RK4_REAL double
#endif
typedef RK4_REAL real;

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define RK4_INLINE __device__ __forceinline__
#define RK4_FMA(a, b, c) fma((a), (b), (c))
#else
#define RK4_INLINE static inline __attribute__((always_inline))
#if defined(RK4_FMA)
// Given by a source whose real is a type of its own.
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define RK4_FMA(a, b, c) __builtin_fma((a), (b), (c))
#else
// Without the instruction a call into the C library would cost more than the step.
#define RK4_FMA(a, b, c) ((a) * (b) + (c))
#endif
#endif

namespace rk4 {

constexpr real kStep = real(0.01);  // s
constexpr real kHalf = kStep / 2;
constexpr real kThird = kStep / 3;
constexpr real kSixth = kStep / 6;

RK4_INLINE real acceleration(real x, real v, real damping, real stiffness) {
  return RK4_FMA(damping, v, stiffness * x);
}

RK4_INLINE void step(real& x, real& v, real damping, real stiffness) {
  const real a1 = acceleration(x, v, damping, stiffness);
  const real v2 = RK4_FMA(kHalf, a1, v);
  const real x2 = RK4_FMA(kHalf, v, x);
  const real a2 = acceleration(x2, v2, damping, stiffness);
  const real v3 = RK4_FMA(kHalf, a2, v);
  const real x3 = RK4_FMA(kHalf, v2, x);
  const real a3 = acceleration(x3, v3, damping, stiffness);
  const real v4 = RK4_FMA(kStep, a3, v);
  const real x4 = RK4_FMA(kStep, v3, x);
  const real a4 = acceleration(x4, v4, damping, stiffness);
  x = RK4_FMA(kSixth, v4, RK4_FMA(kThird, v3, RK4_FMA(kThird, v2, RK4_FMA(kSixth, v, x))));
  v = RK4_FMA(kSixth, a4, RK4_FMA(kThird, a3, RK4_FMA(kThird, a2, RK4_FMA(kSixth, a1, v))));
}

}  // namespace rk4
