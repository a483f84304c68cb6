//! Memory traffic of the operations of a chain that are in no part with a kernel of its own.

use std::collections::{HashMap, HashSet};

use super::step::{ChainOperand, ChainStep, ChainStepKind, NamedOperation, ValueSource};

/// The bytes of memory traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Traffic {
    /// The bytes that are read, each tensor once.
    pub read: u64,
    /// The bytes that are written.
    pub written: u64,
}

/// Returns the traffic of a chain's operations outside of all parts.
///
/// It assumes the smallest number of kernels, so it does not count values that these operations
/// pass to each other. `is_part` tells if the operation at a byte offset is in a part. The result
/// is none if a size is unknown.
pub(in crate::linalg) fn rest(
    chain: &[&ChainStep<'_>],
    is_part: impl Fn(usize) -> bool,
) -> Option<Traffic> {
    let steps: HashMap<usize, &ChainStep<'_>> =
        chain.iter().map(|it| (it.place.offset(), *it)).collect();
    let is_rest = |step: &ChainStep<'_>| {
        matches!(step.kind, ChainStepKind::Generic { .. }) && !is_part(step.place.offset())
    };
    let mut traffic = Traffic::default();
    let mut read = HashSet::new();
    let mut written: HashMap<ValueSource<'_>, u64> = HashMap::new();
    for step in chain {
        let inputs = match &step.kind {
            ChainStepKind::Generic { inputs, .. } => *inputs,
            ChainStepKind::Named(NamedOperation::ArgCompare(..)) => 1,
            _ => continue,
        };
        // Each tensor counts once, however many operations read it.
        for used in &step.operands[..inputs] {
            let source = origin(used.source, &steps);
            let by = match source {
                ValueSource::Defined(place, _) => steps.get(&place).copied(),
                ValueSource::Argument(_) => None,
            };
            match (is_rest(step), by.is_some_and(is_rest)) {
                // A part reads a result of the rest, so the rest must write it.
                (false, true) => {
                    written.insert(source, bytes(used)?);
                }
                (true, false) if !by.is_some_and(is_fill) && read.insert(source) => {
                    traffic.read = traffic.read.saturating_add(bytes(used)?);
                }
                _ => {}
            }
        }
    }
    let last = chain.last()?;
    let end = origin(ValueSource::Defined(last.place.offset(), 0), &steps);
    let ends = chain.iter().find(|it| {
        let is_end = |place| matches!(end, ValueSource::Defined(at, _) if at == place);
        is_end(it.place.offset()) && is_rest(it)
    });
    if let Some((step, ChainStepKind::Generic { inputs, .. })) = ends.map(|it| (it, &it.kind)) {
        for (number, output) in step.operands[*inputs..].iter().enumerate() {
            let source = ValueSource::Defined(step.place.offset(), number);
            written.insert(source, bytes(output)?);
        }
    }
    let all = written.values();
    traffic.written = all.fold(0, |sum, it| sum.saturating_add(*it));
    Some(traffic)
}

/// Returns the source of a value without reshapes, which keep the elements.
fn origin<'a>(
    mut source: ValueSource<'a>,
    steps: &HashMap<usize, &ChainStep<'a>>,
) -> ValueSource<'a> {
    while let ValueSource::Defined(place, _) = source
        && let Some(step) = steps.get(&place)
        && matches!(step.kind, ChainStepKind::Reshape { .. })
        && let Some(operand) = step.operands.first()
        // A value behind its use is invalid in MLIR; without this check such a text could loop
        // forever.
        && !matches!(operand.source, ValueSource::Defined(before, _) if before >= place)
    {
        source = operand.source;
    }
    source
}

fn is_fill(step: &ChainStep<'_>) -> bool {
    matches!(
        step.kind,
        ChainStepKind::Fill(..) | ChainStepKind::Splat(..)
    )
}

fn bytes(used: &ChainOperand<'_>) -> Option<u64> {
    let bytes = u64::from(used.element.bits().div_ceil(8));
    element_count(&used.sizes)?.checked_mul(bytes)
}

/// Returns the number of elements of a tensor; none if a size is open, or if they are too many to
/// count.
pub(super) fn element_count(sizes: &[Option<u64>]) -> Option<u64> {
    let mut sizes = sizes.iter();
    sizes.try_fold(1, |all: u64, size| all.checked_mul((*size)?))
}
