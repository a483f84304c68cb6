// Correct kernels that look like bugs: nothing may be found. WAVE is the number of lanes of a wave.

#include "common.h"

#if WAVE == 64
#define BALLOT __builtin_amdgcn_ballot_w64
#else
#define BALLOT __builtin_amdgcn_ballot_w32
#endif

DEVICE int lane() { return __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0)); }

DEVICE int from_lane(int value, int source) { return __builtin_amdgcn_ds_bpermute(4 * source, value); }

// A tree in LDS; the last wave is partial, and the number of items no power of two.
KERNEL void reduce_tree(ARGUMENTS) {
  SHARED int sums[256];
  int me = THREAD;
  sums[me] = in[me];
  barrier();
  for (int step = 64; step > 0; step /= 2) {
    if (me < step && me + step < SIZE) sums[me] += sums[me + step];
    barrier();
  }
  if (me == 0) out[GROUP] = sums[0];
}

// Shuffles of which only the first lane's result counts: the others read what does not exist.
KERNEL void reduce_shuffles(ARGUMENTS) {
  SHARED int partial[8];
  int sum = in[THREAD];
  for (int step = WAVE / 2; step > 0; step /= 2) {
    int other = from_lane(sum, lane() + step);
    sum += lane() + step < WAVE ? other : 0;
  }
  if (lane() == 0) partial[THREAD / WAVE] = sum;
  barrier();
  if (THREAD < WAVE) {
    int waves = (SIZE + WAVE - 1) / WAVE;
    int value = lane() < waves ? partial[lane()] : 0;
    for (int step = 4; step > 0; step /= 2) value += from_lane(value, lane() ^ step);
    if (lane() == 0) out[GROUP] = value;
  }
}

// The partial sums of waves that do not exist are never written, and read for nothing.
KERNEL void reads_more_than_it_uses(ARGUMENTS) {
  SHARED int partial[32];
  if (lane() == 0) partial[THREAD / WAVE] = in[THREAD];
  barrier();
  int all = partial[THREAD & 31];
  int waves = (SIZE + WAVE - 1) / WAVE;
  out[THREAD] = (THREAD & 31) < waves ? all : -1;
}

// DPP steps whose sources are inactive or do not exist.
KERNEL void dpp_in_some_lanes(ARGUMENTS) {
  int value = in[THREAD], result = 7;
  if (THREAD % 3 != 0) {
    value += __builtin_amdgcn_update_dpp(0, value, 0x111, 0xf, 0xf, false);
    value += __builtin_amdgcn_update_dpp(0, value, 0x112, 0xf, 0xf, true);
    value += __builtin_amdgcn_update_dpp(value, value, 0x114, 0xf, 0xe, false);
    result = value + from_lane(value, lane() ^ 1) + __builtin_amdgcn_ds_swizzle(value, 0x041f);
  }
  out[THREAD] = result;
}

// Two buffers of LDS and one barrier in each pass.
KERNEL void double_buffer(ARGUMENTS) {
  SHARED int tiles[2][128];
  int sum = 0;
  tiles[0][THREAD] = in[THREAD];
  for (int pass = 0; pass < 6; pass++) {
    barrier();
    int *now = tiles[pass & 1], *next = tiles[~pass & 1];
    if (pass < 5) next[THREAD] = in[THREAD] + pass;
    sum += now[127 - THREAD];
  }
  out[THREAD] = sum;
}

// The column that keeps banks apart is never written.
KERNEL void padded_tile(ARGUMENTS) {
  SHARED int tile[16][17];
  int x = THREAD % 16, y = THREAD / 16;
  tile[y][x] = in[THREAD];
  barrier();
  out[THREAD] = tile[x][y];
}

// Every wave sets the flag; whoever comes reads it.
KERNEL void flag_in_lds(ARGUMENTS) {
  SHARED int found;
  if (THREAD == 0) found = 0;
  barrier();
  if (in[THREAD] % 5 == 0) found = 1;
  barrier();
  out[THREAD] = found;
}

// A table of marks, which several workgroups set.
KERNEL void marks(ARGUMENTS) { out[(THREAD * 7 + GROUP * 5) & 255] = 1; }

// The last wave to come takes what the others left: atomics order them, and no barrier.
KERNEL void last_wave(ARGUMENTS) {
  SHARED int partial[8];
  SHARED int count;
  if (THREAD == 0) count = 0;
  barrier();
  int waves = SIZE / WAVE, mine = 0;
  if (lane() == 0) {
    partial[THREAD / WAVE] = in[THREAD];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    mine = add_in_group(&count, 1) == waves - 1;
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (mine) {
      int sum = 0;
      for (int i = 0; i < waves; i++) sum += partial[i];
      out[0] = sum;
    }
  }
}

