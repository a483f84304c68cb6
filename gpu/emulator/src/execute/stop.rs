//! The reasons why a wave does not continue by itself.

/// The reason why a wave stopped.
pub(crate) enum WaveStop {
    End,
    Barrier,
    /// The wave gives way to other waves.
    Sleep,
    Fault(Box<FaultCause>),
}

/// A fault without its location.
pub(crate) enum FaultCause {
    Unsupported(String),
    OutOfBounds {
        lane: u32,
        action: &'static str,
        address: u64,
        bytes: u32,
    },
    Lds {
        lane: u32,
        offset: u64,
        bytes: u32,
    },
    Scratch {
        lane: u32,
        offset: u64,
        bytes: u32,
    },
    Jump(u64),
    Trap(u32),
    InstructionLimit(u64),
}

impl FaultCause {
    pub(crate) fn end_of_code() -> Box<FaultCause> {
        Box::new(FaultCause::Unsupported(
            "execution runs past the end of the code".into(),
        ))
    }
}

pub(super) fn unsupported(reason: String) -> WaveStop {
    WaveStop::Fault(Box::new(FaultCause::Unsupported(reason)))
}
