//! Workers: threads that build and evaluate candidates, each with a device of its own.

use std::sync::{Arc, Mutex, PoisonError, mpsc as blocking};
use std::thread::JoinHandle;
use std::time::SystemTime;

use bench_harness::{DeviceError, Evaluator, Inputs, Rig};
use codegen::CompiledKernel;
use configgen::{Problem, Target};
use store::{FailureKind, Outcome, Role, Timing, Trial};
use tokio::sync::mpsc;

use crate::build::{BuildError, Builder, Choice};
use crate::queue::Candidate;
use crate::study::TuneError;

/// What the workers share.
pub(crate) struct Job {
    pub(crate) problem: Problem,
    pub(crate) target: &'static Target,
    pub(crate) builder: Arc<dyn Builder>,
    pub(crate) inputs: Inputs,
}

/// The workers of a study. They end with the batch at hand when this is dropped.
pub(crate) struct Workers {
    batches: blocking::Sender<Vec<Candidate>>,
    events: mpsc::UnboundedReceiver<Event>,
    /// Workers that have nothing to do.
    free: usize,
    /// Workers that live.
    alive: usize,
    threads: Vec<JoinHandle<()>>,
}

/// What a worker has to say.
pub(crate) enum Event {
    /// A trial has ended.
    Trial(Box<Trial>),
    /// Its batch is done.
    Free,
    /// It cannot go on.
    Failed(TuneError),
    /// It ended, of itself or by a panic.
    Gone,
}

/// Says that a worker is gone, however it went.
struct Farewell(mpsc::UnboundedSender<Event>);

impl Drop for Farewell {
    fn drop(&mut self) {
        // Nobody listens when the study has ended.
        self.0.send(Event::Gone).ok();
    }
}

impl Workers {
    /// A worker for each device.
    pub(crate) fn start(job: Job, devices: Vec<Box<dyn Rig>>) -> Result<Workers, TuneError> {
        let (batches, receiver) = blocking::channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let (sender, events) = mpsc::unbounded_channel();
        let job = Arc::new(job);
        let count = devices.len();
        let mut threads = Vec::with_capacity(count);
        for device in devices {
            let (job, receiver) = (Arc::clone(&job), Arc::clone(&receiver));
            let farewell = Farewell(sender.clone());
            let work = move || {
                let sender = &farewell.0;
                if let Err(error) = work(&job, device, &receiver, sender) {
                    sender.send(Event::Failed(error)).ok();
                }
            };
            let thread = std::thread::Builder::new().spawn(work);
            threads.push(thread.map_err(TuneError::Thread)?);
        }
        Ok(Workers {
            batches,
            events,
            free: count,
            alive: count,
            threads,
        })
    }

    /// Ends the workers, which have nothing to do; then nobody uses their devices any more.
    pub(crate) fn finish(self) {
        drop(self.batches);
        for thread in self.threads {
            // One that panicked is gone, too.
            thread.join().ok();
        }
    }

    /// Whether some worker has nothing to do.
    pub(crate) fn are_free(&self) -> bool {
        self.free > 0
    }

    /// Has a free worker evaluate a batch.
    pub(crate) fn give(&mut self, batch: Vec<Candidate>) {
        self.free -= 1;
        // Where all of them are gone, the next event says so.
        self.batches.send(batch).ok();
    }

    /// What happens next; none when no worker has anything to do, or none lives.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, TuneError> {
        if self.free == self.alive {
            return Ok(None);
        }
        let Some(event) = self.events.recv().await else {
            return Ok(None);
        };
        match event {
            Event::Failed(error) => return Err(error),
            Event::Free => self.free += 1,
            Event::Gone => self.alive -= 1,
            Event::Trial(_) => {}
        }
        Ok(Some(event))
    }
}

/// Evaluates batches until there are no more, or until nobody listens.
fn work(
    job: &Job,
    device: Box<dyn Rig>,
    batches: &Mutex<blocking::Receiver<Vec<Candidate>>>,
    sender: &mpsc::UnboundedSender<Event>,
) -> Result<(), TuneError> {
    let mut bench = device.open(&job.inputs)?;
    loop {
        // A worker that panics holds no lock.
        let received = batches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(batch) = received else {
            return Ok(());
        };
        let choices: Vec<Choice> = batch
            .iter()
            .map(|candidate| candidate.choice.clone())
            .collect();
        let began = SystemTime::now();
        let kernels = job.builder.build(&job.problem, job.target, &choices);
        let built = began.elapsed().unwrap_or_default();
        let compile_ms = built.as_secs_f64() * 1e3 / batch.len() as f64;
        for (candidate, kernel) in batch.into_iter().zip(kernels) {
            let started = SystemTime::now();
            let compiled = kernel.is_ok();
            let outcome = match kernel {
                Ok(kernel) => evaluate(bench.as_mut(), &kernel)?,
                Err(BuildError::Failed(kind, message)) => Outcome::Failed(kind, message),
                Err(BuildError::Environment(message)) => {
                    return Err(TuneError::Environment(message));
                }
            };
            let trial = Trial {
                ordinal: candidate.ordinal,
                role: match candidate.choice {
                    Choice::Default(_) => Role::Default,
                    Choice::Configured(_) => Role::Candidate,
                },
                configuration: candidate.choice.configuration().cloned(),
                outcome,
                input_seed: job.inputs.seed(),
                compile_ms: compiled.then_some(compile_ms),
                started,
                ended: SystemTime::now(),
            };
            if sender.send(Event::Trial(Box::new(trial))).is_err() {
                return Ok(());
            }
        }
        if sender.send(Event::Free).is_err() {
            return Ok(());
        }
    }
}

fn evaluate(bench: &mut dyn Evaluator, kernel: &CompiledKernel) -> Result<Outcome, TuneError> {
    let timing = |timing: bench_harness::Timing| Timing {
        time_us: timing.median_us(),
        samples_us: timing.samples_us,
    };
    Ok(match bench.evaluate(kernel)? {
        bench_harness::Outcome::Right(time) => Outcome::Right(timing(time)),
        bench_harness::Outcome::Tie(time, difference) => {
            Outcome::Tie(timing(time), difference.to_string())
        }
        bench_harness::Outcome::Wrong(difference) => Outcome::Wrong(difference.to_string()),
        bench_harness::Outcome::Unstable(difference) => {
            Outcome::Failed(FailureKind::Nondeterministic, difference.to_string())
        }
        bench_harness::Outcome::Failed(error) => {
            let message = error.to_string();
            match error {
                DeviceError::Load(_) => Outcome::Failed(FailureKind::Rejected, message),
                DeviceError::Fault(_) => Outcome::Failed(FailureKind::Fault, message),
                DeviceError::Timeout(_) => Outcome::Failed(FailureKind::Timeout, message),
                DeviceError::Crash(_) => Outcome::Failed(FailureKind::Crash, message),
                DeviceError::Memory { .. } => Outcome::Failed(FailureKind::Memory, message),
            }
        }
    })
}
