//! What stands for values.

use super::syntax::type_name;
use crate::native::ir::{IrOperation, Type, Value, ValueOrigin};

/// The text of a value.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    pub(super) text: String,
    /// Whether it stands between operators without brackets.
    pub(super) is_whole: bool,
}

/// An expression that needs no brackets.
pub(super) fn whole(text: String) -> Expression {
    Expression {
        text,
        is_whole: true,
    }
}

/// One with operators.
pub(super) fn parts(text: String) -> Expression {
    Expression {
        text,
        is_whole: false,
    }
}

/// Whether an expression may stand where its value is used: it is the same wherever its operands are known.
pub(super) fn is_pure(operation: &IrOperation) -> bool {
    matches!(
        operation,
        IrOperation::Unary(..)
            | IrOperation::Binary(..)
            | IrOperation::Convert(..)
            | IrOperation::Compare(..)
            | IrOperation::Select(..)
            | IrOperation::Offset(..)
            | IrOperation::Element(..)
    )
}

/// What stands for a value that nobody looks at.
pub(super) fn any(kind: Type) -> String {
    format!("{}(0)", type_name(kind))
}

/// Whether it is a value of the kernel's own, which has a name ahead of all statements.
pub(super) fn parameter_expression(value: Value) -> Option<String> {
    match value.origin {
        ValueOrigin::Parameter(parameter) if value.kind.is_integer() => {
            Some(parameter.name().to_owned())
        }
        ValueOrigin::Parameter(parameter) => Some(format!("(Global){}", parameter.name())),
        ValueOrigin::Lds(lds) => Some(format!("(Local){}", lds.name())),
        ValueOrigin::Constant(_) | ValueOrigin::Any | ValueOrigin::Defined(_) => None,
    }
}
