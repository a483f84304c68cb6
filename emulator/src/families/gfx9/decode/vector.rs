//! The formats of the vector unit, with their SDWA and DPP words.

use super::super::operands::{DPP, Kind, LITERAL, SDWA, VCC, source};
use super::scalar::scalar_pair;
use super::{Format, bits};
use crate::families::tables::{Entry, ImmediateRole, Line};
use crate::instruction::*;
use crate::operation::{Body, Type};

/// Sources and destination of VOP1, VOP2 and VOPC, with their SDWA and DPP words.
pub(super) fn short_vector(format: Format, line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, extra) = (words[0], words[1]);
    let first = bits(word, 8, 0);
    let second = bits(word, 16, 9);
    let to = bits(word, 24, 17) as u16;
    if let Entry::Lane(operation) = line.entry {
        let code = if first == LITERAL || first == DPP || first == SDWA {
            None
        } else {
            Some(first)
        };
        let from = source(code?, Kind::Bits32, 0)?;
        return Some(Action::Lane {
            operation,
            to,
            from: [from, Operand::None, Operand::None],
            select: 0,
        });
    }
    let (operation, negated, sets_exec) = line.vector()?;
    let kind = |index: usize| {
        operation
            .from
            .get(index)
            .map_or(Kind::Bits32, |&from| Kind::from(from))
    };
    let mut modifiers = Modifiers::default();
    let mut from = [Operand::None; 3];
    let mut to_mask = VCC;
    match first {
        SDWA => {
            modifiers = sdwa(extra, format == Format::Vopc)?;
            let scalar = |bit: u32| bits(extra, bit, bit) != 0;
            let pick = |code: u32, scalar: bool, index: usize| {
                source(if scalar { code } else { code + 256 }, kind(index), 0)
            };
            from[0] = pick(bits(extra, 7, 0), scalar(23), 0)?;
            if format != Format::Vop1 {
                from[1] = pick(second, scalar(31), 1)?;
            }
            if format == Format::Vopc && scalar(15) {
                to_mask = scalar_pair(bits(extra, 14, 8))?;
            }
        }
        DPP => {
            modifiers = dpp(extra)?;
            from[0] = Operand::Vector(bits(extra, 7, 0) as u16);
            if format != Format::Vop1 {
                from[1] = Operand::Vector(second as u16);
            }
        }
        code => {
            from[0] = source(code, kind(0), extra)?;
            if format != Format::Vop1 {
                from[1] = Operand::Vector(second as u16);
            }
        }
    }
    match line.immediate {
        Some(ImmediateRole::Addend) => from[2] = source(LITERAL, kind(2), extra)?,
        Some(ImmediateRole::Factor) => {
            from[2] = from[1];
            from[1] = source(LITERAL, kind(1), extra)?;
        }
        None => {}
    }
    if operation.accumulates {
        from[2] = Operand::Vector(to);
    }
    let (mut to, mut accumulation) = (to, false);
    if line.name == "v_accvgpr_mov_b32" {
        accumulation = true;
    }
    if accumulation {
        to += 256;
        if let Operand::Vector(register) = &mut from[0] {
            *register += 256;
        }
    }
    finish(VectorAction {
        operation,
        to,
        to_mask,
        from_mask: VCC,
        from,
        negated,
        sets_exec,
        modifiers,
    })
}

fn sdwa(word: u32, compare: bool) -> Option<Modifiers> {
    let selection = |code: u32| {
        Some(match code {
            0..=3 => Selection::Byte(code as u8),
            4 | 5 => Selection::Half(code as u8 - 4),
            6 => Selection::Whole,
            _ => return None,
        })
    };
    let bit = |index: u32| bits(word, index, index) as u8;
    let (to, unused, clamp, output) = if compare {
        (Selection::Whole, Unused::Zero, false, 0)
    } else {
        let unused = match bits(word, 12, 11) {
            0 => Unused::Zero,
            1 => Unused::SignExtend,
            2 => Unused::Preserve,
            _ => return None,
        };
        (
            selection(bits(word, 10, 8))?,
            unused,
            bit(13) != 0,
            bits(word, 15, 14) as u8,
        )
    };
    Some(Modifiers {
        negate: bit(20) | (bit(28) << 1),
        absolute: bit(21) | (bit(29) << 1),
        clamp,
        output,
        sdwa: Some(Sdwa {
            from: [
                selection(bits(word, 18, 16))?,
                selection(bits(word, 26, 24))?,
            ],
            sign_extend: [bit(19) != 0, bit(27) != 0],
            to,
            unused,
        }),
        ..Modifiers::default()
    })
}

/// The pattern of a DPP control code, if there is one.
fn lane_pattern(control: u32) -> Option<LanePattern> {
    let low = (control & 15) as i8;
    Some(match control {
        0..=0xff => LanePattern::Quad(control as u8),
        0x101..=0x10f => LanePattern::RowShift(low),
        0x111..=0x11f => LanePattern::RowShift(-low),
        0x121..=0x12f => LanePattern::RowRotate(low as u8),
        0x130 => LanePattern::WaveShift {
            by: 1,
            cyclic: false,
        },
        0x134 => LanePattern::WaveShift {
            by: 1,
            cyclic: true,
        },
        0x138 => LanePattern::WaveShift {
            by: -1,
            cyclic: false,
        },
        0x13c => LanePattern::WaveShift {
            by: -1,
            cyclic: true,
        },
        0x140 => LanePattern::RowMirror,
        0x141 => LanePattern::RowHalfMirror,
        0x142 => LanePattern::RowBroadcast15,
        0x143 => LanePattern::RowBroadcast31,
        0x150..=0x15f => LanePattern::RowLane(low as u8),
        _ => return None,
    })
}

