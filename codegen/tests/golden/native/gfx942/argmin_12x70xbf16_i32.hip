// argmin:12x[70]xbf16:i32 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [4, 0], partial_reduction
// = [0, 80], thread = [1, 1], lane_basis = [[4, 16], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info
// = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>>
//
// grid      3 x 1 x 1 workgroups
// block     64 x 1 x 1 threads, subgroups of 64: 1
// LDS       0 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const unsigned short *: 12 x [70] bf16, row by row, the bracketed dimensions reduced
//   values   unsigned short *: 12 bf16, of each row the winner
//   indices  int *: 12 i32, of each row its position in the row
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

// The lesser of two numbers, neither a NaN. C++ has no function that may assume that: each quiets both first.
template <class T> static __device__ inline T min_of_numbers(T a, T b) {
  if constexpr (sizeof(T) == 4) asm("v_min_f32 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  else asm("v_min_f64 %0, %1, %2" : "=v"(a) : "v"(a), "v"(b));
  return a;
}

extern "C" __global__ void __launch_bounds__(64)
argmin_12x70xbf16_2_e3fc25b60425af1a(
    const void *__restrict__ input, void *__restrict__ values, void *__restrict__ indices) {
#pragma clang fp contract(off)

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned v1 = thread >> 4u;
  const unsigned v2 = thread & 15u;
  const unsigned workgroup = __builtin_amdgcn_workgroup_id_x();
  const unsigned first = workgroup << 2u;

  // Where its elements are.
  const unsigned v3 = __builtin_elementwise_min(v2 + 64u, 69u);
  const unsigned v4 = v1 * 140u;

  // The elements, step by step, each taken into a slot.
  const Global v5 = ((Global)input + Size(first * 140u));
  const Global v6 = apart(v5, v4 + (v2 << 1u));
  const Half loaded = load<Half, 2>(v6);
  const Half loaded2 = load<Half, 2>(v6 + 32ull);
  const Half loaded3 = load<Half, 2>(v6 + 64ull);
  const Half loaded4 = load<Half, 2>(v6 + 96ull);
  const Global v7 = apart(v5, v4 + (v3 << 1u));
  const Half loaded5 = load<Half, 2>(v7);
  const float v8 = __builtin_bit_cast(float, unsigned(loaded) << 16u);
  const bool better = v8 < __builtin_inff();
  const float v9 = better ? v8 : __builtin_inff();
  const unsigned v10 = better ? 0u : 0u;
  const float v11 = __builtin_bit_cast(float, unsigned(loaded2) << 16u);
  const bool better2 = v11 < v9;
  const float v12 = better2 ? v11 : v9;
  const unsigned v13 = better2 ? 16u : v10;
  const float v14 = __builtin_bit_cast(float, unsigned(loaded3) << 16u);
  const bool better3 = v14 < v12;
  const float v15 = better3 ? v14 : v12;
  const unsigned v16 = better3 ? 32u : v13;
  const float v17 = __builtin_bit_cast(float, unsigned(loaded4) << 16u);
  const bool better4 = v17 < v15;
  const float v18 = better4 ? v17 : v15;
  const unsigned v19 = better4 ? 48u : v16;
  const float v20 = __builtin_bit_cast(float, unsigned(loaded5) << 16u);
  const bool better5 = v20 < v18;
  const float v21 = better5 ? v20 : v18;
  const unsigned v22 = better5 ? (v3 - v2) : v19;

  // The slots of a row become one state.
  const unsigned v23 = v22 + v2;

  // From the states of the lanes to those of the rows.
  const unsigned v24 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v21), 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const float v25 = min_of_numbers(v21, __builtin_bit_cast(float, v24));
  const unsigned v26 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v25), 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const float v27 = min_of_numbers(v25, __builtin_bit_cast(float, v26));
  const unsigned v28 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v27), 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const float v29 = min_of_numbers(v27, __builtin_bit_cast(float, v28));
  const unsigned v30 = unsigned(__builtin_amdgcn_mov_dpp(__builtin_bit_cast(unsigned, v29), 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  const unsigned v31 = (v21 == min_of_numbers(v29, __builtin_bit_cast(float, v30))) ? v23 : 0xffffffffu;
  const unsigned v32 = unsigned(__builtin_amdgcn_mov_dpp(v31, 0xb1 /* quad_perm:[1,0,3,2] */, 0xf, 0xf, true));
  const unsigned v33 = __builtin_elementwise_min(v31, v32);
  const unsigned v34 = unsigned(__builtin_amdgcn_mov_dpp(v33, 0x4e /* quad_perm:[2,3,0,1] */, 0xf, 0xf, true));
  const unsigned v35 = __builtin_elementwise_min(v33, v34);
  const unsigned v36 = unsigned(__builtin_amdgcn_mov_dpp(v35, 0x128 /* row_ror:8 */, 0xf, 0xf, true));
  const unsigned v37 = __builtin_elementwise_min(v35, v36);
  const unsigned v38 = unsigned(__builtin_amdgcn_mov_dpp(v37, 0x141 /* row_half_mirror */, 0xf, 0xf, true));
  if (v31 == __builtin_elementwise_min(v37, v38)) {
    store<Half, 2>((Global)values + Size((first + v1) << 1u), Half(__builtin_bit_cast(unsigned, v21) >> 16u));
    store<unsigned, 4>((Global)indices + Size((first + v1) << 2u), v23);
  }
}
