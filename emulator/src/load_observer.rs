//! Who loads what: a launch, while somebody looks on at its loads from global memory.
//!
//! For those who compare what a kernel reads with what it was meant to read. It knows no order but that of execution:
//! workgroup by workgroup, and of each wave by wave from barrier to barrier.

use crate::error::LaunchFault;
use crate::execute::{AccessOperands, ExecutionObserver, Region, Wave, WorkgroupContext};
use crate::launch::{Execution, KernelLaunch, LaunchProgress, run_observed};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
use crate::operation::MemoryOperation;

/// What an instruction of a wave loads from global memory.
#[derive(Debug, Clone, Copy)]
pub struct ObservedLoad<'a> {
    /// Linear id of the workgroup, x fastest.
    pub workgroup: u32,
    /// The wave of the workgroup.
    pub wave: u32,
    /// Where the instruction is, from the beginning of the code object's image.
    pub pc: u64,
    /// Bytes of each address.
    pub bytes: u32,
    /// From where.
    pub from: LoadAddresses<'a>,
}

/// From where an instruction loads.
#[derive(Debug, Clone, Copy)]
pub enum LoadAddresses<'a> {
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
pub fn observe_loads(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    seen: &mut dyn FnMut(ObservedLoad<'_>),
) -> Result<Execution, LaunchFault> {
    memory.mark_all_defined();
    let mut watch = LoadObserver {
        addresses: &code.prepared.addresses,
        workgroup: 0,
        seen,
    };
    run_observed(code, memory, launch, &mut watch, &LaunchProgress::default())
}

/// Looks on.
struct LoadObserver<'a> {
    /// Of the instructions.
    addresses: &'a [u64],
    workgroup: u32,
    seen: &'a mut dyn FnMut(ObservedLoad<'_>),
}

impl LoadObserver<'_> {
    fn tell(&mut self, wave: &Wave, bytes: u32, from: LoadAddresses<'_>) {
        (self.seen)(ObservedLoad {
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

impl ExecutionObserver for LoadObserver<'_> {
    const LOOKS_AT_ACCESSES: bool = true;

    type SuspendedState = u32;

    fn suspend(&mut self) -> u32 {
        self.workgroup
    }

    fn resume(&mut self, workgroup: u32) {
        self.workgroup = workgroup;
    }

    fn begin(&mut self, linear: u32, _: [u32; 3], _: &[Wave]) {
        self.workgroup = linear;
    }

    fn access(
        &mut self,
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        moved: &AccessOperands,
    ) -> u64 {
        let access = &device.access;
        let loads = matches!(
            moved.operation,
            MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
        );
        if loads && access.region == Region::Global {
            let from = LoadAddresses::Lanes {
                mask: access.mask,
                addresses: &access.addresses,
            };
            self.tell(wave, access.bytes, from);
        }
        device.access.mask
    }

    fn load_scalars(&mut self, wave: &mut Wave, device: &mut WorkgroupContext<'_>, _: u8) -> bool {
        let address = device.access.addresses[0];
        self.tell(wave, device.access.bytes, LoadAddresses::Scalar { address });
        true
    }
}
