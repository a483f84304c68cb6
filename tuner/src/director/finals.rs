//! The end of a study on a device whose times vary: the best few meet the default in finals, once for all processes.

use std::time::SystemTime;

use bench_harness::timing::{self, Entrant, short_list};
use configgen::Generator;
use lookup::{Merit, is_behind};
use store::{Role, Status, Ties, Trial};
use tracing::{debug, info, warn};

use super::{Director, LOOK};
use crate::build::Choice;
use crate::carrier::Dispatch;
use crate::error::TuneError;
use crate::message::{News, Work};
use crate::plan::Observer;
use crate::report::{Final, Summary, summary};

/// How finals ended, and who is then to be taken, where that is decided.
pub(super) type Finished = (Final, Option<Summary>);

impl<D: Dispatch, O: Observer> Director<'_, D, O> {
    /// Holds the finals, or waits for those that another process holds. None where there is nobody to compete with the
    /// default.
    pub(super) async fn finish(&mut self) -> Result<Option<Finished>, TuneError> {
        let default = self.standing.default.clone();
        let Some(default) = default.filter(|default| default.time_us.is_some()) else {
            return Ok(None);
        };
        let mut trials = self.share.trials().await?;
        trials.retain(|trial| u64::from(trial.ordinal) < self.total);
        let finalists = finalists(self.standing.generator, self.plan.ties, &trials);
        if finalists.is_empty() {
            return Ok(None);
        }
        self.report(true);
        // A plan has no more than fit.
        let total = u32::try_from(self.total).unwrap_or(u32::MAX);
        let mut is_ours = false;
        loop {
            let stored = self.share.finals(total, self.plan.ties).await?;
            if let Some((finals, winner)) = stored.and_then(|stored| read(&stored, &finalists)) {
                debug!("finals were held before, or by another process");
                return Ok(Some(held(finals, winner, &default, &finalists)));
            }
            if is_ours {
                break;
            }
            is_ours = self.share.take_finals(total).await?;
            // Who had them may have stored them since they were looked for.
            if !is_ours {
                tokio::time::sleep(self.share.until_due(LOOK[1])).await;
                self.keep_up().await?;
            }
        }
        let finals = match self.hold(&finalists).await? {
            Ok(finals) => finals,
            Err(reason) => {
                warn!(reason, "finals abandoned");
                return Ok(Some((Final::Abandoned(reason), None)));
            }
        };
        let winner = taken(&finals, self.plan.ties, default.status, &finalists);
        let record = record(&finals, winner, self.plan.ties, &finalists, total);
        self.share.record_finals(&record).await?;
        let (winner_ordinal, speedup) = (record.winner, record.speedup);
        info!(
            finalists = finalists.len(),
            winner = winner_ordinal,
            speedup,
            "finals held"
        );
        Ok(Some(held(finals, winner, &default, &finalists)))
    }

    /// Has an agent hold the finals.
    async fn hold(
        &mut self,
        finalists: &[&Trial],
    ) -> Result<Result<timing::Finals, String>, TuneError> {
        let configurations = finalists.iter().filter_map(|t| t.configuration.clone());
        let batch = self.share.batch(Work::Finals {
            finalists: configurations.map(Choice::Configured).collect(),
            seed: self.plan.seed,
        });
        let number = batch.id.number;
        debug!(batch = number, finalists = finalists.len(), "finals given");
        self.dispatch.give(batch).await?;
        loop {
            let until_due = self.share.until_due(LOOK[0]);
            let event = match tokio::time::timeout(until_due, self.dispatch.next()).await {
                Ok(event) => event,
                Err(_) => {
                    self.keep_up().await?;
                    continue;
                }
            };
            match event.map(|event| (event.batch.number, event.news)) {
                Some((_, News::Finals(finals))) => return Ok(finals.map(|finals| *finals)),
                Some((_, News::Failed(failure))) => return Err(self.failed(failure)),
                Some((of, News::Died)) if of == number => {
                    return Ok(Err("the worker died".to_owned()));
                }
                None => return Ok(Err("the worker died".to_owned())),
                Some(_) => {}
            }
        }
    }
}

fn held(
    finals: timing::Finals,
    winner: Entrant,
    default: &Summary,
    finalists: &[&Trial],
) -> Finished {
    let best = match winner {
        Entrant::Default => default.clone(),
        Entrant::Finalist(place) => summary(finalists[place]),
    };
    (Final::Held { finals, winner }, Some(best))
}

/// Finals as they were stored; none where they were of others, or another version of us wrote them.
fn read(stored: &store::Finals, finalists: &[&Trial]) -> Option<(timing::Finals, Entrant)> {
    let finals = timing::Finals::from_description(&stored.samples)?;
    if finals.first >= finalists.len() {
        return None;
    }
    if stored.winner == 0 {
        return Some((finals, Entrant::Default));
    }
    let mut places = finalists.iter();
    let place = places.position(|trial| trial.ordinal == stored.winner)?;
    Some((finals, Entrant::Finalist(place)))
}

/// What is stored of finals.
fn record(
    finals: &timing::Finals,
    winner: Entrant,
    ties: Ties,
    finalists: &[&Trial],
    trials: u32,
) -> store::Finals {
    let interval = finals.comparison.interval;
    store::Finals {
        trials,
        winner: match winner {
            Entrant::Default => 0,
            Entrant::Finalist(place) => finalists[place].ordinal,
        },
        ties,
        speedup: finals.comparison.speedup,
        interval: (interval.low, interval.high),
        samples: finals.description(),
        ended: SystemTime::now(),
    }
}

/// The trials that are worth a place in the finals, the fastest first: of those that are right alone, where there are such
/// and the fold's index is wanted on ties. None where the default alone is right.
fn finalists(generator: Generator, ties: Ties, trials: &[Trial]) -> Vec<&Trial> {
    // A default that is no configuration is never the best.
    let takes_part = |trial: &&Trial| trial.configuration.is_some();
    let scored = |trial| Some((trial, Merit::of(trial, generator, ties)?));
    let scored: Vec<(&Trial, Merit)> = (trials.iter().filter(takes_part))
        .filter_map(scored)
        .collect();
    let are_behind = scored.iter().all(|(_, score)| score.is_behind);
    let (trials, times): (Vec<&Trial>, Vec<f64>) = (scored.iter())
        .filter(|(trial, score)| trial.role == Role::Candidate && score.is_behind == are_behind)
        .map(|(trial, score)| (*trial, score.time_us))
        .unzip();
    short_list(&times)
        .into_iter()
        .map(|place| trials[place])
        .collect()
}

/// Who is to be taken: who won, unless the default won with another index on ties than the one that is wanted, and a
/// finalist is right.
fn taken(finals: &timing::Finals, ties: Ties, default: Status, finalists: &[&Trial]) -> Entrant {
    let first = finalists
        .get(finals.first)
        .map(|first| first.outcome.status());
    let is_first_better =
        first.is_some_and(|first| is_behind(default, ties) && !is_behind(first, ties));
    match is_first_better {
        true => Entrant::Finalist(finals.first),
        false => finals.winner(),
    }
}
