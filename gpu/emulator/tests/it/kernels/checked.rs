//! The checker is silent on correct kernels, and does not change their results.

use emulator::{CodeObject, FindingKind};

use super::case::{Case, Ready};
use super::target::Target;

/// The correct findings for kernels that hardware runs nonetheless.
const FOUND: [(&str, FindingKind); 1] = [("uneven_barrier", FindingKind::Barrier)];

/// Runs every case with and without the checker.
///
/// # Errors
/// Returns the cases with unexpected findings or different results.
pub(crate) fn check(source: &str, cases: &[Case], target: Target) -> Result<(), String> {
    let code = target.compile(source)?;
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| !target.is_miscompiled(case.kernel))
        .filter_map(|case| {
            let reason = compare(&code, case).err()?;
            Some(format!("{}: {reason}", case.kernel))
        })
        .collect();
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} of {}:\n{}", cases.len(), wrong.join("\n"))),
    }
}

fn compare(code: &CodeObject, case: &Case) -> Result<(), String> {
    let (mut plain, mut checked) = (Ready::new(code, case)?, Ready::new(code, case)?);
    plain.run()?;
    checked.undefine_outputs();
    let findings = checked.check()?;
    let expected = FOUND.iter().filter(|(kernel, _)| *kernel == case.kernel);
    let expected: Vec<FindingKind> = expected.map(|(_, kind)| *kind).collect();
    if findings.iter().map(|one| one.kind).ne(expected) {
        let list: Vec<String> = findings.iter().map(|one| format!("\n    {one}")).collect();
        return Err(format!("{} findings{}", list.len(), list.concat()));
    }
    match plain.buffers().eq(checked.buffers()) {
        true => Ok(()),
        false => Err("its results differ with the checker on".into()),
    }
}
