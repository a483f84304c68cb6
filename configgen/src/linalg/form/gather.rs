//! Operations that gather from tensors around their bodies.

use std::fmt::{self, Display, Formatter};

use super::{FormOperation, FormOperationKind, OperationForm, TensorSource, Type, listed};

/// An operation that gathers from tensors around its body.
///
/// A matcher of IREE goes from operands to producers, and such a tensor is no operand. A call to a
/// function with the operation therefore stands in its place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Gather {
    /// The operation, with arguments as operands.
    part: FormOperation,
}

impl Gather {
    pub(super) fn of(part: &FormOperation) -> Option<Gather> {
        let own =
            |(number, it): (usize, &(_, Type))| (TensorSource::Argument(number), it.1.clone());
        part.is_gather().then(|| Gather {
            part: FormOperation {
                operands: part.operands.iter().enumerate().map(own).collect(),
                ..part.clone()
            },
        })
    }

    /// Returns the name of the function: a digest of the operation.
    pub fn name(&self) -> String {
        let digest = blake3::hash(self.to_string().as_bytes()).to_hex();
        format!("wavetune_gather_{}", &digest[..16])
    }

    /// Returns the types of its operands: inputs, tensors around the body, and the output.
    pub fn operands(&self) -> impl Iterator<Item = &Type> {
        self.part.operands.iter().map(|(_, kind)| kind)
    }

    /// Returns the numbers of the operands that are tensors around the body.
    pub fn tables(&self) -> std::ops::Range<usize> {
        match &self.part.what {
            FormOperationKind::Generic { body, .. } => body.tables(),
            _ => 0..0,
        }
    }

    /// Returns the type of its result.
    pub fn result(&self) -> &Type {
        &self.part.results[0]
    }

    /// Prints the operation with these operands.
    pub fn generic(&self, operands: &[String]) -> String {
        let write = |f: &mut Formatter<'_>| self.part.generic(f, operands);
        fmt::from_fn(write).to_string()
    }
}

impl Display for Gather {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operands = (0..self.part.operands.len()).map(|it| format!("%operand{it}"));
        f.write_str(&self.generic(&operands.collect::<Vec<_>>()))
    }
}

impl OperationForm {
    /// Returns the operations with tensors around their bodies.
    pub fn gathers(&self) -> impl Iterator<Item = Gather> {
        self.parts.iter().filter_map(Gather::of)
    }

    /// Prints the call in place of such an operation. The generic form has no attribute that the
    /// call of a spec lacks.
    pub(super) fn gather(
        &self,
        f: &mut Formatter<'_>,
        part: &FormOperation,
        gather: &Gather,
    ) -> fmt::Result {
        let names = part.operands.iter().map(|(it, _)| self.operand(*it));
        writeln!(
            f,
            "\"util.call\"({}) <{{callee = @{}}}> : ({}) -> {}",
            listed(names),
            gather.name(),
            listed(gather.operands()),
            gather.result()
        )
    }
}
