//! Concatenations as maps: one kernel computes each piece at its place.
//!
//! The result selects the piece by the index along the dimension. The other pieces are computed
//! there too, from elements beside their slices, and thrown away.

use super::chain::step::{ChainStep, ValueSource};
use super::fused_reduction::FusedReduction;
use super::terms::{TermIndex, TermInput, Terms};
use crate::Problem;

/// Returns the map of these operations with a concatenation among them; none if they are no
/// problem.
pub(super) fn concatenated<'a>(steps: &[&ChainStep<'a>]) -> Option<FusedReduction<'a>> {
    let (&last, before) = steps.split_last()?;
    let sizes: Vec<u64> = match last.slice() {
        Some((_, sizes)) => sizes.to_vec(),
        None => last
            .operands
            .last()?
            .sizes
            .iter()
            .copied()
            .collect::<Option<_>>()?,
    };
    let mut terms = Terms::of(before);
    let access = (0..sizes.len()).map(|it| Some(TermIndex::along(it)));
    let source = ValueSource::Defined(last.place.offset(), 0);
    let result = terms.computed(last, source, &access.collect())?;
    let texts = |input: &TermInput<'_, 'a>| {
        let (used, places) = input;
        let along = places.iter().zip(&used.sizes);
        let along = along.filter_map(|(at, size)| Some(along_text((*at)?, (*size)?, &sizes)));
        along.collect::<Vec<_>>().join(",")
    };
    let plain: Vec<String> = (0..sizes.len()).map(|it| it.to_string()).collect();
    let plain = plain.join(",");
    // A kernel loads the elements of the first input side by side, if that has all of them.
    let (region, inputs, along) = terms.region_along(result, |it| texts(it) == plain)?;
    // A slice of an empty tensor is no concatenation.
    if along.is_empty() {
        return None;
    }
    let mut text = format!("map({}):", region.compact());
    for size in &sizes {
        text += &format!("{size}x");
    }
    for (number, input) in inputs.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        text += &format!("{comma}{}", input.0.element);
        match texts(input) {
            all if all == plain => {}
            some => text += &format!("({some})"),
        }
    }
    for dimension in along {
        text += &format!(",index({dimension})");
    }
    let problem: Problem = text.parse().ok()?;
    Some(FusedReduction {
        problem,
        inputs: inputs.iter().map(|it| it.0.source).collect(),
        outputs: vec![Some(0)],
    })
}

/// Returns `1-64:128`: an index along a dimension of the problem, with the tensor's size.
fn along_text(at: TermIndex, size: u64, sizes: &[u64]) -> String {
    let TermIndex { dimension, offset } = at;
    let moved = match offset {
        0 => String::new(),
        _ => format!("{offset:+}"),
    };
    match size == sizes[dimension] {
        true => format!("{dimension}{moved}"),
        false => format!("{dimension}{moved}:{size}"),
    }
}
