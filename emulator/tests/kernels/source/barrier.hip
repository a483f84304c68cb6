// Only the first 64 items of a workgroup go to the barrier.
#include "both.h"

KERNEL(uneven, u32 *out) {
  if (first(item_x()) < 64) __builtin_amdgcn_s_barrier();
  out[item_x()] = 1;
}
