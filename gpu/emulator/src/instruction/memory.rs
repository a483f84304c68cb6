//! Accesses to memory, to LDS and through its crossbar.

use super::SourceOperand;
use crate::operation::MemoryOperation;

/// A scalar load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScalarMemory {
    /// Number of loaded registers; 0 for cache operations.
    pub(crate) registers: u8,
    pub(crate) to: u8,
    pub(crate) base: u8,
    /// Bytes of a value that is shorter than a register, and true for sign extension.
    pub(crate) part: Option<(u8, bool)>,
    /// True if the base is a buffer resource with a range.
    pub(crate) buffer: bool,
    pub(crate) offset: i32,
    pub(crate) offset_register: Option<u8>,
}

/// The address of a vector memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressingMode {
    /// A 64-bit address in a register pair; its apertures lead to LDS and private memory.
    Flat,
    /// A 64-bit address in a register pair.
    Global,
    /// A 64-bit scalar base and a 32-bit unsigned offset in a vector register.
    GlobalScalar { base: u8 },
    /// Private memory of the lane, with a vector offset, a scalar offset, both or none.
    Scratch { vector: bool, scalar: Option<u8> },
    /// A 128-bit buffer resource.
    Buffer {
        resource: u8,
        scalar: SourceOperand,
        index: bool,
        offset: bool,
    },
}

/// A load, store or atomic of the vector unit.
#[derive(Debug, Clone)]
pub(crate) struct MemoryAction {
    pub(crate) operation: MemoryOperation,
    pub(crate) space: AddressingMode,
    /// First address register.
    pub(crate) address: u16,
    /// First data register, to load into or to store from.
    pub(crate) data: u16,
    /// Destination of an atomic that returns the old value.
    pub(crate) returns: Option<u16>,
    pub(crate) offset: i32,
}

/// An LDS access or a permutation of lanes.
#[derive(Debug, Clone)]
pub(crate) struct LdsAction {
    pub(crate) operation: LdsOperation,
    pub(crate) address: u16,
    pub(crate) data: [u16; 2],
    pub(crate) to: u16,
    /// Byte offsets; two-address operations have one for each address.
    pub(crate) offsets: [u32; 2],
}

/// The operation of an LDS instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LdsOperation {
    /// An access at one address.
    Access(MemoryOperation),
    /// An atomic at one address that returns the old value.
    Return(MemoryOperation),
    /// Two loads of 1 or 2 registers from two addresses.
    ReadTwo {
        registers: u8,
    },
    /// A load that exchanges elements of `bits` bits between the 16 lanes of each row.
    ReadTransposed {
        registers: u8,
        bits: u8,
    },
    WriteTwo {
        registers: u8,
    },
    ExchangeTwo {
        registers: u8,
    },
    /// A permutation: lane `n` sends its value to lane `address / 4`.
    Permute,
    /// A permutation: lane `n` reads the value of lane `address / 4`.
    PermuteBackward,
    /// The same as [`LdsOperation::PermuteBackward`], but inactive lanes are read too.
    PermuteBackwardInactive,
    /// A permutation with a fixed pattern in the offset.
    Swizzle,
    /// A load at the address from M0, the offset and the lane number.
    ReadLaneAddress,
    WriteLaneAddress,
    /// An atomic that adds (or subtracts) the number of active lanes.
    Append {
        subtract: bool,
    },
}
