//! Equal dimensions of a chain's tensors, over all its operations.

use std::collections::{HashMap, HashSet};

use super::axes::Axes;
use super::step::{ChainOperand, ChainRefusal, ChainStep, ChainStepKind, ValueSource};
use crate::comparator::ScalarType;

/// The axis of each dimension of a tensor.
///
/// It is none for size 1, and for a tensor that is constant along the dimension.
pub(super) type Dimensions = Vec<Option<usize>>;

/// A tensor that the chain does not compute.
pub(super) struct Leaf<'a> {
    pub(super) source: ValueSource<'a>,
    pub(super) name: &'a str,
    pub(super) sizes: Vec<Option<u64>>,
    pub(super) element: ScalarType,
    /// The numbers of the axes, below 64.
    pub(super) dimensions: Vec<Option<u32>>,
    pub(super) axes: Dimensions,
}

/// The axes of all tensors and iterations of a chain.
#[derive(Default)]
pub(super) struct ChainDimensions<'a> {
    pub(super) axes: Axes,
    /// The dimensions of each result of an operation.
    pub(super) tensors: HashMap<ValueSource<'a>, Dimensions>,
    pub(super) leaves: Vec<Leaf<'a>>,
    pub(super) inputs: HashMap<ValueSource<'a>, usize>,
    /// The byte offsets of operations on indices alone.
    pub(super) of_indices: HashSet<usize>,
    /// The axes of each operation's iteration, or the reason why it is in no row operation.
    pub(super) iterations: Vec<Result<Dimensions, ChainRefusal<'a>>>,
}

