//! Merging: all studies of one database go into another, a portion at a time.
//!
//! What a database takes in, it takes in once, and which of two trials with one ordinal stays does not depend on who takes in
//! whose: [`Records::take_in`](crate::Records::take_in) says how. So a merge may end at any point and be done again, and two
//! databases that take in each other answer the same.

use async_trait::async_trait;
use configgen::Problem;
use futures_util::{StreamExt as _, pin_mut};

use crate::{
    Fault, Page, Portion, Records, STREAMED, Store, StoreError, StudyFilter, StudyRecord, TakenIn,
    TrialFilter, TrialRecord, TrialSort, Unreadable, pages,
};

/// Who takes in what another database has.
#[async_trait]
pub trait Taker: Send {
    /// Takes in a portion.
    ///
    /// # Errors
    ///
    /// [`NotTaken`].
    async fn take_in(&mut self, portion: Portion) -> Result<TakenIn, NotTaken>;
}

/// Why a portion was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// This study cannot be now, or not at all; others can.
    #[error("{0}")]
    Study(String),
    /// Nothing can.
    #[error(transparent)]
    All(Box<dyn std::error::Error + Send + Sync>),
}

/// Why a merge ended early.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// What was to be taken in cannot be read.
    #[error(transparent)]
    Read(#[from] StoreError),
    /// It cannot be taken in.
    #[error(transparent)]
    Write(Box<dyn std::error::Error + Send + Sync>),
}

/// A study that was left out, from where it could not be taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its number in the database that it is in.
    pub study: i64,
    /// What is computed.
    pub problem: Problem,
    /// Why it was left out.
    pub reason: String,
}

/// What a merge has done so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    /// Studies that were gone through.
    pub studies: u64,
    /// Of them, those that were not there before.
    pub new_studies: u64,
    /// Trials that were gone through.
    pub trials: u64,
    /// Of them, those that were not there before.
    pub added: u64,
    /// Of them, those that took the place of another.
    pub replaced: u64,
    /// Finals that were not there before.
    pub finals: u64,
    /// Studies that were left out.
    pub left_out: Vec<LeftOut>,
    /// Rows that could not be read, and were left out.
    pub unreadable: Unreadable,
}

/// A database that takes in what another has.
pub struct IntoRecords<'a> {
    /// The database.
    pub records: &'a dyn Records,
    /// Whether it only tells what would be taken in, and stays as it is.
    pub only_try: bool,
}

#[async_trait]
impl Taker for IntoRecords<'_> {
    async fn take_in(&mut self, portion: Portion) -> Result<TakenIn, NotTaken> {
        let taken = self.records.take_in(&portion, self.only_try).await;
        taken.map_err(|error| match error.fault {
            Fault::AtWork { .. } | Fault::Portion(_) | Fault::Trial { .. } => {
                NotTaken::Study(error.fault.to_string())
            }
            _ => NotTaken::All(error.into()),
        })
    }
}

/// Has all studies of a database taken in, those that were opened last first, and tells after each portion how far that is. A
/// study on which somebody works is left out on either side: its director has read what there was.
///
/// # Errors
///
/// [`MergeError`]; what was taken in until then stays.
pub async fn merge(
    from: &dyn Store,
    into: &mut impl Taker,
    mut progress: impl FnMut(&Merged),
) -> Result<Merged, MergeError> {
    let mut merged = Merged::default();
    let all = StudyFilter::default();
    let lists = pages(Page::first(STREAMED), |page| from.list_studies(&all, page));
    pin_mut!(lists);
    while let Some(listed) = lists.next().await {
        let listed = listed?;
        merged.unreadable.join(listed.unreadable);
        for study in listed.rows {
            merged.studies += 1;
            let taken = match study.workers.is_empty() {
                true => one(from, into, &study, &mut merged, &mut progress).await,
                false => Err(Ended::Study(format!(
                    "is being worked on by {}",
                    study.workers.join(", ")
                ))),
            };
            match taken {
                Ok(()) => {}
                Err(Ended::Study(reason)) => merged.left_out.push(LeftOut {
                    study: study.known.id.0,
                    problem: study.known.problem,
                    reason,
                }),
                Err(Ended::Merge(error)) => return Err(error),
            }
            progress(&merged);
        }
    }
    Ok(merged)
}

/// Why a study was not taken in to its end.
enum Ended {
    Study(String),
    Merge(MergeError),
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Ended::Merge(error.into())
    }
}

impl From<NotTaken> for Ended {
    fn from(error: NotTaken) -> Self {
        match error {
            NotTaken::Study(reason) => Ended::Study(reason),
            NotTaken::All(error) => Ended::Merge(MergeError::Write(error)),
        }
    }
}

/// Has one study taken in: its trials a page at a time, and then those of its finals that decide the same there.
async fn one(
    from: &dyn Store,
    into: &mut impl Taker,
    study: &StudyRecord,
    merged: &mut Merged,
    progress: &mut impl FnMut(&Merged),
) -> Result<(), Ended> {
    let id = study.known.id;
    let (mut parted, mut is_first) = (None, true);
    let which = TrialFilter::default();
    let lists = pages(Page::first(STREAMED), |page| {
        from.list_trials(id, &which, TrialSort::Ordinal, page)
    });
    pin_mut!(lists);
    while let Some(listed) = lists.next().await {
        let listed = listed?;
        merged.unreadable.join(listed.unreadable);
        merged.trials += listed.rows.len() as u64;
        let taken = into.take_in(portion(study, listed.rows)).await?;
        merged.new_studies += u64::from(is_first && taken.is_new);
        merged.added += taken.added;
        merged.replaced += taken.replaced;
        // Of ordinals that rise, the first that is told is the least.
        parted = parted.or(taken.parted);
        is_first = false;
        progress(merged);
    }
    let finals = from.finals(&[id]).await?;
    merged.unreadable.join(finals.unreadable);
    let finals = finals.rows.into_iter().map(|known| known.finals);
    let decide = finals.filter(|finals| parted.is_none_or(|ordinal| finals.trials <= ordinal));
    let mut last = portion(study, Vec::new());
    last.finals = decide.collect();
    if !last.finals.is_empty() {
        merged.finals += into.take_in(last).await?.finals;
    }
    Ok(())
}

fn portion(study: &StudyRecord, trials: Vec<TrialRecord>) -> Portion {
    Portion {
        key: study.key(),
        bound_us: study.known.bound_us,
        first_opened: study.first_opened,
        last_opened: study.last_opened,
        trials: trials.into_iter().map(|record| record.trial).collect(),
        finals: Vec::new(),
    }
}
