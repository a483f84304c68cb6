//! Reasons why a loop that selects a value and an index is no comparison of a problem.

use arrayvec::ArrayVec;

use super::chain::Chains;
use super::chain::body::{BodyOperation, ChainBody};
use super::chain::step::{ChainStep, ChainStepKind, ValueSource};
use super::terms::{Term, Terms};
use crate::comparator::{Comparator, Opcode, Region, ScalarType};

/// Returns the reason, if the operation selects a value and an index by one decision.
pub(super) fn refusal(chains: &Chains<'_>, last: &ChainStep<'_>) -> Option<String> {
    let ChainStepKind::Generic {
        inputs,
        accesses,
        body: Ok(body),
        ..
    } = &last.kind
    else {
        return None;
    };
    let (operands, outputs) = last.operands.split_at(*inputs);
    if outputs.len() != 2 {
        return None;
    }
    let mut terms = Terms::of(&[]);
    let mut arguments = terms.elements(last, operands, accesses)?;
    let found = [(); 2].map(|()| terms.push(Term::Accumulator));
    arguments.extend(found.map(Some));
    let &[Some(one), Some(other)] = &terms.results(body, arguments)?[..] else {
        return None;
    };
    let orders = [[(one, 0), (other, 1)], [(other, 1), (one, 0)]];
    orders.into_iter().find_map(|[(value, number), (place, of_place)]| {
        let value = SelectedValue::of(&terms, value, found[number])?;
        let place = SelectedValue::of(&terms, place, found[of_place])?;
        if value.decision != place.decision || value.keeps != place.keeps {
            return None;
        }
        let is_position = match terms.term(place.new) {
            Term::Place(_) => true,
            Term::Input(input) => is_iota(chains, operands.get(*input)?.source),
            _ => false,
        };
        let is_index = matches!(outputs[of_place].element, ScalarType::I32 | ScalarType::I64);
        if !is_index || !(is_position || matches!(terms.term(place.new), Term::Input(_))) {
            return None;
        }
        let reason = match is_position {
            false => "its indices are an input, and a kernel gives the positions of elements",
            true if [place.new, place.found].into_iter().any(|it| terms.needs(value.decision, it)) => {
                "it also decides by the indices. A kernel does so only in the form of jax.numpy.argmax, with its initial \
                 pair, in which the first NaN wins"
            }
            true => {
                let scalar = outputs[number].element;
                return Some(of_decision(&terms, &value, scalar));
            }
        };
        Some(reason.to_owned())
    })
}

/// The choice between a new value and the one found so far.
struct SelectedValue {
    decision: usize,
    /// Set if a true decision keeps the value found so far.
    keeps: bool,
    new: usize,
    found: usize,
}

impl SelectedValue {
    fn of(terms: &Terms<'_, '_>, term: usize, found: usize) -> Option<SelectedValue> {
        let Term::Operation(Opcode::Select, of, _) = terms.term(term) else {
            return None;
        };
        let &[decision, one, other] = &of[..] else {
            return None;
        };
        let keeps = one == found;
        (keeps != (other == found)).then_some(SelectedValue {
            decision,
            keeps,
            new: if keeps { other } else { one },
            found,
        })
    }
}

/// Returns whether a tensor has the position of each element along a dimension.
fn is_iota(chains: &Chains<'_>, source: ValueSource<'_>) -> bool {
    let ValueSource::Defined(place, _) = source else {
        return false;
    };
    let has_index = |body: &ChainBody<'_>| {
        let mut all = body.instructions.iter();
        all.any(|it| matches!(it.what, BodyOperation::Index(_)))
    };
    chains.at(place).is_some_and(|it| match &it.kind {
        ChainStepKind::Generic {
            inputs: 0,
            body: Ok(body),
            ..
        } => has_index(body),
        _ => false,
    })
}

/// Returns the reason for a decision by two elements alone.
fn of_decision(terms: &Terms<'_, '_>, value: &SelectedValue, scalar: ScalarType) -> String {
    let region = terms.of_two(value.decision, [value.new, value.found], scalar);
    let comparator = region.and_then(|it| match value.keeps {
        true => negated(it),
        false => Some(it),
    });
    match comparator.map(|it| Comparator::new(&it)) {
        Some(Err(error)) => error.message,
        Some(Ok(comparator)) if comparator.order().is_refuted() => {
            "its comparison is no order: a NaN replaces every element, or each element a NaN"
                .to_owned()
        }
        Some(Ok(_)) => {
            "it begins at another pair than the worst value and index 0, or in an unusual form"
                .to_owned()
        }
        None => "its comparison needs more than the two elements".to_owned(),
    }
}

/// Returns the region with the opposite result.
fn negated(mut region: Region) -> Option<Region> {
    let truth = ScalarType::I1;
    let one = region
        .append(Opcode::Constant(1), ArrayVec::new(), truth)
        .ok()?;
    let both = ArrayVec::from_iter([region.result(), one]);
    let not = region.append(Opcode::Xori, both, truth).ok()?;
    region.set_result(not);
    Some(region)
}
