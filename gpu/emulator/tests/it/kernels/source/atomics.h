// Atomics. Their results depend on their order; the results of these kernels do not.

// Counts of 64 classes of bytes: in LDS, then in memory.
KERNEL(histogram_shared, u32 *counts, const u8 *in) {
  SHARED u32 local[64];
  u32 me = item_x();
  if (me < 64) local[me] = 0;
  barrier();
  for (u32 i = me; i < 1024; i += size_x()) add_shared(&local[in[group_x() * 1024 + i] >> 2], 1u);
  barrier();
  if (me < 64) add(&counts[me], local[me]);
}

// Counts and sums in memory, of 32 and 64 bits.
KERNEL(histogram_global, u32 *counts, u64 *sums, const u32 *in) {
  u32 value = in[group_x() * size_x() + item_x()];
  u32 class_ = (value ^ value >> 7 ^ value >> 20) % 11;
  add(&counts[class_], 1u);
  add(&sums[class_], (u64)value * value);
}

#define ON_MEMORY __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE
#define IN_GROUP __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP

// Every operation on words of memory and LDS. Tickets are unique, so that a sum of what they choose is defined.
KERNEL(atomic_words, u32 *words, u32 *out, const u32 *in) {
  SHARED u32 shared[8];
  u32 me = item_x(), x = in[group_x() * size_x() + me];
  if (me < 8) shared[me] = me == 1 || me == 4 ? ~0u : 0;
  if (me < 10) out[group_x() * 10 + me] = 0;
  barrier();
  u32 ticket = add(&words[0], 1u);
  __scoped_atomic_fetch_and(&words[1], x | 0xff00, ON_MEMORY);
  __scoped_atomic_fetch_or(&words[2], x & 0x0f0f, ON_MEMORY);
  __scoped_atomic_fetch_xor(&words[3], x, ON_MEMORY);
  __scoped_atomic_fetch_min(&words[4], x, ON_MEMORY);
  __scoped_atomic_fetch_max(&words[5], x, ON_MEMORY);
  __scoped_atomic_fetch_min((i32 *)&words[6], (i32)x, ON_MEMORY);
  __scoped_atomic_fetch_max((i32 *)&words[7], (i32)x, ON_MEMORY);
  __scoped_atomic_fetch_sub(&words[8], x, ON_MEMORY);
  u32 up = count_up(&words[9], 12), down = count_down(&words[10], 9);
  add(&words[11], ticket * ticket);
  add(&words[12], up * up);
  add(&words[13], down * down);
  u32 local = add_shared(&shared[0], 1u);
  __scoped_atomic_fetch_and(&shared[1], ~x, IN_GROUP);
  __scoped_atomic_fetch_or(&shared[2], x & 0xf0f0, IN_GROUP);
  __scoped_atomic_fetch_xor(&shared[3], x * 3, IN_GROUP);
  __scoped_atomic_fetch_min(&shared[4], x + 1, IN_GROUP);
  __scoped_atomic_fetch_max((i32 *)&shared[5], (i32)x, IN_GROUP);
  // Each value that goes in comes out once.
  u32 *own = &out[group_x() * 10];
  u32 old = __scoped_atomic_exchange_n(&own[8], x, ON_MEMORY);
  add(&own[9], old - x);
  u32 old_shared = __scoped_atomic_exchange_n(&shared[6], x, IN_GROUP);
  add_shared(&shared[7], old_shared - x);
  add(&words[14], local * (local ^ 5));
  barrier();
  if (me == 0) shared[7] += shared[6], shared[6] = 0, own[9] += own[8], own[8] = 0;
  barrier();
  if (me < 8) own[me] = shared[me];
}

