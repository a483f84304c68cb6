// Kernels with one bug each, in the line that says BUG. With -DFIXED they have none.
//

#include "common.h"

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

KERNEL void scalar_load_beyond(ARGUMENTS) {
  int last = EITHER(256, 255) * one;
  out[THREAD] = in[last] + 1; // BUG
}

KERNEL void load_ends_beyond(ARGUMENTS) {
  typedef int Four __attribute__((ext_vector_type(4)));
  char *bytes = (char *)in;
  Four value = *(Four *)(bytes + EITHER(1012, 1008) * one - 16 * THREAD); // BUG
  out[THREAD] = value.x ^ value.y ^ value.z ^ value.w;
}

KERNEL void store_ends_beyond(ARGUMENTS) {
  typedef unsigned short Unaligned __attribute__((aligned(1)));
  char *bytes = (char *)out;
  *(Unaligned *)(bytes + EITHER(834, 832) * one + 3 * THREAD + 1) = THREAD; // BUG
}

KERNEL void one_too_many(ARGUMENTS) {
  int sum = 0;
  for (int i = THREAD; EITHER(i <= 256 * one, i < 256 * one); i += 64)
    sum += in[i] & 7; // BUG
  out[THREAD] = sum;
}

KERNEL void bytes_for_words(ARGUMENTS) {
  out[EITHER(THREAD * 4 * one, THREAD * one)] = THREAD; // BUG
}

KERNEL void lds_store_beyond(ARGUMENTS) {
  SHARED int words[64];
  words[EITHER(THREAD + 8 * one, THREAD)] = in[THREAD]; // BUG
  barrier();
  out[THREAD] = words[63 - THREAD] & 3;
}

KERNEL void lds_atomic_before(ARGUMENTS) {
  SHARED int bins[64];
  bins[THREAD] = 0;
  barrier();
  add_in_group(bins + in[THREAD] - EITHER(one, 0), 1); // BUG
  barrier();
  out[THREAD] = bins[THREAD];
}

KERNEL void private_store_beyond(ARGUMENTS) {
  volatile int words[12];
  for (int i = 0; i < 12; i++) words[i] = i;
  words[EITHER(in[THREAD] * 4, in[THREAD] & 7)] = 5; // BUG
  out[THREAD] = words[3];
}

KERNEL void sum_uninitialized(ARGUMENTS) {
  SHARED float sums[128];
  if (THREAD < EITHER(100, 128)) sums[THREAD] = in[THREAD];
  barrier();
  for (int step = 64; step > 0; step /= 2) {
    if (THREAD < step) sums[THREAD] += sums[THREAD + step];
    barrier();
  }
  if (THREAD == 0) *(float *)out = sums[0]; // BUG
}

KERNEL void index_uninitialized(ARGUMENTS) {
  volatile int table[8];
  if (EITHER(THREAD > 1, true)) table[in[THREAD] & 7] = 1;
  int index = table[in[THREAD] & 7];
  out[THREAD] = in[index]; // BUG
}

KERNEL void select_uninitialized(ARGUMENTS) {
  float best = EITHER(never, in)[THREAD], mine = in[THREAD];
  float value = mine > best ? mine : 1.0f;
  ((float *)out)[THREAD] = value; // BUG
}

KERNEL void loop_uninitialized(ARGUMENTS) {
  SHARED int count;
  if (THREAD == EITHER(64, 0)) count = 3;
  barrier();
  int sum = 0, end = count;
  for (int i = 0; i < end; i++) // BUG
    sum += in[i + THREAD], __builtin_amdgcn_sched_barrier(0);
  out[THREAD] = sum;
}

KERNEL void tree_without_barrier(ARGUMENTS) {
  SHARED int sums[256];
  sums[THREAD] = in[THREAD];
  barrier();
  for (int step = 128; step > 0; step /= 2) {
    if (THREAD < step)
      sums[THREAD] += sums[THREAD + step]; // BUG
    EITHER(__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup"), barrier());
  }
  if (THREAD == 0) out[0] = sums[0];
}

KERNEL void tile_reused(ARGUMENTS) {
  SHARED int tile[128];
  int sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    tile[THREAD] = in[THREAD + 128 * pass]; // BUG
    barrier();
    for (int i = 0; i < 8; i++) sum += tile[(THREAD * 9 + i) & 127];
    EITHER(, barrier());
  }
  out[THREAD] = sum;
}

KERNEL void bins_cleared_late(ARGUMENTS) {
  SHARED int bins[128];
  bins[THREAD] = 0;
  EITHER(, barrier());
  add_in_group(bins + ((in[THREAD] * 37) & 127), 1); // BUG
  barrier();
  out[THREAD] = bins[THREAD];
}

KERNEL void barrier_of_one_wave(ARGUMENTS) {
  SHARED int words[128];
  words[THREAD] = in[THREAD];
  if (EITHER(THREAD < 64, true))
    barrier(); // BUG
  out[THREAD] = words[THREAD] + 1;
}

