//! What is exported: of all that is known for a target, the configurations that make a tuning spec.

use std::collections::{BTreeMap, BTreeSet};

use configgen::{ElementType, Generator, Problem, Target};
use store::{ANOTHER_INDEX, Catalogue, Status, StoreError, Ties, Unreadable};

use crate::advice;
use crate::merit::{is_behind, is_served};
use crate::ranking::{Ranking, all_rankings};
use crate::spec::{Entry, Spec, SpecError};

/// What is to be exported.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The ISA; a spec is for one.
    pub target: &'static Target,
    /// The problems; all where there are none.
    pub problems: &'a [Problem],
    /// Only what was tuned on the device with this name.
    pub device: Option<&'a str>,
    /// Only what was tuned with this version of the compiler.
    pub compiler_version: Option<&'a str>,
    /// Which index is wanted where elements tie.
    pub ties: Ties,
}

/// What there is to export.
#[derive(Debug)]
pub struct Export {
    /// The spec, or why there is none.
    pub spec: Result<Exported, String>,
    /// Configurations that are left out, as the generator's own default is as good.
    pub left_out: usize,
    /// What could not be read.
    pub unreadable: Unreadable,
}

/// A spec.
#[derive(Debug)]
pub struct Exported {
    /// Its text.
    pub text: String,
    /// Its configurations.
    pub entries: usize,
    /// Those of them that are of elements of f64.
    pub of_f64: usize,
}

/// Why nothing can be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// What is known was made with several versions of the compiler, and a spec is for one.
    #[error("configurations of several compilers are known: \"{}\"", .0.join("\", \""))]
    Compilers(Vec<String>),
    /// They make no spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The tuning spec of what is wanted.
///
/// # Errors
///
/// See [`ExportError`]. That nothing is known is none.
pub async fn iree_spec(
    catalogue: &dyn Catalogue,
    wanted: &Wanted<'_>,
) -> Result<Export, ExportError> {
    let known = all_rankings(catalogue, wanted.ties, 1).await?;
    let mut rankings = known.rows;
    rankings.retain(|ranking| wanted.means(ranking));
    let mut export = Export {
        spec: Err(String::new()),
        left_out: 0,
        unreadable: known.unreadable,
    };
    let target = wanted.target;
    let is_known = |problem: &&Problem| rankings.iter().any(|it| it.problem == **problem);
    if let Some(problem) = wanted.problems.iter().find(|problem| !is_known(problem)) {
        let advice = wanted.advice(problem);
        export.spec = Err(format!(
            "no iree configuration of {problem} is known for {target} with these options; {advice}"
        ));
        return Ok(export);
    }
    let known = rankings.len();
    rankings.retain(|ranking| gains(ranking, wanted.ties));
    export.left_out = known - rankings.len();
    let Some(compiler) = only_compiler(&rankings)? else {
        let advice = match known {
            0 => wanted.advice(&EXAMPLE.parse().expect("it is a problem")),
            _ => "IREE's own default is as fast as all that is known".to_owned(),
        };
        export.spec = Err(format!(
            "nothing to export for {target} with these options; {advice}"
        ));
        return Ok(export);
    };
    export.spec = Ok(exported(
        target,
        &compiler,
        &best_of_each(&rankings, wanted.ties),
    )?);
    Ok(export)
}

/// The spec of the first of each of these.
fn exported(target: &Target, compiler: &str, best: &[&Ranking]) -> Result<Exported, SpecError> {
    let provenances: Vec<String> = best.iter().map(|ranking| provenance(ranking)).collect();
    let entry = |(ranking, provenance)| entry(ranking, provenance);
    let entries: Vec<Entry<'_>> = best.iter().copied().zip(&provenances).map(entry).collect();
    let of_f64 = |entry: &&Entry<'_>| entry.problem.element == ElementType::F64;
    Ok(Exported {
        text: Spec::new(target, compiler, &entries)?.to_string(),
        entries: entries.len(),
        of_f64: entries.iter().filter(of_f64).count(),
    })
}

fn entry<'a>(ranking: &'a Ranking, provenance: &'a String) -> Entry<'a> {
    Entry {
        problem: &ranking.problem,
        configuration: &ranking.best[0].configuration,
        provenance,
    }
}

impl Wanted<'_> {
    fn means(&self, ranking: &Ranking) -> bool {
        let made = &ranking.provenance;
        !ranking.best.is_empty()
            && made.target == self.target
            && made.generator == Generator::IREE
            && (self.problems.is_empty() || self.problems.contains(&ranking.problem))
            && self.device.is_none_or(|wanted| wanted == made.device)
            && (self.compiler_version).is_none_or(|wanted| wanted == made.compiler_version)
    }

    /// What finds a configuration of a problem, or why nothing does.
    fn advice(&self, problem: &Problem) -> String {
        let compiler = match self.compiler_version {
            Some(_) => ", with the iree-compile that `wavetune doctor` shows",
            None => "",
        };
        match advice::tune(problem, self.target, self.device, Generator::IREE) {
            Ok(command) => format!("`{command}` finds one{compiler}"),
            Err(reason) => reason,
        }
    }
}

/// Whether the best configuration beats the default: IREE needs no spec for what it does anyway. One that is right beats one
/// that gives another index on ties, however fast that is, unless any index will do.
fn gains(ranking: &Ranking, ties: Ties) -> bool {
    let served = |status: &Status| is_served(*status, ranking.provenance.generator);
    let default = ranking.default.as_ref().map(|it| it.outcome.status());
    let best_is_behind = is_behind(ranking.best[0].trial.outcome.status(), ties);
    match default.filter(served).map(|it| is_behind(it, ties)) {
        Some(is_default_behind) if is_default_behind != best_is_behind => is_default_behind,
        _ => ranking.speedup().is_none_or(|factor| factor > 1.0),
    }
}

/// A problem that the generator takes, for advice where none is named.
const EXAMPLE: &str = "argmax:4x[4096]xf32";

/// The compiler that all rankings were made with; none if there are no rankings.
fn only_compiler(rankings: &[Ranking]) -> Result<Option<String>, ExportError> {
    let versions: BTreeSet<&str> = rankings
        .iter()
        .map(|ranking| ranking.provenance.compiler_version.as_str())
        .collect();
    if versions.len() > 1 {
        let versions = versions.into_iter().map(str::to_owned);
        return Err(ExportError::Compilers(versions.collect()));
    }
    let first = rankings.first().map(|ranking| &ranking.provenance);
    Ok(first.map(|made| format!("{} {}", made.compiler, made.compiler_version)))
}

/// Of each problem the ranking to trust.
fn best_of_each(rankings: &[Ranking], ties: Ties) -> Vec<&Ranking> {
    let mut best: BTreeMap<&Problem, &Ranking> = BTreeMap::new();
    for ranking in rankings {
        let known = best.entry(&ranking.problem).or_insert(ranking);
        if ranking.is_taken_before(known, ties).is_lt() {
            *known = ranking;
        }
    }
    best.into_values().collect()
}

fn provenance(ranking: &Ranking) -> String {
    let best = &ranking.best[0];
    let on_ties = match best.trial.outcome.status() {
        Status::Tie => format!("; {ANOTHER_INDEX}"),
        _ => String::new(),
    };
    let default = match ranking.default_time_us() {
        Some(default) => format!("{default:.2} us by default"),
        None => "no time by default".to_owned(),
    };
    format!(
        "{:.2} us {} on {}, {default}{on_ties}",
        best.timing.time_us, ranking.provenance.clock, ranking.provenance.device
    )
}
