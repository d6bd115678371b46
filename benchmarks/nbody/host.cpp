// All pairs on the host: threads over bodies, vectors of bodies that share each read of one that pulls them.
#include <cmath>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <perfdocs/pin.hpp>

namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#else
constexpr int kBytes = 32;  // without such registers the compiler makes do with halves
#endif
constexpr int kTogether = 4;  // vectors, so that some compute while others wait

template <class Real>
struct Vector {
  typedef Real type __attribute__((vector_size(kBytes)));
  static constexpr int kLanes = kBytes / sizeof(Real);
};
using Floats = Vector<float>::type;
using Doubles = Vector<double>::type;

// Where no estimate is known.
template <class Real>
inline typename Vector<Real>::type plain_inverse_root(typename Vector<Real>::type x) {
  for (int lane = 0; lane < Vector<Real>::kLanes; ++lane) x[lane] = 1 / std::sqrt(x[lane]);
  return x;
}

// An estimate's error e goes to 3/2 e^2.
template <class Lanes>
inline Lanes newton(Lanes x, Lanes y) {
  return y + y * (0.5f - (0.5f * x) * (y * y));
}

// 1 / sqrt(x) of normal numbers, to about the last place: from the processor's estimate where it has one.
inline Floats inverse_root(Floats x) {
#if defined(__AVX512F__)
  return newton(x, (Floats)_mm512_rsqrt14_ps((__m512)x));
#elif defined(__AVX__)
  return newton(x, (Floats)_mm256_rsqrt_ps((__m256)x));
#else
  return plain_inverse_root<float>(x);
#endif
}

inline Doubles inverse_root(Doubles x) {
#if defined(__AVX512F__)
  return newton(x, newton(x, (Doubles)_mm512_rsqrt14_pd((__m512d)x)));
#elif defined(__AVX__)
  const __m256d estimate = _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps((__m256d)x)));
  return newton(x, newton(x, newton(x, (Doubles)estimate)));
#else
  return plain_inverse_root<double>(x);
#endif
}

template <class Real>
void accelerate(int n, const Real* bodies, Real softening, Real* out, int threads, const int* cpus) {
  using Lanes = typename Vector<Real>::type;
  constexpr int kLanes = Vector<Real>::kLanes, kHeld = kTogether * kLanes;
  const Real *x = bodies, *y = x + n, *z = y + n, *mass = z + n;
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(dynamic)
    for (int first = 0; first < n; first += kHeld) {
      Lanes px[kTogether], py[kTogether], pz[kTogether], ax[kTogether] = {}, ay[kTogether] = {}, az[kTogether] = {};
      for (int k = 0; k < kHeld; ++k) {
        px[k / kLanes][k % kLanes] = x[first + k];
        py[k / kLanes][k % kLanes] = y[first + k];
        pz[k / kLanes][k % kLanes] = z[first + k];
      }
      for (int j = 0; j < n; ++j) {
        for (int v = 0; v < kTogether; ++v) {
          const Lanes dx = x[j] - px[v], dy = y[j] - py[v], dz = z[j] - pz[v];
          const Lanes inverse = inverse_root(dx * dx + (dy * dy + (dz * dz + softening)));
          const Lanes strength = (mass[j] * inverse) * (inverse * inverse);
          ax[v] += strength * dx;
          ay[v] += strength * dy;
          az[v] += strength * dz;
        }
      }
      for (int k = 0; k < kHeld; ++k) {
        out[first + k] = ax[k / kLanes][k % kLanes];
        out[n + first + k] = ay[k / kLanes][k % kLanes];
        out[2 * n + first + k] = az[k / kLanes][k % kLanes];
      }
    }
  }
}

}  // namespace

// `bodies` is four planes of n (place, mass), `out` three (acceleration); n is a multiple of 64; `cpus` is a processor
// for each thread, or null.
extern "C" void nbody_fp32(int n, const float* bodies, float softening, float* out, int threads, const int* cpus) {
  accelerate(n, bodies, softening, out, threads, cpus);
}

extern "C" void nbody_fp64(int n, const double* bodies, double softening, double* out, int threads, const int* cpus) {
  accelerate(n, bodies, softening, out, threads, cpus);
}
