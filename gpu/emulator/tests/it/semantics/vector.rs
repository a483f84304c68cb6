//! Every operation of the vector unit on edge values and random ones.

use emulator::Isa;
use testing::Failed;

use crate::semantics::dialect::Dialect;
use crate::semantics::program::{Kernel, add_constant, execute, load, present};
use crate::semantics::reference::{Form, Lane, Vector, operations};
use crate::semantics::support::Random;
use crate::semantics::values::Kind;

/// Workgroups of 64 cases for each operation.
const WORKGROUPS: usize = 8;
/// Input bytes of an operation: three sources and the old destination of 64 items. Bit 0 of the
/// old destination is the item's bit of VCC.
const INPUT: usize = 4 * 64 * 8;
/// Result bytes of an operation: the destination, and a word with the bits of VCC and EXEC.
const OUTPUT: usize = 2 * 64 * 8;
/// Registers of the sources and the destination.
const FROM: [u32; 3] = [2, 4, 6];
const TO: u32 = 10;

fn register(kind: Kind, first: u32, halves: bool) -> String {
    match kind.registers() {
        1 if halves && kind.is_16() => format!("v{first}.l"),
        1 => format!("v{first}"),
        count => format!("v[{first}:{}]", first + count - 1),
    }
}

/// Returns one instruction; its 16-bit operands may be halves of registers.
fn instruction(dialect: Dialect, operation: &Vector, name: &str, halves: bool) -> String {
    let vcc = dialect.vcc().to_owned();
    let to = register(operation.to, TO, halves);
    let mut operands = match operation.form {
        Form::Plain | Form::Select => vec![to],
        Form::CarryOut | Form::CarryInOut => vec![to, vcc.clone()],
        Form::Compare => vec![vcc.clone()],
        Form::CompareExec if dialect.isa < Isa::Gfx1030 => vec![vcc.clone()],
        Form::CompareExec | Form::Sequence(_) => vec![],
    };
    operands.extend(
        operation
            .from
            .iter()
            .zip(FROM)
            .map(|(kind, first)| register(*kind, first, halves)),
    );
    add_constant(name, &mut operands);
    if matches!(operation.form, Form::Select | Form::CarryInOut) {
        operands.push(vcc);
    }
    format!("{name} {}{}", operands.join(", "), operation.with)
}

/// Returns the assembler's variants of an operation: with halves of registers or without, alone
/// or beside a move.
fn instructions(dialect: Dialect, operation: &Vector, name: &str) -> Vec<String> {
    if let Form::Sequence(lines) = operation.form {
        let again = "v_and_b32 v14, 1, v8\nv_cmp_eq_u32 VCC, 1, v14";
        let text = format!("{}\n{again}", lines.join("\n"));
        return vec![text.replace("VCC", dialect.vcc())];
    }
    let mut all = Vec::new();
    if dialect.isa >= Isa::Gfx1100 {
        all.push(instruction(dialect, operation, name, true));
    }
    all.push(instruction(dialect, operation, name, false));
    // The index of a bit may be a whole register even if the value is a half.
    all.dedup();
    if let (true, true, Some(base)) = (
        dialect.isa >= Isa::Gfx1100,
        dialect.wave32,
        name.strip_prefix("v_"),
    ) {
        let dual = instruction(dialect, operation, &format!("v_dual_{base}"), false);
        // VCC is implicit if it is the only choice.
        let dual = dual.trim_end_matches(", vcc_lo");
        all.push(format!("{dual} :: v_dual_mov_b32 v15, v7"));
        all.push(format!("v_dual_mov_b32 v15, v7 :: {dual}"));
    }
    all
}

/// Returns the code around one instruction.
fn block(dialect: Dialect, instruction: &str) -> String {
    let mut text = String::new();
    for (index, register) in [2, 4, 6, 8].into_iter().enumerate() {
        text += &dialect.load_two(register, 1, 4, 512 * index as u32);
    }
    text += dialect.wait();
    text += "v_and_b32 v12, 1, v8\n";
    text += &format!("v_cmp_eq_u32 {}, 1, v12\n", dialect.vcc());
    text += "v_mov_b32 v10, v8\nv_mov_b32 v11, v9\n";
    text += instruction;
    let (bits, mask) = (dialect.mask_bits(), dialect.mask(20));
    text += &format!(
        "\ns_mov_{bits} {mask}, {}\ns_mov_{bits} {}, -1\n",
        dialect.exec(),
        dialect.exec()
    );
    text += &format!(
        "v_cndmask_b32 v12, 0, 1, {}\nv_cndmask_b32 v13, 0, 1, {mask}\n",
        dialect.vcc()
    );
    text += &dialect.store(2, TO, 1, 6, 0);
    text += &dialect.store(2, 12, 1, 6, 512);
    text += &dialect.advance(4, &format!("{INPUT:#x}"));
    text += &dialect.advance(6, &format!("{OUTPUT:#x}"));
    text
}

