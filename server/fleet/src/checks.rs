//! Checks: a request of an agent is refused if it cannot be true, and the refusal names the field.
//!
//! [`Trial::check`] holds of every trial. What is checked here holds only of a trial that has just been made.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use configgen::Clock;
use store::{Finals, Invalid, Trial, check_name, check_texts};
use tuner::{Offer, Toolchain};

use crate::error::FleetError;
use crate::study_request::OfferedStudy;

/// Characters of an agent's name at most. By default it is the machine's name, of up to 64, and the device's.
const NAME: usize = 200;

/// Offers or toolchains of one agent at most.
const OFFERS: usize = 64;

/// Candidates that an agent builds at once, at most.
const BATCH: usize = 4096;

/// Samples of a trial at most. The protocol takes 60.
const SAMPLES: usize = 10_000;

/// Bytes of a message or of a protocol at most. The output of a compiler is kept up to 64 KiB, each byte of which may
/// have become three.
const TEXT: usize = 256 << 10;

/// Characters that are kept of why an agent could not do its work.
const REASON: usize = 4000;

/// How far the clock of an agent may be ahead of the service's. Clocks of machines are wrong by days; only a time that no
/// clock shows is refused.
const AHEAD: Duration = Duration::from_hours(24 * 365);

/// The year 2026 begins: a service whose clock is before that does not know the time.
const WRITTEN: Duration = Duration::from_secs(1_767_225_600);

/// The least share of the bound that a modelled time may be. By the model of this service no kernel is faster than the
/// bound; an agent of another version may have another model.
const OF_BOUND: f64 = 0.5;

/// Checks the name of an agent.
pub(crate) fn agent(name: &str) -> Result<(), FleetError> {
    check_name("agent", name, NAME).map_err(said)
}

/// Checks what an agent offers.
pub(crate) fn offers(offers: &[Offer]) -> Result<(), FleetError> {
    let count = offers.len();
    if !(1..=OFFERS).contains(&count) {
        let message = format!("{count} offers; an agent makes 1 to {OFFERS}");
        return Err(FleetError::Said(message));
    }
    for offer in offers {
        offer.provenance.check().map_err(said)?;
        for name in [&offer.provenance.device, offer.device()] {
            check_name("device", name, NAME).map_err(said)?;
        }
        if !(1..=BATCH).contains(&offer.batch) {
            let reason = format!("{} candidates at once; 1 to {BATCH} are built", offer.batch);
            return Err(said(Invalid::new("batch", reason)));
        }
    }
    Ok(())
}

/// Checks what an agent builds with.
pub(crate) fn toolchains(builds: &[Toolchain]) -> Result<(), FleetError> {
    let count = builds.len();
    if !(1..=OFFERS).contains(&count) {
        let message = format!("{count} toolchains; an agent builds with 1 to {OFFERS}");
        return Err(FleetError::Said(message));
    }
    for toolchain in builds {
        let texts = [
            ("compiler", toolchain.compiler.as_str(), true),
            ("compiler_version", &toolchain.compiler_version, true),
            ("linker", &toolchain.linker, false),
            ("generator_version", &toolchain.generator_version, true),
        ];
        check_texts(&texts).map_err(said)?;
    }
    Ok(())
}

/// Checks a trial that has just been made, by this clock of the service.
pub(crate) fn trial(trial: &Trial, now: SystemTime) -> Result<(), FleetError> {
    trial
        .check()
        .and_then(|()| check_lengths(trial))
        .and_then(|()| check_times(trial, now))
        .map_err(|wrong| of_trial(trial, wrong))
}

fn check_lengths(trial: &Trial) -> Result<(), Invalid> {
    let timing = trial.outcome.timing();
    let samples = timing.map_or(0, |timing| timing.samples_us.len());
    if samples > SAMPLES {
        let reason = format!("{samples} samples, more than {SAMPLES}");
        return Err(Invalid::new("samples_us", reason));
    }
    let protocol = timing.and_then(|timing| timing.protocol.as_deref());
    for (field, text) in [("protocol", protocol), ("message", trial.outcome.message())] {
        let bytes = text.map_or(0, str::len);
        if bytes > TEXT {
            let reason = format!("{bytes} bytes, more than {TEXT}");
            return Err(Invalid::new(field, reason));
        }
    }
    match protocol.is_some_and(|protocol| protocol.contains(char::is_control)) {
        true => Err(Invalid::new("protocol", "has a control character")),
        false => Ok(()),
    }
}

fn check_times(trial: &Trial, now: SystemTime) -> Result<(), Invalid> {
    if trial.ended < trial.started {
        return Err(Invalid::new("ended", "before it was started"));
    }
    let latest = now.max(UNIX_EPOCH + WRITTEN) + AHEAD;
    match trial.ended > latest {
        true => Err(Invalid::new(
            "ended",
            "more than a year ahead of the service's clock",
        )),
        false => Ok(()),
    }
}

/// Checks the times of trials of this order against the bound of its problem. Only a modelled time has one that is sure.
pub(crate) fn bound(trials: &[Trial], order: &OfferedStudy) -> Result<(), FleetError> {
    let bound = match order.offer.provenance.clock {
        Clock::Modelled => order.offer.bound_us(&order.plan.problem),
        Clock::Measured => None,
    };
    let Some(bound) = bound else { return Ok(()) };
    for trial in trials {
        let time = trial.outcome.timing().map(|timing| timing.time_us);
        if let Some(us) = time.filter(|us| *us < OF_BOUND * bound) {
            let reason = format!("{us} µs is modelled, and the bound of its problem is {bound} µs");
            return Err(of_trial(trial, Invalid::new("time_us", reason)));
        }
    }
    Ok(())
}

/// Checks finals that have just been held.
pub(crate) fn finals(finals: &Finals) -> Result<(), FleetError> {
    let checked = finals.check();
    checked.map_err(|wrong| FleetError::Said(format!("finals: {wrong}")))
}

/// Returns the beginning of a reason that an agent gives: it is kept, and told to all replicas.
pub(crate) fn reason(mut said: String) -> String {
    if let Some((end, _)) = said.char_indices().nth(REASON) {
        said.truncate(end);
    }
    said
}

fn of_trial(trial: &Trial, wrong: Invalid) -> FleetError {
    FleetError::Said(format!("trial {}: {wrong}", trial.ordinal))
}

fn said(wrong: Invalid) -> FleetError {
    FleetError::Said(wrong.to_string())
}
