//! A database that follows its path: always the file that is there now.
//!
//! Somebody may delete or replace the file while it is open. The open file would go on answering
//! from content that nobody can see any more. Every query therefore checks the path first.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use configgen::{Configuration, Generator, Problem, Target};
use store::{
    Catalogue, Changes, ClaimedModel, Connections, CountedWish, Coverage, DeletionSummary, Fastest,
    Grant, ImportSummary, KnownFinals, KnownStudy, KnownTrial, ListPage, Mark, ModelEnd,
    ModelRecord, ModelState, ModelSubmission, Models, Page, Portion, ProblemSelection,
    PruningSummary, Readable, Records, Scopes, Status, StoreError, StoreFault, StudyFilter,
    StudyId, StudyRecord, TokenHash, TokenId, Tokens, TrialFilter, TrialPoints, TrialRecord,
    TrialSort, Wish,
};
use tokio::sync::Mutex;

use crate::Sqlite;

/// The time between two checks for a replacement.
const LOOK_PAUSE: Duration = Duration::from_millis(200);

/// A catalogue, records, models and tokens of the file that is at a path, also after a replacement.
#[derive(Debug)]
pub struct FollowedDatabase {
    held: RwLock<Sqlite>,
    /// Held by the caller that reopens the file.
    reopening: Mutex<()>,
}

impl FollowedDatabase {
    /// Creates a follower of an open database's path.
    pub fn new(store: Sqlite) -> Self {
        FollowedDatabase {
            held: RwLock::new(store),
            reopening: Mutex::new(()),
        }
    }

    fn held(&self) -> Sqlite {
        let held = self.held.read();
        held.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the database at the path now.
    ///
    /// # Errors
    ///
    /// `Displaced` if there is none; any error of opening the new one.
    pub async fn current(&self) -> Result<Sqlite, StoreError> {
        let store = self.held();
        if !store.is_closed() && store.check_files().is_ok() {
            return Ok(store);
        }
        let _turn = self.reopening.lock().await;
        // Another caller may have reopened the file while this one waited for the lock.
        let store = self.held();
        let displaced = store.check_files();
        if !store.is_closed() && displaced.is_ok() {
            return Ok(store);
        }
        match store.reopen().await {
            Ok(reopened) => {
                *self.held.write().unwrap_or_else(PoisonError::into_inner) = reopened.clone();
                Ok(reopened)
            }
            // Nothing is at the path: the error that names the lost file tells more than
            // `Missing`.
            Err(missing) if matches!(missing.fault, StoreFault::Missing) => {
                Err(displaced.err().unwrap_or(missing))
            }
            Err(error) => Err(error),
        }
    }

    /// Waits until another file than `than` is at the path, and returns it. The same file counts
    /// as another one after an absence.
    pub async fn replaced(&self, than: &Sqlite) -> Sqlite {
        loop {
            tokio::time::sleep(LOOK_PAUSE).await;
            if let Ok(store) = self.current().await
                && store.number != than.number
            {
                return store;
            }
        }
    }

    /// Closes the database.
    pub async fn close(&self) {
        self.held().close().await;
    }
}

#[async_trait]
impl Catalogue for FollowedDatabase {
    fn connections(&self) -> Connections {
        self.held().connections()
    }

    fn generators(&self) -> &'static [Generator] {
        self.held().generators
    }

    async fn studies(
        &self,
        of: ProblemSelection<'_>,
        target: Option<&Target>,
    ) -> Result<Readable<KnownStudy>, StoreError> {
        self.current().await?.studies(of, target).await
    }

    async fn fastest(
        &self,
        of: &[StudyId],
        status: Status,
        limit: u32,
    ) -> Result<Fastest, StoreError> {
        self.current().await?.fastest(of, status, limit).await
    }

    async fn defaults(&self, of: &[StudyId]) -> Result<Readable<KnownTrial>, StoreError> {
        self.current().await?.defaults(of).await
    }

    async fn trials_with(
        &self,
        of: &[StudyId],
        configuration: &Configuration,
    ) -> Result<Readable<KnownTrial>, StoreError> {
        self.current().await?.trials_with(of, configuration).await
    }

    async fn finals(&self, of: &[StudyId]) -> Result<Readable<KnownFinals>, StoreError> {
        self.current().await?.finals(of).await
    }

    async fn coverage(&self, problem: &Problem) -> Result<Readable<Coverage>, StoreError> {
        self.current().await?.coverage(problem).await
    }

    async fn changes(&self, since: Option<Mark>) -> Result<Changes, StoreError> {
        self.current().await?.changes(since).await
    }

