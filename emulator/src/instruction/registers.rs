//! The numbers of registers in operands, the same for every family.

/// Vector registers of a kind that a lane may have.
pub(crate) const PLAIN_REGISTERS: usize = 256;
/// Vector registers of a lane: v0 to v255, then a0 to a255.
pub(crate) const VECTOR_REGISTERS: usize = 2 * PLAIN_REGISTERS;
/// Keeps the number of a vector register within them: behind the last comes the first. That they are a power of two
/// makes it one operation, and no check of bounds is left.
pub(crate) const VECTOR_MASK: usize = VECTOR_REGISTERS - 1;
const _: () = assert!(VECTOR_REGISTERS.is_power_of_two());
/// The number of the first accumulation register.
pub(crate) const ACCUMULATION: u16 = PLAIN_REGISTERS as u16;
/// The scalar file (general registers, VCC, M0, EXEC, then the one that destinations which are discarded name), and
/// room for whatever number an instruction gives, and for the registers after it that a wide access reaches.
pub(crate) const SCALAR_REGISTERS: usize = 256 + 16;
/// A register pair whose upper half is of no consequence to a wave of 32 lanes.
pub(crate) const VCC: u8 = 106;
pub(crate) const M0: u8 = 124;
/// As [`VCC`], the lanes that are active.
pub(crate) const EXEC: u8 = 126;
/// The scalar register of a destination that is discarded; no source names it.
pub(crate) const NULL: u8 = 128;
