//! Moves between lanes and scalar registers, and moves of the registers that M0 selects.

use super::lane_mask::write;
use super::stop::{WaveStop, unsupported};
use super::wave::Wave;
use crate::instruction::{LaneOperation, SourceOperand, VECTOR_MASK};
use crate::operation::Lanes;

/// Executes a cross-lane operation. Reads and writes of a named lane ignore EXEC.
pub(super) fn execute(
    wave: &mut Wave,
    operation: LaneOperation,
    to: u16,
    from: &[SourceOperand; 3],
    select: u8,
) -> Result<(), WaveStop> {
    use LaneOperation::*;
    let exec = wave.exec();
    let register = usize::from(to) & VECTOR_MASK;
    match operation {
        ReadFirstLane => {
            // With no active lane, lane 0 is read.
            let lane = if exec == 0 {
                0
            } else {
                exec.trailing_zeros() as usize
            };
            let value = lanes(wave, from[0]).0[lane];
            wave.set_scalar(to as u8, value);
        }
        ReadLane => {
            let lane = wave.read(from[1], false) as usize & (wave.lanes() - 1);
            let value = lanes(wave, from[0]).0[lane];
            wave.set_scalar(to as u8, value);
        }
        WriteLane => {
            let value = wave.read(from[0], false) as u32;
            let lane = wave.read(from[1], false) as usize & (wave.lanes() - 1);
            wave.vector[register].0[lane] = value;
        }
        Swap => swap(wave, register, source(from[0]), exec),
        SwapHalf => swap_halves(wave, register, source(from[0]), exec, select),
        PermLane16 | PermLaneX16 | PermLane16Var | PermLaneX16Var | PermLane64 => {
            permute(wave, operation, register, from, select);
        }
        PermLane16Swap => swap_rows(wave, register, source(from[0]), 16, select),
        PermLane32Swap => swap_rows(wave, register, source(from[0]), 32, select),
        MoveRelativeSource | MoveRelativeDestination | MoveRelativeBoth | MoveRelativeTwo => {
            // Scalar register 124 is M0 here, whatever number the encoding of a family uses.
            let [by_to, by_from] = distances(operation, wave.scalar(124));
            let value = match from[0] {
                SourceOperand::Vector(first) => wave.vector[reach(first, by_from)?],
                other => lanes(wave, other),
            };
            write(&mut wave.vector[reach(to, by_to)?], &value, exec);
        }
        SwapRelative => {
            let [by_to, by_from] = distances(operation, wave.scalar(124));
            let other = reach(source(from[0]) as u16, by_from)?;
            swap(wave, reach(to, by_to)?, other, exec);
        }
    }
    Ok(())
}

fn lanes(wave: &Wave, operand: SourceOperand) -> Lanes {
    match operand {
        SourceOperand::Vector(register) => wave.vector[usize::from(register) & VECTOR_MASK],
        other => Lanes([wave.read(other, false) as u32; 64]),
    }
}

/// Returns the register of a vector operand.
fn source(operand: SourceOperand) -> usize {
    match operand {
        SourceOperand::Vector(register) => usize::from(register) & VECTOR_MASK,
        _ => 0,
    }
}

fn swap(wave: &mut Wave, first: usize, second: usize, exec: u64) {
    // The copies are necessary because both registers may be the same.
    let (one, other) = (wave.vector[first], wave.vector[second]);
    write(&mut wave.vector[first], &other, exec);
    write(&mut wave.vector[second], &one, exec);
}

fn swap_halves(wave: &mut Wave, first: usize, second: usize, exec: u64, select: u8) {
    let shift = |bit: u8| 16 * u32::from((select >> bit) & 1);
    let (to, from) = (shift(3), shift(0));
    for lane in (0..64).filter(|lane| (exec >> lane) & 1 != 0) {
        let one = (wave.vector[first].0[lane] >> to) & 0xffff;
        let other = (wave.vector[second].0[lane] >> from) & 0xffff;
        let put = |place: &mut u32, shift: u32, half: u32| {
            *place = (*place & !(0xffff << shift)) | (half << shift);
        };
        put(&mut wave.vector[first].0[lane], to, other);
        put(&mut wave.vector[second].0[lane], from, one);
    }
}

