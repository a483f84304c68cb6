//! Functions that operations share.

use crate::native::hip::source::Source;

/// Prints those that are used.
pub(super) fn print(source: &mut Source) {
    for (name, text) in FUNCTIONS {
        source.define(name, text);
        source.blank();
    }
}

/// By name, each after those that it uses.
const FUNCTIONS: [(&str, &str); 14] = [
    (
        "canonical",
        r#"
// A float; any NaN as the one without a sign and a payload.
template <class T> static __device__ inline T canonical(T x) { return x == x ? x : T(__builtin_nanf("")); }
"#,
    ),
    (
        "of_bf16",
        r"
static __device__ inline float of_bf16(unsigned short bits) {
  return __builtin_bit_cast(float, unsigned(bits) << 16);
}
",
    ),
    (
        "to_bf16",
        r"
// The nearest bf16, ties to even.
static __device__ inline unsigned short to_bf16(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  return x != x ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
",
    ),
    (
        "to_odd",
        r"
// A float that rounds as the double does: of the two next to it the odd one.
static __device__ inline float to_odd(double x) {
  const float nearest = float(x);
  if (nearest == x || x != x) return nearest;
  const unsigned bits = __builtin_bit_cast(unsigned, nearest);
  const bool is_beyond = __builtin_fabs(double(nearest)) > __builtin_fabs(x);
  return __builtin_bit_cast(float, (bits - is_beyond) | 1);
}
",
    ),
    (
        "Kind",
        r"
// What a float of 8 bits has: infinities and NaN; NaN alone; one NaN, in the place of the negative zero.
enum Kind { ieee, finite, one_zero };
",
    ),
    (
        "of_f8",
        r#"
template <int mantissa, int bias, Kind kind> static __device__ inline float of_f8(unsigned char bits) {
  const int magnitude = bits & 0x7f, infinity = 0x80 - (1 << mantissa);
  if (kind == one_zero ? bits == 0x80 : magnitude > (kind == ieee ? infinity : 0x7e)) return __builtin_nanf("");
  const int exponent = magnitude >> mantissa, fraction = magnitude & ((1 << mantissa) - 1);
  const int implicit = exponent == 0 ? 0 : 1 << mantissa, shift = exponent == 0 ? 1 : exponent;
  const float scale = __builtin_bit_cast(float, unsigned(127 + shift - bias - mantissa) << 23);
  const float x = kind == ieee && magnitude == infinity ? __builtin_inff() : float(implicit | fraction) * scale;
  return bits & 0x80 ? -x : x;
}
"#,
    ),
    (
        "to_f8",
        r"
// The nearest float of 8 bits, ties to even. What is too large becomes infinity, or NaN.
template <int mantissa, int bias, Kind kind> static __device__ inline unsigned char to_f8(float x) {
  const int infinity = 0x80 - (1 << mantissa), greatest = kind == ieee ? infinity - 1 : kind == finite ? 0x7e : 0x7f;
  const int nan = kind == one_zero ? 0x80 : kind == finite ? 0x7f : infinity | 1 << (mantissa - 1);
  const unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 24 & 0x80;
  if (x != x) return nan;
  // The number of the least places that the result has, from which on the magnitude is a number of such steps.
  const int wide = int(bits >> 23 & 0xff) - 127, exponent = wide < 1 - bias ? 1 - bias : wide;
  int magnitude = greatest + 1;
  if (exponent < 64) {
    const float scale = __builtin_bit_cast(float, unsigned(127 + mantissa - exponent) << 23);
    magnitude = int(__builtin_rintf(__builtin_fabsf(x) * scale)) + ((exponent + bias - 1) << mantissa);
  }
  if (magnitude > greatest) return kind == ieee ? sign | infinity : nan;
  return magnitude == 0 && kind == one_zero ? 0 : sign | magnitude;
}
",
    ),
    (
        "maximum_number",
        r"
// The greater number; a NaN is ignored. Of zeros +0 is greater.
template <class T> static __device__ inline T maximum_number(T x, T y) {
  if (x != x || y != y) return x != x ? y : x;
  return x == y ? (x == 0 ? x + y : x) : x > y ? x : y;
}
",
    ),
    (
        "maximum",
        r#"
// The greater number, or NaN. Of zeros +0 is greater.
template <class T> static __device__ inline T maximum(T x, T y) {
  if (x != x || y != y) return T(__builtin_nanf(""));
  return x == y ? (x == 0 ? x + y : x) : x > y ? x : y;
}
"#,
    ),
    (
        "float_remainder",
        r#"
// The remainder of the division that is rounded to zero, exactly: long division, bit by bit.
template <class T> static __device__ inline T float_remainder(T x, T y) {
  if (!(__builtin_fabs(x) < T(__builtin_inf())) || y == 0 || y != y) return T(__builtin_nanf(""));
  T rest = x < 0 ? -x : x;
  const T divisor = y < 0 ? -y : y;
  T multiple = divisor;
  while (multiple <= rest - multiple) multiple *= 2;
  while (rest >= divisor) {
    if (rest >= multiple) rest -= multiple;
    multiple /= 2;
  }
  return T(__builtin_copysign(rest, x));
}
"#,
    ),
    (
        "quotient",
        r"
// By zero -1; of the least number by -1 itself.
template <class T> static __device__ inline T quotient(T x, T y) {
  return y == 0 ? -1 : y == -1 ? T(0 - Size(x)) : x / y;
}
",
    ),
    (
        "remainder_of",
        r"
// By zero the dividend; of the least number by -1 zero.
template <class T> static __device__ inline T remainder_of(T x, T y) { return y == 0 ? x : y == -1 ? 0 : x % y; }
",
    ),
    (
        "signed_of",
        r"
// Rounded to zero, at most the limit and at least -limit - 1; 0 of a NaN.
static __device__ inline long long signed_of(double x, long long limit) {
  if (x != x) return 0;
  return x >= double(limit) ? limit : x <= -double(limit) - 1 ? -limit - 1 : (long long)(x);
}
",
    ),
    (
        "unsigned_of",
        r"
// Rounded to zero, at most the limit and at least 0; 0 of a NaN.
static __device__ inline Size unsigned_of(double x, Size limit) {
  return x >= double(limit) ? limit : x > 0 ? Size(x) : 0;
}
",
    ),
];
