// Who reads which element, on the device and on the host.
#pragma once

#include <perfdocs/words.hpp>

namespace words {

using perfdocs::u32;
using perfdocs::u64;

// The element that thread `id` reads i-th at a stride of 2^shift, of 2^order a thread: the bits that count i stand above
// the lowest `shift` bits of the address, and those of the thread around them.
PERFDOCS_BOTH u64 element(u32 id, int shift, u32 i, int order) {
  const u32 low = id & ((1u << shift) - 1);
  return u64(id ^ low) << order | u64(i) << shift | low;
}

}  // namespace words
