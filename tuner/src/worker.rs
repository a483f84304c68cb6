//! Workers: threads that build and evaluate candidates, each with a device of its own.

use std::sync::{Arc, Mutex, PoisonError, mpsc as blocking};
use std::thread::JoinHandle;
use std::time::SystemTime;

use bench_harness::timing::{Finals, Measurement};
use bench_harness::{DeviceError, Evaluator, Inputs, Rig};
use codegen::CompiledKernel;
use configgen::{Generator, Problem, Target};
use lookup::is_served;
use store::{FailureKind, Outcome, Role, Status, Timing, Trial};
use tokio::sync::mpsc;

use crate::build::{BuildError, Builder, Choice};
use crate::finals;
use crate::queue::Candidate;
use crate::steady::Steady;
use crate::study::TuneError;

/// What the workers share.
pub(crate) struct Job {
    pub(crate) problem: Problem,
    pub(crate) target: &'static Target,
    pub(crate) builder: Arc<dyn Builder>,
    pub(crate) inputs: Inputs,
    pub(crate) default: Choice,
}

/// What a worker is given to do.
pub(crate) enum Task {
    /// To evaluate these.
    Try(Vec<Candidate>),
    /// To hold finals of these, with the seed of a study.
    Finals(Vec<Choice>, u64),
}

/// The workers of a study. They end with the batch at hand when this is dropped.
pub(crate) struct Workers {
    tasks: blocking::Sender<Task>,
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
    /// The finals have ended, or could not be held for this reason.
    Finals(Box<Result<Finals, String>>),
    /// Its task is done.
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
        let (tasks, receiver) = blocking::channel();
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
            tasks,
            events,
            free: count,
            alive: count,
            threads,
        })
    }

    /// Ends the workers, which have nothing to do; then nobody uses their devices any more.
    pub(crate) fn finish(self) {
        drop(self.tasks);
        for thread in self.threads {
            // One that panicked is gone, too.
            thread.join().ok();
        }
    }

    /// Whether some worker has nothing to do.
    pub(crate) fn are_free(&self) -> bool {
        self.free > 0
    }

    /// Gives a free worker something to do.
    pub(crate) fn give(&mut self, task: Task) {
        self.free -= 1;
        // Where all of them are gone, the next event says so.
        self.tasks.send(task).ok();
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
            Event::Trial(_) | Event::Finals(_) => {}
        }
        Ok(Some(event))
    }
}

/// Does what there is to do until there is no more, or until nobody listens.
fn work(
    job: &Job,
    device: Box<dyn Rig>,
    tasks: &Mutex<blocking::Receiver<Task>>,
    sender: &mpsc::UnboundedSender<Event>,
) -> Result<(), TuneError> {
    let is_exact = device.identity().is_exact();
    let mut evaluator = device.open(&job.inputs)?;
    let mut steady = match is_exact {
        true => None,
        false => steady(job, evaluator.as_mut())?,
    };
    loop {
        // A worker that panics holds no lock.
        let received = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let told = match received {
            Err(_) => return Ok(()),
            Ok(Task::Finals(finalists, seed)) => {
                let finals = finals::hold(job, evaluator.as_mut(), &finalists, seed)?;
                sender.send(Event::Finals(Box::new(finals)))
            }
            Ok(Task::Try(batch)) => try_batch(job, evaluator.as_mut(), &mut steady, batch, sender)?,
        };
        if told.is_err() || sender.send(Event::Free).is_err() {
            return Ok(());
        }
    }
}

/// Builds the default, and watches the device by it; none where it is not right.
fn steady(job: &Job, evaluator: &mut dyn Evaluator) -> Result<Option<Steady>, TuneError> {
    let choices = [job.default.clone()];
    match job.builder.build(&job.problem, job.target, &choices).pop() {
        Some(Ok(kernel)) => Ok(Steady::new(evaluator, kernel)?),
        Some(Err(BuildError::Environment(message))) => Err(TuneError::Environment(message)),
        Some(Err(BuildError::Failed(..))) | None => Ok(None),
    }
}

type Told = Result<(), mpsc::error::SendError<Event>>;

/// Evaluates a batch. Where the device is watched its trials are told when it is known that they stand, else one by one.
fn try_batch(
    job: &Job,
    evaluator: &mut dyn Evaluator,
    steady: &mut Option<Steady>,
    batch: Vec<Candidate>,
    sender: &mpsc::UnboundedSender<Event>,
) -> Result<Told, TuneError> {
    let choices: Vec<Choice> = batch
        .iter()
        .map(|candidate| candidate.choice.clone())
        .collect();
    let began = SystemTime::now();
    let kernels = job.builder.build(&job.problem, job.target, &choices);
    let built = began.elapsed().unwrap_or_default();
    let compile_ms = built.as_secs_f64() * 1e3 / batch.len() as f64;
    let mut waiting = Vec::new();
    for (candidate, kernel) in batch.into_iter().zip(kernels) {
        let trial = |started, outcome, compile_ms| Trial {
            ordinal: candidate.ordinal,
            role: match candidate.choice {
                Choice::Default(_) => Role::Default,
                Choice::Configured(_) => Role::Candidate,
            },
            configuration: candidate.choice.configuration().cloned(),
            outcome,
            input_seed: job.inputs.seed(),
            compile_ms,
            started,
            ended: SystemTime::now(),
        };
        let started = SystemTime::now();
        let told = match kernel {
            Ok(kernel) => {
                let evaluated = evaluator.evaluate(&kernel)?;
                let trial = trial(
                    started,
                    outcome(&evaluated, job.builder.generator()),
                    Some(compile_ms),
                );
                if let Some(steady) = steady {
                    steady.evaluated(waiting.len(), &evaluated);
                }
                waiting.push((trial, kernel, evaluated));
                match steady.as_ref().is_some_and(|steady| !steady.is_due()) {
                    true => Ok(()),
                    false => settle(
                        evaluator,
                        steady,
                        &mut waiting,
                        job.builder.generator(),
                        sender,
                    )?,
                }
            }
            Err(BuildError::Failed(kind, message)) => {
                let failed = trial(started, Outcome::Failed(kind, message), None);
                sender.send(Event::Trial(Box::new(failed)))
            }
            Err(BuildError::Environment(message)) => {
                return Err(TuneError::Environment(message));
            }
        };
        if told.is_err() {
            return Ok(told);
        }
    }
    settle(
        evaluator,
        steady,
        &mut waiting,
        job.builder.generator(),
        sender,
    )
}

