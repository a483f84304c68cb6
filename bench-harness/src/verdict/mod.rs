//! Verdicts: what the outputs of a kernel are worth, compared with the reference row by row.

mod judge;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::inputs::{Expected, Inputs, LaunchInput};
use crate::pattern::Pattern;
use crate::row::{Packed, Pair, Row};
use judge::{Agreement, Judge};

/// Outputs are filled with this byte before every launch, unless they hold initial pairs. As an index it is negative, so
/// a row that was not written cannot pass for right.
pub(crate) const POISON: u8 = 0xa5;

/// What the results of a kernel are worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Every value and index is that of the fold, bit by bit.
    Right,
    /// Every index is the fold's, but some value is a zero of the other sign.
    SignOfZeroDiffers(Difference),
    /// Every value is equal to the fold's, but some index is that of another element of the same value.
    TieIndexDiffers(Difference),
    /// Some row is wrong.
    Wrong(Difference),
    /// Two launches on the same input gave different results; the first of them that is wrong.
    Unstable(Difference),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right => f.write_str("right"),
            Self::SignOfZeroDiffers(difference) => {
                write!(f, "right index, zero of the other sign: {difference}")
            }
            Self::TieIndexDiffers(difference) => {
                write!(f, "right value, tie index differs: {difference}")
            }
            Self::Wrong(difference) => write!(f, "wrong: {difference}"),
            Self::Unstable(difference) => write!(f, "not the same in every launch: {difference}"),
        }
    }
}

impl Verdict {
    /// The same of a launch that was given this, too.
    pub(crate) fn given(mut self, what: &str) -> Verdict {
        match &mut self {
            Self::Right => {}
            Self::SignOfZeroDiffers(difference)
            | Self::TieIndexDiffers(difference)
            | Self::Wrong(difference)
            | Self::Unstable(difference) => difference.given.insert(0, what.to_owned()),
        }
        self
    }

    /// Of two launches of a kernel, neither of which is wrong: the one that promises less.
    pub(crate) fn of_both(self, other: Verdict) -> Verdict {
        let promises_less = match (&self, &other) {
            (Self::Right, _) => true,
            (Self::SignOfZeroDiffers(_), other) => matches!(other, Self::TieIndexDiffers(_)),
            _ => false,
        };
        if promises_less { other } else { self }
    }
}

/// The first row that is not as expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The row, linear over the parallel dimensions.
    pub row: u64,
    /// What the row was filled with; none for a row that should not have been touched.
    pub pattern: Option<Pattern>,
    /// What else it was given, as text: the count, the index base and the initial pair, where the problem has them.
    pub given: Vec<String>,
    /// Expected value and index, as text.
    pub expected: String,
    /// Returned value and index, as text.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = self.pattern.iter().map(Pattern::to_string);
        let given: Vec<String> = pattern.chain(self.given.iter().cloned()).collect();
        write!(f, "row {}", self.row)?;
        if !given.is_empty() {
            write!(f, " ({})", given.join(", "))?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

/// The outputs of one launch.
pub(crate) struct Outputs<'a> {
    pub(crate) values: Cow<'a, [u8]>,
    pub(crate) indices: Cow<'a, [u8]>,
}

impl Outputs<'_> {
    /// A copy that the device need not keep.
    pub(crate) fn into_owned(self) -> Outputs<'static> {
        Outputs {
            values: Cow::Owned(self.values.into_owned()),
            indices: Cow::Owned(self.indices.into_owned()),
        }
    }
}