/// Returns the possible instructions of the instruction set.
fn candidates(dialect: Dialect) -> Vec<(&'static Vector, String)> {
    operations()
        .flat_map(|operation| operation.names.iter().map(move |name| (operation, *name)))
        .filter(|(_, name)| !dialect.renames(name))
        .flat_map(|(operation, name)| {
            instructions(dialect, operation, name)
                .into_iter()
                .map(move |text| (operation, text))
        })
        .collect()
}

/// Returns the kernel of all operations, with the operations and their texts.
pub(crate) fn kernel(dialect: Dialect) -> Kernel<&'static Vector> {
    let present = present(dialect, candidates(dialect), |(_, text)| text, 350)?;
    let body: String = present
        .iter()
        .map(|(_, text)| block(dialect, text))
        .collect();
    let (input, output) = (INPUT * present.len(), OUTPUT * present.len());
    let code = load(dialect, &dialect.kernel(input, output, 0, &body))?;
    Ok((code, present))
}

pub(crate) fn check(dialect: Dialect) -> Result<(), Failed> {
    let (code, present) = kernel(dialect)?;
    let (input, output) = (INPUT * present.len(), OUTPUT * present.len());
    let mut random = Random(7);
    let mut inputs = vec![0; input * WORKGROUPS];
    for (operation, bytes) in inputs.chunks_exact_mut(INPUT).enumerate() {
        let operation = present[operation % present.len()].0;
        for (index, word) in bytes.chunks_exact_mut(8).enumerate() {
            let kind = match index / 64 {
                // The accumulator has the result's type.
                3 => operation.to,
                source => operation.from.get(source).copied().unwrap_or(Kind::B64),
            };
            // Random bits above a source must not matter.
            let noise = random.next() & !kind.mask();
            word.copy_from_slice(&(kind.value(&mut random) & kind.mask() | noise).to_le_bytes());
        }
    }
    let results = execute(&code, WORKGROUPS, &inputs, output * WORKGROUPS)?;
    let mut wrong = Vec::new();
    for (index, (inputs, results)) in inputs
        .chunks_exact(INPUT)
        .zip(results.chunks_exact(OUTPUT))
        .enumerate()
    {
        let (operation, text) = &present[index % present.len()];
        for item in 0..64 {
            let word = |bytes: &[u8], at: usize| {
                u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 * at + byte]))
            };
            let source = |k: usize| {
                let kind = operation.from.get(k).copied().unwrap_or(Kind::B64);
                word(inputs, 64 * k + item) & kind.mask()
            };
            let old = word(inputs, 192 + item);
            let lane = Lane {
                from: [source(0), source(1), source(2)],
                old: old
                    & if operation.to.mask() == u64::MAX {
                        u64::MAX
                    } else {
                        0xffff_ffff
                    },
                vcc: old & 1 != 0,
                isa: dialect.isa,
            };
            let (to, flags) = (word(results, item), word(results, 64 + item));
            if let Err(expected) = judge(dialect, operation, &lane, old, to, flags) {
                wrong.push(format!(
                    "{text}: {:x?} old {old:#x}: {to:#x} flags {flags:#x}, not {expected}",
                    lane.from
                ));
            }
        }
    }
    crate::semantics::judge(&wrong, 64 * WORKGROUPS * present.len())
}

/// Compares the results of an instruction with the expected ones.
fn judge(
    dialect: Dialect,
    operation: &Vector,
    lane: &Lane,
    old: u64,
    to: u64,
    flags: u64,
) -> Result<(), String> {
    let left = (operation.value)(lane);
    let writes = !matches!(operation.form, Form::Compare | Form::CompareExec);
    let exec = operation.form != Form::CompareExec || left.vcc;
    let keeps_vcc = operation.form == Form::CompareExec && dialect.isa >= Isa::Gfx1030;
    let vcc = if keeps_vcc { lane.vcc } else { left.vcc };
    let expected_flags = u64::from(vcc) | (u64::from(exec) << 32);
    let expected = format!("{:#x} flags {expected_flags:#x}", left.to);
    if flags != expected_flags {
        return Err(expected);
    }
    if !writes {
        return if to == old {
            Ok(())
        } else {
            Err(format!("the old destination, flags {expected_flags:#x}"))
        };
    }
    let mask = operation.to.mask();
    // The register after the destination stays. The other half of a 16-bit result stays, or
    // becomes 0 on gfx9.
    let beyond = if operation.to.registers() == 1 {
        !0xffff_ffff
    } else {
        0
    };
    let half = 0xffff_ffff & !(mask | beyond);
    let half_right = to & half == old & half || (dialect.isa < Isa::Gfx1030 && to & half == 0);
    if to & beyond != old & beyond || !half_right {
        return Err(format!("{expected} beside what was there"));
    }
    let close = operation
        .accuracy
        .accepts(operation.to, to & mask, left.to & mask);
    if close { Ok(()) } else { Err(expected) }
}
