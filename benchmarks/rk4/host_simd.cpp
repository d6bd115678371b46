// The step over vectors of samples that end together, so that no lane idles.
//
// The batch is cut into parts small enough for a core's own cache. A thread takes a part, orders its samples by length,
// longest first, and runs them in groups of neighbours: all lanes of a group step together to the shortest length, and
// from there to the longest the lanes that have ended keep their state. A thread that finds no part left helps with the
// groups of the others.
#include "lanes.hpp"  // before step.cuh, whose real it gives
#include "step.cuh"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include <perfdocs/pin.hpp>

namespace rk4 {
namespace {

// A step is a chain of eight dependent operations of four cycles, and a core starts two operations a cycle: its 22
// operations fill the core from three vectors on, and the state of four still fits 32 registers.
#ifndef RK4_VECTORS
#define RK4_VECTORS 4
#endif
constexpr int kVectors = RK4_VECTORS;
constexpr int kLanes = kVectors * kWidth;
constexpr std::int64_t kMostPart = 4096;   // samples, of 64 byte each: a quarter of a MiB
constexpr std::int64_t kLeastPart = 1024;  // smaller ones would order too few samples to find neighbours
constexpr std::int64_t kKeys = 1024;       // lengths told apart by the ordering

struct Planes {
  std::int64_t n;
  const double* omega;
  const double* zeta;
  const double* x0;
  const double* v0;
  const std::int64_t* nstop;
  double* x;
  double* v;
  std::int64_t* steps;
};

union Plane {
  Doubles vector[kVectors];
  double lane[kLanes];
};

struct Group {
  Plane x, v, damping, stiffness, stop;  // stop as a double: comparing those is one instruction everywhere
};

// Samples [first, first + count) of the batch; `next` is the first place of `order` that nobody took.
struct alignas(64) Part {
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> ordered{false};
};

std::int64_t length_of(const Planes& p, std::int64_t i) { return std::max<std::int64_t>(p.nstop[i], 0); }

// Counting sort: `order` holds the samples of the part, longest first, equal lengths in their own order.
void order_part(const Planes& p, std::int64_t first, std::int64_t count, std::uint32_t* order) {
  std::int64_t longest = 0;
  for (std::int64_t i = first; i < first + count; ++i) longest = std::max(longest, length_of(p, i));
  int shift = 0;
  while ((longest >> shift) >= kKeys) ++shift;
  std::uint32_t place[kKeys] = {};
  for (std::int64_t i = first; i < first + count; ++i) ++place[length_of(p, i) >> shift];
  std::uint32_t before = 0;
  for (std::int64_t key = longest >> shift; key >= 0; --key) {
    const std::uint32_t here = place[key];
    place[key] = before;
    before += here;
  }
  for (std::int64_t i = first; i < first + count; ++i) order[place[length_of(p, i) >> shift]++] = std::uint32_t(i);
}

void advance(Group& group, std::int64_t steps) {
  Lanes x[kVectors], v[kVectors];
  for (int k = 0; k < kVectors; ++k) {
    x[k] = group.x.vector[k];
    v[k] = group.v.vector[k];
  }
  for (std::int64_t s = 0; s < steps; ++s) {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) step(x[k], v[k], group.damping.vector[k], group.stiffness.vector[k]);
  }
  for (int k = 0; k < kVectors; ++k) {
    group.x.vector[k] = x[k].each;
    group.v.vector[k] = v[k].each;
  }
}

void advance_masked(Group& group, std::int64_t from, std::int64_t to) {
  for (std::int64_t s = from; s < to; ++s) {
    const Doubles done = Lanes(double(s)).each;
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) {
      Doubles& old_x = group.x.vector[k];
      Doubles& old_v = group.v.vector[k];
      Lanes x = old_x, v = old_v;
      step(x, v, group.damping.vector[k], group.stiffness.vector[k]);
      const auto running = done < group.stop.vector[k];
      old_x = running ? x.each : old_x;
      old_v = running ? v.each : old_v;
    }
  }
}

