// The same chain on one thread of the host.
unsigned clock_gate_chain(unsigned start, unsigned steps) {
  unsigned x = start;
  for (unsigned i = 0; i < steps; ++i) {
    x = x * 1664525u + 1013904223u;
    __asm__ volatile("" : "+r"(x));  // step by step, as it stands
  }
  return x;
}
