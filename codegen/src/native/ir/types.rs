//! Types of values.

use std::fmt;

use crate::native::ir::Scalar;

/// The memory that a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AddressSpace {
    /// The memory of the device.
    Global,
    /// The memory of a workgroup.
    Lds,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// One number or truth value.
    Scalar(Scalar),
    /// Several scalars, which one access loads or stores.
    Vector(Scalar, u32),
    /// An address, in bytes.
    Pointer(AddressSpace),
}

impl Type {
    pub(crate) const I1: Type = Type::Scalar(Scalar::I1);
    pub(crate) const I8: Type = Type::Scalar(Scalar::I8);
    pub(crate) const I16: Type = Type::Scalar(Scalar::I16);
    pub(crate) const I32: Type = Type::Scalar(Scalar::I32);
    pub(crate) const I64: Type = Type::Scalar(Scalar::I64);
    pub(crate) const F16: Type = Type::Scalar(Scalar::F16);
    pub(crate) const BF16: Type = Type::Scalar(Scalar::Bf16);
    pub(crate) const F32: Type = Type::Scalar(Scalar::F32);
    pub(crate) const F64: Type = Type::Scalar(Scalar::F64);
    pub(crate) const GLOBAL: Type = Type::Pointer(AddressSpace::Global);

    /// Returns the scalar, if the type is one.
    pub(crate) fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(scalar),
            Type::Vector(..) | Type::Pointer(_) => None,
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        self.scalar().is_some_and(|scalar| !scalar.is_float())
    }

    pub(crate) fn is_float(self) -> bool {
        self.scalar().is_some_and(Scalar::is_float)
    }

    /// Returns the bits of a number; 0 for other types.
    pub(crate) fn bits(self) -> u32 {
        self.scalar().map_or(0, Scalar::bits)
    }

    /// Returns one or several of this scalar.
    pub(crate) fn scalar_or_vector(scalar: Scalar, count: u32) -> Type {
        match count {
            1 => Type::Scalar(scalar),
            // LLVM's vectors of one element are types of their own.
            _ => Type::Vector(scalar, count),
        }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Type {
        Type::Scalar(scalar)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(scalar) => write!(f, "{scalar}"),
            Type::Vector(scalar, count) => write!(f, "{count}x{scalar}"),
            Type::Pointer(AddressSpace::Global) => f.write_str("global"),
            Type::Pointer(AddressSpace::Lds) => f.write_str("lds"),
        }
    }
}
