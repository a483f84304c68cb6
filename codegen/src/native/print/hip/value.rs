//! The expressions of values.

use super::syntax::type_name;
use crate::native::ir::{IrOperation, Type, Value, ValueOrigin};

/// The text of a value.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    pub(super) text: String,
    /// True if it needs no brackets between operators.
    pub(super) is_whole: bool,
}

/// Creates an expression that needs no brackets.
pub(super) fn whole(text: String) -> Expression {
    Expression {
        text,
        is_whole: true,
    }
}

/// Creates an expression with operators, which needs brackets.
pub(super) fn parts(text: String) -> Expression {
    Expression {
        text,
        is_whole: false,
    }
}

/// Returns true if an expression may replace its value at the place of use: it is the same
/// wherever its operands are known.
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

/// Returns the text of a value that is never used.
pub(super) fn any(kind: Type) -> String {
    format!("{}(0)", type_name(kind))
}

/// Returns the text of a parameter or an LDS allocation, which have names before all statements;
/// `None` for other values.
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
