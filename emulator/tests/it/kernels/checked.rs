//! The checker is silent on kernels that are right, and changes nothing of what they do.

use emulator::{CodeObject, FindingKind};

use super::case::{Case, Ready};
use super::target::Target;

/// What the checker rightly says of kernels that hardware runs nonetheless.
const FOUND: [(&str, FindingKind); 1] = [("uneven_barrier", FindingKind::Barrier)];

/// Runs every case with and without the checker.
///
/// # Errors
/// The cases of which it says something else than is expected, or whose results differ.
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
