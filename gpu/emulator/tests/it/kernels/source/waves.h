// Operations between the lanes of a wave.

// Compaction: the items whose value passes move to the front of their workgroup's part; 150 items.
KERNEL(compaction, u32 *out, u32 *counts, const u32 *in) {
  SHARED u32 kept_of_wave[8];
  u32 me = item_x(), base = group_x() * size_x();
  u32 value = in[base + me];
  bool keep = (value ^ value >> 5) & 1;
  u64 mask = ballot(keep);
  u32 place = bits_below(mask);
  if (lane() == 0) kept_of_wave[me / WAVE] = __builtin_popcountll(mask);
  barrier();
  u32 before = 0, total = 0, waves = (size_x() + WAVE - 1) / WAVE;
  for (u32 wave = 0; wave < waves; ++wave) {
    before += wave < me / WAVE ? kept_of_wave[wave] : 0;
    total += kept_of_wave[wave];
  }
  u32 lost_before = me - before - place;
  out[base + (keep ? before + place : total + lost_before)] = value;
  if (me == 0) counts[group_x()] = total;
}

// Votes of lanes that diverge: each branch's ballot has its own lanes only.
KERNEL(divergent_votes, u64 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[at];
  u64 odd = ballot(x & 1), result;
  u64 all = ballot(true);
  if (x & 1) {
    u64 big = ballot_among(x > 0x40000000, odd);
    result = big * 3 + first_among(x, odd);
    if (big >> lane() & 1) {
      result += ballot_among(x & 2, big) >> 1;
      result ^= (u64)first_among(lane(), big) << 50;
    }
  } else {
    u64 even = all & ~odd;
    result = ballot_among(x & 4, even) + (u64)__builtin_popcountll(even) * 1000;
  }
  // All are here again.
  out[at] = result + ballot(x & 8) * 5;
}

// Moves of values between lanes by computed lanes and by patterns.
KERNEL(shuffles, u32 *out, const u32 *in) {
  u32 me = lane(), at = group_x() * size_x() + item_x(), x = in[at];
  u32 *to = &out[12 * at];
  to[0] = pull(x, me ^ 1);
  to[1] = pull(x, (me & 32) | ((me * 5 + 3) & 31));
  to[2] = pull(x, in[group_x() * size_x() + (item_x() ^ 1)] & 31);
  to[3] = push(x, (me & 32) | ((me * 7 + 1) & 31));
  to[4] = push(x, me & 0x3c);
  to[5] = first(x) ^ of_lane(x, 5);
  to[6] = of_lane(x, first(x) & 31);
  to[7] = into_lane(first(x), 13, x);
  to[8] = swizzle<0x401f>(x);
  to[9] = swizzle<0x0018>(x) + swizzle<0x1c07>(x);
  to[10] = swizzle<0x801b>(x) - swizzle<0x80e4>(x);
  u32 sum = x;
  for (u32 step = 1; step < 32; step *= 2) sum += pull(sum, me ^ step);
  to[11] = sum;
}

