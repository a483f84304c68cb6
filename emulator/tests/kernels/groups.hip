// Kernels whose work-items cooperate: LDS, barriers, lane permutations, atomics.
#define KERNEL extern "C" __attribute__((global)) void
#define SHARED __attribute__((shared))
typedef unsigned int u32;

#define BARRIER() __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")

// Inclusive sums of 256 values, by doubling steps through LDS.
KERNEL scan256(u32 *out, const u32 *in) {
  SHARED static u32 buffer[2][256];
  u32 item = __builtin_amdgcn_workitem_id_x(), base = __builtin_amdgcn_workgroup_id_x() * 256;
  u32 from = 0;
  buffer[0][item] = in[base + item];
  BARRIER();
  for (u32 step = 1; step < 256; step *= 2) {
    u32 value = buffer[from][item];
    if (item >= step) value += buffer[from][item - step];
    buffer[1 - from][item] = value;
    from = 1 - from;
    BARRIER();
  }
  out[base + item] = buffer[from][item];
}

// Counts of 16 classes: atomics in LDS, then in memory.
KERNEL histogram(u32 *counts, const u32 *in) {
  SHARED static u32 local[16];
  u32 item = __builtin_amdgcn_workitem_id_x();
  if (item < 16) local[item] = 0;
  BARRIER();
  u32 value = in[__builtin_amdgcn_workgroup_id_x() * 192 + item];
  __hip_atomic_fetch_add(&local[value & 15], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  BARRIER();
  if (item < 16) __hip_atomic_fetch_add(&counts[item], local[item], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Every atomic on 32 and 64 bits, the old values returned.
KERNEL atomics(u32 *words, unsigned long long *longs, u32 *old, const u32 *in) {
  u32 item = __builtin_amdgcn_workitem_id_x();
  u32 x = in[item];
  u32 sum = 0;
#define SCOPE __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
  sum += __hip_atomic_fetch_add(&words[0], x, SCOPE);
  sum ^= __hip_atomic_fetch_and(&words[1], x | 0xff, SCOPE);
  sum += __hip_atomic_fetch_or(&words[2], x & 0x0f0f, SCOPE);
  sum ^= __hip_atomic_fetch_xor(&words[3], x, SCOPE);
  sum += __hip_atomic_fetch_min(&words[4], x, SCOPE);
  sum ^= __hip_atomic_fetch_max(&words[5], x, SCOPE);
  sum += __hip_atomic_exchange(&words[6], x, SCOPE);
  u32 expected = item;
  __hip_atomic_compare_exchange_strong(&words[7], &expected, item + 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  sum ^= expected;
  sum += (u32)__hip_atomic_fetch_add(&longs[0], ((unsigned long long)x << 32) | item, SCOPE);
  sum ^= (u32)__hip_atomic_fetch_max(&longs[1], (unsigned long long)x * x, SCOPE);
  unsigned long long wide = item;
  __hip_atomic_compare_exchange_strong(&longs[2], &wide, (unsigned long long)item + 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  old[item] = sum + (u32)wide;
}

// The sum of a wave by DPP: the steps that are complete in lane 63 only.
KERNEL wave_sum(u32 *out, const u32 *in) {
  u32 item = __builtin_amdgcn_workitem_id_x();
  int x = in[item];
  x += __builtin_amdgcn_update_dpp(0, x, 0xB1, 0xf, 0xf, true);
  x += __builtin_amdgcn_update_dpp(0, x, 0x4E, 0xf, 0xf, true);
  x += __builtin_amdgcn_update_dpp(0, x, 0x141, 0xf, 0xf, true);
  x += __builtin_amdgcn_update_dpp(0, x, 0x140, 0xf, 0xf, true);
  x += __builtin_amdgcn_update_dpp(0, x, 0x142, 0xa, 0xf, false);
  x += __builtin_amdgcn_update_dpp(0, x, 0x143, 0xc, 0xf, false);
  if (item == 63) out[0] = x;
  out[1] = __builtin_amdgcn_readlane(x, 63);
}

// A barrier that some waves do not reach.
KERNEL uneven(u32 *out) {
  if (__builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x()) < 64) __builtin_amdgcn_s_barrier();
  out[__builtin_amdgcn_workitem_id_x()] = 1;
}

// Work-items in three dimensions, hidden arguments.
KERNEL dimensions(u32 *out) {
  u32 x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  u32 w = __builtin_amdgcn_workgroup_id_x() + 2 * (__builtin_amdgcn_workgroup_id_y() + 3 * __builtin_amdgcn_workgroup_id_z());
  const unsigned short *sizes = (const unsigned short *)((const char *)__builtin_amdgcn_implicitarg_ptr() + 12);
  const u32 *counts = (const u32 *)__builtin_amdgcn_implicitarg_ptr();
  u32 item = x + sizes[0] * (y + sizes[1] * z);
  out[w * 60 + item] = w * 1000 + item + 100000 * counts[0] + 1000000 * counts[1] + 10000000 * counts[2];
}
