//! Import: the choice between two rows, and the rows that get new numbers.
//!
//! Every decision depends only on the content of rows, never on a number that one database
//! assigned. The result is therefore the same in either direction between two databases, and in
//! any order among three.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use store::{Finals, Portion, StoreFault, StudyId};

use crate::row::{StudyRow, TrialRow, millis};

/// The effect of an import on a trial of a portion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportDecision {
    /// The trial is new: none has its ordinal.
    Added,
    /// The trial replaces the stored one.
    Replaces {
        /// True if the stored one was another trial, and not the same with fewer samples.
        another: bool,
    },
    /// The trial is already stored.
    Same,
    /// Another trial with the ordinal stays.
    Other,
}

/// Returns the rows of a portion's trials in the order of their ends.
///
/// # Errors
///
/// `Portion`; `Trial`.
pub fn rows_of_portion(study: StudyId, portion: &Portion) -> Result<Vec<TrialRow>, StoreFault> {
    let trials = portion.trials.iter();
    let rows: Result<Vec<_>, _> = trials.map(|trial| TrialRow::new(study, trial)).collect();
    let mut rows = rows?;
    // The database assigns numbers in this order, so that recency follows the ends.
    rows.sort_by(compare);
    Ok(rows)
}

/// Decides the effect of an import on a trial. `known` is the stored trial with its ordinal, if
/// any.
pub fn fate(row: &TrialRow, known: Option<&TrialRow>) -> ImportDecision {
    let Some(known) = known else {
        return ImportDecision::Added;
    };
    let is_one = is_one(row, known);
    match compare(row, known) {
        Ordering::Less => ImportDecision::Replaces { another: !is_one },
        _ if is_one => ImportDecision::Same,
        _ => ImportDecision::Other,
    }
}

/// Returns whether two rows are one trial, possibly with fewer samples in one of them.
fn is_one(one: &TrialRow, other: &TrialRow) -> bool {
    fn made(row: &TrialRow) -> impl PartialEq + '_ {
        (
            (row.started_ms, row.ended_ms, row.input_seed, &row.role),
            (&row.configuration, &row.status, &row.failure),
            row.time_us.map(f64::to_bits),
        )
    }
    made(one) == made(other)
}

/// Orders two trials: the lesser one stays. It ended first, then started first, then has more
/// samples, then has an error. The other columns only make the order total.
fn compare(one: &TrialRow, other: &TrialRow) -> Ordering {
    fn place(row: &TrialRow) -> impl Ord + '_ {
        let samples = row.samples_us.as_deref();
        (
            (row.ended_ms, row.started_ms),
            // Samples are a JSON array, so their number rises with the commas. Pruning leaves one
            // sample.
            Reverse(samples.map_or(0, |samples| samples.matches(',').count())),
            row.error.is_none(),
            (&row.role, &row.configuration, &row.status, &row.failure),
            (&row.message, &row.protocol, samples, row.input_seed),
            [row.time_us, row.compile_ms, row.error].map(|number| number.map(f64::to_bits)),
        )
    }
    place(one).cmp(&place(other))
}

/// The columns of a study that do not identify it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyOpening {
    /// The first opening.
    pub created_ms: i64,
    /// The last opening.
    pub opened_ms: i64,
    /// The bound stated at the first opening.
    pub bound_us: Option<f64>,
}

impl StudyOpening {
    /// Returns the opening in a portion.
    pub fn of(portion: &Portion) -> Self {
        StudyOpening {
            created_ms: millis(portion.first_opened),
            opened_ms: millis(portion.last_opened),
            bound_us: portion.bound_us,
        }
    }

    /// Joins the openings of a study in two databases.
    pub fn join(self, other: StudyOpening) -> StudyOpening {
        // A missing bound sorts last, so that both databases prefer the known one.
        let bits = |it: &StudyOpening| it.bound_us.map_or(u64::MAX, f64::to_bits);
        let place = |it: &StudyOpening| (it.created_ms, bits(it));
        let first = match place(&self) <= place(&other) {
            true => self,
            false => other,
        };
        StudyOpening {
            opened_ms: self.opened_ms.max(other.opened_ms),
            ..first
        }
    }
}

/// A row with a position among others, and its number.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlacedRow {
    /// The end, the first column of the row's position.
    pub ended_ms: i64,
    pub started_ms: i64,
    pub strategy: String,
    pub space: String,
    pub ties: String,
    pub seed: i64,
    /// The ordinal of a trial, or the number of trials of finals.
    pub ordinal: i64,
    /// The tie-break of finals; empty for a trial.
    pub finals_ties: String,
    /// The role of a trial.
    pub role: String,
    pub configuration_hash: Option<String>,
    /// The number that decides recency.
    pub number: i64,
    pub study_id: i64,
}

