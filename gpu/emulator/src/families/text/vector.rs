//! LLVM's assembly of VOP1, VOP2, VOPC and VOP3.

use std::fmt::Write;

use super::sdwa_dpp::{dpp8, dpp16, sdwa};
use super::{
    AssemblyText, join, mask_operand, modified, operand, result_modifiers, scalar_operand, vector,
};
use crate::families::encoding::{
    CommonFormat, EncodingFacts, Extension, LITERAL, VectorFields, encoded_sources, has_output,
    has_selection, has_signs, has_suffix, is_compare, lane_sources, masks, selections,
    selects_byte,
};
use crate::families::flags::Flag;
use crate::families::tables::{ImmediateRole, OpcodeEntry, Semantics};
use crate::instruction::{LaneOperation, Words};
use crate::operation::{Type, VectorOperation};

/// The code of VCC.
const VCC: u32 = 106;

/// Returns a source or result: a register with its half, or any other operand.
pub(super) fn half_operand(
    facts: &EncodingFacts,
    fields: &VectorFields,
    index: u32,
    code: u32,
    kind: Type,
) -> String {
    let literal = fields.extension.literal();
    let text = operand(facts, code, u32::from(kind.registers()), kind, literal);
    if facts.true16 && kind.is_half() && code >= 256 {
        let half = if (fields.select >> index) & 1 != 0 {
            "h"
        } else {
            "l"
        };
        format!("{text}.{half}")
    } else {
        text
    }
}

/// Returns the type that LLVM assumes for a source.
fn shown_type(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    index: usize,
    code: u32,
    kind: Type,
) -> Type {
    match line.name {
        // A bfloat16 literal is printed whole.
        "v_cvt_f32_bf16" | "v_dot2_bf16_bf16" if code == LITERAL => Type::B32,
        "v_dot2_bf16_bf16" if index == 2 && code < 256 => Type::B32,
        "v_cvt_pk_f32_fp8" | "v_cvt_pk_f32_bf8" if facts.byte_selections => Type::F16,
        "v_ldexp_f16" => Type::F16,
        "v_cndmask_b16" if facts.true16 => Type::B16,
        "v_cmp_class_f16" | "v_cmpx_class_f16" if facts.true16 => Type::F16,
        _ => kind,
    }
}

/// Returns the text of VOP1, VOP2 and VOPC.
pub(super) fn short(
    format: CommonFormat,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    fields: &VectorFields,
) -> String {
    let Some((operation, ..)) = line.vector() else {
        return short_lane(facts, line, fields);
    };
    let operands = short_operands(format, facts, line, fields, operation);
    let tail = match fields.extension {
        Extension::Sdwa(word) => sdwa(format, line, word),
        extension => lanes(facts, extension),
    };
    let suffix = match fields.extension {
        Extension::Sdwa(_) => "_sdwa",
        // LLVM's table of comparisons has no suffix here.
        Extension::Dpp16(_) | Extension::Dpp8 { .. } if format == CommonFormat::Vopc => "",
        Extension::Dpp16(_) | Extension::Dpp8 { .. } => "_dpp",
        _ if line.immediate.is_some() || line.name == "v_accvgpr_mov_b32" => "",
        _ if facts.short_only.contains(&line.name) => "",
        _ => "_e32",
    };
    let name = format!("{}{suffix}", line.name);
    format!("{}{tail}", join(&name, &operands))
}

/// Returns the text of a DPP word.
pub(super) fn lanes(facts: &EncodingFacts, extension: Extension) -> String {
    match extension {
        Extension::Dpp16(word) => dpp16(facts, word),
        Extension::Dpp8 {
            word,
            fetch_inactive,
        } => dpp8(word, fetch_inactive),
        _ => String::new(),
    }
}

