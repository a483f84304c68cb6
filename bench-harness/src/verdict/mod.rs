//! Verdicts: the comparison of a kernel's outputs with the reference, row by row.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use configgen::Problem;

use crate::addressing::OutputAddressing;
use crate::inputs::Inputs;
use crate::operation::{Agreement, CheckedRow, Difference, LaunchInput, POISON, RowResults};

/// The verdict on the results of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Every result equals the reference bit by bit, or is one that some order of roundings may
    /// give. The number is the largest error, as a fraction of the error bound: from 0 (exact) to
    /// 1.
    Right(f64),
    /// Every index is the reference's, but some value is a zero of the other sign.
    SignOfZeroDiffers(Difference),
    /// Every value equals the reference's, but some index is that of another element with the
    /// same value.
    TieIndexDiffers(Difference),
    /// Some row is wrong.
    Wrong(Difference),
    /// Two launches on the same input gave different results. The difference is of the first
    /// wrong one.
    Unstable(Difference),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right(0.0) => f.write_str("right"),
            Self::Right(error) => write!(f, "right, at most {error:.1e} of the bound from exact"),
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
    /// Adds another input of the launch to the difference's description.
    pub(crate) fn with_input(mut self, what: &str) -> Verdict {
        match &mut self {
            Self::Right(_) => {}
            Self::SignOfZeroDiffers(difference)
            | Self::TieIndexDiffers(difference)
            | Self::Wrong(difference)
            | Self::Unstable(difference) => difference.given.insert(0, what.to_owned()),
        }
        self
    }

    /// Combines the verdicts of two launches of a kernel, neither wrong, to the weaker one.
    pub(crate) fn of_both(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Self::Right(one), Self::Right(other)) => Self::Right(one.max(other)),
            (Self::Right(_), other) => other,
            (Self::SignOfZeroDiffers(_), other @ Self::TieIndexDiffers(_)) => other,
            (this, _) => this,
        }
    }
}

/// The outputs of one launch: one tensor per result.
pub(crate) struct Outputs<'a>(pub(crate) Vec<Cow<'a, [u8]>>);

impl Outputs<'_> {
    /// Copies the outputs, so that they outlive the device's next launch.
    pub(crate) fn into_owned(self) -> Outputs<'static> {
        let tensors = self.0.into_iter();
        Outputs(
            tensors
                .map(|bytes| Cow::Owned(bytes.into_owned()))
                .collect(),
        )
    }

    /// Iterates over the tensors, each with the addressing of its rows.
    fn tensors<'a>(
        &'a self,
        inputs: &'a Inputs,
    ) -> impl Iterator<Item = (&'a [u8], &'a OutputAddressing)> {
        let places = inputs.outputs();
        self.0.iter().map(|bytes| &bytes[..]).zip(places)
    }

    fn of_row<'a>(&'a self, inputs: &'a Inputs, row: u64) -> RowResults<'a> {
        let tensors = self.tensors(inputs);
        RowResults::new(tensors.map(|(tensor, output)| (output.row(tensor, row), output.size)))
    }
}

/// Compares the outputs of one launch with the expected results.
///
/// The launch computed the rows of the `computed` ranges, which ascend. They contain all checked
/// rows up to the end of the last range. The [guarded rows](guarded_rows) must keep their poison.
pub(crate) fn compare(
    inputs: &Inputs,
    launch: &LaunchInput,
    outputs: &Outputs<'_>,
    computed: &[Range<u64>],
) -> Verdict {
    // A stray write is the worst fault and has no checked row, so it comes first.
    if let Some(difference) = stray_write(inputs, outputs, computed) {
        return Verdict::Wrong(difference);
    }
    let mut judge = launch.reference.judge();
    let mut verdict = Verdict::Right(0.0);
    let end = computed.last().map_or(0, |rows| rows.end);
    let is_computed = |row: &CheckedRow<'_>| row.number < end;
    for row in inputs.checked(launch).take_while(is_computed) {
        let found = outputs.of_row(inputs, row.number);
        match judge.agreement(&row, &found) {
            Agreement::Right(error) => verdict = verdict.of_both(Verdict::Right(error)),
            Agreement::SignOfZero => {
                let difference = judge.difference(&row, &found);
                verdict = verdict.of_both(Verdict::SignOfZeroDiffers(difference));
            }
            Agreement::Tie => {
                let difference = judge.difference(&row, &found);
                verdict = verdict.of_both(Verdict::TieIndexDiffers(difference));
            }
            Agreement::None => return Verdict::Wrong(judge.difference(&row, &found)),
        }
    }
    verdict
}

