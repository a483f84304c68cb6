//! Limits: how many rows of a problem are checked, in how many launches, and which problems are too large for that.

use std::sync::Arc;

use configgen::Problem;

use crate::operation::{Maker, OperandSubset, Slot, ViewAddressing};

/// Elements of an input that are filled and checked at most, unless a single row has more.
const MAX_CHECKED_ELEMENTS: u64 = 1 << 22;

/// Rows that are filled and checked at most. Each costs a wave at least where a configuration deals rows out one by one.
const MAX_CHECKED_ROWS: u64 = 2048;

/// The same where a row is an element, which costs no more than its neighbours.
const MAX_CHECKED_PLACES: u64 = 1 << 16;

/// Windows of consecutive rows that are checked where not all are.
const WINDOWS: u64 = 3;

/// Fewest launches: with two, every row of a wide problem is checked under two patterns.
const MIN_LAUNCHES: usize = 2;

/// Rows that find elements that are left out, as far as [`MAX_CHECKED_ELEMENTS`] allows. A kernel that leaves out a lane's elements, 1 of 64,
/// is found by such a row with probability 1/64.
const PLANTED_ROWS: usize = 128;

/// Bytes of the checked rows of all launches at most, their operands among them. The host holds them once, and
/// every worker's device once more.
const MAX_CHECKED_BYTES: u64 = 5 << 28;

/// Bytes of the outputs at most: they are poisoned whole.
const MAX_OUTPUT_BYTES: u64 = 1 << 30;

/// Bytes of the input at most, and of operands. Rows that are not checked cost no memory.
const MAX_INPUT_BYTES: u64 = 1 << 33;

/// Why a problem cannot be verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputsError {
    /// It is too large.
    #[error(
        "{problem} is too large to be verified: {what} take {bytes} bytes, the limit is {limit}"
    )]
    TooLarge {
        /// The problem.
        problem: Box<Problem>,
        /// What is too large.
        what: Box<str>,
        /// Its size.
        bytes: u64,
        /// The largest size.
        limit: u64,
    },
    /// The host has no fold for it.
    #[error(
        "{problem} cannot be verified: there are inputs and a reference for arg_compare, plain reductions, maps and rowwise operations only"
    )]
    Operation {
        /// The problem.
        problem: Box<Problem>,
    },
}

/// Which rows are checked, and how often.
pub(super) struct Plan {
    /// Ascending.
    pub(super) rows: Vec<u64>,
    /// How many patterns there are.
    patterns: usize,
    /// Launches in which the rows go through the patterns. Those after them find elements that are left out.
    patterned: usize,
    pub(super) launches: usize,
    /// What these rows need of operands.
    pub(super) needed: Arc<[OperandSubset]>,
    /// Where they are in the problem's own input, where that is a view.
    pub(super) own: Option<ViewAddressing>,
    /// Bytes of all checked rows and their operands.
    pub(super) bytes: u64,
}

impl Plan {
    /// Of rows that this one fills.
    pub(super) fn new(problem: &Problem, maker: &dyn Maker) -> Result<Plan, InputsError> {
        let (patterns, sets) = (maker.patterns(), maker.sets());
        let rows = checked_rows(problem);
        let elements = rows.len() as u64 * problem.shape.reduced_size();
        let patterned = patterns.div_ceil(rows.len()).max(MIN_LAUNCHES);
        let affordable = (MAX_CHECKED_ELEMENTS / elements) as usize;
        let planted = PLANTED_ROWS.div_ceil(rows.len());
        let planted = planted.min(affordable.saturating_sub(patterned));
        let launches = patterned + planted + sets - 1;
        let (operands, results) = (problem.operands(), problem.results());
        let operand_names = names(operands.iter().map(|input| &*input.name));
        let tensor = match problem.view() {
            None => 0,
            Some(_) => problem.input_bytes(),
        };
        let checked = elements * u64::from(problem.element.bytes()) + tensor;
        let checked = checked.saturating_mul(launches as u64);
        let too_large = |what: &str, bytes: u64, limit: u64| InputsError::TooLarge {
            problem: Box::new(problem.clone()),
            what: what.into(),
            bytes,
            limit,
        };
        let rows_to_check = "the rows to check, under every pattern,";
        let is_viewed = problem.view().is_some() || operands.iter().any(|it| it.view.is_some());
        // Where a view has its elements, is listed.
        if is_viewed && checked > MAX_CHECKED_BYTES {
            return Err(too_large(rows_to_check, checked, MAX_CHECKED_BYTES));
        }
        let needed: Arc<[OperandSubset]> = (operands.into_iter())
            .map(|input| OperandSubset::new(problem, input, &rows))
            .collect();
        let beside = needed.iter().map(OperandSubset::bytes).sum::<u64>() * sets as u64;
        for (what, bytes, limit) in [
            (
                "the input's elements".to_owned(),
                problem.input_bytes(),
                MAX_INPUT_BYTES,
            ),
            (operand_names, problem.operand_bytes(), MAX_INPUT_BYTES),
            (
                names(results.iter().map(|tensor| tensor.name)),
                problem.output_bytes(),
                MAX_OUTPUT_BYTES,
            ),
            (
                rows_to_check.to_owned(),
                checked + beside,
                MAX_CHECKED_BYTES,
            ),
        ] {
            if bytes > limit {
                return Err(too_large(&what, bytes, limit));
            }
        }
        let own = problem
            .view()
            .map(|view| ViewAddressing::new(problem, view, &rows));
        Ok(Plan {
            own,
            rows,
            needed,
            patterns,
            patterned,
            launches,
            bytes: checked + beside,
        })
    }

