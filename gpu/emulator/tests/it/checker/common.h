// The common part of the sources in this folder.
//
// Arguments: 256 words that count up, 256 words of output that were never written, 256 words that never are, and 1.

#define KERNEL extern "C" __attribute__((global))
#define DEVICE static __attribute__((device)) inline
#define SHARED __attribute__((shared))
#define THREAD ((int)__builtin_amdgcn_workitem_id_x())
#define GROUP ((int)__builtin_amdgcn_workgroup_id_x())
#define SIZE ((int)__builtin_amdgcn_workgroup_size_x())
#define ARGUMENTS int *in, int *out, int *never, int one

#ifdef FIXED
#define EITHER(bug, fixed) fixed
#else
#define EITHER(bug, fixed) bug
#endif

DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

DEVICE void release() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
DEVICE void acquire() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }

DEVICE int add(int *place, int value) {
  return __hip_atomic_fetch_add(place, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

DEVICE int look(int *place) { return __hip_atomic_load(place, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }

DEVICE void sleep() { __builtin_amdgcn_s_sleep(2); }

DEVICE int add_in_group(int *place, int value) {
  return __hip_atomic_fetch_add(place, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
