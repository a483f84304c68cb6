// Workgroups that depend on each other: what they compute, and that events tell the time of each launch.
#include "hip.h"

#include <cmath>

#define AGENT __HIP_MEMORY_SCOPE_AGENT

__device__ u32 add(u32 *place, u32 value) { return __hip_atomic_fetch_add(place, value, __ATOMIC_ACQ_REL, AGENT); }
__device__ u32 look(u32 *place) { return __hip_atomic_load(place, __ATOMIC_ACQUIRE, AGENT); }

// A grid barrier: each workgroup reads what the next one has written before it.
__global__ void meet(u32 *counter, u32 *between, u32 *out, u32 groups) {
  if (THREAD(x) != 0) return;
  between[BLOCK(x)] = BLOCK(x);
  add(counter, 1);
  while (look(counter) < groups) __builtin_amdgcn_s_sleep(1);
  out[BLOCK(x)] = between[(BLOCK(x) + 1) % groups];
}

// A chained scan: each workgroup waits for the sum of the one before it, without sleep.
__global__ void scan(u32 *sums, u32 *in, u32 *out) {
  if (THREAD(x) != 0) return;
  u32 before = 1;
  if (BLOCK(x) > 0)
    while ((before = look(sums + BLOCK(x) - 1)) == 0) {
    }
  out[BLOCK(x)] = before - 1 + in[BLOCK(x)];
  __hip_atomic_store(sums + BLOCK(x), before + in[BLOCK(x)], __ATOMIC_RELEASE, AGENT);
}

// The last workgroup adds up what the others have left.
__global__ void last(u32 *counter, u32 *between, u32 *out, u32 groups) {
  if (THREAD(x) != 0) return;
  between[BLOCK(x)] = BLOCK(x);
  if (add(counter, 1) != groups - 1) return;
  u32 sum = 0;
  for (u32 i = 0; i < groups; i++) sum += between[i];
  out[0] = sum;
}

constexpr u32 GROUPS = 5000;

static int run(int which, u32 *in, u32 *between, u32 *out, u32 groups, float &elapsed) {
  hipEvent_t start, stop;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  CHECK(hipMemset(between, 0, 4 * GROUPS));
  u32 *counter;
  CHECK(hipMalloc((void **)&counter, 4));
  CHECK(hipMemset(counter, 0, 4));
  CHECK(hipEventRecord(start, nullptr));
  if (which == 0) meet<<<groups, 64>>>(counter, between, out, groups);
  if (which == 1) scan<<<groups, 64>>>(between, in, out);
  if (which == 2) last<<<groups, 64>>>(counter, between, out, groups);
  CHECK(hipEventRecord(stop, nullptr));
  CHECK(hipEventSynchronize(stop));
  CHECK(hipEventElapsedTime(&elapsed, start, stop));
  CHECK(hipFree(counter));
  return 0;
}

int main() {
  std::vector<u32> host(GROUPS, 1), found(GROUPS);
  u32 *in, *between, *out;
  CHECK(hipMalloc((void **)&in, 4 * GROUPS));
  CHECK(hipMalloc((void **)&between, 4 * GROUPS));
  CHECK(hipMalloc((void **)&out, 4 * GROUPS));
  CHECK(hipMemcpy(in, host.data(), 4 * GROUPS, hipMemcpyHostToDevice));
  float few, many;
  for (int which = 0; which < 3; which++) {
    u32 groups = which == 0 ? 60 : GROUPS;
    if (run(which, in, between, out, 2, few) || run(which, in, between, out, groups, many)) return 1;
    CHECK(hipMemcpy(found.data(), out, 4 * GROUPS, hipMemcpyDeviceToHost));
    for (u32 i = 0; i < (which == 2 ? 1 : groups); i++) {
      u32 expected = which == 0 ? (i + 1) % groups : which == 1 ? i + 1 : groups * (groups - 1) / 2;
      EXPECT(found[i] == expected);
    }
    // NaN is less than nothing. What the last one adds up takes long.
    EXPECT(few > 0 && many >= few && many < 2);
    EXPECT(which != 2 || many > 2 * few);
  }
  return 0;
}
