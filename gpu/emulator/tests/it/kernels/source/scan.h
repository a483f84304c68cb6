// Scans, and reductions of a workgroup.

// Inclusive sums of 256 values, by doubling steps through LDS.
KERNEL(scan_doubling, u32 *out, const u32 *in) {
  SHARED u32 buffer[2][256];
  u32 me = item_x(), base = group_x() * 256, from = 0;
  buffer[0][me] = in[base + me];
  barrier();
  for (u32 step = 1; step < 256; step *= 2) {
    u32 value = buffer[from][me];
    if (me >= step) value += buffer[from][me - step];
    buffer[1 - from][me] = value;
    from = 1 - from;
    barrier();
  }
  out[base + me] = buffer[from][me];
}

// Exclusive sums of 256 long values by 128 items: up a tree and down again.
KERNEL(scan_tree, i64 *out, const i64 *in) {
  SHARED i64 tree[256];
  u32 me = item_x(), base = group_x() * 256;
  tree[2 * me] = in[base + 2 * me];
  tree[2 * me + 1] = in[base + 2 * me + 1];
  u32 offset = 1;
  for (u32 d = 128; d > 0; d >>= 1) {
    barrier();
    if (me < d) tree[offset * (2 * me + 2) - 1] += tree[offset * (2 * me + 1) - 1];
    offset *= 2;
  }
  if (me == 0) tree[255] = 0;
  for (u32 d = 1; d < 256; d *= 2) {
    offset >>= 1;
    barrier();
    if (me < d) {
      u32 left = offset * (2 * me + 1) - 1, right = offset * (2 * me + 2) - 1;
      i64 kept = tree[left];
      tree[left] = tree[right];
      tree[right] += kept;
    }
  }
  barrier();
  out[base + 2 * me] = tree[2 * me];
  out[base + 2 * me + 1] = tree[2 * me + 1];
}

// Inclusive sums of a row of 16, a wave and a workgroup of 160 items: lane moves, then LDS.
KERNEL(scan_waves, u32 *out, const u32 *in) {
  SHARED u32 totals[5];
  u32 me = item_x(), at = group_x() * size_x() + me;
  u32 sum = in[at];
  sum += dpp<0x111>(0, sum);
  sum += dpp<0x112>(0, sum);
  sum += dpp<0x114>(0, sum);
  sum += dpp<0x118>(0, sum);
  u32 before = 0;
  for (u32 row = 0; row + 1 < WAVE / 16; ++row) {
    u32 total = of_lane(sum, 16 * row + 15);
    if (lane() / 16 > row) before += total;
  }
  sum += before;
  u32 total = pull(sum, lane() | 31);
  if (lane() % 32 == 31) totals[me / 32] = sum;
  barrier();
  u32 first_of_wave = me / WAVE * (WAVE / 32);
  for (u32 half = 0; half < first_of_wave; ++half)
    if (WAVE == 32 || half % 2 == 1) sum += totals[half];
  out[at] = sum ^ (total << 16);
}

// The greatest value since the last flag, over 100 items.
KERNEL(scan_segments, i32 *out, const i32 *in, const u8 *flags) {
  SHARED i32 value[128];
  SHARED u8 stop[128];
  u32 me = item_x(), at = group_x() * size_x() + me;
  value[me] = in[at];
  stop[me] = flags[at] & 1;
  barrier();
  for (u32 step = 1; step < size_x(); step <<= 1) {
    i32 mine = value[me];
    u8 ends = stop[me];
    if (!ends && me >= step) {
      i32 other = value[me - step];
      mine = mine > other ? mine : other;
      ends = stop[me - step];
    }
    barrier();
    value[me] = mine;
    stop[me] = ends;
    barrier();
  }
  out[at] = value[me];
}

// Sums of floating point: the order of a tree is part of the result.
KERNEL(reduce_tree, u32 *out, const f32 *in, u32 count) {
  SHARED f32 partial[256];
  u32 me = item_x();
  f32 sum = 0;
  for (u32 i = me; i < count; i += 256) sum += in[group_x() * 1024 + i];
  partial[me] = sum;
  barrier();
  for (u32 half = 128; half > 0; half /= 2) {
    if (me < half) partial[me] += partial[me + half];
    barrier();
  }
  if (me == 0) out[group_x()] = bits(partial[0]);
}

// The place of the greatest value; the first of equals. Lane moves within waves, then LDS.
KERNEL(reduce_argmax, u32 *values, u32 *places, const f32 *in, u32 count) {
  SHARED u32 best_value[8], best_place[8];
  u32 me = item_x(), base = group_x() * count;
  f32 best = -__builtin_inff();
  u32 place = ~0u;
  for (u32 i = me; i < count; i += size_x()) {
    f32 value = in[base + i];
    if (value > best) best = value, place = i;
  }
  for (u32 step = 1; step < WAVE; step *= 2) {
    f32 other = __builtin_bit_cast(f32, step == 32 ? of_lane(__builtin_bit_cast(u32, best), 32)
                                                   : pull(__builtin_bit_cast(u32, best), lane() ^ step));
    u32 its = step == 32 ? of_lane(place, 32) : pull(place, lane() ^ step);
    if (other > best || (other == best && its < place)) best = other, place = its;
  }
  if (lane() == 0) best_value[me / WAVE] = __builtin_bit_cast(u32, best), best_place[me / WAVE] = place;
  barrier();
  if (me == 0) {
    for (u32 wave = 1; wave < size_x() / WAVE; ++wave) {
      f32 other = __builtin_bit_cast(f32, best_value[wave]);
      if (other > best || (other == best && best_place[wave] < place)) best = other, place = best_place[wave];
    }
    values[group_x()] = bits(best + 0.0f);
    places[group_x()] = place;
  }
}

// The workgroup that ends last sums what the others have left in memory.
KERNEL(reduce_last, u64 *out, u64 *partial, u32 *done, const u32 *in) {
  SHARED u64 sum;
  SHARED u32 ticket;
  u32 me = item_x();
  if (me == 0) sum = 0;
  barrier();
  u64 square = in[group_x() * 64 + me];
  add_shared(&sum, square * square);
  barrier();
  if (me == 0) {
    partial[group_x()] = sum;
    fence();
    ticket = add(done, 1u);
  }
  barrier();
  if (ticket == groups_x() - 1) {
    fence();
    u64 total = 0;
    for (u32 i = 0; i < groups_x(); ++i) total += partial[i] * (i + 1);
    out[me] = total + me;
  }
}
