//! The judge of row operations: it compares each element of a kernel's results with its bounds,
//! and describes differences.

use configgen::comparator::ScalarType;
use configgen::reduction::Extent;

use super::RowwiseReference;
use super::numeric_interval::NumericInterval;
use super::row::{Formulas, RowInputs};
use crate::operation::{Agreement, CheckedRow, Difference, Judge, RowResults, poison};

/// The judge of the rows of one launch.
pub(super) struct RowwiseJudge<'a> {
    launch: &'a RowwiseReference,
    formulas: Formulas,
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
    pub(super) fn new(launch: &RowwiseReference) -> RowwiseJudge<'_> {
        let formulas = Formulas::new(&launch.rowwise);
        RowwiseJudge {
            launch,
            formulas: formulas.expect("rows were made of them"),
        }
    }

    /// Returns the first wrong element, or else the one farthest from the middle of its bounds.
    fn farthest(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Element {
        let launch = self.launch;
        let elements = (0..row.elements.len()).filter_map(|column| row.elements.get(column));
        let numbers = RowInputs::new(elements, row.place, &launch.beside);
        let values = &launch.expected[row.place].values;
        let outputs = launch.rowwise.outputs().len();
        let results: Vec<_> = (0..outputs)
            .map(|output| (found.elements(output), launch.kind(output)))
            .collect();
        let mut farthest: Option<Element> = None;
        let mut take = |output: usize, column, bounds: NumericInterval| {
            let (packed, kind) = &results[output];
            let bits = packed.get(column).unwrap_or_default();
            let error = error(*kind, bounds, bits);
            if farthest.is_none_or(|it| it.error <= 1.0 && error > it.error) {
                farthest = Some(Element {
                    output,
                    column,
                    bounds,
                    found: bits,
                    error,
                });
            }
        };
        self.formulas.outputs(&numbers, values, &mut take);
        farthest.expect("a row has an element")
    }
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
        let tensor = &self.launch.rowwise.outputs()[element.output].tensor;
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
fn error(kind: ScalarType, bounds: NumericInterval, bits: u64) -> f64 {
    /// The width of narrow bounds, as a fraction of the number.
    const NARROW: f64 = 1.0 / 64.0;
    let found = kind.to_f64(bits);
    let is_wide = bounds.high - bounds.low > NARROW * found.abs();
    match bits == poison(kind.bits() / 8) && is_wide {
        true => f64::INFINITY,
        false if bounds.low == bounds.high => bounds.error(found, 0.0),
        false => bounds.error(found, step(kind, bits)),
    }
}

/// Returns the distance from a number to a neighbour of its type.
fn step(kind: ScalarType, bits: u64) -> f64 {
    let step = kind.to_f64(bits ^ 1) - kind.to_f64(bits);
    if step.is_finite() { step.abs() } else { 0.0 }
}

/// Returns bounds as text, such as "1.5 ± 3.0e-6 or NaN".
fn words(kind: ScalarType, bounds: NumericInterval) -> String {
    let NumericInterval { low, high, nan } = bounds;
    let show = |number: f64| kind.show(kind.round(number));
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
