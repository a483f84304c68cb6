//! Export: the known configurations of a target as a tuning spec.
//!
//! A tuned problem has its best configuration in the spec. If none is better than IREE's own
//! default, the spec has that default. The compiled code is then the code that was tried, and
//! each tuned operation has its mark. `stand_in` chooses configurations for untuned problems,
//! `ranges` for all shapes between tuned ones, and `versions` checks the compiler's version.

mod choice;
mod ranges;
mod stand_in;
mod unsplit_fallback;
mod versions;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use configgen::{ElementType, Generator, IREE_RULES_OF, Problem, Target};
use iree::spec::{Spec, SpecEntry, SpecError};
use store::{Catalogue, StoreError, Ties, Unreadable};

use choice::Choice;
use lookup::advice;
use lookup::{Ranking, all_rankings};
pub use ranges::{PendingSample, Ranges, ranges};
use versions::{only_compiler, others};

/// The selection of an export.
#[derive(Debug, Clone)]
pub struct SpecSelection<'a> {
    /// The ISA; a spec is for one.
    pub target: &'static Target,
    /// The problems; empty for all.
    pub problems: &'a [Problem],
    /// The name of the device of the trials.
    pub device: Option<&'a str>,
    /// The version of the trials' compiler.
    pub compiler_version: Option<&'a str>,
    /// The version of the compiler that takes the spec, if it is known; otherwise the version of
    /// our rules. Trials of another version are an error, unless `compiler_version` asks for it.
    pub taking: Option<&'a str>,
    /// The tie-break.
    pub ties: Ties,
    /// Problems that get a configuration without a trial, unless iree-compile does best by
    /// itself. Must contain the untuned ones of `problems`.
    pub stand_ins: &'a [Problem],
    /// The results of the ranges, if the spec is to have some.
    pub ranges: Option<&'a Ranges>,
}

/// The result of an export.
#[derive(Debug)]
pub struct Export {
    /// The spec, or the reason that there is none.
    pub spec: Result<ExportedSpec, String>,
    /// The number of left out problems, for which iree-compile's default is best. That default is
    /// unknown, or the entry would also match operations that iree-compile treats differently.
    pub left_out: usize,
    /// The number of untuned problems left to iree-compile's default.
    pub unasked: usize,
    /// The number of problems left out because they differ from another only in the range of
    /// their counts, which no matcher sees.
    pub other_ranges: usize,
    /// The number of problems left out because no matcher finds a comparator with constants.
    pub unmatched: usize,
    /// The unreadable rows.
    pub unreadable: Unreadable,
}

/// A spec.
#[derive(Debug)]
pub struct ExportedSpec {
    /// The text.
    pub text: String,
    /// The file that makes iree-compile split rows, if the best configurations of some operations
    /// do. Without it, the spec has other configurations for these.
    pub splits: Option<String>,
    /// The number of configurations.
    pub entries: usize,
    /// The number of configurations of untuned problems.
    pub stand_ins: usize,
    /// The number of ranges, beside the configurations.
    pub ranges: usize,
    /// The number of configurations for elements of f64.
    pub of_f64: usize,
}

/// An error of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trials are of several versions of the compiler, and a spec is for one.
    #[error("the database has configurations of several compilers: \"{}\"", .0.join("\", \""))]
    Compilers(Vec<String>),
    /// The trials are of another version than the compiler that takes the spec.
    #[error(
        "the known configurations were tuned with iree-compile {known}, and the export is for {taking}"
    )]
    AnotherCompiler {
        /// The version of the trials.
        known: String,
        /// The version of the compiler that takes the spec.
        taking: String,
    },
    /// The configurations make no spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the tuning spec of a selection.
