//! Printing the final stage as LLVM IR: one function a kernel, and nothing that LLVM's code generator would have to
//! clean up.
//!
//! The parts, in the order of the kernel: who am I ([`ids`]) and where are my elements ([`place`]), addresses
//! and loads ([`memory`]), the steps ([`steps`]) and what is done in one ([`accumulate`]), from lanes to rows ([`lanes`],
//! by way of [`exchange`]), LDS ([`store`]), other workgroups ([`pieces`]) and results ([`results`]).
//! [`module`] puts functions together.

mod accumulate;
mod declarations;
mod exchange;
mod ids;
mod lanes;
mod memory;
mod module;
mod numbering;
mod pieces;
mod place;
mod positions;
pub(in crate::native) mod region;
mod results;
mod skim;
mod state;
mod steps;
mod store;
mod whole;

use super::ir::Ir;
use super::last::Final;

use module::Lds;
pub(super) use module::module;

/// The body of a kernel's function.
fn body(kernel: &Final, lds: &Lds) -> String {
    let mut ir = Ir::new();
    let ids = ids::Ids::print(&mut ir, kernel, &lds.exchange);
    let places = place::print(&mut ir, kernel, &ids);
    let states = accumulate::print(&mut ir, kernel, &ids, &places);
    let results = lanes::print(&mut ir, kernel, &ids, &places, states);
    store::print(&mut ir, kernel, &ids, &lds.partials, &lds.arrived, results);
    ir.into_text()
}
