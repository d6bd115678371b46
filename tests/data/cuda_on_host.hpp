// Enough of CUDA to run a kernel on the host, thread by thread: each thread of a block is a coroutine that gives way at
// barriers and warp operations. Blocks run one after the other, in an order that changes from launch to launch.
// Pointers declared with RK4_PLANE or RK4_ONLY count the bytes they read and write.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static

using std::max;
using std::min;

namespace host_cuda {

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "CUDA on the host: %s\n", what);
  std::abort();
}

struct Dim {
  unsigned x = 0;
};

enum Operation { kNone, kBallot, kShuffle, kBarrier };

struct Warp {
  unsigned long long slot[32], result[32];
  unsigned arrived = 0, generation = 0;
  Operation operation = kNone;
};

// A coroutine that runs the kernel's body once for each block. It is entered by its context the first time, and by a
// jump, which needs no system call, from then on.
struct Thread {
  ucontext_t context;
  jmp_buf here;
  bool started = false;
  bool done = false;
};

constexpr size_t kStack = 64 * 1024;
constexpr unsigned kMost = 1024;
inline Thread threads[kMost];
inline std::vector<char> stacks;
inline std::vector<Warp> warps;
inline jmp_buf scheduler;
inline void (*body)(void*);
inline void* body_argument;
inline Dim thread_index, block_index, grid_size, block_size;
inline unsigned barrier_arrived, barrier_generation, barrier_any, barrier_result;
inline unsigned long long read_bytes, written_bytes;
inline unsigned launches;

inline void give_way() {
  if (!_setjmp(threads[thread_index.x].here)) _longjmp(scheduler, 1);
}

inline void live() {
  while (true) {
    body(body_argument);
    threads[thread_index.x].done = true;
    give_way();
  }
}

inline void resume(unsigned t) {
  thread_index.x = t;
  if (_setjmp(scheduler)) return;
  if (threads[t].started) _longjmp(threads[t].here, 1);
  threads[t].started = true;
  stacks.resize(kMost * kStack);  // once: it never moves
  getcontext(&threads[t].context);
  threads[t].context.uc_stack.ss_sp = stacks.data() + t * kStack;
  threads[t].context.uc_stack.ss_size = kStack;
  threads[t].context.uc_link = nullptr;
  makecontext(&threads[t].context, live, 0);
  setcontext(&threads[t].context);
}

// What every lane of the warp gave, once all 32 have.
inline const unsigned long long* meet(Operation operation, unsigned long long value) {
  const unsigned self = thread_index.x;
  Warp& warp = warps[self / 32];
  if (warp.arrived == 0) warp.operation = operation;
  if (warp.operation != operation) fail("lanes of a warp meet in different operations");
  warp.slot[self % 32] = value;
  const unsigned mine = warp.generation;
  if (++warp.arrived == 32) {
    std::copy(warp.slot, warp.slot + 32, warp.result);
    warp.arrived = 0;
    ++warp.generation;
  }
  while (warp.generation == mine) give_way();
  return warp.result;
}

inline unsigned barrier(unsigned value) {
  barrier_any |= value;
  const unsigned mine = barrier_generation;
  if (++barrier_arrived == block_size.x) {
    barrier_result = barrier_any;
    barrier_any = barrier_arrived = 0;
    ++barrier_generation;
  }
  while (barrier_generation == mine) give_way();
  return barrier_result;
}

template <typename T>
struct Counted {
  T* at;

  struct Item {
    T* at;
    operator T() const {
      read_bytes += sizeof(T);
      return *at;
    }
    const Item& operator=(T value) const {
      written_bytes += sizeof(T);
      *at = value;
      return *this;
    }
  };

  Item operator[](unsigned long long index) const { return {at + index}; }
};

template <typename T>
struct Counted<const T> {
  const T* at;

  T operator[](unsigned long long index) const {
    read_bytes += sizeof(T);
    return at[index];
  }
  Counted(const T* pointer) : at(pointer) {}
  Counted(Counted<T> other) : at(other.at) {}
};

