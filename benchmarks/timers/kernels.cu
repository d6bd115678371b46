// What the clocks are held to: a kernel that does nothing, one that computes, one that reads memory.
#include <perfdocs/chain.hpp>

using perfdocs::u32;
using perfdocs::u64;

using Vector = perfdocs::Vector<16>;

constexpr int kThreads = 256;  // a block
constexpr int kBlocks = 4;     // blocks an SM that the registers must leave room for
constexpr int kChains = 4;     // a thread
constexpr int kBody = 256;     // multiply-adds in the loop's body
constexpr int kBatch = 8;      // vectors that a thread has on their way
constexpr int kTile = kBatch * kThreads;

// Launched where it is timed; where it is checked that each launch is there, the one that counts.
extern "C" __global__ void timers_empty() {}

extern "C" __global__ void timers_count(u32* count) {
  if (threadIdx.x == 0) atomicAdd(count, 1u);
}

// sums[t] is that of the words at the ends of thread t's chains.
extern "C" __global__ __launch_bounds__(kThreads, kBlocks) void timers_chain(u32 steps, u32 even_mask, u32 even_base,
                                                                             u32 odd_mask, u32 odd_base, float a,
                                                                             float first, float second, u32* sums) {
  const perfdocs::Bits bits = {even_mask, even_base, odd_mask, odd_base};
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  float x[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) x[c] = perfdocs::element<float>(thread * kChains + c, bits);
  perfdocs::advance<kBody / 2 / kChains>(x, steps, a, first, second);
  u32 sum = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += perfdocs::folded(x[c]);
  sums[thread] = sum;
}

extern "C" __global__ void timers_fill(u32* data, u64 words) {
  const u64 threads = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads) data[i] = perfdocs::word_at(i);
}

// sums[t] is that of the words that thread t read; a block takes one tile after the other.
extern "C" __global__ __launch_bounds__(kThreads, kBlocks) void timers_read(const Vector* __restrict__ data, u32 tiles,
                                                                            u32* sums) {
  u32 sum = 0;
#pragma unroll 1
  for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const u64 at = (u64)tile * kTile + threadIdx.x;
    Vector batch[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) batch[i] = data[at + i * kThreads];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) sum += perfdocs::folded(batch[i]);
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
