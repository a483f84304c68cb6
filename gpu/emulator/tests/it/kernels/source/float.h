// Arithmetic of floating point: every result is the correctly rounded one on both sides.

KERNEL(single_math, u32 *out, const f32 *in) {
  u32 at = group_x() * size_x() + item_x();
  f32 x = in[3 * at], y = in[3 * at + 1], z = in[3 * at + 2];
  u32 *to = &out[16 * at];
  to[0] = bits(x + y - z);
  to[1] = bits(x * y / z);
  to[2] = bits(x / y);
  to[3] = bits(__builtin_sqrtf(__builtin_fabsf(x)));
  to[4] = bits(__builtin_sqrtf(y));
  to[5] = bits(__builtin_fmaf(x, y, z));
  to[6] = bits(__builtin_fmaf(-x, z, y) * 0.37f);
  to[7] = bits(least(x, most(y, z)));
  to[8] = bits(__builtin_floorf(x) + __builtin_ceilf(y));
  to[9] = bits(__builtin_truncf(x) - __builtin_rintf(z));
  to[10] = bits(__builtin_copysignf(x, y) * 1.5f);
  to[11] = bits(1.0f / z);
  to[12] = bits(__builtin_ldexpf(x, (i32)(at % 300) - 150));
  to[13] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > z) << 4 | (x >= z) << 5 | !(x < z) << 6 |
           __builtin_isunordered(y, z) << 7 | __builtin_islessgreater(y, z) << 8;
  to[14] = __builtin_isnan(x) | __builtin_isinf(y) << 1 | __builtin_isnormal(z) << 2 | __builtin_issubnormal(x) << 3 |
           __builtin_signbit(y) << 4 | __builtin_isfinite(z) << 5;
  int exponent = 0;
  f32 fraction = __builtin_frexpf(z, &exponent);
  bool finite = __builtin_isfinite(z);
  to[15] = finite ? bits(fraction) + exponent : 0;
}

KERNEL(double_math, u64 *out, const f64 *in) {
  u32 at = group_x() * size_x() + item_x();
  f64 x = in[3 * at], y = in[3 * at + 1], z = in[3 * at + 2];
  u64 *to = &out[14 * at];
  to[0] = bits(x + y - z);
  to[1] = bits(x * y / z);
  to[2] = bits(x / y);
  to[3] = bits(__builtin_sqrt(__builtin_fabs(x)));
  to[4] = bits(1.0 / __builtin_sqrt(y));
  to[5] = bits(__builtin_fma(x, y, z));
  to[6] = bits(__builtin_fma(x, -z, -y) * 0.37);
  to[7] = bits(least(x, most(y, z)));
  to[8] = bits(__builtin_floor(x) + __builtin_ceil(y));
  to[9] = bits(__builtin_trunc(x) - __builtin_rint(z));
  to[10] = bits(__builtin_copysign(x, y) * 1.5);
  to[11] = bits(__builtin_ldexp(x, (i32)(at % 2200) - 1100));
  to[12] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > z) << 4 | (x >= z) << 5 |
           __builtin_isnan(x) << 6 | __builtin_isinf(y) << 7 | __builtin_isnormal(z) << 8 | __builtin_signbit(z) << 9;
  int exponent = 0;
  f64 fraction = __builtin_frexp(z, &exponent);
  to[13] = __builtin_isfinite(z) ? bits(fraction) + exponent : 0;
}

// Polynomials and Newton's steps: long chains that round at each.
KERNEL(double_series, u64 *out, const f64 *in) {
  u32 at = group_x() * size_x() + item_x();
  f64 x = in[at], sum = 0, term = 1;
  for (u32 n = 1; n < 24; ++n) {
    sum += term;
    term = term * x / n;
  }
  f64 root = 1;
  for (u32 n = 0; n < 12; ++n) root = 0.5 * (root + __builtin_fabs(x) / root);
  out[2 * at] = bits(sum);
  out[2 * at + 1] = bits(root);
}

typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef f16 f16x4 __attribute__((ext_vector_type(4)));
typedef short i16x2 __attribute__((ext_vector_type(2)));
typedef unsigned short u16x2 __attribute__((ext_vector_type(2)));

KERNEL(half_math, u16 *out, const f16 *in) {
  u32 at = group_x() * size_x() + item_x();
  f16 x = in[3 * at], y = in[3 * at + 1], z = in[3 * at + 2];
  u16 *to = &out[10 * at];
  to[0] = bits((f16)(x + y));
  to[1] = bits((f16)(x * y));
  to[2] = bits((f16)((f16)(x * y) - z));
  to[3] = bits(fma16(x, y, z));
  to[4] = bits((f16)(x / y));
  to[5] = bits(x > y ? z : x);
  to[6] = (x < y) | (x <= z) << 1 | (x == y) << 2 | (y != z) << 3;
  to[7] = bits((f16)((f32)x * (f32)y + (f32)z));
  to[8] = x == x && __builtin_fabsf((f32)x) < 30000.0f ? (u16)(i16)x : 7;
  to[9] = bits((f16)(i16)at) ^ bits((f16)(u16)(at * 391));
}

