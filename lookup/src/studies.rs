//! Studies for people who browse a database: identity, progress and best trial.

use std::collections::HashMap;

use answers::records::{BestTrial, HeldFinals, StudySummary, VerdictCounts};
use store::{Catalogue, Readable, Status, StoreError, StudyId, StudyRecord, Ties};

use crate::ranking::{Ranking, of_studies};

/// Returns these studies, each with its own best trial.
///
/// # Errors
///
/// Any error of reading the catalogue. The result leaves unreadable rows out.
pub async fn list_studies(
    catalogue: &dyn Catalogue,
    records: Readable<StudyRecord>,
) -> Result<Readable<StudySummary>, StoreError> {
    let Readable {
        rows,
        mut unreadable,
    } = records;
    let known: Vec<_> = rows.iter().map(|it| it.known.clone()).collect();
    let found = of_studies(catalogue, &known, Ties::Fold, 1).await?;
    unreadable.join(found.unreadable);
    let found: HashMap<StudyId, Ranking> = found.rows.into_iter().collect();
    let told = rows.into_iter().map(|record| {
        let ranking = found.get(&record.known.id);
        told(record, ranking)
    });
    Ok(Readable {
        rows: told.collect(),
        unreadable,
    })
}

fn told(record: StudyRecord, ranking: Option<&Ranking>) -> StudySummary {
    let made = &record.known.provenance;
    let best = ranking.and_then(|ranking| ranking.best.first());
    let count = |status| record.trials.get(&status).copied().unwrap_or(0);
    StudySummary {
        id: record.known.id.0,
        target: made.target.name,
        device: made.device.clone(),
        generator: made.generator,
        clock: made.clock,
        driver: made.driver_line(),
        compiler: made.compiler.clone(),
        compiler_version: made.compiler_line(),
        generator_version: made.generator_line(),
        timing: made.timing_line(),
        seed: record.seed,
        ties: record.ties,
        bound_us: record.known.bound_us,
        first_opened: answers::time(record.first_opened),
        last_opened: answers::time(record.last_opened),
        trials: VerdictCounts {
            total: record.trials.values().sum(),
            right: count(Status::Right),
            tie: count(Status::Tie),
            wrong: count(Status::Wrong),
            failed: count(Status::Failed),
            timed: count(Status::Timed),
        },
        best: best.map(|best| BestTrial {
            ordinal: best.trial.ordinal,
            status: best.trial.outcome.status(),
            time_us: best.timing.time_us,
            configuration: best.configuration.clone(),
        }),
        default_time_us: ranking.and_then(Ranking::default_time_us),
        speedup: ranking.and_then(Ranking::speedup),
        finals: record.finals.as_ref().map(|held| HeldFinals {
            trials: held.trials,
            winner: held.winner,
            ties: held.ties,
            speedup: held.speedup,
            low: held.interval.0,
            high: held.interval.1,
            ended: answers::time(held.ended),
        }),
        problem: record.known.problem,
        strategy: record.strategy,
        space: record.space,
        workers: record.workers,
    }
}
