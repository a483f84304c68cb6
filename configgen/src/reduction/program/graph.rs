//! The graph of a program under construction: equal computations are one value.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use super::{FOLDS, MAX_VALUES, ProgramInput, has_bounds};
use crate::comparator::{Opcode, Region, ScalarType};
use crate::reduction::{Combining, Extent};
use crate::shape::MAX_RANK;

/// The reason why an expression has no single value in a row.
const NO_POSITION: &str = "this differs between the elements of a row: write at(VALUE,POSITION)";

/// The reason why an index has no single value in a row.
const NO_INDEX: &str = "an index belongs to an element: write it inside a fold or beside x";

/// The number of a value of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ProgramValue(pub(super) u32);

impl ProgramValue {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The computation of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ProgramNode {
    /// An element of an input.
    Input(usize),
    /// The index of the element along a dimension, an i32.
    Index(usize),
    Constant(u64),
    Operation(Opcode, ArrayVec<ProgramValue, 3>),
    /// The fold of a row, an f32.
    Fold(Combining, ProgramValue),
    /// An input's element at a position of the row, or 0 if the row has no such position. An input
    /// with one element for the whole row needs no position.
    At(usize, Option<ProgramValue>),
}

impl ProgramNode {
    pub(super) fn operands(&self) -> &[ProgramValue] {
        match self {
            ProgramNode::Input(_) | ProgramNode::Index(_) | ProgramNode::Constant(_) => &[],
            ProgramNode::Operation(_, operands) => operands,
            ProgramNode::Fold(_, element) => std::slice::from_ref(element),
            ProgramNode::At(_, position) => position.as_slice(),
        }
    }
}

/// The values of a program, each behind its operands.
#[derive(Debug, Clone)]
pub(crate) struct ProgramGraph {
    inputs: Vec<ProgramInput>,
    nodes: Vec<(ProgramNode, ScalarType)>,
    /// Set for each value that depends on an element, not only on folds of its row.
    varies: Vec<bool>,
    known: HashMap<(ProgramNode, ScalarType), ProgramValue>,
}

impl ProgramGraph {
    pub(crate) fn new(inputs: &[ProgramInput]) -> ProgramGraph {
        ProgramGraph {
            inputs: inputs.to_vec(),
            nodes: Vec::new(),
            varies: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub(super) fn inputs(&self) -> &[ProgramInput] {
        &self.inputs
    }

    pub(super) fn node(&self, value: ProgramValue) -> &ProgramNode {
        &self.nodes[value.index()].0
    }

    /// Returns the type of a value.
    pub(crate) fn scalar(&self, value: ProgramValue) -> ScalarType {
        self.nodes[value.index()].1
    }

    /// Returns whether a value may differ between the elements of a row.
    pub(crate) fn varies(&self, value: ProgramValue) -> bool {
        self.varies[value.index()]
    }

    pub(super) fn constant_bits(&self, value: ProgramValue) -> Option<u64> {
        match *self.node(value) {
            ProgramNode::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// Returns the number of a constant.
    pub(crate) fn number(&self, value: ProgramValue) -> Option<f64> {
        let (scalar, bits) = (self.scalar(value), self.constant_bits(value)?);
        Some(match scalar.is_float() {
            true => scalar.to_f64(bits),
            false => scalar.signed(bits) as f64,
        })
    }

    /// Returns all values, operands first.
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = ProgramValue> + use<> {
        (0..self.nodes.len() as u32).map(ProgramValue)
    }

    /// Returns the folds, in their order.
    pub(super) fn folds(&self) -> impl Iterator<Item = ProgramValue> {
        let is_fold = |it: &ProgramValue| matches!(self.node(*it), ProgramNode::Fold(..));
        self.values().filter(is_fold)
    }

    /// Returns the elements at positions, each behind those that its position needs.
    pub(super) fn elements_at(&self) -> impl Iterator<Item = ProgramValue> {
        let is_one = |it: &ProgramValue| matches!(self.node(*it), ProgramNode::At(..));
        self.values().filter(is_one)
    }

    /// Returns the dimensions with indices in the graph.
    pub(super) fn indices(&self) -> Vec<usize> {
        let mut dimensions: Vec<usize> = (self.nodes.iter())
            .filter_map(|it| match it.0 {
                ProgramNode::Index(dimension) => Some(dimension),
                _ => None,
            })
            .collect();
        dimensions.sort_unstable();
        dimensions
    }

    /// Returns the numbers of the inputs that these values need, and the dimensions with indices.
    pub(crate) fn inputs_of(&self, values: &[ProgramValue]) -> (Vec<usize>, Vec<usize>) {
        let mut is_needed = vec![false; self.nodes.len()];
        values.iter().for_each(|it| is_needed[it.index()] = true);
        let (mut inputs, mut indices) = (Vec::new(), Vec::new());
        for value in self.values().rev() {
            if !is_needed[value.index()] {
                continue;
            }
            let node = self.node(value);
            if let ProgramNode::Input(number) | ProgramNode::At(number, _) = node {
                inputs.push(*number);
            }
            if let ProgramNode::Index(dimension) = node {
                indices.push(*dimension);
            }
            let operands = node.operands().iter();
            operands.for_each(|it| is_needed[it.index()] = true);
        }
        inputs.sort_unstable();
        inputs.dedup();
        (inputs, indices)
    }

    /// Returns the same values of these inputs, each with its number before. The same holds for the
    /// dimensions of `indices`. Values of others must not be used.
    pub(crate) fn with_inputs(
        &self,
        inputs: &[(usize, ProgramInput)],
        indices: &[(usize, usize)],
    ) -> ProgramGraph {
        let types: Vec<ProgramInput> = inputs.iter().map(|it| it.1).collect();
        let mut graph = ProgramGraph::new(&types);
        let renamed = |number: usize| {
            let known = inputs.iter().position(|it| it.0 == number);
            // The number of an unused input stays different from all others.
            known.unwrap_or(self.inputs.len() + number)
        };
        for (node, scalar) in &self.nodes {
            let node = match node {
                ProgramNode::Input(number) => ProgramNode::Input(renamed(*number)),
                ProgramNode::At(number, position) => ProgramNode::At(renamed(*number), *position),
                ProgramNode::Index(dimension) => {
                    let known = indices.iter().find(|it| it.0 == *dimension);
                    ProgramNode::Index(known.map_or(MAX_RANK + dimension, |it| it.1))
                }
                other => other.clone(),
            };
            graph.add(node, *scalar);
        }
        graph
    }

    /// Returns whether some value is an element of input number `input`.
    pub(super) fn uses(&self, input: usize) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|it| match it.0 {
            ProgramNode::Input(number) | ProgramNode::At(number, _) => number == input,
            _ => false,
        })
    }

    pub(super) fn add(&mut self, node: ProgramNode, scalar: ScalarType) -> ProgramValue {
        let key = (node, scalar);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let varies = match &key.0 {
            // An index along a parallel dimension counts as different, too.
            ProgramNode::Input(_) | ProgramNode::Index(_) => true,
            ProgramNode::Constant(_) | ProgramNode::Fold(..) | ProgramNode::At(..) => false,
            ProgramNode::Operation(_, operands) => operands.iter().any(|&it| self.varies(it)),
        };
        let value = ProgramValue(self.nodes.len() as u32);
        self.nodes.push(key.clone());
        self.varies.push(varies);
        self.known.insert(key, value);
        value
    }

    /// Adds an element of an input.
    pub(crate) fn input(&mut self, input: usize) -> ProgramValue {
        let scalar = self.inputs[input].element.into();
        self.add(ProgramNode::Input(input), scalar)
    }

    /// Adds the index of the element along a dimension.
    pub(crate) fn index(&mut self, dimension: usize) -> ProgramValue {
        self.add(ProgramNode::Index(dimension), ScalarType::I32)
    }

    /// Adds a constant, by its bits.
    pub(crate) fn constant(&mut self, bits: u64, scalar: ScalarType) -> ProgramValue {
        self.add(ProgramNode::Constant(bits), scalar)
    }

    /// Adds an operation.
    ///
    /// # Errors
    /// Returns a message if the operation does not take these operands, or if no program has it.
    pub(crate) fn operation(
        &mut self,
        opcode: Opcode,
        operands: &[ProgramValue],
        result: ScalarType,
    ) -> Result<ProgramValue, String> {
        self.check_size()?;
        // Any number of them: a text may have too many.
        let types: Vec<ScalarType> = operands.iter().map(|&it| self.scalar(it)).collect();
        Region::fits(opcode, &types, result)?;
        if !has_bounds(opcode, &types, result) {
            return Err(format!(
                "{} of {} is not part of a row program",
                opcode.name(),
                types.first().copied().unwrap_or(result)
            ));
        }
        // The conversion of a constant is a constant.
        if let (Opcode::Extf | Opcode::Truncf, Some(number)) = (opcode, self.number(operands[0]))
            && !number.is_nan()
        {
            return Ok(self.constant(result.round(number), result));
        }
        // A condition that holds changes no other one.
        if opcode == Opcode::Andi
            && let Some(place) = operands
                .iter()
                .position(|&it| self.constant_bits(it) == Some(1))
        {
            return Ok(operands[1 - place]);
        }
        // A sign in front of a number is a part of it.
        if let (Opcode::Negf, Some(bits)) = (opcode, self.constant_bits(operands[0])) {
            return Ok(self.constant(bits ^ result.sign_bit(), result));
        }
        let operands = operands.iter().copied().collect();
        Ok(self.add(ProgramNode::Operation(opcode, operands), result))
    }

    /// Adds the fold of a row.
    ///
    /// # Errors
    /// Returns a message if the elements are no f32, or if they are the same in the whole row.
    pub(crate) fn fold(
        &mut self,
        combining: Combining,
        element: ProgramValue,
    ) -> Result<ProgramValue, String> {
        self.check_size()?;
        let scalar = self.scalar(element);
        if !FOLDS.iter().any(|it| it.1 == combining) {
            return Err(format!(
                "{} is not a fold of a row program",
                combining.name()
            ));
        }
        if scalar != ScalarType::F32 {
            return Err(format!("folds take f32, and this is {scalar}"));
        }
        if !self.varies(element) {
            return Err(
                "this is the same for all elements of a row, so it is not folded".to_owned(),
            );
        }
        Ok(self.add(ProgramNode::Fold(combining, element), ScalarType::F32))
    }

    /// Adds the value that an expression has at a position of the row. Without a position, each
    /// input of the expression must have one element for the whole row.
    ///
    /// # Errors
    /// Returns a message if the position is no integer of the row, or if there must be one.
    pub(crate) fn at(
        &mut self,
        value: ProgramValue,
        position: Option<ProgramValue>,
    ) -> Result<ProgramValue, String> {
        let position = match position {
            Some(position) => {
                let scalar = self.scalar(position);
                if !matches!(scalar, ScalarType::I32 | ScalarType::I64) {
                    return Err(format!("a position is an i32 or i64, and this is {scalar}"));
                }
                Some(self.at(position, None)?)
            }
            None => None,
        };
        self.moved(value, position, &mut HashMap::new())
    }

    /// Returns a value at a position. At most as many calls nest as a program has values.
    fn moved(
        &mut self,
        value: ProgramValue,
        position: Option<ProgramValue>,
        known: &mut HashMap<ProgramValue, ProgramValue>,
    ) -> Result<ProgramValue, String> {
        if !self.varies(value) {
            return Ok(value);
        }
        if let Some(&known) = known.get(&value) {
            return Ok(known);
        }
        let node = match self.node(value).clone() {
            ProgramNode::Input(number) => {
                let is_of_row = self.inputs[number].extent == Extent::Rows;
                if !is_of_row && position.is_none() {
                    return Err(NO_POSITION.to_owned());
                }
                ProgramNode::At(number, position.filter(|_| !is_of_row))
            }
            ProgramNode::Index(_) => return Err(NO_INDEX.to_owned()),
            ProgramNode::Operation(opcode, operands) => {
                let operands = operands.iter().map(|&it| self.moved(it, position, known));
                ProgramNode::Operation(opcode, operands.collect::<Result<_, _>>()?)
            }
            fixed => fixed,
        };
        self.check_size()?;
        let made = self.add(node, self.scalar(value));
        known.insert(value, made);
        Ok(made)
    }

    fn check_size(&self) -> Result<(), String> {
        match self.nodes.len() < MAX_VALUES {
            true => Ok(()),
            false => Err(format!("a program has at most {MAX_VALUES} values")),
        }
    }
}
