//! What is exported: of all that is known for a target, the configurations that make a tuning spec.
//!
//! A problem that was tuned has its best configuration there. Where none is better than what IREE does unasked, that is what
//! stands there: what was tried is what is compiled, and each tuned operation has its mark. `stand_in` is for what was not tuned,
//! `ranges` for all shapes between tuned ones, and `versions` says whose spec it is.

mod choice;
mod ranges;
mod stand_in;
mod unsplit_fallback;
mod versions;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use configgen::spec::{Spec, SpecEntry, SpecError};
use configgen::{ElementType, Generator, IREE_RULES_OF, Problem, Target};
use store::{Catalogue, StoreError, Ties, Unreadable};

use crate::advice;
use crate::ranking::{Ranking, all_rankings};
use choice::Choice;
pub use ranges::{PendingSample, Ranges, ranges};
use versions::{only_compiler, others};

/// What is to be exported.
#[derive(Debug, Clone)]
pub struct SpecSelection<'a> {
    /// The ISA; a spec is for one.
    pub target: &'static Target,
    /// The problems; all where there are none.
    pub problems: &'a [Problem],
    /// Only what was tuned on the device with this name.
    pub device: Option<&'a str>,
    /// Only what was tuned with this version of the compiler.
    pub compiler_version: Option<&'a str>,
    /// The version of the compiler that takes the spec, where it is known: what was tuned with another one is refused, unless
    /// `compiler_version` asks for it. Where it is not, it is that of our rules.
    pub taking: Option<&'a str>,
    /// Which index is wanted where elements tie.
    pub ties: Ties,
    /// Problems that get a configuration where they were not tuned, unless iree-compile is best left alone with them. What is
    /// in `problems` and was not tuned has to be here, too.
    pub stand_ins: &'a [Problem],
    /// What of ranges is decided, where a spec is to have some.
    pub ranges: Option<&'a Ranges>,
}

/// What there is to export.
#[derive(Debug)]
pub struct Export {
    /// The spec, or why there is none.
    pub spec: Result<ExportedSpec, String>,
    /// Problems that are left out: nothing is better than what their iree-compile does unasked, and what that is, is not known,
    /// or would be done to operations that it does otherwise.
    pub left_out: usize,
    /// Problems that were not tuned, and are left to what iree-compile does unasked.
    pub unasked: usize,
    /// Problems that are left out, as they differ from another in the range of their counts alone, which no matcher knows.
    pub other_ranges: usize,
    /// Problems that are left out, as no matcher finds their comparator: it has constants.
    pub unmatched: usize,
    /// What could not be read.
    pub unreadable: Unreadable,
}

/// A spec.
#[derive(Debug)]
pub struct ExportedSpec {
    /// Its text.
    pub text: String,
    /// The file that makes iree-compile split rows, where the best configurations of operations do: without it, the spec has
    /// others for these.
    pub splits: Option<String>,
    /// Its configurations.
    pub entries: usize,
    /// Those of them that are of problems that were not tuned.
    pub stand_ins: usize,
    /// Its ranges, beside these.
    pub ranges: usize,
    /// Those of them that are of elements of f64.
    pub of_f64: usize,
}

/// Why nothing can be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// What is known was made with several versions of the compiler, and a spec is for one.
    #[error("configurations of several compilers are known: \"{}\"", .0.join("\", \""))]
    Compilers(Vec<String>),
    /// What is known was made with another version than takes the spec.
    #[error("what is known was tuned with iree-compile {known}, and this is for {taking}")]
    AnotherCompiler {
        /// The version that it was tuned with.
        known: String,
        /// That which takes the spec.
        taking: String,
    },
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
    wanted: &SpecSelection<'_>,
) -> Result<Export, ExportError> {
    let known = all_rankings(catalogue, wanted.ties, unsplit_fallback::DEPTH).await?;
    let mut rankings = known.rows;
    rankings.retain(|ranking| wanted.means(ranking));
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
    let version = version.as_deref().or(wanted.compiler_version);
    let version = version.unwrap_or(IREE_RULES_OF[0]);
    let compiler = match only_compiler(&rankings, wanted)? {
        Some(compiler) => compiler,
        None => format!("iree-compile {version}"),
    };
    let mut choices: BTreeMap<&Problem, Choice> = BTreeMap::new();
    let mut best = best_of_each(&rankings, wanted.ties);
    let known = best.len();
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
                "no matcher finds a comparator that has constants".to_owned()
            }
            (0, _, Some(others)) => others,
            (0, 0, None) => wanted.advice(&EXAMPLE.parse().expect("it is a problem")),
            (0, _, None) => "nothing is known, and iree-compile does best by itself".to_owned(),
            _ => "iree-compile does by itself what is best of what is known".to_owned(),
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

    /// Of what is meant, whether it is of the version that is asked for.
    fn takes(&self, ranking: &Ranking) -> bool {
        let version = &ranking.provenance.compiler_version;
        (self.compiler_version).is_none_or(|wanted| wanted == version)
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

/// A problem that the generator takes, for advice where none is named.
const EXAMPLE: &str = "argmax:4x[4096]xf32";

/// Of each problem the ranking to trust.
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

/// Whether two problems differ in the range of their counts at most, which no matcher knows.
fn is_one_operation(one: &Problem, other: &Problem) -> bool {
    one == other || one.of_any_count() == other.of_any_count()
}

/// Whether a spec reaches a problem's operation.
fn is_reached(problem: &Problem) -> bool {
    Generator::IREE.why_unreached(problem).is_none()
}

/// Of problems that are one operation, as their counts are known at launch only, the one whose range reaches the furthest.
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
