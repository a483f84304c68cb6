//! Exchanges between lanes: a small function for each instruction that a kernel uses.
//!
//! They take any type whose size is a multiple of 32 bits, word by word: a value, a position, a state.

use super::source::Source;
use crate::native::isa::cross_lane::{Exchange, Move};

/// Selects of `v_permlanex16_b32` that keep the place in the row.
const SAME_PLACE: &str = "0x76543210, 0xfedcba98";

/// The C++ function of a move.
fn function(step: &Move) -> String {
    match *step {
        // `quad_perm:[1,0,3,2]` is `quad_perm_1032`.
        Move::Dpp { name, .. } => name
            .replace(':', "_")
            .replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', ""),
        Move::Swizzle { offset } => format!("swizzle_xor_{}", offset >> 10),
        Move::Permute { xor } => format!("bpermute_xor_{xor}"),
        Move::OtherRow => "permlanex16".to_owned(),
        Move::OtherHalf => "permlane64".to_owned(),
        Move::Swap { xor } => format!("permlane{xor}_swap"),
        Move::Lds { xor } => format!("lds_xor_{xor}"),
        Move::Read { lane } => format!("read_lane_{lane}"),
    }
}

/// What a move does to a word, for a comment, and the expression that does it.
fn word(step: &Move) -> (String, String) {
    match *step {
        Move::Dpp {
            name,
            control,
            row_mask: 0xf,
        } => (
            format!("DPP {name}: part of the instruction that uses it."),
            format!("__builtin_amdgcn_mov_dpp(word, {control:#x}, 0xf, 0xf, true)"),
        ),
        Move::Dpp {
            name,
            control,
            row_mask,
        } => (
            format!(
                "DPP {name} to the rows of 16 lanes in the mask {row_mask:#x}; the others keep their own."
            ),
            format!(
                "__builtin_amdgcn_update_dpp(word, word, {control:#x}, {row_mask:#x}, 0xf, false)"
            ),
        ),
        Move::Swizzle { offset } => (
            format!(
                "ds_swizzle_b32: from lane ^ {}, within each 32 lanes.",
                offset >> 10
            ),
            format!("__builtin_amdgcn_ds_swizzle(word, {offset:#x})"),
        ),
        Move::Permute { xor } => (
            format!("ds_bpermute_b32, which counts lanes in bytes: from lane ^ {xor}."),
            format!("__builtin_amdgcn_ds_bpermute(4 * (lane_id() ^ {xor}), word)"),
        ),
        Move::OtherRow => (
            "v_permlanex16_b32: from lane ^ 16.".to_owned(),
            format!("int(__builtin_amdgcn_permlanex16(word, word, {SAME_PLACE}, false, false))"),
        ),
        Move::OtherHalf => (
            "v_permlane64_b32: from lane ^ 32.".to_owned(),
            "stays(__builtin_amdgcn_permlane64(word))".to_owned(),
        ),
        Move::Lds { xor } => (
            format!("Through LDS, from lane ^ {xor}, which no instruction reaches."),
            format!("word_through_lds(word, {xor})"),
        ),
        Move::Read { lane } => (
            format!("v_readlane_b32: from lane {lane}."),
            format!("__builtin_amdgcn_readlane(word, {lane})"),
        ),
        Move::Swap { .. } => (String::new(), String::new()),
    }
}

