//! The rig: the study's view of a device that another process uses.
//!
//! The end of a child is the result of the kernel that ran, and the next kernel gets a new child.
//! If the child died before any launch, the cause is unknown: the same kernel gets another child.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use codegen::CompiledKernel;

use super::child::ends_the_child;
use super::child_process::{ChildCommand, ChildDeath, Process, with_line};
use super::child_protocol::{ChildReply, ChildRequest, HipOptions};
use super::device_facts::HipDeviceFacts;
use super::lock::{self, DeviceLock, Holder};
use crate::bench::BenchOutcome;
use crate::device::{DeviceError, Identity};
use crate::evaluator::{Evaluator, Rig};
use crate::inputs::Inputs;
use crate::timing::Mode;

/// The time in which a device works again after the end of a child: the driver resets a GPU that
/// hung.
const RECOVERY: Duration = Duration::from_secs(60);
/// The time between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// The reason why there is no device, as one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(String);

/// A HIP device, locked by this process and by its child.
pub struct HipRig {
    command: ChildCommand,
    options: HipOptions,
    facts: HipDeviceFacts,
    identity: Identity,
    /// The child. `None` after a kernel that ended it.
    process: Option<Process>,
    /// The study's lock, released after the child is gone.
    _lock: DeviceLock,
}

impl HipRig {
    /// Starts the child, which loads the library, and locks the device.
    ///
    /// # Errors
    /// [`Unavailable`], in one line: no library, no such device, a device in use, a device
    /// without a row in the table, or an unsupported mode.
    pub fn start(command: ChildCommand, options: HipOptions) -> Result<HipRig, Unavailable> {
        let (mut process, facts) = open(&command, &options)?;
        if facts.is_emulated() && options.mode == Mode::Warm {
            let refusal = format!("{} can measure only with cold caches", facts.name);
            return Err(Unavailable(refusal));
        }
        let identity = facts.identity(options.mode);
        let identity = identity.map_err(|error| Unavailable(error.to_string()))?;
        // The study's lock comes first: two studies could otherwise alternate their children.
        let lock = DeviceLock::take(&lock::folder(), &facts, Holder::Study, options.wait);
        let lock = lock.map_err(|error| Unavailable(error.to_string()))?;
        lock_by(&mut process)?;
        Ok(HipRig {
            command,
            options,
            identity,
            facts,
            process: Some(process),
            _lock: lock,
        })
    }

    /// Returns the library's facts about the device.
    pub fn facts(&self) -> &HipDeviceFacts {
        &self.facts
    }
}

/// Lists the devices of a library. A child loads it and locks none of them.
///
/// # Errors
/// [`Unavailable`], in one line: no library, or one without a device.
pub fn devices(
    command: &ChildCommand,
    library: Option<PathBuf>,
) -> Result<Vec<HipDeviceFacts>, Unavailable> {
    let mut process = start(command, library.as_deref())?;
    match process.ask(&ChildRequest::Probe { library }, &[]) {
        Ok(ChildReply::Devices(devices)) => Ok(devices),
        answer => Err(refusal(answer)),
    }
}

fn start(command: &ChildCommand, library: Option<&Path>) -> Result<Process, Unavailable> {
    let process = Process::start(command, library);
    process.map_err(|error| Unavailable(format!("the device's process cannot be started: {error}")))
}

fn open(
    command: &ChildCommand,
    options: &HipOptions,
) -> Result<(Process, HipDeviceFacts), Unavailable> {
    let mut process = start(command, options.library.as_deref())?;
    match process.ask(&ChildRequest::Open(options.clone()), &[]) {
        Ok(ChildReply::Opened(facts)) => Ok((process, *facts)),
        answer => Err(refusal(answer)),
    }
}

/// Makes the child lock the device and prepare it.
fn lock_by(process: &mut Process) -> Result<(), Unavailable> {
    let folder = lock::folder();
    match process.ask(&ChildRequest::Lock { folder }, &[]) {
        Ok(ChildReply::Locked) => Ok(()),
        answer => Err(refusal(answer)),
    }
}

fn refusal(answer: Result<ChildReply, ChildDeath>) -> Unavailable {
    Unavailable(match answer {
        Ok(ChildReply::Refused(reason)) => reason,
        Ok(answer) => unexpected(&answer).to_string(),
        Err(death) => death.error.to_string(),
    })
}

