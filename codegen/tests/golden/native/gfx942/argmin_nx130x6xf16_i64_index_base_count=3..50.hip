// argmin:?x[130]x6xf16:i64:index_base:count=3..50 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [8, 0, 8],
// partial_reduction = [0, 32, 0], thread = [1, 2, 2], lane_basis = [[4, 4, 4], [2, 1, 0]], subgroup_basis = [[1, 4,
// 1], [2, 1, 0]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [256, 1, 1]
// subgroup_size = 64>>, split 4
//
// grid      (count + 8 - 1) / 8 * 4 x 1 x 1 workgroups
// block     256 x 1 x 1 threads, subgroups of 64: 4
// LDS       1540 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const _Float16 *: count x [130] x 6 f16, row by row, the bracketed dimensions reduced
//   values   _Float16 *: count * 6 f16, of each row the winner
//   indices  long long *: count * 6 i64, of each row its position in the row plus the base
//   base     long long, by value
//   workspace  9600 bytes, and behind them 7 counters that are 0 before and after a launch
//   count    int, by value: 3 to 50; buffers may be as small as it asks for, but for the workspace
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

// Adds to a counter, for the whole device; what it was before.
template <int order> static __device__ inline unsigned atomic_add(Global counter, unsigned number) {
  return __hip_atomic_fetch_add((__attribute__((address_space(1))) unsigned *)counter, number, order, __HIP_MEMORY_SCOPE_AGENT);
}

// An address that all lanes share and bytes of each lane's own. The compiler does not know that nothing is done to the
// bytes, and so adds them to no address ahead of a loop: a load takes both.
static __device__ inline Global apart(Global from, unsigned bytes) {
  asm volatile("" : "+v"(bytes));
  return from + bytes;
}

