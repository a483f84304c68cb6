//! What a kernel computes, as far as its parts must know: the comparison, where the fold starts, and what an index is.

use configgen::comparator::order::{Side, Ties};
use configgen::legality::native::has_long_positions;
use configgen::{ElementType, IndexMode, IndexType, Initial, Problem};

/// How two elements are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    /// By one comparison. NaN never wins.
    Ordered {
        /// Which is better.
        side: Side,
        /// How integers are read.
        is_signed: bool,
    },
    /// As the comparator is written.
    Region,
}

/// The meaning of a problem.
pub(super) struct Meaning<'a> {
    pub(super) problem: &'a Problem,
    pub(super) test: Test,
    /// Which of equal elements wins; of `None` nothing is asked, as every row is folded by one thread in order.
    pub(super) ties: Ties,
}

impl<'a> Meaning<'a> {
    pub(super) fn of(problem: &'a Problem) -> Meaning<'a> {
        let test = match problem.extreme() {
            Some(extreme) if extreme.is_identity() => Test::Ordered {
                side: extreme.side,
                is_signed: extreme.is_signed,
            },
            _ => Test::Region,
        };
        Meaning {
            problem,
            test,
            ties: problem.ties().unwrap_or(Ties::First),
        }
    }

    pub(super) fn element(&self) -> ElementType {
        self.problem.element
    }

    /// The C++ type of indices.
    pub(super) fn index(&self) -> &'static str {
        match self.problem.index {
            IndexType::I32 => "int",
            IndexType::I64 => "long long",
        }
    }

    /// The C++ type of positions, which are below its greatest number.
    pub(super) fn position(&self) -> &'static str {
        match has_long_positions(self.problem) {
            true => "Size",
            false => "unsigned",
        }
    }

    /// Whether the fold starts at what the outputs hold.
    pub(super) fn starts_at_outputs(&self) -> bool {
        self.problem.initial == Initial::Outputs
    }

    pub(super) fn index_mode(&self) -> IndexMode {
        self.problem.index_mode
    }
}
