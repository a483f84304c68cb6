//! LLVM's assembly of products of matrices.

use std::fmt::Write;

use super::{AssemblyText, join, operand, result_modifiers, vector};
use crate::families::encoding::{EncodingFacts, MatrixFields, scale_fields};
use crate::families::tables::OpcodeEntry;
use crate::instruction::Words;
use crate::operation::Type;
use crate::operation::matrix::{MatrixElement, MatrixLayout, MatrixShape, MatrixSide};

pub(super) fn product(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    shape: &MatrixShape,
    words: Words,
) -> AssemblyText {
    let fields = MatrixFields::of(facts, words);
    let operation = fields.operation(facts, shape);
    let results = operation.result_registers();
    let [of_a, of_b, of_d] = fields.accumulation;
    // The ninth bit of a source marks a vector register, and VDST has none.
    let register =
        |code: u32, count: u32, accumulation: bool| vector(code & 255, count, accumulation);
    let third = fields.sources[2];
    let kind = match shape.to {
        // LLVM prints the constants of eight registers of gfx11 as it prints those of doubles.
        _ if facts.matrix.layout == MatrixLayout::Replicated && results == 8 => Type::B64,
        MatrixElement::F64 => Type::F64,
        MatrixElement::F16 | MatrixElement::Bf16 => Type::PF16,
        _ => Type::B32,
    };
    let operands = [
        register(fields.to, results, of_d),
        register(
            fields.sources[0],
            operation.source_registers(MatrixSide::A),
            of_a,
        ),
        register(
            fields.sources[1],
            operation.source_registers(MatrixSide::B),
            of_b,
        ),
        match shape.sparse {
            true => register(third, 1, false),
            false if third >= 256 => register(third, results, of_d),
            false => operand(facts, third, 1, kind, 0),
        },
    ];
    let mut text = join(line.name, &operands);
    let list = |mask: u32| {
        let items = [0, 1, 2].map(|index| ((mask >> index) & 1).to_string());
        items.join(",")
    };
    if facts.matrix.layout == MatrixLayout::Blocks {
        let doubles = shape.to == MatrixElement::F64;
        for (name, value) in [("cbsz", fields.broadcast), ("abid", fields.broadcast_block)] {
            if value != 0 {
                write!(text, " {name}:{value}")?;
            }
        }
        match fields.pattern {
            0 => {}
            // LLVM prints BLGP of doubles as `neg` from gfx942 on.
            mask if doubles && facts.matrix.negates_doubles => {
                write!(text, " neg:[{}]", list(mask))?;
            }
            pattern => write!(text, " blgp:{pattern}")?,
        }
        return Ok(text);
    }
    if shape.sparse {
        // LLVM names the OPSEL of sparse products `index_key`.
        if fields.select & 3 != 0 {
            write!(text, " index_key:{}", fields.select & 3)?;
        }
    } else if fields.select != 0 {
        write!(text, " op_sel:[{}]", list(fields.select))?;
    }
    let halves = facts.matrix.layout == MatrixLayout::Replicated && shape.to.bits() == 16;
    if halves && fields.select_high != 7 {
        write!(text, " op_sel_hi:[{}]", list(fields.select_high))?;
    }
    for (name, mask) in [("neg_lo", fields.negate), ("neg_hi", fields.negate_high)] {
        if mask != 0 {
            write!(text, " {name}:[{}]", list(mask))?;
        }
    }
    text += &result_modifiers(fields.clamp, 0);
    Ok(text)
}

pub(super) fn scale(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> String {
    let fields = scale_fields(words);
    let operands = fields.map(|(code, _)| operand(facts, code, 1, Type::B32, words[2]));
    let mut text = join(line.name, &operands);
    let [low, high] = [0, 1].map(|bit| fields.map(|(_, byte)| (byte >> bit) & 1));
    if low != [0, 0] {
        text += &format!(" op_sel:[{},{}]", low[0], low[1]);
    }
    if high != [1, 1] {
        text += &format!(" op_sel_hi:[{},{}]", high[0], high[1]);
    }
    text
}
