// Kernels whose workgroups wait for each other. Arguments: 4,096 words of zeros, and a number.

#define KERNEL extern "C" __attribute__((global))
#define DEVICE static __attribute__((device)) inline
#define SHARED __attribute__((shared))
#define THREAD ((int)__builtin_amdgcn_workitem_id_x())
#define GROUP ((int)__builtin_amdgcn_workgroup_id_x())
#define AGENT __HIP_MEMORY_SCOPE_AGENT

DEVICE void release() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
DEVICE void acquire() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }
DEVICE int add(int *place, int value) { return __hip_atomic_fetch_add(place, value, __ATOMIC_RELAXED, AGENT); }
DEVICE int look(int *place) { return __hip_atomic_load(place, __ATOMIC_RELAXED, AGENT); }
DEVICE void set(int *place, int value) { __hip_atomic_store(place, value, __ATOMIC_RELAXED, AGENT); }
DEVICE void sleep() { __builtin_amdgcn_s_sleep(2); }

DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Waits until so many have counted.
DEVICE void meet(int *counter, int count) {
  release();
  barrier();
  if (THREAD == 0) {
    add(counter, 1);
    while (look(counter) < count) sleep();
  }
  barrier();
  acquire();
}

// All workgroups meet again and again; each takes what its neighbours left, those of the first meeting and the last.
KERNEL void grid(int *words, int groups) {
  int *now = words + 64, *next = words + 64 + groups;
  if (THREAD == 0) now[GROUP] = 1 + GROUP;
  for (int round = 0; round < 3; round++) {
    meet(words + round, groups);
    if (THREAD == 0) {
      next[GROUP] = now[(GROUP + 1) % groups] * 3 + now[(GROUP + groups - 1) % groups];
    }
    int *other = now;
    now = next;
    next = other;
  }
}

// Rows of eight workgroups, of which each waits for those of its own.
KERNEL void rows(int *words, int groups) {
  SHARED int parts[64];
  int row = GROUP / 8, *sums = words + 64 + row * 8;
  parts[THREAD] = GROUP * 64 + THREAD;
  barrier();
  if (THREAD == 0) {
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += parts[i];
    sums[GROUP % 8] = sum;
  }
  meet(words + 3000 + row, 8);
  if (THREAD == 0) {
    int sum = parts[63];
    for (int i = 0; i < 8; i++) sum += sums[i];
    words[2000 + GROUP] = sum;
  }
}

// Each workgroup waits for the one behind it.
KERNEL void backwards(int *words, int groups) {
  if (THREAD != 0) return;
  int behind = 0;
  while (GROUP + 1 < groups && (behind = look(words + GROUP + 1)) == 0) sleep();
  set(words + GROUP, behind + 1);
}

// A workgroup that produces and its neighbour that consumes, in both directions.
KERNEL void ping_pong(int *words, int groups) {
  if (THREAD != 0) return;
  int *ball = words + GROUP / 2, mine = GROUP % 2;
  for (int i = 0; i < 10; i++) {
    while (look(ball) != 2 * i + mine) sleep();
    words[1024 + GROUP] += i;
    release();
    add(ball, 1);
  }
}

// Nobody sets what the last workgroup waits for.
KERNEL void never(int *words, int groups) {
  if (THREAD == 0)
    while (look(words + (GROUP == groups - 1)) == 0)
      if (GROUP == groups - 1) sleep(); else set(words, 1);
}

// As grid once, with a number of tries after which a workgroup goes on all the same.
KERNEL void patient(int *words, int groups) {
  if (THREAD != 0) return;
  add(words, 1);
  int tries = 0;
  while (look(words) <= groups && tries < 500) {
    sleep();
    tries++;
  }
  words[64 + GROUP] = tries;
}

