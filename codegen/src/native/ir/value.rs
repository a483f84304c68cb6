//! Values: constants, parameters of the kernel, and results of operations.

use configgen::function::MAX_OPERANDS;

use super::types::{AddressSpace, Type};
use crate::native::ir::Scalar;

/// A parameter of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Parameter {
    /// The input's elements.
    Input,
    /// An input after the first, counted from 1.
    Operand(u8),
    /// An input after the first that has a name.
    Named(&'static str),
    /// The explicit indices of the elements.
    Explicit,
    /// The values of the results.
    Values,
    /// An output by its name, if there may be several.
    Output(&'static str),
    /// The indices of the results.
    Indices,
    /// The index base, which is added to positions.
    Base,
    /// The workspace, in which workgroups publish states.
    Workspace,
    /// The size of the outermost dimension.
    Count,
}

/// The names of operands.
const OPERANDS: [&str; MAX_OPERANDS] = [
    "operand_1",
    "operand_2",
    "operand_3",
    "operand_4",
    "operand_5",
    "operand_6",
    "operand_7",
];

impl Parameter {
    /// Returns true if the parameter is a buffer that the kernel only reads.
    pub(crate) fn is_input(self) -> bool {
        matches!(
            self,
            Parameter::Input | Parameter::Operand(_) | Parameter::Named(_) | Parameter::Explicit
        )
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Parameter::Input => "input",
            Parameter::Operand(number) => OPERANDS[usize::from(number) - 1],
            Parameter::Named(name) | Parameter::Output(name) => name,
            Parameter::Explicit => "explicit_indices",
            Parameter::Values => "values",
            Parameter::Indices => "indices",
            Parameter::Base => "base",
            Parameter::Workspace => "workspace",
            Parameter::Count => "count",
        }
    }
}

/// An allocation of LDS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lds {
    /// The states of rows, one per subgroup.
    Partials,
    /// A word of each thread for exchanges between lanes.
    Exchange,
    /// A word of the workgroup.
    Arrived,
}

impl Lds {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Lds::Partials => "partials",
            Lds::Exchange => "exchange",
            Lds::Arrived => "arrived",
        }
    }
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value {
    pub(crate) kind: Type,
    pub(crate) origin: ValueOrigin,
}

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueOrigin {
    /// A constant with these bits; bits beyond the type are 0.
    Constant(u64),
    /// An arbitrary value that is never used.
    Any,
    /// The result of a statement, or a value that a loop carries.
    Defined(u32),
    Parameter(Parameter),
    Lds(Lds),
}

impl Value {
    /// Returns the constant with these bits, cut to the type.
    pub(crate) fn bits(kind: impl Into<Type>, bits: u64) -> Value {
        let kind = kind.into();
        let mask = match kind.bits() {
            // A pointer has 0 bits; its constants are refused by the verifier.
            0 | 64 => u64::MAX,
            bits => (1 << bits) - 1,
        };
        Value {
            kind,
            origin: ValueOrigin::Constant(bits & mask),
        }
    }

    pub(crate) fn i32(number: u32) -> Value {
        Value::bits(Type::I32, number.into())
    }

    pub(crate) fn i64(number: u64) -> Value {
        Value::bits(Type::I64, number)
    }

    pub(crate) fn truth(truth: bool) -> Value {
        Value::bits(Type::I1, truth.into())
    }

    pub(crate) fn any(kind: Type) -> Value {
        Value {
            kind,
            origin: ValueOrigin::Any,
        }
    }

    /// Returns a parameter that is a pointer.
    pub(crate) fn buffer(parameter: Parameter) -> Value {
        Value {
            kind: Type::GLOBAL,
            origin: ValueOrigin::Parameter(parameter),
        }
    }

    /// Returns the size of the outermost dimension (i32, at least 1), if it is known only at
    /// launch.
    pub(crate) fn count() -> Value {
        Value {
            kind: Type::I32,
            origin: ValueOrigin::Parameter(Parameter::Count),
        }
    }

    pub(crate) fn lds(lds: Lds) -> Value {
        Value {
            kind: Type::Pointer(AddressSpace::Lds),
            origin: ValueOrigin::Lds(lds),
        }
    }

    /// Returns the bits of a constant.
    pub(crate) fn constant(self) -> Option<u64> {
        match self.origin {
            ValueOrigin::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// Returns true if the value is the integer 0.
    pub(crate) fn is_zero(self) -> bool {
        self.kind.is_integer() && self.constant() == Some(0)
    }

    /// Returns a constant as a signed number.
    pub(crate) fn signed(self) -> Option<i64> {
        // A shift by 64 would overflow for a pointer, which has 0 bits.
        let unused = 64 - self.kind.bits().clamp(1, 64);
        self.constant()
            .map(|bits| ((bits << unused) as i64) >> unused)
    }

    /// Returns the type of a scalar value; computed values are scalars.
    pub(crate) fn scalar(self) -> Scalar {
        match self.kind.scalar() {
            Some(scalar) => scalar,
            None => unreachable!("{} is no scalar", self.kind),
        }
    }
}
