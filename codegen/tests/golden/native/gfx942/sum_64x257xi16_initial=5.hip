// sum:64x[257]xi16:initial=5 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [8, 0], partial_reduction
// = [0, 64], thread = [4, 1], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[2, 1], [0, 1]]}>, translation_info
// = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 64>>
//
// grid      8 x 1 x 1 workgroups
// block     128 x 1 x 1 threads, subgroups of 64: 2
// LDS       0 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const short *: 64 x [257] i16, row by row, the bracketed dimensions reduced
//   values   int *: 64 i32, of each row the sum
//
// The result of a row is made of 5 and of its elements as i32, two at a time, in an order that is
// the same in every launch: their sum, of which the low bits stay; integers are read with a sign.

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

extern "C" __global__ void __launch_bounds__(128)
sum_64x257xi16_2_8616fb4b0645c937(
    const void *__restrict__ input, void *__restrict__ values) {
#pragma clang fp contract(off)

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread & 63u;
  const unsigned subgroup = unsigned(__builtin_amdgcn_readfirstlane(thread >> 6u));
  const unsigned workgroup = __builtin_amdgcn_workgroup_id_x();
  const unsigned first = workgroup << 3u;

  // Where its elements are.
  const unsigned v1 = subgroup << 2u;
  const unsigned v2 = lane << 1u;
  const Global v3 = (Global)input + Size((first * 514u) + (v1 * 514u));

  // The elements, step by step, each taken into a slot.
  unsigned step = 0u;
  Global from = v3;
  unsigned sum = 0u;
  unsigned sum2 = 0u;
  unsigned sum3 = 0u;
  unsigned sum4 = 0u;
#pragma unroll 1
  for (bool again = true; again;) {
    const Global v4 = apart(from, v2);
    const Half loaded = load<Half, 2>(v4);
    const Half loaded2 = load<Half, 2>(v4 + 514ull);
    const Half loaded3 = load<Half, 2>(v4 + 1028ull);
    const Half loaded4 = load<Half, 2>(v4 + 1542ull);
    again = step < 192u;
    step = step + 64u;
    from = from + 128ull;
    sum = sum + unsigned(short(loaded));
    sum2 = sum2 + unsigned(short(loaded2));
    sum3 = sum3 + unsigned(short(loaded3));
    sum4 = sum4 + unsigned(short(loaded4));
  }
  const Global v5 = apart((v3 + 386ull), v2);
  const Half loaded5 = load<Half, 2>(v5);
  const Half loaded6 = load<Half, 2>(v5 + 514ull);
  const Half loaded7 = load<Half, 2>(v5 + 1028ull);
  const Half loaded8 = load<Half, 2>(v5 + 1542ull);
  const Half v6 = (lane >= 63u) ? loaded5 : Half(0);
  const Half v7 = (lane >= 63u) ? loaded6 : Half(0);
  const Half v8 = (lane >= 63u) ? loaded7 : Half(0);
  const Half v9 = (lane >= 63u) ? loaded8 : Half(0);
  const unsigned v10 = sum + unsigned(short(v6));
  const unsigned v11 = sum2 + unsigned(short(v7));
  const unsigned v12 = sum3 + unsigned(short(v8));
  const unsigned v13 = sum4 + unsigned(short(v9));

  // The slots of a row become one state.

  // From the states of the lanes to those of the rows.
  const unsigned v14 = unsigned(__builtin_amdgcn_mov_dpp(v10, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const unsigned v15 = v10 + v14;
  const unsigned v16 = unsigned(__builtin_amdgcn_mov_dpp(v15, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const unsigned v17 = v15 + v16;
  const unsigned v18 = unsigned(__builtin_amdgcn_mov_dpp(v17, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v19 = v17 + v18;
  const unsigned v20 = unsigned(__builtin_amdgcn_mov_dpp(v19, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const unsigned v21 = v19 + v20;
  const unsigned v22 = unsigned(__builtin_amdgcn_ds_swizzle(v21, 0x401f));
  const unsigned v23 = v21 + v22;
  const unsigned v24 = unsigned(__builtin_amdgcn_ds_bpermute((lane ^ 32u) << 2u, v23));
  const unsigned v25 = unsigned(__builtin_amdgcn_mov_dpp(v11, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const unsigned v26 = v11 + v25;
  const unsigned v27 = unsigned(__builtin_amdgcn_mov_dpp(v26, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const unsigned v28 = v26 + v27;
  const unsigned v29 = unsigned(__builtin_amdgcn_mov_dpp(v28, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v30 = v28 + v29;
  const unsigned v31 = unsigned(__builtin_amdgcn_mov_dpp(v30, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const unsigned v32 = v30 + v31;
  const unsigned v33 = unsigned(__builtin_amdgcn_ds_swizzle(v32, 0x401f));
  const unsigned v34 = v32 + v33;
  const unsigned v35 = unsigned(__builtin_amdgcn_ds_bpermute((lane ^ 32u) << 2u, v34));
  const unsigned v36 = unsigned(__builtin_amdgcn_mov_dpp(v12, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const unsigned v37 = v12 + v36;
  const unsigned v38 = unsigned(__builtin_amdgcn_mov_dpp(v37, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const unsigned v39 = v37 + v38;
  const unsigned v40 = unsigned(__builtin_amdgcn_mov_dpp(v39, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v41 = v39 + v40;
  const unsigned v42 = unsigned(__builtin_amdgcn_mov_dpp(v41, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const unsigned v43 = v41 + v42;
  const unsigned v44 = unsigned(__builtin_amdgcn_ds_swizzle(v43, 0x401f));
  const unsigned v45 = v43 + v44;
  const unsigned v46 = unsigned(__builtin_amdgcn_ds_bpermute((lane ^ 32u) << 2u, v45));
  const unsigned v47 = unsigned(__builtin_amdgcn_mov_dpp(v13, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const unsigned v48 = v13 + v47;
  const unsigned v49 = unsigned(__builtin_amdgcn_mov_dpp(v48, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const unsigned v50 = v48 + v49;
  const unsigned v51 = unsigned(__builtin_amdgcn_mov_dpp(v50, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v52 = v50 + v51;
  const unsigned v53 = unsigned(__builtin_amdgcn_mov_dpp(v52, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const unsigned v54 = v52 + v53;
  const unsigned v55 = unsigned(__builtin_amdgcn_ds_swizzle(v54, 0x401f));
  const unsigned v56 = v54 + v55;
  const unsigned v57 = unsigned(__builtin_amdgcn_ds_bpermute((lane ^ 32u) << 2u, v56));
  if ((lane & 63u) == 0u) {
    store<unsigned, 4>((Global)values + Size((first + v1) << 2u), 5u + (v23 + v24));
  }
  if ((lane & 63u) == 0u) {
    store<unsigned, 4>((Global)values + Size((first + (v1 + 1u)) << 2u), 5u + (v34 + v35));
  }
  if ((lane & 63u) == 0u) {
    store<unsigned, 4>((Global)values + Size((first + (v1 + 2u)) << 2u), 5u + (v45 + v46));
  }
  if ((lane & 63u) == 0u) {
    store<unsigned, 4>((Global)values + Size((first + (v1 + 3u)) << 2u), 5u + (v56 + v57));
  }
}
