//! LLVM's assembly of VOP3P.

use std::fmt::Write;

use super::vector::lanes;
use super::{AssemblyText, join, modified, operand, result_modifiers, vector};
use crate::families::encoding::{EncodingFacts, Extension, VectorFields};
use crate::families::tables::OpcodeEntry;
use crate::operation::Type;

pub(super) fn packed(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    fields: &VectorFields,
) -> AssemblyText {
    let Some((operation, ..)) = line.vector() else {
        return Ok(line.name.to_owned());
    };
    let (to, codes) = (fields.to, fields.sources);
    let literal = fields.extension.literal();
    match line.name {
        "v_accvgpr_read_b32" => {
            return Ok(join(
                line.name,
                &[vector(to, 1, false), vector(codes[0] & 255, 1, true)],
            ));
        }
        "v_accvgpr_write_b32" => {
            return Ok(join(
                line.name,
                &[
                    vector(to, 1, true),
                    operand(facts, codes[0], 1, Type::B32, 0),
                ],
            ));
        }
        _ => {}
    }
    let count = operation.from.len();
    let mixed = line.name.starts_with("v_fma_mix");
    let negate = u32::from(fields.negate);
    let negate_high = u32::from(fields.negate_high);
    let mut operands = vec![vector(to, u32::from(operation.to.registers()), false)];
    for (index, &kind) in operation.from.iter().enumerate() {
        // A literal may be a half.
        let kind = if mixed { Type::F16 } else { kind };
        let text = operand(
            facts,
            codes[index],
            u32::from(kind.registers()),
            kind,
            literal,
        );
        let text = if mixed {
            modified(
                text,
                (negate >> index) & 1 != 0,
                (negate_high >> index) & 1 != 0,
                false,
            )
        } else {
            text
        };
        operands.push(text);
    }
    let suffix = match fields.extension {
        Extension::Dpp16(_) | Extension::Dpp8 { .. } => "_e64_dpp",
        _ => "",
    };
    let name = format!("{}{suffix}", line.name);
    let mut text = join(&name, &operands);
    let list = |mask: u32| {
        let items: Vec<String> = (0..count)
            .map(|index| ((mask >> index) & 1).to_string())
            .collect();
        items.join(",")
    };
    let shown = (1 << count) - 1;
    let select = u32::from(fields.select) & shown;
    let select_high = u32::from(fields.select_high) & shown;
    if select != 0 {
        write!(text, " op_sel:[{}]", list(select))?;
    }
    let bytes = line.name.starts_with("v_dot4") || line.name.starts_with("v_dot8");
    let usual_high = if mixed { 0 } else { shown };
    // Dot products of bytes and nibbles have no selection.
    if select_high != usual_high && !bytes {
        write!(text, " op_sel_hi:[{}]", list(select_high))?;
    }
    if !mixed {
        for (name, mask) in [("neg_lo", negate & shown), ("neg_hi", negate_high & shown)] {
            if mask != 0 {
                write!(text, " {name}:[{}]", list(mask))?;
            }
        }
    }
    text += &result_modifiers(fields.clamp, 0);
    text += &lanes(facts, fields.extension);
    Ok(text)
}
