//! Who loads what: a launch, while somebody looks on at its loads from global memory.
//!
//! For those who compare what a kernel reads with what it was meant to read. It knows no order but that of execution:
//! workgroup by workgroup, and of each wave by wave from barrier to barrier.

use crate::error::Fault;
use crate::execute::{Device, Moved, Region, Watch, Wave};
use crate::launch::{Execution, Launch, Progress, run_watched};
use crate::loaded::CodeObject;
use crate::memory::Memory;
use crate::operation::MemoryOperation;

/// What an instruction of a wave loads from global memory.
#[derive(Debug, Clone, Copy)]
pub struct Loads<'a> {
    /// Linear id of the workgroup, x fastest.
    pub workgroup: u32,
    /// The wave of the workgroup.
    pub wave: u32,
    /// Where the instruction is, from the beginning of the code object's image.
    pub pc: u64,
    /// Bytes of each address.
    pub bytes: u32,
    /// From where.
    pub from: LoadedFrom<'a>,
}

/// From where an instruction loads.
#[derive(Debug, Clone, Copy)]
pub enum LoadedFrom<'a> {
    /// Each lane from its own address.
    Lanes {
        /// The lanes that load, a bit each.
        mask: u64,
        /// Of each lane; those of others mean nothing.
        addresses: &'a [u64; 64],
    },
    /// Into scalar registers, which all lanes share.
    Scalar {
        /// The address.
        address: u64,
    },
}

/// Runs a launch as [`run`](crate::run) does, on the calling thread, and tells `seen` of each
/// instruction that loads from global memory. What an atomic returns is not loaded.
///
/// # Errors
/// As [`run`](crate::run).
pub fn watch_loads(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
    seen: &mut dyn FnMut(Loads<'_>),
) -> Result<Execution, Fault> {
    memory.define_everything();
    let mut watch = Watching {
        addresses: &code.prepared.addresses,
        workgroup: 0,
        seen,
    };
    run_watched(code, memory, launch, &mut watch, &Progress::default())
}

/// Looks on.
struct Watching<'a> {
    /// Of the instructions.
    addresses: &'a [u64],
    workgroup: u32,
    seen: &'a mut dyn FnMut(Loads<'_>),
}

impl Watching<'_> {
    fn tell(&mut self, wave: &Wave, bytes: u32, from: LoadedFrom<'_>) {
        (self.seen)(Loads {
            workgroup: self.workgroup,
            wave: wave.number,
            pc: self
                .addresses
                .get(wave.current)
                .copied()
                .unwrap_or_default(),
            bytes,
            from,
        });
    }
}

impl Watch for Watching<'_> {
    const LOOKS_AT_ACCESSES: bool = true;

    type Kept = u32;

    fn set_aside(&mut self) -> u32 {
        self.workgroup
    }

    fn resume(&mut self, workgroup: u32) {
        self.workgroup = workgroup;
    }

    fn begin(&mut self, linear: u32, _: [u32; 3], _: &[Wave]) {
        self.workgroup = linear;
    }

    fn access(&mut self, wave: &mut Wave, device: &mut Device<'_>, moved: &Moved) -> u64 {
        let access = &device.access;
        let loads = matches!(
            moved.operation,
            MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
        );
        if loads && access.region == Region::Global {
            let from = LoadedFrom::Lanes {
                mask: access.mask,
                addresses: &access.addresses,
            };
            self.tell(wave, access.bytes, from);
        }
        device.access.mask
    }

    fn load_scalars(&mut self, wave: &mut Wave, device: &mut Device<'_>, _: u8) -> bool {
        let address = device.access.addresses[0];
        self.tell(wave, device.access.bytes, LoadedFrom::Scalar { address });
        true
    }
}
