//! Fast propagation of undefined bits through the instructions that combine, move and spill lane
//! masks. The result equals that of [`probe`](super::probe), without trial executions.

use super::Checker;
use super::undefined_registers::UndefinedRegisters;
use crate::effects::SCALAR;
use crate::execute::Wave;
use crate::instruction::{Action, EXEC, LaneOperation, M0, Modifiers, SourceOperand, VectorAction};
use crate::operation::BitDependence;
use crate::operation::scalar::ScalarInput;

/// Returns the bits of a bitwise function that vary with the undefined bits of its sources.
fn varying(function: impl Fn(u64, u64) -> u64, [a, b]: [u64; 2], undefined: [u64; 2]) -> u64 {
    // Each result bit depends on one bit of each source, so four combinations are exhaustive.
    let [first, second] = undefined;
    let plain = function(a, b);
    (plain ^ function(a ^ first, b))
        | (plain ^ function(a, b ^ second))
        | (plain ^ function(a ^ first, b ^ second))
}

impl Checker<'_> {
    /// Propagates undefined bits if the current instruction is of this kind; otherwise returns
    /// false.
    pub(super) fn propagate_fast(&mut self, wave: &Wave) -> bool {
        let instructions = self.code.program.instructions();
        let Some(action) = instructions.get(wave.current).map(|one| &one.action) else {
            return false;
        };
        let registers = &mut self.waves[wave.number as usize].registers;
        let undefined = |operand: SourceOperand, wide: bool| match operand {
            SourceOperand::Scalar(register) if wide => Some(registers.pair(register.into())),
            SourceOperand::Scalar(register) => Some(registers.scalar(register.into()).into()),
            SourceOperand::Constant(_) | SourceOperand::None => Some(0),
            _ => None,
        };
        match action {
            Action::Scalar {
                operation,
                to,
                from,
            } => {
                // Only bitwise operations keep undefined bits in their own position.
                if operation.pattern != BitDependence::Bitwise {
                    return false;
                }
                let wide = operation.to == 64;
                let (Some(first), Some(second)) =
                    (undefined(from[0], wide), undefined(from[1], wide))
                else {
                    return false;
                };
                let of = |a: u64, b: u64| {
                    let (c, d, scc, mode) = (0, 0, false, wave.mode);
                    (operation.function)(&ScalarInput {
                        a,
                        b,
                        c,
                        d,
                        scc,
                        mode,
                    })
                    .0
                };
                let values = [wave.read(from[0], wide), wave.read(from[1], wide)];
                let bits = varying(of, values, [first, second]);
                if wide {
                    registers.set_pair((*to).into(), bits);
                } else {
                    registers.set_scalar((*to).into(), bits as u32);
                }
                // SCC is the comparison of the result with 0: one defined set bit decides it.
                if operation.writes_scc {
                    registers.set_scc(bits != 0 && of(values[0], values[1]) & !bits == 0);
                }
                true
            }
            Action::Exec {
                operation,
                to,
                from,
                wide,
            } => {
                let Some(source) = undefined(*from, *wide) else {
                    return false;
                };
                let old = wave.exec();
                // EXEC itself is defined: `check_exec` reports and clears its undefined bits.
                let values = [wave.read(*from, *wide), old];
                let bits = varying(operation.function, values, [source, 0]);
                let returned = if operation.returns_new { bits } else { 0 };
                if *wide {
                    registers.set_pair((*to).into(), returned);
                    registers.set_pair(EXEC.into(), bits);
                } else {
                    registers.set_scalar((*to).into(), returned as u32);
                    registers.set_scalar(EXEC.into(), bits as u32);
                }
                let new = (operation.function)(values[0], old);
                registers.set_scc(bits != 0 && new & !bits == 0);
                true
            }
            Action::Lane {
                operation,
                to,
                from,
                ..
            } => {
                let SourceOperand::Vector(register) = from[0] else {
                    return false;
                };
                let lane = match operation {
                    // Without active lanes, the hardware reads lane 0; `& 63` maps 64 to it.
                    LaneOperation::ReadFirstLane => wave.exec().trailing_zeros() & 63,
                    LaneOperation::ReadLane if undefined(from[1], false) == Some(0) => {
                        wave.read(from[1], false) as u32 & (wave.lanes() as u32 - 1)
                    }
                    _ => return false,
                };
                let bytes = registers.vector(register);
                let bits = (0..4).fold(0, |bits, byte| {
                    bits | (((bytes[byte] >> lane) as u32 & 1) * 0xff) << (8 * byte)
                });
                registers.set_scalar((*to).into(), bits);
                true
            }
            Action::IndexOn { by, .. } if undefined(*by, false) == Some(0) => {
                // The write changes the index and its uses, and keeps the rest of M0.
                let kept = registers.scalar(M0.into()) & !0xf0ff;
                registers.set_scalar(M0.into(), kept);
                true
            }
            Action::Vector(action) if action.modifiers == Modifiers::default() => {
                match action.operation.pattern {
                    BitDependence::Copy => {
                        let SourceOperand::Vector(from) = action.from[0] else {
                            return false;
                        };
                        registers.set_vector(action.to, wave.exec(), registers.vector(from));
                        true
                    }
                    BitDependence::Sum => add(registers, action, wave),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Returns true if a vector instruction reads a mask with undefined bits of inactive lanes
    /// only.
    pub(super) fn mask_is_clean(&self, wave: &Wave, mask: u8) -> bool {
        let registers = &self.waves[wave.number as usize].registers;
        let reads = self.effects.effect(wave.current).1;
        let own = SCALAR + u16::from(mask);
        let others = reads
            .iter()
            .filter(|&&one| one >= SCALAR && one != own && one != own + 1);
        registers.pair(mask.into()) & wave.exec() == 0
            && !others.into_iter().any(|&one| registers.is_dirty(one))
    }
}

/// Propagates through a 64-bit sum of a defined product and a register pair: each byte depends on
/// those below it. Returns false if the product is undefined.
fn add(registers: &mut UndefinedRegisters, action: &VectorAction, wave: &Wave) -> bool {
    let exec = wave.exec();
    let is_defined = |operand: &SourceOperand| match *operand {
        SourceOperand::Vector(register) => registers.lanes(register) & exec == 0,
        SourceOperand::Scalar(register) => registers.scalar(register.into()) == 0,
        SourceOperand::Constant(_) => true,
        _ => false,
    };
    let [a, b, SourceOperand::Vector(to)] = &action.from else {
        return false;
    };
    if !is_defined(a) || !is_defined(b) {
        return false;
    }
    let sources = [*to, to + 1].map(|register| registers.vector(register));
    // Carries travel upwards, so an undefined byte affects all bytes above it.
    let mut below = 0;
    for (register, bytes) in (action.to..).zip(sources) {
        let bytes = bytes.map(|byte| {
            below |= byte;
            below
        });
        registers.set_vector(register, exec, bytes);
    }
    let mask = usize::from(action.to_mask);
    match wave.lanes() {
        32 => registers.set_scalar(mask, (below & exec) as u32),
        _ => registers.set_pair(mask, below & exec),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::varying;

    #[test]
    fn known_bits_decide() {
        let and = |a: u64, b: u64| a & b;
        assert_eq!(varying(and, [0, 0b1100], [0b1010, 0]), 0b1000);
        assert_eq!(varying(|a, b| a | b, [0, 0b1100], [0b1010, 0]), 0b0010);
        assert_eq!(varying(|a, b| a ^ b, [0, 0], [0b1010, 0b0110]), 0b1110);
        assert_eq!(varying(|a, b| a & !b, [0b1111, 0], [0, 0b0101]), 0b0101);
    }
}
