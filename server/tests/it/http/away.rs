//! A database that is away for a while: answers from memory have their age, and expire.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use configgen::{Configuration, Generator, Problem, Target};
use server::Limits;
use store::{
    Catalogue, Changes, Connections, CountedWish, Coverage, Fastest, KnownFinals, KnownStudy,
    KnownTrial, Mark, ProblemSelection, Readable, Status, StoreError, StoreFault, StudyId, Wish,
};

use crate::http::ASK;
use crate::http::service::{Service, limits};
use crate::http::support::{key, right, trial};

/// A catalogue without answers while its server is away.
struct Away {
    catalogue: Arc<dyn Catalogue>,
    is_away: Arc<AtomicBool>,
}

impl Away {
    fn there(&self) -> Result<&dyn Catalogue, StoreError> {
        match self.is_away.load(Ordering::Relaxed) {
            true => Err(StoreError {
                database: "away".to_owned(),
                fault: StoreFault::Unavailable("connection refused".to_owned()),
            }),
            false => Ok(self.catalogue.as_ref()),
        }
    }
}

#[async_trait]
impl Catalogue for Away {
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
        self.there()?.studies(of, target).await
    }

    async fn fastest(
        &self,
        of: &[StudyId],
        status: Status,
        limit: u32,
    ) -> Result<Fastest, StoreError> {
        self.there()?.fastest(of, status, limit).await
    }

    async fn defaults(&self, of: &[StudyId]) -> Result<Readable<KnownTrial>, StoreError> {
        self.there()?.defaults(of).await
    }

    async fn trials_with(
        &self,
        of: &[StudyId],
        configuration: &Configuration,
    ) -> Result<Readable<KnownTrial>, StoreError> {
        self.there()?.trials_with(of, configuration).await
    }

    async fn finals(&self, of: &[StudyId]) -> Result<Readable<KnownFinals>, StoreError> {
        self.there()?.finals(of).await
    }

    async fn coverage(&self, problem: &Problem) -> Result<Readable<Coverage>, StoreError> {
        self.there()?.coverage(problem).await
    }

    async fn changes(&self, since: Option<Mark>) -> Result<Changes, StoreError> {
        self.there()?.changes(since).await
    }

    async fn record_wish(&self, wish: &Wish) -> Result<bool, StoreError> {
        self.there()?.record_wish(wish).await
    }

    async fn flush_wishes(&self) -> Result<(), StoreError> {
        self.there()?.flush_wishes().await
    }

    async fn wishes(&self) -> Result<Readable<CountedWish>, StoreError> {
        self.there()?.wishes().await
    }

    async fn end_wish(&self, wish: &Wish) -> Result<(), StoreError> {
        self.there()?.end_wish(wish).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.there()?.check().await
    }

    async fn close(&self) {
        self.catalogue.close().await;
    }
}

/// Repeats a request until the answer satisfies a condition.
async fn until(service: &Service, target: &str, is_so: impl Fn(&str, &str) -> bool) {
    let begin = Instant::now();
    loop {
        let (head, body) = service.get(target).await;
        if is_so(&head, &body) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{head}\n{body}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the service answers from memory.
///
/// The number of problems in memory does not tell: the service may have read the study, but not
/// yet its trial.
async fn in_memory(service: &Service) {
    let begin = Instant::now();
    loop {
        service.check(ASK, 200, "").await;
        let (_, metrics) = service.get("/metrics").await;
        if !metrics.contains("wavetune_answers_total{from=\"memory\"} 0\n") {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{metrics}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The list waits for the end of the first reading.
    let is_read = |head: &str, _: &str| head.starts_with("HTTP/1.1 200 ");
    until(service, "/api/v1/tuned", is_read).await;
}

#[test]
async fn answers_in_memory_outlast_the_database_for_a_while() {
    let limits = Limits {
        max_stale: Duration::from_secs(8),
        ..limits()
    };
    let is_away = Arc::new(AtomicBool::default());
    let switch = Arc::clone(&is_away);
    let disguise = |catalogue| Arc::new(Away { catalogue, is_away }) as Arc<dyn Catalogue>;
    let service = Service::start_limited(limits, false, disguise).await;
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    in_memory(&service).await;
    switch.store(true, Ordering::Relaxed);
    let away = Instant::now();
    for target in [ASK, "/api/v1/problems", "/api/v1/tuned"] {
        until(&service, target, |head, body| {
            let is_old = head.contains("\r\nage: ");
            let warns = head.contains("\r\nwarning: 110 - \"Response is Stale\"");
            assert_eq!(is_old, warns, "{target}: {head}");
            // A busy machine may come here late.
            let is_over = away.elapsed() > limits.max_stale / 2;
            assert!(
                head.starts_with("HTTP/1.1 200 ") || is_over,
                "{target}: {head}\n{body}"
            );
            is_old || is_over
        })
        .await;
    }
    service.check("/readyz", 503, "database-unavailable").await;
    // Memory is too old to be valid.
    until(&service, ASK, |head, body| {
        head.starts_with("HTTP/1.1 503 ") && body.contains("database-unavailable")
    })
    .await;
    service
        .check("/api/v1/tuned", 503, "database-unavailable")
        .await;
    switch.store(false, Ordering::Relaxed);
    until(&service, ASK, |head, _| {
        head.starts_with("HTTP/1.1 200 ") && !head.contains("age: ")
    })
    .await;
}
