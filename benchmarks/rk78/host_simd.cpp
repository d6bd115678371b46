// The attempt over vectors of orbits. A lane whose orbit has ended writes it out and takes the next, so that lanes
// idle only while the last orbits of a thread end.
#include "lanes.hpp"  // before step.cuh, whose numbers it widens
#include "step.cuh"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <perfdocs/pin.hpp>

namespace rk78 {
namespace {

constexpr std::int64_t kChunk = 2 * kLanes;  // orbits a thread takes at a time

// Steps of each lane, of one vector.
struct Tally {
  Longs accepted, rejected;

  // A lane out of attempts stops where it is.
  RK78_MEMBER void count(Longs ok, Doubles& step) {
    accepted -= ok;
    rejected -= ~ok;
    step = accepted + rejected < kAttempts ? step : Doubles{};
  }
};

struct Group {
  StateOf<Lanes> s;
  Tally tally[kVectors];
};

RK78_HIDDEN VecOf<Lanes> select(Flags where, VecOf<Lanes> yes, VecOf<Lanes> no) {
  return {select(where, yes.x, no.x), select(where, yes.y, no.y), select(where, yes.z, no.z)};
}

// Every lane tries a step. Returns whether a lane is at its end.
__attribute__((noinline)) bool advance(Group& group) {
  StateOf<Lanes>& s = group.s;
  const Lanes h = s.step;
  const TrialOf<Lanes> trial = try_step(s);
  const Flags ok = trial.over < trial.under;
  s.place = select(ok, trial.place, s.place);
  s.speed = select(ok, trial.speed, s.speed);
  s.time = select(ok, s.time + h, s.time);
  const Lanes ratio = magnitude(trial.over * reciprocal(trial.under));
  s.step = least(h * growth(ratio, ok), kEnd - s.time);
  Longs ended = {};
  RK78_EACH {
    group.tally[k].count(ok.v[k], s.step.v[k]);
    ended |= ~(s.step.v[k] > 0.0);
  }
  return some(ended);
}

struct Planes {
  std::int64_t n;
  const double* start;  // six of n
  double* end;          // seven of n
  int* accepted;
  int* rejected;
};

// One thread's lanes and the orbits it took from the queue that all share.
class Worker {
 public:
  Worker(const Planes& planes, std::atomic<std::int64_t>& queue) : p_(planes), queue_(queue) {}

  // Runs orbits until none is left. Returns the attempts issued, those of idle lanes included.
  std::int64_t work() {
    std::int64_t issued = 0;
    for (int l = 0; l < kLanes; ++l) load(l);
    while (busy_) {
      issued += kLanes;
      if (!advance(group_)) continue;
      for (int l = 0; l < kLanes; ++l) {
        if (orbit_[l] < 0 || lane(group_.s.step, l) > 0) continue;
        store(l);
        load(l);
      }
    }
    return issued;
  }

 private:
  static double& lane(Lanes& x, int l) { return reinterpret_cast<double*>(&x)[l]; }
  static std::int64_t& lane(Longs& x, int l) { return reinterpret_cast<std::int64_t*>(&x)[l]; }

  std::int64_t next() {
    if (at_ == stop_) {
      at_ = std::min(queue_.fetch_add(kChunk, std::memory_order_relaxed), p_.n);
      stop_ = std::min(at_ + kChunk, p_.n);
    }
    return at_ < stop_ ? at_++ : -1;
  }

  // The next orbit, or a circle that nobody reads.
  void load(int l) {
    const std::int64_t i = orbit_[l] = next();
    static const double circle[6] = {1, 0, 0, 0, 1, 0};
    double start[6];
    for (int k = 0; k < 6; ++k) start[k] = i < 0 ? circle[k] : p_.start[k * p_.n + i];
    StateOf<Lanes>& s = group_.s;
    Lanes* const planes[6] = {&s.place.x, &s.place.y, &s.place.z, &s.speed.x, &s.speed.y, &s.speed.z};
    for (int k = 0; k < 6; ++k) lane(*planes[k], l) = start[k];
    lane(s.time, l) = 0.0;
    lane(s.step, l) = kFirst;
    Tally& tally = group_.tally[l / kWidth];
    lane(tally.accepted, l % kWidth) = lane(tally.rejected, l % kWidth) = 0;
    busy_ += i >= 0;
  }

  void store(int l) {
    const std::int64_t i = orbit_[l];
    StateOf<Lanes>& s = group_.s;
    Lanes* const planes[7] = {&s.place.x, &s.place.y, &s.place.z, &s.speed.x, &s.speed.y, &s.speed.z, &s.time};
    for (int k = 0; k < 7; ++k) p_.end[k * p_.n + i] = lane(*planes[k], l);
    Tally& tally = group_.tally[l / kWidth];
    p_.accepted[i] = int(lane(tally.accepted, l % kWidth));
    p_.rejected[i] = int(lane(tally.rejected, l % kWidth));
    --busy_;
  }

  const Planes p_;
  std::atomic<std::int64_t>& queue_;
  std::int64_t at_ = 0, stop_ = 0, busy_ = 0;
  std::int64_t orbit_[kLanes];
  Group group_;
};

}  // namespace
}  // namespace rk78

// ---- run ----------------------------------------------------------------------------------------------------------

// Orbits of a group.
extern "C" int rk78_simd_lanes() { return rk78::kLanes; }

// Planes as those of rk78_run; `cpus` is a processor for each thread, or null. Returns the attempts issued.
extern "C" std::int64_t rk78_simd_run(std::int64_t n, const double* start, double* end, int* accepted, int* rejected,
                                      int threads, const int* cpus) {
  std::atomic<std::int64_t> queue{0};
  const rk78::Planes planes = {n, start, end, accepted, rejected};
  std::int64_t issued = 0;
#pragma omp parallel num_threads(threads) reduction(+ : issued)
  {
    const perfdocs::Pinned pinned(cpus);
    issued += rk78::Worker(planes, queue).work();
  }
  return issued;
}

// ---- for the tests of single functions ------------------------------------------------------------------------------

// Each takes as many numbers as a vector has lanes.
extern "C" void rk78_simd_growth(const double* ratio, int accepted, double* out) {
  using namespace rk78;
  Doubles x;
  for (int i = 0; i < kWidth; ++i) x[i] = ratio[i];
  const Doubles y = growth(x, accepted ? ~Longs{} : Longs{});
  for (int i = 0; i < kWidth; ++i) out[i] = y[i];
}

// 1 / x, or x^(-3/2)
extern "C" void rk78_simd_inverse(const double* given, int cubed, double* out) {
  using namespace rk78;
  Doubles x;
  for (int i = 0; i < kWidth; ++i) x[i] = given[i];
  const Doubles y = cubed ? cubed_inverse(x, all(1.0)) : reciprocal(x);
  for (int i = 0; i < kWidth; ++i) out[i] = y[i];
}
