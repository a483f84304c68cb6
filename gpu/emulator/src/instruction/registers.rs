//! The numbers of registers in operands, the same for every family.

/// The number of vector registers of one kind per lane.
pub(crate) const PLAIN_REGISTERS: usize = 256;
/// The number of vector registers per lane: v0 to v255, then a0 to a255.
pub(crate) const VECTOR_REGISTERS: usize = 2 * PLAIN_REGISTERS;
/// The mask that wraps a register number around. Because the count is a power of two, the
/// compiler needs no bounds check.
pub(crate) const VECTOR_MASK: usize = VECTOR_REGISTERS - 1;
const _: () = assert!(VECTOR_REGISTERS.is_power_of_two());
/// The number of the first accumulation register.
pub(crate) const ACCUMULATION: u16 = PLAIN_REGISTERS as u16;
/// The size of the scalar file: general registers, VCC, M0, EXEC and the null destination. It has
/// room for any encoded number, and for the following registers of a wide access.
pub(crate) const SCALAR_REGISTERS: usize = 256 + 16;
/// The first register of VCC. A wave of 32 lanes ignores the upper half of the pair.
pub(crate) const VCC: u8 = 106;
pub(crate) const M0: u8 = 124;
/// The first register of EXEC, the mask of active lanes. A wave of 32 lanes ignores the upper
/// half.
pub(crate) const EXEC: u8 = 126;
/// The scalar register of a discarded destination; no source names it.
pub(crate) const NULL: u8 = 128;