// Runs `lanes` samples to their ends; lanes beyond those repeat the last one. Returns the lane steps issued.
std::int64_t run_group(const Planes& p, const std::uint32_t* order, std::int64_t lanes) {
  Group group;
  std::int64_t shortest = INT64_MAX, longest = 0;
  for (std::int64_t l = 0; l < kLanes; ++l) {
    const std::int64_t i = order[std::min(l, lanes - 1)];
    const std::int64_t length = length_of(p, i);
    group.damping.lane[l] = -2.0 * p.zeta[i] * p.omega[i];
    group.stiffness.lane[l] = -p.omega[i] * p.omega[i];
    group.x.lane[l] = p.x0[i];
    group.v.lane[l] = p.v0[i];
    group.stop.lane[l] = double(length);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  advance(group, shortest);
  advance_masked(group, shortest, longest);
  for (std::int64_t l = 0; l < lanes; ++l) {
    const std::int64_t i = order[l];
    p.x[i] = group.x.lane[l];
    p.v[i] = group.v.lane[l];
    p.steps[i] = length_of(p, i);
  }
  return kLanes * longest;
}

// The whole batch as the threads of a team see it.
class Batch {
 public:
  Batch(const Planes& planes, std::uint32_t* order, std::int64_t size, std::int64_t parts, Part* part)
      : planes_(planes), order_(order), size_(size), parts_(parts), part_(part) {}

  // One thread's share; returns the lane steps it issued.
  std::int64_t work() {
    std::int64_t issued = 0;
    for (std::int64_t k = claimed_.fetch_add(1); k < parts_; k = claimed_.fetch_add(1)) {
      order_part(planes_, k * size_, count(k), order_ + k * size_);
      part_[k].ordered.store(true, std::memory_order_release);
      issued += run_part(k);
    }
    for (std::int64_t k = 0; k < parts_; ++k) {
      if (part_[k].next.load(std::memory_order_relaxed) < count(k)) issued += run_part(k);
    }
    return issued;
  }

 private:
  std::int64_t count(std::int64_t k) const { return std::min(size_, planes_.n - k * size_); }

  std::int64_t run_part(std::int64_t k) {
    Part& part = part_[k];
    while (!part.ordered.load(std::memory_order_acquire)) {
    }
    std::int64_t issued = 0;
    for (std::int64_t at = part.next.fetch_add(kLanes); at < count(k); at = part.next.fetch_add(kLanes)) {
      issued += run_group(planes_, order_ + k * size_ + at, std::min<std::int64_t>(kLanes, count(k) - at));
    }
    return issued;
  }

  const Planes planes_;
  std::uint32_t* order_;
  std::int64_t size_, parts_;
  Part* part_;
  std::atomic<std::int64_t> claimed_{0};
};

}  // namespace
}  // namespace rk4

// Lanes of a group.
extern "C" int rk4_simd_lanes() { return rk4::kLanes; }

// `order` is room for n indices; `cpus` a processor for each thread, or null. Returns the lane steps issued, -1 where
// memory is short.
extern "C" std::int64_t rk4_simd_run(std::int64_t n, const double* omega, const double* zeta, const double* x0,
                                     const double* v0, const std::int64_t* nstop, double* x_out, double* v_out,
                                     std::int64_t* steps_out, std::uint32_t* order, int threads, const int* cpus) {
  using namespace rk4;
  const std::int64_t size = std::min(kMostPart, std::max(kLeastPart, (n + threads - 1) / threads));
  const std::int64_t parts = (n + size - 1) / size;
  const std::unique_ptr<Part[]> part(new (std::nothrow) Part[parts]);
  if (!part) return -1;
  Batch batch({n, omega, zeta, x0, v0, nstop, x_out, v_out, steps_out}, order, size, parts, part.get());
  std::int64_t issued = 0;
#pragma omp parallel num_threads(threads) reduction(+ : issued)
  {
    const perfdocs::Pinned pinned(cpus);
    issued += batch.work();
  }
  return issued;
}
