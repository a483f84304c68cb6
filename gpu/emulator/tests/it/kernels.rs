//! Kernels compiled by clang 22, against the same source on the host.

mod case;
mod cases;
mod checked;
mod elements;
mod target;
mod values;

use crate::support;

use emulator::Isa;
use support::with_llvm;
use target::Target;
use testing::Trial;

/// The instruction sets with unoptimized code in CI: one of each family.
const ALSO_UNOPTIMISED: [Isa; 4] = [Isa::Gfx942, Isa::Gfx1030, Isa::Gfx1100, Isa::Gfx1201];

type Check = fn(Target) -> Result<(), String>;

/// The sources. One clang call compiles all kernels of one, because compilation takes longer than
/// the kernels.
const CHECKS: [(&str, Check); 3] = [
    ("kernels", |target| {
        case::check(cases::SOURCE, cases::CASES, target)
    }),
    ("checked", |target| {
        checked::check(cases::SOURCE, cases::CASES, target)
    }),
    ("elements", |target| {
        case::check(elements::SOURCE, &elements::cases(), target)
    }),
];

/// Returns true if CI runs the checker: it behaves the same for all instruction sets of a family.
fn is_quickly_checked(target: Target) -> bool {
    target.level == "O3" && ALSO_UNOPTIMISED.contains(&target.isa)
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for level in ["O0", "O1", "O3"] {
        for target in Target::all(level).chain(Target::otherwise(level)) {
            let optimised = level == "O3" && (target.feature.is_none() || target.wave == 32);
            let unoptimised = level == "O0" && ALSO_UNOPTIMISED.contains(&target.isa);
            let quick = optimised || (unoptimised && target.feature.is_none());
            for (name, check) in CHECKS {
                let quick = quick && (name != "checked" || is_quickly_checked(target));
                let prefix = if quick { "" } else { "full: " };
                let test = with_llvm(
                    &format!("{prefix}{name} {target}"),
                    &["clang", "ld.lld"],
                    move || check(target).map_err(Into::into),
                );
                trials.push(match quick {
                    true => test,
                    false => test.with_ignored_flag(true),
                });
            }
        }
    }
    trials
}
