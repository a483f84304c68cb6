// Functions of three values of one type, a kernel each.
#include "both.h"

TABLE u32 digits[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

NOINLINE u32 called(u32 x, u32 y) { return x * 31u + (y ^ (x >> 3)); }

static u32 through_stack(u32 x, u32 y, u32 z) {
  volatile u32 array[24];
  for (int i = 0; i < 24; ++i) array[i] = x + i * y;
  array[z % 24] ^= 0x5555;
  u32 sum = 0;
  for (int i = 0; i < 24; ++i) sum = sum * 3 + array[(i + (z & 7)) % 24];
  return sum;
}

static u32 collatz(u32 x, u32 y, u32 z) {
  u32 steps = 0;
  u64 n = (x % 1000) + 1;
  while (n != 1 && steps < 200 + (y & 15)) { n = n & 1 ? 3 * n + 1 : n / 2; ++steps; }
  return steps + (z & 1);
}

static u32 branchy(u32 x, u32 y, u32 z) {
  switch (x % 7) {
    case 0: return y + z;
    case 1: return y - z;
    case 2: return y * z;
    case 3: return y / (z | 1);
    case 4: return y << (z & 31);
    case 5: return digits[y & 15] + digits[z & 15];
    default: return called(y, z);
  }
}

// name, type, expression in x, y, z
#define LIST(E) \
  E(add32, u32, x + y + z) E(mul32, u32, x * y + z) E(div_u32, u32, x / (y | 1)) E(rem_u32, u32, x % (y | 1)) \
  E(div_i32, i32, (y == 0 || (x == (i32)0x80000000 && y == -1)) ? z : x / y) \
  E(rem_i32, i32, (y == 0 || (x == (i32)0x80000000 && y == -1)) ? z : x % y) \
  E(div_u64, u64, x / (y | 1)) E(rem_u64, u64, x % ((y >> 32) | 1)) E(mul64, u64, x * y + z) \
  E(div_i64, i64, (y == 0 || y == -1) ? z : x / y) E(mulhi_u32, u32, (u32)(((u64)x * y) >> 32) + z) \
  E(mulhi_i32, i32, (i32)(((i64)x * y) >> 32) ^ z) E(shl64, u64, (x << (y & 63)) + z) E(sar64, i64, (x >> (y & 63)) + z) \
  E(shr64, u64, (x >> (y & 63)) ^ z) E(sar32, i32, (x >> (y & 31)) - z) E(rotate, u32, ((x << (y & 31)) | (x >> ((32 - (y & 31)) & 31))) + z) \
  E(popcount, u32, __builtin_popcount(x) + __builtin_popcountll(((u64)y << 32) | z)) E(clz, u32, __builtin_clz(x | 1) + __builtin_clzll(((u64)y << 32) | z | 1)) \
  E(ctz, u32, __builtin_ctz(x | 0x80000000u) + y + z) E(reverse, u32, __builtin_bitreverse32(x) ^ __builtin_bswap32(y) ^ z) \
  E(min_i32, i32, (x < y ? x : y) < z ? (x < y ? x : y) : z) E(max_u32, u32, (x > y ? x : y) > z ? (x > y ? x : y) : z) \
  E(min_i64, i64, x < y ? x : z) E(cmp_u64, u64, x > y ? z : x + (y == z)) E(bytes, u32, (u8)x * (i8)y + (u16)z * (i16)x) \
  E(i16_math, i16, (i16)(x * y) + (x > y ? z : y)) E(u16_math, u16, (u16)((x + y) >> 1) + (u16)(x < z ? x : z)) E(i8_math, i8, (i8)(x * y + z)) \
  E(sat_u32, u32, __builtin_elementwise_add_sat(x, y) ^ __builtin_elementwise_sub_sat(x, z)) E(sat_i32, i32, __builtin_elementwise_add_sat(x, y) ^ __builtin_elementwise_sub_sat(x, z)) \
  E(sat_i16, i16, __builtin_elementwise_add_sat(x, y)) E(sat_u16, u16, __builtin_elementwise_sub_sat(x, y)) \
  E(f32_add, f32, x + y - z) E(f32_mul, f32, x * y) E(f32_mad, f32, x * y + z) E(f32_fma, f32, __builtin_fmaf(x, y, z)) E(f32_div, f32, x / y) \
  E(f32_select, f32, x > y ? x : (y >= z ? y : z)) E(f32_max, f32, __builtin_fmaxf(x, __builtin_fminf(y, z))) E(f32_floor, f32, __builtin_floorf(x) + __builtin_truncf(y)) \
  E(f32_ceil, f32, __builtin_ceilf(x) - __builtin_rintf(y)) E(f32_abs, f32, -__builtin_fabsf(x) + __builtin_copysignf(y, z)) \
  E(f64_add, f64, x + y - z) E(f64_mul, f64, x * y) E(f64_fma, f64, __builtin_fma(x, y, z)) E(f64_div, f64, x / y) E(f64_select, f64, x < y ? z : (x != x ? y : x)) \
  E(f64_floor, f64, __builtin_floor(x) + __builtin_rint(y)) E(f64_from_f32, f64, (f64)(f32)x + (f32)y) E(f64_from_u32, f64, (f64)7u * x - y) \
  E(f16_add, f16, x + y) E(f16_mul, f16, x * y) E(f16_select, f16, x > y ? z : x) E(f16_max, f16, x > y ? x : y) \
  E(f16_from_f32, f16, (f16)((f32)x * (f32)y + (f32)z)) E(u32_to_f32, u32, __builtin_bit_cast(u32, (f32)x) ^ __builtin_bit_cast(u32, (f32)(i32)y)) \
  E(u64_to_f32, u64, __builtin_bit_cast(u32, (f32)x) + __builtin_bit_cast(u32, (f32)(i64)y)) E(u64_to_f64, u64, __builtin_bit_cast(u64, (f64)x) ^ __builtin_bit_cast(u64, (f64)(i64)y)) \
  E(f32_to_i32, f32, (x > -2e9f && x < 2e9f) ? (f32)(i32)x : y) E(f32_to_u64, f32, (x > 0 && x < 1e19f) ? (f32)(u64)x : y) E(f64_to_i32, f64, (x > -2e9 && x < 2e9) ? (f64)(i32)x : y) \
  E(f64_to_f32, f64, (f64)(f32)x + (f64)(f32)y) E(f64_to_i64, f64, (x > -9e18 && x < 9e18) ? (f64)(i64)x : z) \
  E(classify, f32, __builtin_isnan(x) ? 1.0f : __builtin_isinf(y) ? 2.0f : __builtin_isnormal(z) ? 3.0f : 4.0f) \
  E(table, u32, digits[x & 15] * digits[y & 15] + z) E(calls, u32, called(called(x, y), z)) E(stack, u32, through_stack(x, y, z)) E(loops, u32, collatz(x, y, z)) E(branches, u32, branchy(x, y, z))

static f32 plain(f32 x) { return __builtin_bit_cast(f32, bits(x)); }
static f64 plain(f64 x) { return __builtin_bit_cast(f64, bits(x)); }
static f16 plain(f16 x) { return __builtin_bit_cast(f16, bits(x)); }
template <class T> static T plain(T x) { return x; }

#define DEFINE(name, type, expression) \
  static type element_##name(type x, type y, type z) { return expression; } \
  KERNEL(name, type *out, const type *a, const type *b, const type *c) { \
    u32 i = group_x() * 64 + item_x(); \
    out[i] = plain(element_##name(a[i], b[i], c[i])); \
  }
LIST(DEFINE)

#include "host_main.h"