///
/// # Errors
///
/// [`ExportError`]. An empty database is no error.
pub async fn iree_spec(
    catalogue: &dyn Catalogue,
    wanted: &SpecSelection<'_>,
) -> Result<Export, ExportError> {
    // The rankings are deep enough for a configuration without a split, for compilations without
    // the splits file.
    let known = all_rankings(catalogue, wanted.ties, unsplit_fallback::DEPTH).await?;
    let mut rankings = known.rows;
    rankings.retain(|ranking| wanted.means(ranking));
    // Before the other versions are dropped below, because the advice names them.
    let others = others(&rankings, wanted);
    rankings.retain(|ranking| wanted.takes(ranking));
    let mut export = Export {
        spec: Err(String::new()),
        left_out: 0,
        unasked: 0,
        other_ranges: 0,
        unmatched: 0,
        unreadable: known.unreadable,
    };
    let target = wanted.target;
    let is_known = |problem: &&Problem| {
        rankings
            .iter()
            .any(|it| is_one_operation(&it.problem, problem))
    };
    let mut unknown = wanted.problems.iter().filter(|it| !is_known(it));
    if let Some(problem) = unknown.find(|problem| !wanted.stand_ins.contains(problem)) {
        let advice = wanted.advice(problem);
        export.spec = Err(format!(
            "no iree configuration of {problem} is known for {target} with these options; {advice}"
        ));
        return Ok(export);
    }
    let version = rankings
        .first()
        .map(|it| it.provenance.compiler_version.clone());
    // Without a trial or a request, the version of our rules is the only known one.
    let version = version.as_deref().or(wanted.compiler_version);
    let version = version.unwrap_or(IREE_RULES_OF[0]);
    let compiler = match only_compiler(&rankings, wanted)? {
        Some(compiler) => compiler,
        None => format!("iree-compile {version}"),
    };
    let mut choices: BTreeMap<&Problem, Choice> = BTreeMap::new();
    let mut best = best_of_each(&rankings, wanted.ties);
    let known = best.len();
    // No matcher finds these operations, so their entries would never apply.
    best.retain(|ranking| is_reached(&ranking.problem));
    export.unmatched = known - best.len();
    let operations = widest_of_each(&best);
    export.other_ranges = best.len() - operations.len();
    for ranking in operations {
        match Choice::of(ranking, wanted.ties) {
            Some(choice) => drop(choices.insert(&ranking.problem, choice)),
            None => export.left_out += 1,
        }
    }
    let tuned = choices.len();
    let unknown = wanted.stand_ins.iter().filter(|it| !is_known(it));
    // Problems that differ only in the range of their counts share a matcher, so one stand-in
    // serves all.
    let unknown: BTreeMap<Problem, &Problem> = unknown.map(|it| (it.of_any_count(), it)).collect();
    for problem in unknown.into_values() {
        match stand_in::of(catalogue, problem, target, version, wanted.ties).await? {
            Some(choice) => drop(choices.insert(problem, choice)),
            None => export.unasked += 1,
        }
    }
    if choices.is_empty() {
        let advice = match (export.left_out, export.unasked, others) {
            _ if export.unmatched > 0 => {
                "no matcher can find a comparator with constants".to_owned()
            }
            (0, _, Some(others)) => others,
            (0, 0, None) => wanted.advice(&EXAMPLE.parse().expect("it is a problem")),
            (0, _, None) => {
                "no configuration is known, and IREE's own default is the best choice".to_owned()
            }
            _ => "IREE's own default is the best known configuration".to_owned(),
        };
        export.spec = Err(format!(
            "nothing to export for {target} with these options; {advice}"
        ));
        return Ok(export);
    }
    let split = choices
        .iter()
        .filter(|(_, choice)| unsplit_fallback::is_split(choice));
    let whole = split.filter_map(|(problem, _)| {
        let ranking = best.iter().find(|it| it.problem == **problem);
        Some((
            *problem,
            unsplit_fallback::of(ranking.copied(), problem, target)?,
        ))
    });
    let whole: Vec<(&Problem, Choice)> = whole.collect();
    // Both entries are in the spec: the second matches if iree-compile did not get the splits
    // file.
    let all = choices.iter().map(|(problem, choice)| (*problem, choice));
    let all = all.chain(whole.iter().map(|(problem, choice)| (*problem, choice)));
    let entries = all.map(|(problem, choice)| SpecEntry {
        problem,
        range: None,
        pipeline: &choice.pipeline,
        provenance: &choice.provenance,
    });
    let ranges: Vec<_> = wanted.ranges.iter().flat_map(|it| it.written()).collect();
    let of_ranges = ranges.iter().map(|written| SpecEntry {
        problem: written.range.tuned(),
        range: Some(written.range),
        pipeline: &written.pipeline,
        provenance: &written.provenance,
    });
    let entries: Vec<SpecEntry<'_>> = entries.chain(of_ranges).collect();
    let spec = Spec::new(target, &compiler, &entries)?;
    let of_f64 = |problem: &&&Problem| problem.element == ElementType::F64;
    export.spec = Ok(ExportedSpec {
        text: spec.to_string(),
        splits: spec.splits().map(|splits| splits.to_string()),
        entries: choices.len(),
        stand_ins: choices.len() - tuned,
        ranges: ranges.len(),
        of_f64: choices.keys().filter(of_f64).count(),
    });
    Ok(export)
}

impl SpecSelection<'_> {
    fn means(&self, ranking: &Ranking) -> bool {
        let made = &ranking.provenance;
        !ranking.best.is_empty()
            && made.target == self.target
            && made.generator == Generator::IREE
            && (self.problems.is_empty()
                || (self.problems.iter()).any(|it| is_one_operation(it, &ranking.problem)))
            && self.device.is_none_or(|wanted| wanted == made.device)
    }

    /// Returns whether a selected ranking has the requested version of the compiler.
    fn takes(&self, ranking: &Ranking) -> bool {
        let version = &ranking.provenance.compiler_version;
        (self.compiler_version).is_none_or(|wanted| wanted == version)
    }

    /// Returns the command that finds a configuration of a problem, or the reason that none does.
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

/// A problem that the generator takes, for advice without a named problem.
const EXAMPLE: &str = "argmax:4x[4096]xf32";

/// Returns the most trustworthy ranking of each problem.
fn best_of_each(rankings: &[Ranking], ties: Ties) -> Vec<&Ranking> {
    let mut best: BTreeMap<&Problem, &Ranking> = BTreeMap::new();
    for ranking in rankings {
        let known = best.entry(&ranking.problem).or_insert(ranking);
        if ranking.compare_rankings(known, ties).is_lt() {
            *known = ranking;
        }
    }
    best.into_values().collect()
}

/// Returns whether two problems are equal but for the range of their counts, which no matcher
/// sees.
fn is_one_operation(one: &Problem, other: &Problem) -> bool {
    one == other || one.of_any_count() == other.of_any_count()
}

/// Returns whether a spec can match a problem's operation.
fn is_reached(problem: &Problem) -> bool {
    Generator::IREE.why_unreached(problem).is_none()
}

/// Returns one problem of each operation with counts that only the launch knows: the one with the
/// largest count in its range.
fn widest_of_each<'a>(best: &[&'a Ranking]) -> Vec<&'a Ranking> {
    let range = |ranking: &Ranking| {
        let counts = ranking.problem.shape.counts();
        counts.map(|counts| (*counts.end(), Reverse(*counts.start())))
    };
    let mut widest: BTreeMap<Problem, &Ranking> = BTreeMap::new();
    for &ranking in best {
        let known = widest.entry(ranking.problem.of_any_count());
        let known = known.or_insert(ranking);
        if range(known) < range(ranking) {
            *known = ranking;
        }
    }
    widest.into_values().collect()
}
