//! Operations that gather from a tensor around their bodies.

use std::fmt::{self, Formatter};

use super::{FormOperation, FormOperationKind, OperationForm, Type, listed};

/// An operation that gathers from a tensor around its body.
///
/// A matcher of IREE goes from operands to producers, and such a tensor is no operand. A call
/// behind the operation therefore takes both, and returns the result of the operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TiedGather {
    /// The tensor around the body.
    pub table: Type,
    /// The result of the operation.
    pub gathered: Type,
}

impl TiedGather {
    fn of(part: &FormOperation) -> Option<TiedGather> {
        let [(_, table), (_, gathered)] = &part.operands[..] else {
            return None;
        };
        let is_tie = part.what == FormOperationKind::Tie;
        is_tie.then(|| TiedGather {
            table: table.clone(),
            gathered: gathered.clone(),
        })
    }

    /// Returns the name of the called function.
    pub fn name(&self) -> String {
        let word = |kind: &Type| -> String {
            let sizes = kind.sizes.iter().map(|size| match size {
                Some(size) => format!("{size}x"),
                None => "dx".to_owned(),
            });
            sizes.collect::<String>() + kind.element.name()
        };
        let (table, gathered) = (word(&self.table), word(&self.gathered));
        format!("wavetune_gather_{gathered}_from_{table}")
    }
}

impl OperationForm {
    /// Returns the operations with a tensor around their bodies.
    pub fn ties(&self) -> impl Iterator<Item = TiedGather> {
        self.parts.iter().filter_map(TiedGather::of)
    }

    /// Prints the call behind such an operation. The generic form has no attribute that the call
    /// of a spec lacks.
    pub(super) fn tie(&self, f: &mut Formatter<'_>, part: &FormOperation) -> fmt::Result {
        let operands = part.operands.iter().map(|(it, _)| self.operand(*it));
        let kinds = part.operands.iter().map(|(_, kind)| kind);
        let callee = TiedGather::of(part).map(|it| it.name());
        writeln!(
            f,
            "\"util.call\"({}) <{{callee = @{}}}> : ({}) -> {}",
            listed(operands),
            callee.unwrap_or_default(),
            listed(kinds),
            part.results[0]
        )
    }
}
