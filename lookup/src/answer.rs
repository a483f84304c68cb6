//! Answers: the types that a lookup returns, on the command line and over HTTP alike.

pub use answers::lookup::{
    FallbackAnswer, FoundConfiguration, LookupAnswer, LookupMiss, PrintedAnswer, Provenance, Rung,
};
use answers::records::Trial;
use answers::wishes::Wish;
use configgen::Device;
use store::{CountedWish, TrialRecord, Unreadable};

use crate::ranking::{Ranking, RankingEntry};

/// Returns the answer with `ranked`, the first entry of `ranking`.
pub(crate) fn found(
    ranking: &Ranking,
    ranked: &RankingEntry,
    unreadable: Unreadable,
) -> FoundConfiguration {
    FoundConfiguration {
        problem: ranking.problem.clone(),
        target: ranking.provenance.target,
        configuration: ranked.configuration.clone(),
        generator: ranking.provenance.generator,
        status: ranked.trial.outcome.status(),
        time_us: ranked.timing.time_us,
        default_time_us: ranking.default_time_us(),
        speedup: ranking.speedup(),
        clock: ranking.provenance.clock,
        provenance: provenance(ranking, ranked),
        unreadable,
    }
}

/// Returns the provenance of the time of `ranked`, an entry of `ranking`.
pub fn provenance(ranking: &Ranking, ranked: &RankingEntry) -> Provenance {
    let made = &ranking.provenance;
    Provenance {
        device: made.device.clone(),
        driver: made.driver_line(),
        compiler: made.compiler.clone(),
        compiler_version: made.compiler_line(),
        generator_version: made.generator_line(),
        clock: made.clock,
        input_seed: ranked.trial.input_seed,
        samples: ranked.timing.samples_us.len(),
        timing: made.timing_line(),
        when: answers::time(ranked.trial.ended),
    }
}

/// Returns the device model that a device's name ends with, as `emulated:mi300x` does, if this
/// build knows it.
pub fn part(name: &str) -> Option<&'static Device> {
    Device::named(name.rsplit(':').next()?)
}

/// Converts a wish to its serialized form.
pub fn wish(wished: &CountedWish) -> Wish {
    Wish {
        problem: wished.wish.problem.clone(),
        target: wished.wish.target.name,
        device: wished.wish.device.clone(),
        generator: wished.wish.generator,
        count: wished.count,
        first: answers::time(wished.first),
        last: answers::time(wished.last),
    }
}

/// Converts a trial to its serialized form.
pub fn trial(record: TrialRecord) -> Trial {
    let TrialRecord { study, hash, trial } = record;
    let timing = trial.outcome.timing();
    Trial {
        study: study.0,
        ordinal: trial.ordinal,
        role: trial.role,
        status: trial.outcome.status(),
        failure: trial.outcome.failure(),
        message: trial.outcome.message().map(str::to_owned),
        error: trial.error,
        time_us: timing.map(|timing| timing.time_us),
        samples_us: timing.map(|timing| timing.samples_us.clone()),
        compile_ms: trial.compile_ms,
        configuration_hash: hash,
        input_seed: trial.input_seed,
        started: answers::time_ms(trial.started),
        ended: answers::time_ms(trial.ended),
        configuration: trial.configuration,
    }
}
