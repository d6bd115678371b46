// The attempt of step.cuh over a batch on the host: OpenMP over orbits, each run to its end.
#include "step.cuh"

#include <cstdint>

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace {

constexpr std::int64_t kChunk = 16;  // orbits a thread takes at a time

#if defined(__linux__)
// Thread i of a team runs on the i-th processor the process is allowed; the caller's own mask comes back afterwards.
void pin(const cpu_set_t& allowed, int index) {
  int seen = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && seen++ == index) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
  }
}
#endif

}  // namespace

// ---- run ----------------------------------------------------------------------------------------------------------

// `start` is six planes of n (place, speed), `end` seven (place, speed, time).
extern "C" void rk78_run(std::int64_t n, const double* start, double* end, int* accepted, int* rejected, int threads) {
#if defined(__linux__)
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
#endif
#pragma omp parallel num_threads(threads)
  {
#if defined(__linux__)
#ifdef _OPENMP
    const int index = omp_get_thread_num();
#else
    const int index = 0;
#endif
    if (known) pin(allowed, index);
#endif
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
#if defined(__linux__)
  if (known) sched_setaffinity(0, sizeof allowed, &allowed);
#endif
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
