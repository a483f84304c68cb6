// argmax:?x[3000]xf32:i32:count=1..40 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [8, 0], partial_reduction
// = [0, 512], thread = [1, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[4, 1], [0, 1]]}>, translation_info
// = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [256, 1, 1] subgroup_size = 64>>
//
// grid      (count + 8 - 1) / 8 * 1 x 1 x 1 workgroups
// block     256 x 1 x 1 threads, subgroups of 64: 4
// LDS       0 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const float *: count x [3000] f32, row by row, the bracketed dimensions reduced
//   values   float *: count f32, of each row the winner
//   indices  int *: count i32, of each row its position in the row
//   count    int, by value: 1 to 40; buffers may be as small as it asks for, but for the workspace
//
// The result is that of a loop over a row, from its first element to its last, that starts at the initial value
// and keeps each element that replaces what it has; if none does, the index is 0.

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

struct Words { unsigned low, high; };
// Two words that all lanes share, to vector registers at once.
static __device__ inline Words move_pair(unsigned low, unsigned high) {
  Size moved;
  asm("v_mov_b64 %0, %1" : "=v"(moved) : "s"(Size(high) << 32 | low));
  return {unsigned(moved), unsigned(moved >> 32)};
}

// The greater of two numbers, neither a NaN. C++ has no function that may assume that: each quiets both first.
template <class T> static __device__ inline T max_of_numbers(T a, T b) {
  if constexpr (sizeof(T) == 4) asm("v_max_f32 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  else asm("v_max_f64 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  return a;
}

// The word in one lane, and what the others have.
static __device__ inline unsigned write_lane(unsigned word, unsigned lane, unsigned others) {
  const unsigned own = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
  return own == lane ? word : others;
}

extern "C" __global__ void __launch_bounds__(256)
argmax_nx3000xf32_2_7025954a94c85f32(
    const void *__restrict__ input, void *__restrict__ values, void *__restrict__ indices, unsigned count __attribute__((unused))) {
#pragma clang fp contract(off)

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread & 63u;
  const unsigned subgroup = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  const unsigned workgroup = __builtin_amdgcn_workgroup_id_x();
  const unsigned first = workgroup << 3u;
  const unsigned extent = __builtin_elementwise_min(count - first, 8u);

  // Where its elements are.
  const unsigned v1 = subgroup << 1u;
  const unsigned v2 = extent - 1u;
  const unsigned v3 = lane << 2u;
  const unsigned v4 = v3 << 2u;

  // The elements, step by step, each taken into a slot.
  unsigned step = 0u;
  Global from = (Global)input + Size(first * 12000u);
  float best = -__builtin_inff();
  unsigned at = 0u;
  float best2 = -__builtin_inff();
  unsigned at2 = 0u;
  float best3 = -__builtin_inff();
  unsigned at3 = 0u;
  float best4 = -__builtin_inff();
  unsigned at4 = 0u;
  float best5 = -__builtin_inff();
  unsigned at5 = 0u;
  float best6 = -__builtin_inff();
  unsigned at6 = 0u;
  float best7 = -__builtin_inff();
  unsigned at7 = 0u;
  float best8 = -__builtin_inff();
  unsigned at8 = 0u;
#pragma unroll 1
  for (bool again = true; again;) {
    const Global v5 = from;
    const Global v6 = apart(v5, (__builtin_elementwise_min(v1, v2) * 12000u) + v4);
    const Vector<float, 4> loaded = load<Vector<float, 4>, 4>(v6);
    const Global v7 = apart(v5, (__builtin_elementwise_min(v1 + 1u, v2) * 12000u) + v4);
    const Vector<float, 4> loaded2 = load<Vector<float, 4>, 4>(v7);
    const Vector<float, 4> loaded3 = load<Vector<float, 4>, 4>(v6 + 1024ull);
    const Vector<float, 4> loaded4 = load<Vector<float, 4>, 4>(v7 + 1024ull);
    const auto [v8, v9] = move_pair(step, step + 256u);
    const bool better = loaded[0] > best;
    const bool better2 = loaded[1] > best2;
    const bool better3 = loaded[2] > best3;
    const bool better4 = loaded[3] > best4;
    const float v10 = better ? loaded[0] : best;
    const float v11 = better2 ? loaded[1] : best2;
    const float v12 = better3 ? loaded[2] : best3;
    const float v13 = better4 ? loaded[3] : best4;
    const unsigned v14 = better ? v8 : at;
    const unsigned v15 = better2 ? v8 : at2;
    const unsigned v16 = better3 ? v8 : at3;
    const unsigned v17 = better4 ? v8 : at4;
    const bool better5 = loaded2[0] > best5;
    const bool better6 = loaded2[1] > best6;
    const bool better7 = loaded2[2] > best7;
    const bool better8 = loaded2[3] > best8;
    const float v18 = better5 ? loaded2[0] : best5;
    const float v19 = better6 ? loaded2[1] : best6;
    const float v20 = better7 ? loaded2[2] : best7;
    const float v21 = better8 ? loaded2[3] : best8;
    const unsigned v22 = better5 ? v8 : at5;
    const unsigned v23 = better6 ? v8 : at6;
    const unsigned v24 = better7 ? v8 : at7;
    const unsigned v25 = better8 ? v8 : at8;
    const bool better9 = loaded3[0] > v10;
    const bool better10 = loaded3[1] > v11;
    const bool better11 = loaded3[2] > v12;
    const bool better12 = loaded3[3] > v13;
    const float v26 = better9 ? loaded3[0] : v10;
    const float v27 = better10 ? loaded3[1] : v11;
    const float v28 = better11 ? loaded3[2] : v12;
    const float v29 = better12 ? loaded3[3] : v13;
    const unsigned v30 = better9 ? v9 : v14;
    const unsigned v31 = better10 ? v9 : v15;
    const unsigned v32 = better11 ? v9 : v16;
    const unsigned v33 = better12 ? v9 : v17;
    const bool better13 = loaded4[0] > v18;
    const bool better14 = loaded4[1] > v19;
    const bool better15 = loaded4[2] > v20;
    const bool better16 = loaded4[3] > v21;
    const float v34 = better13 ? loaded4[0] : v18;
    const float v35 = better14 ? loaded4[1] : v19;
    const float v36 = better15 ? loaded4[2] : v20;
    const float v37 = better16 ? loaded4[3] : v21;
    const unsigned v38 = better13 ? v9 : v22;
    const unsigned v39 = better14 ? v9 : v23;
    const unsigned v40 = better15 ? v9 : v24;
    const unsigned v41 = better16 ? v9 : v25;
    const unsigned v42 = __builtin_elementwise_min(2488u - step, 512u);
    again = step < 2488u;
    step = step + v42;
    from = from + SignedSize(Size(v42) << 2ull);
    best = v26;
    at = v30;
    best2 = v27;
    at2 = v31;
    best3 = v28;
    at3 = v32;
    best4 = v29;
    at4 = v33;
    best5 = v34;
    at5 = v38;
    best6 = v35;
    at6 = v39;
    best7 = v36;
    at7 = v40;
    best8 = v37;
    at8 = v41;
  }

  // The slots of a row become one state.
  const unsigned v43 = at2 + 1u;
  const unsigned v44 = at3 + 2u;
  const unsigned v45 = at4 + 3u;
  const bool v46 = (best2 > best) | ((best2 == best) & (v43 < at));
  const float v47 = v46 ? best2 : best;
  const unsigned v48 = v46 ? v43 : at;
  const bool v49 = (best4 > best3) | ((best4 == best3) & (v45 < v44));
  const float v50 = v49 ? best4 : best3;
  const unsigned v51 = v49 ? v45 : v44;
  const bool v52 = (v50 > v47) | ((v50 == v47) & (v51 < v48));
  const float v53 = v52 ? v50 : v47;
  const unsigned v54 = v52 ? v51 : v48;
  const unsigned v55 = v54 + v3;
  const unsigned v56 = at6 + 1u;
  const unsigned v57 = at7 + 2u;
  const unsigned v58 = at8 + 3u;
  const bool v59 = (best6 > best5) | ((best6 == best5) & (v56 < at5));
  const float v60 = v59 ? best6 : best5;
  const unsigned v61 = v59 ? v56 : at5;
  const bool v62 = (best8 > best7) | ((best8 == best7) & (v58 < v57));
  const float v63 = v62 ? best8 : best7;
  const unsigned v64 = v62 ? v58 : v57;
  const bool v65 = (v63 > v60) | ((v63 == v60) & (v64 < v61));
  const float v66 = v65 ? v63 : v60;
  const unsigned v67 = v65 ? v64 : v61;
  const unsigned v68 = v67 + v3;

  // From the states of the lanes to those of the rows.
  const unsigned v69 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v53), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v70 = max_of_numbers(v53, __builtin_bit_cast(float, v69));
  const unsigned v71 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v70), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v72 = max_of_numbers(v70, __builtin_bit_cast(float, v71));
  const unsigned v73 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v72), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v74 = max_of_numbers(v72, __builtin_bit_cast(float, v73));
  const unsigned v75 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v74), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v76 = max_of_numbers(v74, __builtin_bit_cast(float, v75));
  const unsigned v77 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v76), __builtin_bit_cast(unsigned, v76), 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
  const float v78 = max_of_numbers(v76, __builtin_bit_cast(float, v77));
  const unsigned v79 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v78), __builtin_bit_cast(unsigned, v78), 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
  const unsigned v80 = __builtin_bit_cast(unsigned, max_of_numbers(v78, __builtin_bit_cast(float, v79)));
  const unsigned v81 = unsigned(__builtin_amdgcn_readlane(v80, 63u));
  const bool holds = v53 == __builtin_bit_cast(float, v81);
  const unsigned v82 = holds ? v55 : 0xffffffffu;
  const unsigned v83 = unsigned(__builtin_amdgcn_mov_dpp(v82, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const unsigned v84 = __builtin_elementwise_min(v82, v83);
  const unsigned v85 = unsigned(__builtin_amdgcn_mov_dpp(v84, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const unsigned v86 = __builtin_elementwise_min(v84, v85);
  const unsigned v87 = unsigned(__builtin_amdgcn_mov_dpp(v86, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const unsigned v88 = __builtin_elementwise_min(v86, v87);
  const unsigned v89 = unsigned(__builtin_amdgcn_mov_dpp(v88, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v90 = __builtin_elementwise_min(v88, v89);
  const unsigned v91 = unsigned(__builtin_amdgcn_update_dpp(v90, v90, 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
  const unsigned v92 = __builtin_elementwise_min(v90, v91);
  const unsigned v93 = unsigned(__builtin_amdgcn_update_dpp(v92, v92, 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
  const unsigned v94 = unsigned(__builtin_amdgcn_readlane(__builtin_elementwise_min(v92, v93), 63u));
  const Size v95 = __builtin_amdgcn_ballot_w64(v82 == v94);
  const unsigned v96 = unsigned(Size(__builtin_ctzll(v95)));
  const unsigned v97 = unsigned(__builtin_amdgcn_readlane(v55, v96));
  const unsigned v98 = unsigned(__builtin_amdgcn_readlane(__builtin_bit_cast(unsigned, v53), v96));
  const unsigned v99 = write_lane(v98, 0, unsigned(0));
  const unsigned v100 = write_lane(v97, 0, unsigned(0));
  const unsigned v101 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v66), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v102 = max_of_numbers(v66, __builtin_bit_cast(float, v101));
  const unsigned v103 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v102), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v104 = max_of_numbers(v102, __builtin_bit_cast(float, v103));
  const unsigned v105 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v104), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v106 = max_of_numbers(v104, __builtin_bit_cast(float, v105));
  const unsigned v107 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v106), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v108 = max_of_numbers(v106, __builtin_bit_cast(float, v107));
  const unsigned v109 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v108), __builtin_bit_cast(unsigned, v108), 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
  const float v110 = max_of_numbers(v108, __builtin_bit_cast(float, v109));
  const unsigned v111 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v110), __builtin_bit_cast(unsigned, v110), 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
  const unsigned v112 = __builtin_bit_cast(unsigned, max_of_numbers(v110, __builtin_bit_cast(float, v111)));
  const unsigned v113 = unsigned(__builtin_amdgcn_readlane(v112, 63u));
  const bool holds2 = v66 == __builtin_bit_cast(float, v113);
  const unsigned v114 = holds2 ? v68 : 0xffffffffu;
  const unsigned v115 = unsigned(__builtin_amdgcn_mov_dpp(v114, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const unsigned v116 = __builtin_elementwise_min(v114, v115);
  const unsigned v117 = unsigned(__builtin_amdgcn_mov_dpp(v116, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const unsigned v118 = __builtin_elementwise_min(v116, v117);
  const unsigned v119 = unsigned(__builtin_amdgcn_mov_dpp(v118, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const unsigned v120 = __builtin_elementwise_min(v118, v119);
  const unsigned v121 = unsigned(__builtin_amdgcn_mov_dpp(v120, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v122 = __builtin_elementwise_min(v120, v121);
  const unsigned v123 = unsigned(__builtin_amdgcn_update_dpp(v122, v122, 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
  const unsigned v124 = __builtin_elementwise_min(v122, v123);
  const unsigned v125 = unsigned(__builtin_amdgcn_update_dpp(v124, v124, 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
  const unsigned v126 = unsigned(__builtin_amdgcn_readlane(__builtin_elementwise_min(v124, v125), 63u));
  const Size v127 = __builtin_amdgcn_ballot_w64(v114 == v126);
  const unsigned v128 = unsigned(Size(__builtin_ctzll(v127)));
  const unsigned v129 = unsigned(__builtin_amdgcn_readlane(v68, v128));
  const unsigned v130 = unsigned(__builtin_amdgcn_readlane(__builtin_bit_cast(unsigned, v66), v128));
  const unsigned v131 = write_lane(v130, 1, v99);
  const unsigned v132 = write_lane(v129, 1, v100);
  const unsigned v133 = v1 + lane;
  const unsigned v134 = __builtin_elementwise_min(v133, v2);
  if ((lane < 2u) & (v134 >= v133)) {
    store<float, 4>((Global)values + Size((first + v134) << 2u), __builtin_bit_cast(float, v131));
    store<unsigned, 4>((Global)indices + Size((first + v134) << 2u), v132);
  }
}
