// Threads of a team on processors of their own.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace rk78 {

static inline int thread_index() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

// The caller's own mask comes back at the end of its life; thread i of the team runs on cpus[i]. Null pins nothing.
class Pinning {
 public:
  explicit Pinning(const int* cpus) : cpus_(cpus) {
#if defined(__linux__)
    known_ = cpus_ && sched_getaffinity(0, sizeof before_, &before_) == 0;
#endif
  }

  ~Pinning() {
#if defined(__linux__)
    if (known_) sched_setaffinity(0, sizeof before_, &before_);
#endif
  }

  Pinning(const Pinning&) = delete;
  Pinning& operator=(const Pinning&) = delete;

  void pin_this_thread() const {
#if defined(__linux__)
    if (!known_) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus_[thread_index()], &one);
    sched_setaffinity(0, sizeof one, &one);
#endif
  }

 private:
  const int* cpus_;
#if defined(__linux__)
  cpu_set_t before_{};
  bool known_ = false;
#endif
};

}  // namespace rk78
