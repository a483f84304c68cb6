//! The text of slices and concatenations.

use std::fmt::{self, Formatter};

use super::super::slice::SliceOperation;
use super::{FormOperation, OperationForm, Type, listed};

impl OperationForm {
    /// Prints an operation behind `%value =`.
    pub(super) fn slice(
        &self,
        f: &mut Formatter<'_>,
        part: &FormOperation,
        slice: &SliceOperation,
    ) -> fmt::Result {
        let to = &part.results[0];
        // A slice has all indices from its first one on.
        let place = |first: &[u64], of: &Type| {
            let sizes = listed(of.sizes.iter().flatten());
            let strides = listed(first.iter().map(|_| 1));
            format!("[{}] [{sizes}] [{strides}]", listed(first))
        };
        match (slice, &part.operands[..]) {
            (SliceOperation::Extract(first), [(operand, from)]) => writeln!(
                f,
                "tensor.extract_slice {}{} : {from} to {to}",
                self.operand(*operand),
                place(first, to)
            ),
            (SliceOperation::Insert(first), [(operand, from), (into, _)]) => writeln!(
                f,
                "tensor.insert_slice {} into {}{} : {from} into {to}",
                self.operand(*operand),
                self.operand(*into),
                place(first, from)
            ),
            (SliceOperation::Concat(along), operands) => {
                let names = operands.iter().map(|(it, _)| self.operand(*it));
                let kinds = operands.iter().map(|(_, kind)| kind);
                let (names, kinds) = (listed(names), listed(kinds));
                writeln!(f, "tensor.concat dim({along}) {names} : ({kinds}) -> {to}")
            }
            // The parser gives each operation its operands.
            _ => Err(fmt::Error),
        }
    }
}
