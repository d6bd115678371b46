// A chain a thread: nothing but arithmetic that waits for itself. The end of every chain is written. Factor and summand
// are arguments, since of known ones a compiler makes one step of many.
extern "C" __global__ void __launch_bounds__(256)
    clock_gate_chain(unsigned steps, unsigned factor, unsigned summand, unsigned* ends) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = thread;
#pragma unroll 16
  for (unsigned i = 0; i < steps; ++i) x = x * factor + summand;
  ends[thread] = x;
}
