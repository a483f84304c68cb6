//! From words to instructions: the encodings of gfx9.

use super::operands::{self, DPP, Kind, LITERAL, SDWA, VCC, aligned, source};
use super::tables::{self, Entry, ImmediateRole, Line};
use crate::instruction::*;
use crate::isa::Isa;
use crate::operation::{Body, MemoryOperation, Type};

/// Bits `low..=high` of a word.
pub(super) fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & (((1u64 << (high - low + 1)) - 1) as u32)
}

/// The encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3p,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    Unknown,
}

/// The encoding of a word.
pub(super) fn format(word: u32) -> Format {
    match word >> 23 {
        0b1_0111_1101 => return Format::Sop1,
        0b1_0111_1110 => return Format::Sopc,
        0b1_0111_1111 => return Format::Sopp,
        0b1_1010_0111 => return Format::Vop3p,
        _ => {}
    }
    if word >> 31 == 0 {
        return match word >> 25 {
            0b011_1111 => Format::Vop1,
            0b011_1110 => Format::Vopc,
            _ => Format::Vop2,
        };
    }
    match word >> 26 {
        0b110000 => Format::Smem,
        0b110100 => Format::Vop3,
        0b110110 => Format::Ds,
        0b110111 => Format::Flat,
        0b111000 => Format::Mubuf,
        0b111010 => Format::Mtbuf,
        _ if word >> 28 == 0b1011 => Format::Sopk,
        _ if word >> 30 == 0b10 => Format::Sop2,
        _ => Format::Unknown,
    }
}

/// The table line of an instruction, and the number that it has in its format.
pub(super) fn line(format: Format, words: [u32; 2]) -> Option<&'static Line> {
    let word = words[0];
    match format {
        Format::Sop1 => tables::sop1(bits(word, 15, 8)),
        Format::Sop2 => tables::sop2(bits(word, 29, 23)),
        Format::Sopk => tables::sopk(bits(word, 27, 23)),
        Format::Sopc => tables::sopc(bits(word, 22, 16)),
        Format::Sopp => tables::sopp(bits(word, 22, 16)),
        Format::Smem => tables::smem(bits(word, 25, 18)),
        Format::Vop1 => tables::vop1(bits(word, 16, 9)),
        Format::Vop2 => tables::vop2(bits(word, 30, 25)),
        Format::Vopc => tables::vopc(bits(word, 24, 17)),
        Format::Vop3 => tables::vop3(bits(word, 25, 16)),
        Format::Vop3p => tables::vop3p(bits(word, 22, 16)),
        Format::Ds => tables::ds(bits(word, 24, 17)),
        Format::Flat => tables::flat(bits(word, 15, 14), bits(word, 24, 18)),
        Format::Mubuf => tables::mubuf(bits(word, 24, 18)),
        Format::Mtbuf => tables::mtbuf(bits(word, 18, 15)),
        Format::Unknown => None,
    }
}

/// Words of an instruction.
fn length(format: Format, line: &Line, word: u32) -> u8 {
    let extra = |code: u32| code == LITERAL;
    let vector_extra = |code: u32| matches!(code, SDWA | DPP | LITERAL);
    let long = match format {
        Format::Sop1 => extra(bits(word, 7, 0)),
        Format::Sop2 | Format::Sopc => extra(bits(word, 7, 0)) || extra(bits(word, 15, 8)),
        Format::Sopk => line.name == "s_setreg_imm32_b32",
        Format::Sopp => false,
        Format::Vop1 => {
            line.name != "v_nop" && line.name != "v_clrexcp" && vector_extra(bits(word, 8, 0))
        }
        Format::Vopc => vector_extra(bits(word, 8, 0)),
        Format::Vop2 => line.immediate.is_some() || vector_extra(bits(word, 8, 0)),
        _ => true,
    };
    1 + u8::from(long)
}

