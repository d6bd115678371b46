// The host's arms: memory, arithmetic, the cost of a team of threads, atomics. Compiled so that the vectors are as wide as
// they are written.
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

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
constexpr int kChains = 12;  // vector registers that a thread carries on: with the constants they all find room

template <class T, int Lanes>
struct Vector {
  typedef T Type __attribute__((vector_size(sizeof(T) * Lanes)));
};
template <class T>
struct Vector<T, 1> {
  typedef T Type;
};

// So many numbers side by side: one vector register, or several where they are more than it holds.
template <class T, int Lanes>
struct Side {
  static constexpr int kWide = Lanes < kRegister / int(sizeof(T)) ? Lanes : kRegister / int(sizeof(T));
  static constexpr int kParts = Lanes / kWide;
  using V = typename Vector<T, kWide>::Type;
};

template <class T, class V>
V everywhere(T x) {
  T lanes[sizeof(V) / sizeof(T)];
  for (T& lane : lanes) lane = x;
  V v;
  std::memcpy(&v, lanes, sizeof v);
  return v;
}

// What is written is not read again soon: past the caches where the processor can.
template <class V>
inline void put(V* at, const V& v) {
#if defined(__SSE2__)
  if constexpr (sizeof(V) >= 16) {
    __m128i parts[sizeof(V) / 16];
    std::memcpy(parts, &v, sizeof v);
    for (unsigned i = 0; i < sizeof(V) / 16; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(at) + i, parts[i]);
    return;
  }
#endif
  *at = v;
}

// ---- memory -------------------------------------------------------------------------------------------------------

// Each of `parts` parts of `count` vectors is one piece of memory; sums[p] is that of its words.
template <int Lanes>
void memory(int pattern, std::int64_t parts, std::int64_t count, const float* b, const float* c, float* a, float scale,
            u32* sums, int threads, const int* cpus) {
  using V = typename Side<float, Lanes>::V;
  using U = typename Side<u32, Lanes>::V;
  count *= Side<float, Lanes>::kParts;
  const V factor = everywhere<float, V>(scale);
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t first = part * count * Side<float, Lanes>::kWide;
      const V* left = reinterpret_cast<const V*>(b + first);
      const V* right = reinterpret_cast<const V*>(c + first);
      V* out = reinterpret_cast<V*>(a + first);
      if (pattern == 0) {
        const U* words = reinterpret_cast<const U*>(b + first);
        U one = {}, two = {}, three = {}, four = {};
        for (std::int64_t i = 0; i < count; i += 4) {
          one += words[i];
          two += words[i + 1];
          three += words[i + 2];
          four += words[i + 3];
        }
        sums[part] = perfdocs::folded<U>(one + two + three + four);
      } else if (pattern == 1) {
        for (std::int64_t i = 0; i < count; ++i) put(out + i, left[i]);
      } else {
        for (std::int64_t i = 0; i < count; ++i) put(out + i, left[i] + factor * right[i]);
      }
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }
}

// ---- arithmetic ---------------------------------------------------------------------------------------------------

// sums[t] is that of the words of thread t's elements; their number is returned.
template <class T, int Lanes>
int arithmetic(u32 steps, perfdocs::Bits bits, const void* constants, u32* sums, int threads, const int* cpus) {
  using V = typename Side<T, Lanes>::V;
  constexpr int kParts = Side<T, Lanes>::kParts;
  constexpr int kHeld = kParts > kChains ? kParts : kChains / kParts * kParts;
  T given[3];
  std::memcpy(given, constants, sizeof given);
  const V a = everywhere<T, V>(given[0]), first = everywhere<T, V>(given[1]), second = everywhere<T, V>(given[2]);
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
    const int thread = perfdocs::thread_index();
    V x[kHeld];
    for (int c = 0; c < kHeld; ++c)
      x[c] = perfdocs::element<V>(u32((thread * kHeld + c) * sizeof(V) / 4), bits);
    perfdocs::advance<1>(x, steps, a, first, second);
    u32 sum = 0;
    for (int c = 0; c < kHeld; ++c) sum += perfdocs::folded(x[c]);
    sums[thread] = sum;
  }
  return kHeld * Side<T, Lanes>::kWide;
}

