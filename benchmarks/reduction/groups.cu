// The sum in one cooperative launch, written with cooperative groups: tiles of 32 reduce, blocks join, the grid
// synchronises, and the first block adds up the partial sums. REDUCTION_THREADS is the block.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "parts.cuh"

namespace cg = cooperative_groups;

// A block's sum, valid in its first thread.
__device__ __forceinline__ Sum block_sum(const cg::thread_block& block, Sum value) {
  __shared__ Sum sums[REDUCTION_THREADS / 32];
  const auto tile = cg::tiled_partition<32>(block);
  value = cg::reduce(tile, value, cg::plus<Sum>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;
  block.sync();
  if (tile.meta_group_rank() > 0) return 0;
  return cg::reduce(tile, tile.thread_rank() < REDUCTION_THREADS / 32 ? sums[tile.thread_rank()] : 0, cg::plus<Sum>());
}

extern "C" __global__ void __launch_bounds__(REDUCTION_THREADS)
    reduction_groups(const longlong2* pairs, unsigned count, Sum* partial, unsigned*, Sum* total) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  Sum sum = block_sum(block, own_sum(pairs, count));
  if (block.thread_rank() == 0) partial[blockIdx.x] = sum;
  grid.sync();
  if (blockIdx.x > 0) return;
  sum = 0;
  for (unsigned i = block.thread_rank(); i < gridDim.x; i += REDUCTION_THREADS) sum += __ldcg(partial + i);
  sum = block_sum(block, sum);
  if (block.thread_rank() == 0) *total = sum;
}
