//! Which of the device's counters of outstanding operations an instruction is counted by.

use super::class::Class;
use crate::instruction::{Action, AddressingMode};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::MemoryOperation;

/// A class of operations that are counted together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counter {
    /// Vector memory; on gfx9 its stores too.
    Load,
    /// LDS.
    Lds,
    /// Scalar loads.
    Scalar,
}

impl Counter {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Counter::Load => "vector memory",
            Counter::Lds => "LDS",
            Counter::Scalar => "scalar memory",
        }
    }
}

/// What an instruction adds to the counters of outstanding operations.
#[derive(Clone, Copy)]
pub(crate) struct CounterIncrements {
    pub(crate) counter: Option<Counter>,
    /// The counter of LDS, of flat accesses: they may lead there.
    pub(crate) also: Option<Counter>,
}

pub(crate) fn counts(class: Class, action: &Action, isa: Isa) -> CounterIncrements {
    let counter = match class {
        Class::Memory => Some(Counter::Load),
        Class::Direct => Some(Counter::Load),
        Class::Lds | Class::Permute => Some(Counter::Lds),
        Class::ScalarMemory => Some(Counter::Scalar),
        _ => None,
    };
    match action {
        Action::Memory(action) => {
            let loads = action.returns.is_some()
                || matches!(
                    action.operation,
                    MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
                );
            // Stores have a counter of their own from gfx10 on, which nothing here waits for.
            let counted = loads || isa.family() == EncodingFamily::Gfx9;
            CounterIncrements {
                counter: counter.filter(|_| counted),
                also: (action.space == AddressingMode::Flat).then_some(Counter::Lds),
            }
        }
        // A cache operation.
        Action::ScalarMemory(load) if load.registers == 0 => CounterIncrements {
            counter: None,
            also: None,
        },
        _ => CounterIncrements {
            counter,
            also: None,
        },
    }
}
