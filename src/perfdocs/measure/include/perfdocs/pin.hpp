// Threads of a team on processors of their own.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace perfdocs {

static inline int thread_index() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

// Made by each thread of a team, inside its parallel region: as long as it lives thread i runs on cpus[i]. The threads
// of a team live on and may serve others: each gets its own mask back. Null pins nothing.
class Pinned {
 public:
  explicit Pinned(const int* cpus) {
#if defined(__linux__)
    if (!cpus || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus[thread_index()], &one);
    pinned_ = sched_setaffinity(0, sizeof one, &one) == 0;
#else
    (void)cpus;
#endif
  }

  ~Pinned() {
#if defined(__linux__)
    if (pinned_) sched_setaffinity(0, sizeof before_, &before_);
#endif
  }

  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

#if defined(__linux__)
 private:
  cpu_set_t before_{};
  bool pinned_ = false;
#endif
};

}  // namespace perfdocs
