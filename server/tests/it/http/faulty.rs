//! A catalogue that fails in ways that no catalogue should.

use async_trait::async_trait;
use configgen::{Configuration, Generator, Problem, Target};
use store::{
    Catalogue, Changes, Connections, CountedWish, Coverage, Fastest, KnownFinals, KnownStudy,
    KnownTrial, Mark, ProblemSelection, Readable, Status, StoreError, StoreFault, StudyId, Wish,
};

/// The behaviour of a health check. The service calls nothing else.
#[derive(Clone, Copy)]
pub(crate) enum Faulty {
    Panics,
    Hangs,
}

/// Fails as allowed, for the background tasks of the service.
fn missing<T>() -> Result<T, StoreError> {
    Err(StoreError {
        database: "faulty".to_owned(),
        fault: StoreFault::Missing,
    })
}

#[async_trait]
impl Catalogue for Faulty {
    fn connections(&self) -> Connections {
        Connections {
            open: 0,
            idle: 0,
            most: 0,
        }
    }

    fn generators(&self) -> &'static [Generator] {
        &[]
    }

    async fn studies(
        &self,
        _: ProblemSelection<'_>,
        _: Option<&Target>,
    ) -> Result<Readable<KnownStudy>, StoreError> {
        missing()
    }

    async fn fastest(&self, _: &[StudyId], _: Status, _: u32) -> Result<Fastest, StoreError> {
        missing()
    }

    async fn defaults(&self, _: &[StudyId]) -> Result<Readable<KnownTrial>, StoreError> {
        missing()
    }

    async fn trials_with(
        &self,
        _: &[StudyId],
        _: &Configuration,
    ) -> Result<Readable<KnownTrial>, StoreError> {
        missing()
    }

    async fn finals(&self, _: &[StudyId]) -> Result<Readable<KnownFinals>, StoreError> {
        missing()
    }

    async fn coverage(&self, _: &Problem) -> Result<Readable<Coverage>, StoreError> {
        missing()
    }

    async fn changes(&self, _: Option<Mark>) -> Result<Changes, StoreError> {
        missing()
    }

    async fn record_wish(&self, _: &Wish) -> Result<bool, StoreError> {
        missing()
    }

    async fn flush_wishes(&self) -> Result<(), StoreError> {
        missing()
    }

    async fn wishes(&self) -> Result<Readable<CountedWish>, StoreError> {
        missing()
    }

    async fn end_wish(&self, _: &Wish) -> Result<(), StoreError> {
        missing()
    }

    async fn check(&self) -> Result<(), StoreError> {
        match self {
            Faulty::Panics => panic!("a secret of the service"),
            Faulty::Hangs => std::future::pending().await,
        }
    }

    async fn close(&self) {}
}
