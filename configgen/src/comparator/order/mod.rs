//! Order proofs of comparators: the facts that a generator needs to reduce rows in pieces.
//!
//! A row can be reduced in pieces, in any distribution, if the comparator orders the values that
//! can become the accumulator. The order may be a strict weak order: the first of equal elements
//! wins. It may also be a total preorder: the comparator holds for equal elements, and the last
//! wins.
//!
//! Some values need no place in the order:
//!
//! - A value that never replaces another, such as a NaN under `ogt`. The values that can be
//!   *reached* start at the worst value.
//! - If the fold starts at any value, a value that neither replaces another nor is replaced. The
//!   fold stays at it.
//! - A value that is replaced and never replaces is reached only as the start. For it, a weaker
//!   law suffices: if y replaces it and x is no worse than y, then x replaces it too.
//!
//! An order is *proved* by its `key_form`, or by trying all values of a type of at most 8 bits.
//! For a larger type, some `probe_values` can *refute* it with a counterexample, but never prove
//! it.

mod class;
mod constant_images;
mod key_form;
mod laws;
mod probe_values;
mod range;
mod worst_value;

use std::fmt;

use super::region::Region;
use super::scalar::ScalarType;

pub use class::{Class, Extreme, ExtremeKind, NanBehaviour};
pub use worst_value::Worst;

use key_form::KeyForm;
use laws::{BrokenLaw, Matrix};

/// The proof of a comparator as an order, with the facts that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparatorOrder {
    /// The proof for the values that a fold from [`start`](Self::start) reaches.
    pub from_start: OrderProof,
    /// The proof for the values that a fold from any value reaches.
    pub from_anywhere: OrderProof,
    /// The tie-break; without an order, that of the start value.
    pub ties: Ties,
    /// A value that every reachable value replaces or equals, or none if none was found.
    pub worst: Option<Worst>,
    /// The bits of the initial value of a fold without one.
    ///
    /// It is the worst value if that is known. Otherwise it is the tried value from which most
    /// others can be reached.
    pub start: u64,
    /// The class, which decides the computation.
    pub class: Class,
}

/// Returns the elements at and next to the constants of a comparator.
///
/// A comparator that seems to be an order may fail there. Without constants the list is empty.
pub fn near_constants(comparator: &super::Comparator) -> Vec<u64> {
    probe_values::near_constants(comparator.region())
}

/// Returns the order that the form of a comparator proves, if it does.
#[cfg(test)]
pub(super) fn proved(comparator: &super::Comparator) -> Option<ComparatorOrder> {
    let region = comparator.region();
    ComparatorOrder::proved(region, &Class::of(region), &KeyForm::of(region)?)
}

/// Returns the order as far as tried values show it.
#[cfg(test)]
pub(super) fn tried(comparator: &super::Comparator) -> ComparatorOrder {
    ComparatorOrder::tried(comparator.region(), Class::of(comparator.region()))
}

/// The proof status of a comparator as an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderProof {
    /// It is an order.
    Proved,
    /// There is no proof, and no tried value is a counterexample.
    Unproved,
    /// It is no order.
    Refuted(Counterexample),
}

/// The tie-break: which of equal elements the fold keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The first: the comparator does not hold for equal elements.
    First,
    /// The last: the comparator holds for equal elements.
    Last,
}

impl ComparatorOrder {
    /// Returns whether a counterexample refutes the order for every initial value.
    pub fn is_refuted(&self) -> bool {
        matches!(self.from_start, OrderProof::Refuted(_))
    }

    /// Returns the order of a canonical region with two arguments.
    pub(super) fn of(region: &Region) -> ComparatorOrder {
        let class = Class::of(region);
        let form = KeyForm::of(region);
        let proved = form
            .as_ref()
            .and_then(|form| ComparatorOrder::proved(region, &class, form));
        match proved {
            Some(order) if order.from_anywhere == OrderProof::Proved => order,
            // An order that may hold from some initial values only is tried from all.
            Some(order) => {
                let tried = ComparatorOrder::tried(region, class);
                ComparatorOrder {
                    from_anywhere: tried.from_anywhere,
                    ..order
                }
            }
            None => ComparatorOrder::tried(region, class),
        }
    }

