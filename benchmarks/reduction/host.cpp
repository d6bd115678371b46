// The sum on the host, and the numbers, each part of them first touched by the thread that adds it up.
#include <cstdint>

#include <perfdocs/pin.hpp>

// `cpus` is a processor for each thread, or null. n is a power of two.
extern "C" void reduction_fill(std::int64_t n, std::int64_t factor, std::int64_t* numbers, int threads,
                               const int* cpus) {
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) numbers[i] = 1 + ((i * factor) & (n - 1));
  }
}

extern "C" std::int64_t reduction_sum(std::int64_t n, const std::int64_t* numbers, int threads, const int* cpus) {
  std::int64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) sum += numbers[i];
  }
  return sum;
}
