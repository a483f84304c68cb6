// Kernels with one bug each, in the line that says BUG. With -DFIXED they have none.
//
// Arguments: 256 words that count up, 256 words of output that were never written, 256 words that never are, and 1.

#define KERNEL extern "C" __attribute__((global))
#define SHARED __attribute__((shared))
#define THREAD __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ARGUMENTS int *in, int *out, int *never, int one

#ifdef FIXED
#define EITHER(bug, fixed) fixed
#else
#define EITHER(bug, fixed) bug
#endif

static __attribute__((device)) inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static __attribute__((device)) inline int add(int *place, int value) {
  return __hip_atomic_fetch_add(place, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL void load_beyond(ARGUMENTS) {
  int i = GROUP * 64 + THREAD;
  out[i] = in[EITHER(i + one, i)]; // BUG
}

KERNEL void store_beyond(ARGUMENTS) {
  int i = GROUP * 64 + THREAD;
  int value = in[i];
  EITHER(out[i + 3 * one], out[i]) = value; // BUG
}

KERNEL void store_before(ARGUMENTS) {
  int i = GROUP * 64 + THREAD;
  out[EITHER(i - one, i)] = i; // BUG
}

KERNEL void load_nowhere(ARGUMENTS) {
  long far = (long)one << 40;
  out[THREAD] = in[EITHER(far, 0) + THREAD]; // BUG
}

KERNEL void atomic_beyond(ARGUMENTS) {
  add(in + THREAD * EITHER(8, 4), 1); // BUG
}

KERNEL void lds_beyond(ARGUMENTS) {
  SHARED int words[64];
  words[THREAD] = in[THREAD];
  barrier();
  out[THREAD] = words[EITHER(THREAD + one, THREAD)]; // BUG
}

KERNEL void private_beyond(ARGUMENTS) {
  volatile int words[300];
  for (int i = 0; i < 300; i++) words[i] = i;
  out[THREAD] = words[EITHER(THREAD * 20, THREAD)]; // BUG
}

KERNEL void private_uninitialized(ARGUMENTS) {
  volatile int words[8];
  words[THREAD & EITHER(3, 7)] = in[THREAD];
  int value = words[THREAD & 7];
  out[THREAD] = value; // BUG
}

KERNEL void lds_uninitialized(ARGUMENTS) {
  SHARED int words[64];
  if (THREAD < EITHER(40, 64)) words[THREAD] = in[THREAD];
  barrier();
  int value = words[THREAD];
  out[THREAD] = value + 1; // BUG
}

KERNEL void lds_byte_uninitialized(ARGUMENTS) {
  SHARED unsigned char bytes[128];
  bytes[2 * THREAD] = in[THREAD];
  if (EITHER(THREAD != 17, true)) bytes[2 * THREAD + 1] = in[THREAD];
  barrier();
  out[THREAD] = bytes[2 * (THREAD ^ 1) + 1] * 3; // BUG
}

KERNEL void memory_uninitialized(ARGUMENTS) {
  int value = EITHER(never, in)[THREAD];
  out[THREAD] = value * 2; // BUG
}

KERNEL void branch_uninitialized(ARGUMENTS) {
  out[THREAD] = 1;
  if (EITHER(never, in)[one] == 5) // BUG
    __builtin_amdgcn_s_sleep(1), out[THREAD] = 2;
}

KERNEL void lanes_uninitialized(ARGUMENTS) {
  out[THREAD] = 1;
  int value = EITHER(never, in)[THREAD];
  if (value > 5) // BUG
    add(out + THREAD, value & 0);
}

KERNEL void address_uninitialized(ARGUMENTS) {
  int index = EITHER(never, in)[THREAD];
  out[index] = 1; // BUG
}

KERNEL void atomic_uninitialized(ARGUMENTS) {
  add(EITHER(never, in) + THREAD, 1); // BUG
}

KERNEL void read_after_write(ARGUMENTS) {
  SHARED int words[128];
  words[THREAD] = in[THREAD];
  EITHER(, barrier());
  out[THREAD] = words[THREAD ^ 64]; // BUG
}

KERNEL void write_after_read(ARGUMENTS) {
  SHARED int words[128];
  words[THREAD] = in[THREAD];
  barrier();
  int value = words[127 - THREAD];
  EITHER(, barrier());
  words[THREAD] = value + 1; // BUG
  barrier();
  out[THREAD] = words[THREAD ^ 64];
}

KERNEL void histogram(ARGUMENTS) {
  SHARED int bins[64];
  if (THREAD < 64) bins[THREAD] = 0;
  barrier();
  __hip_atomic_fetch_add(bins + (in[THREAD] & 31), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  EITHER(, barrier());
  out[THREAD] = bins[THREAD & 63]; // BUG
}

KERNEL void bytes_race(ARGUMENTS) {
  SHARED unsigned char bytes[160];
  bytes[THREAD] = in[THREAD];
  if (THREAD < 4) bytes[128 + THREAD] = 0;
  EITHER(, barrier());
  if (THREAD == 64) bytes[EITHER(63, 64)] = 200; // BUG
  barrier();
  out[THREAD] = bytes[THREAD];
}

KERNEL void memory_race(ARGUMENTS) {
  in[THREAD] = THREAD + 1000;
  EITHER(, barrier());
  out[THREAD] = in[THREAD ^ 64]; // BUG
}

KERNEL void left_barrier(ARGUMENTS) {
  SHARED int words[128];
  words[THREAD] = in[THREAD];
  if (EITHER(THREAD >= 64, false)) return;
  barrier(); // BUG
  out[THREAD] = words[THREAD];
}

KERNEL void shared_write(ARGUMENTS) {
  int i = EITHER(60, 64) * GROUP + THREAD;
  out[i] = THREAD; // BUG
}

KERNEL void shared_bytes(ARGUMENTS) {
  unsigned char *bytes = (unsigned char *)out;
  bytes[GROUP * EITHER(63, 64) + THREAD] = THREAD + GROUP; // BUG
}

KERNEL void reset_and_add(ARGUMENTS) {
  if (GROUP == 1 && THREAD == 0 && EITHER(true, false))
    in[0] = 0; // BUG
  add(in, one);
}

// What must not be found: nothing here is a bug.

// Two workgroups write the same value.
KERNEL void flag(ARGUMENTS) { out[0] = 1; }

// The last workgroup to come takes what the others left, and resets the counter.
KERNEL void last_workgroup(ARGUMENTS) {
  SHARED int last;
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP * 10;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    last = add(in, 1) == 3;
  }
  barrier();
  if (last && THREAD == 0) {
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += in[i + 1], in[i + 1] = -1;
    out[0] = sum;
    in[0] = 0;
  }
}

struct Padded {
  char small;
  double large;
  short last;
};

// Padding is copied through private memory, and stays undefined.
KERNEL void padding(ARGUMENTS) {
  Padded one_of_them = {(char)THREAD, 1.5, (short)in[THREAD]};
  ((Padded *)out)[THREAD & 31] = one_of_them;
}

// Only a part of a vector is written and used.
KERNEL void part_of_vector(ARGUMENTS) {
  typedef float Four __attribute__((ext_vector_type(4)));
  Four *from = (Four *)never;
  Four all = from[THREAD];
  all.x = in[THREAD];
  all.z = all.x + 1;
  out[THREAD] = (int)(all.x + all.z);
}

// Exchanges in a wave need no barrier.
KERNEL void within_wave(ARGUMENTS) {
  SHARED int words[128];
  words[THREAD] = in[THREAD];
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  out[THREAD] = words[THREAD ^ 5];
}
