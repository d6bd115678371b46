// All pairs of bodies in three forms that do the same arithmetic: direct, in tiles, in tiles with several bodies a thread.
// NBODY_FP64 chooses the type, NBODY_THREADS the block; for the last form NBODY_BODIES is the number a thread holds.
#ifndef NBODY_RESIDENT
#define NBODY_RESIDENT 1024  // threads an SM that the registers must leave room for
#endif
#if NBODY_FP64
using Real = double;
#else
using Real = float;
#endif

struct __align__(16) Body {
  Real x, y, z, mass;
};
struct Vector {
  Real x, y, z;
};

// 1 / sqrt(x) of a normal number: the hardware's estimate, in FP64 with one step of third order on it. The library's
// functions also take zeros and subnormals, which a softened distance never is.
__device__ __forceinline__ float inverse_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ double inverse_root(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double rest = fma(-x * y, y, 1.0);
  return fma(y * rest, fma(0.375, rest, 0.5), y);
}

// Adds to `sum` what `from` does to a body at `at`.
__device__ __forceinline__ void pull(const Body& from, const Vector& at, Real softening, Vector& sum) {
  const Real x = from.x - at.x, y = from.y - at.y, z = from.z - at.z;
  const Real inverse = inverse_root(fma(x, x, fma(y, y, fma(z, z, softening))));
  const Real strength = (from.mass * inverse) * (inverse * inverse);
  sum.x = fma(strength, x, sum.x);
  sum.y = fma(strength, y, sum.y);
  sum.z = fma(strength, z, sum.z);
}

__device__ __forceinline__ Vector place_of(const Body& body) { return {body.x, body.y, body.z}; }

__device__ __forceinline__ void put(Real* out, int n, int i, const Vector& sum) {
  out[i] = sum.x;
  out[n + i] = sum.y;
  out[2 * n + i] = sum.z;
}

// Each thread reads every body from global memory for the one that is its own. n is a multiple of the block.
extern "C" __global__ void __launch_bounds__(NBODY_THREADS) nbody_direct(int n, const Body* __restrict__ bodies,
                                                                         Real softening, Real* __restrict__ out) {
  const int i = blockIdx.x * NBODY_THREADS + threadIdx.x;
  const Vector at = place_of(bodies[i]);
  Vector sum = {0, 0, 0};
#pragma unroll 8
  for (int j = 0; j < n; ++j) pull(bodies[j], at, softening, sum);
  put(out, n, i, sum);
}

// The block reads the bodies tile by tile into shared memory. n is a multiple of the block.
extern "C" __global__ void __launch_bounds__(NBODY_THREADS) nbody_tiled(int n, const Body* __restrict__ bodies,
                                                                        Real softening, Real* __restrict__ out) {
  __shared__ Body tile[NBODY_THREADS];
  const int i = blockIdx.x * NBODY_THREADS + threadIdx.x;
  const Vector at = place_of(bodies[i]);
  Vector sum = {0, 0, 0};
  for (int first = 0; first < n; first += NBODY_THREADS) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < NBODY_THREADS; ++j) pull(tile[j], at, softening, sum);
    __syncthreads();
  }
  put(out, n, i, sum);
}

#ifdef NBODY_BODIES
// All warps of a block hold the same bodies, several a thread, so that one read of shared memory serves as many pulls;
// each warp adds up the pulls of its share of the others, 32 at a time, and the sums of the warps are joined at the end.
// A few bodies so occupy many warps. n is a multiple of 32 * NBODY_BODIES.
extern "C" __global__ void __launch_bounds__(NBODY_THREADS, NBODY_RESIDENT / NBODY_THREADS)
    nbody_held(int n, const Body* __restrict__ bodies, Real softening, Real* __restrict__ out) {
  constexpr int kWarps = NBODY_THREADS / 32, kHeld = 32 * NBODY_BODIES;
  __shared__ union {
    Body tiles[kWarps][32];
    Real sums[kWarps][3][kHeld];
  } shared;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, begin = blockIdx.x * kHeld;
  Vector at[NBODY_BODIES], sum[NBODY_BODIES];
#pragma unroll
  for (int b = 0; b < NBODY_BODIES; ++b) {
    at[b] = place_of(bodies[begin + 32 * b + lane]);
    sum[b] = {0, 0, 0};
  }
  Body* tile = shared.tiles[warp];
  Body next = bodies[min(32 * warp + lane, n - 1)];
  for (int first = 32 * warp; first < n; first += 32 * kWarps) {
    tile[lane] = next;
    __syncwarp();
    next = bodies[min(first + 32 * kWarps + lane, n - 1)];  // on its way while this tile is used
#pragma unroll 8
    for (int j = 0; j < 32; ++j) {
      const Body from = tile[j];
#pragma unroll
      for (int b = 0; b < NBODY_BODIES; ++b) pull(from, at[b], softening, sum[b]);
    }
    __syncwarp();
  }
  __syncthreads();
#pragma unroll
  for (int b = 0; b < NBODY_BODIES; ++b) {
    shared.sums[warp][0][32 * b + lane] = sum[b].x;
    shared.sums[warp][1][32 * b + lane] = sum[b].y;
    shared.sums[warp][2][32 * b + lane] = sum[b].z;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 3 * kHeld; k += NBODY_THREADS) {
    Real total = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += shared.sums[w][k / kHeld][k % kHeld];
    out[k / kHeld * n + begin + k % kHeld] = total;
  }
}
#endif