fn dpp(word: u32) -> Option<Modifiers> {
    let bit = |index: u32| bits(word, index, index) as u8;
    Some(Modifiers {
        negate: bit(20) | (bit(22) << 1),
        absolute: bit(21) | (bit(23) << 1),
        dpp: Some(Dpp {
            pattern: lane_pattern(bits(word, 16, 8))?,
            row_mask: bits(word, 31, 28) as u8,
            bank_mask: bits(word, 27, 24) as u8,
            bound_zero: bit(19) != 0,
            fetch_inactive: false,
        }),
        ..Modifiers::default()
    })
}

pub(super) fn long_vector(line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let to = bits(word, 7, 0) as u16;
    let codes = [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ];
    let valid = |code: u32| !matches!(code, SDWA | DPP | LITERAL);
    if let Entry::Lane(operation) = line.entry {
        let mut from = [Operand::None; 3];
        for (index, operand) in from[..2].iter_mut().enumerate() {
            *operand = source(codes[index], Kind::Bits32, 0).filter(|_| valid(codes[index]))?;
        }
        return Some(Action::Lane {
            operation,
            to,
            from,
            select: 0,
        });
    }
    let (operation, negated, sets_exec) = line.vector()?;
    let mut from = [Operand::None; 3];
    let encoded = operation.from.len() - usize::from(operation.accumulates);
    for index in 0..encoded {
        let kind = Kind::from(operation.from[index]);
        from[index] = source(codes[index], kind, 0).filter(|_| valid(codes[index]))?;
    }
    if operation.accumulates {
        from[2] = Operand::Vector(to);
    }
    let (mut to_mask, mut from_mask) = (VCC, VCC);
    let mut modifiers = Modifiers {
        negate: bits(second, 31, 29) as u8,
        clamp: bits(word, 15, 15) != 0,
        output: bits(second, 28, 27) as u8,
        ..Modifiers::default()
    };
    match &operation.body {
        Body::Compare(_) | Body::WideCompare(_) => {
            to_mask = scalar_pair(bits(word, 7, 0))?;
            modifiers.absolute = bits(word, 10, 8) as u8;
        }
        Body::Carry { reads, writes, .. } | Body::WideCarry { reads, writes, .. } => {
            if *writes {
                to_mask = scalar_pair(bits(word, 14, 8))?;
            } else {
                modifiers.absolute = bits(word, 10, 8) as u8;
            }
            // The third source of an operation on two values is its carry; div_fmas reads VCC.
            if *reads && encoded == 2 {
                from_mask = scalar_pair(codes[2])?;
            }
        }
        _ => {
            modifiers.absolute = bits(word, 10, 8) as u8;
            modifiers.select = bits(word, 14, 11) as u8;
        }
    }
    finish(VectorAction {
        operation,
        to,
        to_mask,
        from_mask,
        from,
        negated,
        sets_exec,
        modifiers,
    })
}

pub(super) fn packed_vector(line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let (operation, ..) = line.vector()?;
    let mut to = bits(word, 7, 0) as u16;
    let codes = [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ];
    let mut from = [Operand::None; 3];
    for (index, &kind) in operation.from.iter().enumerate() {
        from[index] = source(codes[index], Kind::from(kind), 0)
            .filter(|_| !matches!(codes[index], SDWA | DPP | LITERAL))?;
    }
    match line.name {
        "v_accvgpr_read_b32" => match &mut from[0] {
            Operand::Vector(register) => *register += 256,
            _ => return None,
        },
        "v_accvgpr_write_b32" => to += 256,
        _ => {}
    }
    let packed = operation.from.iter().any(|from| from.is_packed()) && operation.to.is_packed();
    let mixed = line.name.starts_with("v_fma_mix");
    let select = bits(word, 13, 11) as u8;
    let select_high = (bits(second, 28, 27) | (bits(word, 14, 14) << 2)) as u8;
    let negate = bits(second, 31, 29) as u8;
    let negate_high = bits(word, 10, 8) as u8;
    let dot = line.name.starts_with("v_dot");
    let simple = line.name.starts_with("v_accvgpr");
    let modifiers = Modifiers {
        negate: if simple { 0 } else { negate },
        absolute: if mixed { negate_high } else { 0 },
        select: if mixed {
            select | if line.name == "v_fma_mixhi_f16" { 8 } else { 0 }
        } else if simple {
            0
        } else {
            select
        },
        select_high,
        negate_high: if mixed { 0 } else { negate_high },
        packed: packed || (dot && operation.from[0] == Type::P16),
        mixed,
        clamp: bits(word, 15, 15) != 0,
        ..Modifiers::default()
    };
    finish(VectorAction {
        operation,
        to,
        to_mask: VCC,
        from_mask: VCC,
        from,
        negated: false,
        sets_exec: false,
        modifiers,
    })
}

/// Refuses what no operand may be.
fn finish(action: VectorAction) -> Option<Action> {
    let sources = &action.from[..action.operation.from.len()];
    for (operand, from) in sources.iter().zip(action.operation.from) {
        // Register pairs and quads are aligned to even registers.
        let misaligned = |register: u16| from.registers() > 1 && register % 2 == 1;
        match operand {
            Operand::Vector(register) if misaligned(*register) => return None,
            Operand::None => return None,
            _ => {}
        }
    }
    let has_register = !matches!(
        action.operation.body,
        Body::Compare(_) | Body::WideCompare(_)
    );
    if has_register && action.operation.to.registers() > 1 && action.to % 2 == 1 {
        return None;
    }
    Some(Action::Vector(Box::new(action)))
}
