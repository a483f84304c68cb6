// layer_norm:64x[768]xbf16 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction
// = [0, 768], thread = [1, 1], lane_basis = [[64, 1], [1, 0]], subgroup_basis = [[4, 1], [1, 0]]}>, translation_info
// = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [256, 1, 1] subgroup_size = 64>>
//
// grid      64 x 1 x 1 workgroups
// block     256 x 1 x 1 threads, subgroups of 64: 4
// LDS       32 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const unsigned short *: 64 x [768] bf16, row by row, the bracketed dimensions reduced
//   weight  const unsigned short *: 768 bf16 of dimension 1, row by row without gaps, what it is multiplied by
//   bias  const unsigned short *: 768 bf16 of dimension 1, row by row without gaps, what is added
//   values   unsigned short *: 64 x [768] bf16, row by row without gaps, of each element the result
//
// values are (x - mean) / sqrt(variance + epsilon) * weight + bias, with the row's mean and variance, where epsilon
// is 1e-5.
// It is computed in f32, and the elements of a row are added in an order that is the same in every launch.

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

extern "C" __global__ void __launch_bounds__(256)
layer_norm_64x768xbf16_2_0133ff2491966761(
    const void *__restrict__ input, const void *__restrict__ weight, const void *__restrict__ bias, void *__restrict__ values) {
#pragma clang fp contract(off)
  __shared__ __attribute__((aligned(16))) char partials[32];

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread & 63u;
  const unsigned subgroup = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  const unsigned workgroup = __builtin_amdgcn_workgroup_id_x();

  // Where its elements are.
  const unsigned v1 = subgroup * 192u;

  // The elements, which stay in registers.
  const Global v2 = apart(((Global)input + Size((workgroup * 1536u) + (v1 << 1u))), lane << 1u);
  const Half loaded = load<Half, 2>(v2);
  const Half loaded2 = load<Half, 2>(v2 + 128ull);
  const Half loaded3 = load<Half, 2>(v2 + 256ull);
  const Global v3 = apart(((Global)weight + Size(v1 << 1u)), lane << 1u);
  const Half loaded4 = load<Half, 2>(v3);
  const Half loaded5 = load<Half, 2>(v3 + 128ull);
  const Half loaded6 = load<Half, 2>(v3 + 256ull);
  const Global v4 = apart(((Global)bias + Size(v1 << 1u)), lane << 1u);
  const Half loaded7 = load<Half, 2>(v4);
  const Half loaded8 = load<Half, 2>(v4 + 128ull);
  const Half loaded9 = load<Half, 2>(v4 + 256ull);

  // A fold of the row.

  // The elements, step by step, each taken into a slot.
  const float v5 = (0.0f + __builtin_bit_cast(float, unsigned(loaded) << 16u)) + __builtin_bit_cast(float, unsigned(loaded2) << 16u);
  const float v6 = v5 + __builtin_bit_cast(float, unsigned(loaded3) << 16u);

  // The slots of a row become one state.

  // What it gives, in all lanes of the row.
  const unsigned v7 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v6), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v8 = v6 + __builtin_bit_cast(float, v7);
  const unsigned v9 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v8), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v10 = v8 + __builtin_bit_cast(float, v9);
  const unsigned v11 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v10), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v12 = v10 + __builtin_bit_cast(float, v11);
  const unsigned v13 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v12), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v14 = v12 + __builtin_bit_cast(float, v13);
  const unsigned v15 = unsigned(__builtin_amdgcn_ds_swizzle(__builtin_bit_cast(unsigned, v14), 0x401f));
  const float v16 = v14 + __builtin_bit_cast(float, v15);
  const unsigned v17 = unsigned(__builtin_amdgcn_ds_bpermute((lane ^ 32u) << 2u, __builtin_bit_cast(unsigned, v16)));
  const unsigned subgroup2 = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  if ((lane & 63u) == 0u) {
    const unsigned v18 = __builtin_bit_cast(unsigned, v16 + __builtin_bit_cast(float, v17));
    const Vector<unsigned, 1> v19 = Vector<unsigned, 1>{v18};
    store<Vector<unsigned, 1>, 4>((Local)partials + subgroup2 * 4, v19);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const Vector<unsigned, 1> v20 = load<Vector<unsigned, 1>, 4>((Local)partials + 0u * 4);
  const Vector<unsigned, 1> v21 = load<Vector<unsigned, 1>, 4>((Local)partials + 1u * 4);
  const Vector<unsigned, 1> v22 = load<Vector<unsigned, 1>, 4>((Local)partials + 2u * 4);
  const Vector<unsigned, 1> v23 = load<Vector<unsigned, 1>, 4>((Local)partials + 3u * 4);
  const float v24 = __builtin_bit_cast(float, v20[0]) + __builtin_bit_cast(float, v21[0]);
  const float v25 = __builtin_bit_cast(float, v22[0]) + __builtin_bit_cast(float, v23[0]);
  const float v26 = (v24 + v25) / 768.0f;

  // A fold of the row.

  // The elements, step by step, each taken into a slot.
  const float v27 = __builtin_bit_cast(float, unsigned(loaded) << 16u) - v26;
  const float v28 = __builtin_bit_cast(float, unsigned(loaded2) << 16u) - v26;
  const float v29 = __builtin_bit_cast(float, unsigned(loaded3) << 16u) - v26;
  const float v30 = ((0.0f + (v27 * v27)) + (v28 * v28)) + (v29 * v29);

  // The slots of a row become one state.

  // What it gives, in all lanes of the row.
  const unsigned v31 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v30), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v32 = v30 + __builtin_bit_cast(float, v31);
  const unsigned v33 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v32), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v34 = v32 + __builtin_bit_cast(float, v33);
  const unsigned v35 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v34), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v36 = v34 + __builtin_bit_cast(float, v35);
  const unsigned v37 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v36), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v38 = v36 + __builtin_bit_cast(float, v37);
  const unsigned v39 = unsigned(__builtin_amdgcn_ds_swizzle(__builtin_bit_cast(unsigned, v38), 0x401f));
  const float v40 = v38 + __builtin_bit_cast(float, v39);
  const unsigned v41 = unsigned(__builtin_amdgcn_ds_bpermute((lane ^ 32u) << 2u, __builtin_bit_cast(unsigned, v40)));
  const unsigned subgroup3 = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  if ((lane & 63u) == 0u) {
    const unsigned v42 = __builtin_bit_cast(unsigned, v40 + __builtin_bit_cast(float, v41));
    const Vector<unsigned, 1> v43 = Vector<unsigned, 1>{v42};
    store<Vector<unsigned, 1>, 4>((Local)partials + (4u + subgroup3) * 4, v43);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const Vector<unsigned, 1> v44 = load<Vector<unsigned, 1>, 4>((Local)partials + 4u * 4);
  const Vector<unsigned, 1> v45 = load<Vector<unsigned, 1>, 4>((Local)partials + 5u * 4);
  const Vector<unsigned, 1> v46 = load<Vector<unsigned, 1>, 4>((Local)partials + 6u * 4);
  const Vector<unsigned, 1> v47 = load<Vector<unsigned, 1>, 4>((Local)partials + 7u * 4);
  const float v48 = __builtin_bit_cast(float, v44[0]) + __builtin_bit_cast(float, v45[0]);
  const float v49 = __builtin_bit_cast(float, v46[0]) + __builtin_bit_cast(float, v47[0]);
  const float v50 = __builtin_amdgcn_rsqf(((v48 + v49) / 768.0f) + 1e-5f);

  // The outputs.
  const float v51 = (__builtin_bit_cast(float, unsigned(loaded) << 16u) - v26) * v50;
  const float v52 = (v51 * __builtin_bit_cast(float, unsigned(loaded4) << 16u)) + __builtin_bit_cast(float, unsigned(loaded7) << 16u);
  const Half v53 = Half(__builtin_bit_cast(unsigned, float(__bf16(v52))) >> 16u);
  const float v54 = (__builtin_bit_cast(float, unsigned(loaded2) << 16u) - v26) * v50;
  const float v55 = (v54 * __builtin_bit_cast(float, unsigned(loaded5) << 16u)) + __builtin_bit_cast(float, unsigned(loaded8) << 16u);
  const Half v56 = Half(__builtin_bit_cast(unsigned, float(__bf16(v55))) >> 16u);
  const float v57 = (__builtin_bit_cast(float, unsigned(loaded3) << 16u) - v26) * v50;
  const float v58 = (v57 * __builtin_bit_cast(float, unsigned(loaded6) << 16u)) + __builtin_bit_cast(float, unsigned(loaded9) << 16u);
  const Half v59 = Half(__builtin_bit_cast(unsigned, float(__bf16(v58))) >> 16u);
  const Global v60 = apart(((Global)values + Size((workgroup * 1536u) + (v1 << 1u))), lane << 1u);
  store<Half, 2>(v60, v53);
  store<Half, 2>(v60 + 128ull, v56);
  store<Half, 2>(v60 + 256ull, v59);
}
