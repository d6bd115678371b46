// Where the cycles of an SM and the time of the device stand: two of these around work tell its mean clock there. The
// timer moves in steps, so that it is read where it has just moved; after so many looks it is taken as it stands.
extern "C" __global__ void clock_gate_probe(unsigned looks, unsigned long long* found) {
  unsigned sm;
  unsigned long long before, now;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
  now = before;
  for (unsigned i = 0; now == before && i < looks; ++i) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  const unsigned long long cycles = clock64();
  found += 3 * blockIdx.x;
  found[0] = sm;
  found[1] = now;
  found[2] = cycles;
}