template <class T>
int arithmetic(int lanes, u32 steps, perfdocs::Bits bits, const void* constants, u32* sums, int threads,
               const int* cpus) {
  switch (lanes) {
    case 1: return arithmetic<T, 1>(steps, bits, constants, sums, threads, cpus);
    case 2: return arithmetic<T, 2>(steps, bits, constants, sums, threads, cpus);
    case 4: return arithmetic<T, 4>(steps, bits, constants, sums, threads, cpus);
    case 8: return arithmetic<T, 8>(steps, bits, constants, sums, threads, cpus);
    case 16: return arithmetic<T, 16>(steps, bits, constants, sums, threads, cpus);
    default: return 0;
  }
}

}  // namespace

// ---- what Python calls --------------------------------------------------------------------------------------------

// `cpus` is a processor for each thread, or null, here and below.
extern "C" void peaks_fill(std::int64_t first, std::int64_t words, const u32* bits, u32* data, int threads,
                           const int* cpus) {
  const perfdocs::Bits of = {bits[0], bits[1], bits[2], bits[3]};
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < words; ++i) data[i] = perfdocs::word(u32(first + i), of);
  }
}

extern "C" void peaks_memory(int pattern, int lanes, std::int64_t parts, std::int64_t count, const float* b,
                             const float* c, float* a, float scale, u32* sums, int threads, const int* cpus) {
  switch (lanes) {
    case 1: return memory<1>(pattern, parts, count, b, c, a, scale, sums, threads, cpus);
    case 2: return memory<2>(pattern, parts, count, b, c, a, scale, sums, threads, cpus);
    case 4: return memory<4>(pattern, parts, count, b, c, a, scale, sums, threads, cpus);
    case 8: return memory<8>(pattern, parts, count, b, c, a, scale, sums, threads, cpus);
    case 16: return memory<16>(pattern, parts, count, b, c, a, scale, sums, threads, cpus);
    default: return;
  }
}

// `type` is 0 for float, 1 for double, 2 for unsigned; returns the numbers that a thread carries on.
extern "C" int peaks_arithmetic(int type, int lanes, u32 steps, const u32* bits, const void* constants, u32* sums,
                                int threads, const int* cpus) {
  const perfdocs::Bits of = {bits[0], bits[1], bits[2], bits[3]};
  if (type == 0) return arithmetic<float>(lanes, steps, of, constants, sums, threads, cpus);
  if (type == 1) return arithmetic<double>(lanes, steps, of, constants, sums, threads, cpus);
  return arithmetic<u32>(lanes, steps, of, constants, sums, threads, cpus);
}

// Teams formed and ended, so many; returns how many the first thread was in.
extern "C" int peaks_regions(int times, int threads) {
  int done = 0;
  for (int i = 0; i < times; ++i) {
#pragma omp parallel num_threads(threads)
    if (perfdocs::thread_index() == 0) ++done;
  }
  return done;
}

// Meetings of one team.
extern "C" int peaks_barriers(int times, int threads, const int* cpus) {
  int done = 0;
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
    for (int i = 0; i < times; ++i) {
      if (perfdocs::thread_index() == 0) ++done;
#pragma omp barrier
    }
  }
  return done;
}

// `rounds` additions a thread, to the counters that neighbours do not add to at the same time where there are enough.
extern "C" void peaks_add(u32* counters, u32 mask, std::int64_t rounds, int threads, const int* cpus) {
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
    const u32 first = u32(perfdocs::thread_index() * rounds);
    for (u32 round = 0; round < u32(rounds); ++round)
      __atomic_fetch_add(&counters[(first + round) & mask], 1u, __ATOMIC_RELAXED);
  }
}
