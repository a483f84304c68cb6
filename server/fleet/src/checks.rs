//! Checks: a service refuses a request of an agent that cannot be true, and names the field.
//!
//! [`Trial::check`] holds of every trial. The checks here hold only of a trial that has just
//! ended.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use configgen::Clock;
use store::{Finals, Invalid, Status, Trial, check_name, check_texts};
use tuner::{Offer, Toolchain};

use crate::error::FleetError;
use crate::study_request::OfferedStudy;

/// Most characters of an agent's name. The default is the machine's name, of up to 64, and the
/// device's.
const NAME: usize = 200;

/// Most offers or toolchains of one agent.
const OFFERS: usize = 64;

/// Most candidates in one batch of an agent.
const BATCH: usize = 4096;

/// Most samples of a trial. The protocol takes 60.
const SAMPLES: usize = 10_000;

/// Most bytes of a message or of a protocol. Agents keep up to 64 KiB of a compiler's output, and
/// each byte may have become three.
const TEXT: usize = 256 << 10;

/// Characters kept of an agent's reason for a failure.
const REASON: usize = 4000;

/// Largest lead of an agent's clock over the service's. Clocks of machines are wrong by days;
/// only a time that no clock shows is refused.
const AHEAD: Duration = Duration::from_hours(24 * 365);

/// The begin of the year 2026, in seconds since 1970: a service with an earlier clock does not
/// know the time.
const WRITTEN: Duration = Duration::from_secs(1_767_225_600);

/// Least fraction of the bound that a modelled time may have. By the model of this service no
/// kernel is faster than the bound; an agent of another version may have another model.
const OF_BOUND: f64 = 0.5;

/// Checks the name of an agent.
pub(crate) fn agent(name: &str) -> Result<(), FleetError> {
    check_name("agent", name, NAME).map_err(said)
}

/// Checks the offers of an agent.
pub(crate) fn offers(offers: &[Offer]) -> Result<(), FleetError> {
    let count = offers.len();
    if !(1..=OFFERS).contains(&count) {
        let message = format!("{count} offers; an agent must make 1 to {OFFERS}");
        return Err(FleetError::Said(message));
    }
    for offer in offers {
        offer.provenance.check().map_err(said)?;
        for name in [&offer.provenance.device, offer.device()] {
            check_name("device", name, NAME).map_err(said)?;
        }
        if !(1..=BATCH).contains(&offer.batch) {
            let reason = format!(
                "{} candidates; a build request must have 1 to {BATCH}",
                offer.batch
            );
            return Err(said(Invalid::new("batch", reason)));
        }
    }
    Ok(())
}

/// Checks the toolchains of an agent.
pub(crate) fn toolchains(builds: &[Toolchain]) -> Result<(), FleetError> {
    let count = builds.len();
    if !(1..=OFFERS).contains(&count) {
        let message = format!("{count} toolchains; an agent must have 1 to {OFFERS}");
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

/// Checks a trial that has just ended, against the clock of the service.
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
    // A service's clock before 2026 is wrong; it must not refuse every trial.
    let latest = now.max(UNIX_EPOCH + WRITTEN) + AHEAD;
    match trial.ended > latest {
        true => Err(Invalid::new(
            "ended",
            "more than a year ahead of the service's clock",
        )),
        false => Ok(()),
    }
}

/// Checks the times of trials of this study against the bound of its problem. Only a modelled
/// time has a certain bound, and only with it a trial may lack its verification.
pub(crate) fn bound(trials: &[Trial], order: &OfferedStudy) -> Result<(), FleetError> {
    let is_timed = |trial: &&Trial| trial.outcome.status() == Status::Timed;
    if let Some(trial) = trials
        .iter()
        .find(is_timed)
        .filter(|_| !order.offer.is_exact())
    {
        let reason = "timed and not verified, on a device whose times vary";
        return Err(of_trial(trial, Invalid::new("status", reason)));
    }
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

/// Checks finals that have just ended.
pub(crate) fn finals(finals: &Finals) -> Result<(), FleetError> {
    let checked = finals.check();
    checked.map_err(|wrong| FleetError::Said(format!("finals: {wrong}")))
}

/// Shortens the reason that an agent gives: every replica stores it.
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