// Two halves, or four, in a register: packed operations.
KERNEL(half_packed, f16x4 *out, const f16x4 *in, u32 *places) {
  u32 at = group_x() * size_x() + item_x();
  f16x4 x = in[2 * at], y = in[2 * at + 1];
  f16x4 sum = x + y, product = x * y, mixed = __builtin_shufflevector(sum, product, 3, 4, 1, 6) - x.wzyx;
  f16x4 chosen = x;
  for (u32 i = 0; i < 4; ++i) chosen[i] = x[i] > y[3 - i] ? sum[i] : fma16(x[i], y[i], mixed[i]);
  for (u32 i = 0; i < 4; ++i) {
    mixed[i] = __builtin_bit_cast(f16, bits(mixed[i]));
    chosen[i] = __builtin_bit_cast(f16, bits(chosen[i]));
  }
  out[2 * at] = mixed;
  out[2 * at + 1] = chosen;
  i16x2 a = __builtin_bit_cast(i16x2, ((const u32 *)in)[4 * at]), b = __builtin_bit_cast(i16x2, ((const u32 *)in)[4 * at + 3]);
  u16x2 c = __builtin_bit_cast(u16x2, b);
  places[2 * at] = __builtin_bit_cast(u32, a * b + a) ^ __builtin_bit_cast(u32, __builtin_elementwise_max(a, b));
  places[2 * at + 1] = __builtin_bit_cast(u32, (c >> (u16)3) - __builtin_elementwise_min(c, (u16x2)a)) ^ __builtin_bit_cast(u32, a >> (i16)5);
}

// A product of rows of bfloat16, summed in single precision.
KERNEL(brain_dot, u16 *out, const u16 *in) {
  u32 at = group_x() * size_x() + item_x();
  f32 sum = 0.125f;
  for (u32 i = 0; i < 16; ++i) sum += from_bf16(in[(at + i) & 1023]) * from_bf16(in[(at + 2 * i + 1) & 1023]);
  out[2 * at] = sum == sum ? to_bf16(sum) : 0x7fc0;
  f32 rounded = from_bf16(in[at & 1023]) * 1.0078125f;
  out[2 * at + 1] = rounded == rounded ? to_bf16(rounded) : 0x7fc0;
}

// Between integers and floating point of all widths.
KERNEL(conversions, u64 *out, const u64 *in) {
  u32 at = group_x() * size_x() + item_x();
  u64 x = in[at];
  u64 *to = &out[20 * at];
  f32 single = __builtin_bit_cast(f32, (u32)x);
  f64 twice = __builtin_bit_cast(f64, x);
  bool fits32 = __builtin_fabsf(single) < 2e9f, fits64 = __builtin_fabsf(single) < 9e18f;
  bool twice32 = __builtin_fabs(twice) < 2e9, twice64 = __builtin_fabs(twice) < 9e18;
  to[0] = bits((f32)(u32)x);
  to[1] = bits((f32)(i32)x);
  to[2] = bits((f32)x);
  to[3] = bits((f32)(i64)x);
  to[4] = bits((f64)(u32)x);
  to[5] = bits((f64)(i32)x);
  to[6] = bits((f64)x);
  to[7] = bits((f64)(i64)x);
  to[8] = fits32 ? (i32)single : 1;
  to[9] = fits32 && single >= 0 ? (u32)single : 2;
  to[10] = fits64 ? (i64)single : 3;
  to[11] = fits64 && single >= 0 ? (u64)single : 4;
  to[12] = twice32 ? (i32)twice : 5;
  to[13] = twice32 && twice >= 0 ? (u32)twice : 6;
  to[14] = twice64 ? (i64)twice : 7;
  to[15] = twice64 && twice >= 0 ? (u64)twice : 8;
  to[16] = bits((f64)single);
  to[17] = bits((f32)twice);
  to[18] = bits((f16)single) | (u64)bits((f32)__builtin_bit_cast(f16, (u16)x)) << 32;
  f32 bytes = (f32)(x & 255) * (f32)(x >> 8 & 255) + (f32)(x >> 16 & 255) - (f32)(u8)(x >> 24);
  to[19] = bits(bytes) + (u64)bits((f32)(i8)x) + bits((f32)(i16)x);
}