    /// The checked rows of launch `launch`.
    pub(super) fn slots(&self, launch: usize) -> Vec<Slot> {
        let rows = self.rows.iter().enumerate();
        let slots = rows.map(|(place, &row)| Slot {
            row,
            turn: launch * self.rows.len() + place,
            pattern: (launch < self.patterned).then(|| self.pattern(launch, place)),
        });
        slots.collect()
    }

    /// The number of the pattern of the row at `place` of the checked ones in launch `launch`.
    ///
    /// Few rows go through the patterns launch by launch; many have them all, and each another one in the next launch.
    fn pattern(&self, launch: usize, place: usize) -> usize {
        let (rows, patterns) = (self.rows.len(), self.patterns);
        let step = if rows < patterns { rows } else { 5 };
        (launch * step + place) % patterns
    }
}

/// Such as "values and indices".
fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| name.replace('_', " ")).collect();
    names.join(" and ")
}

/// The rows of a problem that are checked, ascending; all of them unless there are very many.
pub fn checked_rows(problem: &Problem) -> Vec<u64> {
    let (rows, row) = (problem.shape.rows(), problem.shape.reduced_size());
    let most = match problem.shape.reduces() {
        true => (MAX_CHECKED_ELEMENTS / row).min(MAX_CHECKED_ROWS),
        false => MAX_CHECKED_PLACES,
    };
    if rows <= most {
        return (0..rows).collect();
    }
    let window = (most / WINDOWS).max(1);
    let starts = [
        0,
        rows.saturating_sub(window) / 2,
        rows.saturating_sub(window),
    ];
    let mut chosen: Vec<u64> = starts
        .into_iter()
        .flat_map(|start| start..(start + window).min(rows))
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::maker;

    fn plan(problem: &str) -> Result<Plan, InputsError> {
        let problem: Problem = problem.parse().unwrap();
        Plan::new(&problem, &*maker(&problem, 1).unwrap())
    }

    #[test]
    fn of_a_large_input_both_ends_and_the_middle_are_checked() {
        let wide = plan("argmax:163840x[384]xf32").unwrap().rows;
        assert_eq!((wide[0], wide.last()), (0, Some(&163_839)));
        assert!(wide.len() as u64 * 384 <= MAX_CHECKED_ELEMENTS);
        assert!(wide.contains(&81_919) && wide.contains(&81_920));
        assert_eq!(plan("argmax:2x[5000000]xf32").unwrap().rows, [0, 1]);
    }

    #[track_caller]
    fn check_too_large(problem: &str, part: &str) {
        let error = plan(problem).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused_at_once() {
        check_too_large(
            "argmax:1024x[1073741824]xf32",
            "elements take 4398046511104 bytes",
        );
        check_too_large(
            "argmax:1000000000x[1]xf32",
            "values and indices take 8000000000",
        );
        check_too_large("sum:1000000000x[1]xf32", "values take 4000000000");
        check_too_large(
            "add_rms_norm:400000x[1000]xf16",
            "values and sums take 1600000000",
        );
        assert!(plan("softmax:400000x[1000]xf16").is_ok());
        check_too_large("argmax:[2147483647]xi8", "under every pattern");
        // Four long rows, of 18 patterns' 64 MiB.
        assert!(plan("argmax:4x[16777216]xf32").is_ok());
        check_too_large(
            "argmax:2000000x[1000]xi8:i64:explicit_index",
            "explicit indices take 16000000000",
        );
        assert!(plan("argmax:[70000000]xi8:i64").is_ok());
        check_too_large(
            "argmax:[70000000]xi8:i64:explicit_index",
            "every pattern, take 1470000000",
        );
    }
}
