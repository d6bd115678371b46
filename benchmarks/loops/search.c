// The two loops in C: one thread, and OpenMP over the rows.

// The pairs tried in row i; those behind the one with the product `target`, which is put into `found`, are left out.
static inline int try_row(int i, int target, int limit, int *found) {
  for (int j = i + 1; j <= limit; ++j) {
    if (i * j == target) {
      found[0] = i;
      found[1] = j;
      return j - i;
    }
  }
  return limit - i;
}

// The pairs tried; `found` is two zeros before.
long long loops_search(int target, int limit, int *found) {
  long long tried = 0;
  for (int i = 1; i < limit; ++i) tried += try_row(i, target, limit, found);
  return tried;
}

// Rows get shorter: threads take some at a time, so that they end together.
long long loops_search_openmp(int target, int limit, int *found, int threads, int rows) {
  long long tried = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, rows) reduction(+ : tried)
  for (int i = 1; i < limit; ++i) tried += try_row(i, target, limit, found);
  return tried;
}
