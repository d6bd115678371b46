// The doubles that the streams go through: random bits that are known from their place, on the device and on the host.
// Like words they repeat every kPeriod elements but for what tells the periods apart.
#pragma once

#include <perfdocs/words.hpp>

namespace contents {

// Element i of the array `which` (0 or 1) of doubles: 52 random bits in [0.5, 1), times 1 + period / 256.
PERFDOCS_BOTH double real(perfdocs::u64 i, perfdocs::u32 which) {
  using namespace perfdocs;
  const u32 at = 4 * (u32(i) & (kPeriod - 1)) + 2 * which;
  const u64 bits = 0x3feull << 52 | u64(mixed(at) & 0xfffffu) << 32 | mixed(at + 1);
  double base;
  memcpy(&base, &bits, sizeof base);
  return base * (1.0 + double(i >> kPeriodBits) * 0.00390625);
}

}  // namespace contents
