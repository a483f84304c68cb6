//! Slices in front of a problem: its first input becomes a view of the whole tensor.
//!
//! IREE copies the slice for a kernel that takes it as a tensor, by a kernel of its own.

use super::chain::Chains;
use super::chain::step::{ChainStep, ChainStepKind, ValueSource};
use super::slice::SliceOperation;
use crate::Problem;

/// A problem with a slice among its operations.
pub(super) struct SlicedProblem<'s, 'a> {
    pub(super) problem: Problem,
    /// The operations in the order of the text, with the slice.
    pub(super) steps: Vec<&'s ChainStep<'a>>,
    /// The inputs, with the whole tensor in place of the slice.
    pub(super) inputs: Vec<ValueSource<'a>>,
}

/// A dimension of a tensor with the slice among its elements.
#[derive(Debug, Clone)]
struct SliceDimension {
    /// The dimension of the problem, or none for one of size 1 that the problem lacks.
    own: Option<usize>,
    /// The index of the slice's first element.
    offset: u64,
    /// The size of the tensor.
    size: u64,
}

impl<'s, 'a> SlicedProblem<'s, 'a> {
    /// Returns the problem of these operations with the slices and reshapes that make its first
    /// input, if there is a slice.
    pub(super) fn of(
        chains: &'s Chains<'a>,
        problem: &Problem,
        steps: &[&'s ChainStep<'a>],
        inputs: &[ValueSource<'a>],
    ) -> Option<Self> {
        let (&own, others) = inputs.split_first()?;
        let shape = &problem.shape;
        if shape.counts().is_some() || !shape.is_dense() || others.contains(&own) {
            return None;
        }
        let mut dimensions = own_dimensions(problem, &sizes(step_of(chains, own)?)?)?;
        let (mut steps, mut source) = (steps.to_vec(), own);
        let mut sliced = None;
        while let Some(step) = step_of(chains, source)
            && let Some(before) = moved(step, &dimensions)
        {
            // A value behind its use is invalid in MLIR.
            let reads = |it: &&&ChainStep<'a>| it.operands.iter().any(|of| of.source == source);
            let mut readers = steps.iter().filter(reads);
            if !readers.all(|it| step.place.offset() < it.place.offset()) {
                return None;
            }
            source = step.operands.first()?.source;
            dimensions = before;
            steps.push(step);
            // A reshape behind the last slice stays in the module.
            if step.slice().is_some() {
                sliced = Some((steps.clone(), source, dimensions.clone()));
            }
        }
        let (mut steps, source, dimensions) = sliced?;
        steps.sort_by_key(|it| it.place.offset());
        steps.dedup_by_key(|it| it.place.offset());
        let others = others.iter().copied();
        Some(SlicedProblem {
            problem: with_view(problem, &dimensions)?,
            steps,
            inputs: [source].into_iter().chain(others).collect(),
        })
    }
}

fn step_of<'s, 'a>(chains: &'s Chains<'a>, value: ValueSource<'a>) -> Option<&'s ChainStep<'a>> {
    match value {
        ValueSource::Defined(place, _) => chains.at(place),
        ValueSource::Argument(_) => None,
    }
}

/// Returns the sizes of the result of a slice or a reshape.
fn sizes(step: &ChainStep<'_>) -> Option<Vec<u64>> {
    match (&step.kind, step.slice()) {
        (_, Some((SliceOperation::Extract(_), sizes))) => Some(sizes.to_vec()),
        (ChainStepKind::Reshape { to, .. }, _) => to.iter().copied().collect(),
        _ => None,
    }
}

/// Returns the dimensions of a tensor of these sizes with the problem's elements: it may have
/// further ones of size 1.
fn own_dimensions(problem: &Problem, sizes: &[u64]) -> Option<Vec<SliceDimension>> {
    let shape = &problem.shape;
    let mut own = (0..shape.rank()).peekable();
    let all = sizes.iter().map(|&size| {
        let own = own.next_if(|&d| u64::from(shape.sizes()[d]) == size);
        (own.is_some() || size == 1).then_some(SliceDimension {
            own,
            offset: 0,
            size,
        })
    });
    let all = all.collect::<Option<Vec<_>>>()?;
    own.next().is_none().then_some(all)
}

/// Returns the dimensions of the tensor that a slice or a reshape reads, for those of its result.
fn moved(step: &ChainStep<'_>, dimensions: &[SliceDimension]) -> Option<Vec<SliceDimension>> {
    let is_same = sizes(step)?
        .into_iter()
        .eq(dimensions.iter().map(|it| it.size));
    let from = &step.operands.first()?.sizes;
    let from = from.iter().copied().collect::<Option<Vec<u64>>>()?;
    is_same.then_some(())?;
    if let Some((SliceOperation::Extract(begin), _)) = step.slice() {
        let all = dimensions.iter().zip(begin).zip(from);
        let all = all.map(|((it, begin), size)| SliceDimension {
            own: it.own,
            offset: it.offset.saturating_add(*begin),
            size,
        });
        return Some(all.collect());
    }
    // A reshape of these chains only adds or removes dimensions of size 1.
    let is_one = |it: &&SliceDimension| it.size == 1;
    if dimensions.iter().filter(is_one).any(|it| it.own.is_some()) {
        return None;
    }
    let mut long = dimensions.iter().filter(|it| it.size != 1);
    let all = from.iter().map(|&size| match size {
        1 => Some(SliceDimension {
            own: None,
            offset: 0,
            size,
        }),
        _ => long.next().cloned(),
    });
    all.collect()
}

/// Returns a problem with the dimensions of a tensor and a view of it as the first input, if it
/// may have one.
fn with_view(problem: &Problem, tensor: &[SliceDimension]) -> Option<Problem> {
    let shape = &problem.shape;
    // Operands and indices name dimensions by their numbers.
    let is_alone = problem.operands().is_empty() && problem.reduction.indices().is_empty();
    if tensor.len() != shape.rank() && !is_alone {
        return None;
    }
    let (mut dimensions, mut along) = (String::new(), Vec::new());
    for (number, SliceDimension { own, offset, size }) in tensor.iter().enumerate() {
        let of_slice = own.map_or(1, |d| u64::from(shape.sizes()[d]));
        dimensions += &match own.is_some_and(|d| shape.is_reduced(d)) {
            true => format!("[{of_slice}]x"),
            false => format!("{of_slice}x"),
        };
        along.push(match (*offset, *size == of_slice) {
            (0, true) => number.to_string(),
            _ => format!("{number}+{offset}:{size}"),
        });
    }
    let text = problem.to_string();
    let (name, element) = (problem.name(), problem.element);
    // The dimensions are behind the name, and the element type is behind them.
    let behind_name = name.len() + ":".len();
    let behind = text[behind_name..].find(&format!("x{element}"))? + behind_name;
    let rest = &text[behind + "x".len() + element.name().len()..];
    let along = along.join(",");
    format!("{name}:{dimensions}{element}({along}){rest}")
        .parse()
        .ok()
}