// Bytes of one word belong to different waves and workgroups.
KERNEL void bytes_of_a_word(ARGUMENTS) {
  SHARED unsigned char bytes[256];
  unsigned char *global = (unsigned char *)out;
  int me = THREAD;
  bytes[me] = in[me];
  barrier();
  global[GROUP * SIZE + me] = bytes[SIZE - 1 - me] + 1;
}

struct Small {
  unsigned char a, b, c;
};

// Structures of three bytes, and halves that are put together.
KERNEL void packed(ARGUMENTS) {
  Small value = {(unsigned char)THREAD, (unsigned char)in[THREAD], 3};
  ((Small *)out)[THREAD] = value;
  barrier();
  Small other = ((Small *)out)[SIZE - 1 - THREAD];
  unsigned short low = other.a, high = other.b;
  out[128 + THREAD] = low | high << 16;
}

struct Mixed {
  short key;
  int value;
  char kind;
  double weight;
};

// Structures with padding through LDS and private memory.
KERNEL void structures(ARGUMENTS) {
  SHARED Mixed table[32];
  if (THREAD < 32) table[THREAD] = {(short)THREAD, in[THREAD], (char)1, 0.5 * THREAD};
  barrier();
  Mixed best = table[THREAD & 31];
  for (int i = 0; i < 4; i++) {
    Mixed other = table[(THREAD * 3 + i) & 31];
    if (other.weight > best.weight) best = other;
  }
  if (THREAD < 40) ((Mixed *)out)[THREAD] = best;
}

// Only as many elements are read as were written.
KERNEL void list(ARGUMENTS) {
  int kept[16], count = 0;
  for (int i = 0; i < 16; i++)
    if ((in[THREAD] + i) % 3 == 0) kept[count++] = i;
  int sum = 0;
  for (int i = 0; i < count; i++) sum = sum * 16 + kept[i];
  out[THREAD] = sum;
}

// A variable that is set on the way on which it is used.
KERNEL void set_where_used(ARGUMENTS) {
  int value, is_set = in[THREAD] & 1;
  if (is_set) value = in[THREAD ^ 1];
  int other = THREAD;
  for (int i = 0; i < 3; i++) other = other * 5 + (in[i] & 3);
  if (is_set) other += value;
  out[THREAD] = other;
}

// A whole workgroup ends before the barrier.
KERNEL void groups_that_leave(ARGUMENTS) {
  SHARED int words[128];
  if (GROUP == 1) return;
  words[THREAD] = in[THREAD];
  barrier();
  out[THREAD + GROUP / 2 * 128] = words[THREAD ^ 64];
}

// What one wave writes to memory another one reads after a barrier.
KERNEL void through_memory(ARGUMENTS) {
  out[THREAD] = in[THREAD] * 3;
  barrier();
  int value = out[SIZE - 1 - THREAD];
  barrier();
  out[THREAD] = value;
}

// A place for each lane that has something, by a count of those below it.
KERNEL void compaction(ARGUMENTS) {
  SHARED int count;
  if (THREAD == 0) count = 0;
  barrier();
  bool has = in[THREAD] % 3 == 1;
  unsigned long all = BALLOT(has);
  int below = __builtin_amdgcn_mbcnt_hi(all >> 32, __builtin_amdgcn_mbcnt_lo(all, 0));
  int base = 0;
  if (lane() == 0) base = add_in_group(&count, __builtin_popcountl(all));
  base = __builtin_amdgcn_readfirstlane(base);
  if (has) out[base + below] = in[THREAD];
}