// As patient, by the clock.
KERNEL void timed(int *words, int groups) {
  if (THREAD != 0) return;
  long start = __builtin_readcyclecounter();
  while (look(words) == 0 && (long)__builtin_readcyclecounter() - start < 3000) sleep();
  words[64 + GROUP] = 1;
}

// Sleeps for long, and waits for nobody.
KERNEL void sleeper(int *words, int groups) {
  int value = words[4095];
  for (int i = 0; i < 200; i++) sleep();
  if (THREAD == 0) words[64 + GROUP] = value + 1;
}

// The first workgroup sleeps until a later one has come; others wait for it without sleep.
KERNEL void impatient(int *words, int groups) {
  if (THREAD != 0) return;
  if (GROUP == 0) {
    while (look(words + 1) == 0) sleep();
    set(words, 1);
  } else if (GROUP == 3) {
    set(words + 1, 1);
  } else {
    while (look(words) == 0) {
    }
  }
  words[64 + GROUP] = 1;
}

// A workgroup waits for what its own waves do, by LDS.
KERNEL void within(int *words, int groups) {
  SHARED int flag;
  if (THREAD == 0) flag = 0;
  barrier();
  if (THREAD < 64) {
    while (__hip_atomic_fetch_or(&flag, 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) sleep();
    if (THREAD == 0) words[64 + GROUP] = 1;
  } else if (THREAD == 64) {
    __hip_atomic_fetch_or(&flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
}

// One workgroup faults; those before it wait for it.
KERNEL void faulty(int *words, int groups) {
  if (THREAD != 0) return;
  if (GROUP == groups / 2) words[1 << 20] = 1;
  add(words, 1);
  while (look(words) < groups) sleep();
}

// Rows of eight workgroups, the last of which to come adds up what the others left.
KERNEL void last(int *words, int groups) {
  SHARED int is_last;
  int row = GROUP / 8;
  if (THREAD == 0) {
    words[64 + GROUP] = GROUP;
    release();
    is_last = add(words + 3000 + row, 1) == 7;
  }
  barrier();
  if (!is_last) return;
  acquire();
  if (THREAD < 8) words[2000 + row * 8 + THREAD] = words[64 + row * 8 + THREAD] + 1;
  if (THREAD == 0) words[3000 + row] = 0;
}

// Each workgroup counts itself twice; the last one to come adds up what all others left.
KERNEL void collect(int *words, int groups) {
  SHARED int is_last;
  if (THREAD == 0) {
    words[64 + GROUP] = GROUP;
    release();
    add(words, 1);
    is_last = add(words, 1) == 2 * groups - 1;
  }
  barrier();
  if (!is_last) return;
  acquire();
  if (THREAD == 0) {
    int sum = 0;
    for (int i = 0; i < groups; i++) sum += words[64 + i];
    words[2000] = sum;
  }
}

// Each workgroup waits, without sleep, for the one before it.
KERNEL void chain(int *words, int groups) {
  if (THREAD != 0) return;
  int before = 0;
  if (GROUP > 0)
    while ((before = look(words + 64 + GROUP - 1)) == 0) {
    }
  set(words + 64 + GROUP, before + 1);
}

// A grid barrier whose last workgroup opens a gate for the others, and closes the one before.
KERNEL void gates(int *words, int groups) {
  if (THREAD != 0) return;
  for (int round = 0; round < 4; round++) {
    if (add(words + round, 1) == groups - 1) {
      set(words + 2048, round + 1);
    } else {
      while (look(words + 2048) != round + 1) sleep();
    }
    add(words + 64 + GROUP, 1);
    release();
    add(words + 1024, 1);
    while (look(words + 1024) < (round + 1) * groups) sleep();
  }
}

// A baton goes from the last workgroup to the first.
KERNEL void baton(int *words, int groups) {
  if (THREAD != 0) return;
  int turn = groups - 1 - GROUP;
  while (look(words) != turn) sleep();
  words[64 + GROUP] = turn + 1;
  set(words, turn + 1);
}
