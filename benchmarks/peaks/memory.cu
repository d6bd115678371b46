// Reading, copying and the triad of BabelStream, over vectors of words of 4 byte.
// A thread takes so many `rounds` of kBatch vectors at once, those of its block's tile: neighbours are read and written
// together.
#include <perfdocs/words.hpp>

using perfdocs::u32;
using perfdocs::u64;

#ifndef PEAKS_LANES
#define PEAKS_LANES 4  // words of a vector
#endif
#ifndef PEAKS_BATCH
#define PEAKS_BATCH 16  // words that a thread has on their way
#endif
#ifndef PEAKS_THREADS
#define PEAKS_THREADS 256  // a block
#endif

using Vector = perfdocs::Vector<4 * PEAKS_LANES>;

constexpr int kBatch = PEAKS_LANES < PEAKS_BATCH ? PEAKS_BATCH / PEAKS_LANES : 1;

constexpr int kTile = kBatch * PEAKS_THREADS;

static __device__ __forceinline__ u64 first_of_tile() { return (u64)blockIdx.x * kTile + threadIdx.x; }
static __device__ __forceinline__ u64 tiles_apart() { return (u64)gridDim.x * kTile; }

// sums[t] is that of the words that thread t read, over every pass.
extern "C" __global__ __launch_bounds__(PEAKS_THREADS) void peaks_read(const Vector* __restrict__ data, u32 rounds,
                                                                       u32 passes, u32* sums) {
  u32 sum = 0;
  for (u32 pass = 0; pass < passes; ++pass) {
    u64 at = first_of_tile();
#pragma unroll 1
    for (u32 round = 0; round < rounds; ++round, at += tiles_apart()) {
      Vector batch[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) batch[i] = data[at + i * PEAKS_THREADS];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) sum += perfdocs::folded(batch[i]);
    }
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ __launch_bounds__(PEAKS_THREADS) void peaks_copy(const Vector* __restrict__ from,
                                                                       Vector* __restrict__ to, u32 rounds) {
  u64 at = first_of_tile();
#pragma unroll 1
  for (u32 round = 0; round < rounds; ++round, at += tiles_apart()) {
    Vector batch[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) batch[i] = from[at + i * PEAKS_THREADS];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) to[at + i * PEAKS_THREADS] = batch[i];
  }
}

// a = b + scale · c
extern "C" __global__ __launch_bounds__(PEAKS_THREADS) void peaks_triad(const Vector* __restrict__ b,
                                                                        const Vector* __restrict__ c,
                                                                        Vector* __restrict__ a, float scale,
                                                                        u32 rounds) {
  u64 at = first_of_tile();
#pragma unroll 1
  for (u32 round = 0; round < rounds; ++round, at += tiles_apart()) {
    Vector left[kBatch], right[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      left[i] = b[at + i * PEAKS_THREADS];
      right[i] = c[at + i * PEAKS_THREADS];
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
#pragma unroll
      for (int w = 0; w < PEAKS_LANES; ++w)
        left[i].words[w] = __float_as_uint(fmaf(scale, __uint_as_float(right[i].words[w]), __uint_as_float(left[i].words[w])));
      a[at + i * PEAKS_THREADS] = left[i];
    }
  }
}