// Compare and swap until nobody was in between.
KERNEL void largest(ARGUMENTS) {
  SHARED int most;
  if (THREAD == 0) most = -1;
  barrier();
  int mine = in[THREAD], seen = __hip_atomic_load(&most, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  while (seen < mine &&
         !__hip_atomic_compare_exchange_weak(&most, &seen, mine, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_WORKGROUP)) {
  }
  barrier();
  out[THREAD] = most;
}

// Elements of two bytes, in pairs; the last one is alone.
KERNEL void halves(ARGUMENTS) {
  typedef _Float16 Two __attribute__((ext_vector_type(2)));
  int count = 201;
  _Float16 *from = (_Float16 *)in, *to = (_Float16 *)out;
  for (int i = 2 * THREAD; i < count; i += 2 * SIZE) {
    if (i + 1 < count) {
      Two pair = *(Two *)(from + i);
      *(Two *)(to + i) = pair * pair + pair;
    } else {
      to[i] = from[i] + from[i];
    }
  }
}

// Digits from the end of the buffer backwards: uniform loads up to its last word.
KERNEL void last_words(ARGUMENTS) {
  int a = in[255], b = in[254], c = in[253];
  short d = ((short *)in)[511];
  unsigned char e = ((unsigned char *)in)[1023];
  out[THREAD] = a + b + c + d + e;
}

// A scan in LDS without a barrier where a wave is alone.
KERNEL void scan_of_a_wave(ARGUMENTS) {
  SHARED int sums[128];
  volatile int *mine = sums + THREAD / WAVE * WAVE;
  int at = lane();
  mine[at] = in[THREAD];
  for (int step = 1; step < WAVE; step *= 2) {
    int before = at >= step ? mine[at - step] : 0;
    __builtin_amdgcn_wave_barrier();
    mine[at] = mine[at] + before;
    __builtin_amdgcn_wave_barrier();
  }
  out[THREAD] = mine[at];
}

// Results wait for their neighbours: each workgroup adds to what the one before it left.
KERNEL void chain(ARGUMENTS) {
  if (THREAD == 0) {
    int before = 0;
    while (GROUP > 0 && (before = __hip_atomic_load(in + GROUP - 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) < 1000) {
    }
    out[GROUP] = before + GROUP;
    __hip_atomic_store(in + GROUP, before + 1000 + GROUP, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

// So they do from the last to the first, and what they left lies beside the flags.
KERNEL void chain_backwards(ARGUMENTS) {
  if (THREAD == 0) {
    int behind = 0;
    if (GROUP < 3) {
      while (__hip_atomic_load(in + GROUP + 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < 1000) sleep();
      behind = out[GROUP + 1];
    }
    out[GROUP] = behind + GROUP;
    __hip_atomic_store(in + GROUP, 1000, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

// All workgroups meet, twice; each wave takes what those of others left.
KERNEL void meetings(ARGUMENTS) {
  SHARED int words[128];
  for (int round = 0; round < 2; round++) {
    words[THREAD] = in[128 + THREAD] + round;
    if (lane() == 0) out[round * 64 + GROUP * 4 + THREAD / WAVE] = GROUP;
    release();
    barrier();
    if (THREAD == 0) {
      add(in + round, 1);
      while (look(in + round) < 5 + round) sleep();
    }
    barrier();
    acquire();
    int other = (GROUP + 1 + THREAD / WAVE) % 5;
    if (lane() == 0) out[128 + round * 64 + GROUP * 4 + THREAD / WAVE] = out[round * 64 + other * 4] + words[127 - THREAD];
    barrier();
  }
}

// The last workgroup takes what all waves of the others left.
KERNEL void last_group(ARGUMENTS) {
  SHARED int last;
  if (lane() == 0) in[1 + GROUP * 4 + THREAD / WAVE] = GROUP;
  release();
  barrier();
  if (THREAD == 0) last = add(in, 1) == 2;
  barrier();
  acquire();
  if (last && THREAD < 12 && THREAD % 4 < SIZE / WAVE) out[THREAD] = in[1 + THREAD];
}

// The atomic releases and acquires by itself.
KERNEL void last_group_by_atomic(ARGUMENTS) {
  if (THREAD == 0) {
    in[GROUP + 1] = GROUP;
    if (__hip_atomic_fetch_add(in, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) == 2)
      out[0] = in[1] + in[2] + in[3];
  }
}

// What a workgroup acquired, it passes on.
KERNEL void passed_on(ARGUMENTS) {
  if (THREAD != 0) return;
  if (GROUP == 0) {
    in[10] = 1;
    release();
    add(in, 1);
  } else if (GROUP == 1) {
    int before = add(in, 1);
    acquire();
    release();
    add(in + 1, before);
  } else if (add(in + 1, 1) >= 0) {
    acquire();
    out[0] = in[10];
  }
}

// A sum under a lock.
KERNEL void locked(ARGUMENTS) {
  if (THREAD != 0) return;
  int expected = 0;
  while (!__hip_atomic_compare_exchange_strong(in, &expected, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT))
    expected = 0;
  in[1] += GROUP;
  __hip_atomic_exchange(in, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
