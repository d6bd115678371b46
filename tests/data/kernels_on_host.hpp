// What kernels need besides cuda_on_host.hpp to run on the host, and a call that starts one with its own arguments.
#pragma once
#include <cmath>

#include "cuda_on_host.hpp"

#define __align__(bytes) alignas(bytes)

struct int2 {
  int x, y;
};
struct alignas(16) longlong2 {
  long long x, y;
};

inline int2 make_int2(int x, int y) { return {x, y}; }
template <typename T>
T __ldcg(const T* at) {
  return *at;
}
inline void __syncwarp() { host_cuda::meet(host_cuda::kBallot, 0); }
inline long long __shfl_down_sync(unsigned, long long value, unsigned span) {
  return (long long)host_cuda::meet(host_cuda::kShuffle, (unsigned long long)value)[(threadIdx.x % 32 + span) % 32];
}

template <typename T>
struct Same {
  using type = T;
};
template <typename... Given>
void start(void (*kernel)(Given...), unsigned grid, unsigned block, typename Same<Given>::type... values) {
  void* given[] = {&values...};
  host_cuda::launch(kernel, grid, block, given);
}