    async fn record_wish(&self, wish: &Wish) -> Result<bool, StoreError> {
        self.current().await?.record_wish(wish).await
    }

    /// Writes the wishes into the open file only, because their clients already have the answer
    /// that these are noted.
    async fn flush_wishes(&self) -> Result<(), StoreError> {
        let store = self.held();
        match store.is_closed() {
            true => Ok(()),
            false => store.flush_wishes().await,
        }
    }

    async fn wishes(&self) -> Result<Readable<CountedWish>, StoreError> {
        self.current().await?.wishes().await
    }

    async fn end_wish(&self, wish: &Wish) -> Result<(), StoreError> {
        self.current().await?.end_wish(wish).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.current().await?.check().await
    }

    async fn close(&self) {
        self.held().close().await;
    }
}

#[async_trait]
impl Records for FollowedDatabase {
    async fn list_studies(
        &self,
        which: &StudyFilter,
        page: Page,
    ) -> Result<ListPage<StudyRecord>, StoreError> {
        self.current().await?.list_studies(which, page).await
    }

    async fn find_study(&self, id: StudyId) -> Result<Readable<StudyRecord>, StoreError> {
        self.current().await?.find_study(id).await
    }

    async fn list_trials(
        &self,
        of: StudyId,
        which: &TrialFilter,
        sort: TrialSort,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError> {
        let store = self.current().await?;
        store.list_trials(of, which, sort, page).await
    }

    async fn list_all_trials(
        &self,
        which: &TrialFilter,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError> {
        self.current().await?.list_all_trials(which, page).await
    }

    async fn plot_trials(
        &self,
        of: StudyId,
        from: u32,
        limit: u32,
    ) -> Result<TrialPoints, StoreError> {
        self.current().await?.plot_trials(of, from, limit).await
    }

    async fn forget_abandoned(&self, of: StudyId) -> Result<u64, StoreError> {
        self.current().await?.forget_abandoned(of).await
    }

    async fn delete_study(&self, id: StudyId) -> Result<Option<DeletionSummary>, StoreError> {
        self.current().await?.delete_study(id).await
    }

    async fn prune_study(
        &self,
        of: StudyId,
        keep: u32,
        only_try: bool,
    ) -> Result<PruningSummary, StoreError> {
        let store = self.current().await?;
        store.prune_study(of, keep, only_try).await
    }

    async fn take_in(
        &self,
        portion: &Portion,
        only_try: bool,
    ) -> Result<ImportSummary, StoreError> {
        self.current().await?.take_in(portion, only_try).await
    }
}

#[async_trait]
impl Models for FollowedDatabase {
    async fn submit_model(&self, submission: ModelSubmission<'_>) -> Result<bool, StoreError> {
        self.current().await?.submit_model(submission).await
    }

    async fn claim_model(
        &self,
        worker: &str,
        patience: Duration,
    ) -> Result<Option<ClaimedModel>, StoreError> {
        self.current().await?.claim_model(worker, patience).await
    }

    async fn report_model(
        &self,
        id: &str,
        worker: &str,
        state: ModelState,
        profiles: u32,
    ) -> Result<bool, StoreError> {
        let store = self.current().await?;
        store.report_model(id, worker, state, profiles).await
    }

    async fn end_model(
        &self,
        id: &str,
        worker: &str,
        end: ModelEnd<'_>,
    ) -> Result<bool, StoreError> {
        self.current().await?.end_model(id, worker, end).await
    }

    async fn model(&self, id: &str) -> Result<Readable<ModelRecord>, StoreError> {
        self.current().await?.model(id).await
    }

    async fn model_result(&self, id: &str) -> Result<Option<String>, StoreError> {
        self.current().await?.model_result(id).await
    }

    async fn list_models(
        &self,
        state: Option<ModelState>,
        page: Page,
    ) -> Result<ListPage<ModelRecord>, StoreError> {
        self.current().await?.list_models(state, page).await
    }

    async fn delete_model(&self, id: &str) -> Result<bool, StoreError> {
        self.current().await?.delete_model(id).await
    }
}

#[async_trait]
impl Tokens for FollowedDatabase {
    async fn create_token(
        &self,
        hash: TokenHash,
        name: &str,
        scopes: &Scopes,
        lifetime: Duration,
    ) -> Result<Grant, StoreError> {
        let store = self.current().await?;
        store.create_token(hash, name, scopes, lifetime).await
    }

    async fn tokens(&self) -> Result<Readable<Grant>, StoreError> {
        self.current().await?.tokens().await
    }

    async fn revoke_token(&self, id: TokenId) -> Result<bool, StoreError> {
        self.current().await?.revoke_token(id).await
    }
}
