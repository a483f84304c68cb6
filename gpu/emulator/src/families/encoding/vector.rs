//! The formats of the vector unit: VOP1, VOP2, VOPC, VOP3 and VOP3P, with the words after them.

use super::origins::lane_sources;
use super::{CommonFormat, EncodingFacts, LITERAL, bit, bits};
use crate::families::flags::Flag;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::{LaneOperation, Words};
use crate::operation::{OperationLoop, Type, VectorOperation};

/// The fields of a vector instruction. Masks have one bit for each source, the first source
/// lowest.
#[derive(Clone, Copy, Default)]
pub(in crate::families) struct VectorFields {
    /// The written vector register (scalar register for long comparisons).
    pub(in crate::families) to: u32,
    /// The written scalar register, if a field names it.
    pub(in crate::families) mask: Option<u32>,
    /// Source codes in encoding order; from 256 on, vector registers.
    pub(in crate::families) sources: [u32; 3],
    pub(in crate::families) negate: u8,
    pub(in crate::families) absolute: u8,
    /// Sign extension of parts.
    pub(in crate::families) extend: u8,
    /// High halves of sources; bit 3 is for the result.
    pub(in crate::families) select: u8,
    /// The half of packed sources for the high result.
    pub(in crate::families) select_high: u8,
    pub(in crate::families) negate_high: u8,
    pub(in crate::families) clamp: bool,
    /// The output factor. 0: none, 1: times 2, 2: times 4, 3: times 1/2.
    pub(in crate::families) output: u8,
    pub(in crate::families) extension: Extension,
}

/// The word after the instruction.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::families) enum Extension {
    #[default]
    None,
    Literal(u32),
    Sdwa(u32),
    Dpp16(u32),
    Dpp8 {
        word: u32,
        fetch_inactive: bool,
    },
}

impl VectorFields {
    /// Returns the truth table of three variables, which some instructions have in place of
    /// modifiers.
    pub(in crate::families) fn truth_table(&self) -> u8 {
        self.negate | (self.absolute << 3) | (self.output << 6)
    }
}

impl Extension {
    /// Returns the literal, or 0.
    pub(in crate::families) fn literal(self) -> u32 {
        match self {
            Extension::Literal(value) => value,
            _ => 0,
        }
    }
}

/// Returns the source codes of a long instruction from its second word.
pub(super) fn long_sources(second: u32) -> [u32; 3] {
    [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ]
}

/// Returns whether the text has a written mask before the sources, and a read mask after them.
pub(in crate::families) fn masks(body: &OperationLoop) -> (bool, bool) {
    match body {
        OperationLoop::Carry { reads, writes, .. }
        | OperationLoop::WideCarry { reads, writes, .. } => (*writes, *reads),
        OperationLoop::Compare(_) | OperationLoop::WideCompare(_) => (true, false),
        _ => (false, false),
    }
}

pub(in crate::families) fn is_compare(body: &OperationLoop) -> bool {
    matches!(
        body,
        OperationLoop::Compare(_) | OperationLoop::WideCompare(_)
    )
}

/// Returns the number of sources that a long instruction encodes, without the carry.
pub(in crate::families) fn encoded_sources(operation: &VectorOperation) -> usize {
    operation.from.len() - usize::from(operation.accumulates)
}

/// Returns the number of source fields that a long instruction uses, with the carry.
pub(super) fn long_count(line: &OpcodeEntry) -> usize {
    match &line.entry {
        Semantics::Lane(operation) => lane_sources(*operation),
        Semantics::Uniform(_) => 1,
        Semantics::Matrix(shape) => 3 - usize::from(shape.sparse),
        Semantics::Refused if line.is(Flag::TwoSources) => 2,
        Semantics::Refused if line.is(Flag::ThreeSources) => 3,
        Semantics::Refused => 0,
        _ => line.vector().map_or(0, |(operation, ..)| {
            let encoded = encoded_sources(operation);
            let carry = encoded == 2 && masks(&operation.body).1;
            encoded + usize::from(carry)
        }),
    }
}

impl VectorFields {
    /// Extracts the fields of a vector instruction; None for invalid words.
    pub(in crate::families) fn of(
        format: CommonFormat,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        words: Words,
    ) -> Option<VectorFields> {
        let mut fields = match format {
            CommonFormat::Vop3 => long(facts, line, words)?,
            CommonFormat::Vop3p => packed(facts, line, words)?,
            _ => short(format, facts, line, words),
        };
        if facts.true16 && !matches!(format, CommonFormat::Vop3 | CommonFormat::Vop3p) {
            fields.take_halves(format, line);
        }
        Some(fields)
    }

