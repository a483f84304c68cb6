//! Products of matrices.

use crate::operation::matrix::{MatrixAddend, MatrixOperands, MatrixOperation, MatrixSide};

/// A product of matrices. All lanes take part, whatever EXEC is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixAction {
    pub(crate) operation: MatrixOperation,
    pub(crate) operands: MatrixOperands,
}

impl MatrixAction {
    /// Returns the ranges of registers of A and B: first register and count.
    pub(crate) fn factors(&self) -> [(u16, u16); 2] {
        [
            (self.operands.a, MatrixSide::A),
            (self.operands.b, MatrixSide::B),
        ]
        .map(|(first, side)| (first, self.operation.source_registers(side) as u16))
    }

    /// Returns the ranges of registers that the product reads: first register and count.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (u16, u16)> {
        let MatrixOperands { to, c, index, .. } = self.operands;
        let (_, result) = self.writes();
        let c = match c {
            MatrixAddend::Register(register) => Some((register, result)),
            MatrixAddend::Constant(_) => None,
        };
        // A result in one half of each register keeps the other half.
        let kept = self.operation.keeps_halves().then_some((to, result));
        let index = index.map(|register| (register, 1));
        self.factors().into_iter().chain(c).chain(kept).chain(index)
    }

    /// Returns the range of registers that the product writes: first register and count.
    pub(crate) fn writes(&self) -> (u16, u16) {
        (self.operands.to, self.operation.result_registers() as u16)
    }
}