// The same on 64 bits.
KERNEL(atomic_longs, u64 *longs, u64 *out, const u64 *in) {
  SHARED u64 shared[6];
  u32 me = item_x();
  u64 x = in[group_x() * size_x() + me];
  if (me < 6) shared[me] = me == 1 ? ~0ull : 0;
  barrier();
  u64 ticket = add(&longs[0], 1ull);
  __scoped_atomic_fetch_and(&longs[1], x | 0xff00ff00ff00ull, ON_MEMORY);
  __scoped_atomic_fetch_or(&longs[2], x & 0x0f0f0f0f0full, ON_MEMORY);
  __scoped_atomic_fetch_xor(&longs[3], x, ON_MEMORY);
  __scoped_atomic_fetch_min(&longs[4], x, ON_MEMORY);
  __scoped_atomic_fetch_max((i64 *)&longs[5], (i64)x, ON_MEMORY);
  __scoped_atomic_fetch_sub(&longs[6], x * 3, ON_MEMORY);
  add(&longs[7], ticket * ticket * ticket);
  u64 local = add_shared(&shared[0], 3ull);
  __scoped_atomic_fetch_min(&shared[1], x, IN_GROUP);
  __scoped_atomic_fetch_max((i64 *)&shared[2], (i64)x, IN_GROUP);
  __scoped_atomic_fetch_xor(&shared[3], x, IN_GROUP);
  add_shared(&shared[4], local * local);
  add_shared(&shared[5], __scoped_atomic_fetch_or(&shared[0], 0ull, IN_GROUP) & 0);
  barrier();
  if (me < 6) out[group_x() * 6 + me] = shared[me];
}

// Whole numbers, whose sums have no order: by the hardware's instructions and by compare-and-swap.
KERNEL(atomic_floats, f32 *singles, f64 *doubles, const u8 *in) {
  SHARED f32 single;
  SHARED f64 twice;
  u32 me = item_x();
  f32 x = in[group_x() * size_x() + me];
  if (me == 0) single = 0.5f, twice = 0.25;
  barrier();
  add(&singles[0], x);
  add(&doubles[0], (f64)x);
  [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] {
    __scoped_atomic_fetch_add(&singles[1], x, ON_MEMORY);
    __scoped_atomic_fetch_add(&doubles[1], (f64)x, ON_MEMORY);
    __scoped_atomic_fetch_min(&singles[2], x, ON_MEMORY);
    __scoped_atomic_fetch_max(&singles[3], x, ON_MEMORY);
    __scoped_atomic_fetch_min(&doubles[2], (f64)x, ON_MEMORY);
    __scoped_atomic_fetch_max(&doubles[3], (f64)x, ON_MEMORY);
  }
  __scoped_atomic_fetch_max(&singles[4], x, ON_MEMORY);
  add_shared(&single, x);
  add_shared(&twice, (f64)x);
  barrier();
  if (me == 0) add(&singles[5], single), add(&doubles[4], twice);
}

// Loops of compare-and-swap: a saturating sum, a product, and a list that every item joins.
KERNEL(compare_and_swap, u32 *words, u64 *product, u32 *own, const u8 *in) {
  SHARED u32 heads[5];
  SHARED u16 small[2];
  if (item_x() < 5) heads[item_x()] = 7;
  if (item_x() < 2) small[item_x()] = 0;
  if (item_x() < 3) own[3 * group_x() + item_x()] = 0;
  barrier();
  u32 at = group_x() * size_x() + item_x(), x = in[at];
  u32 old = words[0];
  while (!swap_if(&words[0], &old, old + x > 5000 ? 5000 : old + x)) {}
  u64 was = product[0];
  while (!swap_if(product, &was, was * (2 * x + 1))) {}
  u32 head = heads[x % 5], next;
  do {
    next = head;
  } while (!swap_if(&heads[x % 5], &head, at));
  // Half a word: the compiler makes a loop on the whole one.
  __scoped_atomic_fetch_add(&small[x & 1], (u16)(x * 77), IN_GROUP);
  // Joins have no order, but every item except the last of a list is joined once.
  add(&own[3 * group_x()], next * next);
  barrier();
  if (item_x() < 5) add(&own[3 * group_x()], heads[item_x()] * heads[item_x()]);
  if (item_x() < 2) own[3 * group_x() + 1 + item_x()] = small[item_x()];
}
