//! Loads of neighbouring elements.
//!
//! An address is a pointer that is the same for all lanes, an offset of the lane and a constant, which is what a load of
//! the hardware adds by itself.

use super::source::Source;
use crate::native::stages::last::Final;

/// Prints the types of addresses and the functions that load.
pub(super) fn print(source: &mut Source, kernel: &Final) {
    source.define(
        "Pointer",
        "// To elements in the memory of the device, which the compiler need not tell from LDS.\n\
         using Pointer = const __attribute__((address_space(1))) Element *;",
    );
    let offset = match kernel.wide_offsets {
        true => "using Offset = Size;  // from such a pointer, in bytes",
        false => "using Offset = unsigned;  // from such a pointer, in bytes",
    };
    source.define("Offset", offset);
    source.blank();
    source.define("keep_apart", KEEP_APART);
    source.blank();
    source.define("load", LOAD);
    source.blank();
    source.define("load_vector", LOAD_VECTOR);
    source.blank();
}

/// Without this function clang extends the offset to 64 bits and adds it to the pointer ahead of the loop, and then
/// each step takes vector additions of 64 bits.
const KEEP_APART: &str = r#"
// Does nothing. But the compiler does not know, and so adds the offset to no pointer ahead of the loop: a load
// takes both.
static __device__ inline void keep_apart(Offset &offset) { asm volatile("" : "+v"(offset)); }
"#;

const LOAD: &str = r"
static __device__ inline Value load(Pointer from, Offset offset) {
  using Bytes = const __attribute__((address_space(1))) char *;
  return value_of(*(Pointer)((Bytes)from + offset));
}
";

const LOAD_VECTOR: &str = r"
// Loads `count` neighbouring elements by one instruction.
template <int count> static __device__ inline void load_vector(Pointer from, Offset offset, Value *to) {
  using Bytes = const __attribute__((address_space(1))) char *;
  typedef Element Vector __attribute__((ext_vector_type(count), aligned(alignof(Element))));
  using Vectors = const __attribute__((address_space(1))) Vector *;
  const Vector elements = *(Vectors)((Bytes)from + offset);
#pragma unroll
  for (int n = 0; n < count; ++n) to[n] = value_of(elements[n]);
}
";