// The lesser of two numbers, neither a NaN. C++ has no function that may assume that: each quiets both first.
template <class T> static __device__ inline T min_of_numbers(T a, T b) {
  if constexpr (sizeof(T) == 4) asm("v_min_f32 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  else asm("v_min_f64 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  return a;
}

extern "C" __global__ void __launch_bounds__(256)
argmin_nx130x6xf16_2_70f1ef723abc5f6c(
    const void *__restrict__ input, void *__restrict__ values, void *__restrict__ indices, Size base, void *workspace, unsigned count __attribute__((unused))) {
#pragma clang fp contract(off)
  __shared__ __attribute__((aligned(16))) char partials[1536];
  __shared__ __attribute__((aligned(16))) char arrived[4];

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread & 63u;
  const unsigned subgroup = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  const unsigned v1 = lane & 3u;
  const unsigned workgroup = __builtin_amdgcn_workgroup_id_x();
  const unsigned piece = workgroup & 3u;
  const unsigned v2 = workgroup >> 2u;
  const unsigned v3 = __builtin_elementwise_min(piece << 6u, 66u);
  const unsigned first = v2 << 3u;
  const unsigned extent = __builtin_elementwise_min(count - first, 8u);

  // Where its elements are.
  const unsigned v4 = extent - 1u;
  const unsigned v5 = __builtin_elementwise_min(v1, v4);
  const unsigned v6 = v1 + 4u;
  const unsigned v7 = __builtin_elementwise_min(v6, v4);
  const unsigned v8 = ((lane >> 2u) & 3u) << 1u;
  const unsigned v9 = subgroup << 3u;
  const unsigned v10 = (lane >> 4u) << 1u;
  const unsigned v11 = __builtin_elementwise_min(v10, 4u);
  const unsigned v12 = v3 + (v8 + v9);
  const unsigned v13 = v8 * 12u;
  const unsigned v14 = v11 << 1u;
  const Global v15 = (Global)input + Size(((first * 1560u) + (v3 * 12u)) + (v9 * 12u));

  // The elements, step by step, each taken into a slot.
  unsigned step = 0u;
  Global from = v15;
  _Float16 best = __builtin_inff16();
  unsigned at = 0u;
  _Float16 best2 = __builtin_inff16();
  unsigned at2 = 0u;
  _Float16 best3 = __builtin_inff16();
  unsigned at3 = 0u;
  _Float16 best4 = __builtin_inff16();
  unsigned at4 = 0u;
  _Float16 best5 = __builtin_inff16();
  unsigned at5 = 0u;
  _Float16 best6 = __builtin_inff16();
  unsigned at6 = 0u;
  _Float16 best7 = __builtin_inff16();
  unsigned at7 = 0u;
  _Float16 best8 = __builtin_inff16();
  unsigned at8 = 0u;
#pragma unroll 1
  for (bool again = true; again;) {
    const Global v16 = from;
    const Global v17 = apart(v16, ((v5 * 1560u) + v13) + v14);
    const Vector<_Float16, 2> loaded = load<Vector<_Float16, 2>, 2>(v17);
    const Vector<_Float16, 2> loaded2 = load<Vector<_Float16, 2>, 2>(v17 + 12ull);
    const Global v18 = apart(v16, ((v7 * 1560u) + v13) + v14);
    const Vector<_Float16, 2> loaded3 = load<Vector<_Float16, 2>, 2>(v18);
    const Vector<_Float16, 2> loaded4 = load<Vector<_Float16, 2>, 2>(v18 + 12ull);
    const bool better = loaded[0] < best;
    const bool better2 = loaded2[0] < best2;
    const bool better3 = loaded[1] < best3;
    const bool better4 = loaded2[1] < best4;
    const _Float16 v19 = better ? loaded[0] : best;
    const _Float16 v20 = better2 ? loaded2[0] : best2;
    const _Float16 v21 = better3 ? loaded[1] : best3;
    const _Float16 v22 = better4 ? loaded2[1] : best4;
    const unsigned v23 = better ? step : at;
    const unsigned v24 = better2 ? step : at2;
    const unsigned v25 = better3 ? step : at3;
    const unsigned v26 = better4 ? step : at4;
    const bool better5 = loaded3[0] < best5;
    const bool better6 = loaded4[0] < best6;
    const bool better7 = loaded3[1] < best7;
    const bool better8 = loaded4[1] < best8;
    const _Float16 v27 = better5 ? loaded3[0] : best5;
    const _Float16 v28 = better6 ? loaded4[0] : best6;
    const _Float16 v29 = better7 ? loaded3[1] : best7;
    const _Float16 v30 = better8 ? loaded4[1] : best8;
    const unsigned v31 = better5 ? step : at5;
    const unsigned v32 = better6 ? step : at6;
    const unsigned v33 = better7 ? step : at7;
    const unsigned v34 = better8 ? step : at8;
    again = step < 32u;
    step = step + 32u;
    from = from + 384ull;
    best = v19;
    at = v23;
    best2 = v20;
    at2 = v24;
    best3 = v21;
    at3 = v25;
    best4 = v22;
    at4 = v26;
    best5 = v27;
    at5 = v31;
    best6 = v28;
    at6 = v32;
    best7 = v29;
    at7 = v33;
    best8 = v30;
    at8 = v34;
  }

  // The slots of a row become one state.
  const unsigned v35 = at2 + 1u;
  const float v36 = float(best);
  const float v37 = float(best2);
  const bool v38 = (v37 < v36) | ((v37 == v36) & (v35 < at));
  const _Float16 v39 = v38 ? best2 : best;
  const unsigned v40 = v38 ? v35 : at;
  const unsigned v41 = v40 + v12;
  const unsigned v42 = at4 + 1u;
  const float v43 = float(best3);
  const float v44 = float(best4);
  const bool v45 = (v44 < v43) | ((v44 == v43) & (v42 < at3));
  const _Float16 v46 = v45 ? best4 : best3;
  const unsigned v47 = v45 ? v42 : at3;
  const unsigned v48 = v47 + v12;
  const unsigned v49 = at6 + 1u;
  const float v50 = float(best5);
  const float v51 = float(best6);
  const bool v52 = (v51 < v50) | ((v51 == v50) & (v49 < at5));
  const _Float16 v53 = v52 ? best6 : best5;
  const unsigned v54 = v52 ? v49 : at5;
  const unsigned v55 = v54 + v12;
  const unsigned v56 = at8 + 1u;
  const float v57 = float(best7);
  const float v58 = float(best8);
  const bool v59 = (v58 < v57) | ((v58 == v57) & (v56 < at7));
  const _Float16 v60 = v59 ? best8 : best7;
  const unsigned v61 = v59 ? v56 : at7;
  const unsigned v62 = v61 + v12;

  // From the states of the lanes to those of the rows.
  const float v63 = float(v39);
  const unsigned v64 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v63), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v65 = min_of_numbers(v63, __builtin_bit_cast(float, v64));
  const unsigned v66 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v65), 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const unsigned v67 = (v63 == min_of_numbers(v65, __builtin_bit_cast(float, v66))) ? v41 : 0xffffffffu;
  const unsigned v68 = unsigned(__builtin_amdgcn_mov_dpp(v67, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v69 = __builtin_elementwise_min(v67, v68);
  const unsigned v70 = unsigned(__builtin_amdgcn_mov_dpp(v69, 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const float v71 = float(v46);
  const unsigned v72 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v71), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v73 = min_of_numbers(v71, __builtin_bit_cast(float, v72));
  const unsigned v74 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v73), 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const unsigned v75 = (v71 == min_of_numbers(v73, __builtin_bit_cast(float, v74))) ? v48 : 0xffffffffu;
  const unsigned v76 = unsigned(__builtin_amdgcn_mov_dpp(v75, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v77 = __builtin_elementwise_min(v75, v76);
  const unsigned v78 = unsigned(__builtin_amdgcn_mov_dpp(v77, 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const unsigned v79 = v11 + 1u;
  const float v80 = float(v53);
  const unsigned v81 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v80), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v82 = min_of_numbers(v80, __builtin_bit_cast(float, v81));
  const unsigned v83 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v82), 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const unsigned v84 = (v80 == min_of_numbers(v82, __builtin_bit_cast(float, v83))) ? v55 : 0xffffffffu;
  const unsigned v85 = unsigned(__builtin_amdgcn_mov_dpp(v84, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v86 = __builtin_elementwise_min(v84, v85);
  const unsigned v87 = unsigned(__builtin_amdgcn_mov_dpp(v86, 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const float v88 = float(v60);
  const unsigned v89 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v88), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v90 = min_of_numbers(v88, __builtin_bit_cast(float, v89));
  const unsigned v91 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v90), 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const unsigned v92 = (v88 == min_of_numbers(v90, __builtin_bit_cast(float, v91))) ? v62 : 0xffffffffu;
  const unsigned v93 = unsigned(__builtin_amdgcn_mov_dpp(v92, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v94 = __builtin_elementwise_min(v92, v93);
  const unsigned v95 = unsigned(__builtin_amdgcn_mov_dpp(v94, 0x124 /* row_ror:4 */, 0xf, 0xf, true));
  const unsigned v96 = v11 + 1u;

  // The states of the subgroups that share a row meet in LDS.
  const unsigned subgroup2 = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  const bool v97 = ((v67 == __builtin_elementwise_min(v69, v70)) & (v5 >= v1)) & (v11 >= v10);
  if (v97) {
    const Local v98 = (Local)partials + ((((v5 * 6u) + v11) << 2u) + subgroup2) * 8;
    const Vector<unsigned, 2> v99 = Vector<unsigned, 2>{unsigned(__builtin_bit_cast(Half, v39)), v41};
    store<Vector<unsigned, 2>, 8>(v98, v99);
  }
  const bool v100 = ((v75 == __builtin_elementwise_min(v77, v78)) & (v5 >= v1)) & (v79 >= v10);
  if (v100) {
    const Local v101 = (Local)partials + ((((v5 * 6u) + v79) << 2u) + subgroup2) * 8;
    const Vector<unsigned, 2> v102 = Vector<unsigned, 2>{unsigned(__builtin_bit_cast(Half, v46)), v48};
    store<Vector<unsigned, 2>, 8>(v101, v102);
  }
  const bool v103 = ((v84 == __builtin_elementwise_min(v86, v87)) & (v7 >= v6)) & (v11 >= v10);
  if (v103) {
    const Local v104 = (Local)partials + ((((v7 * 6u) + v11) << 2u) + subgroup2) * 8;
    const Vector<unsigned, 2> v105 = Vector<unsigned, 2>{unsigned(__builtin_bit_cast(Half, v53)), v55};
    store<Vector<unsigned, 2>, 8>(v104, v105);
  }
  const bool v106 = ((v92 == __builtin_elementwise_min(v94, v95)) & (v7 >= v6)) & (v96 >= v10);
  if (v106) {
    const Local v107 = (Local)partials + ((((v7 * 6u) + v96) << 2u) + subgroup2) * 8;
    const Vector<unsigned, 2> v108 = Vector<unsigned, 2>{unsigned(__builtin_bit_cast(Half, v60)), v62};
    store<Vector<unsigned, 2>, 8>(v107, v108);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (thread < 192u) {
    if (((thread >> 2u) / 6u) < extent) {
      const Vector<unsigned, 2> v109 = load<Vector<unsigned, 2>, 8>((Local)partials + thread * 8);
      const _Float16 v110 = __builtin_bit_cast(_Float16, Half(v109[0]));
      const unsigned v111 = unsigned(__builtin_amdgcn_mov_dpp(unsigned(__builtin_bit_cast(Half, v110)), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
      const _Float16 v112 = __builtin_bit_cast(_Float16, Half(v111));
      const unsigned v113 = unsigned(__builtin_amdgcn_mov_dpp(v109[1], 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
      const float v114 = float(v110);
      const float v115 = float(v112);
      const bool v116 = (v115 < v114) | ((v115 == v114) & (v113 < v109[1]));
      const _Float16 v117 = v116 ? v112 : v110;
      const unsigned v118 = v116 ? v113 : v109[1];
      const unsigned v119 = unsigned(__builtin_amdgcn_mov_dpp(unsigned(__builtin_bit_cast(Half, v117)), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
      const _Float16 v120 = __builtin_bit_cast(_Float16, Half(v119));
      const unsigned v121 = unsigned(__builtin_amdgcn_mov_dpp(v118, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
      const float v122 = float(v117);
      const float v123 = float(v120);
      const bool v124 = (v123 < v122) | ((v123 == v122) & (v121 < v118));
      const _Float16 v125 = v124 ? v120 : v117;
      const unsigned v126 = v124 ? v121 : v118;
      const unsigned v127 = thread >> 2u;
      if ((thread & 3u) == 0u) {
        const Size v128 = Size(((first * 6u) + (((v127 / 6u) * 6u) + (v127 % 6u))) << 5u);
        const Global v129 = ((Global)workspace + SignedSize(v128)) + SignedSize(Size(piece) << 3ull);
        const Vector<unsigned, 2> v130 = Vector<unsigned, 2>{unsigned(__builtin_bit_cast(Half, v125)), v126};
        store<Vector<unsigned, 2>, 8>(v129, v130);
      }
    }
  }

  // The workgroup is counted; the last of those that share rows reduces what all have left.
  const Global v131 = ((Global)workspace + 9600ull) + SignedSize(Size(v2) << 2ull);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (thread == 0u) {
    const unsigned v132 = atomic_add<__ATOMIC_ACQ_REL>(v131, 1u);
    store<unsigned, 4>((Local)arrived, v132);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const unsigned v133 = load<unsigned, 4>((Local)arrived);
  const unsigned v134 = unsigned(__builtin_amdgcn_readfirstlane(v133));
  if (v134 == 3u) {
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    if (thread == 0u) {
      store<unsigned, 4>(v131, 0u);
    }
    if (thread < 192u) {
      const unsigned v135 = thread & 3u;
      const unsigned v136 = thread >> 2u;
      const unsigned v137 = v136 % 6u;
      const unsigned v138 = v136 / 6u;
      if (v138 < extent) {
        const Global v139 = (Global)workspace + Size(((first * 6u) + ((v138 * 6u) + v137)) << 5u);
        const Vector<unsigned, 2> v140 = load<Vector<unsigned, 2>, 8>(v139 + SignedSize(Size(v135) << 3ull));
        const _Float16 v141 = __builtin_bit_cast(_Float16, Half(v140[0]));
        const unsigned v142 = unsigned(__builtin_amdgcn_mov_dpp(unsigned(__builtin_bit_cast(Half, v141)), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
        const _Float16 v143 = __builtin_bit_cast(_Float16, Half(v142));
        const unsigned v144 = unsigned(__builtin_amdgcn_mov_dpp(v140[1], 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
        const float v145 = float(v141);
        const float v146 = float(v143);
        const bool v147 = (v146 < v145) | ((v146 == v145) & (v144 < v140[1]));
        const _Float16 v148 = v147 ? v143 : v141;
        const unsigned v149 = v147 ? v144 : v140[1];
        const unsigned v150 = unsigned(__builtin_amdgcn_mov_dpp(unsigned(__builtin_bit_cast(Half, v148)), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
        const _Float16 v151 = __builtin_bit_cast(_Float16, Half(v150));
        const unsigned v152 = unsigned(__builtin_amdgcn_mov_dpp(v149, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
        const float v153 = float(v148);
        const float v154 = float(v151);
        const bool v155 = (v154 < v153) | ((v154 == v153) & (v152 < v149));
        const _Float16 v156 = v155 ? v151 : v148;
        const unsigned v157 = v155 ? v152 : v149;
        if (v135 == 0u) {
          const unsigned v158 = first * 6u;
          const unsigned v159 = (v138 * 6u) + v137;
          const Size v160 = (float(v156) < float(__builtin_inff16())) ? (Size(v157) + base) : 0ull;
          store<_Float16, 2>((Global)values + Size((v158 + v159) << 1u), v156);
          store<Size, 8>((Global)indices + Size((v158 + v159) << 3u), v160);
        }
      }
    }
  }
}