/// See [`crate::families::decode`].
pub(crate) fn decode(isa: Isa, address: u64, words: [u32; 2]) -> Instruction {
    let format = format(words[0]);
    let make = |words: [u32; 2], length: u8, name: &'static str, action: Action| Instruction {
        address,
        isa,
        words: if length == 2 { words } else { [words[0], 0] },
        length,
        name,
        action,
    };
    let Some(line) = line(format, words) else {
        return make(words, 1, "", Action::Refused("unknown instruction".into()));
    };
    let length = length(format, line, words[0]);
    let action = action(format, line, words).unwrap_or_else(|| {
        Action::Refused(format!("{} with operands that are not valid", line.name))
    });
    make(words, length, line.name, action)
}

fn action(format: Format, line: &Line, words: [u32; 2]) -> Option<Action> {
    match &line.entry {
        Entry::Refused => {
            return Some(Action::Refused(format!("{} is not emulated", line.name)));
        }
        Entry::Nothing => return Some(Action::Nothing),
        _ => {}
    }
    match format {
        Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Sopc | Format::Sopp => {
            scalar(format, line, words)
        }
        Format::Smem => scalar_memory(line, words),
        Format::Vop1 | Format::Vop2 | Format::Vopc => short_vector(format, line, words),
        Format::Vop3 => long_vector(line, words),
        Format::Vop3p => packed_vector(line, words),
        Format::Ds => share(line, words),
        Format::Flat => flat(line, words),
        Format::Mubuf => buffer(line, words),
        Format::Mtbuf | Format::Unknown => None,
    }
}

/// A scalar destination: any register that exists.
fn scalar_destination(code: u32) -> Option<u8> {
    matches!(code, 0..=124 | 126 | 127).then_some(code as u8)
}

/// A pair of scalar registers.
fn scalar_pair(code: u32) -> Option<u8> {
    scalar_destination(aligned(code, 2))
}

fn scalar(format: Format, line: &Line, words: [u32; 2]) -> Option<Action> {
    let (word, literal) = (words[0], words[1]);
    let immediate = word as u16 as i16;
    let to = bits(word, 22, 16);
    let first = |kind: Kind| source(bits(word, 7, 0), kind, literal);
    Some(match &line.entry {
        Entry::Scalar(operation) => {
            let kind =
                |index: usize| Kind::scalar(operation.from.get(index).copied().unwrap_or(32));
            let mut from = [Operand::None; 2];
            if format == Format::Sopk {
                let value = if line.unsigned_immediate() {
                    u32::from(immediate as u16)
                } else {
                    immediate as u32
                };
                from[1] = Operand::Constant(u64::from(value));
                if operation.to == 0 {
                    from[0] = Operand::Scalar(scalar_destination(to)?);
                }
            } else {
                from[0] = first(kind(0))?;
                if format != Format::Sop1 {
                    from[1] = source(bits(word, 15, 8), kind(1), literal)?;
                }
            }
            if from
                .iter()
                .any(|operand| matches!(operand, Operand::Vector(_)))
            {
                return None;
            }
            let to = match operation.to {
                0 => 0,
                64 => scalar_pair(to)?,
                _ => scalar_destination(to)?,
            };
            Action::Scalar {
                operation,
                to,
                from,
            }
        }
        Entry::Exec(operation) => Action::Exec {
            operation,
            to: scalar_pair(to)?,
            from: first(Kind::Bits64)?,
        },
        Entry::Jump(JumpKind::Here) => Action::Jump {
            kind: JumpKind::Here,
            to: scalar_pair(to)?,
            from: Operand::None,
        },
        Entry::Jump(JumpKind::Call(_)) => Action::Jump {
            kind: JumpKind::Call(immediate),
            to: scalar_pair(to)?,
            from: Operand::None,
        },
        Entry::Jump(kind) => Action::Jump {
            kind: *kind,
            to: aligned(to, 2) as u8 & 0x7f,
            from: first(Kind::Bits64)?,
        },
        Entry::Branch(condition) => Action::Branch {
            condition: *condition,
            words: immediate,
        },
        Entry::MoveRelative {
            wide,
            relative_source,
        } => Action::MoveRelative {
            to: scalar_destination(to)?,
            from: first(Kind::scalar(if *wide { 64 } else { 32 }))?,
            wide: *wide,
            relative_source: *relative_source,
        },
        Entry::HardwareRegister {
            write,
            literal_source,
        } => {
            let field = immediate as u16;
            let access = match (write, literal_source) {
                (false, _) => RegisterAccess::Read {
                    to: scalar_destination(to)?,
                },
                (true, true) => RegisterAccess::Write {
                    from: Operand::Constant(u64::from(literal)),
                },
                (true, false) => RegisterAccess::Write {
                    from: Operand::Scalar(scalar_destination(to)?),
                },
            };
            Action::HardwareRegister {
                number: (field & 0x3f) as u8,
                offset: ((field >> 6) & 0x1f) as u8,
                bits: (field >> 11) as u8 + 1,
                access,
            }
        }
        Entry::End => Action::End,
        Entry::Barrier => Action::Barrier,
        Entry::Trap => Action::Trap {
            id: immediate as u8,
        },
        Entry::Wait => {
            let field = u32::from(immediate as u16);
            let vector = bits(field, 3, 0) | (bits(field, 15, 14) << 4);
            Action::Wait {
                vector: vector as u8,
                share: bits(field, 11, 8) as u8,
            }
        }
        _ => return None,
    })
}