inline void run_block() {
  const unsigned count = block_size.x;
  if (count % 32 || count > kMost) fail("a block of whole warps is needed");
  for (unsigned t = 0; t < count; ++t) threads[t].done = false;
  warps.assign(count / 32, Warp{});
  barrier_arrived = barrier_any = 0;
  unsigned left = count, idle = 0;
  while (left) {
    for (unsigned t = 0; t < count; ++t) {
      if (threads[t].done) continue;
      const unsigned before = barrier_generation;
      resume(t);
      if (threads[t].done) --left;
      idle = before == barrier_generation && !threads[t].done ? idle + 1 : 0;
    }
    // A warp operation wakes its lanes within two rounds; threads that wait for ever have gone apart.
    if (idle > 4096 * count) fail("threads wait for one another for ever");
  }
}

template <typename... Given, size_t... I>
void launch(void (*kernel)(Given...), unsigned grid, unsigned block, void** given, std::index_sequence<I...>) {
  auto call = [&] { kernel(*static_cast<Given*>(given[I])...); };
  body = [](void* argument) { (*static_cast<decltype(call)*>(argument))(); };
  body_argument = &call;
  grid_size.x = grid;
  block_size.x = block;
  ++launches;
  for (unsigned b = 0; b < grid; ++b) {  // forwards, backwards, from the middle on
    const unsigned turned = launches % 3 == 0 ? b : launches % 3 == 1 ? grid - 1 - b : (b + grid / 2) % grid;
    block_index.x = turned;
    run_block();
  }
}

template <typename... Given>
void launch(void (*kernel)(Given...), unsigned grid, unsigned block, void** given) {
  launch(kernel, grid, block, given, std::index_sequence_for<Given...>{});
}

}  // namespace host_cuda

#define threadIdx host_cuda::thread_index
#define blockIdx host_cuda::block_index
#define gridDim host_cuda::grid_size
#define blockDim host_cuda::block_size
#define RK4_PLANE(T) host_cuda::Counted<T>
#define RK4_ONLY(T) host_cuda::Counted<T>

inline unsigned __ballot_sync(unsigned, bool value) {
  const unsigned long long* all = host_cuda::meet(host_cuda::kBallot, value);
  unsigned bits = 0;
  for (int lane = 0; lane < 32; ++lane) bits |= (all[lane] ? 1u : 0u) << lane;
  return bits;
}
inline bool __any_sync(unsigned full, bool value) { return __ballot_sync(full, value) != 0; }
inline unsigned __shfl_sync(unsigned, unsigned value, unsigned lane) {
  return (unsigned)host_cuda::meet(host_cuda::kShuffle, value)[lane % 32];
}
inline unsigned __shfl_xor_sync(unsigned full, unsigned value, unsigned span) {
  return __shfl_sync(full, value, (threadIdx.x % 32) ^ span);
}
inline unsigned __shfl_up_sync(unsigned full, unsigned value, unsigned span) {
  const unsigned lane = threadIdx.x % 32;
  return __shfl_sync(full, value, lane >= span ? lane - span : lane);
}
inline void __syncthreads() { host_cuda::barrier(0); }
inline int __syncthreads_or(int value) { return (int)host_cuda::barrier(value != 0); }
inline void __threadfence() {}
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __clz(unsigned value) { return value ? __builtin_clz(value) : 32; }
template <typename T>
T atomicAdd(T* at, T value) {
  const T before = *at;
  *at += value;
  return before;
}
extern "C" inline void cudaGraphSetConditional(unsigned long long handle, unsigned int value) {
  *reinterpret_cast<unsigned int*>(handle) = value;
}

extern "C" void host_cuda_bytes(unsigned long long* read, unsigned long long* written) {
  *read = host_cuda::read_bytes;
  *written = host_cuda::written_bytes;
  host_cuda::read_bytes = host_cuda::written_bytes = 0;
}

#define HOST_CUDA_KERNEL(name)                                                             \
  extern "C" void launch_##name(unsigned grid, unsigned block, void** given) {             \
    host_cuda::launch(name, grid, block, given);                                           \
  }
