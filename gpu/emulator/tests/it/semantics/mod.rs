//! The computations of instructions, against the pseudocode of AMD's manuals written as
//! arithmetic of the host.

mod closeness;
mod coverage;
mod crossings;
mod dialect;
mod functions;
mod lanes;
mod lds;
mod matrices;
mod permutations;
mod program;
mod reference;
mod scalar;
use crate::support;
mod values;
mod vector;

use dialect::Dialect;
use emulator::Isa;
use support::with_llvm;
use testing::{Failed, Trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for dialect in Dialect::all() {
        let name = dialect.name();
        let tools = ["llvm-mc", "ld.lld"];
        trials.push(with_llvm(&format!("scalar_{name}"), &tools, move || {
            scalar::check(dialect)
        }));
        trials.push(with_llvm(&format!("lanes_{name}"), &tools, move || {
            lanes::check(dialect)
        }));
        trials.push(with_llvm(&format!("functions_{name}"), &tools, move || {
            functions::check(dialect)
        }));
        trials.push(with_llvm(&format!("lds_{name}"), &tools, move || {
            lds::check(dialect)
        }));
        trials.push(with_llvm(&format!("matrices_{name}"), &tools, move || {
            matrices::check(dialect)
        }));
        trials.push(with_llvm(&format!("vector_{name}"), &tools, move || {
            vector::check(dialect)
        }));
    }
    for isa in Isa::ALL {
        let tools = ["llvm-mc", "ld.lld"];
        trials.push(with_llvm(&format!("coverage_{isa}"), &tools, move || {
            coverage::check(isa)
        }));
    }
    trials
}

/// Reports differences: a few of each instruction.
fn judge(wrong: &[String], cases: usize) -> Result<(), Failed> {
    if wrong.is_empty() {
        return Ok(());
    }
    // One difference of each instruction is more useful than many of the first.
    let mut shown: Vec<&String> = Vec::new();
    for one in wrong {
        let name = one.split(' ').next();
        if shown.len() < 40
            && shown
                .iter()
                .filter(|other| other.split(' ').next() == name)
                .count()
                < 2
        {
            shown.push(one);
        }
    }
    let shown: Vec<&str> = shown.into_iter().map(String::as_str).collect();
    Err(format!("{} of {cases} differ:\n{}", wrong.len(), shown.join("\n")).into())
}
