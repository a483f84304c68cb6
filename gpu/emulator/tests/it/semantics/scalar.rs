//! Every operation of the scalar unit on edge values and random ones.

use testing::Failed;

use crate::semantics::dialect::Dialect;
use crate::semantics::program::{Kernel, add_constant, execute, load, present};
use crate::semantics::reference::scalar::{IMMEDIATE, Inputs, Scalar};
use crate::semantics::reference::scalar_operations;
use crate::semantics::support::Random;
use crate::semantics::values::Kind;

/// Number of cases of each operation.
const CASES: usize = 192;
/// Input bytes of a case: a, b, the old destination, EXEC. Bit 63 of the last is SCC.
const INPUT: usize = 32;
/// Result bytes of a case: destination, SCC, EXEC.
const OUTPUT: usize = 32;
/// Registers of the operands.
const A: u32 = 20;
const B: u32 = 22;
const TO: u32 = 26;

fn instruction(operation: &Scalar, name: &str) -> String {
    let mut operands = Vec::new();
    if operation.to > 0 {
        operands.push(Dialect::scalars(TO, operation.to));
    }
    for (&count, first) in operation.from.iter().zip([A, B]) {
        operands.push(Dialect::scalars(first, count));
    }
    let with_immediate = ["s_movk", "s_cmovk", "s_addk", "s_mulk", "s_cmpk"];
    if with_immediate.iter().any(|begin| name.starts_with(begin)) {
        operands.push(format!("{:#x}", IMMEDIATE as u16));
    }
    add_constant(name, &mut operands);
    format!("{name} {}", operands.join(", "))
}

/// Returns the code around one instruction: its inputs are at byte 0 of s[4:5], its results at
/// byte 0 of s[6:7].
fn block(dialect: Dialect, instruction: &str) -> String {
    let mut text = String::new();
    text += &dialect.scalar_load(4, A, 4, 0);
    text += &dialect.scalar_load(4, 24, 4, 16);
    text += dialect.wait();
    text += "s_mov_b64 s[28:29], s[26:27]\n";
    text += &format!("s_mov_b64 s[{TO}:{}], s[24:25]\n", TO + 1);
    // SCC comes from the lowest bit of b: any bit will do.
    text += "s_bitcmp1_b32 s22, 0\n";
    text += "s_mov_b64 s[30:31], exec\n";
    text += &format!(
        "s_mov_{} {}, {}\n",
        dialect.mask_bits(),
        dialect.exec(),
        dialect.mask(28)
    );
    text += instruction;
    text += "\ns_cselect_b32 s34, 1, 0\n";
    text += &format!(
        "s_mov_{} {}, {}\n",
        dialect.mask_bits(),
        dialect.mask(32),
        dialect.exec()
    );
    text += "s_mov_b64 exec, s[30:31]\n";
    if dialect.wave32 {
        text += "s_mov_b32 s33, 0\n";
    }
    text += "v_mov_b32 v2, 0\n";
    for (register, scalar) in [(4, TO), (5, TO + 1), (6, 34), (8, 32), (9, 33)] {
        text += &format!("v_mov_b32 v{register}, s{scalar}\n");
    }
    text += "v_mov_b32 v7, 0\n";
    for (register, offset) in [(4, 0), (6, 8), (8, 16)] {
        text += &dialect.store(2, register, 2, 6, offset);
    }
    text += &dialect.advance(4, &format!("{INPUT}"));
    text += &dialect.advance(6, &format!("{OUTPUT}"));
    text
}

/// Returns the kernel of all operations, with the operations and their texts.
pub(crate) fn kernel(dialect: Dialect) -> Kernel<&'static Scalar> {
    // EXEC is as wide as a wave.
    let other_width = if dialect.wave32 {
        "exec_b64"
    } else {
        "exec_b32"
    };
    let all: Vec<(&Scalar, String)> = scalar_operations()
        .flat_map(|operation| operation.names.iter().map(move |name| (operation, name)))
        .filter(|(_, name)| !name.ends_with(other_width) && !dialect.renames(name))
        .map(|(operation, name)| (operation, instruction(operation, name)))
        .collect();
    let present = present(dialect, all, |(_, text)| text, 100)?;
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
    let output = OUTPUT * present.len();
    let mut random = Random(11);
    let cases: Vec<Inputs> = (0..CASES * present.len())
        .map(|index| {
            let operation = present[index % present.len()].0;
            let mut value = |source: usize| {
                if operation.from.get(source) == Some(&2) {
                    return Kind::B64.value(&mut random);
                }
                let (kind, noise) = (operation.source, random.next());
                let value = kind.value(&mut random) & kind.mask() | noise & !kind.mask();
                value & 0xffff_ffff
            };
            let (a, b) = (value(0), value(1));
            let exec = Kind::B64.value(&mut random)
                & if dialect.wave32 {
                    0xffff_ffff
                } else {
                    u64::MAX
                };
            Inputs {
                a,
                b,
                old: (random.next() << 32) | operation.result.value(&mut random) & 0xffff_ffff,
                scc: b & 1 != 0,
                exec,
            }
        })
        .collect();
    let bytes: Vec<u8> = cases
        .iter()
        .flat_map(|x| [x.a, x.b, x.old, x.exec])
        .flat_map(u64::to_le_bytes)
        .collect();
    let results = execute(&code, CASES, &bytes, output * CASES)?;
    let mut wrong = Vec::new();
    for (index, (inputs, result)) in cases.iter().zip(results.chunks_exact(OUTPUT)).enumerate() {
        let (operation, text) = &present[index % present.len()];
        let word =
            |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| result[8 * at + byte]));
        let expected = (operation.value)(inputs);
        let to = match operation.to {
            1 => (expected.to & 0xffff_ffff) | (inputs.old & !0xffff_ffff),
            _ => expected.to,
        };
        let to = if operation.to == 0 { inputs.old } else { to };
        let found = (word(0), word(1) != 0, word(2));
        let right = operation.to != 1 && found.0 == to
            || found.0 >> 32 == to >> 32
                && operation.accuracy.accepts(
                    operation.result,
                    found.0 & 0xffff_ffff,
                    to & 0xffff_ffff,
                );
        if !right || (found.1, found.2) != (expected.scc, expected.exec) {
            wrong.push(format!(
                "{text}: a {:#x} b {:#x} old {:#x} scc {} exec {:#x}: {found:x?}, not {:x?}",
                inputs.a,
                inputs.b,
                inputs.old,
                inputs.scc,
                inputs.exec,
                (to, expected.scc, expected.exec)
            ));
        }
    }
    crate::semantics::judge(&wrong, cases.len())
}
