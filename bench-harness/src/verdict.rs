//! Verdicts: what the outputs of a kernel are worth, compared with the reference row by row.

use std::fmt;

use configgen::comparator::Comparator;
use configgen::{IndexType, Problem};

use crate::inputs::{Expected, Inputs, LaunchInput, bits};
use crate::pattern::Pattern;

/// Outputs are filled with this byte before every launch. As an index it is negative, so a row that was not written
/// cannot pass for right.
pub(crate) const POISON: u8 = 0xa5;

/// What the results of a kernel are worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Every value and index is that of the fold, bit by bit.
    Right,
    /// Every value is equal to the fold's, but some index names another element of the same value.
    TieIndexDiffers(Difference),
    /// Some row is wrong.
    Wrong(Difference),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right => f.write_str("right"),
            Self::TieIndexDiffers(difference) => {
                write!(f, "right value, tie index differs: {difference}")
            }
            Self::Wrong(difference) => write!(f, "wrong: {difference}"),
        }
    }
}

/// The first row that is not as expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The row, linear over the parallel dimensions.
    pub row: u64,
    /// What the row was filled with; none for a row that should not have been touched.
    pub pattern: Option<Pattern>,
    /// Expected value and index, as text.
    pub expected: String,
    /// Returned value and index, as text.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            row,
            expected,
            found,
            ..
        } = self;
        match self.pattern {
            Some(pattern) => write!(
                f,
                "row {row} ({pattern}): expected {expected}, found {found}"
            ),
            None => write!(f, "row {row}: expected {expected}, found {found}"),
        }
    }
}

/// The outputs of one launch.
pub(crate) struct Outputs<'a> {
    pub(crate) values: &'a [u8],
    pub(crate) indices: &'a [u8],
    /// Ranges of rows that the launch was to compute, ascending; the others must be as they were.
    pub(crate) computed: &'a [std::ops::Range<u64>],
}

/// Compares the outputs of one launch with what its input should give.
pub(crate) fn compare(inputs: &Inputs, launch: &LaunchInput, outputs: &Outputs<'_>) -> Verdict {
    if let Some(difference) = stray_write(inputs.problem(), outputs) {
        return Verdict::Wrong(difference);
    }
    let problem = inputs.problem();
    let judge = Judge::new(problem);
    let mut tie = None;
    let rows = launch.rows(problem).zip(&launch.expected);
    for (&number, (row, expected)) in inputs.rows().iter().zip(rows) {
        let found = Found::read(problem, outputs, number);
        match judge.agreement(&found, expected, |position| row.get(position)) {
            Agreement::Exact => {}
            Agreement::Tie => {
                tie = tie.or_else(|| Some(judge.difference(&found, number, expected)))
            }
            Agreement::None => return Verdict::Wrong(judge.difference(&found, number, expected)),
        }
    }
    tie.map_or(Verdict::Right, Verdict::TieIndexDiffers)
}

enum Agreement {
    Exact,
    Tie,
    None,
}

/// What a kernel returned for a row.
struct Found {
    value: u64,
    index: i64,
    untouched: bool,
}

impl Found {
    fn read(problem: &Problem, outputs: &Outputs<'_>, row: u64) -> Self {
        let value = element_bytes(outputs.values, problem.element.bytes() as usize, row);
        let index = element_bytes(outputs.indices, problem.index.bytes() as usize, row);
        Found {
            value: bits(value),
            index: match problem.index {
                IndexType::I32 => (bits(index) as i32).into(),
                IndexType::I64 => bits(index) as i64,
            },
            untouched: index.iter().all(|&byte| byte == POISON),
        }
    }
}

struct Judge {
    comparator: Comparator,
}

impl Judge {
    fn new(problem: &Problem) -> Judge {
        Judge {
            comparator: problem.comparator.clone(),
        }
    }

    /// Whether neither of two values is better: each replaces the other, or none does. A NaN that loses ties with nothing.
    fn tie(&self, a: u64, b: u64) -> bool {
        let kind = self.comparator.element();
        let replaces = |a, b| self.comparator.evaluate(a, b);
        replaces(a, b) == replaces(b, a) && (kind.is_nan(a) == kind.is_nan(b))
    }

    fn agreement(
        &self,
        found: &Found,
        expected: &Expected,
        element: impl Fn(usize) -> Option<u64>,
    ) -> Agreement {
        if found.value == expected.value && found.index == index_of(expected) {
            return Agreement::Exact;
        }
        if found.untouched || !self.tie(found.value, expected.value) {
            return Agreement::None;
        }
        // No element beat the initial value: generators that promise less than the fold may return any index.
        if expected.position.is_none() {
            return Agreement::Tie;
        }
        let named = usize::try_from(found.index).ok().and_then(element);
        match named {
            Some(named) if self.tie(named, expected.value) => Agreement::Tie,
            _ => Agreement::None,
        }
    }

    fn difference(&self, found: &Found, row: u64, expected: &Expected) -> Difference {
        let returned = match found.untouched {
            true => "nothing (the output was not written)".to_owned(),
            false => self.pair(found.value, found.index),
        };
        Difference {
            row,
            pattern: Some(expected.pattern),
            expected: self.pair(expected.value, index_of(expected)),
            found: returned,
        }
    }

