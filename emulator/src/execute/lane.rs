//! Values that cross between lanes and scalar registers.

use super::vector::write;
use super::wave::Wave;
use crate::instruction::{LaneOperation, Operand};
use crate::operation::Lanes;

/// Executes one of them. EXEC does not matter to reading and writing a named lane.
pub(super) fn execute(wave: &mut Wave, operation: LaneOperation, to: u16, from: &[Operand; 2]) {
    let exec = wave.exec();
    let register = usize::from(to) & 511;
    match operation {
        LaneOperation::ReadFirstLane => {
            // With no active lane, lane 0 is read.
            let lane = if exec == 0 {
                0
            } else {
                exec.trailing_zeros() as usize
            };
            let value = lanes(wave, from[0]).0[lane];
            wave.set_scalar(to as u8, value);
        }
        LaneOperation::ReadLane => {
            let lane = wave.read(from[1], false) as usize & 63;
            let value = lanes(wave, from[0]).0[lane];
            wave.set_scalar(to as u8, value);
        }
        LaneOperation::WriteLane => {
            let value = wave.read(from[0], false) as u32;
            let lane = wave.read(from[1], false) as usize & 63;
            wave.vector[register].0[lane] = value;
        }
        LaneOperation::CountBelowLow | LaneOperation::CountBelowHigh => {
            let low = operation == LaneOperation::CountBelowLow;
            let (mask, sum) = (lanes(wave, from[0]), lanes(wave, from[1]));
            let mut result = Lanes([0; 64]);
            for lane in 0..64u32 {
                let below = if low {
                    (1u64 << lane.min(32)) - 1
                } else {
                    (1u64 << lane.saturating_sub(32)) - 1
                };
                let index = lane as usize;
                let count = (mask.0[index] & below as u32).count_ones();
                result.0[index] = count.wrapping_add(sum.0[index]);
            }
            write(&mut wave.vector[register], &result, exec);
        }
        LaneOperation::Swap => {
            let Operand::Vector(other) = from[0] else {
                return;
            };
            let other = usize::from(other) & 511;
            let (first, second) = (wave.vector[register], wave.vector[other]);
            write(&mut wave.vector[register], &second, exec);
            write(&mut wave.vector[other], &first, exec);
        }
    }
}

fn lanes(wave: &Wave, operand: Operand) -> Lanes {
    match operand {
        Operand::Vector(register) => wave.vector[usize::from(register) & 511],
        other => Lanes([wave.read(other, false) as u32; 64]),
    }
}
