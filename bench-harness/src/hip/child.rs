//! The child: the process that uses the device.
//!
//! It serves requests until its standard input ends, or until a kernel leaves the device in a
//! doubtful state. Its standard output belongs to the library, which may print. Replies go to a
//! duplicate of the original standard output.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use codegen::CompiledKernel;
use configgen::Problem;

use super::api;
use super::child_protocol::{self, ChildPhase, ChildReply, ChildRequest, HipOptions};
use super::device::HipDevice;
use super::device_facts::HipDeviceFacts;
use super::error::HipError;
use super::library::Hip;
use super::lock::{DeviceLock, Holder};
use crate::bench::{Bench, BenchOutcome};
use crate::device::DeviceError;
use crate::inputs::Inputs;

/// The pipe for replies. Sending ignores errors: the next read of a request shows that the parent
/// is gone.
#[derive(Clone)]
struct ParentLink(Rc<RefCell<File>>);

impl ParentLink {
    fn send(&self, answer: &ChildReply) {
        let mut to: &File = &self.0.borrow();
        child_protocol::write(&mut to, answer, &[]).ok();
    }
}

/// Serves the parent through standard input and output, to the end. Only a device's child process
/// calls it, and nothing else may write to standard output before.
///
/// The process must end with the returned code. Until then it holds the lock, and the library
/// must stay loaded.
pub fn serve_parent() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    let link = ParentLink(Rc::new(RefCell::new(take_standard_output()?)));
    let mut requests = BufReader::new(io::stdin());
    let options = match child_protocol::read(&mut requests)? {
        Some((ChildRequest::Open(options), _)) => options,
        Some((ChildRequest::Probe { library }, _)) => {
            let devices = devices(library.as_deref());
            link.send(&devices.map_or_else(ChildReply::Refused, ChildReply::Devices));
            return Ok(());
        }
        _ => return Ok(()),
    };
    let (hip, facts) = match open(&options) {
        Ok(opened) => opened,
        Err(reason) => {
            link.send(&ChildReply::Refused(reason));
            return Ok(());
        }
    };
    link.send(&ChildReply::Opened(Box::new(facts.clone())));
    let Some((ChildRequest::Lock { folder }, _)) = child_protocol::read(&mut requests)? else {
        return Ok(());
    };
    let (mut device, _lock) = match lock(hip, &facts, &options, &folder, &link) {
        Ok(locked) => locked,
        Err(reason) => {
            link.send(&ChildReply::Refused(reason));
            return Ok(());
        }
    };
    link.send(&ChildReply::Locked);
    let mut next = child_protocol::read(&mut requests)?;
    // Inputs never go through the pipe: the child makes them from the problem's text and the seed.
    while let Some((ChildRequest::Problem { problem, seed }, _)) = next {
        let problem: Result<Problem, _> = problem.parse();
        let problem = problem.map_err(io::Error::other)?;
        let inputs = Inputs::new(&problem, seed).map_err(io::Error::other)?;
        let bench = match Bench::new(&mut device, &inputs) {
            Ok(bench) => bench,
            Err(error) => {
                link.send(&ChildReply::Failed(error));
                return Ok(());
            }
        };
        link.send(&ChildReply::Ready);
        next = evaluate(bench, &mut requests, &link)?;
    }
    Ok(())
}

/// Redirects standard output to standard error, for the library's prints. Returns the original
/// standard output, which the parent reads.
fn take_standard_output() -> io::Result<File> {
    let own = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(own.into())
}

/// Loads the library and reads the device's facts. The error is the reason as text.
fn open(options: &HipOptions) -> Result<(Hip, HipDeviceFacts), String> {
    let hip = load(options.library.as_deref())?;
    let facts = probe(&hip, options.ordinal);
    let facts = facts.map_err(|error| format!("{}: {error}", hip.path.display()))?;
    Ok((hip, facts))
}

