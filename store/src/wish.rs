//! Wishes: what was asked for and not known, so that it can be tuned.

use std::time::SystemTime;

use configgen::{Generator, Problem, Target};

/// A question that nothing answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// The problem.
    pub problem: Problem,
    /// The ISA.
    pub target: &'static Target,
    /// The device that it has to be tuned on; none where any will do.
    pub device: Option<String>,
    /// The generator whose kernels it has to be; none where any will do.
    pub generator: Option<Generator>,
}

/// A wish, and how often it was wished.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedWish {
    /// The question.
    pub wish: Wish,
    /// How often it was asked.
    pub count: u64,
    /// When it was asked first.
    pub first: SystemTime,
    /// When it was asked last.
    pub last: SystemTime,
}
