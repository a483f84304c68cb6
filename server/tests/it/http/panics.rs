//! A background task that panics on a row: the service reports the row, and answers everything
//! else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use configgen::{Configuration, Generator, Problem, Target};
use store::{
    Catalogue, Changes, Connections, CountedWish, Coverage, Fastest, KnownFinals, KnownStudy,
    KnownTrial, Mark, ProblemSelection, Readable, Status, StoreError, StudyId, Wish,
};

use crate::http::ASK;
use crate::http::service::Service;
use crate::http::support::{key, right, trial};

/// The study with rows that make the task panic.
const TRAP: StudyId = StudyId(2);

/// A catalogue that panics at each read of the finals of [`TRAP`], and at the first request for
/// changes.
struct Trapped {
    catalogue: Arc<dyn Catalogue>,
    was_asked: AtomicBool,
}

#[async_trait]
impl Catalogue for Trapped {
    fn connections(&self) -> Connections {
        self.catalogue.connections()
    }

    fn generators(&self) -> &'static [Generator] {
        self.catalogue.generators()
    }

    async fn studies(
        &self,
        of: ProblemSelection<'_>,
        target: Option<&Target>,
    ) -> Result<Readable<KnownStudy>, StoreError> {
        self.catalogue.studies(of, target).await
    }

    async fn fastest(
        &self,
        of: &[StudyId],
        status: Status,
        limit: u32,
    ) -> Result<Fastest, StoreError> {
        self.catalogue.fastest(of, status, limit).await
    }

    async fn defaults(&self, of: &[StudyId]) -> Result<Readable<KnownTrial>, StoreError> {
        self.catalogue.defaults(of).await
    }

    async fn trials_with(
        &self,
        of: &[StudyId],
        configuration: &Configuration,
    ) -> Result<Readable<KnownTrial>, StoreError> {
        self.catalogue.trials_with(of, configuration).await
    }

    async fn finals(&self, of: &[StudyId]) -> Result<Readable<KnownFinals>, StoreError> {
        assert!(!of.contains(&TRAP), "planted in a row");
        self.catalogue.finals(of).await
    }

    async fn coverage(&self, problem: &Problem) -> Result<Readable<Coverage>, StoreError> {
        self.catalogue.coverage(problem).await
    }

    async fn changes(&self, since: Option<Mark>) -> Result<Changes, StoreError> {
        let was_asked = self.was_asked.swap(true, Ordering::Relaxed);
        assert!(was_asked, "planted in the task");
        self.catalogue.changes(since).await
    }

    async fn record_wish(&self, wish: &Wish) -> Result<bool, StoreError> {
        self.catalogue.record_wish(wish).await
    }

    async fn flush_wishes(&self) -> Result<(), StoreError> {
        self.catalogue.flush_wishes().await
    }

    async fn wishes(&self) -> Result<Readable<CountedWish>, StoreError> {
        self.catalogue.wishes().await
    }

    async fn end_wish(&self, wish: &Wish) -> Result<(), StoreError> {
        self.catalogue.end_wish(wish).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.catalogue.check().await
    }

    async fn close(&self) {
        self.catalogue.close().await;
    }
}

#[test]
async fn a_panic_in_the_background_costs_one_row() {
    let service = Service::start_with(|catalogue| {
        Arc::new(Trapped {
            catalogue,
            was_asked: AtomicBool::new(false),
        })
    })
    .await;
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    // The task has restarted: memory has its next read.
    service.soon("/api/v1/tuned", "argmax:4x[32000]xf32").await;
    let mut other = key();
    other.problem = "argmin:[7]xi32".parse().unwrap();
    let study = service.store.open_study(&other, None).await.unwrap();
    assert_eq!(study.id, TRAP);
    let trial = trial(0, 1, right(9.0));
    service.store.record_trial(&study, &trial).await.unwrap();
    let row = "study 2, row: a bug of this wavetune: planted in a row";
    service.soon("/api/v1/tuned", row).await;
    service
        .check("/api/v1/tuned", 200, "argmax:4x[32000]xf32")
        .await;
    service.check(ASK, 200, "argmax:4x[32000]xf32").await;
    service.check("/healthz", 200, "").await;
    // It reads further rows, too.
    let mut third = key();
    third.problem = "argmax:[9]xf32".parse().unwrap();
    service
        .record(&third, &[crate::http::support::trial(0, 2, right(7.0))])
        .await;
    service.soon("/api/v1/tuned", "argmax:[9]xf32").await;
}
