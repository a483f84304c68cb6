// Kernels whose workgroups meet in memory. Arguments: 1,024 words of zeros, and a number.

#define KERNEL extern "C" __attribute__((global))
#define SHARED __attribute__((shared))
#define THREAD ((int)__builtin_amdgcn_workitem_id_x())
#define GROUP ((int)__builtin_amdgcn_workgroup_id_x())
#define AGENT __HIP_MEMORY_SCOPE_AGENT

// Sums, extrema and bits, by atomics on 32 and 64 bits, with and without results.
KERNEL void atomics(int *words, int groups) {
  int value = GROUP * 64 + THREAD;
  __hip_atomic_fetch_add(words + value % 61, value, __ATOMIC_RELAXED, AGENT);
  __hip_atomic_fetch_max(words + 64 + THREAD, value * 7 % 1009, __ATOMIC_RELAXED, AGENT);
  __hip_atomic_fetch_or(words + 128, 1 << (value % 29), __ATOMIC_RELAXED, AGENT);
  __hip_atomic_fetch_add((long *)words + 100, (long)value << 20, __ATOMIC_RELAXED, AGENT);
  int mine = __hip_atomic_fetch_add(words + 300, 1, __ATOMIC_RELAXED, AGENT);
  __hip_atomic_fetch_xor(words + 301, mine, __ATOMIC_RELAXED, AGENT);
}

// The last workgroup adds what all of them left.
KERNEL void last(int *words, int groups) {
  SHARED int is_last;
  for (int i = 0; i < 40; i++) __builtin_amdgcn_s_sleep(1);
  if (THREAD == 0) {
    if (GROUP < 1000) words[1 + GROUP] = GROUP;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    is_last = __hip_atomic_fetch_add(words, 1, __ATOMIC_RELAXED, AGENT) == groups - 1;
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  }
  __builtin_amdgcn_s_barrier();
  if (is_last && THREAD == 0) {
    int sum = 0;
    for (int i = 0; i < groups && i < 1000; i++) sum += words[1 + i];
    words[1001] = sum;
  }
}

// Every fifth workgroup from that number on stores where nothing is.
KERNEL void stray(int *words, int first) {
  for (int i = 0; i < 100; i++) __builtin_amdgcn_s_sleep(1);
  bool strays = GROUP >= first && GROUP % 5 == first % 5;
  words[(strays ? 1 << 20 : 0) + GROUP % 1024] = 1;
}
