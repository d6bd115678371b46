// Chains of multiply-adds in vector registers, so many a thread.
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

template <class T>
using Vector __attribute__((vector_size(kRegister))) = T;

// sums[t] is that of the words at the ends of thread t's chains.
template <class T, int Chains>
void chains(u32 steps, perfdocs::Bits bits, const void* constants, u32* sums, int threads, const int* cpus) {
  using V = Vector<T>;
  T given[3];
  std::memcpy(given, constants, sizeof given);
  const V a = given[0] - V{}, first = given[1] - V{}, second = given[2] - V{};
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
    const int thread = perfdocs::thread_index();
    V x[Chains];
    for (int c = 0; c < Chains; ++c) x[c] = perfdocs::element<V>(u32((thread * Chains + c) * kRegister / 4), bits);
    perfdocs::advance<1>(x, steps, a, first, second);
    u32 sum = 0;
    for (int c = 0; c < Chains; ++c) sum += perfdocs::folded(x[c]);
    sums[thread] = sum;
  }
}

template <class T>
void chains(int count, u32 steps, perfdocs::Bits bits, const void* constants, u32* sums, int threads,
            const int* cpus) {
  switch (count) {
    case 1: return chains<T, 1>(steps, bits, constants, sums, threads, cpus);
    case 2: return chains<T, 2>(steps, bits, constants, sums, threads, cpus);
    case 3: return chains<T, 3>(steps, bits, constants, sums, threads, cpus);
    case 4: return chains<T, 4>(steps, bits, constants, sums, threads, cpus);
    case 6: return chains<T, 6>(steps, bits, constants, sums, threads, cpus);
    case 8: return chains<T, 8>(steps, bits, constants, sums, threads, cpus);
    case 10: return chains<T, 10>(steps, bits, constants, sums, threads, cpus);
    case 12: return chains<T, 12>(steps, bits, constants, sums, threads, cpus);
    default: return;
  }
}

}  // namespace

extern "C" int parallelism_register() { return kRegister; }

// `cpus` is a processor for each thread, or null.
extern "C" void parallelism_chains(int wide, int count, u32 steps, const u32* bits, const void* constants, u32* sums,
                                   int threads, const int* cpus) {
  const perfdocs::Bits of = {bits[0], bits[1], bits[2], bits[3]};
  if (wide) return chains<double>(count, steps, of, constants, sums, threads, cpus);
  return chains<float>(count, steps, of, constants, sums, threads, cpus);
}
