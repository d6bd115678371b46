// Reading, copying and the triad of BabelStream, over vectors of words of 4 byte. Compiled behind perfdocs/chain.hpp.
// A thread takes every vector whose number is its own modulo the threads, so many `rounds` of kBatch at once; the work is
// done `passes` times.
using perfdocs::u32;
typedef unsigned long long u64;

#ifndef PEAKS_LANES
#define PEAKS_LANES 4  // words of a vector
#endif
#ifndef PEAKS_BATCH
#define PEAKS_BATCH 16  // words that a thread has on their way
#endif
#ifndef PEAKS_THREADS
#define PEAKS_THREADS 256  // a block
#endif

struct alignas(PEAKS_LANES < 4 ? 4 * PEAKS_LANES : 16) Vector {
  u32 w[PEAKS_LANES];
};

constexpr int kBatch = PEAKS_LANES < PEAKS_BATCH ? PEAKS_BATCH / PEAKS_LANES : 1;

static __device__ __forceinline__ u64 first_of() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ u64 stride_of() { return gridDim.x * blockDim.x; }

// sums[t] is that of the words that thread t read, over every pass.
extern "C" __global__ __launch_bounds__(PEAKS_THREADS) void peaks_read(const Vector* __restrict__ data, u32 rounds,
                                                                       u32 passes, u32* sums) {
  const u64 threads = stride_of();
  u32 sum = 0;
  for (u32 pass = 0; pass < passes; ++pass) {
    u64 at = first_of();
#pragma unroll 1
    for (u32 round = 0; round < rounds; ++round, at += kBatch * threads) {
      Vector batch[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) batch[i] = data[at + i * threads];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) sum += perfdocs::folded(batch[i]);
    }
  }
  sums[first_of()] = sum;
}

extern "C" __global__ __launch_bounds__(PEAKS_THREADS) void peaks_copy(const Vector* __restrict__ from,
                                                                       Vector* __restrict__ to, u32 rounds,
                                                                       u32 passes) {
  const u64 threads = stride_of();
  for (u32 pass = 0; pass < passes; ++pass) {
    u64 at = first_of();
#pragma unroll 1
    for (u32 round = 0; round < rounds; ++round, at += kBatch * threads) {
      Vector batch[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) batch[i] = from[at + i * threads];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) to[at + i * threads] = batch[i];
    }
  }
}

// a = b + scale · c
extern "C" __global__ __launch_bounds__(PEAKS_THREADS) void peaks_triad(const Vector* __restrict__ b,
                                                                        const Vector* __restrict__ c,
                                                                        Vector* __restrict__ a, float scale,
                                                                        u32 rounds, u32 passes) {
  const u64 threads = stride_of();
  for (u32 pass = 0; pass < passes; ++pass) {
    u64 at = first_of();
#pragma unroll 1
    for (u32 round = 0; round < rounds; ++round, at += kBatch * threads) {
      Vector left[kBatch], right[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        left[i] = b[at + i * threads];
        right[i] = c[at + i * threads];
      }
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
#pragma unroll
        for (int w = 0; w < PEAKS_LANES; ++w)
          left[i].w[w] = __float_as_uint(fmaf(scale, __uint_as_float(right[i].w[w]), __uint_as_float(left[i].w[w])));
        a[at + i * threads] = left[i];
      }
    }
  }
}
