//! The kernel IR: the operations of a kernel, with types and address spaces.
//!
//! The IR is between the stages and the printers. [`lower`](super::lower) builds it once from the
//! final stage and takes all remaining decisions. [`print`](super::print) writes it as LLVM IR or
//! HIP C++ and decides nothing.
//!
//! A statement or a loop defines a [`Value`] once, and the value is visible to the end of its
//! [`Block`]. Control flow is structured: [`If`] and [`Loop`] hold blocks and have results.
//! [`verify`] checks the invariants of every kernel. This module knows no reductions and no
//! targets.

mod builder;
mod kernel_part;
pub(crate) mod marks;
mod names;
mod operation;
mod scalar;
pub(crate) mod text;
mod types;
mod value;
mod verify;

pub(crate) use builder::Builder;
pub(crate) use kernel_part::KernelPart;
pub(crate) use names::IrNames;
pub(crate) use operation::{
    Binary, Block, Conversion, FenceOrder, FenceScope, Id, If, IrOperation, Loop, Predicate,
    Statement, Unary,
};
pub(crate) use scalar::Scalar;
pub(crate) use types::{AddressSpace, Type};
pub(crate) use value::{Lds, Parameter, Value, ValueOrigin};
pub(crate) use verify::verify;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

/// A kernel without its name.
#[derive(Debug, Clone)]
pub(crate) struct IrKernel {
    /// The parameters, in kernarg order.
    pub(crate) parameters: Vec<Value>,
    /// The LDS allocations, with their bytes.
    pub(crate) lds: Vec<(Lds, u32)>,
    /// Threads of a workgroup.
    pub(crate) threads: u32,
    /// Lanes of a subgroup.
    pub(crate) lanes: u32,
    /// True if the grid has one row of workgroups.
    pub(crate) is_row: bool,
    /// True if a signalling NaN loses a maximum like a quiet NaN.
    pub(crate) ignores_signals: bool,
    /// True if arguments are in registers when a wave starts.
    pub(crate) preloads_arguments: bool,
    /// The target features that are switched on or off.
    pub(crate) features: &'static str,
    /// The statements.
    pub(crate) body: Block,
    /// The names of some values, for people.
    pub(crate) names: HashMap<u32, &'static str>,
}
