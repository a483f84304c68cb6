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
  const float v5 = __builtin_bit_cast(float, unsigned(loaded) << 16u);
  const float v6 = __builtin_bit_cast(float, unsigned(loaded2) << 16u);
  const float v7 = __builtin_bit_cast(float, unsigned(loaded3) << 16u);
  const float v8 = ((0.0f + v5) + v6) + v7;

  // The slots of a row become one state.

  // What it gives, in all lanes of the row.
  const unsigned v9 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v8), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v10 = v8 + __builtin_bit_cast(float, v9);
  const unsigned v11 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v10), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v12 = v10 + __builtin_bit_cast(float, v11);
  const unsigned v13 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v12), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v14 = v12 + __builtin_bit_cast(float, v13);
  const unsigned v15 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v14), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v16 = v14 + __builtin_bit_cast(float, v15);
  const unsigned v17 = unsigned(__builtin_amdgcn_ds_swizzle(__builtin_bit_cast(unsigned, v16), 0x401f));
  const float v18 = v16 + __builtin_bit_cast(float, v17);
  const unsigned v19 = (lane ^ 32u) << 2u;
  const unsigned v20 = unsigned(__builtin_amdgcn_ds_bpermute(v19, __builtin_bit_cast(unsigned, v18)));
  const bool v21 = (lane & 63u) == 0u;
  const unsigned v22 = thread >> 6u;
  const unsigned subgroup2 = unsigned(__builtin_amdgcn_readfirstlane(v22));
  if (v21) {
    const unsigned v23 = __builtin_bit_cast(unsigned, v18 + __builtin_bit_cast(float, v20));
    const Vector<unsigned, 1> v24 = Vector<unsigned, 1>{v23};
    store<Vector<unsigned, 1>, 4>((Local)partials + subgroup2 * 4, v24);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const Vector<unsigned, 1> v25 = load<Vector<unsigned, 1>, 4>((Local)partials + 0u * 4);
  const Vector<unsigned, 1> v26 = load<Vector<unsigned, 1>, 4>((Local)partials + 1u * 4);
  const Vector<unsigned, 1> v27 = load<Vector<unsigned, 1>, 4>((Local)partials + 2u * 4);
  const Vector<unsigned, 1> v28 = load<Vector<unsigned, 1>, 4>((Local)partials + 3u * 4);
  const float v29 = __builtin_bit_cast(float, v25[0]) + __builtin_bit_cast(float, v26[0]);
  const float v30 = __builtin_bit_cast(float, v27[0]) + __builtin_bit_cast(float, v28[0]);
  const float v31 = (v29 + v30) / 768.0f;

  // A fold of the row.

  // The elements, step by step, each taken into a slot.
  const float v32 = v5 - v31;
  const float v33 = v6 - v31;
  const float v34 = v7 - v31;
  const float v35 = ((0.0f + (v32 * v32)) + (v33 * v33)) + (v34 * v34);

  // The slots of a row become one state.

  // What it gives, in all lanes of the row.
  const unsigned v36 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v35), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v37 = v35 + __builtin_bit_cast(float, v36);
  const unsigned v38 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v37), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v39 = v37 + __builtin_bit_cast(float, v38);
  const unsigned v40 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v39), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v41 = v39 + __builtin_bit_cast(float, v40);
  const unsigned v42 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v41), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const float v43 = v41 + __builtin_bit_cast(float, v42);
  const unsigned v44 = unsigned(__builtin_amdgcn_ds_swizzle(__builtin_bit_cast(unsigned, v43), 0x401f));
  const float v45 = v43 + __builtin_bit_cast(float, v44);
  const unsigned v46 = unsigned(__builtin_amdgcn_ds_bpermute(v19, __builtin_bit_cast(unsigned, v45)));
  const unsigned subgroup3 = unsigned(__builtin_amdgcn_readfirstlane(v22));
  if (v21) {
    const unsigned v47 = __builtin_bit_cast(unsigned, v45 + __builtin_bit_cast(float, v46));
    const Vector<unsigned, 1> v48 = Vector<unsigned, 1>{v47};
    store<Vector<unsigned, 1>, 4>((Local)partials + (4u + subgroup3) * 4, v48);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const Vector<unsigned, 1> v49 = load<Vector<unsigned, 1>, 4>((Local)partials + 4u * 4);
  const Vector<unsigned, 1> v50 = load<Vector<unsigned, 1>, 4>((Local)partials + 5u * 4);
  const Vector<unsigned, 1> v51 = load<Vector<unsigned, 1>, 4>((Local)partials + 6u * 4);
  const Vector<unsigned, 1> v52 = load<Vector<unsigned, 1>, 4>((Local)partials + 7u * 4);
  const float v53 = __builtin_bit_cast(float, v49[0]) + __builtin_bit_cast(float, v50[0]);
  const float v54 = __builtin_bit_cast(float, v51[0]) + __builtin_bit_cast(float, v52[0]);
  const float v55 = __builtin_amdgcn_rsqf(((v53 + v54) / 768.0f) + 1e-5f);

  // The outputs.
  const float v56 = (v32 * v55) * __builtin_bit_cast(float, unsigned(loaded4) << 16u);
  const __bf16 v57 = __bf16(v56 + __builtin_bit_cast(float, unsigned(loaded7) << 16u));
  const float v58 = (v33 * v55) * __builtin_bit_cast(float, unsigned(loaded5) << 16u);
  const __bf16 v59 = __bf16(v58 + __builtin_bit_cast(float, unsigned(loaded8) << 16u));
  const float v60 = (v34 * v55) * __builtin_bit_cast(float, unsigned(loaded6) << 16u);
  const __bf16 v61 = __bf16(v60 + __builtin_bit_cast(float, unsigned(loaded9) << 16u));
  const Global v62 = apart(((Global)values + Size((workgroup * 1536u) + (v1 << 1u))), lane << 1u);
  store<Half, 2>(v62, Half(__builtin_bit_cast(unsigned, float(v57)) >> 16u));
  store<Half, 2>(v62 + 128ull, Half(__builtin_bit_cast(unsigned, float(v59)) >> 16u));
  store<Half, 2>(v62 + 256ull, Half(__builtin_bit_cast(unsigned, float(v61)) >> 16u));
}
