// The same walk by threads of the host: each takes a part of the 2^20 threads of the device, in order, and does the 64
// loads of each one after the other. `cpus` is a processor for each thread, or null.
#include "words.hpp"

#include <cstdint>

#include <perfdocs/pin.hpp>

namespace {

using perfdocs::u32;
using perfdocs::u64;

constexpr int kOrder = 6;

template <int kInts>
u32 walked(const u32* from, u64 apart) {
  u32 sum = 0;
  for (int i = 0; i < 1 << kOrder; ++i) {
    for (int word = 0; word < kInts; ++word) sum += from[u64(i) * apart * kInts + word];
  }
  return sum;
}

template <int kInts>
void read(const u32* buffer, int shift, u32* sums, std::int64_t items, int threads, const int* cpus) {
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t warp = 0; warp < items / 32; ++warp) {
      u32 sum = 0;
      for (int lane = 0; lane < 32; ++lane) {
        const u32* from = buffer + words::element(u32(32 * warp + lane), shift, 0, kOrder) * kInts;
        sum += shift == 0 ? walked<kInts>(from, 1) : walked<kInts>(from, u64(1) << shift);
      }
      sums[warp] = sum;
    }
  }
}

}  // namespace

extern "C" void stride_read(const u32* buffer, int ints, int shift, u32* sums, std::int64_t items, int threads,
                            const int* cpus) {
  const auto call = ints == 1 ? read<1> : ints == 2 ? read<2> : read<4>;
  call(buffer, shift, sums, items, threads, cpus);
}

extern "C" void stride_fill(u32* buffer, std::int64_t count, int threads, const int* cpus) {
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) buffer[i] = perfdocs::word_at(u64(i));
  }
}
