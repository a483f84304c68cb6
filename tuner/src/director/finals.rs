//! The finals of a study on a device with varying times: the best few meet the default, once for
//! all processes.

use std::time::SystemTime;

use bench_harness::timing::{self, Entrant, short_list};
use configgen::Generator;
use lookup::{Merit, is_behind};
use store::{Role, Status, Ties, Trial};
use tracing::{debug, info, warn};

use super::{Director, LOOK};
use crate::build::Choice;
use crate::error::TuneError;
use crate::message::{BatchContent, BatchEventKind, Candidate, Terms};
use crate::plan::TuneProgress;
use crate::report::{FinalsOutcome, StudyTally, Summary, summary};
use crate::transport::BatchDispatcher;

/// The end of the finals, with the best configuration if the finals decide it.
pub(super) type FinishedFinals = (FinalsOutcome, Option<Summary>);

/// The finals' measurements, and the entrant to use.
pub(super) type ReportedFinals = (timing::Finals, Entrant);

impl<D: BatchDispatcher, P: FnMut(&TuneProgress)> Director<'_, D, P> {
    /// Runs the finals, or waits for those of another process. Returns `None` without a
    /// competitor for the default.
    pub(super) async fn finish(&mut self) -> Result<Option<FinishedFinals>, TuneError> {
        let mut trials = self.share.trials().await?;
        // A run with a larger budget may have stored more trials, which do not belong to this
        // one.
        let total = self.standing.counts.total.max(self.queue.total());
        trials.retain(|trial| u64::from(trial.ordinal) < total);
        let Some(meeting) = FinalsRoster::of(&self.standing, total, &trials) else {
            return Ok(None);
        };
        self.report(true);
        let terms = meeting.terms;
        let work = BatchContent::Finals {
            finalists: meeting.candidates(),
            seed: self.plan.seed,
            terms,
        };
        let mut is_ours = false;
        let ended = loop {
            if let Some(ended) = self.stored(&meeting).await? {
                debug!("another process, or an earlier run, held the finals");
                break Ok(ended);
            }
            if is_ours {
                break self.hold(work, &meeting).await?;
            }
            is_ours = self.share.take_finals(terms.trials).await?;
            // Another process may have stored the finals since the last check.
            if !is_ours {
                tokio::time::sleep(self.share.until_due(self.share.idle())).await;
                self.keep_up().await?;
            }
        };
        let told = match ended {
            Ok(told) => told,
            Err(reason) => {
                warn!(reason, "finals abandoned");
                return Ok(Some((FinalsOutcome::Abandoned(reason), None)));
            }
        };
        let (speedup, winner) = (told.0.comparison.speedup, told.1);
        let finalists = meeting.finalists.len();
        info!(finalists, ?winner, speedup, "finals held");
        Ok(Some(meeting.finished(told)))
    }

    /// Returns the stored finals and the entrant to use.
    async fn stored(
        &mut self,
        meeting: &FinalsRoster<'_>,
    ) -> Result<Option<ReportedFinals>, TuneError> {
        let Terms { trials, ties, .. } = meeting.terms;
        let stored = self.share.finals(trials, ties).await?;
        Ok(stored.and_then(|stored| meeting.read(&stored)))
    }

    /// Dispatches the finals to an agent and waits for the result.
    async fn hold(
        &mut self,
        work: BatchContent,
        meeting: &FinalsRoster<'_>,
    ) -> Result<Result<ReportedFinals, String>, TuneError> {
        let batch = self.share.batch(work.clone());
        let number = batch.id.number;
        let finalists = meeting.finalists.len();
        debug!(batch = number, finalists, "finals given");
        self.dispatch.give(batch).await?;
        loop {
            let until_due = self.share.until_due(LOOK);
            let event = match tokio::time::timeout(until_due, self.dispatch.next()).await {
                Ok(Some(event)) => event,
                // The search is complete and stored, so the study ends without finals.
                Ok(None) => return Ok(Err("the worker died".to_owned())),
                Err(_) => {
                    self.keep_up().await?;
                    // The transport may have stored the result without telling the director.
                    match self.stored(meeting).await? {
                        Some(ended) => return Ok(Ok(ended)),
                        None => continue,
                    }
                }
            };
            match event.news {
                BatchEventKind::Finals(Ok(finals)) => {
                    let record = stored_finals(&work, &finals);
                    let record = record.ok_or(TuneError::Dispatch(NOT_THESE.to_owned()))?;
                    self.share.record_finals(&record).await?;
                    let winner = meeting.terms.winner(&finals);
                    return Ok(Ok((*finals, winner)));
                }
                BatchEventKind::Finals(Err(reason)) => return Ok(Err(reason)),
                BatchEventKind::Failed(failure) => return Err(self.failed(failure)),
                BatchEventKind::Died if event.batch.number == number => {
                    return Ok(Err("the worker died".to_owned()));
                }
                BatchEventKind::Stored => {
                    if let Some(ended) = self.stored(meeting).await? {
                        return Ok(Ok(ended));
                    }
                }
                BatchEventKind::Trial(_) | BatchEventKind::Done | BatchEventKind::Died => {}
            }
        }
    }
}

