//! The definitions at the beginning of a source.

/// Macros of HIP's headers, and the types of all sources.
pub(super) const MACROS: &str = r"// What hipcc and hiprtc know from HIP's headers.
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif

using Byte = unsigned char;
using Half = unsigned short;
using Size = unsigned long long;
using SignedByte = signed char;
using SignedSize = long long;
// Addresses in the memory of the device and in LDS, which the compiler need not tell from each other.
using Global = __attribute__((address_space(1))) char *;
using Local = __attribute__((address_space(3))) char *;
template <class T, int count> using Vector = T __attribute__((ext_vector_type(count)));
";

/// The functions by name, in the order of their definition.
const FUNCTIONS: [(&str, &str); 19] = [
    (
        "load",
        r"
// Loads a value from an address that is a multiple of so many bytes.
template <class T, int align> static __device__ inline T load(Global from) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  return *(const __attribute__((address_space(1))) Aligned *)from;
}
template <class T, int align> static __device__ inline T load(Local from) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  return *(const __attribute__((address_space(3))) Aligned *)from;
}
",
    ),
    (
        "store",
        r"
// Stores a value at an address that is a multiple of so many bytes.
template <class T, int align> static __device__ inline void store(Global to, T value) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  *(__attribute__((address_space(1))) Aligned *)to = value;
}
template <class T, int align> static __device__ inline void store(Local to, T value) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  *(__attribute__((address_space(3))) Aligned *)to = value;
}
",
    ),
    (
        "atomic_add",
        r"
// Adds to a counter, for the whole device; what it was before.
template <int order> static __device__ inline unsigned atomic_add(Global counter, unsigned number) {
  return __hip_atomic_fetch_add((__attribute__((address_space(1))) unsigned *)counter, number, order, __HIP_MEMORY_SCOPE_AGENT);
}
",
    ),
    (
        "atomic_load",
        r"
// What a counter is, for the whole device.
static __device__ inline unsigned atomic_load(Global counter) {
  return __hip_atomic_load((__attribute__((address_space(1))) unsigned *)counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
",
    ),
    (
        "apart",
        r#"
// An address that all lanes share and bytes of each lane's own. The compiler does not know that nothing is done to the
// bytes, and so adds them to no address ahead of a loop: a load takes both.
static __device__ inline Global apart(Global from, unsigned bytes) {
  asm volatile("" : "+v"(bytes));
  return from + bytes;
}
"#,
    ),
    (
        "opaque",
        r#"
// The same word, of which the compiler knows nothing.
static __device__ inline unsigned opaque(unsigned word) {
  asm("" : "+v"(word));
  return word;
}
"#,
    ),
    (
        "move_pair",
        r#"
struct Words { unsigned low, high; };
// Two words that all lanes share, to vector registers at once.
static __device__ inline Words move_pair(unsigned low, unsigned high) {
  Size moved;
  asm("v_mov_b64 %0, %1" : "=v"(moved) : "s"(Size(high) << 32 | low));
  return {unsigned(moved), unsigned(moved >> 32)};
}
"#,
    ),
    (
        "square_root",
        r"
// A square root. Made quiet, which it is, it is none for the compiler, which takes the NaN of a root for any other.
template <class T> static __device__ inline T square_root(T number) {
  return __builtin_elementwise_canonicalize(__builtin_elementwise_sqrt(number));
}
",
    ),
    (
        "min_number",
        r"
// The lesser of two, a NaN ignored: a signalling one, too, which the instruction would not ignore, and so is made quiet.
template <class T> static __device__ inline T min_number(T a, T b) {
  return __builtin_elementwise_minnum(__builtin_elementwise_canonicalize(a), __builtin_elementwise_canonicalize(b));
}
",
    ),
    (
        "max_number",
        r"
// The greater of two, a NaN ignored: a signalling one, too, which the instruction would not ignore, and so is made quiet.
template <class T> static __device__ inline T max_number(T a, T b) {
  return __builtin_elementwise_maxnum(__builtin_elementwise_canonicalize(a), __builtin_elementwise_canonicalize(b));
}
",
    ),
    (
        "min_of_numbers",
        r#"
// The lesser of two numbers, neither a NaN. C++ has no function that may assume that: each quiets both first.
template <class T> static __device__ inline T min_of_numbers(T a, T b) {
  if constexpr (sizeof(T) == 4) asm("v_min_f32 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  else asm("v_min_f64 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  return a;
}
"#,
    ),
    (
        "max_of_numbers",
        r#"
// The greater of two numbers, neither a NaN. C++ has no function that may assume that: each quiets both first.
template <class T> static __device__ inline T max_of_numbers(T a, T b) {
  if constexpr (sizeof(T) == 4) asm("v_max_f32 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  else asm("v_max_f64 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  return a;
}
"#,
    ),
    (
        "write_lane",
        r"
// The word in one lane, and what the others have.
static __device__ inline unsigned write_lane(unsigned word, unsigned lane, unsigned others) {
  const unsigned own = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
  return own == lane ? word : others;
}
",
    ),
    (
        "other_half",
        r#"
// v_permlane64_b32: from lane ^ 32. The compiler must not move it to where its result is used, where fewer lanes may be
// active.
static __device__ inline unsigned other_half(unsigned word) {
  word = __builtin_amdgcn_permlane64(word);
  asm volatile("" : "+v"(word));
  return word;
}
"#,
    ),
    (
        "swap16",
        r"
struct Pair { unsigned lower, higher; };
// v_permlane16_swap_b32 of a register and its copy.
static __device__ inline Pair swap16(unsigned word) {
  const auto both = __builtin_amdgcn_permlane16_swap(word, word, false, false);
  return {both[0], both[1]};
}
",
    ),
    (
        "swap32",
        r"
struct Halves { unsigned lower, higher; };
// v_permlane32_swap_b32 of a register and its copy.
static __device__ inline Halves swap32(unsigned word) {
  const auto both = __builtin_amdgcn_permlane32_swap(word, word, false, false);
  return {both[0], both[1]};
}
",
    ),
    (
        "split",
        r"
template <class T> struct Parts { T mantissa; unsigned exponent; };
// Mantissa in [1/2, 1) and exponent.
template <class T> static __device__ inline Parts<T> split(T x) {
  if constexpr (sizeof(T) == 4) {
    return {__builtin_amdgcn_frexp_mantf(x), unsigned(__builtin_amdgcn_frexp_expf(x))};
  } else {
    return {__builtin_amdgcn_frexp_mant(x), unsigned(__builtin_amdgcn_frexp_exp(x))};
  }
}
",
    ),
    (
        "signed_of",
        r"
// Rounded to zero, at most the limit and at least -limit - 1; 0 of a NaN.
static __device__ inline SignedSize signed_of(double x, SignedSize limit) {
  if (x != x) return 0;
  return x >= double(limit) ? limit : x <= -double(limit) - 1 ? -limit - 1 : SignedSize(x);
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

/// Returns the names of the functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Returns the functions that the text calls.
pub(super) fn functions(text: &str) -> String {
    let calls = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            let after = text[at + name.len()..].chars().next().unwrap_or(' ');
            !before.is_alphanumeric() && before != '_' && matches!(after, '(' | '<')
        })
    };
    let texts = FUNCTIONS.iter().filter(|(name, _)| calls(name));
    texts
        .map(|(_, text)| format!("{}\n", text.trim_start()))
        .collect()
}
