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
//   indices  int *: 4 i32, its position in the row
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
constexpr unsigned threads = 256;  // of a workgroup
constexpr unsigned sharers = 4;    // subgroups that share a row
constexpr unsigned tile_rows = 1;  // rows of a workgroup's tile

// Dimension 0, parallel: 4 in 4 tiles of 1.
namespace dim0 {
  constexpr Size stride = 32000;  // elements in memory from one to the next
}

// Dimension 1, reduced: 32000 in 8 steps of 4096, the last from 27904.
namespace dim1 {
  constexpr unsigned size = 32000;          // elements, of a workgroup
  constexpr unsigned tile = 4096;           // elements of a step
  constexpr unsigned last = 27904;          // where the last step starts
  constexpr unsigned subgroup_tile = 1024;  // elements of a step of one subgroup
  constexpr unsigned pitch = 4;             // elements from a lane to the next
  constexpr unsigned thread = 4;            // neighbouring elements of a lane
  constexpr unsigned batches = 4;           // rounds of the lanes
  constexpr unsigned round = 256;           // elements of a round
}

using Element = float;
using Value = float;  // an element as it is compared
using Index = int;

static __device__ inline Value value_of(Element element) {
  return element;
}

static __device__ inline Element element_of(Value value) {
  return Element(value);
}

// Whether element a, which comes later, replaces element b.
static __device__ inline bool replaces(Value a, Value b) { return a > b; }

using Key = int;  // by which the best of many values is found
// An integer in the order of a float. The sum makes the two zeros one; below zero the other bits count down.
static __device__ inline Key key_of(float value) {
  const Key bits = __builtin_bit_cast(Key, value + float(0));
  return bits ^ (bits >> 31 & 0x7fffffff);
}

static __device__ inline Key better(Key a, Key b) { return a > b ? a : b; }

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

// Of equal elements the one with the lower position wins; nowhere loses.
static __device__ inline Position preferred(Position a, Position b) { return a < b ? a : b; }

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

// The register of one lane, the same for all.
template <class T> static __device__ inline T read_lane(T own, unsigned lane) {
  return each_word(own, [=](int word) { return __builtin_amdgcn_readlane(word, lane); });
}

// All threads of the workgroup have written what others will read.
static __device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// DPP quad_perm:[1,0,3,2]: part of the instruction that uses it.
template <class T> static __device__ inline T quad_perm_1032(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0xb1, 0xf, 0xf, true); });
}

// DPP quad_perm:[2,3,0,1]: part of the instruction that uses it.
template <class T> static __device__ inline T quad_perm_2301(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0x4e, 0xf, 0xf, true); });
}

// DPP row_half_mirror: part of the instruction that uses it.
template <class T> static __device__ inline T row_half_mirror(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0x141, 0xf, 0xf, true); });
}

// DPP row_ror:8: part of the instruction that uses it.
template <class T> static __device__ inline T row_ror_8(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_mov_dpp(word, 0x128, 0xf, 0xf, true); });
}

// DPP row_bcast:15 to the rows of 16 lanes in the mask 0xa; the others keep their own.
template <class T> static __device__ inline T row_bcast_15(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_update_dpp(word, word, 0x142, 0xa, 0xf, false); });
}

// DPP row_bcast:31 to the rows of 16 lanes in the mask 0xc; the others keep their own.
template <class T> static __device__ inline T row_bcast_31(T own) {
  return each_word(own, [](int word) { return __builtin_amdgcn_update_dpp(word, word, 0x143, 0xc, 0xf, false); });
}

// Reduces what the lanes of a row have; lane 63 gets the result.
template <class T, class Pick> static __device__ inline T over_lanes(T own, Pick pick) {
  own = pick(own, quad_perm_1032(own));
  own = pick(own, quad_perm_2301(own));
  own = pick(own, row_half_mirror(own));
  own = pick(own, row_ror_8(own));
  own = pick(own, row_bcast_15(own));
  own = pick(own, row_bcast_31(own));
  return own;
}

// The lanes in which a condition holds.
static __device__ inline unsigned long long ballot(bool holds) { return __builtin_amdgcn_ballot_w64(holds); }

// Of the states of the lanes that hold the best value the one with the least position.
static __device__ inline State earliest(State own, bool holds) {
  const Position candidate = holds ? own.position : nowhere;
  const Position least = read_lane(over_lanes(candidate, preferred), 63);
  return read_lane(own, __builtin_ctzll(ballot(candidate == least)));
}

// The best of all lanes' states. Mostly one lane holds the best value, and its state is read.
static __device__ inline State best_of_row(State own) {
  const Key key = key_of(own.value);
  const bool holds = key == read_lane(over_lanes(key, better), 63);
  const unsigned long long holders = ballot(holds);
  if (__builtin_popcountll(holders) == 1) return read_lane(own, __builtin_ctzll(holders));
  return earliest(own, holds);
}

// Reduces the partials of a row, which neighbouring lanes have; all get the result.
template <class T, class Pick> static __device__ inline T over_sharers(T own, Pick pick) {
  own = pick(own, quad_perm_1032(own));
  own = pick(own, quad_perm_2301(own));
  return own;
}

static __device__ inline unsigned at_most(unsigned number, unsigned limit) { return number < limit ? number : limit; }

extern "C" __global__ void __launch_bounds__(threads)
argmax_4x32000xf32_2_9e2f878e28db2046(
    const Element *__restrict__ input, Element *__restrict__ values, Index *__restrict__ indices) {
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  const unsigned lane = thread % lanes;
  // The same in all lanes, which the compiler cannot know.
  const unsigned subgroup = __builtin_amdgcn_readfirstlane(thread / lanes);
  const unsigned tile = __builtin_amdgcn_workgroup_id_x();
  const unsigned first0 = tile;

  const unsigned origin1 = subgroup * dim1::subgroup_tile;
  const unsigned start1 = lane * dim1::pitch;

  // Where the subgroup's elements are, and from there the lane's.
  const Pointer first = (Pointer)input + first0 * dim0::stride + origin1;
  Offset offset = start1 * sizeof(Element);

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
    Value loaded[dim1::batches][dim1::thread];
#pragma unroll
    for (unsigned batch1 = 0; batch1 < dim1::batches; ++batch1) {
      load_vector<4>(from + batch1 * dim1::round, offset, loaded[batch1]);
    }
#pragma unroll
    for (unsigned batch1 = 0; batch1 < dim1::batches; ++batch1) {
      const Position here = step1 + origin1 + start1 + batch1 * dim1::round;
#pragma unroll
      for (unsigned element1 = 0; element1 < dim1::thread; ++element1) {
        if (replaces(loaded[batch1][element1], best[element1])) {
          best[element1] = loaded[batch1][element1];
          position[element1] = here;
        }
      }
    }
  }

  // Of each row the states of the subgroups that share it.
  __shared__ State partials[tile_rows][sharers];
  // The lane's best element of the row.
  State state = {best[0], position[0]};
#pragma unroll
  for (unsigned element1 = 1; element1 < dim1::thread; ++element1) {
    state = combine(state, {best[element1], moved(position[element1], element1)});
  }
  state = best_of_row(state);

  if (lane == 0) {
    partials[0][subgroup] = state;
  }

  barrier();
  // Each partial in a thread; those of a row are neighbours.
  if (thread < tile_rows * sharers) {
    const State whole = over_sharers(partials[thread / sharers][thread % sharers], combine);
    if (thread % sharers == 0) {
      const unsigned row = first0;
      values[row] = element_of(whole.value);
      indices[row] = whole.position == nowhere ? 0 : Index(whole.position);
    }
  }
}
