// Products of matrices, transforms, sorting.

// Tiles of 16 by 16 in LDS; the sizes are no multiples of the tile.
KERNEL(multiply_singles, u32 *out, const f32 *left, const f32 *right, u32 rows, u32 inner, u32 columns) {
  SHARED f32 a[16][16], b[16][16];
  u32 x = item_x(), y = item_y(), column = group_x() * 16 + x, row = group_y() * 16 + y;
  f32 sum = 0;
  for (u32 start = 0; start < inner; start += 16) {
    a[y][x] = row < rows && start + x < inner ? left[row * inner + start + x] : 0.0f;
    b[y][x] = start + y < inner && column < columns ? right[(start + y) * columns + column] : 0.0f;
    barrier();
    for (u32 i = 0; i < 16; ++i) sum = __builtin_fmaf(a[y][i], b[i][x], sum);
    barrier();
  }
  if (row < rows && column < columns) out[row * columns + column] = bits(sum);
}

// Bytes, summed in words: four rows and columns in the registers of an item.
KERNEL(multiply_bytes, i32 *out, const i8 *left, const u8 *right, u32 inner, u32 columns) {
  u32 column = (group_x() * size_x() + item_x()) * 4, row = group_y() * 4;
  i32 sums[4][4] = {};
  for (u32 k = 0; k < inner; ++k) {
    i8 a[4];
    u8 b[4];
    for (u32 i = 0; i < 4; ++i) a[i] = left[(row + i) * inner + k];
    __builtin_memcpy(b, &right[k * columns + column], 4);
    for (u32 i = 0; i < 4; ++i)
      for (u32 j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j];
  }
  for (u32 i = 0; i < 4; ++i)
    for (u32 j = 0; j < 4; ++j) out[(row + i) * columns + column + j] = sums[i][j];
}

// Halves, summed in single precision.
KERNEL(multiply_halves, u32 *out, const f16 *left, const f16 *right, u32 size) {
  u32 x = group_x() * 8 + item_x(), y = group_y() * 8 + item_y();
  f32 sum = 0;
  for (u32 k = 0; k < size; k += 2) {
    sum += (f32)left[y * size + k] * (f32)right[x * size + k];
    sum += (f32)left[y * size + k + 1] * (f32)right[x * size + k + 1];
  }
  out[y * size + x] = bits(sum);
}

// A transform of 256 numbers modulo a prime of 31 bits, in LDS: 64-bit products and remainders.
NOINLINE u32 power(u32 base, u32 exponent) {
  u64 result = 1, square = base;
  for (; exponent; exponent >>= 1, square = square * square % 2013265921u)
    if (exponent & 1) result = result * square % 2013265921u;
  return result;
}
KERNEL(transform, u32 *out, const u32 *in) {
  SHARED u32 data[256];
  u32 me = item_x(), base = group_x() * 256;
  for (u32 i = me; i < 256; i += 128) data[__builtin_bitreverse32(i) >> 24] = in[base + i] % 2013265921u;
  for (u32 half = 1; half < 256; half *= 2) {
    barrier();
    u32 k = me % half, low = me / half * 2 * half + k;
    u32 factor = power(440564289u, (1u << 27) / (2 * half) * k);
    u64 right = (u64)data[low + half] * factor % 2013265921u, left = data[low];
    data[low] = (left + right) % 2013265921u;
    data[low + half] = (left + 2013265921u - right) % 2013265921u;
  }
  barrier();
  for (u32 i = me; i < 256; i += 128) out[base + i] = data[i];
}

// 512 words by 256 items: a bitonic network in LDS.
KERNEL(sort_shared, i32 *out, const i32 *in) {
  SHARED i32 data[512];
  u32 me = item_x(), base = group_x() * 512;
  data[me] = in[base + me];
  data[me + 256] = in[base + me + 256];
  for (u32 size = 2; size <= 512; size *= 2)
    for (u32 stride = size / 2; stride > 0; stride /= 2) {
      barrier();
      u32 low = 2 * me - (me & (stride - 1)), high = low + stride;
      bool up = (low & size) == 0;
      i32 a = data[low], b = data[high];
      if ((a > b) == up) data[low] = b, data[high] = a;
    }
  barrier();
  out[base + me] = data[me];
  out[base + me + 256] = data[me + 256];
}

// Eight keys of 64 bits in registers, with what belongs to them.
KERNEL(sort_registers, u64 *out, u8 *order, const u64 *in) {
  u32 at = (group_x() * size_x() + item_x()) * 8;
  u64 keys[8];
  u8 places[8];
  for (u32 i = 0; i < 8; ++i) keys[i] = in[at + i], places[i] = i;
  static const u8 network[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
                                    {0, 4}, {3, 7}, {1, 5}, {2, 6}, {1, 4}, {3, 6}, {2, 4}, {3, 5}, {3, 4}};
  for (const u8(&step)[2] : network) {
    u64 &a = keys[step[0]], &b = keys[step[1]];
    if (b < a) {
      u64 kept = a;
      a = b, b = kept;
      u8 place = places[step[0]];
      places[step[0]] = places[step[1]], places[step[1]] = place;
    }
  }
  for (u32 i = 0; i < 8; ++i) out[at + i] = keys[i], order[at + i] = places[i];
}

// Two passes of four bits by counting: ranks from ballots, each wave for itself.
KERNEL(sort_digits, u8 *out, const u8 *in) {
  SHARED u8 data[128];
  u32 start = item_x() - lane(), base = group_x() * size_x() + start, me = lane();
  u32 value = in[base + me];
  for (u32 shift = 0; shift < 8; shift += 4) {
    u32 digit = value >> shift & 15, place = 0;
    for (u32 d = 0; d < 16; ++d) {
      u64 mask = ballot(digit == d);
      if (digit == d) place += bits_below(mask);
      else if (d < digit) place += __builtin_popcountll(mask);
    }
    data[start + place] = value;
    barrier();
    value = data[start + me];
    barrier();
  }
  out[base + me] = value;
}
