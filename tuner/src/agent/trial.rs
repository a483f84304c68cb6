//! Trials: the agent evaluates built kernels one after the other and reports the results.

use std::time::SystemTime;

use bench_harness::DeviceError;
use bench_harness::timing::Measurement;
use codegen::CompiledKernel;
use configgen::Generator;
use lookup::is_served;
use store::{FailureKind, Status, Timing, Trial, TrialOutcome};
use tracing::{debug, warn};

use super::{AgentSession, BatchStop};
use crate::build::BuildError;
use crate::message::{BatchEventKind, Candidate, Failure};
use crate::transport::BatchKernels;

/// A function that sends an event to the director.
type EventSink<'a> = dyn FnMut(BatchEventKind) -> Result<(), BatchStop> + 'a;

/// A kernel, or the reason for its absence.
type KernelResult = Result<CompiledKernel, BuildError>;

/// A kernel with its outcome, or the reason for its absence.
type Evaluation = Result<(CompiledKernel, bench_harness::BenchOutcome), BuildError>;

/// An evaluated trial with its kernel.
type EvaluatedTrial = (Trial, CompiledKernel, bench_harness::BenchOutcome);

impl AgentSession<'_> {
    /// Evaluates candidates. With drift control, it reports trials once the device was steady;
    /// without, one by one.
    pub(super) fn try_all(
        &mut self,
        candidates: Vec<Candidate>,
        built: BatchKernels,
        tell: &mut EventSink<'_>,
    ) -> Result<(), BatchStop> {
        let compile_ms = built.compile_ms;
        let mut waiting = Vec::new();
        for (candidate, kernel) in candidates.into_iter().zip(built.kernels) {
            let started = SystemTime::now();
            // If the clock is set back meanwhile, the trial must not end before its start.
            let ended = || SystemTime::now().max(started);
            let trial = |outcome, compile_ms| Trial {
                ordinal: candidate.ordinal,
                role: candidate.choice.role(),
                configuration: candidate.choice.configuration().cloned(),
                outcome,
                error: None,
                input_seed: self.job.input_seed,
                compile_ms,
                started,
                ended: ended(),
            };
            let evaluated = match kernel {
                Ok(kernel) if built.elsewhere => self.evaluate_foreign(&candidate, kernel)?,
                kernel => self.evaluate(&candidate, kernel)?,
            };
            match evaluated {
                Ok((kernel, evaluated)) => {
                    // The outcome may still change: drift control repeats trials before they are
                    // reported.
                    let found = outcome(&evaluated, self.builder.generator());
                    let trial = trial(found, Some(compile_ms));
                    if let Some(steady) = &mut self.steady {
                        steady.record_evaluation(waiting.len(), &evaluated);
                    }
                    waiting.push((trial, kernel, evaluated));
                    if self.steady.as_ref().is_none_or(|steady| steady.is_due()) {
                        self.settle(&mut waiting, tell)?;
                    }
                }
                Err(BuildError::Failed(kind, message)) => {
                    let failed = trial(TrialOutcome::Failed(kind, message), None);
                    tell(BatchEventKind::Trial(Box::new(failed)))?;
                }
                Err(BuildError::Environment(message)) => {
                    return Err(Failure::Environment(message).into());
                }
            }
        }
        self.settle(&mut waiting, tell)
    }

    fn evaluate(
        &mut self,
        candidate: &Candidate,
        kernel: KernelResult,
    ) -> Result<Evaluation, DeviceError> {
        Ok(match kernel {
            Ok(kernel) => {
                let evaluated = self.evaluate_kernel(candidate, &kernel)?;
                Ok((kernel, evaluated))
            }
            Err(error) => Err(error),
        })
    }

    fn evaluate_kernel(
        &mut self,
        candidate: &Candidate,
        kernel: &CompiledKernel,
    ) -> Result<bench_harness::BenchOutcome, DeviceError> {
        match candidate.verified_below_us {
            Some(limit_us) => self.evaluator.evaluate_below(kernel, limit_us),
            None => self.evaluator.evaluate(kernel),
        }
    }

    /// Evaluates a kernel from another machine. A correct kernel counts; so does another
    /// tie-break if the generator promises no better, and a kernel that is only timed. Any other
    /// kernel may not be that of the choice, so the agent builds and evaluates its own.
    fn evaluate_foreign(
        &mut self,
        candidate: &Candidate,
        kernel: CompiledKernel,
    ) -> Result<Evaluation, DeviceError> {
        let generator = self.builder.generator();
        let counts = |evaluated: &bench_harness::BenchOutcome| {
            let status = outcome(evaluated, generator).status();
            status == Status::Timed || is_served(status, generator)
        };
        let evaluated = self.evaluate_kernel(candidate, &kernel)?;
        if counts(&evaluated) {
            return Ok(Ok((kernel, evaluated)));
        }
        let symbol = kernel.symbol;
        debug!(symbol, "a kernel from another machine is not correct");
        let choices = std::slice::from_ref(&candidate.choice);
        let own = self.builder.build(&self.job.problem, self.target, choices);
        // A builder returns one result per choice, so this cannot happen.
        let none = || BuildError::Environment("a builder built nothing".to_owned());
        let own = own.into_iter().next().unwrap_or_else(|| Err(none()));
        let own = self.evaluate(candidate, own)?;
        if own.as_ref().is_ok_and(|(_, evaluated)| counts(evaluated)) {
            // The other machine's kernel differs from ours, although its toolchain claims to be
            // equal.
            warn!(
                symbol,
                "this machine's kernel is correct, and another machine's kernel of the same configuration was not"
            );
        }
        Ok(own)
    }

    /// Reports the trials since the last measurement of the default, after the device was steady.
    fn settle(
        &mut self,
        waiting: &mut Vec<EvaluatedTrial>,
        tell: &mut EventSink<'_>,
    ) -> Result<(), BatchStop> {
        if waiting.is_empty() {
            return Ok(());
        }
        // Repeats may replace the outcomes, so this comes before the report.
        if let Some(steady) = &mut self.steady {
            let since = waiting.iter_mut();
            let mut since: Vec<_> = since.map(|(_, kernel, found)| (&*kernel, found)).collect();
            self.watched = Some(steady.remeasure_default(self.evaluator.as_mut(), &mut since)?);
        }
        for (trial, _, evaluated) in waiting.drain(..) {
            let trial = Trial {
                outcome: outcome(&evaluated, self.builder.generator()),
                error: error(&evaluated),
                ended: SystemTime::now().max(trial.started),
                ..trial
            };
            tell(BatchEventKind::Trial(Box::new(trial)))?;
        }
        Ok(())
    }
}

