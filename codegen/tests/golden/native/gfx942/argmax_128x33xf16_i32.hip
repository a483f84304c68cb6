// argmax:128x[33]xf16:i32 for gfx942, printed by wavetune.
//
// #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [128, 0],
// partial_reduction = [0, 4], thread = [1, 4], lane_basis = [[64, 1], [0, 1]], subgroup_basis = [[2, 1], [0, 1]]}>,
// translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size =
// 64>>
//
// grid      1 x 1 x 1 workgroups
// block     128 x 1 x 1 threads, subgroups of 64: 2
// LDS       0 bytes, static
// compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
//           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
//           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
// arguments
//   input    const _Float16 *: 128 x [33] f16, row by row, the bracketed dimensions reduced
//   values   _Float16 *: 128 f16, of each row the winner
//   indices  int *: 128 i32, of each row its position in the row
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

extern "C" __global__ void __launch_bounds__(128)
argmax_128x33xf16_2_b845fc33271d0a75(
    const void *__restrict__ input, void *__restrict__ values, void *__restrict__ indices) {
#pragma clang fp contract(off)

  // Who the thread is, and which tile is its workgroup's.
  const unsigned thread = __builtin_amdgcn_workitem_id_x();

  // Where its elements are.

  // The elements, step by step, each taken into a slot.
  unsigned step = 0u;
  Global from = (Global)input;
  _Float16 best = -__builtin_inff16();
  unsigned at = 0u;
  _Float16 best2 = -__builtin_inff16();
  unsigned at2 = 0u;
  _Float16 best3 = -__builtin_inff16();
  unsigned at3 = 0u;
  _Float16 best4 = -__builtin_inff16();
  unsigned at4 = 0u;
#pragma unroll 1
  for (bool again = true; again;) {
    const Global v1 = apart(from, thread * 66u);
    const Vector<_Float16, 4> loaded = load<Vector<_Float16, 4>, 2>(v1);
    const bool better = loaded[0] > best;
    const bool better2 = loaded[1] > best2;
    const bool better3 = loaded[2] > best3;
    const bool better4 = loaded[3] > best4;
    const _Float16 v2 = better ? loaded[0] : best;
    const _Float16 v3 = better2 ? loaded[1] : best2;
    const _Float16 v4 = better3 ? loaded[2] : best3;
    const _Float16 v5 = better4 ? loaded[3] : best4;
    const unsigned v6 = better ? step : at;
    const unsigned v7 = better2 ? step : at2;
    const unsigned v8 = better3 ? step : at3;
    const unsigned v9 = better4 ? step : at4;
    const unsigned v10 = __builtin_elementwise_min(29u - step, 4u);
    again = step < 29u;
    step = step + v10;
    from = from + SignedSize(Size(v10) << 1ull);
    best = v2;
    at = v6;
    best2 = v3;
    at2 = v7;
    best3 = v4;
    at3 = v8;
    best4 = v5;
    at4 = v9;
  }

  // The slots of a row become one state.
  const unsigned v11 = at2 + 1u;
  const unsigned v12 = at3 + 2u;
  const unsigned v13 = at4 + 3u;
  const float v14 = float(best);
  const float v15 = float(best2);
  const bool v16 = (v15 > v14) | ((v15 == v14) & (v11 < at));
  const _Float16 v17 = v16 ? best2 : best;
  const unsigned v18 = v16 ? v11 : at;
  const float v19 = float(best3);
  const float v20 = float(best4);
  const bool v21 = (v20 > v19) | ((v20 == v19) & (v13 < v12));
  const _Float16 v22 = v21 ? best4 : best3;
  const unsigned v23 = v21 ? v13 : v12;
  const float v24 = float(v17);
  const float v25 = float(v22);
  const bool v26 = (v25 > v24) | ((v25 == v24) & (v23 < v18));
  const _Float16 v27 = v26 ? v22 : v17;
  const unsigned v28 = v26 ? v23 : v18;

  // From the states of the lanes to those of the rows.
  store<_Float16, 2>((Global)values + Size(thread << 1u), v27);
  store<unsigned, 4>((Global)indices + Size(thread << 2u), v28);
}
