// Kinds of memory, widths of access, and what a launch tells its kernels.

typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x3 __attribute__((ext_vector_type(3)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef u64 u64x2 __attribute__((ext_vector_type(2)));
typedef u8 u8x4 __attribute__((ext_vector_type(4)));
typedef f32 f32x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x16 __attribute__((ext_vector_type(16)));

// Vectors of 2 to 16 elements: their loads and stores, shuffles, and elements that only the data knows.
KERNEL(vectors, u32x4 *out, u32x2 *pairs, u8x4 *bytes, const u32x4 *in) {
  SHARED u32x4 exchange[64];
  u32 me = item_x(), at = group_x() * 64 + me;
  u32x4 x = in[at];
  exchange[me] = x.wzyx + me;
  barrier();
  u32x4 y = exchange[me ^ 21];
  u32x3 three = x.xyz * y.yzw;
  u32x16 sixteen;
  for (u32 i = 0; i < 16; ++i) sixteen[i] = x[i & 3] + y[i >> 2] * i;
  sixteen[x.x & 15] ^= y.y;
  u32 chosen = sixteen[y.z & 15] + sixteen[(x.w + at) & 15];
  f32x4 numbers = __builtin_convertvector(x & 0xffff, f32x4) * 0.5f;
  u32x4 less = (u32x4)(x < y);
  out[2 * at] = (u32x4){three.x, three.y, three.z, chosen};
  out[2 * at + 1] = __builtin_bit_cast(u32x4, numbers.yxwz) + less;
  pairs[at] = x.xz << (y.yw & 31);
  bytes[at] = __builtin_bit_cast(u8x4, x.x) + __builtin_bit_cast(u8x4, y.w).wzxy;
}

struct __attribute__((packed)) Packed {
  u8 kind;
  u32 word;
  u16 half;
  u64 wide;
};

// Structures without alignment: 15 bytes each.
KERNEL(packed_structures, Packed *out, const Packed *in) {
  u32 at = group_x() * size_x() + item_x();
  Packed x = in[at], y = in[at ^ 1];
  x.word += y.half;
  x.half ^= y.kind * 3;
  x.wide = x.wide * y.word + x.kind;
  x.kind -= y.wide;
  out[at] = x;
}

// Pointers of which only the data knows whether they lead to LDS, to memory or to the item's own array.
KERNEL(flat_pointers, u64 *out, u32 *words, const u32 *in) {
  SHARED u32 shared[128];
  u32 own[8], me = item_x(), at = group_x() * 128 + me, x = in[at];
  for (u32 i = 0; i < 8; ++i) own[i] = x * i;
  shared[me] = x ^ 0x5555;
  words[at] = x + 7;
  barrier();
  u32 *place = x % 3 == 0 ? &shared[me] : x % 3 == 1 ? &words[at] : &own[x >> 4 & 7];
  *place += 5;
  volatile u8 *byte = (u8 *)place + (x & 3);
  *byte ^= 0xa5;
  u32 old = x % 3 == 2 ? 0 : add(place, 11u);
  barrier();
  u32 *other = x & 1 ? &shared[(me * 3) & 127] : &words[group_x() * 128 + ((me + 5) & 127)];
  u64 sum = *other;
  for (u32 i = 0; i < 8; ++i) sum = sum * 3 + own[i];
  out[at] = sum + ((u64)old << 32);
}

DYNAMIC(u64, dynamic_longs);

// LDS whose size the launch gives, next to LDS that the kernel has; the number of elements is an argument.
KERNEL(dynamic_memory, u64 *out, const u64 *in, u32 count) {
  SHARED u32 own[3];
  u32 me = item_x();
  if (me < 3) own[me] = me + 1;
  for (u32 i = me; i < count; i += size_x()) dynamic_longs[(i * 7) % count] = in[group_x() * count + i];
  barrier();
  for (u32 i = me; i < count; i += size_x()) out[group_x() * count + i] = dynamic_longs[i] * own[i % 3] + dynamic_longs[count - 1 - i];
}

// Numbers and sizes of items, in three dimensions.
KERNEL(dimensions, u32 *out) {
  u32 at = (group() * size_x() * size_y() * size_z() + item()) * 4;
  out[at] = item_x() | item_y() << 8 | item_z() << 16;
  out[at + 1] = group_x() | group_y() << 8 | group_z() << 16;
  out[at + 2] = size_x() + 100 * size_y() + 10000 * size_z() + 1000000 * groups_x() + 10000000 * groups_y() + 100000000 * groups_z();
  out[at + 3] = grid_x() + 1000 * grid_y() + 1000000 * grid_z();
}

struct Options {
  u8 flag;
  u16 half;
  u64 wide;
  f64 number;
  u32 list[5];
};

// Arguments of every width, a structure by value among them.
KERNEL(argument_widths, u64 *out, u8 byte, i16 half, u8 other, u32 word, u64 wide, f32 single, Options options, f64 twice, i8 last) {
  u32 me = item_x();
  u64 sum = byte + half * 3 + other * 5 + word + wide * 7 + bits(single) + bits(twice) + last;
  sum += options.flag + options.half * 11 + options.wide * 13 + bits(options.number) + options.list[me % 5];
  out[group_x() * size_x() + me] = sum * (me + 1);
}

// Many waves and many barriers: 1,024 items pass values around.
KERNEL(barriers, u32 *out, const u32 *in, u32 rounds) {
  SHARED u32 ring[1024];
  u32 me = item_x(), value = in[group_x() * 1024 + me];
  for (u32 round = 0; round < rounds; ++round) {
    ring[me] = value;
    barrier();
    value = value * 3 + ring[(me + 67 * round + 1) & 1023];
    barrier();
  }
  out[group_x() * 1024 + me] = value;
}

// Some waves end before the barrier that the others come to.
KERNEL(uneven_barrier, u32 *out, const u32 *in) {
  SHARED u32 data[64];
  u32 me = item_x(), at = group_x() * size_x() + me;
  out[at] = me;
  if (first(me) >= 64) return;
  data[me] = in[at];
  barrier();
  out[at] = data[63 - me] + me;
}

// Workgroups of 45 items read and write words that overlap lines, with strides.
KERNEL(strides, u32 *out, const u32 *in, u32 stride, u32 count) {
  u32 at = group_x() * size_x() + item_x();
  u32 total = groups_x() * size_x(), sum = 0;
  for (u32 i = at; i < count; i += total) sum = sum * 3 + in[(u64)i * stride % count];
  out[at] = sum;
}
