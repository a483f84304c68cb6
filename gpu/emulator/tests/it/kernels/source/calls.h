// Calls, private memory and many live values.

NOINLINE u32 mixed(u32 x, u32 y) { return (x ^ y << 7) * 0x9e3779b1u + (y >> 3); }

struct Pair {
  u64 sum;
  u32 parts[6];
};

NOINLINE Pair combined(Pair x, const Pair *y, u32 by) {
  Pair result;
  result.sum = x.sum * 3 + y->sum + by;
  for (u32 i = 0; i < 6; ++i) result.parts[i] = mixed(x.parts[i], y->parts[5 - i]);
  return result;
}

// More arguments than registers are passed in.
NOINLINE u64 many(u32 a, u64 b, u8 c, i16 d, f32 e, f64 f, u32 g, u32 h, u64 i, u64 j, u32 k, u32 l, u32 m, u32 n, u64 o, u64 p,
                  u32 q, u32 r, u32 s, u32 t, u64 u, u64 v, u32 w, u32 x, u32 y, u32 z, u64 A, u64 B) {
  return a + b * c + d - bits(e) + bits(f) + g * h + (i ^ j) + k - l * m + n + (o & p) + q * r - s + t * 3 + (u | v) + w + x * y - z + A * B;
}

KERNEL(calls, u64 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[at];
  Pair pair = {x, {x, x + 1, x * 2, x ^ 3, x - 4, x >> 5}}, other = {1, {at, 2, 3, 4, 5, 6}};
  for (u32 i = 0; i < 3; ++i)
    if (i == 0 || x & i) pair = combined(pair, &other, i);
  u64 total = pair.sum;
  for (u32 i = 0; i < 6; ++i) total = total * 5 + pair.parts[i];
  total += many(x, total, x >> 4, x, (f32)(x & 1023), (f64)(i32)x, at, at + 1, x * 2, total ^ x, 1, 2, x, 4, total, x, 7, x & 8, 9, at,
                total >> 9, x * x, 13, x, 15, x >> 16, x, total);
  out[at] = total;
}

typedef u32 (*Operation)(u32, u32);
NOINLINE u32 by_sum(u32 x, u32 y) { return x + y; }
NOINLINE u32 by_product(u32 x, u32 y) { return x * y + 1; }
NOINLINE u32 by_calls(u32 x, u32 y) { return mixed(mixed(x, y), y); }
NOINLINE u32 by_private(u32 x, u32 y) {
  volatile u32 array[9];
  for (u32 i = 0; i < 9; ++i) array[i] = x * i;
  return array[y % 9] - y;
}

// Calls of functions that only the data knows: different ones in the lanes of a wave.
KERNEL(function_pointers, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[at];
  for (u32 i = 0; i < 4; ++i) {
    u32 which = (x >> 3 * i) & 3;
    Operation operation = which == 0 ? by_sum : which == 1 ? by_product : which == 2 ? by_calls : by_private;
    x = operation(x, at + i);
  }
  out[at] = x;
}

// 150 values that live across a loop: in 1,024 items' share of the registers they do not fit.
KERNEL(many_values, u32 *out, const u32 *in, u32 rounds) {
  u32 at = group_x() * size_x() + item_x();
  u32 values[150];
#pragma clang loop unroll(full)
  for (u32 i = 0; i < 150; ++i) values[i] = in[(at + 7 * i) & 1023] + i;
#pragma clang loop unroll(disable)
  for (u32 round = 0; round < rounds; ++round) {
#pragma clang loop unroll(full)
    for (u32 i = 0; i < 150; ++i) values[i] = values[i] * 5 + (values[(i + 77) % 150] ^ round);
  }
  u32 sum = 0;
#pragma clang loop unroll(full)
  for (u32 i = 0; i < 150; ++i) sum = sum * 31 + values[i];
  out[at] = sum;
}

// Arrays of an item, with indices that only the data knows: elements of every width.
KERNEL(private_arrays, u64 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x();
  u32 words[40];
  u8 small[37];
  u64 longs[12];
  f64 numbers[7];
  for (u32 i = 0; i < 40; ++i) words[i] = in[(at + i) & 1023];
  for (u32 i = 0; i < 37; ++i) small[i] = words[(i * 3) % 40] >> (i & 7);
  for (u32 i = 0; i < 12; ++i) longs[i] = (u64)words[i] << 32 | words[39 - i];
  for (u32 i = 0; i < 7; ++i) numbers[i] = (f64)(i32)words[small[i] % 40];
  for (u32 i = 0; i < 60; ++i) {
    u32 from = words[i % 40] % 40, to = words[(i + 1) % 40] % 37;
    small[to] += small[from % 37] ^ i;
    words[from] = words[from] * 3 + small[to];
    longs[to % 12] ^= longs[from % 12] + words[to];
    numbers[i % 7] = numbers[from % 7] * 0.5 + small[to];
  }
  u64 sum = 0;
  for (u32 i = 0; i < 40; ++i) sum = sum * 7 + words[i];
  for (u32 i = 0; i < 37; ++i) sum = sum * 3 + small[i];
  for (u32 i = 0; i < 12; ++i) sum += longs[i];
  for (u32 i = 0; i < 7; ++i) sum ^= bits(numbers[i]);
  out[at] = sum;
}

// Determinants by elimination with pivots: a matrix of 5 by 5 in private memory, passed by address.
NOINLINE f64 determinant(f64 (*matrix)[5]) {
  f64 product = 1;
  for (u32 column = 0; column < 5; ++column) {
    u32 pivot = column;
    for (u32 row = column + 1; row < 5; ++row)
      if (__builtin_fabs(matrix[row][column]) > __builtin_fabs(matrix[pivot][column])) pivot = row;
    if (matrix[pivot][column] == 0) return 0;
    if (pivot != column) {
      product = -product;
      for (u32 i = 0; i < 5; ++i) {
        f64 kept = matrix[pivot][i];
        matrix[pivot][i] = matrix[column][i];
        matrix[column][i] = kept;
      }
    }
    product *= matrix[column][column];
    for (u32 row = column + 1; row < 5; ++row) {
      f64 factor = matrix[row][column] / matrix[column][column];
      for (u32 i = column; i < 5; ++i) matrix[row][i] -= factor * matrix[column][i];
    }
  }
  return product;
}
KERNEL(determinants, u64 *out, const i8 *in) {
  u32 at = group_x() * size_x() + item_x();
  f64 matrix[5][5];
  for (u32 i = 0; i < 25; ++i) matrix[i / 5][i % 5] = in[at * 25 + i];
  out[at] = bits(determinant(matrix));
}

// Queens on a board of 6: a search with its own stack, a first row per item.
KERNEL(queens, u32 *out, const u32 *in, u32 size) {
  u32 at = group_x() * size_x() + item_x(), start = in[at] % size;
  u8 column[8];
  u32 row = 1, count = 0;
  column[0] = start;
  column[1] = 0;
  while (row > 0) {
    bool free = column[row] < size;
    for (u32 i = 0; free && i < row; ++i) {
      u32 apart = column[i] > column[row] ? column[i] - column[row] : column[row] - column[i];
      free = apart != 0 && apart != row - i;
    }
    if (column[row] >= size) {
      if (--row > 0) ++column[row];
    } else if (!free) {
      ++column[row];
    } else if (row + 1 == size) {
      ++count;
      ++column[row];
    } else {
      column[++row] = 0;
    }
  }
  out[at] = count * 16 + start;
}
