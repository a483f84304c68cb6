//! A plain reduction as a `linalg.generic`: its form when IREE picks a configuration for it.
//!
//! A module contains this text, and a tuning spec matches it.
//!
//! The loops are the problem's dimensions, parallel ones first. IREE puts them in this order and
//! reads a configuration in it. Each input has an index map. The body applies the problem's
//! function to one element of each input, and combines the result with the accumulator.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use arrayvec::ArrayVec;

use crate::mlir::Tensor;
use configgen::comparator::{Block, Constant, Region, ScalarType};
use configgen::reduction::Fold;
use configgen::{Basis, Configuration, IndexMap, LoweringConfig, MAX_RANK, Problem, Tiles};

/// IREE's operation of a plain reduction: the types of its tensors and its MLIR text.
#[derive(Debug, Clone)]
pub struct Generic<'a> {
    problem: &'a Problem,
    fold: &'a Fold,
    /// The problem's dimensions in the order of the loops.
    loops: ArrayVec<usize, MAX_RANK>,
    /// The inputs, the problem's own first.
    inputs: Vec<(ScalarType, IndexMap)>,
    body: Region,
}

/// The operand names of an operation, each with its `%`, and the indentation of its text.
///
/// The block uses letters and numbers as names.
#[derive(Debug, Clone, Copy)]
pub struct GenericOperandNames<'a> {
    /// The inputs, in order.
    pub inputs: &'a [String],
    /// The initial accumulator.
    pub first: &'a str,
    /// Spaces before each line but the first.
    pub indent: usize,
}

impl<'a> Generic<'a> {
    /// Returns the operation of a problem, or none if the problem is no plain reduction.
    pub fn of(problem: &'a Problem) -> Option<Self> {
        let fold = problem.reduction.pairwise()?;
        let shape = &problem.shape;
        let own = (
            ScalarType::from(problem.element),
            IndexMap::all(shape.rank()),
        );
        let operands = problem.function.iter().flat_map(|it| it.operands());
        let operands = operands.map(|it| (ScalarType::from(it.element), it.map.clone()));
        let inputs: Vec<_> = [own].into_iter().chain(operands).collect();
        Some(Self {
            loops: shape.parallel().chain(shape.reduced()).collect(),
            body: fold.body(
                problem.function.as_ref(),
                inputs.iter().map(|(scalar, _)| *scalar),
            ),
            problem,
            fold,
            inputs,
        })
    }

    /// Returns the same operation with the operands of its combination swapped.
    ///
    /// Both compute the same result, but a matcher compares text and needs each form.
    #[must_use]
    pub fn turned(mut self) -> Self {
        self.body.turn();
        self
    }

    /// Returns the type of each input.
    pub fn inputs(&self) -> impl Iterator<Item = impl Display + '_> + '_ {
        let shape = &self.problem.shape;
        self.inputs.iter().map(move |(scalar, map)| {
            fmt::from_fn(move |f| {
                let open: ArrayVec<bool, MAX_RANK> =
                    map.dimensions().map(|d| shape.is_counted(d)).collect();
                let tensor = Tensor {
                    sizes: &map.sizes(shape),
                    open: &open,
                    element: scalar,
                };
                tensor.fmt(f)
            })
        })
    }

    /// Returns the type of the result.
    pub fn result(&self) -> impl Display + '_ {
        fmt::from_fn(|f| {
            let shape = &self.problem.shape;
            let sizes: ArrayVec<u32, MAX_RANK> =
                shape.parallel().map(|d| shape.sizes()[d]).collect();
            let open: ArrayVec<bool, MAX_RANK> =
                shape.parallel().map(|d| shape.is_counted(d)).collect();
            let tensor = Tensor {
                sizes: &sizes,
                open: &open,
                element: self.fold.accumulator(),
            };
            tensor.fmt(f)
        })
    }

    /// Returns whether the outermost size of its tensors is known at launch only.
    pub fn is_open(&self) -> bool {
        self.problem.shape.counts().is_some()
    }

    /// Returns the initial accumulator: a constant with its type.
    pub fn initial(&self) -> Constant {
        Constant(self.fold.initial(), self.fold.accumulator().into())
    }

    /// Returns the operation's text with these attributes (`{…}`, or nothing) and these operand
    /// names.
    pub fn to_mlir(
        &self,
        attributes: impl Display,
        names: GenericOperandNames<'_>,
    ) -> impl Display {
        fmt::from_fn(move |f| self.write(f, &attributes, names))
    }

    fn write(
        &self,
        f: &mut Formatter<'_>,
        attributes: &impl Display,
        names: GenericOperandNames<'_>,
    ) -> fmt::Result {
        let GenericOperandNames {
            inputs,
            first,
            indent,
        } = names;
        let maps = self.maps();
        let kinds = self
            .loops
            .iter()
            .map(|&d| match self.problem.shape.is_reduced(d) {
                true => "\"reduction\"",
                false => "\"parallel\"",
            });
        let kinds: Vec<&str> = kinds.collect();
        let types: Vec<String> = self.inputs().map(|it| it.to_string()).collect();
        let result = self.result();
        write!(
            f,
            "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} ins({} : {}) outs({first} : {result}){attributes} {{\n\
             {}{:indent$}}} -> {result}",
            maps.join(", "),
            kinds.join(", "),
            inputs.join(", "),
            types.join(", "),
            Block::of_body(&self.body).indented(indent),
            "",
        )
    }

    /// Returns the index maps of the inputs, then of the result.
    pub(crate) fn maps(&self) -> Vec<String> {
        let results = self.problem.shape.parallel();
        let inputs = self.inputs.iter();
        let maps = inputs.map(|(_, map)| self.map(map.dimensions()));
        maps.chain([self.map(results)]).collect()
    }

    /// Returns the affine map from the loops to these dimensions.
    fn map(&self, dimensions: impl Iterator<Item = usize>) -> String {
        let names = |numbers: &mut dyn Iterator<Item = usize>| {
            let names: Vec<String> = numbers.map(|number| format!("d{number}")).collect();
            names.join(", ")
        };
        let place = |d| self.loops.iter().position(|&it| it == d);
        let all = names(&mut (0..self.loops.len()));
        format!(
            "affine_map<({all}) -> ({})>",
            names(&mut dimensions.filter_map(place))
        )
    }

    /// Returns a configuration of the problem, with its lists in the order of the loops.
    pub fn configuration<'b>(&self, configuration: &'b Configuration) -> Cow<'b, Configuration> {
        // The problem's order is the loops' order for most problems, which saves a copy.
        if self.loops.iter().copied().eq(0..self.loops.len()) {
            return Cow::Borrowed(configuration);
        }
        let lowering = &configuration.lowering;
        let tiles = |tiles: &Tiles| -> Tiles {
            self.loops
                .iter()
                .filter_map(|&d| tiles.get(d).copied())
                .collect()
        };
        // Counts belong to digits, so only the mapping follows the loops. Canonical form keeps
        // one spelling.
        let basis = |basis: &Basis| {
            let mapping = self
                .loops
                .iter()
                .filter_map(|&d| basis.mapping.get(d).copied());
            Basis {
                counts: basis.counts.clone(),
                mapping: mapping.collect(),
            }
            .canonical()
        };
        Cow::Owned(Configuration {
            lowering: LoweringConfig {
                workgroup: tiles(&lowering.workgroup),
                partial_reduction: tiles(&lowering.partial_reduction),
                thread: tiles(&lowering.thread),
                lane_basis: basis(&lowering.lane_basis),
                subgroup_basis: basis(&lowering.subgroup_basis),
            },
            ..configuration.clone()
        })
    }
}
