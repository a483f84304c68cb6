//! The emulated device: it runs code objects in the emulator, and its time model is the clock.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use configgen::{Clock, Device as DeviceRow};
use emulator::model::{self, CacheState, Estimate, Machine};
use emulator::{Address, Arrivals, CodeObject, EmulatedMemory, LaunchFault, MemoryError};

use crate::device::{Buffer, DeviceError, DeviceLaunch, Driver, Identity, KernelDevice};
use crate::kernarg::kernarg;
use crate::machine::machine;
use crate::operation::POISON;
use crate::timing::{Measurement, Mode, geometric_mean};

/// The prefix of an emulated device's name.
const PREFIX: &str = "emulated:";

/// The number of workgroups that the time model profiles.
pub const PROFILED_WORKGROUPS: u32 = 4;

/// Iterates over the devices that the emulator supports.
pub fn emulated_devices() -> impl Iterator<Item = &'static DeviceRow> {
    configgen::DEVICES.iter()
}

/// Returns the table row of the device with a name such as `emulated:mi300x`.
///
/// # Errors
/// [`UnknownDevice`], with a message that lists the devices.
pub fn emulated_device(name: &str) -> Result<&'static DeviceRow, UnknownDevice> {
    name.strip_prefix(PREFIX)
        .and_then(|part| emulated_devices().find(|row| row.name == part))
        .ok_or_else(|| UnknownDevice(name.chars().take(80).collect()))
}

/// The error for a name that no device has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown device {0:?}; one of {names}", names = emulated_names())]
pub struct UnknownDevice(pub String);

