//! The stages: which part of a problem is whose, from the grid to the lanes, and by which instructions they meet.
//!
//! Each stage holds the one before it and adds a decision. None knows the stage after it: who lowers a configuration goes
//! from one to the next.

pub(crate) mod blockwise;
pub(crate) mod dimension;
pub(crate) mod epilogue;
pub(crate) mod final_stage;
pub(crate) mod gridwise;
pub(crate) mod lanewise;
pub(crate) mod operand;
