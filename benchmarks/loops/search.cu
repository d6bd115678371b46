// The two loops in CUDA. Each thread writes how many pairs it tried; the pair, where there is one, goes to `found`.

// A thread for every row: the first is `limit` times as long as the last. A row is left once the product is found.
extern "C" __global__ void loops_naive(int target, int limit, int2* found, int* tried) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i >= limit) return;
  int j = i + 1;
#pragma unroll LOOPS_UNROLL
  for (; j <= limit; ++j) {
    if (i * j == target) {
      *found = make_int2(i, j);
      break;
    }
  }
  tried[i - 1] = min(j, limit) - i;
}

// Tries every 32nd pair of row i, from j = first on, and returns how many. A lane leaves the row where it has found the
// product, but looks only after several pairs, since a jump at each costs more than the pair. The last of them may lie
// beyond the limit: they neither count nor hit.
__device__ __forceinline__ int try_by_lane(int i, int first, int target, int limit, int2* found) {
  const int most = first <= limit ? (limit - first) / 32 + 1 : 0;
  for (int done = 0; done < most; done += LOOPS_UNROLL) {
    const int begin = first + 32 * done;
    bool hit = false;
#pragma unroll
    for (int k = 0; k < LOOPS_UNROLL; ++k) hit |= i * (begin + 32 * k) == target;
    if (hit && target / i <= limit) {
      *found = make_int2(i, target / i);
      return min(done + LOOPS_UNROLL, most);
    }
  }
  return most;
}

// A warp for row i and row limit - i, which are `limit` pairs together.
extern "C" __global__ void loops_balanced(int target, int limit, int2* found, int* tried) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, i = thread / 32 + 1;
  if (i > limit / 2) return;
  const int mirror = limit - i;
  int count = try_by_lane(i, i + 1 + lane, target, limit, found);
  if (mirror > i) count += try_by_lane(mirror, mirror + 1 + lane, target, limit, found);
  tried[thread] = count;
}
