//! LLVM's assembly of VOP3 and VOP3P.

use std::fmt::Write;

use super::decode::bits;
use super::text::{
    Text, bit, is_compare, join, modified, operand, result_modifiers, scalar_operand, short_masks,
    vector,
};
use crate::families::tables::{Entry, Line};
use crate::instruction::LaneOperation;
use crate::operation::{Body, Type};

pub(super) fn long(line: &Line, words: [u32; 3]) -> Text {
    let (word, second) = (words[0], words[1]);
    let to = bits(word, 7, 0);
    let codes = [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ];
    if let Entry::Lane(operation) = line.entry {
        let target = match operation {
            LaneOperation::ReadLane => scalar_operand(to, 1),
            _ => vector(to, 1, false),
        };
        let sources = codes[..2]
            .iter()
            .map(|&code| operand(code, 1, Type::B32, 0));
        let operands: Vec<String> = std::iter::once(target).chain(sources).collect();
        return Ok(join(line.name, &operands));
    }
    let Some((operation, ..)) = line.vector() else {
        return Ok(format!("{}_e64", line.name));
    };
    let number = bits(word, 25, 16);
    let name = if number < 0x1c0 {
        format!("{}_e64", line.name)
    } else {
        line.name.to_owned()
    };
    let mut operands = Vec::new();
    let (mask_before, mask_after) = short_masks(&operation.body);
    let carries = matches!(operation.body, Body::Carry { .. } | Body::WideCarry { .. });
    let has_absolute = !(carries && mask_before);
    if is_compare(&operation.body) {
        operands.push(scalar_operand(to, 2));
    } else {
        operands.push(vector(to, u32::from(operation.to.registers()), false));
        if mask_before {
            operands.push(scalar_operand(bits(word, 14, 8), 2));
        }
    }
    let encoded = operation.from.len() - usize::from(operation.accumulates);
    for (index, &kind) in operation.from[..encoded].iter().enumerate() {
        let text = operand(codes[index], u32::from(kind.registers()), kind, 0);
        let float = kind.is_float() || line.name == "v_dot2c_f32_f16" && kind == Type::P16;
        let absolute = has_absolute && bit(word, 8 + index as u32);
        operands.push(modified(
            text,
            float && bit(second, 29 + index as u32),
            float && absolute,
            false,
        ));
    }
    if mask_after && encoded == 2 {
        operands.push(scalar_operand(codes[2], 2));
    }
    let mut text = join(&name, &operands);
    if selects_halves(line) {
        let select = bits(word, 14, 11);
        let shown = (1 << encoded) - 1;
        if select & (shown | 8) != 0 {
            let list: Vec<String> = (0..encoded)
                .map(|index| (select >> index) & 1)
                .chain(std::iter::once(select >> 3))
                .map(|one| one.to_string())
                .collect();
            write!(text, " op_sel:[{}]", list.join(","))?;
        }
    }
    let clamp = bit(word, 15);
    let output = if has_output_modifier(line, operation.to) {
        bits(second, 28, 27)
    } else {
        0
    };
    text += &result_modifiers(clamp, output);
    Ok(text)
}

/// The instructions whose 16-bit sources and result can be high halves.
fn selects_halves(line: &Line) -> bool {
    let Some((operation, ..)) = line.vector() else {
        return false;
    };
    let long_only = line.number >= 0x1c0;
    let legacy = line.name.contains("legacy");
    long_only && !legacy && operation.from.iter().any(|from| from.is_half())
}

/// Whether LLVM writes the output modifier: of float results, and of these instructions by its own rules.
fn has_output_modifier(line: &Line, to: Type) -> bool {
    let integers = [
        "v_cvt_u32_f64",
        "v_cvt_i32_f64",
        "v_frexp_exp_i32_f64",
        "v_frexp_exp_i32_f32",
        "v_frexp_exp_i16_f16",
    ];
    (to.is_float() && to != Type::M32) || integers.contains(&line.name)
}

pub(super) fn packed(line: &Line, words: [u32; 3]) -> Text {
    let (word, second) = (words[0], words[1]);
    let Some((operation, ..)) = line.vector() else {
        return Ok(line.name.to_owned());
    };
    let to = bits(word, 7, 0);
    let codes = [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ];
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
                &[vector(to, 1, true), operand(codes[0], 1, Type::B32, 0)],
            ));
        }
        _ => {}
    }
    let count = operation.from.len();
    let mixed = line.name.starts_with("v_fma_mix");
    let negate = bits(second, 31, 29);
    let negate_high = bits(word, 10, 8);
    let mut operands = vec![vector(to, u32::from(operation.to.registers()), false)];
    for (index, &kind) in operation.from.iter().enumerate() {
        let text = operand(codes[index], u32::from(kind.registers()), kind, 0);
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
    let mut text = join(line.name, &operands);
    let list = |mask: u32| {
        let items: Vec<String> = (0..count)
            .map(|index| ((mask >> index) & 1).to_string())
            .collect();
        items.join(",")
    };
    let shown = (1 << count) - 1;
    let select = bits(word, 13, 11) & shown;
    let select_high = (bits(second, 28, 27) | (bits(word, 14, 14) << 2)) & shown;
    if select != 0 {
        write!(text, " op_sel:[{}]", list(select))?;
    }
    let bytes = line.name.starts_with("v_dot4") || line.name.starts_with("v_dot8");
    let usual_high = if mixed { 0 } else { shown };
    // Dot products of bytes and nibbles select nothing.
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
    text += &result_modifiers(bit(word, 15), 0);
    Ok(text)
}
