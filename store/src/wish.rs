//! Wishes: questions without an exact answer, noted so that they can be tuned.

use std::time::SystemTime;

use configgen::{Generator, Problem, Target};

/// A question that no exact answer existed for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// The problem.
    pub problem: Problem,
    /// The ISA.
    pub target: &'static Target,
    /// The device to tune on; none if any device of the ISA will do.
    pub device: Option<String>,
    /// The generator of the kernels; none if any will do.
    pub generator: Option<Generator>,
}

/// A wish with its frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedWish {
    /// The question.
    pub wish: Wish,
    /// The number of times that clients asked it.
    pub count: u64,
    /// The first time.
    pub first: SystemTime,
    /// The last time.
    pub last: SystemTime,
}
