//! The compiler of a spec: the version of the trials, which must be the version that takes the
//! spec.
//!
//! The effect of a configuration on another version is unknown. Its compilation may fail, and
//! with it the whole module, or the kernel may be incorrect.

use std::collections::BTreeSet;

use configgen::{Generator, IREE_RULES_OF};

use super::{ExportError, SpecSelection};
use lookup::Ranking;

/// Returns the compiler of all rankings; `None` if there are no rankings.
pub(super) fn only_compiler(
    rankings: &[Ranking],
    wanted: &SpecSelection<'_>,
) -> Result<Option<String>, ExportError> {
    let versions: BTreeSet<&str> = rankings
        .iter()
        .map(|ranking| ranking.provenance.compiler_version.as_str())
        .collect();
    if versions.len() > 1 {
        let versions = versions.into_iter().map(str::to_owned);
        return Err(ExportError::Compilers(versions.collect()));
    }
    let Some(first) = rankings.first().map(|ranking| &ranking.provenance) else {
        return Ok(None);
    };
    let known = &first.compiler_version;
    let taking = wanted.taking.unwrap_or(IREE_RULES_OF[0]);
    // An explicit version is the user's decision.
    if wanted.compiler_version.is_none() && !is_one_version(known, taking) {
        return Err(ExportError::AnotherCompiler {
            known: known.clone(),
            taking: taking.to_owned(),
        });
    }
    Ok(Some(format!("{} {known}", first.compiler)))
}

/// Describes the trials of other versions than the requested one, if there are any.
pub(super) fn others(rankings: &[Ranking], wanted: &SpecSelection<'_>) -> Option<String> {
    let asked = wanted.compiler_version?;
    let versions = rankings.iter();
    let versions = versions.map(|ranking| ranking.provenance.compiler_version.as_str());
    let versions: BTreeSet<&str> = versions.filter(|version| *version != asked).collect();
    let known = versions.into_iter().collect::<Vec<&str>>().join(", ");
    (!known.is_empty()).then(|| {
        format!("the known configurations were tuned with iree-compile {known}, and the request is for {asked}")
    })
}

/// Returns whether trials of one version are valid for the other: a release candidate counts as
/// its release.
fn is_one_version(one: &str, other: &str) -> bool {
    let are_of_rules = |version: &&str| Generator::IREE.doubt(version).is_none();
    one == other || [one, other].iter().all(are_of_rules)
}

#[test]
fn candidates_are_of_their_release() {
    for (one, other, expected) in [
        ("3.13.0", "3.13.0", true),
        ("3.13.0", "3.13.0rc20261016", true),
        ("3.13.0", "3.14.0", false),
        ("3.14.0rc1", "3.14.0", false),
        ("3.14.0", "3.14.0", true),
    ] {
        assert_eq!(is_one_version(one, other), expected, "{one} {other}");
        assert_eq!(is_one_version(other, one), expected, "{other} {one}");
    }
}