/// Locks the device and prepares it. The error is the reason as text.
fn lock(
    hip: Hip,
    facts: &HipDeviceFacts,
    options: &HipOptions,
    folder: &Path,
    link: &ParentLink,
) -> Result<(HipDevice, DeviceLock), String> {
    let path = hip.path.display().to_string();
    let identity = facts.identity(options.mode);
    // The child before may still hold the lock; its limit differs from that of host work.
    let identity = identity.map_err(|error| error.to_string())?;
    link.send(&ChildReply::Step(ChildPhase::Wait));
    let lock = DeviceLock::take(folder, facts, Holder::Child, true);
    let lock = lock.map_err(|error| error.to_string())?;
    link.send(&ChildReply::Step(ChildPhase::Host));
    let watch = {
        let link = link.clone();
        Box::new(move |step| link.send(&ChildReply::Step(step)))
    };
    let device = HipDevice::new(hip, options, (identity, &facts.pci), watch);
    let device = device.map_err(|error| format!("{path}: {error}"))?;
    Ok((device, lock))
}

/// The reason why no device has a number.
#[derive(Debug, thiserror::Error)]
enum ProbeError {
    #[error("it finds no GPU: {0}")]
    NoDevice(HipError),
    #[error(transparent)]
    Hip(#[from] HipError),
    #[error("it has no device hip:{ordinal}, only {count}, counted from 0")]
    Ordinal { ordinal: u32, count: u32 },
}

/// Returns the facts of a device.
fn probe(hip: &Hip, ordinal: u32) -> Result<HipDeviceFacts, ProbeError> {
    let count = count(hip)?;
    if ordinal >= count {
        return Err(ProbeError::Ordinal { ordinal, count });
    }
    Ok(HipDeviceFacts::read(hip, ordinal)?)
}

/// Returns the number of devices of a library, at least one.
fn count(hip: &Hip) -> Result<u32, ProbeError> {
    // SAFETY: takes 0.
    let ready = hip.check("hipInit", unsafe { (hip.api.hipInit)(0) });
    let number = ready.and_then(|()| hip.number("hipGetDeviceCount", hip.api.hipGetDeviceCount));
    let number = number.map_err(|error| match error.code {
        // Without a GPU, ROCm 5's hipInit returns `INVALID_DEVICE`.
        api::NO_DEVICE | api::INVALID_DEVICE => ProbeError::NoDevice(error),
        _ => error.into(),
    })?;
    Ok(u32::try_from(number).unwrap_or(0))
}

/// Returns the facts of all devices of a library.
fn devices(library: Option<&Path>) -> Result<Vec<HipDeviceFacts>, String> {
    let hip = load(library)?;
    let all = count(&hip).and_then(|count| {
        let facts = (0..count).map(|ordinal| HipDeviceFacts::read(&hip, ordinal));
        Ok(facts.collect::<Result<Vec<HipDeviceFacts>, HipError>>()?)
    });
    all.map_err(|error| format!("{}: {error}", hip.path.display()))
}

fn load(library: Option<&Path>) -> Result<Hip, String> {
    Hip::load(library).map_err(|error| error.to_string())
}

/// A request, with the bytes that came with it.
type ReceivedRequest = (ChildRequest, Vec<u8>);

/// Evaluates kernels up to the next problem, which it returns. `None` means that the child must
/// end.
fn evaluate(
    mut bench: Bench<'_>,
    requests: &mut impl Read,
    link: &ParentLink,
) -> io::Result<Option<ReceivedRequest>> {
    let mut code_object: Arc<[u8]> = Arc::from([]);
    while let Some((request, attached)) = child_protocol::read(requests)? {
        let kernel = match request {
            ChildRequest::Evaluate(kernel) => kernel,
            next @ ChildRequest::Problem { .. } => return Ok(Some((next, attached))),
            _ => return Err(io::Error::other("a kernel was expected")),
        };
        // Successive kernels of a batch share a code object. The device recognises it by its
        // pointer.
        if attached != *code_object {
            code_object = Arc::from(attached);
        }
        let kernel = CompiledKernel {
            code_object: Arc::clone(&code_object),
            ..*kernel
        };
        match bench.evaluate(&kernel) {
            Ok(outcome) => {
                let ends = ends_the_child(&outcome);
                link.send(&ChildReply::Outcome(Box::new(outcome)));
                if ends {
                    return Ok(None);
                }
            }
            Err(error) => {
                link.send(&ChildReply::Failed(error));
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// Returns true if the device may be in a state that distorts later measurements.
pub(super) fn ends_the_child(outcome: &BenchOutcome) -> bool {
    let BenchOutcome::Failed(error) = outcome else {
        return false;
    };
    match error {
        DeviceError::Fault(_) | DeviceError::Timeout(_) | DeviceError::Crash(_) => true,
        DeviceError::Load(_) | DeviceError::Memory { .. } => false,
    }
}
