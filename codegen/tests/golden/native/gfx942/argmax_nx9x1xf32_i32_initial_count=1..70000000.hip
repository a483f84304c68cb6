// argmax:?x[9]x1xf32:i32:initial:count=1..70000000 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0, 1],
// partial_reduction = [0, 64, 0], thread = [1, 1, 1], lane_basis = [[1, 64, 1], [0, 1, 2]], subgroup_basis = [[1, 1,
// 1], [0, 1, 2]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1]
// subgroup_size = 64>>
//
// grid      n = (count + 1 - 1) / 1 * 1 workgroups: min(n, 67108863) x (n + 67108863 - 1) / 67108863 x 1
// block     64 x 1 x 1 threads, subgroups of 64: 1
// LDS       0 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const float *: count x [9] x 1 f32, row by row, the bracketed dimensions reduced
//   values   float *: count f32, of each row the winner; before the launch where its fold starts
//   indices  int *: count i32, of each row its position in the row; before the launch where its fold starts
//   count    int, by value: 1 to 70000000; buffers may be as small as it asks for, but for the workspace
//
// The result is that of a loop over a row, from its first element to its last, that starts at the initial value
// and keeps each element that replaces what it has; if none does, the outputs stay what they are.

// What hipcc and hiprtc know from HIP's headers.
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

// Loads a value from an address that is a multiple of so many bytes.
template <class T, int align> static __device__ inline T load(Global from) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  return *(const __attribute__((address_space(1))) Aligned *)from;
}
template <class T, int align> static __device__ inline T load(Local from) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  return *(const __attribute__((address_space(3))) Aligned *)from;
}

// Stores a value at an address that is a multiple of so many bytes.
template <class T, int align> static __device__ inline void store(Global to, T value) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  *(__attribute__((address_space(1))) Aligned *)to = value;
}
template <class T, int align> static __device__ inline void store(Local to, T value) {
  typedef T Aligned __attribute__((aligned(align), may_alias));
  *(__attribute__((address_space(3))) Aligned *)to = value;
}

// An address that all lanes share and bytes of each lane's own. The compiler does not know that nothing is done to the
// bytes, and so adds them to no address ahead of a loop: a load takes both.
static __device__ inline Global apart(Global from, unsigned bytes) {
  asm volatile("" : "+v"(bytes));
  return from + bytes;
}

// The greater of two, a NaN ignored: a signalling one, too, which the instruction would not ignore, and so is made quiet.
template <class T> static __device__ inline T max_number(T a, T b) {
  return __builtin_elementwise_maxnum(__builtin_elementwise_canonicalize(a), __builtin_elementwise_canonicalize(b));
}

extern "C" __global__ void __launch_bounds__(64)
argmax_nx9x1xf32_2_666715a9cd994de2(
    const void *__restrict__ input, void *__restrict__ values, void *__restrict__ indices, unsigned count __attribute__((unused))) {
#pragma clang fp contract(off)

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned v1 = __builtin_amdgcn_workgroup_id_x();
  const unsigned v2 = __builtin_amdgcn_workgroup_id_y();
  const unsigned workgroup = (v2 * 67108863u) + v1;
  if (!(workgroup < count)) return;

  // Where its elements are.
  const unsigned v3 = __builtin_elementwise_min(thread, 8u);
  const float v4 = load<float, 4>((Global)values + Size(workgroup << 2u));

  // The elements, step by step, each taken into a slot.
  const Global v5 = apart(((Global)input + Size(workgroup * 36u)), v3 << 2u);
  const float loaded = load<float, 4>(v5);
  const bool better = loaded > v4;
  const float v6 = better ? loaded : v4;
  const unsigned v7 = better ? 0u : 0xffffffffu;

  // The slots of a row become one state.
  const unsigned v8 = __builtin_elementwise_add_sat(v7, v3);

  // From the states of the lanes to those of the rows.
  const unsigned v9 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v6), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v10 = max_number(v6, __builtin_bit_cast(float, v9));
  const unsigned v11 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v10), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v12 = max_number(v10, __builtin_bit_cast(float, v11));
  const unsigned v13 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v12), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v14 = max_number(v12, __builtin_bit_cast(float, v13));
  const unsigned v15 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v14), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v16 = max_number(v14, __builtin_bit_cast(float, v15));
  const unsigned v17 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v16), __builtin_bit_cast(unsigned, v16), 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
  const float v18 = max_number(v16, __builtin_bit_cast(float, v17));
  const unsigned v19 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v18), __builtin_bit_cast(unsigned, v18), 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
  const unsigned v20 = __builtin_bit_cast(unsigned, max_number(v18, __builtin_bit_cast(float, v19)));
  const unsigned v21 = unsigned(__builtin_amdgcn_readlane(v20, 63u));
  const bool holds = v6 == __builtin_bit_cast(float, v21);
  const Size holders = __builtin_amdgcn_ballot_w64(holds);
  unsigned v22;
  unsigned v23;
  if (Size(__builtin_popcountll(holders)) == 1ull) {
    const unsigned v24 = unsigned(Size(__builtin_ctzll(holders)));
    const unsigned v25 = unsigned(__builtin_amdgcn_readlane(v8, v24));
    const unsigned v26 = unsigned(__builtin_amdgcn_readlane(__builtin_bit_cast(unsigned, v6), v24));
    v22 = v26;
    v23 = v25;
  } else {
    const unsigned v27 = holds ? v8 : 0xffffffffu;
    const unsigned v28 = unsigned(__builtin_amdgcn_mov_dpp(v27, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
    const unsigned v29 = __builtin_elementwise_min(v27, v28);
    const unsigned v30 = unsigned(__builtin_amdgcn_mov_dpp(v29, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
    const unsigned v31 = __builtin_elementwise_min(v29, v30);
    const unsigned v32 = unsigned(__builtin_amdgcn_mov_dpp(v31, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
    const unsigned v33 = __builtin_elementwise_min(v31, v32);
    const unsigned v34 = unsigned(__builtin_amdgcn_mov_dpp(v33, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
    const unsigned v35 = __builtin_elementwise_min(v33, v34);
    const unsigned v36 = unsigned(__builtin_amdgcn_update_dpp(v35, v35, 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
    const unsigned v37 = __builtin_elementwise_min(v35, v36);
    const unsigned v38 = unsigned(__builtin_amdgcn_update_dpp(v37, v37, 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
    const unsigned v39 = unsigned(__builtin_amdgcn_readlane(__builtin_elementwise_min(v37, v38), 63u));
    const Size v40 = __builtin_amdgcn_ballot_w64(v27 == v39);
    const unsigned v41 = unsigned(Size(__builtin_ctzll(v40)));
    const unsigned v42 = unsigned(__builtin_amdgcn_readlane(v8, v41));
    const unsigned v43 = unsigned(__builtin_amdgcn_readlane(__builtin_bit_cast(unsigned, v6), v41));
    v22 = v43;
    v23 = v42;
  }
  if (thread == 0u) {
    if (v23 != 0xffffffffu) {
      store<float, 4>((Global)values + Size(workgroup << 2u), __builtin_bit_cast(float, v22));
      store<unsigned, 4>((Global)indices + Size(workgroup << 2u), v23);
    }
  }
}
