//! Merging: all studies of one database go into another, a portion at a time.
//!
//! What a database takes in, it takes in once, and which of two trials with one ordinal stays does not depend on who takes in
//! whose: [`Records::take_in`](crate::Records::take_in) says how. So a merge may end at any point and be done again, and two
//! databases that take in each other answer the same.

use async_trait::async_trait;
use configgen::Problem;
use futures_util::{StreamExt as _, pin_mut};

use crate::{
    ImportSummary, Page, Portion, Records, STREAMED, Store, StoreError, StoreFault, StudyFilter,
    StudyRecord, TrialFilter, TrialRecord, TrialSort, Unreadable, pages,
};

/// Who takes in what another database has.
#[async_trait]
pub trait PortionImporter: Send {
    /// Takes in a portion.
    ///
    /// # Errors
    ///
    /// [`NotTaken`].
    async fn take_in(&mut self, portion: Portion) -> Result<ImportSummary, ImportError>;
}

/// Why a portion was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
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
pub struct SkippedStudy {
    /// Its number in the database that it is in.
    pub study: i64,
    /// What is computed.
    pub problem: Problem,
    /// Why it was left out.
    pub reason: String,
}

/// What a merge has done so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MergeSummary {
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
    pub left_out: Vec<SkippedStudy>,
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
impl PortionImporter for IntoRecords<'_> {
    async fn take_in(&mut self, portion: Portion) -> Result<ImportSummary, ImportError> {
        let taken = self.records.take_in(&portion, self.only_try).await;
        taken.map_err(|error| match error.fault {
            StoreFault::AtWork { .. } | StoreFault::Portion(_) | StoreFault::Trial { .. } => {
                ImportError::Study(error.fault.to_string())
            }
            _ => ImportError::All(error.into()),
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
    into: &mut impl PortionImporter,
    mut progress: impl FnMut(&MergeSummary),
) -> Result<MergeSummary, MergeError> {
    let mut merged = MergeSummary::default();
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
                false => Err(StudyMergeError::Study(format!(
                    "is being worked on by {}",
                    study.workers.join(", ")
                ))),
            };
            match taken {
                Ok(()) => {}
                Err(StudyMergeError::Study(reason)) => merged.left_out.push(SkippedStudy {
                    study: study.known.id.0,
                    problem: study.known.problem,
                    reason,
                }),
                Err(StudyMergeError::Merge(error)) => return Err(error),
            }
            progress(&merged);
        }
    }
    Ok(merged)
}

/// Why a study was not taken in to its end.
enum StudyMergeError {
    Study(String),
    Merge(MergeError),
}

impl From<StoreError> for StudyMergeError {
    fn from(error: StoreError) -> Self {
        StudyMergeError::Merge(error.into())
    }
}

impl From<ImportError> for StudyMergeError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Study(reason) => StudyMergeError::Study(reason),
            ImportError::All(error) => StudyMergeError::Merge(MergeError::Write(error)),
        }
    }
}

/// Has one study taken in: its trials a page at a time, and then those of its finals that decide the same there.
async fn one(
    from: &dyn Store,
    into: &mut impl PortionImporter,
    study: &StudyRecord,
    merged: &mut MergeSummary,
    progress: &mut impl FnMut(&MergeSummary),
) -> Result<(), StudyMergeError> {
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
