//! Merge: imports all studies of one database into another, a portion at a time.
//!
//! [`Records::take_in`](crate::Records::take_in) is idempotent, and its choice between two trials
//! with one ordinal does not depend on the direction. A merge may therefore stop at any point and
//! be repeated, and two databases that import each other answer the same.

use async_trait::async_trait;
use configgen::Problem;
use futures_util::{StreamExt as _, pin_mut};

use crate::{
    ImportSummary, Page, Portion, Records, STREAMED, Store, StoreError, StoreFault, StudyFilter,
    StudyRecord, TrialFilter, TrialRecord, TrialSort, Unreadable, pages,
};

/// An importer of portions: a database, or a service that has one.
#[async_trait]
pub trait PortionImporter: Send {
    /// Imports a portion.
    ///
    /// # Errors
    ///
    /// [`ImportError`].
    async fn take_in(&mut self, portion: Portion) -> Result<ImportSummary, ImportError>;
}

/// An error of an import of a portion.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// This study cannot be imported, now or ever; others can.
    #[error("{0}")]
    Study(String),
    /// No study can be imported.
    #[error(transparent)]
    All(Box<dyn std::error::Error + Send + Sync>),
}

/// An error that ends a merge.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A study of the source cannot be read.
    #[error(transparent)]
    Read(#[from] StoreError),
    /// The target cannot import.
    #[error(transparent)]
    Write(Box<dyn std::error::Error + Send + Sync>),
}

/// A study that the merge left out because the target refused it, or because a process works on
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedStudy {
    /// The study's number in the source database.
    pub study: i64,
    /// The problem.
    pub problem: Problem,
    /// The reason.
    pub reason: String,
}

/// The progress of a merge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MergeSummary {
    /// The studies that were read.
    pub studies: u64,
    /// The studies among them that are new in the target.
    pub new_studies: u64,
    /// The trials that were read.
    pub trials: u64,
    /// The trials among them that are new in the target.
    pub added: u64,
    /// The trials among them that replaced another.
    pub replaced: u64,
    /// The finals that are new in the target.
    pub finals: u64,
    /// The studies that were left out.
    pub left_out: Vec<SkippedStudy>,
    /// The unreadable rows, which were left out.
    pub unreadable: Unreadable,
}

/// A database as an importer of portions.
pub struct IntoRecords<'a> {
    /// The database.
    pub records: &'a dyn Records,
    /// True if the import only reports its effect and writes nothing.
    pub only_try: bool,
}

#[async_trait]
impl PortionImporter for IntoRecords<'_> {
    async fn take_in(&mut self, portion: Portion) -> Result<ImportSummary, ImportError> {
        let taken = self.records.take_in(&portion, self.only_try).await;
        taken.map_err(|error| match error.fault {
            // These faults concern one study. Any other fault, such as a full disk, would meet
            // every study.
            StoreFault::AtWork { .. } | StoreFault::Portion(_) | StoreFault::Trial { .. } => {
                ImportError::Study(error.fault.to_string())
            }
            _ => ImportError::All(error.into()),
        })
    }
}

/// Imports all studies of a database, the last opened first, and reports progress after each
/// portion.
///
/// Leaves a study out if a process works on it, on either side. Its director has already read the
/// trials, and would not see imported ones.
///
/// # Errors
///
/// [`MergeError`]; portions imported before it stay.
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
            // The source's workers may record more trials behind the page that this merge has
            // read.
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

/// An error that ends the import of one study.
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

/// Imports one study: its trials a page at a time, and then the finals over trials that the
/// target has unchanged.
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
        // Ordinals rise, so the first reported one is the least.
        parted = parted.or(taken.parted);
        is_first = false;
        progress(merged);
    }
    let finals = from.finals(&[id]).await?;
    merged.unreadable.join(finals.unreadable);
    let finals = finals.rows.into_iter().map(|known| known.finals);
    // The target holds another trial from `parted` on, so finals over more trials compared
    // another search.
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
