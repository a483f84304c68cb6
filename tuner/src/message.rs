//! The messages between a director and its agents.
//!
//! A director decides the trials. An agent has a device, builds the candidates of a batch and
//! reports the results. All messages have a JSON form, so the transport may be a channel of this
//! process or a network. A batch and an event may arrive twice. If an ordinal of a study gets two
//! trials, the first stored one counts.

use bench_harness::DeviceError;
use bench_harness::timing::Finals;
use configgen::Problem;
use serde::{Deserialize, Serialize};
use store::{Ties, Trial};

use crate::build::Choice;
use crate::error::TuneError;

/// The seed of the inputs. All studies share it, so that their times are for the same inputs.
pub(crate) const INPUT_SEED: u64 = 0;

/// The information about a study that an agent needs before any batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudySetup {
    /// The problem that the kernels compute.
    pub problem: Problem,
    /// The name of the generator.
    pub generator: String,
    /// The seed of the inputs.
    pub input_seed: u64,
    /// The generator's untuned choice. Drift control measures it repeatedly on a device with
    /// varying times.
    pub default: Choice,
}

/// The identity of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BatchId {
    /// The sender: the name that owns its tasks in the ledger.
    pub owner: String,
    /// The number of the study in the ledger.
    pub study: i64,
    /// The number of the batch for this owner and study.
    pub number: u64,
}

/// A candidate with its ordinal in the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The ordinal in the study's sequence, counted from 0.
    pub ordinal: u32,
    /// The choice to build.
    pub choice: Choice,
    /// On a device with exact times, the time in microseconds from which on the kernel is only
    /// timed. `None` if it is verified in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_below_us: Option<f64>,
}

/// The work of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchContent {
    /// Evaluate these candidates.
    Try(Vec<Candidate>),
    /// Run the finals of these finalists and the default.
    Finals {
        /// The best of the search, the fastest first.
        finalists: Vec<Candidate>,
        /// The seed for the order of their samples.
        seed: u64,
        /// The terms of the finals. With them, a transport can store the result itself.
        terms: Terms,
    },
}

/// The terms by which the finals determine the best configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The number of the study's finished trials.
    pub trials: u32,
    /// The wanted tie-break.
    pub ties: Ties,
    /// True if the default yields to the first finalist even if it wins, because only the default
    /// has another tie-break than the wanted one.
    pub default_yields: bool,
}

/// A piece of work for one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// The identity.
    pub id: BatchId,
    /// The study's setup.
    pub job: StudySetup,
    /// The work.
    pub work: BatchContent,
}

/// An agent's event for a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchEvent {
    /// The batch.
    pub batch: BatchId,
    /// The event.
    pub news: BatchEventKind,
}

/// The kind of an event for a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchEventKind {
    /// A trial of the batch has ended.
    Trial(Box<Trial>),
    /// Trials or finals of the batch are in the ledger, stored by the transport.
    Stored,
    /// The finals have ended, or could not be run for this reason.
    Finals(Result<Box<Finals>, String>),
    /// The batch is done.
    Done,
    /// The agent cannot do the batch, for no fault of a kernel.
    Failed(Failure),
    /// The agent died during the batch.
    Died,
}

/// A failure that is no kernel's fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Failure {
    /// The device does not take the inputs, or cannot be used any more.
    Device(DeviceError),
    /// The machine failed to build a kernel.
    Environment(String),
    /// The inputs of the study are too large for the machine.
    Job(String),
    /// The agent builds kernels of this other generator.
    Builder(String),
}

