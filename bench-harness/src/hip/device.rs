//! The HIP device: memory, launches and times through HIP's functions.
//!
//! It lives in the child. It announces each phase, so that the parent can tell a kernel that
//! hangs from a working driver.

use std::borrow::Cow;
use std::ffi::{CString, c_int};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Arc;

use configgen::Clock;

use super::api::{self, Handle, Pointer};
use super::child_protocol::{ChildPhase, HipOptions};
use super::coalesced_writes::CoalescedWrites;
use super::error::HipError;
use super::guarded_memory::GuardedMemory;
use super::library::Hip;
use super::monitor::Monitor;
use crate::device::{Buffer, DeviceError, DeviceLaunch, Identity, KernelDevice};
use crate::kernarg::kernarg;
use crate::operation::POISON;
use crate::timing::{Measurement, Mode};

/// The number of repeats before a result counts. With them, a race that shows in one of four
/// launches is found in two of three kernels. The launches of all patterns before must be
/// correct, too.
const REPEATS: u32 = 3;

/// A device of a HIP library.
pub(super) struct HipDevice {
    pub(super) hip: Hip,
    memory: GuardedMemory,
    gather: CoalescedWrites,
    identity: Identity,
    /// The observer of the next phase.
    pub(super) watch: Box<dyn Fn(ChildPhase)>,
    /// The code object of the last launch, kept because kernels of a batch share one.
    loaded: Option<LoadedModule>,
    pub(super) events: [Handle; 2],
    /// The contents of the caches when a launch is timed.
    pub(super) mode: Mode,
    /// The monitor of clock and temperature, if available.
    pub(super) monitor: Option<Monitor>,
    /// The time of an empty launch in microseconds, if it can be measured.
    pub(super) floor_us: Option<f64>,
}

struct LoadedModule {
    code_object: Arc<[u8]>,
    module: Handle,
}

// SAFETY: handles and addresses belong to the process, not to a thread. The current device
// belongs to a thread, but only one thread of the child calls.
unsafe impl Send for HipDevice {}

impl HipDevice {
    /// Makes the device with this PCI address current.
    pub(super) fn new(
        hip: Hip,
        options: &HipOptions,
        (identity, pci): (Identity, &str),
        watch: Box<dyn Fn(ChildPhase)>,
    ) -> Result<HipDevice, DeviceError> {
        // SAFETY: takes any number.
        let set = unsafe { (hip.api.hipSetDevice)(options.ordinal as c_int) };
        hip.check("hipSetDevice", set)?;
        let mut events = [null_mut(); 2];
        for event in &mut events {
            // SAFETY: writes a handle.
            let created = unsafe { (hip.api.hipEventCreate)(event) };
            hip.check("hipEventCreate", created)?;
        }
        // The emulated library checks accesses itself, and AMD SMI knows only GPUs.
        let is_gpu = identity.clock == Clock::Measured;
        let memory = GuardedMemory::new(is_gpu);
        let monitor = is_gpu.then(|| Monitor::find(&hip.path, pci)).flatten();
        let mut device = HipDevice {
            hip,
            memory,
            gather: CoalescedWrites::default(),
            identity,
            watch,
            loaded: None,
            events,
            mode: options.mode,
            monitor,
            floor_us: None,
        };
        device.floor_us = super::event_timing::floor_us(&mut device)?;
        Ok(device)
    }

    /// Returns the kernels of a launch and of those that follow it, all in one code object.
    pub(super) fn functions(
        &mut self,
        launch: &DeviceLaunch<'_>,
    ) -> Result<Vec<Handle>, DeviceError> {
        launch.each().map(|launch| self.function(launch)).collect()
    }

    /// Returns the kernel of a launch, loaded, after all outstanding writes.
    fn function(&mut self, launch: &DeviceLaunch<'_>) -> Result<Handle, DeviceError> {
        self.gather.flush(&self.hip)?;
        let module = self.module(&launch.kernel.code_object)?;
        let symbol = CString::new(launch.kernel.symbol.as_str());
        let symbol = symbol.map_err(|error| DeviceError::Load(error.to_string()))?;
        let mut function = null_mut();
        // SAFETY: the module is loaded, the name ends with a zero.
        let found =
            unsafe { (self.hip.api.hipModuleGetFunction)(&mut function, module, symbol.as_ptr()) };
        self.hip.check("hipModuleGetFunction", found)?;
        Ok(function)
    }