fn short_lane(facts: &EncodingFacts, line: &OpcodeEntry, fields: &VectorFields) -> String {
    let Semantics::Lane(operation) = line.entry else {
        return line.name.to_owned();
    };
    let to = match operation {
        LaneOperation::ReadFirstLane => scalar_operand(facts, fields.to, 1),
        LaneOperation::SwapHalf => half_operand(facts, fields, 3, fields.to + 256, Type::B16),
        _ => vector(fields.to, 1, false),
    };
    let literal = fields.extension.literal();
    let from = match operation {
        LaneOperation::SwapHalf => half_operand(facts, fields, 0, fields.sources[0], Type::B16),
        _ => operand(facts, fields.sources[0], 1, Type::B32, literal),
    };
    let suffix = if has_suffix(operation) { "_e32" } else { "" };
    join(&format!("{}{suffix}", line.name), &[to, from])
}

fn short_operands(
    format: CommonFormat,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    fields: &VectorFields,
    operation: &VectorOperation,
) -> Vec<String> {
    let kind = |index: usize| {
        let kind = operation.from.get(index).copied().unwrap_or(Type::B32);
        shown_type(facts, line, index, fields.sources[index], kind)
    };
    let (mask_before, mask_after) = masks(&operation.body);
    let compare = is_compare(&operation.body);
    let sets_exec = line.vector().is_some_and(|(_, _, sets_exec)| sets_exec);
    let plain = matches!(fields.extension, Extension::None | Extension::Literal(_));
    let accumulation = line.name == "v_accvgpr_mov_b32";
    let mut operands = Vec::new();
    if !compare {
        operands.push(if accumulation {
            vector(fields.to, 1, true)
        } else {
            half_operand(facts, fields, 3, fields.to + 256, operation.to)
        });
    }
    if mask_before && !(sets_exec && facts.cmpx_sets_exec_only) {
        operands.push(mask_operand(facts, fields.mask.unwrap_or(VCC)));
    }
    let source = |index: usize| {
        let code = fields.sources[index];
        let text = half_operand(facts, fields, index as u32, code, kind(index));
        let set = |mask: u8| !plain && (mask >> index) & 1 != 0;
        // In LLVM, the SDWA word of this instruction has no modifiers.
        let plain_part =
            line.name == "v_pk_fmac_f16" && matches!(fields.extension, Extension::Sdwa(_));
        let signs = has_signs(facts, line, operation, index) && !plain_part;
        let (negate, absolute) = (signs && set(fields.negate), signs && set(fields.absolute));
        let extend = !plain_part && set(fields.extend);
        modified(text, negate, absolute, extend)
    };
    operands.push(if accumulation {
        match source(0).strip_prefix('v') {
            Some(register) if fields.sources[0] >= 256 => format!("a{register}"),
            _ => source(0),
        }
    } else {
        source(0)
    });
    let immediate = || format!("{:#x}", fields.extension.literal());
    if line.immediate == Some(ImmediateRole::Factor) {
        operands.push(immediate());
    }
    if format != CommonFormat::Vop1 {
        operands.push(source(1));
    }
    if line.immediate == Some(ImmediateRole::Addend) {
        operands.push(immediate());
    }
    if mask_after {
        operands.push(mask_operand(facts, VCC));
    }
    operands
}

