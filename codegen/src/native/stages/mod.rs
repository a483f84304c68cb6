//! The stages: the distribution of a problem from the grid to the lanes, and the instructions
//! that merge the parts.
//!
//! Each stage holds the one before it and adds a decision. No stage knows the next one; the
//! lowering goes from one to the next.

pub(crate) mod blockwise;
pub(crate) mod dimension;
pub(crate) mod epilogue;
pub(crate) mod final_stage;
pub(crate) mod gridwise;
pub(crate) mod lanewise;
pub(crate) mod operand;
