//! Staleness: the age of answers from memory while the database is away.

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::Response;
use store::StoreError;

use crate::ServiceState;

/// Age from which on memory counts as stale: it is refreshed ten times per second.
const STALE: Duration = Duration::from_secs(2);

/// The age of the answers in memory, if they are stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Staleness(Option<Duration>);

impl Staleness {
    /// Returns the staleness of the answers in memory.
    ///
    /// # Errors
    ///
    /// They are older than the operator allows, and the database does not answer.
    pub(crate) async fn of_memory(service: &ServiceState) -> Result<Staleness, StoreError> {
        let age = service.metrics.age();
        // Only then is the query worth its cost: it decides between an old answer and an error.
        if age > service.limits.max_stale.max(STALE) {
            service.catalogue.check().await?;
        }
        Ok(Staleness::new(age))
    }

    fn new(age: Duration) -> Staleness {
        Staleness(Some(age).filter(|age| *age >= STALE))
    }

    /// Adds the age to the headers of an answer (RFC 9111, 5.1 and 5.5).
    pub(crate) fn told(self, mut response: Response) -> Response {
        if let Some(age) = self.0 {
            let headers = response.headers_mut();
            headers.insert(header::AGE, HeaderValue::from(age.as_secs()));
            let warning = HeaderValue::from_static("110 - \"Response is Stale\"");
            headers.insert(header::WARNING, warning);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(age: Duration, expected: Option<&str>) {
        let response = Staleness::new(age).told(Response::default());
        let said = response.headers().get(header::AGE);
        assert_eq!(said.map(|age| age.to_str().unwrap()), expected);
        let warns = response.headers().contains_key(header::WARNING);
        assert_eq!(warns, expected.is_some());
    }

    #[test]
    fn an_old_answer_says_how_old_it_is() {
        check(Duration::ZERO, None);
        check(Duration::from_millis(1999), None);
        check(STALE, Some("2"));
        check(Duration::from_millis(61_900), Some("61"));
    }
}