/// Compares the outputs of one launch with what its input should give. The launch was to compute the rows of these ranges,
/// which ascend, and the checked ones up to the end of the last are among them; the others must be as they were.
pub(crate) fn compare(
    inputs: &Inputs,
    launch: &LaunchInput,
    outputs: &Outputs<'_>,
    computed: &[Range<u64>],
) -> Verdict {
    if let Some(difference) = stray_write(inputs, outputs, computed) {
        return Verdict::Wrong(difference);
    }
    let mut judge = Judge::new(inputs.arg_compare(), launch.index_base);
    let mut verdict = Verdict::Right;
    let end = computed.last().map_or(0, |rows| rows.end);
    let is_computed = |(number, ..): &(u64, Row<'_>, &Expected)| *number < end;
    for (number, row, expected) in inputs.checked(launch).take_while(is_computed) {
        let found = Found::read(inputs, outputs, number);
        match judge.agreement(&found, expected, &row) {
            Agreement::Exact => {}
            Agreement::SignOfZero => {
                let difference = judge.difference(&found, number, expected, &row);
                verdict = verdict.of_both(Verdict::SignOfZeroDiffers(difference));
            }
            Agreement::Tie => {
                let difference = judge.difference(&found, number, expected, &row);
                verdict = verdict.of_both(Verdict::TieIndexDiffers(difference));
            }
            Agreement::None => {
                return Verdict::Wrong(judge.difference(&found, number, expected, &row));
            }
        }
    }
    verdict
}

/// The first row for which two launches on the same input gave different results, with the first of the two that is not the
/// reference's.
pub(crate) fn instability(
    inputs: &Inputs,
    launch: &LaunchInput,
    one: &Outputs<'_>,
    other: &Outputs<'_>,
) -> Option<Difference> {
    let mut judge = Judge::new(inputs.arg_compare(), launch.index_base);
    for (number, row, expected) in inputs.checked(launch) {
        let [one, other] = [one, other].map(|outputs| Found::read(inputs, outputs, number));
        if one.pair != other.pair {
            let found = match judge.agreement(&one, expected, &row) {
                Agreement::Exact => other,
                Agreement::SignOfZero | Agreement::Tie | Agreement::None => one,
            };
            return Some(judge.difference(&found, number, expected, &row));
        }
    }
    let sizes = inputs.result_bytes().map(|size| size as usize);
    let pairs = [(&one.values, &other.values), (&one.indices, &other.indices)];
    let rows = pairs.iter().zip(sizes).filter_map(|((one, other), size)| {
        let place = one
            .iter()
            .zip(other.iter())
            .position(|(one, other)| one != other)?;
        Some((place / size) as u64)
    });
    let row = rows.min()?;
    Some(Difference {
        row,
        pattern: None,
        given: Vec::new(),
        expected: "the same in every launch".to_owned(),
        found: "two results".to_owned(),
    })
}

/// What a kernel returned for a row.
struct Found {
    pair: Pair,
    untouched: bool,
}

impl Found {
    fn read(inputs: &Inputs, outputs: &Outputs<'_>, row: u64) -> Self {
        let [value, index] = inputs.result_bytes();
        let values = Packed::new(&outputs.values, value);
        let indices = Packed::new(&outputs.indices, index);
        Found {
            pair: Pair {
                value: values.get(row as usize).unwrap_or_default(),
                index: indices.signed(row as usize).unwrap_or_default(),
            },
            untouched: is_poison(indices.row(row as usize, 1)),
        }
    }
}

fn is_poison(output: Packed<'_>) -> bool {
    output.bytes().all(|&byte| byte == POISON)
}

/// The first row outside of the computed ones that lost its poison.
fn stray_write(
    inputs: &Inputs,
    outputs: &Outputs<'_>,
    computed: &[Range<u64>],
) -> Option<Difference> {
    let sizes = inputs.result_bytes().map(|size| size as usize);
    let tensors = [&outputs.values, &outputs.indices].into_iter().zip(sizes);
    let end = inputs.problem().shape.rows();
    let starts = computed.iter().map(|computed| computed.start);
    let ends = computed.iter().map(|computed| computed.end);
    // What is left between the computed rows, before and after them.
    let mut others = std::iter::once(0).chain(ends).zip(starts.chain([end]));
    let row = others.find_map(|(start, end)| {
        let touched = tensors.clone().filter_map(|(tensor, size)| {
            let place = touched(&tensor[start as usize * size..end as usize * size])?;
            Some(start + (place / size) as u64)
        });
        touched.min()
    })?;
    Some(Difference {
        row,
        pattern: None,
        given: Vec::new(),
        expected: "nothing (the row is another workgroup's)".to_owned(),
        found: "a write".to_owned(),
    })
}

/// The first of these bytes that lost its poison. There may be hundreds of millions, most often in place.
fn touched(bytes: &[u8]) -> Option<usize> {
    const POISONED: [u8; 4096] = [POISON; 4096];
    let lengths = bytes.chunks(POISONED.len());
    let mut pieces = lengths.enumerate();
    let (number, piece) = pieces.find(|(_, piece)| **piece != POISONED[..piece.len()])?;
    let within = piece.iter().position(|&byte| byte != POISON)?;
    Some(number * POISONED.len() + within)
}
