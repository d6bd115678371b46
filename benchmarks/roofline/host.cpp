// Every element is loaded once and goes through a chain of multiply-adds, on the host's threads.
#include <cstdint>

#include <perfdocs/chain.hpp>
#include <perfdocs/pin.hpp>

using perfdocs::u32;

namespace {

#if defined(__AVX512F__)
constexpr int kRegister = 64;  // byte of a vector register
#elif defined(__AVX__)
constexpr int kRegister = 32;
#else
constexpr int kRegister = 16;
#endif
constexpr int kHeld = 8;  // vectors that a thread carries on: two units, each of some four cycles

template <class T>
using Vector __attribute__((vector_size(kRegister))) = T;

template <class T>
void fma(std::int64_t parts, std::int64_t words, const u32* data, u32 steps, const void* constants, u32* sums,
         int threads, const int* cpus) {
  using V = Vector<T>;
  using U = Vector<u32>;
  T given[3];
  std::memcpy(given, constants, sizeof given);
  const V a = given[0] - V{}, first = given[1] - V{}, second = given[2] - V{};
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t part = 0; part < parts; ++part) {
      const char* at = reinterpret_cast<const char*>(data + part * words);
      U sum{};
      for (std::int64_t byte = 0; byte < 4 * words; byte += kHeld * kRegister) {
        V x[kHeld];
        PERFDOCS_EACH
        for (int c = 0; c < kHeld; ++c) std::memcpy(&x[c], at + byte + c * kRegister, kRegister);
        perfdocs::advance<1>(x, steps, a, first, second);
        PERFDOCS_EACH
        for (int c = 0; c < kHeld; ++c) sum += reinterpret_cast<U>(x[c]);
      }
      sums[part] = perfdocs::folded(sum);
    }
  }
}

}  // namespace

// `cpus` is a processor for each thread, or null, here and below.
extern "C" void roofline_fill(std::int64_t words, const u32* bits, u32* data, int threads, const int* cpus) {
  const perfdocs::Bits of = {bits[0], bits[1], bits[2], bits[3]};
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < words; ++i) data[i] = perfdocs::word(u32(i), of);
  }
}

// `type` is 0 for float, 1 for double, 2 for unsigned. Each of `parts` parts of `words` words is one piece of memory;
// sums[p] is that of the words at the ends of its chains.
extern "C" void roofline_fma(int type, std::int64_t parts, std::int64_t words, const u32* data, u32 steps,
                             const void* constants, u32* sums, int threads, const int* cpus) {
  if (type == 0) fma<float>(parts, words, data, steps, constants, sums, threads, cpus);
  if (type == 1) fma<double>(parts, words, data, steps, constants, sums, threads, cpus);
  if (type == 2) fma<u32>(parts, words, data, steps, constants, sums, threads, cpus);
}