/// Converts an outcome to its stored form.
fn outcome(evaluated: &bench_harness::BenchOutcome, generator: Generator) -> TrialOutcome {
    let timing = |measured: &Measurement| Timing {
        time_us: measured.median_us(),
        samples_us: measured.samples_us.clone(),
        protocol: Some(measured.description()),
    };
    match evaluated {
        bench_harness::BenchOutcome::Right(time, _) => TrialOutcome::Right(timing(time)),
        // If the generator does not promise the reference's bits, the index and an equal value
        // are correct.
        bench_harness::BenchOutcome::SignOfZero(time, _) if is_served(Status::Tie, generator) => {
            TrialOutcome::Right(timing(time))
        }
        bench_harness::BenchOutcome::SignOfZero(time, difference)
        | bench_harness::BenchOutcome::Tie(time, difference) => {
            TrialOutcome::Tie(timing(time), difference.to_string())
        }
        bench_harness::BenchOutcome::Timed(time) => TrialOutcome::Timed(timing(time)),
        bench_harness::BenchOutcome::Wrong(difference) => {
            TrialOutcome::Wrong(difference.to_string())
        }
        bench_harness::BenchOutcome::Unstable(difference) => {
            TrialOutcome::Failed(FailureKind::Nondeterministic, difference.to_string())
        }
        bench_harness::BenchOutcome::Failed(error) => {
            let kind = match error {
                DeviceError::Load(_) => FailureKind::Rejected,
                DeviceError::Fault(_) => FailureKind::Fault,
                DeviceError::Timeout(_) => FailureKind::Timeout,
                DeviceError::Crash(_) => FailureKind::Crash,
                DeviceError::Memory { .. } => FailureKind::Memory,
            };
            TrialOutcome::Failed(kind, error.to_string())
        }
    }
}

/// Returns the error that the store keeps: the distance from the exact result.
fn error(evaluated: &bench_harness::BenchOutcome) -> Option<f64> {
    match evaluated {
        bench_harness::BenchOutcome::Right(_, error) => Some(*error),
        _ => None,
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
        let found = outcome(
            &bench_harness::BenchOutcome::Failed(error),
            Generator::NATIVE,
        );
        assert_eq!(found, TrialOutcome::Failed(kind, message));
    }

    /// Checks the reference's index with a zero of the other sign: it is correct if the generator
    /// promises no more.
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
            let evaluated = bench_harness::BenchOutcome::SignOfZero(time, difference.clone());
            outcome(&evaluated, generator).status()
        };
        assert_eq!(of(Generator::IREE), Status::Right);
        assert_eq!(of(Generator::NATIVE), Status::Tie);
    }

    #[test]
    fn failures_of_devices_are_stored_by_kind() {
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
