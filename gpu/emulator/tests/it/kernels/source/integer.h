// Arithmetic of integers.

template <class T> static T quotient(T x, T y) { return y == 0 || (T(-1) < T(0) && y == T(-1)) ? T(7) : T(x / y); }
template <class T> static T rest(T x, T y) { return y == 0 || (T(-1) < T(0) && y == T(-1)) ? T(9) : T(x % y); }
template <class T> static T divided(T x, T y) { return quotient(x, y) ^ (rest(x, y) << 1); }

KERNEL(divide_words, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[2 * at], y = in[2 * at + 1];
  u32 *to = &out[8 * at];
  to[0] = quotient<u32>(x, y);
  to[1] = rest<u32>(x, y);
  to[2] = quotient<i32>(x, y);
  to[3] = rest<i32>(x, y);
  to[4] = divided<u16>(x, y);
  to[5] = divided<i16>(x, y);
  to[6] = divided<u8>(x, y >> 3);
  to[7] = divided<i8>(x, y >> 5);
}

KERNEL(divide_longs, u64 *out, const u64 *in) {
  u32 at = group_x() * size_x() + item_x();
  u64 x = in[2 * at], y = in[2 * at + 1];
  u64 *to = &out[6 * at];
  to[0] = quotient<u64>(x, y);
  to[1] = rest<u64>(x, y);
  to[2] = quotient<i64>(x, y);
  to[3] = rest<i64>(x, y);
  to[4] = divided<u64>(x, y & 0xffffff);
  to[5] = divided<i64>(x, (i64)y >> 40);
}

// By constants: multiplications and shifts.
KERNEL(divide_constants, u64 *out, const u64 *in) {
  u32 at = group_x() * size_x() + item_x();
  u64 x = in[at];
  u32 u = x;
  i32 s = x;
  out[4 * at] = u / 3 + u / 7 + u / 10 + u / 641 + u % 1000 + u / 0x80000001u;
  out[4 * at + 1] = (u32)(s / 3 - s / 7 + s / -10 + s % 641 + s / 8 + s % 16);
  out[4 * at + 2] = x / 7 + x % 1000000007 + (u64)((i64)x / -13) + (u64)((i64)x % 4096);
  out[4 * at + 3] = (u8)u / 5 + (i8)s / 3 + (u16)u % 77 + (i16)s / -9;
}

KERNEL(long_math, u64 *out, const u64 *in) {
  u32 at = group_x() * size_x() + item_x();
  u64 x = in[3 * at], y = in[3 * at + 1], z = in[3 * at + 2];
  u64 *to = &out[14 * at];
  to[0] = x * y + z;
  to[1] = (u64)(((unsigned __int128)x * y) >> 64);
  to[2] = (u64)(((__int128)(i64)x * (i64)y) >> 64);
  to[3] = (x << (y & 63)) ^ (z >> (y >> 6 & 63));
  to[4] = (u64)((i64)x >> (z & 63)) - y;
  to[5] = x < y ? z : (i64)x < (i64)z ? y : x - y;
  to[6] = (u64)(u32)x * (u32)y + z;
  to[7] = (u64)((i64)(i32)x * (i32)y) - z;
  to[8] = (x & y) | (~x & z);
  to[9] = __builtin_popcountll(x) * 100 + __builtin_clzll(y | 1) * 10 + __builtin_ctzll(z | 1ull << 63);
  to[10] = __builtin_bitreverse64(x) ^ __builtin_bswap64(y);
  to[11] = __builtin_elementwise_add_sat(x, y) ^ __builtin_elementwise_sub_sat((i64)x, (i64)z);
  u64 sum;
  bool carry = __builtin_add_overflow(x, y, &sum);
  i64 difference;
  bool borrow = __builtin_sub_overflow((i64)x, (i64)y, &difference);
  to[12] = sum + carry + (u64)difference * 2 + borrow;
  unsigned __int128 wide = (unsigned __int128)x << 64 | y;
  wide = wide * 31 + z;
  wide >>= z & 127;
  to[13] = (u64)wide ^ (u64)(wide >> 64);
}

KERNEL(bit_tricks, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[3 * at], y = in[3 * at + 1], z = in[3 * at + 2];
  u32 *to = &out[16 * at];
  to[0] = __builtin_popcount(x) + (x == 0 ? 32 : __builtin_clz(x)) * 64 + (y == 0 ? 32 : __builtin_ctz(y)) * 4096;
  to[1] = __builtin_bitreverse32(x) ^ __builtin_bswap32(y);
  to[2] = permute_bytes(x, y, z & 0x0f0f0f0f);
  to[3] = align_bits(x, y, z & 31) ^ align_bytes(x, y, z & 3);
  to[4] = field(x, y & 31, z & 31);
  to[5] = signed_field(x, y & 31, z & 31);
  to[6] = difference_of_bytes(x, y, z);
  to[7] = (x & y) | (~x & z);
  to[8] = (x << (y & 31) | x >> (-y & 31)) + __builtin_rotateleft32(z, 7);
  to[9] = __builtin_elementwise_add_sat(x, y) ^ __builtin_elementwise_sub_sat((i32)x, (i32)z);
  to[10] = (x ^ y ^ z) + ((x & y) | (y & z) | (x & z));
  to[11] = x & -x ^ (y & (y - 1)) ^ (z | (z + 1));
  to[12] = (u32)__builtin_clrsb((i32)x) + (u32)__builtin_parity(y);
  to[13] = (u16)(x >> 16 | y << 16) * (u8)z + (i16)(x * y) * (i8)(z >> 8);
  to[14] = ((i32)x < (i32)y ? x : y) + (x < z ? x : z) - ((i32)y > (i32)z ? y : z) + (x > y ? x : y);
  to[15] = __builtin_bitreverse16(x) * 65537 ^ __builtin_bitreverse8(y) ^ (x << 3) + y ^ ((y + z) << 2);
}

// Bytes and half words, read and written one at a time, with and without sign.
KERNEL(small_integers, u8 *bytes, u16 *halves, const i8 *in, const i16 *wide) {
  u32 at = group_x() * size_x() + item_x();
  i8 x = in[at];
  u8 y = ((const u8 *)in)[at ^ 1];
  i16 z = wide[at];
  u16 w = ((const u16 *)wide)[at ^ 3];
  bytes[4 * at] = x * y;
  bytes[4 * at + 1] = (x < 0 ? -x : x) + (z >> 9);
  bytes[4 * at + 2] = __builtin_elementwise_add_sat(x, (i8)y);
  bytes[4 * at + 3] = __builtin_elementwise_sub_sat(y, (u8)w) ^ (x < (i8)y);
  halves[4 * at] = z * w + x;
  halves[4 * at + 1] = (z < (i16)w ? z : w) - y;
  halves[4 * at + 2] = __builtin_elementwise_add_sat(z, (i16)w) ^ (u16)(w >> (y & 15));
  halves[4 * at + 3] = (u16)((z << (x & 15)) + (w > 1000 ? w / 3 : w * 5));
}