    /// Extracts half selections: in short encodings with 16-bit operands, bit 7 of a register's
    /// number selects its high half.
    fn take_halves(&mut self, format: CommonFormat, line: &OpcodeEntry) {
        let (of_source, of_result) = match (&line.entry, line.vector()) {
            (Semantics::Lane(LaneOperation::SwapHalf), _) => (&[Type::B16][..], Type::B16),
            (_, Some((operation, ..))) => (operation.from, operation.to),
            _ => return,
        };
        for (index, code) in self.sources.iter_mut().enumerate() {
            let half = of_source.get(index).is_some_and(|from| from.is_half());
            if half && *code >= 256 + 128 {
                *code -= 128;
                self.select |= 1 << index;
            }
        }
        if format != CommonFormat::Vopc && of_result.is_half() && self.to >= 128 {
            self.to -= 128;
            self.select |= 8;
        }
    }
}

/// Extracts the fields of VOP1, VOP2 and VOPC.
fn short(
    format: CommonFormat,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> VectorFields {
    let (word, extra) = (words[0], words[1]);
    let first = bits(word, 8, 0);
    let mut fields = VectorFields {
        to: if format == CommonFormat::Vopc {
            0
        } else {
            bits(word, 24, 17)
        },
        sources: [first, bits(word, 16, 9) + 256, 0],
        ..VectorFields::default()
    };
    let flag = |index: u32| bits(extra, index, index) as u8;
    match first {
        EncodingFacts::SDWA if facts.sdwa => {
            let scalar = |index: u32| if bit(extra, index) { 0 } else { 256 };
            // The SDWA word has flags for scalar sources, because its fields have 8 bits.
            fields.sources[0] = bits(extra, 7, 0) + scalar(23);
            fields.sources[1] = bits(word, 16, 9) + scalar(31);
            fields.negate = flag(20) | (flag(28) << 1);
            fields.absolute = flag(21) | (flag(29) << 1);
            fields.extend = flag(19) | (flag(27) << 1);
            if format != CommonFormat::Vopc {
                fields.clamp = bit(extra, 13);
                fields.output = bits(extra, 15, 14) as u8;
            } else if bit(extra, 15) {
                fields.mask = Some(bits(extra, 14, 8));
            }
            fields.extension = Extension::Sdwa(extra);
        }
        LITERAL => fields.extension = Extension::Literal(extra),
        _ if facts.is_lane_pattern(first) => fields.take_lane_pattern(first, extra),
        _ if line.immediate.is_some() => fields.extension = Extension::Literal(extra),
        _ => {}
    }
    fields
}

impl VectorFields {
    /// Extracts the first source and the modifiers of a DPP word.
    fn take_lane_pattern(&mut self, code: u32, word: u32) {
        let flag = |index: u32| bits(word, index, index) as u8;
        self.sources[0] = bits(word, 7, 0) + 256;
        self.extension = if code == EncodingFacts::DPP16 {
            self.negate |= flag(20) | (flag(22) << 1);
            self.absolute |= flag(21) | (flag(23) << 1);
            Extension::Dpp16(word)
        } else {
            Extension::Dpp8 {
                word,
                fetch_inactive: code == EncodingFacts::DPP8_FETCH_INACTIVE,
            }
        };
    }
}

/// Extracts the fields of VOP3.
fn long(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> Option<VectorFields> {
    let (word, second, third) = (words[0], words[1], words[2]);
    let mut fields = VectorFields {
        to: bits(word, 7, 0),
        sources: long_sources(second),
        negate: bits(second, 31, 29) as u8,
        absolute: bits(word, 10, 8) as u8,
        select: bits(word, 14, 11) as u8,
        clamp: bit(word, 15),
        output: bits(second, 28, 27) as u8,
        ..VectorFields::default()
    };
    if let Some((operation, ..)) = line.vector()
        && masks(&operation.body).0
        && !is_compare(&operation.body)
    {
        // The mask register occupies the bits of these modifiers.
        fields.mask = Some(bits(word, 14, 8));
        fields.absolute = 0;
        fields.select = 0;
    }
    fields.extend_long(facts, line, third)?;
    Some(fields)
}

impl VectorFields {
    /// Extracts the third word of a long instruction.
    pub(super) fn extend_long(
        &mut self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        third: u32,
    ) -> Option<()> {
        let code = self.sources[0];
        if facts.is_lane_pattern(code) && facts.long_dpp {
            let (negate, absolute) = (self.negate, self.absolute);
            self.take_lane_pattern(code, third);
            // The long encoding's own modifiers apply, not those of the DPP word.
            (self.negate, self.absolute) = (negate, absolute);
        } else if self.sources[..long_count(line)].contains(&LITERAL) {
            if !facts.long_literal {
                return None;
            }
            self.extension = Extension::Literal(third);
        }
        Some(())
    }
}

/// Extracts the fields of VOP3P.
fn packed(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> Option<VectorFields> {
    let (word, second, third) = (words[0], words[1], words[2]);
    let mut fields = VectorFields {
        to: bits(word, 7, 0),
        sources: long_sources(second),
        select: bits(word, 13, 11) as u8,
        select_high: (bits(second, 28, 27) | (bits(word, 14, 14) << 2)) as u8,
        negate: bits(second, 31, 29) as u8,
        negate_high: bits(word, 10, 8) as u8,
        clamp: bit(word, 15),
        ..VectorFields::default()
    };
    fields.extend_long(facts, line, third)?;
    Some(fields)
}