    fn pair(&self, value: u64, index: i64) -> String {
        format!("({}, {index})", self.comparator.element().show(value))
    }
}

/// The index that a kernel should return: 0 where no element won.
fn index_of(expected: &Expected) -> i64 {
    expected.position.map_or(0, |position| position as i64)
}

fn element_bytes(bytes: &[u8], size: usize, row: u64) -> &[u8] {
    &bytes[row as usize * size..][..size]
}

/// The first row outside of the computed ones that lost its poison.
fn stray_write(problem: &Problem, outputs: &Outputs<'_>) -> Option<Difference> {
    let (value, index) = (
        problem.element.bytes() as usize,
        problem.index.bytes() as usize,
    );
    let mut start = 0;
    let end = problem.shape.rows();
    let edges = outputs
        .computed
        .iter()
        .cloned()
        .chain(std::iter::once(end..end));
    for computed in edges {
        let touched = (start..computed.start).find(|&row| {
            let value = element_bytes(outputs.values, value, row);
            let index = element_bytes(outputs.indices, index, row);
            value.iter().chain(index).any(|&byte| byte != POISON)
        });
        if let Some(row) = touched {
            return Some(Difference {
                row,
                pattern: None,
                expected: "nothing (the row is another workgroup's)".to_owned(),
                found: "a write".to_owned(),
            });
        }
        start = computed.end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outputs of 4x[5] f32 that agree with the reference, then changed by `edit`.
    #[track_caller]
    fn check(edit: impl Fn(&mut [f32], &mut [i32], &[Expected]), launch: usize, expected: &str) {
        let inputs = Inputs::new(&"argmax:4x[50]xf32".parse().unwrap(), 3).unwrap();
        let launch = &inputs.launches()[launch];
        let mut values: Vec<f32> = launch
            .expected
            .iter()
            .map(|e| f32::from_bits(e.value as u32))
            .collect();
        let mut indices: Vec<i32> = launch.expected.iter().map(|e| index_of(e) as i32).collect();
        edit(&mut values, &mut indices, &launch.expected);
        let outputs = Outputs {
            values: bytemuck::cast_slice(&values),
            indices: bytemuck::cast_slice(&indices),
            computed: std::slice::from_ref(&(0..4)),
        };
        let verdict = compare(&inputs, launch, &outputs).to_string();
        assert!(verdict.starts_with(expected), "{verdict}");
    }

    fn row_of(rows: &[Expected], pattern: Pattern) -> usize {
        rows.iter().position(|row| row.pattern == pattern).unwrap()
    }

    const POISONED: i32 = i32::from_ne_bytes([POISON; 4]);

    #[test]
    fn verdicts() {
        // Launch 0 has random, ties, NaN and all equal; launch 1 ascending, signed zeros, descending, winner first;
        // launch 2 all NaN, winner last, extremes, denormals.
        check(|_, _, _| {}, 0, "right");
        check(|v, _, _| v[0] += 1e30, 0, "wrong: row 0 (random)");
        check(
            |_, i, rows| i[row_of(rows, Pattern::AllEqual)] = 49,
            0,
            "right value, tie",
        );
        check(
            |_, i, rows| i[row_of(rows, Pattern::AllEqual)] = 50,
            0,
            "wrong",
        );
        check(
            |_, i, rows| i[row_of(rows, Pattern::AllEqual)] = -1,
            0,
            "wrong",
        );
        check(
            |_, i, rows| i[row_of(rows, Pattern::AllEqual)] = POISONED,
            0,
            "wrong: row 3 (all equal): expected (-3.0, 0), found nothing",
        );
        check(
            |v, _, rows| v[row_of(rows, Pattern::Ties)] = f32::NAN,
            0,
            "wrong",
        );
        check(
            |_, i, rows| i[row_of(rows, Pattern::Ascending)] = 48,
            1,
            "wrong",
        );
        check(
            |v, _, rows| v[row_of(rows, Pattern::SignedZeros)] *= -1.0,
            1,
            "right value, tie",
        );
        check(
            |_, i, rows| i[row_of(rows, Pattern::AllNan)] = 7,
            2,
            "right value, tie",
        );
        check(
            |_, i, rows| i[row_of(rows, Pattern::AllNan)] = POISONED,
            2,
            "wrong",
        );
        check(
            |v, _, rows| v[row_of(rows, Pattern::AllNan)] = f32::NAN,
            2,
            "wrong",
        );
    }

    #[test]
    fn rows_of_other_workgroups_are_left_alone() {
        let inputs = Inputs::new(&"argmax:4x[50]xf32".parse().unwrap(), 3).unwrap();
        let mut indices = [POISONED; 4];
        let values = [f32::from_ne_bytes([POISON; 4]); 4];
        let stray = |indices: &[i32; 4]| {
            let outputs = Outputs {
                values: bytemuck::cast_slice(&values),
                indices: bytemuck::cast_slice(indices),
                computed: &[0..1, 2..3],
            };
            stray_write(inputs.problem(), &outputs).map(|difference| difference.row)
        };
        indices[0] = 1;
        indices[2] = 1;
        assert_eq!(stray(&indices), None);
        indices[3] = 1;
        assert_eq!(stray(&indices), Some(3));
        indices[1] = 1;
        assert_eq!(stray(&indices), Some(1));
    }
}