    fn module(&mut self, code_object: &Arc<[u8]>) -> Result<Handle, HipError> {
        if let Some(loaded) = &self.loaded
            && Arc::ptr_eq(&loaded.code_object, code_object)
        {
            return Ok(loaded.module);
        }
        if let Some(before) = self.loaded.take() {
            // SAFETY: it was loaded, and nothing runs.
            let unloaded = unsafe { (self.hip.api.hipModuleUnload)(before.module) };
            self.hip.check("hipModuleUnload", unloaded)?;
        }
        let mut module = null_mut();
        // SAFETY: the library reads an ELF file whose headers state its size. The files of the
        // linker and of iree-compile are complete.
        let loaded =
            unsafe { (self.hip.api.hipModuleLoadData)(&mut module, code_object.as_ptr().cast()) };
        self.hip.check("hipModuleLoadData", loaded)?;
        self.loaded = Some(LoadedModule {
            code_object: Arc::clone(code_object),
            module,
        });
        Ok(module)
    }

    /// Enqueues a launch in the stream.
    pub(super) fn enqueue(
        &self,
        function: Handle,
        launch: &DeviceLaunch<'_>,
    ) -> Result<(), HipError> {
        let mut block = kernarg(launch);
        let mut size = block.len();
        let mut list: [Pointer; 5] = [
            api::LAUNCH_BUFFER_POINTER as Pointer,
            block.as_mut_ptr().cast(),
            api::LAUNCH_BUFFER_SIZE as Pointer,
            (&raw mut size).cast(),
            api::LAUNCH_END as Pointer,
        ];
        let [x, y, z] = launch.kernel.workgroups;
        let [threads_x, threads_y, threads_z] = launch.kernel.workgroup_size;
        // SAFETY: the list describes a block that lives until the call returns, and the call
        // copies it. A kernel's accesses cannot reach the memory of this process; finding invalid
        // ones is the purpose.
        let launched = unsafe {
            (self.hip.api.hipModuleLaunchKernel)(
                function,
                x,
                y,
                z,
                threads_x,
                threads_y,
                threads_z,
                0,
                null_mut(),
                null_mut(),
                list.as_mut_ptr(),
            )
        };
        self.hip.check("hipModuleLaunchKernel", launched)
    }

    /// Waits for all work of the device.
    pub(super) fn finish(&self) -> Result<(), HipError> {
        // SAFETY: takes nothing.
        let finished = unsafe { (self.hip.api.hipDeviceSynchronize)() };
        self.hip.check("hipDeviceSynchronize", finished)
    }
}

impl KernelDevice for HipDevice {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn runs_parts(&self) -> bool {
        false
    }

    fn repeats(&self) -> u32 {
        REPEATS
    }

    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceError> {
        self.memory.allocate(&self.hip, bytes)
    }

    fn free(&mut self, buffer: Buffer) {
        // Later calls report errors of the device.
        self.gather.flush(&self.hip).ok();
        self.memory.free(&self.hip, buffer);
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let sized = (buffer, self.memory.size(buffer));
        Ok(self.gather.write(&self.hip, sized, offset, bytes)?)
    }

    fn poison(&mut self, buffer: Buffer, bytes: Range<u64>) -> Result<(), DeviceError> {
        let addresses = buffer.0 + bytes.start..buffer.0 + bytes.end;
        self.gather.flush(&self.hip)?;
        Ok(self.hip.fill(addresses, POISON)?)
    }

    fn read(&self, buffer: Buffer, bytes: Range<u64>) -> Result<Cow<'_, [u8]>, DeviceError> {
        if let Some(held) = self.gather.held(buffer) {
            let (start, end) = (bytes.start as usize, bytes.end as usize);
            return Ok(Cow::Borrowed(&held[start..end]));
        }
        let addresses = buffer.0 + bytes.start..buffer.0 + bytes.end;
        Ok(Cow::Owned(self.hip.copy_out(addresses)?))
    }

    fn launch(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError> {
        // Loading comes before the announcement: it is host work and not limited by the kernel.
        let functions = self.functions(launch)?;
        (self.watch)(ChildPhase::Kernel(launch.time_limit));
        for (function, launch) in functions.into_iter().zip(launch.each()) {
            self.enqueue(function, launch)?;
        }
        self.finish()?;
        (self.watch)(ChildPhase::Host);
        self.memory.check(&self.hip, launch.buffers)
    }

    fn time(&mut self, launches: &[DeviceLaunch<'_>]) -> Result<Measurement, DeviceError> {
        super::event_timing::measure(self, launches)
    }
}