fn unexpected(answer: &ChildReply) -> DeviceError {
    DeviceError::Crash(format!(
        "its process sent an answer without a request: {answer:?}"
    ))
}

impl Rig for HipRig {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn open<'a>(&'a mut self, inputs: &'a Inputs) -> Result<Box<dyn Evaluator + 'a>, DeviceError> {
        if let Some(process) = self.process.take() {
            // A child that has died since the last problem gets a successor at the first kernel.
            self.process = prepare(process, inputs)?.ok();
        }
        Ok(Box::new(HipEvaluator { rig: self, inputs }))
    }
}

/// Sends the inputs to the child. Returns the child, or the error of its death.
fn prepare(
    mut process: Process,
    inputs: &Inputs,
) -> Result<Result<Process, DeviceError>, DeviceError> {
    let request = ChildRequest::Problem {
        problem: inputs.problem().to_string(),
        seed: inputs.seed(),
    };
    match process.ask(&request, &[]) {
        Ok(ChildReply::Ready) => Ok(Ok(process)),
        Ok(ChildReply::Failed(error)) => Err(error),
        Ok(answer) => Err(unexpected(&answer)),
        Err(death) => Ok(Err(death.error)),
    }
}

/// A device with the inputs of a problem on it.
struct HipEvaluator<'a> {
    rig: &'a mut HipRig,
    inputs: &'a Inputs,
}

impl HipEvaluator<'_> {
    /// Starts a new child, once the device has recovered.
    fn restart(&self) -> Result<Process, DeviceError> {
        let began = Instant::now();
        loop {
            let error = match self.reopen() {
                // After a reset, the number may belong to another device. Its times would not
                // compare.
                Ok((process, facts)) if facts == self.rig.facts => {
                    match prepare(process, self.inputs)? {
                        Ok(process) => return Ok(process),
                        Err(error) => error.to_string(),
                    }
                }
                Ok((_, facts)) => {
                    return Err(DeviceError::Crash(format!(
                        "it was {}, and is now {facts}",
                        self.rig.facts
                    )));
                }
                Err(error) => error.to_string(),
            };
            if began.elapsed() > RECOVERY {
                return Err(DeviceError::Crash(error));
            }
            thread::sleep(PAUSE);
        }
    }

    fn reopen(&self) -> Result<(Process, HipDeviceFacts), Unavailable> {
        let (mut process, facts) = open(&self.rig.command, &self.rig.options)?;
        lock_by(&mut process)?;
        Ok((process, facts))
    }

    /// Returns a kernel's outcome, or the death of a child without a cause.
    fn attempt(
        &mut self,
        kernel: &CompiledKernel,
    ) -> Result<Result<BenchOutcome, ChildDeath>, DeviceError> {
        let mut process = match self.rig.process.take() {
            Some(process) => process,
            None => self.restart()?,
        };
        let request = ChildRequest::Evaluate(Box::new(kernel.clone()));
        match process.ask(&request, &kernel.code_object) {
            Ok(ChildReply::Outcome(outcome)) => Ok(Ok(match *outcome {
                // The driver's messages say more than its error code.
                BenchOutcome::Failed(DeviceError::Fault(error)) => {
                    let error = with_line(error, &process.end_with_stderr());
                    BenchOutcome::Failed(DeviceError::Fault(error))
                }
                outcome => {
                    if !ends_the_child(&outcome) {
                        self.rig.process = Some(process);
                    }
                    outcome
                }
            })),
            Ok(ChildReply::Failed(error)) => Ok(Err(ChildDeath {
                error,
                launched: false,
            })),
            Ok(answer) => Err(unexpected(&answer)),
            Err(death) => Ok(Err(death)),
        }
    }
}

impl Evaluator for HipEvaluator<'_> {
    fn evaluate(&mut self, kernel: &CompiledKernel) -> Result<BenchOutcome, DeviceError> {
        // A second death without a launch counts as the result of the kernel.
        let first = match self.attempt(kernel)? {
            Err(death) if !death.launched => self.attempt(kernel)?,
            first => first,
        };
        Ok(first.unwrap_or_else(|death| BenchOutcome::Failed(death.error)))
    }
}