impl Failure {
    /// Converts the failure to the error of a study that needs kernels of the generator `wanted`.
    pub(crate) fn error(self, wanted: &str) -> TuneError {
        match self {
            Failure::Device(error) => TuneError::Device(error),
            Failure::Environment(message) | Failure::Job(message) => {
                TuneError::Environment(message)
            }
            Failure::Builder(has) => TuneError::Builder {
                has,
                wanted: wanted.to_owned(),
            },
        }
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Failure {
        Failure::Device(error)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use bench_harness::timing::{finals, short_list};
    use configgen::seeded_random::{below, generator};
    use configgen::{Generator, Space, Target, default_configuration};
    use store::{FailureKind, Role, Timing, TrialOutcome};

    use super::*;

    /// Checks that a message survives serialisation to the last bit.
    #[track_caller]
    fn check<T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(said: &T) {
        let written = serde_json::to_string(said).unwrap();
        let read: T = serde_json::from_str(&written).unwrap();
        assert_eq!(&read, said, "{written}");
    }

    fn id() -> BatchId {
        BatchId {
            owner: "a machine:1:2.3".to_owned(),
            study: i64::MAX,
            number: u64::MAX,
        }
    }

    #[test]
    fn batches_are_read_as_they_were_written() {
        let target = Target::named("gfx942").unwrap();
        for (problem, generator) in [
            ("argmax:4x[1000]xf32", Generator::NATIVE),
            ("argmax:4x[1000]xf32:i64:index_base", Generator::NATIVE),
            ("argmin:2x[4096]xf16", Generator::IREE),
            // IREE falls back to a pipeline that is no configuration.
            ("argmax:4x[1001]xf32", Generator::IREE),
        ] {
            let problem: Problem = problem.parse().unwrap();
            let default = default_configuration(&problem, target, generator).unwrap();
            let job = StudySetup {
                default: Choice::Default(default),
                generator: generator.name().to_owned(),
                input_seed: u64::MAX,
                problem: problem.clone(),
            };
            let space = Space::new(&problem, target, generator);
            let drawn = space.sample(20, 1).into_iter().map(Choice::Configured);
            let choices: Vec<Choice> = drawn.chain([job.default.clone()]).collect();
            let candidates = choices.iter().zip(0..).map(|(choice, ordinal)| Candidate {
                ordinal,
                choice: choice.clone(),
                verified_below_us: (ordinal % 2 == 0).then_some(0.1 + f64::from(ordinal)),
            });
            let candidates: Vec<Candidate> = candidates.collect();
            let finals = BatchContent::Finals {
                finalists: candidates.clone(),
                seed: 7,
                terms: Terms {
                    trials: u32::MAX,
                    ties: Ties::Any,
                    default_yields: true,
                },
            };
            let tried = BatchContent::Try(candidates);
            for work in [tried, finals] {
                let (id, job) = (id(), job.clone());
                check(&Batch { id, job, work });
            }
        }
    }

    #[test]
    fn events_are_read_as_they_were_written() {
        let mut random = generator(1, 2);
        let mut time = || 1e-3 + below(&mut random, 1 << 40) as f64 / 7.0;
        let samples_us: Vec<f64> = (0..50).map(|_| time()).collect();
        let timing = Timing {
            time_us: time(),
            samples_us: samples_us.clone(),
            protocol: Some("{\"mode\":\"cold\"}".to_owned()),
        };
        let mut all = vec![
            BatchEventKind::Stored,
            BatchEventKind::Done,
            BatchEventKind::Died,
        ];
        let hostile = "'); DROP TABLE trial; -- \u{0} \u{1F4A5} \n\"".to_owned();
        for outcome in [
            TrialOutcome::Right(timing.clone()),
            TrialOutcome::Tie(timing.clone(), hostile.clone()),
            TrialOutcome::Timed(timing),
            TrialOutcome::Wrong(hostile.clone()),
            TrialOutcome::Failed(FailureKind::Crash, hostile.clone()),
        ] {
            all.push(BatchEventKind::Trial(Box::new(Trial {
                ordinal: u32::MAX,
                role: Role::Candidate,
                configuration: None,
                outcome,
                error: Some(1.0 / time()),
                input_seed: u64::MAX,
                compile_ms: Some(time()),
                started: SystemTime::UNIX_EPOCH + Duration::from_nanos(1_234_567_890_123_456_789),
                ended: SystemTime::now(),
            })));
        }
        // An agent of an earlier version sends no errors.
        let said = serde_json::to_string(&all[3]).unwrap();
        let (begin, rest) = said.split_once("\"error\":").unwrap();
        let (_, end) = rest.split_once(',').unwrap();
        let BatchEventKind::Trial(read) = serde_json::from_str(&format!("{begin}{end}")).unwrap()
        else {
            panic!("{said}");
        };
        assert_eq!(read.error, None);
        let memory = DeviceError::Memory {
            bytes: u64::MAX,
            message: hostile.clone(),
        };
        all.push(BatchEventKind::Failed(Failure::Device(memory)));
        all.push(BatchEventKind::Failed(Failure::Environment(
            hostile.clone(),
        )));
        all.push(BatchEventKind::Failed(Failure::Job(hostile.clone())));
        all.push(BatchEventKind::Finals(Err(hostile)));
        let entrants = short_list(&samples_us).len();
        let sample = |_| Ok::<f64, ()>(time());
        let held = finals(&mut generator(3, 4), entrants, sample).unwrap();
        all.push(BatchEventKind::Finals(Ok(Box::new(held))));
        for news in all {
            check(&BatchEvent { batch: id(), news });
        }
    }
}
