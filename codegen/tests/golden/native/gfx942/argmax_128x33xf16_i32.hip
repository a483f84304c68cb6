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
//   indices  int *: 128 i32, its position in the row
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

using Size = unsigned long long;

constexpr unsigned lanes = 64;     // of a subgroup
constexpr unsigned threads = 128;  // of a workgroup

// Dimension 0, parallel: 128 in 1 tile of 128.
namespace dim0 {
  constexpr Size stride = 33;             // elements in memory from one to the next
  constexpr unsigned subgroup_tile = 64;  // elements of a tile of one subgroup
}

// Dimension 1, reduced: 33 in 9 steps of 4, the last from 29.
namespace dim1 {
  constexpr unsigned size = 33;   // elements, of a workgroup
  constexpr unsigned tile = 4;    // elements of a step
  constexpr unsigned last = 29;   // where the last step starts
  constexpr unsigned thread = 4;  // neighbouring elements of a lane
}

using Element = _Float16;
using Value = _Float16;  // an element as it is compared
using Index = int;

static __device__ inline Value value_of(Element element) {
  return element;
}

static __device__ inline Element element_of(Value value) {
  return Element(value);
}

// Whether element a, which comes later, replaces element b.
static __device__ inline bool replaces(Value a, Value b) { return a > b; }

constexpr Value initial = -__builtin_inff();  // where a fold starts

using Position = unsigned;                  // of an element in its row
constexpr Position nowhere = ~Position(0);  // while no element has replaced the initial value

// A position moved; nowhere stays nowhere.
static __device__ inline Position moved(Position position, Position distance) {
  return __builtin_elementwise_add_sat(position, distance);
}

// The best of some elements of a row.
struct alignas(8) State {
  Value value;
  Position position;
};

// The better of two states, wherever they come from.
static __device__ inline State combine(State a, State b) {
  const bool tie = !replaces(a.value, b.value) && b.position < a.position;
  return replaces(b.value, a.value) || tie ? b : a;
}

// To elements in the memory of the device, which the compiler need not tell from LDS.
using Pointer = const __attribute__((address_space(1))) Element *;
using Offset = unsigned;  // from such a pointer, in bytes

// Does nothing. But the compiler does not know, and so adds the offset to no pointer ahead of the loop: a load
// takes both.
static __device__ inline void keep_apart(Offset &offset) { asm volatile("" : "+v"(offset)); }

// Loads `count` neighbouring elements by one instruction.
template <int count> static __device__ inline void load_vector(Pointer from, Offset offset, Value *to) {
  using Bytes = const __attribute__((address_space(1))) char *;
  typedef Element Vector __attribute__((ext_vector_type(count), aligned(alignof(Element))));
  using Vectors = const __attribute__((address_space(1))) Vector *;
  const Vector elements = *(Vectors)((Bytes)from + offset);
#pragma unroll
  for (int n = 0; n < count; ++n) to[n] = value_of(elements[n]);
}

static __device__ inline unsigned at_most(unsigned number, unsigned limit) { return number < limit ? number : limit; }

extern "C" __global__ void __launch_bounds__(threads)
argmax_128x33xf16_2_b845fc33271d0a75(
    const Element *__restrict__ input, Element *__restrict__ values, Index *__restrict__ indices) {
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread % lanes;
  // The same in all lanes, which the compiler cannot know.
  const unsigned subgroup = __builtin_amdgcn_readfirstlane(thread / lanes);

  const unsigned origin0 = subgroup * dim0::subgroup_tile;
  const unsigned start0 = lane;

  // Where the subgroup's elements are, and from there the lane's.
  const Pointer first = (Pointer)input + origin0 * dim0::stride;
  Offset offset = start0 * dim0::stride * sizeof(Element);

  // The best element of each slot, and the position of its batch.
  Value best[dim1::thread];
  Position position[dim1::thread];
#pragma unroll
  for (unsigned element1 = 0; element1 < dim1::thread; ++element1) {
    best[element1] = initial;
    position[element1] = nowhere;
  }

#pragma unroll 1
  for (unsigned next1 = 0; next1 < dim1::size; next1 += dim1::tile) {
    const unsigned step1 = at_most(next1, dim1::last);
    const Pointer from = first + step1;
    keep_apart(offset);
    // All loads, and then the elements, of which the first are used while the last are on their way.
    Value loaded[dim1::thread];
    load_vector<4>(from, offset, loaded);
    const Position here = step1;
#pragma unroll
    for (unsigned element1 = 0; element1 < dim1::thread; ++element1) {
      if (replaces(loaded[element1], best[element1])) {
        best[element1] = loaded[element1];
        position[element1] = here;
      }
    }
  }

  // The lane's best element of the row.
  State state = {best[0], position[0]};
#pragma unroll
  for (unsigned element1 = 1; element1 < dim1::thread; ++element1) {
    state = combine(state, {best[element1], moved(position[element1], element1)});
  }

  const unsigned row0 = origin0 + start0;
  const unsigned row = row0;
  values[row] = element_of(state.value);
  indices[row] = state.position == nowhere ? 0 : Index(state.position);
}