    /// Returns the order of a comparator if its form proves it, at least from the start.
    fn proved(region: &Region, class: &Class, form: &KeyForm) -> Option<ComparatorOrder> {
        let anywhere = form.ties(&form.connected());
        // A proof for every start needs no further facts.
        let active = form.active();
        let ties = anywhere.or_else(|| form.ties(&active))?;
        let element = region.element();
        let first = match class {
            Class::Extreme(extreme) => worst_value::usual(extreme, element),
            Class::Pair => 0,
        };
        // The initial value must replace others or be replaced, or the fold reaches nothing from
        // it.
        let is_active = |bits: &u64| active[form.profile(*bits)];
        let ordered = if anywhere.is_some() {
            form.connected()
        } else {
            active.clone()
        };
        let is_ordered = |bits: u64| ordered[form.profile(bits)];
        let tried = || probe_values::of(region, Some(first));
        let first = match active.contains(&true) {
            true if is_active(&first) => first,
            true => tried().into_iter().find(is_active)?,
            false => first,
        };
        let (start, is_proven) =
            match worst_value::prove(region, first, is_ordered, |part, than| {
                form.is_not_worse(part, than, &ordered)
            }) {
                Some(worst) => (worst, true),
                None => {
                    // All values of 16 bits can be tried; they find the worst one exactly.
                    let all: Vec<u64> = match element.bits() {
                        ..=16 => (0..=element.mask()).collect(),
                        _ => tried(),
                    };
                    // Without a proof by parts, only a complete search is certain.
                    let mut evaluator = super::Evaluator::new(region);
                    let worst = all
                        .into_iter()
                        .filter(is_active)
                        .fold(first, |worst, next| {
                            let is_worse =
                                evaluator.compare(worst, next) && !evaluator.compare(next, worst);
                            if is_worse { next } else { worst }
                        });
                    (worst, element.bits() <= 16)
                }
            };
        // A start that is not active would need a stronger law.
        if anywhere.is_none() && !is_active(&start) {
            return None;
        }
        Some(ComparatorOrder {
            from_start: OrderProof::Proved,
            from_anywhere: match anywhere.is_some() || form.starts(ties) {
                true => OrderProof::Proved,
                false => OrderProof::Unproved,
            },
            ties,
            worst: Some(Worst {
                bits: start,
                is_proven,
            }),
            start,
            class: class.clone(),
        })
    }

    /// Returns the order of any comparator, by trying values.
    fn tried(region: &Region, class: Class) -> ComparatorOrder {
        let element = region.element();
        let extreme_start = match &class {
            Class::Extreme(extreme) => {
                let usual = worst_value::usual(extreme, element);
                worst_value::of_keys(extreme, probe_values::of(region, Some(usual)))
            }
            Class::Pair => None,
        };
        let values = probe_values::of(region, extreme_start);
        // Trying all 256 values of an 8-bit type is a proof.
        let is_all = element.bits() <= 8;
        let matrix = Matrix::new(region, &values);
        // The values begin with the extreme's start, if there is one.
        let start = match extreme_start {
            Some(_) => 0,
            None => matrix.start(),
        };
        // A sample cannot prove an order.
        let standing = |ties: Result<Ties, BrokenLaw>| match ties {
            Ok(_) if is_all => OrderProof::Proved,
            Ok(_) => OrderProof::Unproved,
            Err((law, places)) => OrderProof::Refuted(Counterexample {
                law,
                element,
                values: places.iter().map(|&place| values[place]).collect(),
            }),
        };
        let reachable = matrix.reachable(start);
        let from_start = standing(matrix.ties(reachable));
        let is_refuted = matches!(from_start, OrderProof::Refuted(_));
        let worst = match is_refuted {
            false if matrix.is_least(start, reachable) => Some(match is_all {
                true => Worst {
                    bits: values[start],
                    is_proven: true,
                },
                false => {
                    let proven = worst_value::prove(
                        region,
                        values[start],
                        |_| true,
                        |part, than| worst_value::is_not_worse(region, part, than),
                    );
                    Worst {
                        bits: proven.unwrap_or(values[start]),
                        is_proven: proven.is_some(),
                    }
                }
            }),
            _ => None,
        };
        let ties = matrix.ties_at(start);
        ComparatorOrder {
            from_start,
            from_anywhere: standing(matrix.ties_from_anywhere(ties)),
            ties,
            worst,
            start: worst.map_or(values[start], |worst| worst.bits),
            class,
        }
    }
}
/// A law that the comparator breaks. x, y and z are values; x > y means "x replaces y".
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
    /// If neither of x, y replaces the other, nor of y, z, none of x, z does. Broken: x > z or z
    /// > x.
    TransitiveTies,
    /// If z replaces nothing, y > z, and x is no worse than y, then x > z. Broken: the last
    /// fails.
    Start,
}

/// Values that prove that a comparator is no order.
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
            Law::Start => write!(
                f,
                "{y} replaces {z}, and {x} is no worse than {y}, but {x} does not replace {z}"
            ),
        }
    }
}