impl Terms {
    /// Returns the entrant to use.
    fn winner(self, finals: &timing::Finals) -> Entrant {
        match self.default_yields {
            true => Entrant::Finalist(finals.first),
            false => finals.winner(),
        }
    }
}

/// Returns the stored form of finals for this work. `None` if they cannot belong to it.
pub fn stored_finals(work: &BatchContent, finals: &timing::Finals) -> Option<store::Finals> {
    let BatchContent::Finals {
        finalists, terms, ..
    } = work
    else {
        return None;
    };
    let first = finalists.get(finals.first)?;
    let interval = finals.comparison.interval;
    Some(store::Finals {
        trials: terms.trials,
        winner: match terms.winner(finals) {
            Entrant::Default => 0,
            Entrant::Finalist(_) => first.ordinal,
        },
        ties: terms.ties,
        speedup: finals.comparison.speedup,
        interval: (interval.low, interval.high),
        samples: finals.description(),
        ended: SystemTime::now(),
    })
}

const NOT_THESE: &str = "the reported finals have other finalists";

/// The entrants of the finals.
pub(super) struct FinalsRoster<'t> {
    default: Summary,
    finalists: Vec<&'t Trial>,
    pub(super) terms: Terms,
}

impl<'t> FinalsRoster<'t> {
    /// Selects the finalists from all trials of a study, sorted by ordinal. Returns `None`
    /// without a competitor for the default.
    pub(super) fn of(
        standing: &StudyTally,
        total: u64,
        trials: &'t [Trial],
    ) -> Option<FinalsRoster<'t>> {
        let default = standing.default.clone();
        let default = default.filter(|default| default.time_us.is_some())?;
        let finalists = finalists(standing.generator, standing.ties, trials);
        if finalists.is_empty() {
            return None;
        }
        let terms = Terms {
            // The budget of a plan has 32 bits.
            trials: u32::try_from(total).unwrap_or(u32::MAX),
            ties: standing.ties,
            default_yields: yields(default.status, standing.ties, &finalists),
        };
        Some(FinalsRoster {
            default,
            finalists,
            terms,
        })
    }

    fn candidates(&self) -> Vec<Candidate> {
        let candidates = self.finalists.iter().filter_map(|trial| candidate(trial));
        candidates.collect()
    }

    /// Parses stored finals. Returns `None` if they had other entrants or another version wrote
    /// them.
    pub(super) fn read(&self, stored: &store::Finals) -> Option<ReportedFinals> {
        let finals = timing::Finals::from_description(&stored.samples)?;
        // Stored finals of another version may have had other finalists.
        if finals.first >= self.finalists.len() {
            return None;
        }
        if stored.winner == 0 {
            return Some((finals, Entrant::Default));
        }
        let mut places = self.finalists.iter();
        let place = places.position(|trial| trial.ordinal == stored.winner)?;
        Some((finals, Entrant::Finalist(place)))
    }

    /// Returns the end of the finals with the best configuration.
    pub(super) fn finished(self, (finals, winner): ReportedFinals) -> FinishedFinals {
        let best = match winner {
            Entrant::Default => self.default,
            Entrant::Finalist(place) => summary(self.finalists[place]),
        };
        (FinalsOutcome::Held { finals, winner }, Some(best))
    }
}

/// Returns the trials for the finals, the fastest first. If some have the wanted tie-break, only
/// those take part. Empty if only the default is correct.
fn finalists(generator: Generator, ties: Ties, trials: &[Trial]) -> Vec<&Trial> {
    // A default without a configuration is never the best trial.
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

/// Returns true if the default yields to the finalists: they have the wanted tie-break, and it
/// has another one.
fn yields(default: Status, ties: Ties, finalists: &[&Trial]) -> bool {
    let is_behind_one = |trial: &&Trial| is_behind(trial.outcome.status(), ties);
    is_behind(default, ties) && !finalists.iter().any(is_behind_one)
}

fn candidate(trial: &Trial) -> Option<Candidate> {
    Some(Candidate {
        ordinal: trial.ordinal,
        choice: Choice::Configured(trial.configuration.clone()?),
        verified_below_us: None,
    })
}
