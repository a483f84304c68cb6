//! Every executed operation of an instruction set is compared with a reference, or listed here
//! with the reason.

use std::collections::BTreeSet;

use emulator::{CodeObject, Instruction, Isa};
use testing::Failed;

use crate::semantics::dialect::Dialect;
use crate::semantics::{lanes, lds, matrices, scalar, vector};

/// Operations that other tests check, by the beginnings of names.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "control flow and the program counter: the kernels of clang, which branch and call",
        &[
            "s_branch",
            "s_cbranch",
            "s_call",
            "s_getpc",
            "s_setpc",
            "s_swappc",
        ],
    ),
    (
        "hardware registers, waits and messages: unit tests of execute, the checker's kernels",
        &[
            "s_getreg",
            "s_setreg",
            "s_waitcnt",
            "s_sendmsg_rtn",
            "s_version",
            "s_sleep",
            "s_set_gpr_idx",
        ],
    ),
    (
        "the factors of a product: unit tests of execute",
        &["v_mfma_ld_scale_b32"],
    ),
    (
        "transposing reads: unit tests of execute",
        &["ds_read_b64_tr_", "ds_read_b96_tr_"],
    ),
    (
        "nothing to compare",
        &["v_nop", "v_clrexcp", "v_pipeflush", "ds_nop"],
    ),
    (
        "relative registers: unit tests of execute",
        &["s_movrel", "v_movrel", "v_swaprel"],
    ),
];

/// Formats of computing instructions: fixed bits, first bit and width of the number, first and
/// last family.
const FORMATS: &[(u32, u32, u32, Isa, Isa)] = &[
    (0xbe80_0000, 8, 8, Isa::Gfx906, Isa::Gfx1201),
    (0xbf00_0000, 16, 7, Isa::Gfx906, Isa::Gfx1201),
    (0xb000_0000, 23, 5, Isa::Gfx906, Isa::Gfx1201),
    (0x8000_0000, 23, 7, Isa::Gfx906, Isa::Gfx1201),
    (0x7e00_0000, 9, 8, Isa::Gfx906, Isa::Gfx1201),
    (0x7c00_0000, 17, 8, Isa::Gfx906, Isa::Gfx1201),
    (0x0000_0000, 25, 6, Isa::Gfx906, Isa::Gfx1201),
    (0xd000_0000, 16, 10, Isa::Gfx906, Isa::Gfx950),
    (0xd380_0000, 16, 7, Isa::Gfx906, Isa::Gfx950),
    (0xd800_0000, 17, 8, Isa::Gfx906, Isa::Gfx950),
    (0xd400_0000, 16, 10, Isa::Gfx1030, Isa::Gfx1201),
    (0xcc00_0000, 16, 7, Isa::Gfx1030, Isa::Gfx1201),
    (0xd800_0000, 18, 8, Isa::Gfx1030, Isa::Gfx1201),
];

/// Returns the names of the instructions that an instruction set executes.
fn executed(isa: Isa) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    for &(fixed, bit, bits, first, last) in FORMATS {
        if isa < first || isa > last {
            continue;
        }
        for number in 0..1 << bits {
            // Each instruction accepts some of these operands.
            for [low, second] in [
                [0, 0],
                [0x100, 0x0402_0500],
                [0x102, 0x0000_0102],
                [0x102, 0x0000_0002],
                [0, 0x0402_0402],
            ] {
                let low = low & ((1 << bit) - 1);
                let one = Instruction::decode(isa, 0, [fixed | (number << bit) | low, second, 0]);
                if one.refusal().is_none() {
                    names.insert(one.name());
                }
            }
        }
    }
    names
}

fn names(code: &CodeObject) -> impl Iterator<Item = &'static str> {
    code.kernels()
        .iter()
        .flat_map(|kernel| code.instructions(kernel))
        .map(Instruction::name)
}

pub(crate) fn check(isa: Isa) -> Result<(), Failed> {
    let mut compared = BTreeSet::new();
    for dialect in Dialect::all()
        .into_iter()
        .filter(|dialect| dialect.isa == isa)
    {
        compared.extend(names(&vector::kernel(dialect)?.0));
        compared.extend(names(&scalar::kernel(dialect)?.0));
        compared.extend(names(&lds::kernel(dialect)?.0));
        compared.extend(names(&lanes::kernel(dialect)?.0));
        if let Some((code, _)) = matrices::kernel(dialect)? {
            compared.extend(names(&code));
        }
    }
    let executed = executed(isa);
    let elsewhere = |name: &str| {
        ELSEWHERE
            .iter()
            .any(|(_, begins)| begins.iter().any(|begin| name.starts_with(begin)))
    };
    let missing: Vec<&str> = executed
        .difference(&compared)
        .copied()
        .filter(|name| !elsewhere(name))
        .collect();
    if executed.len() < 500 || !missing.is_empty() {
        return Err(format!(
            "of {} instructions are compared with nothing: {}",
            executed.len(),
            missing.join(" ")
        )
        .into());
    }
    Ok(())
}