/// Returns the register distances of destination and source, which M0 holds. Source: the manuals,
/// V_MOVRELS_B32 and related instructions.
fn distances(operation: LaneOperation, by: u32) -> [u32; 2] {
    match operation {
        LaneOperation::MoveRelativeSource => [0, by],
        LaneOperation::MoveRelativeDestination => [by, 0],
        LaneOperation::MoveRelativeBoth => [by, by],
        _ => [(by >> 16) & 0x3ff, by & 0x3ff],
    }
}

/// Returns the register `by` after `register`.
///
/// # Errors
/// Refuses a register beyond v255.
fn reach(register: u16, by: u32) -> Result<usize, WaveStop> {
    match u32::from(register).saturating_add(by) {
        number @ 0..256 => Ok(number as usize),
        _ => Err(unsupported(format!(
            "M0 selects the register {by} beyond v{register}, which does not exist"
        ))),
    }
}

/// Executes permutations with selects in registers (manuals, V_PERMLANE16_B32 and related
/// instructions).
fn permute(
    wave: &mut Wave,
    operation: LaneOperation,
    register: usize,
    from: &[SourceOperand; 3],
    select: u8,
) {
    let exec = wave.exec();
    let values = lanes(wave, from[0]);
    let (fetch_inactive, bound_zero) = (select & 1 != 0, select & 2 != 0);
    let selects = match operation {
        LaneOperation::PermLane16 | LaneOperation::PermLaneX16 => {
            let selects = wave.read(from[1], false) | (wave.read(from[2], false) << 32);
            Lanes(std::array::from_fn(|lane| {
                (selects >> (4 * (lane & 15))) as u32
            }))
        }
        LaneOperation::PermLane16Var | LaneOperation::PermLaneX16Var => lanes(wave, from[1]),
        // `v_permlane64` does nothing in a wave of 32 lanes.
        _ if wave.lanes() == 32 => return,
        _ => {
            let other_half = Lanes(std::array::from_fn(|lane| values.0[lane ^ 32]));
            return write(&mut wave.vector[register], &other_half, exec);
        }
    };
    let crosses = matches!(
        operation,
        LaneOperation::PermLaneX16 | LaneOperation::PermLaneX16Var
    );
    let (mut result, mut mask) = (Lanes([0; 64]), exec);
    for lane in 0..wave.lanes() {
        let row = (lane & !15) ^ (16 * usize::from(crosses));
        let from = row | (selects.0[lane] as usize & 15);
        if fetch_inactive || (exec >> from) & 1 != 0 {
            // Without a source and without BOUND_CTRL, the lane keeps its old value.
            result.0[lane] = values.0[from];
        } else if !bound_zero {
            mask &= !(1 << lane);
        }
    }
    write(&mut wave.vector[register], &result, mask);
}

/// Swaps rows (or halves) of `size` lanes: the odd ones of the first register with the even ones
/// of the second.
fn swap_rows(wave: &mut Wave, first: usize, second: usize, size: usize, select: u8) {
    let exec = wave.exec();
    let (fetch_inactive, bound_zero) = (select & 1 != 0, select & 2 != 0);
    let (one, other) = (wave.vector[first], wave.vector[second]);
    let active = |lane: usize| (exec >> lane) & 1 != 0;
    let mut put = |to: usize, lane: usize, from: usize, values: &Lanes| {
        if !active(lane) {
        } else if fetch_inactive || active(from) {
            wave.vector[to].0[lane] = values.0[from];
        } else if bound_zero {
            wave.vector[to].0[lane] = 0;
        }
    };
    for low in (0..64).filter(|lane| lane & size == 0) {
        put(second, low, low + size, &one);
        put(first, low + size, low, &other);
    }
}
