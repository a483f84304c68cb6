//! The rig: a device that another process uses, as a study sees it.
//!
//! What ends the child is the result of the kernel that ran, and the next kernel gets a new child. Where it died before
//! it launched anything, nobody knows yet whose fault it is: the same kernel gets another child.

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

/// Time in which a device works again after a child was ended on it: a GPU that hung is reset by the driver first.
const RECOVERY: Duration = Duration::from_secs(60);
/// Time between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Why there is no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(String);

/// A HIP device, locked by this process and by its child.
pub struct HipRig {
    command: ChildCommand,
    options: HipOptions,
    facts: HipDeviceFacts,
    identity: Identity,
    /// None after a kernel that ended it.
    process: Option<Process>,
    /// Released when the child is gone.
    _lock: DeviceLock,
}

impl HipRig {
    /// Starts the child, which loads the library, and locks the device.
    ///
    /// # Errors
    /// [`Unavailable`], in one line: no library, no such device, one that another process uses, one that the device
    /// table does not have, or a mode that it has not.
    pub fn start(command: ChildCommand, options: HipOptions) -> Result<HipRig, Unavailable> {
        let (mut process, facts) = open(&command, &options)?;
        if facts.is_emulated() && options.mode == Mode::Warm {
            let refusal = format!("{} knows times of cold caches only", facts.name);
            return Err(Unavailable(refusal));
        }
        let identity = facts.identity(options.mode);
        let identity = identity.map_err(|error| Unavailable(error.to_string()))?;
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

    /// What the library says of the device.
    pub fn facts(&self) -> &HipDeviceFacts {
        &self.facts
    }
}

/// The devices of a library, asked in a child, which locks none.
///
/// # Errors
/// [`Unavailable`], in one line: no library, or one that finds no device.
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

/// Has the child lock the device and make it ready.
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
    DeviceError::Crash(format!("its process gave an answer to nothing: {answer:?}"))
}

impl Rig for HipRig {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn open<'a>(&'a mut self, inputs: &'a Inputs) -> Result<Box<dyn Evaluator + 'a>, DeviceError> {
        if let Some(process) = self.process.take() {
            // One that has died since the last problem gets a successor when the first kernel comes.
            self.process = prepare(process, inputs)?.ok();
        }
        Ok(Box::new(HipEvaluator { rig: self, inputs }))
    }
}

/// The child with the inputs, or how it died.
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
    /// A new child, when the device has recovered.
    fn restart(&self) -> Result<Process, DeviceError> {
        let began = Instant::now();
        loop {
            let error = match self.reopen() {
                Ok((process, facts)) if facts == self.rig.facts => {
                    match prepare(process, self.inputs)? {
                        Ok(process) => return Ok(process),
                        Err(error) => error.to_string(),
                    }
                }
                Ok((_, facts)) => {
                    return Err(DeviceError::Crash(format!(
                        "it was {}, and now is {facts}",
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

    /// What comes of a kernel, or why nobody can say.
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
                // The driver has said more than its error code.
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
        let first = match self.attempt(kernel)? {
            Err(death) if !death.launched => self.attempt(kernel)?,
            first => first,
        };
        Ok(first.unwrap_or_else(|death| BenchOutcome::Failed(death.error)))
    }
}
