// BabelStream's five kernels on the host's threads, each with a part of the arrays that it also filled.
// Arrays are aligned to 64 byte and hold a multiple of 64 elements. `cpus` is a processor for each thread, or null.
#include "contents.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstdint>

#include <perfdocs/pin.hpp>

namespace {

#if defined(__AVX512F__)
constexpr int kVectorByte = 64;
#elif defined(__AVX__)
constexpr int kVectorByte = 32;
#else
constexpr int kVectorByte = 16;
#endif
constexpr int kLanes = kVectorByte / int(sizeof(double));
constexpr int kChains = 4;  // independent sums of a dot product, to hide the latency of an addition

using Vector = double __attribute__((vector_size(kVectorByte), may_alias));

struct Ordinary {
  static void put(Vector* to, Vector value) { *to = value; }
  static void end() {}
};

// Past the caches: a line that is written whole need not be read first. Ordinary stores where there are no others.
struct Streaming {
  static void put(Vector* to, Vector value) {
#if defined(__AVX512F__)
    _mm512_stream_pd(reinterpret_cast<double*>(to), __m512d(value));
#elif defined(__AVX__)
    _mm256_stream_pd(reinterpret_cast<double*>(to), __m256d(value));
#elif defined(__SSE2__)
    _mm_stream_pd(reinterpret_cast<double*>(to), __m128d(value));
#else
    *to = value;
#endif
  }
  static void end() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }
};

template <typename Store, typename Operation>
void elementwise(const double* x, const double* y, double* z, std::int64_t n, int threads, const int* cpus,
                 Operation operation) {
  const auto* a = reinterpret_cast<const Vector*>(x);
  const auto* b = reinterpret_cast<const Vector*>(y);
  auto* c = reinterpret_cast<Vector*>(z);
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n / kLanes; ++i) Store::put(c + i, operation(a, b, i));
    Store::end();
  }
}

template <typename Store>
void triad(const double* x, const double* y, double* z, double scalar, std::int64_t n, int threads, const int* cpus) {
  elementwise<Store>(x, y, z, n, threads, cpus, [scalar](const Vector* a, const Vector* b, std::int64_t i) {
    return a[i] + scalar * b[i];
  });
}

}  // namespace

#define STREAM_ARGUMENTS const double *x, const double *y, double *z, double scalar, std::int64_t n, int threads, const int *cpus

extern "C" void stream_copy(STREAM_ARGUMENTS) {
  (void)scalar;
  elementwise<Streaming>(x, y, z, n, threads, cpus, [](const Vector* a, const Vector*, std::int64_t i) { return a[i]; });
}

extern "C" void stream_scale(STREAM_ARGUMENTS) {
  elementwise<Streaming>(x, y, z, n, threads, cpus,
                         [scalar](const Vector* a, const Vector*, std::int64_t i) { return scalar * a[i]; });
}

extern "C" void stream_add(STREAM_ARGUMENTS) {
  (void)scalar;
  elementwise<Streaming>(x, y, z, n, threads, cpus,
                         [](const Vector* a, const Vector* b, std::int64_t i) { return a[i] + b[i]; });
}

extern "C" void stream_triad(STREAM_ARGUMENTS) { triad<Streaming>(x, y, z, scalar, n, threads, cpus); }

extern "C" void stream_triad_ordinary(STREAM_ARGUMENTS) { triad<Ordinary>(x, y, z, scalar, n, threads, cpus); }

extern "C" double stream_dot(const double* x, const double* y, std::int64_t n, int threads, const int* cpus) {
  const auto* a = reinterpret_cast<const Vector*>(x);
  const auto* b = reinterpret_cast<const Vector*>(y);
  double total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
    const perfdocs::Pinned pinned(cpus);
    Vector sums[kChains] = {};
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n / (kChains * kLanes); ++i) {
      for (int chain = 0; chain < kChains; ++chain) sums[chain] += a[i * kChains + chain] * b[i * kChains + chain];
    }
    for (const Vector& sum : sums) {
      for (int lane = 0; lane < kLanes; ++lane) total += sum[lane];
    }
  }
  return total;
}

extern "C" void stream_fill(double* x, double* y, double* z, std::int64_t n, int threads, const int* cpus) {
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      x[i] = contents::real(perfdocs::u64(i), 0);
      y[i] = contents::real(perfdocs::u64(i), 1);
      z[i] = 0;
    }
  }
}