/// A trial that has been evaluated, with its kernel.
type Evaluated = (Trial, CompiledKernel, bench_harness::Outcome);

/// Tells the trials that were evaluated since the default was, when they stand.
fn settle(
    evaluator: &mut dyn Evaluator,
    steady: &mut Option<Steady>,
    waiting: &mut Vec<Evaluated>,
    generator: Generator,
    sender: &mpsc::UnboundedSender<Event>,
) -> Result<Told, TuneError> {
    if waiting.is_empty() {
        return Ok(Ok(()));
    }
    if let Some(watching) = steady.take() {
        let since = waiting.iter_mut();
        let mut since: Vec<_> = since.map(|(_, kernel, found)| (&*kernel, found)).collect();
        *steady = watching.settle(evaluator, &mut since)?;
    }
    for (trial, _, evaluated) in waiting.drain(..) {
        let trial = Trial {
            outcome: outcome(&evaluated, generator),
            ended: SystemTime::now(),
            ..trial
        };
        if let told @ Err(_) = sender.send(Event::Trial(Box::new(trial))) {
            return Ok(told);
        }
    }
    Ok(Ok(()))
}

/// What is stored of an outcome.
fn outcome(evaluated: &bench_harness::Outcome, generator: Generator) -> Outcome {
    let timing = |measured: &Measurement| Timing {
        time_us: measured.median_us(),
        samples_us: measured.samples_us.clone(),
        protocol: Some(measured.description()),
    };
    match evaluated {
        bench_harness::Outcome::Right(time) => Outcome::Right(timing(time)),
        // Of a generator that promises less than the fold's bits, the index and an equal value are right.
        bench_harness::Outcome::SignOfZero(time, _) if is_served(Status::Tie, generator) => {
            Outcome::Right(timing(time))
        }
        bench_harness::Outcome::SignOfZero(time, difference)
        | bench_harness::Outcome::Tie(time, difference) => {
            Outcome::Tie(timing(time), difference.to_string())
        }
        bench_harness::Outcome::Wrong(difference) => Outcome::Wrong(difference.to_string()),
        bench_harness::Outcome::Unstable(difference) => {
            Outcome::Failed(FailureKind::Nondeterministic, difference.to_string())
        }
        bench_harness::Outcome::Failed(error) => {
            let kind = match error {
                DeviceError::Load(_) => FailureKind::Rejected,
                DeviceError::Fault(_) => FailureKind::Fault,
                DeviceError::Timeout(_) => FailureKind::Timeout,
                DeviceError::Crash(_) => FailureKind::Crash,
                DeviceError::Memory { .. } => FailureKind::Memory,
            };
            Outcome::Failed(kind, error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use bench_harness::Difference;
    use bench_harness::timing::Mode;

    use super::*;

    #[track_caller]
    fn check(error: DeviceError, kind: FailureKind) {
        let message = error.to_string();
        let found = outcome(&bench_harness::Outcome::Failed(error), Generator::NATIVE);
        assert_eq!(found, Outcome::Failed(kind, message));
    }

    /// A kernel that returns the fold's index with a zero of the other sign is right where its generator promises no more.
    #[test]
    fn the_sign_of_a_zero() {
        let difference = Difference {
            row: 0,
            pattern: None,
            given: Vec::new(),
            expected: "(-0.0, 3)".to_owned(),
            found: "(0.0, 3)".to_owned(),
        };
        let of = |generator| {
            let time = Measurement::exact(Mode::Cold, 5.0);
            let evaluated = bench_harness::Outcome::SignOfZero(time, difference.clone());
            outcome(&evaluated, generator).status()
        };
        assert_eq!(of(Generator::IREE), Status::Right);
        assert_eq!(of(Generator::NATIVE), Status::Tie);
    }

    #[test]
    fn failures_of_devices_are_stored_as_what_they_are() {
        let text = || "planted".to_owned();
        check(DeviceError::Load(text()), FailureKind::Rejected);
        check(DeviceError::Fault(text()), FailureKind::Fault);
        check(DeviceError::Timeout(text()), FailureKind::Timeout);
        check(DeviceError::Crash(text()), FailureKind::Crash);
        let memory = DeviceError::Memory {
            bytes: 7,
            message: text(),
        };
        check(memory, FailureKind::Memory);
    }
}