fn emulated_names() -> String {
    emulated_devices()
        .map(|row| format!("{PREFIX}{}", row.name))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A device in the emulator.
pub struct EmulatedDevice {
    identity: Identity,
    machine: Machine,
    memory: EmulatedMemory,
    /// The addresses of live buffers.
    addresses: HashMap<Buffer, Address>,
    /// The code object of the last launch, kept because kernels of a batch share one.
    loaded: Option<(Arc<[u8]>, CodeObject)>,
    /// The model's estimate of the last timed launch.
    estimate: Option<Estimate>,
}

impl EmulatedDevice {
    /// Opens the device with a name such as `emulated:mi300x`.
    ///
    /// # Errors
    /// [`UnknownDevice`], with a message that lists the devices.
    pub fn named(name: &str) -> Result<EmulatedDevice, UnknownDevice> {
        let row = emulated_device(name)?;
        let machine = machine(row);
        Ok(EmulatedDevice {
            identity: Identity {
                name: name.to_owned(),
                row,
                part: None,
                driver: driver(&machine),
                clock: Clock::Modelled,
                timing_mode: "cold",
            },
            machine,
            memory: EmulatedMemory::new(),
            addresses: HashMap::new(),
            loaded: None,
            estimate: None,
        })
    }

    /// Returns the estimate of the last timed launch, with its time by cause.
    pub fn estimate(&self) -> Option<&Estimate> {
        self.estimate.as_ref()
    }

    fn with_kernel<R>(
        &mut self,
        launch: &DeviceLaunch<'_>,
        run: impl FnOnce(
            &CodeObject,
            &mut EmulatedMemory,
            &emulator::KernelLaunch<'_>,
        ) -> Result<R, LaunchFault>,
    ) -> Result<R, DeviceError> {
        let kernel = launch.kernel;
        let code = match self.loaded.take() {
            Some((bytes, code)) if Arc::ptr_eq(&bytes, &kernel.code_object) => code,
            _ => CodeObject::load(&kernel.code_object)
                .map_err(|error| DeviceError::Load(error.to_string()))?,
        };
        let result = match code.kernel(&kernel.symbol) {
            None => Err(DeviceError::Load(format!(
                "it has no kernel {:?}",
                kernel.symbol
            ))),
            Some(entry) => {
                let kernarg = kernarg(launch);
                let items = (kernel.workgroup_size.into_iter()).fold(1, u32::saturating_mul);
                let emulated = emulator::KernelLaunch {
                    kernel: entry,
                    workgroups: kernel.workgroups,
                    workgroup_size: kernel.workgroup_size,
                    dynamic_lds_bytes: 0,
                    kernarg: &kernarg,
                    // The emulator verifies parts of launches; a profile takes all workgroups and
                    // samples them itself.
                    workgroup_subset: launch.only,
                    instruction_limit: launch.instruction_limit,
                    resident_workgroups: model::concurrent_workgroups(
                        entry,
                        items,
                        0,
                        &self.machine,
                    ),
                    threads: 0,
                };
                run(&code, &mut self.memory, &emulated).map_err(device_error)
            }
        };
        self.loaded = Some((Arc::clone(&kernel.code_object), code));
        result
    }
}

impl KernelDevice for EmulatedDevice {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn runs_parts(&self) -> bool {
        true
    }

    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceError> {
        let refused = |error: MemoryError| DeviceError::Memory {
            bytes,
            message: error.to_string(),
        };
        let address = self.memory.allocate(bytes).map_err(refused)?;
        let buffer = Buffer(address.get());
        self.addresses.insert(buffer, address);
        Ok(buffer)
    }

    fn free(&mut self, buffer: Buffer) {
        if let Some(address) = self.addresses.remove(&buffer) {
            self.memory
                .free(address)
                .expect("a live buffer is an allocation");
        }
        // A fresh memory gives the next problem the same addresses as the first one. Its times do
        // not depend on earlier problems.
        if self.addresses.is_empty() {
            (self.memory, self.loaded) = (EmulatedMemory::new(), None);
        }
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.memory.write(self.addresses[&buffer], offset, bytes);
        Ok(())
    }

    fn poison(&mut self, buffer: Buffer, bytes: Range<u64>) -> Result<(), DeviceError> {
        let address = self.addresses[&buffer];
        let (start, end) = (bytes.start as usize, bytes.end as usize);
        self.memory.bytes_mut(address)[start..end].fill(POISON);
        // The checker reports a use of undefined bytes; the poison itself shows missing writes to
        // the verdict.
        self.memory.mark_undefined(address, bytes);
        Ok(())
    }

    fn read(&self, buffer: Buffer, bytes: Range<u64>) -> Result<Cow<'_, [u8]>, DeviceError> {
        let memory = self.memory.bytes(self.addresses[&buffer]);
        Ok(Cow::Borrowed(
            &memory[bytes.start as usize..bytes.end as usize],
        ))
    }

    fn launch(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError> {
        launch
            .each()
            .try_for_each(|launch| match launch.is_checked {
                true => self.checked(launch),
                false => self.unchecked(launch),
            })
    }

    fn time(&mut self, launches: &[DeviceLaunch<'_>]) -> Result<Measurement, DeviceError> {
        let times = launches.iter().map(|launch| {
            let each = launch.each();
            each.map(|launch| self.modelled_us(launch)).sum()
        });
        let times: Vec<f64> = times.collect::<Result<_, _>>()?;
        Ok(Measurement::exact(Mode::Cold, geometric_mean(&times)))
    }
}

impl EmulatedDevice {
    fn checked(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError> {
        let checked = self.with_kernel(launch, |code, memory, launch| {
            Ok(emulator::check(code, memory, launch))
        })?;
        checked.result.map_err(device_error)?;
        // One finding explains a kernel; a race may have many, so the rest is a number.
        match &checked.findings[..] {
            [] => Ok(()),
            [finding] => Err(DeviceError::Fault(finding.to_string())),
            [finding, rest @ ..] => Err(DeviceError::Fault(format!(
                "{finding}; and {} more findings",
                rest.len()
            ))),
        }
    }

    /// Runs a launch without the checker. An access out of bounds is a fault all the same.
    fn unchecked(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError> {
        self.with_kernel(launch, |code, memory, launch| {
            // With one thread, a kernel with a race has the same results in each run.
            let launch = emulator::KernelLaunch {
                threads: 1,
                ..*launch
            };
            emulator::run(code, memory, &launch)
        })?;
        Ok(())
    }

    fn modelled_us(&mut self, launch: &DeviceLaunch<'_>) -> Result<f64, DeviceError> {
        let arrivals = self.arrivals(launch);
        let profile = self.with_kernel(launch, |code, memory, launch| {
            let sample = PROFILED_WORKGROUPS;
            match arrivals {
                None => emulator::profile(code, memory, launch, sample),
                Some(last) => emulator::profile_last(code, memory, launch, sample, last),
            }
        })?;
        let estimate = model::estimate(&profile, &self.machine, CacheState::Cold);
        self.estimate = Some(estimate);
        Ok(estimate.time_us)
    }
}

impl EmulatedDevice {
    /// Predicts the arrival counters that the last of the workgroups with shared rows reads, if
    /// rows are shared. The emulator would learn them from the whole launch, which takes longer
    /// than the sample.
    fn arrivals(&mut self, launch: &DeviceLaunch<'_>) -> Option<Arrivals> {
        let kernel = launch.kernel;
        let workspace = kernel.workspace?;
        let address = self.addresses[&launch.buffers[workspace.buffer]];
        // The other workgroups do not run, so their states are marked as nobody's.
        self.memory.bytes_mut(address)[..workspace.counters as usize].fill(workspace.nobodys);
        let counters = (workspace.counters..kernel.buffers[workspace.buffer]).step_by(4);
        // A counter counts all workgroups of each fold that it serves. The last one reads all
        // arrivals but its own.
        let counts = (1..=workspace.counts).map(|fold| fold * kernel.sharers - 1);
        let mut arrivals = Arrivals::new();
        for counter in counters {
            arrivals.insert(address, counter, counts.clone());
        }
        Some(arrivals)
    }
}

/// Returns the emulator's version and a hash of the model's parameters. If either changes, times
/// change.
fn driver(machine: &Machine) -> Driver {
    Driver {
        name: "wavetune emulator".to_owned(),
        version: emulator::version().to_owned(),
        model: model_hash(machine),
        ..Driver::default()
    }
}

/// Hashes the model's parameters as canonical JSON, with a version of this format.
fn model_hash(machine: &Machine) -> String {
    let machine = serde_json::to_string(machine).expect("a machine has text keys and numbers");
    let parameters = format!("1 {machine}, {PROFILED_WORKGROUPS} workgroups");
    blake3::hash(parameters.as_bytes()).to_hex()[..8].to_owned()
}

fn device_error(fault: LaunchFault) -> DeviceError {
    match fault {
        LaunchFault::InstructionLimit { .. } => DeviceError::Timeout(fault.to_string()),
        _ => DeviceError::Fault(fault.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the driver's name has not changed. Another figure of a device or of the model,
    /// or a renamed field, makes another driver. Earlier results on the emulated device then have
    /// another provenance, and every study on it begins anew. This is intended for other times;
    /// avoid a mere rename.
    #[test]
    fn a_model_keeps_its_name() {
        let machine = machine(emulated_device("emulated:mi300x").unwrap());
        expect_test::expect!["ca7f9d65"].assert_eq(&model_hash(&machine));
    }
}
