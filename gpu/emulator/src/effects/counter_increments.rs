//! The counters of outstanding operations that an instruction increments.

use super::class::Class;
use crate::instruction::{Action, AddressingMode};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::MemoryOperation;

/// A counter of outstanding operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counter {
    /// Vector memory; on gfx9 including stores.
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

/// The increments of the counters by one instruction.
#[derive(Clone, Copy)]
pub(crate) struct CounterIncrements {
    pub(crate) counter: Option<Counter>,
    /// The LDS counter for a flat access, because its address may be in LDS.
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
            // From gfx10 on, stores have their own counter, which no register waits for.
            let counted = loads || isa.family() == EncodingFamily::Gfx9;
            CounterIncrements {
                counter: counter.filter(|_| counted),
                also: (action.space == AddressingMode::Flat).then_some(Counter::Lds),
            }
        }
        // This is a cache operation, which loads no register.
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
