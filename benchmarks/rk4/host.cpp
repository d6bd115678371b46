// The step of step.cuh over a batch on the host: OpenMP over samples, each run to its end.
#include "step.cuh"

#include <cstdint>

#include <perfdocs/pin.hpp>

namespace {

constexpr std::int64_t kChunk = 64;  // samples a thread takes at a time

}  // namespace

// `cpus` is a processor for each thread, or null.
extern "C" void rk4_run(std::int64_t n, const double* omega, const double* zeta, const double* x0, const double* v0,
                        const std::int64_t* nstop, double* x_out, double* v_out, std::int64_t* steps_out,
                        int threads, const int* cpus) {
#pragma omp parallel num_threads(threads)
  {
    const perfdocs::Pinned pinned(cpus);
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
}

// One step of one oscillator, for the tests of the step itself.
extern "C" void rk4_step(double* state, double damping, double stiffness) {
  rk4::step(state[0], state[1], damping, stiffness);
}
