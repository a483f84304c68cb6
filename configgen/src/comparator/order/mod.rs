//! What a generator needs to know of a comparator: whether it is an order, which class it is of, and where to start.
//!
//! A row is reduced in pieces, in any distribution, and the result is still the fold's if the comparator orders the
//! values that can become the accumulator: as a strict weak order (of equal elements the first wins), or as a total
//! preorder (it holds of equal elements; the last wins). Values that never replace anything, such as a NaN under `ogt`,
//! need no place in the order; what can be *reached* starts at the worst value.

mod class;
mod laws;
mod values;
mod worst;

use std::fmt;

use super::region::Region;
use super::scalar::ScalarType;

pub use class::{Class, Extreme, NanBehaviour, Side};
pub use worst::Worst;

use laws::Matrix;

/// What is known of a comparator as an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Which of equal elements wins, if the comparator orders the values that can be reached; otherwise values that show
    /// that it does not. Found by trying: all pairs of all values of an 8-bit type, of some hundred edge values and random
    /// ones of other types.
    pub ties: Result<Ties, Counterexample>,
    /// Whether the comparator orders all values tried in that way, reachable or not: then a fold may start anywhere.
    pub holds_everywhere: bool,
    /// A value that every value that can be reached replaces or equals. `None` where none was found.
    pub worst: Option<Worst>,
    /// The bits of the value at which a fold without an initial value starts: the worst one if it is known, otherwise the
    /// one of the values tried from which most others can be reached.
    pub start: u64,
    /// How the comparator can be computed.
    pub class: Class,
}

/// Which of equal elements the fold keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The first: the comparator does not hold of equal elements.
    First,
    /// The last: it does.
    Last,
}

impl Order {
    /// The order of a canonical region of two arguments.
    pub(super) fn of(region: &Region) -> Order {
        let class = Class::of(region);
        let extreme_start = match &class {
            Class::Extreme(extreme) => worst::of_extreme(extreme, region),
            Class::Pair => None,
        };
        let first = extreme_start.map(|worst| worst.bits);
        let values = values::of(region, first);
        let matrix = Matrix::new(region, &values);
        let start = match first {
            Some(_) => 0,
            None => matrix.start(),
        };
        let reachable = matrix.reachable(start);
        let holds_everywhere = matrix.ties(matrix.all()).is_ok();
        let ties = matrix
            .ties(reachable)
            .map_err(|(law, places)| Counterexample {
                law,
                element: region.element(),
                values: places.iter().map(|&place| values[place]).collect(),
            });
        let worst = match ties {
            Err(_) => None,
            Ok(_) if matrix.is_least(start, reachable) => Some(extreme_start.unwrap_or(Worst {
                bits: values[start],
                is_proven: values.len() == 256,
            })),
            Ok(_) => None,
        };
        Order {
            ties,
            holds_everywhere,
            worst,
            start: values[start],
            class,
        }
    }
}

/// A law that the comparator breaks. x, y and z are values; x > y stands for "x replaces y".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// x > x for all x, or for none. Broken: x > x, and not y > y.
    Uniform,
    /// x > y and y > x exclude each other. Broken: both hold.
    Asymmetric,
    /// x > y or y > x. Broken: neither holds.
    Total,
    /// x > y and y > z give x > z. Broken: the last does not hold.
    Transitive,
    /// Where neither of x, y replaces the other, nor of y, z, none of x, z does. Broken: x > z or z > x.
    TransitiveTies,
}

/// Values that show that a comparator orders nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// The law that the values break.
    pub law: Law,
    /// The type of the values.
    pub element: ScalarType,
    /// The bits of x, y and, of three values, z.
    pub values: Vec<u64>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self
            .values
            .iter()
            .map(|&bits| self.element.show(bits))
            .collect();
        let value = |place: usize| shown.get(place).map_or("", String::as_str);
        let (x, y, z) = (value(0), value(1), value(2));
        match self.law {
            Law::Uniform => write!(f, "{x} replaces {x}, but {y} does not replace {y}"),
            Law::Asymmetric => write!(f, "{x} replaces {y}, and {y} replaces {x}"),
            Law::Total => write!(
                f,
                "neither of {x} and {y} replaces the other, but equal elements replace each other"
            ),
            Law::Transitive => write!(
                f,
                "{x} replaces {y}, and {y} replaces {z}, but {x} does not replace {z}"
            ),
            Law::TransitiveTies => write!(
                f,
                "{x} and {y} tie, and {y} and {z} tie, but {x} and {z} do not: one replaces the other"
            ),
        }
    }
}
