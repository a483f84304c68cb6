//! Accesses to LDS and to private memory: undefined bytes, and races between waves.

use super::Checker;
use super::access::{accessed, verb};
use super::data_registers::{data_is_dirty, load, returned, stored, use_of, writes_same};
use super::finding::FindingKind;
use super::lds::AccessMode;
use super::undefined_registers::UndefinedLanes;
use crate::execute::{AccessOperands, Wave, WorkgroupContext, lanes};
use crate::instruction::VECTOR_MASK;
use crate::operation::{AtomicOperation, MemoryOperation};

impl Checker<'_> {
    pub(super) fn lds(
        &mut self,
        wave: &mut Wave,
        device: &WorkgroupContext<'_>,
        moved: &AccessOperands,
        mask: u64,
        how: AccessMode,
    ) {
        let access = &device.access;
        let bytes = access.bytes;
        let number = wave.number as u8;
        self.check_arrived(wave, device, mask, how);
        if how != AccessMode::Read {
            self.depart(wave, device, mask);
        }
        let mut conflict = None;
        let mut undefined = false;
        for lane in lanes(mask) {
            let met = self.lds.access(access.addresses[lane], bytes, number, how);
            undefined |= met.undefined;
            if let (Some(found), None) = (met.conflict, conflict)
                // A write of the present value has the same result in any order.
                && !(how == AccessMode::Write && writes_same(wave, device, moved, lane, u64::MAX))
            {
                conflict = Some((lane, found));
            }
        }
        if let Some((lane, found)) =
            conflict.filter(|(_, found)| !self.ordered_waves(wave, found.wave))
        {
            let accessed = accessed(device, lane as u32);
            let (reads, did) = (verb(how), if found.wrote { "wrote" } else { "read" });
            self.report(FindingKind::Race, wave, Some(lane as u32), Some(accessed), || {
                let who = found.wave.map_or("several waves".into(), |wave| format!("wave {wave}"));
                format!(
                    "{reads} {bytes} bytes at LDS offset {}, some of which {who} {did} with no barrier in between",
                    accessed.address
                )
            });
        }
        let (lds, state) = (&mut self.lds, &mut self.waves[wave.number as usize]);
        match how {
            AccessMode::Read if undefined => {
                let lds = &*lds;
                load(state, moved, mask, |lane| {
                    lds.undefined(access.addresses[lane], bytes)
                });
            }
            AccessMode::Read => {}
            AccessMode::Write => {
                if data_is_dirty(state, moved, mask) {
                    for lane in lanes(mask) {
                        let bits = stored(state, moved, lane);
                        lds.set_undefined(access.addresses[lane], bytes, bits);
                    }
                }
            }
            AccessMode::Atomic | AccessMode::Compare => {
                let swaps = matches!(
                    moved.operation,
                    MemoryOperation::Atomic {
                        operation: AtomicOperation::Swap,
                        ..
                    }
                );
                let all = (1 << bytes) - 1;
                for lane in lanes(mask) {
                    let address = access.addresses[lane];
                    let (old, new) = (lds.undefined(address, bytes), stored(state, moved, lane));
                    // A swap moves undefined bits; other atomics compute with them.
                    let left = if swaps {
                        new
                    } else if old | new != 0 {
                        all
                    } else {
                        0
                    };
                    lds.set_undefined(address, bytes, left);
                    if let Some(to) = moved.returns {
                        returned(state, to, bytes, lane, old);
                    }
                }
                self.note_atomic(wave, moved);
            }
        }
    }

    pub(super) fn private(
        &mut self,
        wave: &mut Wave,
        device: &WorkgroupContext<'_>,
        moved: &AccessOperands,
        mask: u64,
    ) {
        let access = &device.access;
        let bytes = access.bytes as usize;
        let state = &mut self.waves[wave.number as usize];
        let first = access.addresses[mask.trailing_zeros() as usize & 63];
        let uniform = lanes(mask).all(|lane| access.addresses[lane] == first);
        let whole = match moved.operation {
            MemoryOperation::Load { registers } | MemoryOperation::Store { registers } => {
                Some(u16::from(registers))
            }
            _ => None,
        };
        // A spill: every lane accesses the same offset, with whole registers.
        if let (true, Some(count)) = (uniform, whole) {
            let start = first as usize;
            for index in 0..count {
                let register = (moved.data[0] + index) & VECTOR_MASK as u16;
                let place = start + 4 * usize::from(index);
                if use_of(moved.operation) == AccessMode::Read {
                    let undefined: UndefinedLanes =
                        std::array::from_fn(|byte| state.private[place + byte]);
                    state.registers.set_vector(register, mask, undefined);
                } else {
                    let undefined = state.registers.vector(register);
                    for (byte, lanes) in undefined.into_iter().enumerate() {
                        let old = &mut state.private[place + byte];
                        *old = (*old & !mask) | (lanes & mask);
                    }
                }
            }
            return;
        }
        let bits = |private: &[u64], lane: usize| {
            let start = access.addresses[lane] as usize;
            let places = private[start..start + bytes].iter().rev();
            places.fold(0, |bits, lanes| (bits << 1) | ((lanes >> lane) & 1))
        };
        match use_of(moved.operation) {
            AccessMode::Read => {
                let private = std::mem::take(&mut state.private);
                load(state, moved, mask, |lane| bits(&private, lane));
                state.private = private;
            }
            _ => {
                for lane in lanes(mask) {
                    let old = bits(&state.private, lane);
                    let new = stored(state, moved, lane);
                    if let Some(to) = moved.returns {
                        returned(state, to, access.bytes, lane, old);
                    }
                    let start = access.addresses[lane] as usize;
                    for byte in 0..bytes {
                        let place = &mut state.private[start + byte];
                        *place = (*place & !(1 << lane)) | (((new >> byte) & 1) << lane);
                    }
                }
            }
        }
    }
}
