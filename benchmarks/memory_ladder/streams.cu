// BabelStream's five kernels on doubles: copy, scale, add, triad, dot.
//   STREAM_THREADS  a block
//   STREAM_VECTORS  pairs of doubles a thread reads of each array before it computes
//   STREAM_EVICT    1: lines are marked as not needed again
#include "contents.hpp"

using perfdocs::u64;

constexpr int kTile = STREAM_THREADS * STREAM_VECTORS;  // pairs of each array that a block takes at a time

__device__ __forceinline__ double2 read(const double2* from) { return STREAM_EVICT ? __ldcs(from) : *from; }

__device__ __forceinline__ void write(double2* to, double2 value) {
  if (STREAM_EVICT) {
    __stcs(to, value);
  } else {
    *to = value;
  }
}

struct Copy {
  static constexpr bool kTwo = false;
  static __device__ __forceinline__ double of(double x, double, double) { return x; }
};
struct Scale {
  static constexpr bool kTwo = false;
  static __device__ __forceinline__ double of(double x, double, double scalar) { return scalar * x; }
};
struct Add {
  static constexpr bool kTwo = true;
  static __device__ __forceinline__ double of(double x, double y, double) { return x + y; }
};
struct Triad {  // rounded twice, as on the host: a fused multiply-add would be as fast
  static constexpr bool kTwo = true;
  static __device__ __forceinline__ double of(double x, double y, double scalar) {
    return __dadd_rn(x, __dmul_rn(scalar, y));
  }
};

template <typename Operation>
__device__ __forceinline__ void elementwise(const double2* x, const double2* y, double2* z, double scalar) {
  const u64 first = u64(blockIdx.x) * kTile + threadIdx.x;
  double2 a[STREAM_VECTORS], b[STREAM_VECTORS];
#pragma unroll
  for (int v = 0; v < STREAM_VECTORS; ++v) {
    a[v] = read(x + first + v * STREAM_THREADS);
    b[v] = Operation::kTwo ? read(y + first + v * STREAM_THREADS) : a[v];
  }
#pragma unroll
  for (int v = 0; v < STREAM_VECTORS; ++v) {
    write(z + first + v * STREAM_THREADS,
          make_double2(Operation::of(a[v].x, b[v].x, scalar), Operation::of(a[v].y, b[v].y, scalar)));
  }
}

#define ELEMENTWISE(name, Operation)                                                                                 \
  extern "C" __global__ void __launch_bounds__(STREAM_THREADS, 1) stream_##name(                                     \
      const double2* __restrict__ x, const double2* __restrict__ y, double2* __restrict__ z, double scalar) {        \
    elementwise<Operation>(x, y, z, scalar);                                                                         \
  }
ELEMENTWISE(copy, Copy)
ELEMENTWISE(scale, Scale)
ELEMENTWISE(add, Add)
ELEMENTWISE(triad, Triad)

// The sum of x * y over the tiles of each block, into one element of `parts` for each.
extern "C" __global__ void __launch_bounds__(STREAM_THREADS, 1) stream_dot(
    const double2* __restrict__ x, const double2* __restrict__ y, double* __restrict__ parts, u64 pairs) {
  __shared__ double warps[STREAM_THREADS / 32];
  double sum[STREAM_VECTORS] = {};
#pragma unroll 1
  for (u64 tile = u64(blockIdx.x) * kTile; tile < pairs; tile += u64(gridDim.x) * kTile) {
    double2 a[STREAM_VECTORS], b[STREAM_VECTORS];
#pragma unroll
    for (int v = 0; v < STREAM_VECTORS; ++v) {
      a[v] = read(x + tile + v * STREAM_THREADS + threadIdx.x);
      b[v] = read(y + tile + v * STREAM_THREADS + threadIdx.x);
    }
#pragma unroll
    for (int v = 0; v < STREAM_VECTORS; ++v) sum[v] = fma(a[v].x, b[v].x, fma(a[v].y, b[v].y, sum[v]));
  }
  double whole = 0;
#pragma unroll
  for (int v = 0; v < STREAM_VECTORS; ++v) whole += sum[v];
  for (int apart = 16; apart > 0; apart /= 2) whole += __shfl_down_sync(~0u, whole, apart);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = whole;
  __syncthreads();
  if (threadIdx.x == 0) {
    double block = 0;
    for (double one : warps) block += one;
    parts[blockIdx.x] = block;
  }
}

extern "C" __global__ void __launch_bounds__(STREAM_THREADS) stream_fill(double2* x, double2* y, u64 pairs) {
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < pairs; i += step) {
    x[i] = make_double2(contents::real(2 * i, 0), contents::real(2 * i + 1, 0));
    y[i] = make_double2(contents::real(2 * i, 1), contents::real(2 * i + 1, 1));
  }
}
