//! The queries of `Records`.

mod all_trials;
mod import;
mod points;
mod requeue;
mod studies;
mod trials;

use async_trait::async_trait;
use store::{
    Cursor, DeletionSummary, ImportSummary, ListPage, Page, Portion, PruningSummary, Readable,
    Records, StoreError, StoreFault, StudyFilter, StudyId, StudyRecord, TrialFilter, TrialPoints,
    TrialRecord, TrialSort, UnknownCursor,
};

use crate::Database;

#[async_trait]
impl Records for Database {
    async fn list_studies(
        &self,
        which: &StudyFilter,
        page: Page,
    ) -> Result<ListPage<StudyRecord>, StoreError> {
        self.page_of_studies(which, page).await
    }

    async fn find_study(&self, id: StudyId) -> Result<Readable<StudyRecord>, StoreError> {
        self.one_study(id).await
    }

    async fn list_trials(
        &self,
        of: StudyId,
        which: &TrialFilter,
        sort: TrialSort,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError> {
        self.page_of_trials(of, which, sort, page).await
    }

    async fn list_all_trials(
        &self,
        which: &TrialFilter,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError> {
        self.page_of_all_trials(which, page).await
    }

    async fn plot_trials(
        &self,
        of: StudyId,
        from: u32,
        limit: u32,
    ) -> Result<TrialPoints, StoreError> {
        self.points_of_trials(of, from, limit).await
    }

    async fn forget_abandoned(&self, of: StudyId) -> Result<u64, StoreError> {
        self.forget(of).await
    }

    async fn delete_study(&self, id: StudyId) -> Result<Option<DeletionSummary>, StoreError> {
        self.delete_one(id).await
    }

    async fn prune_study(
        &self,
        of: StudyId,
        keep: u32,
        only_try: bool,
    ) -> Result<PruningSummary, StoreError> {
        self.prune_one(of, keep, only_try).await
    }

    async fn take_in(
        &self,
        portion: &Portion,
        only_try: bool,
    ) -> Result<ImportSummary, StoreError> {
        self.take_portion(portion, only_try).await
    }
}

impl Database {
    /// Returns the error for a cursor of another list.
    pub(crate) fn of_another_list(&self, cursor: Cursor) -> StoreError {
        self.fault(StoreFault::Cursor(UnknownCursor(cursor.to_string())))
    }
}
