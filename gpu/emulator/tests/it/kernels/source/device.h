// The names of both.h on a device. WAVE and ISA (in hexadecimal: 0x942, 0x1201) are given on the command line.
#pragma clang force_cuda_host_device begin

#define KERNEL(name, ...) extern "C" __attribute__((global)) void name(__VA_ARGS__)
#define SHARED static __attribute__((shared))
#define DYNAMIC(type, name) extern __attribute__((shared)) type name[]
#define TABLE static const __attribute__((device))
#define NOINLINE __attribute__((noinline)) static
#define FAMILY (ISA >> 8)
#define HAS_BROADCASTS (FAMILY == 9)
#define HAS_ROW_BROADCASTS (FAMILY == 9 && ISA != 0x906)
#define HAS_ROW_MOVES (FAMILY >= 0x10)
#define HAS_HALF_SWAP (FAMILY >= 0x11 && WAVE == 64)

static u32 item_x() { return __builtin_amdgcn_workitem_id_x(); }
static u32 item_y() { return __builtin_amdgcn_workitem_id_y(); }
static u32 item_z() { return __builtin_amdgcn_workitem_id_z(); }
static u32 group_x() { return __builtin_amdgcn_workgroup_id_x(); }
static u32 group_y() { return __builtin_amdgcn_workgroup_id_y(); }
static u32 group_z() { return __builtin_amdgcn_workgroup_id_z(); }
static u32 size_x() { return __builtin_amdgcn_workgroup_size_x(); }
static u32 size_y() { return __builtin_amdgcn_workgroup_size_y(); }
static u32 size_z() { return __builtin_amdgcn_workgroup_size_z(); }
// The counts of workgroups are the first hidden arguments.
static u32 hidden(u32 index) { return ((const u32 __attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr())[index]; }
static u32 groups_x() { return hidden(0); }
static u32 groups_y() { return hidden(1); }
static u32 groups_z() { return hidden(2); }
// These come from the dispatch packet.
static u32 grid_x() { return __builtin_amdgcn_grid_size_x(); }
static u32 grid_y() { return __builtin_amdgcn_grid_size_y(); }
static u32 grid_z() { return __builtin_amdgcn_grid_size_z(); }

static void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static void fence() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent"); }

static u32 lane() {
  u32 low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
  return WAVE == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
#if WAVE == 64
static u64 ballot(bool bit) { return __builtin_amdgcn_ballot_w64(bit); }
static u32 bits_below(u64 mask) { return __builtin_amdgcn_mbcnt_hi((u32)(mask >> 32), __builtin_amdgcn_mbcnt_lo((u32)mask, 0)); }
#else
static u64 ballot(bool bit) { return __builtin_amdgcn_ballot_w32(bit); }
static u32 bits_below(u64 mask) { return __builtin_amdgcn_mbcnt_lo((u32)mask, 0); }
#endif
// A ballot of the lanes of `mask`, which alone get here.
static u64 ballot_among(bool bit, u64 mask) { (void)mask; return ballot(bit); }
static u32 first_among(u32 value, u64 mask) { (void)mask; return __builtin_amdgcn_readfirstlane(value); }
static u32 first(u32 value) { return __builtin_amdgcn_readfirstlane(value); }
static u32 of_lane(u32 value, u32 source) { return __builtin_amdgcn_readlane(value, source); }
// This one has no builtin.
extern "C" __attribute__((device, const)) u32 write_lane(u32 value, u32 target, u32 old) __asm("llvm.amdgcn.writelane.i32");
static u32 into_lane(u32 value, u32 target, u32 old) { return write_lane(value, target, old); }
static u32 pull(u32 value, u32 source) { return __builtin_amdgcn_ds_bpermute(4 * source, value); }
static u32 push(u32 value, u32 target) { return __builtin_amdgcn_ds_permute(4 * target, value); }
template <int PATTERN> static u32 swizzle(u32 value) { return __builtin_amdgcn_ds_swizzle(value, PATTERN); }
template <int CONTROL, int ROWS = 15, int BANKS = 15, bool BOUND = false> static u32 dpp(u32 old, u32 value) {
  return __builtin_amdgcn_update_dpp(old, value, CONTROL, ROWS, BANKS, BOUND);
}
#if HAS_ROW_MOVES
template <int SELECT> static u32 dpp8(u32 value) { return __builtin_amdgcn_mov_dpp8(value, SELECT); }
static u32 in_row(u32 old, u32 value, u32 low, u32 high) { return __builtin_amdgcn_permlane16(old, value, low, high, false, false); }
static u32 in_other_row(u32 old, u32 value, u32 low, u32 high) { return __builtin_amdgcn_permlanex16(old, value, low, high, false, false); }
#endif
#if HAS_HALF_SWAP
static u32 other_half(u32 value) { return __builtin_amdgcn_permlane64(value); }
#endif

// Wrapping counters: up to the limit and to 0, and down from it.
static u32 count_up(u32 *place, u32 limit) { return __builtin_amdgcn_atomic_inc32(place, limit, __ATOMIC_RELAXED, "agent"); }
static u32 count_down(u32 *place, u32 limit) { return __builtin_amdgcn_atomic_dec32(place, limit, __ATOMIC_RELAXED, "agent"); }

// The four bytes that the selectors name of the eight of two words (0 to 3: of `low`).
static u32 permute_bytes(u32 high, u32 low, u32 select) { return __builtin_amdgcn_perm(high, low, select); }
static u32 align_bits(u32 high, u32 low, u32 shift) { return __builtin_amdgcn_alignbit(high, low, shift); }
static u32 align_bytes(u32 high, u32 low, u32 shift) { return __builtin_amdgcn_alignbyte(high, low, shift); }
static u32 field(u32 value, u32 from, u32 width) { return __builtin_amdgcn_ubfe(value, from, width); }
static i32 signed_field(i32 value, u32 from, u32 width) { return __builtin_amdgcn_sbfe(value, from, width); }
static u32 difference_of_bytes(u32 x, u32 y, u32 sum) { return __builtin_amdgcn_sad_u8(x, y, sum); }

static u16 to_bf16(f32 x) { return __builtin_bit_cast(u16, (__bf16)x); }
static f32 from_bf16(u16 x) { return (f32)__builtin_bit_cast(__bf16, x); }
static f16 fma16(f16 x, f16 y, f16 z) { return __builtin_fmaf16(x, y, z); }
