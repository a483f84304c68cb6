// argmax:4x[32000]xf32:i32 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction
// = [0, 4096], thread = [1, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 4], [0, 1]]}>,
// translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [256, 1, 1] subgroup_size =
// 64>>
//
// grid      4 x 1 x 1 workgroups
// block     256 x 1 x 1 threads, subgroups of 64: 4
// LDS       32 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const float *: 4 x [32000] f32, row by row, the bracketed dimensions reduced
//   values   float *: 4 f32, of each row the winner
//   indices  int *: 4 i32, of each row its position in the row
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

extern "C" __global__ void __launch_bounds__(256)
argmax_4x32000xf32_2_9e2f878e28db2046(
    const void *__restrict__ input, void *__restrict__ values, void *__restrict__ indices) {
#pragma clang fp contract(off)
  __shared__ __attribute__((aligned(16))) char partials[32];

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread & 63u;
  const unsigned subgroup = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  const unsigned workgroup = __builtin_amdgcn_workgroup_id_x();

  // Where its elements are.
  const unsigned v1 = lane << 2u;
  const unsigned v2 = subgroup << 10u;

  // The elements, step by step, each taken into a slot.
  unsigned step = 0u;
  Global from = (Global)input + Size((workgroup * 128000u) + (v2 << 2u));
  float best = -__builtin_inff();
  unsigned at = 0u;
  float best2 = -__builtin_inff();
  unsigned at2 = 0u;
  float best3 = -__builtin_inff();
  unsigned at3 = 0u;
  float best4 = -__builtin_inff();
  unsigned at4 = 0u;
#pragma unroll 1
  for (bool again = true; again;) {
    const Global v3 = apart(from, v1 << 2u);
    const Vector<float, 4> loaded = load<Vector<float, 4>, 4>(v3);
    const Vector<float, 4> loaded2 = load<Vector<float, 4>, 4>(v3 + 1024ull);
    const Vector<float, 4> loaded3 = load<Vector<float, 4>, 4>(v3 + 2048ull);
    const Vector<float, 4> loaded4 = load<Vector<float, 4>, 4>(v3 + 3072ull);
    const auto [v4, v5] = move_pair(step, step + 256u);
    const auto [v6, v7] = move_pair(step + 512u, step + 768u);
    const bool better = loaded[0] > best;
    const bool better2 = loaded[1] > best2;
    const bool better3 = loaded[2] > best3;
    const bool better4 = loaded[3] > best4;
    const float v8 = better ? loaded[0] : best;
    const float v9 = better2 ? loaded[1] : best2;
    const float v10 = better3 ? loaded[2] : best3;
    const float v11 = better4 ? loaded[3] : best4;
    const unsigned v12 = better ? v4 : at;
    const unsigned v13 = better2 ? v4 : at2;
    const unsigned v14 = better3 ? v4 : at3;
    const unsigned v15 = better4 ? v4 : at4;
    const bool better5 = loaded2[0] > v8;
    const bool better6 = loaded2[1] > v9;
    const bool better7 = loaded2[2] > v10;
    const bool better8 = loaded2[3] > v11;
    const float v16 = better5 ? loaded2[0] : v8;
    const float v17 = better6 ? loaded2[1] : v9;
    const float v18 = better7 ? loaded2[2] : v10;
    const float v19 = better8 ? loaded2[3] : v11;
    const unsigned v20 = better5 ? v5 : v12;
    const unsigned v21 = better6 ? v5 : v13;
    const unsigned v22 = better7 ? v5 : v14;
    const unsigned v23 = better8 ? v5 : v15;
    const bool better9 = loaded3[0] > v16;
    const bool better10 = loaded3[1] > v17;
    const bool better11 = loaded3[2] > v18;
    const bool better12 = loaded3[3] > v19;
    const float v24 = better9 ? loaded3[0] : v16;
    const float v25 = better10 ? loaded3[1] : v17;
    const float v26 = better11 ? loaded3[2] : v18;
    const float v27 = better12 ? loaded3[3] : v19;
    const unsigned v28 = better9 ? v6 : v20;
    const unsigned v29 = better10 ? v6 : v21;
    const unsigned v30 = better11 ? v6 : v22;
    const unsigned v31 = better12 ? v6 : v23;
    const bool better13 = loaded4[0] > v24;
    const bool better14 = loaded4[1] > v25;
    const bool better15 = loaded4[2] > v26;
    const bool better16 = loaded4[3] > v27;
    const float v32 = better13 ? loaded4[0] : v24;
    const float v33 = better14 ? loaded4[1] : v25;
    const float v34 = better15 ? loaded4[2] : v26;
    const float v35 = better16 ? loaded4[3] : v27;
    const unsigned v36 = better13 ? v7 : v28;
    const unsigned v37 = better14 ? v7 : v29;
    const unsigned v38 = better15 ? v7 : v30;
    const unsigned v39 = better16 ? v7 : v31;
    const unsigned v40 = __builtin_elementwise_min(27904u - step, 4096u);
    again = step < 27904u;
    step = step + v40;
    from = from + SignedSize(Size(v40) << 2ull);
    best = v32;
    at = v36;
    best2 = v33;
    at2 = v37;
    best3 = v34;
    at3 = v38;
    best4 = v35;
    at4 = v39;
  }

  // The slots of a row become one state.
  const unsigned v41 = at2 + 1u;
  const unsigned v42 = at3 + 2u;
  const unsigned v43 = at4 + 3u;
  const bool v44 = (best2 > best) | ((best2 == best) & (v41 < at));
  const float v45 = v44 ? best2 : best;
  const unsigned v46 = v44 ? v41 : at;
  const bool v47 = (best4 > best3) | ((best4 == best3) & (v43 < v42));
  const float v48 = v47 ? best4 : best3;
  const unsigned v49 = v47 ? v43 : v42;
  const bool v50 = (v48 > v45) | ((v48 == v45) & (v49 < v46));
  const float v51 = v50 ? v48 : v45;
  const unsigned v52 = v50 ? v49 : v46;
  const unsigned v53 = v52 + (v1 + v2);

  // From the states of the lanes to those of the rows.
  const unsigned v54 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v51), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v55 = max_of_numbers(v51, __builtin_bit_cast(float, v54));
  const unsigned v56 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v55), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v57 = max_of_numbers(v55, __builtin_bit_cast(float, v56));
  const unsigned v58 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v57), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v59 = max_of_numbers(v57, __builtin_bit_cast(float, v58));
  const unsigned v60 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v59), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v61 = max_of_numbers(v59, __builtin_bit_cast(float, v60));
  const unsigned v62 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v61), __builtin_bit_cast(unsigned, v61), 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
  const float v63 = max_of_numbers(v61, __builtin_bit_cast(float, v62));
  const unsigned v64 = unsigned(__builtin_amdgcn_update_dpp(__builtin_bit_cast(unsigned, v63), __builtin_bit_cast(unsigned, v63), 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
  const unsigned v65 = __builtin_bit_cast(unsigned, max_of_numbers(v63, __builtin_bit_cast(float, v64)));
  const unsigned v66 = unsigned(__builtin_amdgcn_readlane(v65, 63u));
  const bool holds = v51 == __builtin_bit_cast(float, v66);
  const Size holders = __builtin_amdgcn_ballot_w64(holds);
  unsigned v67;
  unsigned v68;
  if (Size(__builtin_popcountll(holders)) == 1ull) {
    const unsigned v69 = unsigned(Size(__builtin_ctzll(holders)));
    const unsigned v70 = unsigned(__builtin_amdgcn_readlane(v53, v69));
    const unsigned v71 = unsigned(__builtin_amdgcn_readlane(__builtin_bit_cast(unsigned, v51), v69));
    v67 = v71;
    v68 = v70;
  } else {
    const unsigned v72 = holds ? v53 : 0xffffffffu;
    const unsigned v73 = unsigned(__builtin_amdgcn_mov_dpp(v72, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
    const unsigned v74 = __builtin_elementwise_min(v72, v73);
    const unsigned v75 = unsigned(__builtin_amdgcn_mov_dpp(v74, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
    const unsigned v76 = __builtin_elementwise_min(v74, v75);
    const unsigned v77 = unsigned(__builtin_amdgcn_mov_dpp(v76, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
    const unsigned v78 = __builtin_elementwise_min(v76, v77);
    const unsigned v79 = unsigned(__builtin_amdgcn_mov_dpp(v78, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
    const unsigned v80 = __builtin_elementwise_min(v78, v79);
    const unsigned v81 = unsigned(__builtin_amdgcn_update_dpp(v80, v80, 0x142 /* row_bcast:15 */, 0xa, 0xf, false));
    const unsigned v82 = __builtin_elementwise_min(v80, v81);
    const unsigned v83 = unsigned(__builtin_amdgcn_update_dpp(v82, v82, 0x143 /* row_bcast:31 */, 0xc, 0xf, false));
    const unsigned v84 = unsigned(__builtin_amdgcn_readlane(__builtin_elementwise_min(v82, v83), 63u));
    const Size v85 = __builtin_amdgcn_ballot_w64(v72 == v84);
    const unsigned v86 = unsigned(Size(__builtin_ctzll(v85)));
    const unsigned v87 = unsigned(__builtin_amdgcn_readlane(v53, v86));
    const unsigned v88 = unsigned(__builtin_amdgcn_readlane(__builtin_bit_cast(unsigned, v51), v86));
    v67 = v88;
    v68 = v87;
  }

  // The states of the subgroups that share a row meet in LDS.
  const unsigned subgroup2 = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  if (lane == 0u) {
    const Vector<unsigned, 2> v89 = Vector<unsigned, 2>{__builtin_bit_cast(unsigned, __builtin_bit_cast(float, v67)), v68};
    store<Vector<unsigned, 2>, 8>((Local)partials + subgroup2 * 8, v89);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (thread < 4u) {
    const Vector<unsigned, 2> v90 = load<Vector<unsigned, 2>, 8>((Local)partials + thread * 8);
    const float v91 = __builtin_bit_cast(float, v90[0]);
    const unsigned v92 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v91), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
    const float v93 = __builtin_bit_cast(float, v92);
    const unsigned v94 = unsigned(__builtin_amdgcn_mov_dpp(v90[1], 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
    const bool v95 = (v93 > v91) | ((v93 == v91) & (v94 < v90[1]));
    const float v96 = v95 ? v93 : v91;
    const unsigned v97 = v95 ? v94 : v90[1];
    const unsigned v98 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v96), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
    const float v99 = __builtin_bit_cast(float, v98);
    const unsigned v100 = unsigned(__builtin_amdgcn_mov_dpp(v97, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
    const bool v101 = (v99 > v96) | ((v99 == v96) & (v100 < v97));
    const float v102 = v101 ? v99 : v96;
    const unsigned v103 = v101 ? v100 : v97;
    if ((thread & 3u) == 0u) {
      store<float, 4>((Global)values + Size(workgroup << 2u), v102);
      store<unsigned, 4>((Global)indices + Size(workgroup << 2u), v103);
    }
  }
}
