//! Taking in what another database has: which of two rows stays, and which rows get new numbers.
//!
//! All of this is decided by what the rows say, and by nothing that one database alone knows, such as a number; so it does not
//! matter which of two databases takes in the other, or in which order three do.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use store::{Finals, Portion, StoreFault, StudyId};

use crate::row::{StudyRow, TrialRow, millis};

/// What becomes of a trial of a portion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportDecision {
    /// There is none with its ordinal.
    Added,
    /// It takes the place of the one that is there.
    Replaces {
        /// Whether that one was another trial, and not the same with less kept of it.
        another: bool,
    },
    /// It is there.
    Same,
    /// Another stays.
    Other,
}

/// The rows of a portion's trials in the order in which they ended.
///
/// # Errors
///
/// `Portion`; `Trial`.
pub fn rows_of_portion(study: StudyId, portion: &Portion) -> Result<Vec<TrialRow>, StoreFault> {
    let trials = portion.trials.iter();
    let rows: Result<Vec<_>, _> = trials.map(|trial| TrialRow::new(study, trial)).collect();
    let mut rows = rows?;
    rows.sort_by(compare);
    Ok(rows)
}

/// What becomes of a trial where this one, if any, has its ordinal.
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

/// Whether two rows are one trial, of which less may be kept in one of them.
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

/// The one that stays is less: the one that ended first, was begun first, has more samples, has an error. The rest is for
/// there to be an order at all.
fn compare(one: &TrialRow, other: &TrialRow) -> Ordering {
    fn place(row: &TrialRow) -> impl Ord + '_ {
        let samples = row.samples_us.as_deref();
        (
            (row.ended_ms, row.started_ms),
            Reverse(samples.map_or(0, |samples| samples.matches(',').count())),
            row.error.is_none(),
            (&row.role, &row.configuration, &row.status, &row.failure),
            (&row.message, &row.protocol, samples, row.input_seed),
            [row.time_us, row.compile_ms, row.error].map(|number| number.map(f64::to_bits)),
        )
    }
    place(one).cmp(&place(other))
}

/// What of a study does not identify it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyOpening {
    /// When it was opened first.
    pub created_ms: i64,
    /// When it was opened last.
    pub opened_ms: i64,
    /// What was said of its bound when it was opened first.
    pub bound_us: Option<f64>,
}

impl StudyOpening {
    /// As a portion has it.
    pub fn of(portion: &Portion) -> Self {
        StudyOpening {
            created_ms: millis(portion.first_opened),
            opened_ms: millis(portion.last_opened),
            bound_us: portion.bound_us,
        }
    }

    /// That of a study which both databases have.
    pub fn join(self, other: StudyOpening) -> StudyOpening {
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

/// A row that has a place among others, with its number.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlacedRow {
    /// When it ended, and the rest that tells its place.
    pub ended_ms: i64,
    pub started_ms: i64,
    pub strategy: String,
    pub space: String,
    pub ties: String,
    pub seed: i64,
    /// Of a trial its ordinal, of finals how many trials there were.
    pub ordinal: i64,
    /// The index on ties of finals; else empty.
    pub finals_ties: String,
    /// Of a trial.
    pub role: String,
    pub configuration_hash: Option<String>,
    /// The number that says which is the newest.
    pub number: i64,
    pub study_id: i64,
}

/// Those of the rows that get new numbers, in the order of these: none where what competes has its order.
pub fn renumbered(rows: Vec<PlacedRow>) -> Vec<PlacedRow> {
    let rows: BTreeSet<PlacedRow> = rows.into_iter().collect();
    let mut classes: BTreeMap<&str, i64> = BTreeMap::new();
    let mut is_ordered = true;
    for row in &rows {
        let configuration = row.configuration_hash.as_deref();
        let default = (row.role == DEFAULT).then_some(DEFAULT);
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

/// The role of defaults, all of which compete. No hash is like it.
const DEFAULT: &str = "default";

/// The studies that get new numbers, in the order of these: all of a problem, or none where they have their order.
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

/// Whether finals take the place of those over as many trials that are there.
pub fn is_later(finals: &Finals, known: &Finals) -> bool {
    fn place(finals: &Finals) -> impl Ord + '_ {
        let (low, high) = finals.interval;
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

/// Rows by their ordinals.
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
    fn what_competes_has_the_order_of_time() {
        check(&[], &[]);
        // Others may have any order.
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
        // Defaults compete, whatever they are.
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
    fn what_is_known_of_the_opening_is_joined_in_any_order() {
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