/// Returns the rows that get new numbers, in their order. Returns none if competing rows already
/// have their order.
pub fn renumbered(rows: Vec<PlacedRow>) -> Vec<PlacedRow> {
    let rows: BTreeSet<PlacedRow> = rows.into_iter().collect();
    let mut classes: BTreeMap<&str, i64> = BTreeMap::new();
    let mut is_ordered = true;
    for row in &rows {
        let configuration = row.configuration_hash.as_deref();
        let default = (row.role == DEFAULT).then_some(DEFAULT);
        // Trials of one configuration compete, and so do all defaults. Rows of other classes are
        // never compared by number.
        for class in [configuration, default].into_iter().flatten() {
            let before = classes.insert(class, row.number);
            is_ordered &= before.is_none_or(|before| before < row.number);
        }
    }
    match is_ordered {
        true => Vec::new(),
        false => rows.into_iter().collect(),
    }
}

/// The role of defaults, which all compete. No hash equals it.
const DEFAULT: &str = "default";

/// Returns the studies that get new numbers, in their order: all of a problem, or none if their
/// order is correct.
pub fn reopened(rows: &[StudyRow]) -> Vec<i64> {
    let mut rows: Vec<&StudyRow> = rows.iter().collect();
    rows.sort_by(|one, other| place_of_study(one).cmp(&place_of_study(other)));
    match rows.is_sorted_by_key(|row| row.opened) {
        true => Vec::new(),
        false => rows.into_iter().map(|row| row.id).collect(),
    }
}

fn place_of_study(row: &StudyRow) -> impl Ord + '_ {
    let part = [
        row.multiprocessors,
        row.clock_mhz,
        row.memory_mib,
        row.memory_clock_mhz,
        row.memory_bits,
    ];
    // The time decides; the identity makes the order total, so that equal times sort alike in all
    // databases.
    (
        row.opened_ms,
        [&row.target, &row.device, &row.part_name, &row.part_isa],
        part,
        [&row.driver, &row.driver_version, &row.runtime_version],
        [&row.kernel_driver_version, &row.model, &row.compiler],
        [&row.compiler_version, &row.linker, &row.generator],
        [&row.generator_version, &row.clock, &row.mode],
        [row.compile_limit_s, row.protocol, row.inputs],
        [&row.strategy, &row.space, &row.ties],
        row.seed,
    )
}

/// Returns whether `finals` replace the stored ones over as many trials.
pub fn is_later(finals: &Finals, known: &Finals) -> bool {
    fn place(finals: &Finals) -> impl Ord + '_ {
        let (low, high) = finals.interval;
        // Bits give a total order. Any order will do, if all databases have the same.
        let numbers = [finals.speedup, low, high].map(f64::to_bits);
        (
            millis(finals.ended),
            finals.winner,
            numbers,
            &finals.samples,
        )
    }
    place(finals) > place(known)
}

/// Maps rows by their ordinals.
pub fn by_ordinal(rows: Vec<TrialRow>) -> HashMap<i64, TrialRow> {
    rows.into_iter().map(|row| (row.ordinal, row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ended_ms: i64, role: &str, hash: &str, number: i64) -> PlacedRow {
        PlacedRow {
            ended_ms,
            started_ms: 0,
            strategy: String::new(),
            space: String::new(),
            ties: String::new(),
            seed: 0,
            ordinal: 0,
            finals_ties: String::new(),
            role: role.to_owned(),
            configuration_hash: Some(hash.to_owned()).filter(|hash| !hash.is_empty()),
            number,
            study_id: 1,
        }
    }

    #[track_caller]
    fn check(rows: &[PlacedRow], expected: &[i64]) {
        let given = renumbered(rows.to_vec());
        let given: Vec<i64> = given.iter().map(|row| row.number).collect();
        assert_eq!(given, expected);
    }

    #[test]
    fn competing_rows_are_ordered_by_time() {
        check(&[], &[]);
        // Rows that do not compete may have any order.
        check(
            &[row(1, "candidate", "a", 9), row(2, "candidate", "b", 3)],
            &[],
        );
        check(
            &[row(1, "candidate", "a", 3), row(2, "candidate", "a", 9)],
            &[],
        );
        check(
            &[row(1, "candidate", "a", 9), row(2, "candidate", "a", 3)],
            &[9, 3],
        );
        // Defaults compete, with any configuration.
        check(
            &[row(1, "default", "", 9), row(2, "default", "a", 3)],
            &[9, 3],
        );
        check(
            &[row(1, "default", "a", 9), row(2, "candidate", "a", 3)],
            &[9, 3],
        );
    }

    #[test]
    fn opening_records_are_joined_in_any_order() {
        let opened = |created_ms, opened_ms, bound_us| StudyOpening {
            created_ms,
            opened_ms,
            bound_us,
        };
        #[track_caller]
        fn check(one: StudyOpening, other: StudyOpening, expected: StudyOpening) {
            assert_eq!(one.join(other), expected);
            assert_eq!(other.join(one), expected);
            assert_eq!(expected.join(one), expected);
        }
        let (early, late) = (opened(1, 5, Some(2.0)), opened(2, 9, Some(1.0)));
        check(early, late, opened(1, 9, Some(2.0)));
        check(early, opened(1, 4, None), early);
        check(early, opened(1, 4, Some(1.0)), opened(1, 5, Some(1.0)));
    }
}
