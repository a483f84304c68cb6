//! Loads whose values go to LDS and not to registers.

use crate::execute::lds;
use crate::execute::observer::ExecutionObserver;
use crate::execute::stop::WaveStop;
use crate::execute::wave::{Wave, WorkgroupContext};
use crate::instruction::{LdsAction, LdsOperation, M0, MemoryAction, VECTOR_REGISTERS};
use crate::operation::{Lanes, MemoryOperation};

/// Registers for the addresses in LDS and for up to four words on their way, which keep their values: the last
/// accumulation registers.
pub(crate) const WAY: u16 = VECTOR_REGISTERS as u16 - 5;

/// A load, and a store to LDS: lane after lane, from the address in M0 plus the instruction's offset on (CDNA 3
/// manual, 9.1.9).
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
    // Three words take the room of four.
    let stride = if registers > 1 { 16 } else { 4 };
    // What lies above bit 15 only gfx950 has.
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