impl<'a> ChainDimensions<'a> {
    /// Walks through operations in the order of the text.
    pub(super) fn of(steps: &[&ChainStep<'a>]) -> ChainDimensions<'a> {
        let mut found = ChainDimensions::default();
        for step in steps {
            let iteration = found.iteration(step);
            found.iterations.push(iteration);
        }
        found.check_axes(steps);
        found
    }

    /// Returns whether no input of an operation is a leaf or has an axis.
    fn is_known(&self, step: &ChainStep<'a>) -> bool {
        let inputs = match step.kind {
            ChainStepKind::Generic { inputs, .. } => inputs,
            _ => step.operands.len(),
        };
        let mut inputs = step.operands.iter().take(inputs);
        inputs.all(|it| self.tensors.get(&it.source).is_some_and(Vec::is_empty))
    }

    /// Returns the axes of the dimensions that an operation iterates over.
    fn iteration(&mut self, step: &ChainStep<'a>) -> Result<Dimensions, ChainRefusal<'a>> {
        // Each user computes the elements at its own indices, so the results have no axes.
        if step.is_of_indices && self.is_known(step) {
            self.of_indices.insert(step.place.offset());
            let results = (0..step.results()).map(|it| (result(step, it), Vec::new()));
            self.tensors.extend(results);
            return Ok(Vec::new());
        }
        match &step.kind {
            ChainStepKind::Fill(..) | ChainStepKind::Splat(..) => {
                self.tensors.insert(first(step), Vec::new());
                Ok(Vec::new())
            }
            ChainStepKind::Refused(error) => Err(error.clone()),
            ChainStepKind::Named(_) => Err(ChainRefusal::new(
                step.place,
                "this is not part of any row operation",
            )),
            ChainStepKind::Reshape { to, .. } => {
                let of = self.dimensions(&step.operands[0])?;
                let mut of = of.into_iter().flatten();
                let dimensions = to.iter().map(|size| match size {
                    Some(1) => None,
                    _ => of.next(),
                });
                self.tensors.insert(first(step), dimensions.collect());
                Ok(Vec::new())
            }
            ChainStepKind::Generic {
                inputs,
                accesses,
                reduced,
                body,
                ..
            } => {
                let mut iteration: Dimensions = vec![None; reduced.len()];
                for (number, (operand, access)) in step.operands.iter().zip(accesses).enumerate() {
                    // The prior contents of an output do not matter if the body does not read
                    // them.
                    if number >= *inputs && !body.as_ref().is_ok_and(|body| body.uses(number)) {
                        continue;
                    }
                    let dimensions = self.dimensions(operand)?;
                    for (place, &at) in access.iter().enumerate() {
                        let size = operand.sizes[place];
                        let (Some(axis), false) =
                            (dimensions.get(place).copied().flatten(), size == Some(1))
                        else {
                            continue;
                        };
                        // A computed index may be any of the dimension.
                        let is_computed = at.is_none() && step.tables().contains(&number);
                        if is_computed {
                            continue;
                        }
                        if step.tables().contains(&number) && !step.iterates_over(at, size) {
                            let message = "the iteration may have another size than this dimension";
                            return Err(ChainRefusal::new(operand.place, message));
                        }
                        let Some(at) = at else {
                            let message = "this reads only the first position of a dimension";
                            return Err(ChainRefusal::new(operand.place, message));
                        };
                        let is_one = match iteration[at] {
                            Some(other) => self.axes.unite(axis, other),
                            None => true,
                        };
                        iteration[at].get_or_insert(axis);
                        if !is_one {
                            return Err(ChainRefusal::new(
                                operand.place,
                                format!(
                                    "dimension {at} of the iteration has another size in another operand"
                                ),
                            ));
                        }
                    }
                }
                // A constant and a function of indices have no axes, and iterate all the same.
                for (operand, access) in step.operands.iter().zip(accesses).take(*inputs) {
                    for (&at, &size) in access.iter().zip(&operand.sizes) {
                        if let Some(at) = at.filter(|_| size != Some(1)) {
                            iteration[at].get_or_insert_with(|| self.axes.add(size));
                        }
                    }
                }
                self.outputs(step, *inputs, &mut iteration)?;
                Ok(iteration)
            }
        }
    }

    /// Returns the dimensions of an operand, which is an earlier result or an input.
    fn dimensions(&mut self, operand: &ChainOperand<'a>) -> Result<Dimensions, ChainRefusal<'a>> {
        let another = || {
            Err(ChainRefusal::new(
                operand.place,
                "this operand has another type elsewhere",
            ))
        };
        if let Some(dimensions) = self.tensors.get(&operand.source) {
            let sizes = dimensions.iter().zip(&operand.sizes);
            // An operand's type may leave a known size open.
            let fits = sizes.clone().all(|(axis, size)| match axis {
                Some(axis) => *size == self.axes.size(*axis) || size.is_none(),
                None => *size == Some(1),
            });
            // A filled tensor is constant, so it has no axes and fits every shape.
            let is_filled = dimensions.is_empty();
            return match is_filled || (fits && dimensions.len() == operand.sizes.len()) {
                true => Ok(dimensions.clone()),
                false => another(),
            };
        }
        if let Some(&number) = self.inputs.get(&operand.source) {
            let leaf = &self.leaves[number];
            return match leaf.sizes == operand.sizes && leaf.element == operand.element {
                true => Ok(leaf.axes.clone()),
                false => another(),
            };
        }
        // An axis of size 1 could be any, so such a dimension has none.
        let add = |size: &Option<u64>| (*size != Some(1)).then(|| self.axes.add(*size));
        let axes: Dimensions = operand.sizes.iter().map(add).collect();
        self.inputs.insert(operand.source, self.leaves.len());
        self.leaves.push(Leaf {
            source: operand.source,
            name: operand.name,
            sizes: operand.sizes.clone(),
            element: operand.element,
            dimensions: Vec::new(),
            axes: axes.clone(),
        });
        Ok(axes)
    }

    /// Records the dimensions of an operation's results.
    fn outputs(
        &mut self,
        step: &ChainStep<'a>,
        inputs: usize,
        iteration: &mut Dimensions,
    ) -> Result<(), ChainRefusal<'a>> {
        let ChainStepKind::Generic {
            accesses, reduced, ..
        } = &step.kind
        else {
            return Ok(());
        };
        let operands = step.operands.iter().zip(accesses).skip(inputs);
        for (number, (operand, access)) in operands.enumerate() {
            let mut dimensions = Dimensions::new();
            for (&size, &at) in operand.sizes.iter().zip(access) {
                let axis = match (size, at) {
                    (Some(1), _) => None,
                    (_, Some(at)) if !reduced[at] => {
                        Some(*iteration[at].get_or_insert_with(|| self.axes.add(size)))
                    }
                    _ => {
                        let message = "an output must have the parallel dimensions of the iteration, and zeros";
                        return Err(ChainRefusal::new(operand.place, message));
                    }
                };
                let size_of = axis.and_then(|axis| self.axes.size(axis));
                if axis.is_some() && size.is_some() && size_of.is_some() && size_of != size {
                    return Err(ChainRefusal::new(
                        operand.place,
                        "the sizes of this output are not those of the iteration",
                    ));
                }
                dimensions.push(axis);
            }
            // A missing parallel dimension would mean that several iterations write one element.
            let is_whole = (0..reduced.len())
                .all(|d| reduced[d] || iteration[d].is_none() || access.contains(&Some(d)));
            if !is_whole {
                let message = "an output must have all parallel dimensions of the iteration";
                return Err(ChainRefusal::new(operand.place, message));
            }
            self.tensors.insert(result(step, number), dimensions);
        }
        Ok(())
    }

    /// Refuses operations in which two dimensions of an iteration or a tensor share an axis.
    fn check_axes(&mut self, steps: &[&ChainStep<'a>]) {
        let is_distinct = |dimensions: &Dimensions, axes: &Axes| {
            let mut found: Vec<usize> =
                dimensions.iter().flatten().map(|&it| axes.of(it)).collect();
            found.sort_unstable();
            found.windows(2).all(|pair| pair[0] != pair[1])
        };
        let leaves_are = self
            .leaves
            .iter()
            .all(|leaf| is_distinct(&leaf.axes, &self.axes));
        for (step, iteration) in steps.iter().zip(&mut self.iterations) {
            let is_wrong = match iteration {
                Ok(dimensions) => !leaves_are || !is_distinct(dimensions, &self.axes),
                Err(_) => false,
            };
            if is_wrong {
                let message = "this tensor is read along one dimension here and along another one elsewhere, as in a \
                               transposition";
                *iteration = Err(ChainRefusal::new(step.place, message));
                if !leaves_are {
                    break;
                }
            }
        }
    }
}

pub(super) fn first<'a>(step: &ChainStep<'a>) -> ValueSource<'a> {
    result(step, 0)
}

pub(super) fn result<'a>(step: &ChainStep<'a>, number: usize) -> ValueSource<'a> {
    ValueSource::Defined(step.place.offset(), number)
}
