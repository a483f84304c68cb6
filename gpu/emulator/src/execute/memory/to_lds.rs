//! Loads with LDS as their destination instead of registers.

use crate::execute::lds;
use crate::execute::observer::ExecutionObserver;
use crate::execute::stop::WaveStop;
use crate::execute::wave::{Wave, WorkgroupContext};
use crate::instruction::{LdsAction, LdsOperation, M0, MemoryAction, VECTOR_REGISTERS};
use crate::operation::{Lanes, MemoryOperation};

/// The first of five temporary registers: the LDS addresses and up to four words in transit. They
/// are the last accumulation registers, and the load restores their values.
pub(crate) const WAY: u16 = VECTOR_REGISTERS as u16 - 5;

/// Loads from memory and stores to LDS, lane after lane. The first LDS address is M0 plus the
/// instruction's offset (CDNA 3 manual, 9.1.9).
pub(in crate::execute) fn load<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &MemoryAction,
    watch: &mut W,
) -> Result<(), WaveStop> {
    let first = usize::from(WAY);
    let kept: [Lanes; 5] = std::array::from_fn(|index| wave.vector[first + index]);
    let result = through_registers(wave, device, action, watch);
    wave.vector[first..].copy_from_slice(&kept);
    result
}

fn through_registers<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &MemoryAction,
    watch: &mut W,
) -> Result<(), WaveStop> {
    let registers = match action.operation {
        MemoryOperation::Load { registers } => registers,
        _ => 1,
    };
    let load = MemoryAction {
        data: WAY + 1,
        ..action.clone()
    };
    super::access(wave, device, &load, watch)?;
    // Three words occupy the space of four.
    let stride = if registers > 1 { 16 } else { 4 };
    // Only gfx950 uses the bits above bit 15.
    let base = wave.scalar(M0) & 0x3_ffff;
    let start = base.wrapping_add_signed(action.offset);
    wave.vector[usize::from(WAY)] = Lanes(std::array::from_fn(|lane| start + stride * lane as u32));
    let store = LdsAction {
        operation: LdsOperation::Access(MemoryOperation::Store { registers }),
        address: WAY,
        data: [WAY + 1; 2],
        to: 0,
        offsets: [0; 2],
    };
    lds::access(wave, device, &store, watch)
}