fn scalar_memory(line: &Line, words: [u32; 2]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let to = bits(word, 12, 6);
    let (registers, is_buffer) = match line.entry {
        Entry::ScalarLoad { registers, buffer } => (registers, buffer),
        Entry::Time => {
            return Some(Action::Time {
                to: scalar_pair(to)?,
            });
        }
        _ => return None,
    };
    let (immediate, with_register) = (bits(word, 17, 17) != 0, bits(word, 14, 14) != 0);
    let signed = ((bits(second, 20, 0) << 11) as i32) >> 11;
    let offset_register = match (immediate, with_register) {
        (_, true) => Some(bits(second, 31, 25)),
        (false, false) => Some(bits(second, 6, 0)),
        (true, false) => None,
    };
    // The registers end within the general registers and VCC, or within the trap handler's.
    let to = aligned(to, u32::from(registers));
    let end = to + u32::from(registers);
    if (to < 108 && end > 108) || end > 125 {
        return None;
    }
    Some(Action::ScalarMemory(ScalarMemory {
        registers,
        to: to as u8,
        base: aligned(bits(word, 5, 0) << 1, if is_buffer { 4 } else { 2 }) as u8,
        buffer: is_buffer,
        offset: if immediate { signed } else { 0 },
        offset_register: offset_register
            .map(|code| code as u8)
            .filter(|&code| code != 125),
    }))
}

/// Sources and destination of VOP1, VOP2 and VOPC, with their SDWA and DPP words.
fn short_vector(format: Format, line: &Line, words: [u32; 2]) -> Option<Action> {
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
            from: [from, Operand::None],
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
pub(super) fn lane_pattern(control: u32) -> Option<LanePattern> {
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
        }),
        ..Modifiers::default()
    })
}

