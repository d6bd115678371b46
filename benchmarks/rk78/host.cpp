// The attempt of step.cuh over a batch on the host: OpenMP over orbits, each run to its end.
#include "step.cuh"

#include <cstdint>

#include <perfdocs/pin.hpp>

namespace {

constexpr std::int64_t kChunk = 16;  // orbits a thread takes at a time

}  // namespace

// ---- run ----------------------------------------------------------------------------------------------------------

// `start` is six planes of n (place, speed), `end` seven (place, speed, time); `cpus` is a processor for each thread, or
// null.
extern "C" void rk78_run(std::int64_t n, const double* start, double* end, int* accepted, int* rejected, int threads,
                         const int* cpus) {
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
#pragma omp for schedule(dynamic, kChunk)
    for (std::int64_t i = 0; i < n; ++i) {
      rk78::State s = {{start[i], start[n + i], start[2 * n + i]},
                       {start[3 * n + i], start[4 * n + i], start[5 * n + i]},
                       0.0,
                       rk78::kFirst};
      int taken = 0, refused = 0;
      while (s.step > 0) rk78::advance(s, taken, refused);
      end[i] = s.place.x;
      end[n + i] = s.place.y;
      end[2 * n + i] = s.place.z;
      end[3 * n + i] = s.speed.x;
      end[4 * n + i] = s.speed.y;
      end[5 * n + i] = s.speed.z;
      end[6 * n + i] = s.time;
      accepted[i] = taken;
      rejected[i] = refused;
    }
  }
}

// ---- for the tests of the attempt itself ----------------------------------------------------------------------------

// One attempt of a state of eight numbers (place, speed, time, step); returns whether it was accepted.
extern "C" int rk78_attempt(double* state) {
  rk78::State s = {{state[0], state[1], state[2]}, {state[3], state[4], state[5]}, state[6], state[7]};
  const bool accepted = rk78::attempt(s);
  const double out[8] = {s.place.x, s.place.y, s.place.z, s.speed.x, s.speed.y, s.speed.z, s.time, s.step};
  for (int i = 0; i < 8; ++i) state[i] = out[i];
  return accepted;
}

// One step of such a state, taken whatever its error; returns the ratio of the error to what is tolerated.
extern "C" double rk78_step(double* state) {
  const rk78::State s = {{state[0], state[1], state[2]}, {state[3], state[4], state[5]}, state[6], state[7]};
  const rk78::Trial t = rk78::try_step(s);
  const double out[6] = {t.place.x, t.place.y, t.place.z, t.speed.x, t.speed.y, t.speed.z};
  for (int i = 0; i < 6; ++i) state[i] = out[i];
  return t.over / t.under;
}

extern "C" double rk78_inverse_root(double x, int ninth) { return rk78::inverse_root(x, ninth != 0); }

extern "C" double rk78_growth(double ratio, int accepted) { return rk78::growth(ratio, accepted != 0); }

// Twelve rows of twelve, then thirteen weights.
extern "C" void rk78_tableau(double* out) {
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) *out++ = rk78::kTableau[i][j];
  for (int j = 0; j < 13; ++j) *out++ = rk78::kWeights[j];
}
