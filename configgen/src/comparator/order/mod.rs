//! What a generator needs to know of a comparator: whether it is an order, which class it is of, and where to start.
//!
//! A row is reduced in pieces, in any distribution, and the result is still the fold's if the comparator orders the
//! values that can become the accumulator: as a strict weak order (of equal elements the first wins), or as a total
//! preorder (it holds of equal elements; the last wins). Values that never replace anything, such as a NaN under `ogt`,
//! need no place in the order; what can be *reached* starts at the worst value. Where the fold starts at any value, those
//! that neither replace another nor are replaced need none: it stays at one. Those that are replaced and never replace are
//! never reached but as the start, and of them it is enough that whatever is no worse than a value that replaces one
//! replaces it, too.
//!
//! An order is *proved*, by its `form` or by trying all values of a type of at most 8 bits, or it is none to rely on. Trying
//! some `values` of a larger type can *refute* it, with values that show it, but never prove it.

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

/// What is known of a comparator as an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparatorOrder {
    /// Whether it orders the values that a fold from [`start`](Self::start) reaches.
    pub from_start: OrderProof,
    /// Whether it orders those that a fold from any value reaches.
    pub from_anywhere: OrderProof,
    /// Which of equal elements wins; where it is no order, what holds of the start.
    pub ties: Ties,
    /// A value that every value that can be reached replaces or equals. `None` where none was found.
    pub worst: Option<Worst>,
    /// The bits of the value at which a fold without an initial value starts: the worst one if it is known, otherwise the
    /// one of the values tried from which most others can be reached.
    pub start: u64,
    /// How the comparator can be computed.
    pub class: Class,
}

/// The elements at which the constants of a comparator matter, and those next to them: where one that seems to be an order
/// may turn out to be none. Empty where it has no constants.
pub fn near_constants(comparator: &super::Comparator) -> Vec<u64> {
    probe_values::near_constants(comparator.region())
}

/// What the form of a comparator proves, where it proves it to be an order.
#[cfg(test)]
pub(super) fn proved(comparator: &super::Comparator) -> Option<ComparatorOrder> {
    let region = comparator.region();
    ComparatorOrder::proved(region, &Class::of(region), &KeyForm::of(region)?)
}

/// What trying values says of a comparator.
#[cfg(test)]
pub(super) fn tried(comparator: &super::Comparator) -> ComparatorOrder {
    ComparatorOrder::tried(comparator.region(), Class::of(comparator.region()))
}

/// Whether a comparator is an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderProof {
    /// It is one.
    Proved,
    /// No proof was found, and none of the values tried shows the opposite.
    Unproved,
    /// It is none.
    Refuted(Counterexample),
}

/// Which of equal elements the fold keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The first: the comparator does not hold of equal elements.
    First,
    /// The last: it does.
    Last,
}

impl ComparatorOrder {
    /// Whether values show that it is none, whatever the fold starts at.
    pub fn is_refuted(&self) -> bool {
        matches!(self.from_start, OrderProof::Refuted(_))
    }

    /// The order of a canonical region of two arguments.
    pub(super) fn of(region: &Region) -> ComparatorOrder {
        let class = Class::of(region);
        let form = KeyForm::of(region);
        let proved = form
            .as_ref()
            .and_then(|form| ComparatorOrder::proved(region, &class, form));
        match proved {
            Some(order) if order.from_anywhere == OrderProof::Proved => order,
            // What may be an order from some values only is tried on all.
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

    /// That of a comparator whose form proves it to be one, at least from the start.
    fn proved(region: &Region, class: &Class, form: &KeyForm) -> Option<ComparatorOrder> {
        let anywhere = form.ties(&form.connected());
        let active = form.active();
        let ties = anywhere.or_else(|| form.ties(&active))?;
        let element = region.element();
        let first = match class {
            Class::Extreme(extreme) => worst_value::usual(extreme, element),
            Class::Pair => 0,
        };
        // What a fold starts at is replaced, or replaces: of what does neither nothing is reached.
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
                    let all: Vec<u64> = match element.bits() {
                        ..=16 => (0..=element.mask()).collect(),
                        _ => tried(),
                    };
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

    /// That of any comparator, by trying values.
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
        let is_all = element.bits() <= 8;
        let matrix = Matrix::new(region, &values);
        let start = match extreme_start {
            Some(_) => 0,
            None => matrix.start(),
        };
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
    /// Where z replaces nothing, y > z, and x is no worse than y, x > z. Broken: the last does not hold.
    Start,
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
                "neither {x} nor {y} replaces the other, but equal elements replace each other"
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