fn long_vector(line: &Line, words: [u32; 2]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let to = bits(word, 7, 0) as u16;
    let codes = [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ];
    let valid = |code: u32| !matches!(code, SDWA | DPP | LITERAL);
    if let Entry::Lane(operation) = line.entry {
        let mut from = [Operand::None; 2];
        for (index, operand) in from.iter_mut().enumerate() {
            *operand = source(codes[index], Kind::Bits32, 0).filter(|_| valid(codes[index]))?;
        }
        return Some(Action::Lane {
            operation,
            to,
            from,
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

fn packed_vector(line: &Line, words: [u32; 2]) -> Option<Action> {
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

fn share(line: &Line, words: [u32; 2]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let Entry::Share(operation) = line.entry else {
        return None;
    };
    if bits(word, 16, 16) != 0 {
        // Global data share: not on this part.
        return None;
    }
    let accumulation = if bits(word, 25, 25) != 0 { 256 } else { 0 };
    let (low, high) = (bits(word, 7, 0), bits(word, 15, 8));
    let offsets = match operation {
        ShareOperation::ReadTwo { registers }
        | ShareOperation::WriteTwo { registers }
        | ShareOperation::ExchangeTwo { registers } => {
            let unit = 4 * u32::from(registers) * if line.name.contains("st64") { 64 } else { 1 };
            [low * unit, high * unit]
        }
        _ => [bits(word, 15, 0), 0],
    };
    Some(Action::Share(Box::new(ShareAction {
        operation,
        address: bits(second, 7, 0) as u16,
        data: [bits(second, 15, 8), bits(second, 23, 16)].map(|code| code as u16 + accumulation),
        to: bits(second, 31, 24) as u16 + accumulation,
        offsets,
    })))
}

fn flat(line: &Line, words: [u32; 2]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let Entry::Memory(operation) = line.entry else {
        return None;
    };
    let accumulation = if bits(second, 23, 23) != 0 { 256 } else { 0 };
    let scalar = bits(second, 22, 16);
    let offset = ((bits(word, 12, 0) << 19) as i32) >> 19;
    let (space, offset) = match bits(word, 15, 14) {
        0 => (Space::Flat, bits(word, 11, 0) as i32),
        1 => {
            let scalar = if scalar == 0x7f {
                None
            } else {
                Some(scalar_destination(scalar)?)
            };
            (
                Space::Scratch {
                    vector: bits(word, 13, 13) != 0,
                    scalar,
                },
                offset,
            )
        }
        2 if scalar == 0x7f => (Space::Global, offset),
        2 => (
            Space::GlobalScalar {
                base: scalar_pair(scalar)?,
            },
            offset,
        ),
        _ => return None,
    };
    let wide = matches!(space, Space::Flat | Space::Global);
    let address = bits(second, 7, 0) as u16;
    if wide && address % 2 == 1 {
        return None;
    }
    let loads = matches!(
        operation,
        MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
    );
    let to = bits(second, 31, 24) as u16 + accumulation;
    let from = bits(second, 15, 8) as u16 + accumulation;
    let atomic = matches!(operation, MemoryOperation::Atomic { .. });
    let returns = (atomic && bits(word, 16, 16) != 0).then_some(to);
    Some(Action::Memory(Box::new(MemoryAction {
        operation,
        space,
        address,
        data: if loads { to } else { from },
        returns,
        offset,
    })))
}

fn buffer(line: &Line, words: [u32; 2]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let Entry::Memory(operation) = line.entry else {
        return None;
    };
    if bits(word, 16, 16) != 0 {
        // Loads to LDS.
        return None;
    }
    let accumulation = if bits(second, 23, 23) != 0 { 256 } else { 0 };
    let data = bits(second, 15, 8) as u16 + accumulation;
    let atomic = matches!(operation, MemoryOperation::Atomic { .. });
    let scalar = operands::source(bits(second, 31, 24), Kind::Bits32, 0)
        .filter(|_| bits(second, 31, 24) != LITERAL)?;
    let resource = (bits(second, 20, 16) << 2) as u8;
    if resource > 120 {
        return None;
    }
    Some(Action::Memory(Box::new(MemoryAction {
        operation,
        space: Space::Buffer {
            resource,
            scalar,
            index: bits(word, 13, 13) != 0,
            offset: bits(word, 12, 12) != 0,
        },
        address: bits(second, 7, 0) as u16,
        data,
        returns: (atomic && bits(word, 14, 14) != 0).then_some(data),
        offset: bits(word, 11, 0) as i32,
    })))
}
