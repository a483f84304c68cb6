//! Tensors around a body. The body takes elements of them at computed indices, and asserts things
//! about these indices.

use super::super::super::map::OperandAccess;
use super::super::super::operands::{LinalgOperand, typed_place};
use super::{BodyOperation, ChainBody, MAX_OPERANDS, ReadOperation, Reader};
use crate::comparator::{MlirToken, OperandType};

/// The messages of assertions that frontends write. GPU kernels of IREE have no assertions.
pub(in crate::linalg) const ASSERTIONS: [&str; 2] = [
    "index must be smaller than dim size",
    "index must be larger or equal to 0",
];

/// The limit of the tensors around a body: that of the elements, and that of their positions.
const MAX_TABLES: usize = 2;

/// A tensor around a body, with the body's access to one of its elements.
pub(in crate::linalg) struct BodyTable<'a> {
    pub(in crate::linalg) operand: LinalgOperand<'a>,
    /// The dimension of the iteration for each dimension of the tensor; none for a computed
    /// index.
    pub(in crate::linalg) access: OperandAccess,
}

impl<'a> ChainBody<'a> {
    /// Gives the tensors around the body arguments behind the first `inputs`.
    pub(super) fn insert_tables(&mut self, inputs: usize, tables: &[BodyTable<'a>]) {
        let moved = |value: &mut usize| {
            if *value >= inputs {
                *value += tables.len();
            }
        };
        let mut number = inputs;
        for instruction in &mut self.instructions {
            instruction.operands.iter_mut().for_each(moved);
            if instruction.what == BodyOperation::Extract {
                instruction.operands.insert(0, number);
                number += 1;
            }
        }
        self.yields.iter_mut().for_each(moved);
        let types = tables.iter().map(|it| it.operand.element);
        self.arguments.splice(inputs..inputs, types).for_each(drop);
        self.tables = tables.len();
    }
}

impl<'a> Reader<'_, 'a> {
    /// Parses `%table[%row, %column] : tensor<4x8xf32>`; returns none if it cannot.
    pub(super) fn extract(&mut self) -> Option<ReadOperation<'a>> {
        let place = self.cursor;
        let MlirToken::Value(name) = self.cursor.next() else {
            return None;
        };
        let is_full = self.tables.len() == MAX_TABLES;
        if self.names.contains_key(name) || is_full || !self.cursor.accept("[") {
            return None;
        }
        let mut indices = vec![self.operand().ok()?];
        while indices.len() < MAX_OPERANDS && self.cursor.accept(",") {
            indices.push(self.operand().ok()?);
        }
        (self.cursor.accept("]") && self.cursor.accept(":")).then_some(())?;
        let (type_place, tensor) = typed_place(&mut self.cursor).ok()?;
        let OperandType::Scalar(element) = tensor.element else {
            return None;
        };
        let first = self.body.arguments.len();
        let along = indices.iter().map(|it| {
            let made = self.body.instructions.get(it.checked_sub(first)?)?;
            match made.what {
                BodyOperation::Index(dimension) => Some(dimension),
                _ => None,
            }
        });
        let access: OperandAccess = along.collect();
        (access.len() == tensor.sizes.len()).then_some(())?;
        let operand = LinalgOperand {
            place,
            name,
            type_place,
            sizes: tensor.sizes,
            element,
        };
        self.tables.push(BodyTable { operand, access });
        Some((BodyOperation::Extract, indices, Some(element)))
    }

    /// Parses `%condition, "message"`; returns none if it cannot.
    pub(super) fn assertion(&mut self) -> Option<ReadOperation<'a>> {
        let condition = self.operand().ok()?;
        self.cursor.accept(",").then_some(())?;
        let MlirToken::Quoted(message) = self.cursor.next() else {
            return None;
        };
        let number = ASSERTIONS.iter().position(|it| *it == message)?;
        Some((BodyOperation::Assert(number), vec![condition], None))
    }
}
