//! The judge of row operations: it compares each element of a kernel's results with its bounds,
//! and describes differences.

use configgen::comparator::ScalarType;
use configgen::reduction::Extent;

use super::numeric_interval::NumericInterval;
use super::{PackedInterval, RowwiseReference};
use crate::operation::{Agreement, CheckedRow, Difference, Judge, RowResults, poison};

/// The judge of the rows of one launch.
pub(super) struct RowwiseJudge<'a> {
    pub(super) launch: &'a RowwiseReference,
}

/// An element of a result with its bounds.
#[derive(Debug, Clone, Copy)]
struct Element {
    output: usize,
    column: usize,
    bounds: NumericInterval,
    found: u64,
    /// The distance from the middle of the bounds, as a fraction of the correct distance. Above
    /// 1, the element is wrong.
    error: f64,
}

impl RowwiseJudge<'_> {
    /// Returns the first wrong element, or else the one farthest from the middle of its bounds.
    fn farthest(&self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Element {
        let expected = self.launch.expected[row.place].outputs.iter().enumerate();
        let mut farthest: Option<Element> = None;
        for (output, bounds) in expected {
            let kind = self.launch.kind(output);
            let elements = bounds.iter().zip(found.elements(output).iter());
            let of_output = match kind {
                // Most outputs have this type, whose conversion is one instruction.
                ScalarType::F32 => farthest_of(elements, kind, |bits| {
                    f64::from(f32::from_bits(bits as u32))
                }),
                _ if kind.is_integer() => {
                    farthest_of(elements, kind, |bits| kind.signed(bits) as f64)
                }
                _ => farthest_of(elements, kind, |bits| kind.to_f64(bits)),
            };
            let Some((column, bounds, bits, error)) = of_output else {
                continue;
            };
            if farthest.is_none_or(|it| it.error <= 1.0 && error > it.error) {
                farthest = Some(Element {
                    output,
                    column,
                    bounds,
                    found: bits,
                    error,
                });
            }
        }
        farthest.expect("a row has an element")
    }
}

/// Returns the first wrong element of an output, or else the one farthest from the middle of its
/// bounds: its column, bounds, bits and error.
fn farthest_of<'e>(
    elements: impl Iterator<Item = (&'e PackedInterval, u64)>,
    kind: ScalarType,
    number: impl Fn(u64) -> f64,
) -> Option<(usize, NumericInterval, u64, f64)> {
    // A result of 8 bits has few values, and a correct one is often the poison.
    let poison = (kind.bits() > 8).then(|| poison(kind.bits() / 8));
    let mut farthest: Option<(usize, NumericInterval, u64, f64)> = None;
    for (column, (bounds, bits)) in elements.enumerate() {
        let bounds = bounds.interval();
        let error = error(bounds, bits, poison, &number);
        if farthest.is_none_or(|(.., most)| error > most) {
            farthest = Some((column, bounds, bits, error));
        }
        if error > 1.0 {
            break;
        }
    }
    farthest
}

impl Judge for RowwiseJudge<'_> {
    fn agreement(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Agreement {
        match self.farthest(row, found).error {
            error @ ..=1.0 => Agreement::Right(error),
            _ => Agreement::None,
        }
    }

    fn difference(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Difference {
        let element = self.farthest(row, found);
        let tensor = &self.launch.reduction.outputs()[element.output].tensor;
        let kind = self.launch.kind(element.output);
        let place = match tensor.extent {
            Extent::Rows => tensor.name.to_owned(),
            _ => format!("{}[{}]", tensor.name, element.column),
        };
        let is_unwritten = element.error > 1.0 && element.found == poison(kind.bits() / 8);
        let returned = match is_unwritten {
            true => "nothing (the output was not written)".to_owned(),
            false => kind.show(element.found),
        };
        Difference {
            row: row.number,
            pattern: Some(self.launch.expected[row.place].pattern.to_string()),
            given: Vec::new(),
            expected: format!("{place} = {}", words(kind, element.bounds)),
            found: returned,
        }
    }
}

/// Returns the distance of a result from the middle of its bounds, as a fraction of the correct
/// distance. Above 1, the result is wrong.
///
/// As a number, the poison sometimes lies within the bounds. With wide bounds, this function
/// takes it as an unwritten result. With narrow bounds, a correct kernel may well have returned
/// it.
#[inline]
fn error(
    bounds: NumericInterval,
    bits: u64,
    poison: Option<u64>,
    number: impl Fn(u64) -> f64,
) -> f64 {
    /// The width of narrow bounds, as a fraction of the number.
    const NARROW: f64 = 1.0 / 64.0;
    let found = number(bits);
    let is_narrow = bounds.high - bounds.low <= NARROW * found.abs();
    if Some(bits) == poison && !is_narrow {
        return f64::INFINITY;
    }
    // The distance to a neighbour widens narrow intervals.
    let step = (number(bits ^ 1) - found).abs();
    match bounds.low == bounds.high || !step.is_finite() {
        true => bounds.error(found, 0.0),
        false => bounds.error(found, step),
    }
}

/// Returns bounds as text, such as "1.5 ± 3.0e-6 or NaN".
fn words(kind: ScalarType, bounds: NumericInterval) -> String {
    let NumericInterval { low, high, nan } = bounds;
    let show = |number: f64| match kind.is_integer() {
        true => number.to_string(),
        false => kind.show(kind.round(number)),
    };
    let numbers = match high - low {
        _ if bounds.is_nan() => None,
        _ if low == high => Some(show(low)),
        width if width.is_finite() => {
            let middle = low + width / 2.0;
            Some(format!("{} ± {:.1e}", show(middle), width / 2.0))
        }
        _ => Some(format!("{} to {}", show(low), show(high))),
    };
    let nan = nan.then(|| "NaN".to_owned());
    let all: Vec<String> = numbers.into_iter().chain(nan).collect();
    all.join(" or ")
}
