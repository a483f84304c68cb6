//! The kernel IR: what a kernel does, operation by operation, with types and address spaces.
//!
//! It stands between the stages and the printers. [`lower`](super::lower) builds it once from the final stage, and with
//! it every decision is made; [`print`](super::print) writes it as LLVM IR or HIP C++ and decides nothing.
//!
//! A [`Value`] is defined once, by a [`Statement`] or as what a loop carries, and is seen to the end of its [`Block`].
//! Control flow is structured: [`If`] and [`Loop`] hold blocks and have results. [`verify`] says what holds of every
//! kernel. This module knows nothing of reductions or of targets.

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
    /// Its parameters, in the order of its arguments.
    pub(crate) parameters: Vec<Value>,
    /// Its LDS, each with its bytes.
    pub(crate) lds: Vec<(Lds, u32)>,
    /// Threads of a workgroup.
    pub(crate) threads: u32,
    /// Lanes of a subgroup.
    pub(crate) lanes: u32,
    /// Whether the grid has one row of workgroups.
    pub(crate) is_row: bool,
    /// Whether a signalling NaN loses a maximum as a quiet one does.
    pub(crate) ignores_signals: bool,
    /// Whether arguments are in registers when a wave starts.
    pub(crate) preloads_arguments: bool,
    /// Features of the target that are switched on or off.
    pub(crate) features: &'static str,
    /// What it does.
    pub(crate) body: Block,
    /// Names of some values, for people.
    pub(crate) names: HashMap<u32, &'static str>,
}