/// Returns the first row for which two launches on the same input differ, with the first result
/// that is wrong.
pub(crate) fn instability(
    inputs: &Inputs,
    launch: &LaunchInput,
    one: &Outputs<'_>,
    other: &Outputs<'_>,
) -> Option<Difference> {
    let mut judge = launch.reference.judge();
    for row in inputs.checked(launch) {
        let [one, other] = [one, other].map(|outputs| outputs.of_row(inputs, row.number));
        if one != other {
            let found = match judge.agreement(&row, &one) {
                Agreement::Right(_) => other,
                Agreement::SignOfZero | Agreement::Tie | Agreement::None => one,
            };
            return Some(judge.difference(&row, &found));
        }
    }
    // Rows that are not checked have no reference, but two launches must still agree on them.
    let pairs = one.tensors(inputs).zip(&other.0);
    let rows = pairs.filter_map(|((one, output), other)| {
        let place = one
            .iter()
            .zip(other.iter())
            .position(|(one, other)| one != other)?;
        Some(output.row_at(place as u64))
    });
    let row = rows.min()?;
    let (expected, found) = ("the same in every launch", "two results");
    Some(Difference::beside(row, expected, found))
}

/// The size in bytes of outputs up to which all rows that are not computed must keep their poison.
/// In larger ones, only as much of them near the computed rows must, because the bench writes and
/// reads all of it.
const GUARDED_BYTES: u64 = 1 << 26;

/// Returns true if all rows that are not computed must keep their poison.
pub(crate) fn guards_all_rows(problem: &Problem) -> bool {
    problem.output_bytes() <= GUARDED_BYTES
}

/// Returns the rows that must keep their poison, ascending: those that are not `computed`, or the
/// nearest of them if outputs are large.
pub(crate) fn guarded_rows(problem: &Problem, computed: &[Range<u64>]) -> Vec<Range<u64>> {
    let end = problem.shape.rows();
    let starts = computed.iter().map(|computed| computed.start);
    let ends = computed.iter().map(|computed| computed.end);
    // The gaps before, between and after the computed ranges.
    let gaps = std::iter::once(0).chain(ends).zip(starts.chain([end]));
    let gaps: Vec<Range<u64>> = gaps
        .filter(|(start, end)| start < end)
        .map(|(start, end)| start..end)
        .collect();
    if guards_all_rows(problem) {
        return gaps;
    }
    let row_bytes = problem.output_bytes().div_ceil(end).max(1);
    let margin = (GUARDED_BYTES / row_bytes / (2 * gaps.len() as u64).max(1)).max(1);
    let margins = gaps.into_iter().flat_map(|gap| {
        let first = gap.start..gap.end.min(gap.start + margin);
        let last = first.end.max(gap.end.saturating_sub(margin))..gap.end;
        [first, last]
    });
    margins.filter(|rows| !rows.is_empty()).collect()
}

/// Returns the first row outside of the computed ones that lost its poison, in memory order.
fn stray_write(
    inputs: &Inputs,
    outputs: &Outputs<'_>,
    computed: &[Range<u64>],
) -> Option<Difference> {
    let others = guarded_rows(inputs.problem(), computed);
    let rows = outputs.tensors(inputs).filter_map(|(tensor, output)| {
        let looked_at = output.spans(&others, |span| {
            match touched(&tensor[span.start as usize..span.end as usize]) {
                Some(place) => Err(output.row_at(span.start + place as u64)),
                None => Ok(()),
            }
        });
        looked_at.err()
    });
    let row = rows.min()?;
    let expected = "nothing (the row is another workgroup's)";
    Some(Difference::beside(row, expected, "a write"))
}

/// Returns the position of the first byte that lost its poison.
fn touched(bytes: &[u8]) -> Option<usize> {
    // Hundreds of millions of bytes are compared, mostly intact. Slices of 4 KiB compare by
    // `memcmp`.
    const POISONED: [u8; 4096] = [POISON; 4096];
    let lengths = bytes.chunks(POISONED.len());
    let mut pieces = lengths.enumerate();
    let (number, piece) = pieces.find(|(_, piece)| **piece != POISONED[..piece.len()])?;
    let within = piece.iter().position(|&byte| byte != POISON)?;
    Some(number * POISONED.len() + within)
}