/// What the exchanges of all kernels share.
const COMMON: [(&str, &str); 7] = [
    (
        "each_word",
        r"
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
",
    ),
    (
        // llvm/llvm-project#182162, which LLVM 22 does not have.
        "stays",
        r#"
// Does nothing, but has its place: without it clang moves v_permlane64_b32 to where its result is used, though fewer
// lanes may be active there.
static __device__ inline int stays(int word) {
  asm volatile("" : "+v"(word));
  return word;
}
"#,
    ),
    (
        "lane_id",
        r"
static __device__ inline int lane_id() { return __builtin_amdgcn_workitem_id_x() % lanes; }
",
    ),
    (
        "read_lane",
        r"
// The register of one lane, the same for all.
template <class T> static __device__ inline T read_lane(T own, unsigned lane) {
  return each_word(own, [=](int word) { return __builtin_amdgcn_readlane(word, lane); });
}
",
    ),
    (
        "word_through_lds",
        r#"
// A subgroup's LDS instructions are executed in order, so that the hardware needs no wait. The fences, which are
// no instructions, keep the compiler from changing the order.
static __device__ inline int word_through_lds(int word, unsigned distance) {
  __shared__ int words[threads];
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  words[thread] = word;
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  word = words[thread ^ distance];
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  return word;
}
"#,
    ),
    (
        "barrier",
        r#"
// All threads of the workgroup have written what others will read.
static __device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
"#,
    ),
    (
        "counted_before",
        r#"
// Counts the workgroup; how many had been counted before, whose stores up to then are visible to this one.
static __device__ inline unsigned counted_before(unsigned *counter) {
  __shared__ unsigned before;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  barrier();
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    before = __hip_atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  }
  barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  return __builtin_amdgcn_readfirstlane(before);
}
"#,
    ),
];

/// Prints what moves registers between lanes.
pub(super) fn print(source: &mut Source, exchanges: &[Exchange]) {
    for (name, text) in COMMON {
        source.define(name, text);
        source.blank();
    }
    let mut printed: Vec<Move> = Vec::new();
    for step in exchanges.iter().copied().flatten() {
        if printed.contains(step) {
            continue;
        }
        printed.push(*step);
        let name = function(step);
        source.define(
            &name,
            match *step {
                Move::Swap { xor } => swap(&name, xor),
                _ => {
                    let (comment, expression) = word(step);
                    format!(
                        "// {comment}\n\
                         template <class T> static __device__ inline T {name}(T own) {{\n  \
                           return each_word(own, [](int word) {{ return {expression}; }});\n\
                         }}"
                    )
                }
            },
        );
        source.blank();
    }
}

/// The registers of a swap with `pick` between them, which takes them in the same order in both lanes.
fn swap(name: &str, xor: u32) -> String {
    format!(
        r"
// v_{name}_b32 of a register and its copy: then of lanes that differ by {xor} both have the lower one's and the
// higher one's.
template <class T, class Pick> static __device__ inline T {name}(T own, Pick pick) {{
  unsigned words[2][sizeof(T) / 4];
  __builtin_memcpy(words[0], &own, sizeof(T));
#pragma unroll
  for (unsigned n = 0; n < sizeof(T) / 4; ++n) {{
    const auto both = __builtin_amdgcn_{name}(words[0][n], words[0][n], false, false);
    words[0][n] = both[0];
    words[1][n] = both[1];
  }}
  T lower, higher;
  __builtin_memcpy(&lower, words[0], sizeof(T));
  __builtin_memcpy(&higher, words[1], sizeof(T));
  return pick(lower, higher);
}}"
    )
}

/// Prints function `name`, which reduces what the lanes have by these exchanges with `pick`, a function of two.
pub(super) fn reduction(source: &mut Source, name: &str, comment: &str, exchanges: &[Exchange]) {
    let step = |exchange: &Exchange| {
        let moved = |moves: &[Move]| {
            let apply = |own: String, step: &Move| format!("{}({own})", function(step));
            moves.iter().fold("own".to_owned(), apply)
        };
        match exchange.split_last() {
            Some((swap @ Move::Swap { .. }, before)) => {
                format!("  own = {}({}, pick);\n", function(swap), moved(before))
            }
            _ => format!("  own = pick(own, {});\n", moved(exchange)),
        }
    };
    let steps: String = exchanges.iter().map(step).collect();
    source.define(
        name,
        format!(
            "// {comment}\n\
             template <class T, class Pick> static __device__ inline T {name}(T own, Pick pick) {{\n{steps}  \
             return own;\n}}"
        ),
    );
    source.blank();
}