// Data-parallel primitives, with the masks of rows and banks, with zeros and with the old value at the edges.
KERNEL(lane_moves, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[at], old = ~x * 3;
  u32 *to = &out[20 * at];
  to[0] = dpp<0xb1>(old, x) + dpp<0x4e>(old, x);
  to[1] = dpp<0x1b>(old, x) ^ dpp<0x00>(old, x);
  to[2] = dpp<0x101>(old, x) - dpp<0x10f>(old, x);
  to[3] = dpp<0x112, 15, 15, true>(old, x) + dpp<0x117>(old, x);
  to[4] = dpp<0x121>(old, x) ^ dpp<0x12c>(old, x);
  to[5] = dpp<0x140>(old, x) + 5;
  to[6] = dpp<0x141>(old, x) * 3;
  to[7] = dpp<0x111, 5, 15>(old, x);
  to[8] = dpp<0x111, 15, 6>(old, x);
  to[9] = dpp<0x104, 10, 9, true>(old, x);
  to[10] = x - dpp<0x114, 15, 15, true>(0, x);
  to[11] = dpp<0x140, 3, 12>(x, x + 1);
  f32 number = (f32)(x & 0xffff), other = __builtin_bit_cast(f32, dpp<0x122, 15, 15, true>(0, __builtin_bit_cast(u32, number)));
  to[12] = bits(number * other) + bits(least(number, other));
  bool less = x < dpp<0x4e, 15, 15, true>(0, x);
  to[13] = less ? x : ~x;
  u32 most = x, neighbour = dpp<0xb1>(x, x);
  most = most > neighbour ? most : neighbour;
  neighbour = dpp<0x141>(most, most);
  most = most > neighbour ? most : neighbour;
  neighbour = dpp<0x140>(most, most);
  most = most > neighbour ? most : neighbour;
  to[14] = most;
  // Half of the lanes only.
  u32 half = old;
  if (item_x() & 1) half = x * 3 + 1;
  to[15] = dpp<0x101>(old, half);
  to[16] = dpp<0x11f, 15, 15, true>(old, half) + half;
  // Operations of some families only.
  to[17] = to[18] = to[19] = 0;
#if HAS_BROADCASTS
  if (FAMILY == 9) {
    to[17] = dpp<0x142>(old, x) + dpp<0x143, 12>(old, x) * 3;
    to[18] = dpp<0x130>(old, x) ^ dpp<0x138, 15, 15, true>(old, x) * 5;
    to[19] = dpp<0x134>(old, x) + dpp<0x13c>(old, x) * 7;
  }
#endif
#if HAS_ROW_BROADCASTS
  if (FAMILY == 9 && ISA != 0x906) to[19] ^= dpp<0x153>(old, x) + dpp<0x15f, 6>(old, x);
#endif
#if HAS_ROW_MOVES
  if (FAMILY >= 0x10) {
    to[17] = dpp<0x153>(old, x) + dpp<0x15f, 1>(old, x) * 3;
    to[18] = dpp<0x161>(old, x) ^ dpp<0x16b, 15, 3>(old, x) * 5;
    to[19] = dpp8<0x53977>(x) + dpp8<0xfac688>(x) * 7;
  }
#endif
}

// Rows that see each other, of the families that have such moves; of the others their equals by computed lanes.
KERNEL(row_moves, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[at], me = lane();
  u32 *to = &out[4 * at];
#if HAS_ROW_MOVES
  if (FAMILY >= 0x10) {
    to[0] = in_row(x, x, 0x76543210, 0xfedcba98) ^ in_row(7, x, 0x01234567, 0x55aa00ff);
    to[1] = in_other_row(x, x, 0x76543210, 0xfedcba98) + in_other_row(9, x, 0x00112233, 0xffeeddcc);
    u32 selects = first(x);
    to[2] = in_row(x, x + 1, selects, ~selects);
  }
#endif
  if (FAMILY == 9) {
    to[0] = pull(x, me ^ 3) ^ pull(x, me & 48);
    to[1] = swizzle<0x401f>(x) + pull(x, me ^ 19);
    to[2] = pull(x + 1, (me + 5) & 63);
  }
#if HAS_HALF_SWAP
  if (FAMILY >= 0x11 && WAVE == 64) to[3] = other_half(x) * 3;
#endif
  if (FAMILY < 0x11 || WAVE == 32) to[3] = WAVE == 64 ? of_lane(x, 40) - of_lane(x, 8) : x;
  u32 sum = x;
  sum += dpp<0xb1>(0, sum);
  sum += dpp<0x4e>(0, sum);
  sum += dpp<0x141>(0, sum);
  sum += dpp<0x140>(0, sum);
  sum += swizzle<0x401f>(sum);
  u32 low = of_lane(sum, 0), high = of_lane(sum, WAVE - 1);
  if (WAVE == 64) sum += me < 32 ? high : low;
  to[3] += sum;
}

// Workgroups find who leads for a value: a loop that takes the value of the first lane that is left.
KERNEL(leaders, u32 *out, const u8 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[at] % 7, rounds = 0;
  u64 left = ballot(true), mine = 0;
  while (left != 0) {
    u32 value = of_lane(x, __builtin_ctzll(left));
    u64 same = ballot(x == value);
    if (x == value) mine = same;
    left &= ~same;
    ++rounds;
  }
  out[at] = __builtin_popcountll(mine) + 100 * __builtin_ctzll(mine) + 10000 * rounds + 1000000 * bits_below(mine);
}
