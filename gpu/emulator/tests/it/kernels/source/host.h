// The names of both.h on the host: items are fibers, and a program that runs the launches of a file (main.cpp).
#pragma STDC FP_CONTRACT OFF
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define SHARED static
#define DYNAMIC(type, name) static type *name = (type *)dynamic_shared
#define TABLE static const
#define NOINLINE __attribute__((noinline)) static
#define WAVE (launch.wave)
#define ISA (launch.isa)
#define FAMILY (launch.isa >> 8)
// The host has what any device has.
#define HAS_BROADCASTS 1
#define HAS_ROW_BROADCASTS 1
#define HAS_ROW_MOVES 1
#define HAS_HALF_SWAP 1

struct Launch {
  u32 groups[3], size[3], wave, isa;
};
static Launch launch;
static u64 dynamic_shared[16384];

// An item: why it does not run, and what it brought to a wave's exchange.
enum State { RUNS, AT_BARRIER, AT_EXCHANGE, ENDED };
struct Item {
  u32 number, id[3];
  State state;
  u64 brought, mask, *seen;
  jmp_buf place;
  ucontext_t start;
};
static Item items[1024];
static Item *current;
static u32 group_id[3];
static jmp_buf scheduler;

static void wait_as(State state) {
  current->state = state;
  if (!_setjmp(current->place)) _longjmp(scheduler, 1);
}

static u32 item_x() { return current->id[0]; }
static u32 item_y() { return current->id[1]; }
static u32 item_z() { return current->id[2]; }
static u32 group_x() { return group_id[0]; }
static u32 group_y() { return group_id[1]; }
static u32 group_z() { return group_id[2]; }
static u32 size_x() { return launch.size[0]; }
static u32 size_y() { return launch.size[1]; }
static u32 size_z() { return launch.size[2]; }
static u32 groups_x() { return launch.groups[0]; }
static u32 groups_y() { return launch.groups[1]; }
static u32 groups_z() { return launch.groups[2]; }
static u32 grid_x() { return launch.groups[0] * launch.size[0]; }
static u32 grid_y() { return launch.groups[1] * launch.size[1]; }
static u32 grid_z() { return launch.groups[2] * launch.size[2]; }
static void barrier() { wait_as(AT_BARRIER); }
static void fence() {}

static u32 lane() { return current->number % launch.wave; }
// The lanes of the item's wave that exist.
static u64 present() {
  u32 count = launch.size[0] * launch.size[1] * launch.size[2] - (current->number - lane());
  return count >= 64 ? ~0ull : count >= launch.wave ? ~0ull >> (64 - launch.wave) : (1ull << count) - 1;
}
// Returns the values of the lanes in a mask, by lane; all of them call it.
static const u64 *exchange(u64 value, u64 mask) {
  static u64 seen[1024][64];
  current->brought = value;
  current->mask = mask & present();
  current->seen = seen[current->number];
  wait_as(AT_EXCHANGE);
  return current->seen;
}
static bool has(u64 mask, u32 lane) { return mask >> lane & 1; }

static u64 ballot_among(bool bit, u64 mask) {
  const u64 *values = exchange(bit, mask);
  u64 result = 0;
  for (u32 i = 0; i < launch.wave; ++i)
    if (has(mask & present(), i)) result |= values[i] << i;
  return result;
}
static u64 ballot(bool bit) { return ballot_among(bit, ~0ull); }
static u32 bits_below(u64 mask) { return __builtin_popcountll(mask & ((1ull << lane()) - 1)); }
static u32 first_among(u32 value, u64 mask) { return exchange(value, mask)[__builtin_ctzll(mask & present())]; }
static u32 first(u32 value) { return exchange(value, ~0ull)[0]; }
static u32 of_lane(u32 value, u32 source) { return exchange(value, ~0ull)[source]; }
static u32 into_lane(u32 value, u32 target, u32 old) { return lane() == target ? value : old; }
static u32 pull(u32 value, u32 source) {
  const u64 *values = exchange(value, ~0ull);
  source %= launch.wave;
  if ((FAMILY == 0x10 || FAMILY == 0x11) && launch.wave == 64) source = (source & 31) | (lane() & 32);
  return has(present(), source) ? values[source] : 0;
}
static u32 push(u32 value, u32 target) {
  const u64 *values = exchange((u64)target << 32 | value, ~0ull);
  u32 result = 0;
  for (u32 i = 0; i < launch.wave; ++i)
    if (has(present(), i) && values[i] >> 32 == lane()) result = (u32)values[i];
  return result;
}
template <int PATTERN> static u32 swizzle(u32 value) {
  const u64 *values = exchange(value, ~0ull);
  u32 me = lane(), from;
  if (PATTERN & 0x8000)
    from = (me & ~3u) | (PATTERN >> 2 * (me & 3) & 3);
  else
    from = (me & 32) | ((((me & 31) & (PATTERN & 31)) | (PATTERN >> 5 & 31)) ^ (PATTERN >> 10 & 31));
  return has(present(), from) ? values[from] : 0;
}
// Data-parallel primitives: the source lane of each control, or none.
template <int CONTROL, int ROWS = 15, int BANKS = 15, bool BOUND = false> static u32 dpp(u32 old, u32 value) {
  const u64 *values = exchange(value, ~0ull);
  i32 me = lane(), row = me & ~15, in = me & 15, n = CONTROL & 15, wave = launch.wave, from = -1;
  if (CONTROL < 0x100) from = (me & ~3) | (CONTROL >> 2 * (me & 3) & 3);
  else if (CONTROL <= 0x10f) from = in + n < 16 ? me + n : -1;
  else if (CONTROL <= 0x11f) from = in >= n ? me - n : -1;
  else if (CONTROL <= 0x12f) from = row + ((in - n) & 15);
  else if (CONTROL == 0x130) from = me + 1 < wave ? me + 1 : -1;
  else if (CONTROL == 0x134) from = (me + 1) % wave;
  else if (CONTROL == 0x138) from = me - 1;
  else if (CONTROL == 0x13c) from = (me + wave - 1) % wave;
  else if (CONTROL == 0x140) from = row + 15 - in;
  else if (CONTROL == 0x141) from = me ^ 7;
  else if (CONTROL == 0x142) from = row - 1;
  else if (CONTROL == 0x143) from = me >= 32 ? 31 : -1;
  else if (CONTROL <= 0x15f) from = row + n;
  else from = me ^ n;
  if (!(ROWS >> (me / 16) & 1) || !(BANKS >> (in / 4) & 1)) return old;
  if (from < 0 || !has(present(), from)) return BOUND ? 0 : old;
  return values[from];
}
template <int SELECT> static u32 dpp8(u32 value) {
  const u64 *values = exchange(value, ~0ull);
  u32 from = (lane() & ~7u) | (SELECT >> 3 * (lane() & 7) & 7);
  return has(present(), from) ? values[from] : 0;
}
static u32 row_lane(u32 low, u32 high) { return (lane() & 8 ? high : low) >> 4 * (lane() & 7) & 15; }
static u32 in_row(u32 old, u32 value, u32 low, u32 high) {
  const u64 *values = exchange(value, ~0ull);
  u32 from = (lane() & ~15u) | row_lane(low, high);
  return has(present(), from) ? values[from] : old;
}
static u32 in_other_row(u32 old, u32 value, u32 low, u32 high) {
  const u64 *values = exchange(value, ~0ull);
  u32 from = ((lane() & ~15u) ^ 16) | row_lane(low, high);
  return has(present(), from) ? values[from] : old;
}
static u32 other_half(u32 value) {
  return exchange(value, ~0ull)[lane() ^ 32];
}