KERNEL void sum_without_atomic(ARGUMENTS) {
  if (THREAD == 0) {
    int value = in[GROUP + 8];
    EITHER(in[200] += value, add(in + 200, value)); // BUG
  }
}

KERNEL void group_forgotten(ARGUMENTS) {
  int i = THREAD + EITHER(0, 64 * GROUP);
  out[i] = in[THREAD] * 3; // BUG
}

// Two waves store a word with its neighbour; the word that both store is another one in each.
KERNEL void overlap(ARGUMENTS) {
  typedef int Two __attribute__((ext_vector_type(2), aligned(4)));
  int wave = THREAD / 64;
  if (THREAD % 64 == 0) *(Two *)(out + wave) = Two{in[wave] + EITHER(wave, 0), in[wave + 1]}; // BUG
}

// What must not be found.

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

// What the first workgroup stores is not released before it counts.
KERNEL void not_released(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP;
    EITHER(, release());
    if (add(in, 1) == 2) {
      acquire();
      out[0] = in[1]; // BUG
    }
  }
}

// Who counts last does not acquire what the others released.
KERNEL void not_acquired(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP;
    release();
    if (add(in, 1) == 2) {
      EITHER(, acquire());
      out[0] = in[1]; // BUG
    }
  }
}

// Nor does an acquisition from the own workgroup.
KERNEL void acquired_from_workgroup(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP;
    release();
    if (add(in, 1) == 2) {
      EITHER(__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"), acquire());
      out[0] = in[1]; // BUG
    }
  }
}

// A wave counts for others that may not have stored yet.
KERNEL void counted_early(ARGUMENTS) {
  SHARED int last;
  if (THREAD % WAVE == 0) in[1 + GROUP * 4 + THREAD / WAVE] = GROUP;
  release();
  EITHER(, barrier());
  if (THREAD == 0) last = add(in, 1) == 2;
  barrier();
  acquire();
  if (last && THREAD == 0)
    out[0] = in[2]; // BUG
}

// Who waits until all have counted has not released what it stored.
KERNEL void met_not_released(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP;
    EITHER(, release());
    add(in, 1);
    while (look(in) < 3) sleep();
    acquire();
    out[GROUP] = in[1 + (GROUP + 1) % 3]; // BUG
  }
}

// Nor acquired what the others did.
KERNEL void met_not_acquired(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP;
    release();
    add(in, 1);
    while (look(in) < 3) sleep();
    EITHER(, acquire());
    out[GROUP] = in[1 + (GROUP + 1) % 3]; // BUG
  }
}

// The loads with which it waits are none that see what others do.
KERNEL void met_by_plain_loads(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP;
    release();
    add(in, 1);
    while (EITHER(in[0], look(in)) < 3) {
      sleep();
      acquire();
    }
    acquire();
    out[GROUP] = in[1 + (GROUP + 1) % 3]; // BUG
  }
}

// A wave waits for other workgroups and not for its own.
KERNEL void race_after_meeting(ARGUMENTS) {
  SHARED int words[128];
  words[THREAD] = in[THREAD];
  if (THREAD == 0) {
    add(in, 1);
    while (look(in) < 3) sleep();
  }
  EITHER(, barrier());
  if (THREAD < WAVE)
    out[GROUP * WAVE + THREAD] = words[127 - THREAD]; // BUG
}

// So it does with what another wave of it stores.
KERNEL void memory_race_after_meeting(ARGUMENTS) {
  int *mine = in + 64 + GROUP * 32;
  if (THREAD == 0) {
    add(in, 1);
    while (look(in) < 3) sleep();
  } else if (THREAD == WAVE) {
    *mine = 7;
  }
  EITHER(, barrier());
  if (THREAD == 0)
    out[GROUP] = *mine; // BUG
}

// Workgroups read what others write, in any order.
KERNEL void unconnected(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP] = 7;
    out[GROUP] = in[EITHER((GROUP + 2) % 3, GROUP)]; // BUG
  }
}

// A stencil in place: the neighbour is read before its workgroup writes it.
KERNEL void in_place_neighbour(ARGUMENTS) {
  int i = GROUP * 64 + THREAD;
  int value = in[i] + in[EITHER(i < 255 ? i + 1 : i, i)];
  in[i] = value; // BUG
}

KERNEL void in_place_neighbour_wave(ARGUMENTS) {
  int i = THREAD;
  int value = in[i] + in[EITHER(i < 127 ? i + 1 : i, i)];
  in[i] = value; // BUG
}

KERNEL void misaligned_atomic(ARGUMENTS) {
  add((int *)((char *)(in + THREAD) + EITHER(2, 0)), one); // BUG
}

// Uniform, so the compiler makes a scalar load.
KERNEL void uniform_in_place(ARGUMENTS) {
  int value = in[0]; // BUG
  EITHER(in, out)[GROUP * 64 + THREAD] = value + 1;
}
