// The step of step.cuh over a batch on the host: OpenMP over samples, each run to its end.
#include "step.cuh"

#include <cstdint>

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace {

constexpr std::int64_t kChunk = 64;  // samples a thread takes at a time

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

extern "C" void rk4_run(std::int64_t n, const double* omega, const double* zeta, const double* x0, const double* v0,
                        const std::int64_t* nstop, double* x_out, double* v_out, std::int64_t* steps_out,
                        int threads) {
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
      const double damping = -2.0 * zeta[i] * omega[i];
      const double stiffness = -omega[i] * omega[i];
      double x = x0[i];
      double v = v0[i];
      std::int64_t count = 0;
      while (count < nstop[i]) {
        rk4::step(x, v, damping, stiffness);
        ++count;
      }
      x_out[i] = x;
      v_out[i] = v;
      steps_out[i] = count;
    }
  }
#if defined(__linux__)
  if (known) sched_setaffinity(0, sizeof allowed, &allowed);
#endif
}

// One step of one oscillator, for the tests of the step itself.
extern "C" void rk4_step(double* state, double damping, double stiffness) {
  rk4::step(state[0], state[1], damping, stiffness);
}