static u32 count_up(u32 *place, u32 limit) { u32 old = *place; *place = old >= limit ? 0 : old + 1; return old; }
static u32 count_down(u32 *place, u32 limit) { u32 old = *place; *place = old == 0 || old > limit ? limit : old - 1; return old; }

// Selectors: 0 to 7 a byte, 8 to 11 the sign of a half word, 12 zeros, above ones.
static u32 permute_bytes(u32 high, u32 low, u32 select) {
  u64 both = (u64)high << 32 | low;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 which = select >> 8 * i & 255, byte;
    if (which < 8) byte = (u32)(both >> 8 * which) & 255;
    else if (which < 12) byte = both >> (16 * (which - 8) + 15) & 1 ? 255 : 0;
    else byte = which == 12 ? 0 : 255;
    result |= byte << 8 * i;
  }
  return result;
}
static u32 align_bits(u32 high, u32 low, u32 shift) { return (u32)(((u64)high << 32 | low) >> (shift & 31)); }
static u32 align_bytes(u32 high, u32 low, u32 shift) { return (u32)(((u64)high << 32 | low) >> 8 * (shift & 3)); }
static u32 field(u32 value, u32 from, u32 width) { return width & 31 ? (value >> (from & 31)) & ((1u << (width & 31)) - 1) : 0; }
static i32 signed_field(i32 value, u32 from, u32 width) {
  from &= 31; width &= 31;
  if (width == 0) return 0;
  return from + width < 32 ? (i32)((u32)value << (32 - from - width)) >> (32 - width) : value >> from;
}
static u32 difference_of_bytes(u32 x, u32 y, u32 sum) {
  for (u32 i = 0; i < 32; i += 8) sum += abs((int)(x >> i & 255) - (int)(y >> i & 255));
  return sum;
}

static u16 to_bf16(f32 x) {
  u32 word = __builtin_bit_cast(u32, x);
  if (x != x) return word >> 16 | 0x40;
  return (word + 0x7fff + (word >> 16 & 1)) >> 16;
}
static f32 from_bf16(u16 x) { return __builtin_bit_cast(f32, (u32)x << 16); }
// The product is exact and the sum too wherever it could round to a half's tie.
static f16 fma16(f16 x, f16 y, f16 z) { return (f16)((f64)x * (f64)y + (f64)z); }

// Kernels by name, and calls of them with the bytes of their arguments.
struct Kernel {
  const char *name;
  void (*call)(const void *const *arguments);
  Kernel *next;
};
static Kernel *kernels;
struct Register {
  Kernel kernel;
  Register(const char *name, void (*call)(const void *const *)) : kernel{name, call, kernels} { kernels = &kernel; }
};
template <class T, T... I> struct Numbers {};
template <class T> static T read(const void *bytes) {
  T value;
  memcpy(&value, bytes, sizeof(T));
  return value;
}
template <auto FUNCTION, class... A, int... I> static void apply(void (*)(A...), Numbers<int, I...>, const void *const *arguments) {
  FUNCTION(read<A>(arguments[I])...);
}
template <class... A> static constexpr int count(void (*)(A...)) { return sizeof...(A); }
template <auto FUNCTION> static void call(const void *const *arguments) {
  apply<FUNCTION>(FUNCTION, __make_integer_seq<Numbers, int, count(FUNCTION)>{}, arguments);
}
#define KERNEL(name, ...)                                  \
  static void name(__VA_ARGS__);                           \
  static Register register_##name(#name, &call<name>);     \
  static void name(__VA_ARGS__)
