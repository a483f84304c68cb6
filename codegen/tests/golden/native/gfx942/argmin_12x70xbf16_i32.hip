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
//   indices  int *: 12 i32, its position in the row
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

constexpr unsigned threads = 64;  // of a workgroup

// Dimension 0, parallel: 12 in 3 tiles of 4.
namespace dim0 {
  constexpr Size stride = 70;   // elements in memory from one to the next
  constexpr unsigned tile = 4;  // elements of a tile
}

// Dimension 1, reduced: 70 in 1 step of 80, of which 70 exist.
namespace dim1 {
  constexpr unsigned batches = 5;  // rounds of the lanes
  constexpr unsigned round = 16;   // elements of a round
  constexpr unsigned whole = 4;    // rounds in which all elements exist
  constexpr unsigned latest = 69;  // where a lane's elements start at the latest, to exist
}

using Element = unsigned short;
using Value = float;  // an element as it is compared
using Index = int;

static __device__ inline Value value_of(Element element) {
  return __builtin_bit_cast(float, unsigned(element) << 16);
}

static __device__ inline Element element_of(Value value) {
  return Element(__builtin_bit_cast(unsigned, value) >> 16);
}

// Whether element a, which comes later, replaces element b.
static __device__ inline bool replaces(Value a, Value b) { return a < b; }

using Key = int;  // by which the best of many values is found
// An integer in the order of a float. The sum makes the two zeros one; below zero the other bits count down.
static __device__ inline Key key_of(float value) {
  const Key bits = __builtin_bit_cast(Key, value + float(0));
  return bits ^ (bits >> 31 & 0x7fffffff);
}

static __device__ inline Key better(Key a, Key b) { return a < b ? a : b; }

constexpr Value initial = __builtin_inff();  // where a fold starts

using Position = unsigned;                  // of an element in its row
constexpr Position nowhere = ~Position(0);  // while no element has replaced the initial value

// The best of some elements of a row.
struct alignas(8) State {
  Value value;
  Position position;
};

// Of equal elements the one with the lower position wins; nowhere loses.
static __device__ inline Position preferred(Position a, Position b) { return a < b ? a : b; }

// To elements in the memory of the device, which the compiler need not tell from LDS.
using Pointer = const __attribute__((address_space(1))) Element *;
using Offset = unsigned;  // from such a pointer, in bytes

static __device__ inline Value load(Pointer from, Offset offset) {
  using Bytes = const __attribute__((address_space(1))) char *;
  return value_of(*(Pointer)((Bytes)from + offset));
}

// `own` with each of its words moved.
template <class T, class Move> static __device__ inline T each_word(T own, Move move) {
  static_assert(sizeof(T) % 4 == 0);
  int words[sizeof(T) / 4];
  __builtin_memcpy(words, &own, sizeof(T));
#pragma unroll
  for (int &word : words) word = move(word);
  __builtin_memcpy(&own, words, sizeof(T));
  return own;
}

// DPP quad_perm:[1,0,3,2]: part of the instruction that uses it.
template <class T> static __device__ inline T quad_perm_1032(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0xb1, 0xf, 0xf, true); });
}

// DPP quad_perm:[2,3,0,1]: part of the instruction that uses it.
template <class T> static __device__ inline T quad_perm_2301(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0x4e, 0xf, 0xf, true); });
}

// DPP row_ror:8: part of the instruction that uses it.
template <class T> static __device__ inline T row_ror_8(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0x128, 0xf, 0xf, true); });
}

// DPP row_half_mirror: part of the instruction that uses it.
template <class T> static __device__ inline T row_half_mirror(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0x141, 0xf, 0xf, true); });
}

// Reduces what the lanes of a row have; all get the result.
template <class T, class Pick> static __device__ inline T over_lanes(T own, Pick pick) {
  own = pick(own, quad_perm_1032(own));
  own = pick(own, quad_perm_2301(own));
  own = pick(own, row_ror_8(own));
  own = pick(own, row_half_mirror(own));
  return own;
}

// Whether the lane's state is the best of all lanes with its row: first the best value, then of those that hold
// it the least position.
static __device__ inline bool has_best(State own) {
  const Key key = key_of(own.value);
  const bool holds = key == over_lanes(key, better);
  const Position candidate = holds ? own.position : nowhere;
  return holds & (own.position == over_lanes(candidate, preferred));
}

static __device__ inline unsigned at_most(unsigned number, unsigned limit) { return number < limit ? number : limit; }

extern "C" __global__ void __launch_bounds__(threads)
argmin_12x70xbf16_2_e3fc25b60425af1a(
    const Element *__restrict__ input, Element *__restrict__ values, Index *__restrict__ indices) {
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread;
  const unsigned tile = __builtin_amdgcn_workgroup_id_x();
  const unsigned first0 = tile * dim0::tile;

  const unsigned lane0 = lane / 16;
  const unsigned start0 = lane0;
  const unsigned lane1 = lane % 16;
  const unsigned wanted1 = lane1;
  // In batches that not all lanes have, some start earlier and repeat what others have.
  const auto start1 = [=](unsigned batch) {
    const unsigned start = wanted1 + batch * dim1::round;
    return batch < dim1::whole ? start : at_most(start, dim1::latest);
  };

  // Where the subgroup's elements are, and from there the lane's.
  const Pointer from = (Pointer)input + first0 * dim0::stride;
  Offset offset[dim1::batches];
#pragma unroll
  for (unsigned batch1 = 0; batch1 < dim1::batches; ++batch1) {
    offset[batch1] = (start0 * dim0::stride + start1(batch1)) * sizeof(Element);
  }

  // The best element of each slot, and the position of its batch.
  Value best = initial;
  Position position = nowhere;

  // All loads, and then the elements, of which the first are used while the last are on their way.
  Value loaded[dim1::batches];
#pragma unroll
  for (unsigned batch1 = 0; batch1 < dim1::batches; ++batch1) {
    loaded[batch1] = load(from, offset[batch1]);
  }
#pragma unroll
  for (unsigned batch1 = 0; batch1 < dim1::batches; ++batch1) {
    const Position here = start1(batch1);
    if (replaces(loaded[batch1], best)) {
      best = loaded[batch1];
      position = here;
    }
  }

  const State state = {best, position};
  const bool is_best = has_best(state);

  const unsigned row0 = start0;
  if (is_best) {
    const unsigned row = first0 + row0;
    values[row] = element_of(state.value);
    indices[row] = state.position == nowhere ? 0 : Index(state.position);
  }
}
