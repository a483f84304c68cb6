//! Tests with kernels simulated on the host: correct ones pass in any order, and the verdict
//! finds the mistakes of others.

mod kernels;
mod mistakes;
mod rows;
mod wrong;

use std::any::Any;

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use configgen::{ElementType, Problem};

use super::FoldReference;
use crate::inputs::Inputs;
use crate::operation::{LaunchInput, Reference};
use crate::packed_elements::PackedElements;
use crate::verdict::{Outputs, Verdict, compare};

/// The number of elements in a row, and of rows.
const N: usize = 150;
const ROWS: u64 = 4;

/// A kernel's inputs for one row.
struct Given {
    fold: Fold,
    /// The number of the row.
    number: u64,
    /// The elements as they lie in memory.
    raw: Vec<u64>,
    /// The elements of the next row.
    next: Vec<u64>,
}

impl Given {
    /// Returns the elements in the accumulator's type.
    fn widened(&self) -> Vec<u64> {
        self.each().map(|bits| self.fold.widened(bits)).collect()
    }

    /// Iterates over the elements.
    fn each(&self) -> impl Iterator<Item = u64> {
        let mask = ScalarType::from(self.fold.element()).mask();
        self.raw.iter().map(move |bits| bits & mask)
    }

    fn accumulator(&self) -> ScalarType {
        self.fold.accumulator().into()
    }
}

/// A kernel: it returns the bits of a row's result.
type Kernel<'a> = &'a mut dyn FnMut(&Given) -> u64;

/// Returns the fold of a problem.
fn fold(problem: &Problem) -> Fold {
    *problem.reduction.pairwise().expect("a plain reduction")
}

/// Returns the first verdict that is not correct, or that of all launches.
fn evaluate(inputs: &Inputs, kernel: Kernel<'_>) -> Verdict {
    let fold = fold(inputs.problem());
    let size = fold.accumulator().bytes() as usize;
    let mut error = 0f64;
    for launch in inputs.launches() {
        let rows: Vec<_> = inputs.checked(launch).collect();
        let all = |elements: PackedElements<'_>| -> Vec<u64> {
            let at = |place| elements.get(place).expect("an element");
            (0..elements.len()).map(at).collect()
        };
        let mut results = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let mask = ScalarType::from(fold.element()).mask();
            let next = all(rows[(place + 1) % rows.len()].elements);
            let given = Given {
                fold,
                number: row.number,
                raw: all(row.elements),
                next: next.into_iter().map(|bits| bits & mask).collect(),
            };
            results.extend_from_slice(&kernel(&given).to_le_bytes()[..size]);
        }
        let outputs = Outputs(vec![results.into()]);
        let all = 0..rows.len() as u64;
        let verdict = compare(inputs, launch, &outputs, std::slice::from_ref(&all));
        match verdict {
            Verdict::Right(another) => error = error.max(another),
            wrong => return wrong,
        }
    }
    Verdict::Right(error)
}

/// Returns every reduction of every element type with every accumulator. Integers are signed and
/// unsigned, and some folds have other initial values.
fn problems() -> Vec<Problem> {
    let mut all: Vec<Problem> = Vec::new();
    for combining in Combining::ALL {
        for element in ElementType::ALL {
            for accumulator in Fold::accumulators(combining, element) {
                let usual = Fold::accumulators(combining, element)[0] == *accumulator;
                let accumulator = match usual {
                    true => String::new(),
                    false => format!(":{accumulator}"),
                };
                for (unsigned, initial) in
                    [("", ""), ("u", ""), ("", ":initial=3"), ("u", ":initial=3")]
                {
                    let name = combining.name();
                    let text =
                        format!("{unsigned}{name}:{ROWS}x[{N}]x{element}{accumulator}{initial}");
                    all.extend(text.parse::<Problem>());
                }
            }
        }
    }
    all.dedup();
    all
}

/// Returns problems with rows of other lengths and other initial values.
fn odd_problems() -> Vec<Problem> {
    let mut all = Vec::new();
    for name in ["sum", "product", "max", "minnum"] {
        for element in ["f32", "f64", "bf16"] {
            for initial in [
                "nan", "inf", "-inf", "-0.0", "0", "1e30", "0.1", "-7", "1e-42", "3e38",
            ] {
                let text = format!("{name}:{ROWS}x[40]x{element}:initial={initial}");
                all.extend(text.parse::<Problem>());
            }
        }
    }
    for combining in Combining::ALL {
        for element in ElementType::ALL {
            for shape in ["[1]", "4x[2]", "[3]x5", "40x[5]", "2x[3000]"] {
                let text = format!("{}:{shape}x{element}", combining.name());
                all.extend(text.parse::<Problem>());
            }
        }
    }
    all
}

fn inputs(problem: &Problem) -> Inputs {
    Inputs::new(problem, 1).unwrap()
}

fn reference(launch: &LaunchInput) -> &FoldReference {
    let reference: &dyn Reference = launch.reference.as_ref();
    let reference: &dyn Any = reference;
    reference.downcast_ref().expect("a plain reduction")
}
