//! The graph of a program under construction: equal computations are one value.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use super::{FOLDS, MAX_VALUES, ProgramInput, has_bounds};
use crate::comparator::{Opcode, Region, ScalarType};
use crate::reduction::Combining;

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
    Constant(u64),
    Operation(Opcode, ArrayVec<ProgramValue, 3>),
    /// The fold of a row, an f32.
    Fold(Combining, ProgramValue),
}

impl ProgramNode {
    pub(super) fn operands(&self) -> &[ProgramValue] {
        match self {
            ProgramNode::Input(_) | ProgramNode::Constant(_) => &[],
            ProgramNode::Operation(_, operands) => operands,
            ProgramNode::Fold(_, element) => std::slice::from_ref(element),
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

    /// Returns the numbers of the inputs that these values need.
    pub(crate) fn inputs_of(&self, values: &[ProgramValue]) -> Vec<usize> {
        let mut is_needed = vec![false; self.nodes.len()];
        values.iter().for_each(|it| is_needed[it.index()] = true);
        let mut inputs = Vec::new();
        for value in self.values().rev() {
            if !is_needed[value.index()] {
                continue;
            }
            match self.node(value) {
                ProgramNode::Input(number) => inputs.push(*number),
                node => node
                    .operands()
                    .iter()
                    .for_each(|it| is_needed[it.index()] = true),
            }
        }
        inputs.sort_unstable();
        inputs
    }

    /// Returns the same values of these inputs, each with its number before. Values of other
    /// inputs must not be used.
    pub(crate) fn with_inputs(&self, inputs: &[(usize, ProgramInput)]) -> ProgramGraph {
        let types: Vec<ProgramInput> = inputs.iter().map(|it| it.1).collect();
        let mut graph = ProgramGraph::new(&types);
        for (node, scalar) in &self.nodes {
            let node = match node {
                ProgramNode::Input(number) => {
                    let known = inputs.iter().position(|it| it.0 == *number);
                    // The number of an unused input stays different from all others.
                    ProgramNode::Input(known.unwrap_or(self.inputs.len() + number))
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
        nodes.any(|it| it.0 == ProgramNode::Input(input))
    }

    pub(super) fn add(&mut self, node: ProgramNode, scalar: ScalarType) -> ProgramValue {
        let key = (node, scalar);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let varies = match &key.0 {
            ProgramNode::Input(_) => true,
            ProgramNode::Constant(_) | ProgramNode::Fold(..) => false,
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

    fn check_size(&self) -> Result<(), String> {
        match self.nodes.len() < MAX_VALUES {
            true => Ok(()),
            false => Err(format!("a program has at most {MAX_VALUES} values")),
        }
    }
}
