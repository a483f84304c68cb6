//! Observation of a launch's loads from global memory.
//!
//! A caller can compare the observed loads with the expected ones. The order is the order of
//! execution: workgroup by workgroup, and in each workgroup wave by wave from barrier to barrier.

use crate::error::LaunchFault;
use crate::execute::{AccessOperands, ExecutionObserver, Region, Wave, WorkgroupContext};
use crate::launch::{Execution, KernelLaunch, LaunchProgress, run_observed};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
use crate::operation::MemoryOperation;

/// One load instruction of a wave from global memory.
#[derive(Debug, Clone, Copy)]
pub struct ObservedLoad<'a> {
    /// Linear id of the workgroup, x fastest.
    pub workgroup: u32,
    /// Number of the wave in its workgroup.
    pub wave: u32,
    /// Offset of the instruction from the beginning of the code object's image, in bytes.
    pub pc: u64,
    /// Bytes loaded from each address.
    pub bytes: u32,
    /// The loaded addresses.
    pub from: LoadAddresses<'a>,
}

/// The addresses of one load.
#[derive(Debug, Clone, Copy)]
pub enum LoadAddresses<'a> {
    /// One address for each lane.
    Lanes {
        /// The lanes that load, one bit each.
        mask: u64,
        /// The address of each lane; undefined for lanes outside the mask.
        addresses: &'a [u64; 64],
    },
    /// One address, for scalar registers that all lanes share.
    Scalar {
        /// The loaded address.
        address: u64,
    },
}

/// Runs a launch as [`run`](crate::run) does, on the calling thread, and reports each load from
/// global memory to `seen`. Atomics are not loads, even if they return a value.
///
/// # Errors
/// Returns the errors of [`run`](crate::run).
pub fn observe_loads(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    seen: &mut dyn FnMut(ObservedLoad<'_>),
) -> Result<Execution, LaunchFault> {
    // This run does not maintain the undefined bytes, so stale ones would mislead a later check.
    memory.mark_all_defined();
    let mut watch = LoadObserver {
        addresses: &code.prepared.addresses,
        workgroup: 0,
        seen,
    };
    run_observed(code, memory, launch, &mut watch, &LaunchProgress::default())
}

/// The observer that reports loads.
struct LoadObserver<'a> {
    /// Addresses of the instructions, by step index.
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