/// Returns the text of VOP3.
pub(super) fn long(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
    fields: &VectorFields,
) -> AssemblyText {
    if let Semantics::Lane(operation) = line.entry {
        return Ok(long_lane(facts, line, fields, operation));
    }
    if let Semantics::Uniform(operation) = line.entry {
        return Ok(uniform(facts, line, fields, operation));
    }
    let number = CommonFormat::Vop3.number(words[0]);
    let suffix = match fields.extension {
        _ if line.is(Flag::NoOperands) => "",
        Extension::Dpp16(_) | Extension::Dpp8 { .. } => "_e64_dpp",
        _ if facts.is_short_in_long(number) => "_e64",
        _ => "",
    };
    let name = format!("{}{suffix}", line.name);
    let Some((operation, _, sets_exec)) = line.vector() else {
        return Ok(if line.is(Flag::NoOperands) {
            line.name.to_owned()
        } else {
            name
        });
    };
    let mut operands = Vec::new();
    let (mask_before, mask_after) = masks(&operation.body);
    if is_compare(&operation.body) {
        if !(sets_exec && facts.cmpx_sets_exec_only) {
            operands.push(mask_operand(facts, fields.to));
        }
    } else {
        let to = fields.to + 256;
        operands.push(half_operand(facts, fields, 3, to, operation.to));
        if mask_before {
            operands.push(mask_operand(facts, fields.mask.unwrap_or(VCC)));
        }
    }
    let encoded = encoded_sources(operation);
    for (index, &kind) in operation.from[..encoded].iter().enumerate() {
        let kind = shown_type(facts, line, index, fields.sources[index], kind);
        let text = half_operand(facts, fields, index as u32, fields.sources[index], kind);
        let signs = has_signs(facts, line, operation, index);
        let set = |mask: u8| signs && (mask >> index) & 1 != 0;
        operands.push(modified(
            text,
            set(fields.negate),
            set(fields.absolute),
            false,
        ));
    }
    if mask_after && encoded == 2 {
        let kind = if facts.lanes == 64 {
            Type::B64
        } else {
            Type::B32
        };
        let literal = fields.extension.literal();
        let code = fields.sources[2];
        operands.push(operand(facts, code, facts.mask_registers(), kind, literal));
    }
    let mut text = join(&name, &operands);
    if line.is(Flag::TruthTable) && fields.truth_table() != 0 {
        write!(text, " bitop3:{}", truth_table(fields.truth_table()))?;
    }
    let select = fields.select & selections(facts, line, number);
    if select != 0 {
        // Comparisons without a result have only two selections.
        let result = (!line.name.starts_with("v_cmpx_")).then_some(select >> 3);
        // The accumulator counts as a source.
        let encoded = encoded + usize::from(line.name == "v_fmac_f16");
        let list: Vec<String> = (0..encoded)
            .map(|index| (select >> index) & 1)
            .chain(result)
            .map(|one| one.to_string())
            .collect();
        write!(text, " op_sel:[{}]", list.join(","))?;
    }
    if selects_byte(facts, line) && fields.select & 3 != 0 {
        // The encoding swaps the bits of the byte's number.
        let byte = (fields.select & 1) << 1 | (fields.select >> 1 & 1);
        write!(text, " byte_sel:{byte}")?;
    }
    let output = if has_output(line, operation) && !line.is(Flag::TruthTable) {
        fields.output
    } else {
        0
    };
    text += &result_modifiers(fields.clamp, output);
    text += &lanes(facts, fields.extension);
    Ok(text)
}

/// Returns numbers up to 10 in decimal, others in hexadecimal.
fn truth_table(table: u8) -> String {
    if table <= 10 {
        table.to_string()
    } else {
        format!("{table:#x}")
    }
}

fn long_lane(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    fields: &VectorFields,
    operation: LaneOperation,
) -> String {
    let target = match operation {
        LaneOperation::ReadLane => scalar_operand(facts, fields.to, 1),
        _ => vector(fields.to, 1, false),
    };
    let literal = fields.extension.literal();
    let sources = fields.sources[..lane_sources(operation)]
        .iter()
        .map(|&code| operand(facts, code, 1, Type::B32, literal));
    let operands: Vec<String> = std::iter::once(target).chain(sources).collect();
    let suffix = if has_suffix(operation) { "_e64" } else { "" };
    let select = match operation {
        _ if has_selection(operation) && fields.select & 3 != 0 => {
            format!(" op_sel:[{},{}]", fields.select & 1, fields.select >> 1 & 1)
        }
        LaneOperation::PermLane16Swap | LaneOperation::PermLane32Swap => {
            let set =
                |bit: u8, text: &'static str| if fields.select & bit != 0 { text } else { "" };
            format!("{}{}", set(2, " bound_ctrl:1"), set(1, " fi:1"))
        }
        _ => String::new(),
    };
    join(&format!("{}{suffix}", line.name), &operands) + &select
}

/// Returns the text of an operation on one value in scalar registers.
fn uniform(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    fields: &VectorFields,
    operation: &VectorOperation,
) -> String {
    let literal = fields.extension.literal();
    let from = operand(facts, fields.sources[0], 1, operation.from[0], literal);
    let from = modified(
        from,
        fields.negate & 1 != 0,
        fields.absolute & 1 != 0,
        false,
    );
    let text = join(line.name, &[scalar_operand(facts, fields.to, 1), from]);
    text + &result_modifiers(fields.clamp, fields.output)
}
