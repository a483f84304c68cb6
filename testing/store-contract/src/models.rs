//! Submitted models and their results survive a restart of the service.

use std::time::{Duration, SystemTime};

use store::{
    ClaimedModel, Cursor, ModelEnd, ModelRecord, ModelState, ModelSubmission, Page, Store,
};

use crate::Database;

/// A time that no worker of these tests is silent for.
const LONG: Duration = Duration::from_secs(3600);

async fn submit(store: &dyn Store, id: &str, most_queued: u32) -> bool {
    let submission = ModelSubmission {
        id,
        request: "a request",
        module: "module {}",
        most_queued,
    };
    store.submit_model(submission).await.unwrap()
}

async fn claim(store: &dyn Store, worker: &str) -> Option<ClaimedModel> {
    store.claim_model(worker, LONG).await.unwrap()
}

async fn one(store: &dyn Store, id: &str) -> Option<ModelRecord> {
    let found = store.model(id).await.unwrap();
    assert!(found.unreadable.is_none(), "{}", found.unreadable);
    found.rows.into_iter().next()
}

const DONE: ModelEnd<'_> = ModelEnd::Done {
    summary: "a summary",
    result: "a result",
};

pub(crate) async fn a_model_has_its_result_after_a_restart(database: &dyn Database) {
    let store = database.open().await;
    assert_eq!(one(&*store, "a").await, None);
    let before = SystemTime::now();
    assert!(submit(&*store, "a", 4).await);
    let queued = one(&*store, "a").await.unwrap();
    assert_eq!((queued.state, queued.profiles), (ModelState::Queued, 0));
    assert_eq!((&*queued.request, queued.summary), ("a request", None));
    let age = before.duration_since(queued.asked).unwrap_or_default();
    assert!(age < Duration::from_secs(60), "{age:?}");
    let claimed = claim(&*store, "worker").await.unwrap();
    let (module, attempts) = (claimed.module.as_str(), claimed.attempts);
    assert_eq!((&*claimed.id, module, attempts), ("a", "module {}", 1));
    assert_eq!(
        one(&*store, "a").await.unwrap().state,
        ModelState::Compiling
    );
    let judging = ModelState::Judging;
    let reported = store.report_model("a", "worker", judging, 3).await;
    assert!(reported.unwrap());
    let model = one(&*database.open().await, "a").await.unwrap();
    assert_eq!((model.state, model.profiles), (judging, 3));
    assert_eq!(store.model_result("a").await.unwrap(), None);
    assert!(store.end_model("a", "worker", DONE).await.unwrap());
    // In another process.
    let again = database.open().await;
    let model = one(&*again, "a").await.unwrap();
    assert_eq!(model.state, ModelState::Done);
    assert_eq!(model.summary.as_deref(), Some("a summary"));
    let result = again.model_result("a").await.unwrap();
    assert_eq!(result.as_deref(), Some("a result"));
    assert_eq!(claim(&*again, "worker").await, None);
    assert!(again.delete_model("a").await.unwrap());
    assert_eq!(one(&*store, "a").await, None);
    assert!(!store.delete_model("a").await.unwrap());
}

pub(crate) async fn a_model_is_queued_once(database: &dyn Database) {
    let store = database.open().await;
    for (id, is_queued) in [("a", true), ("b", true), ("a", true), ("c", false)] {
        assert_eq!(submit(&*store, id, 2).await, is_queued, "{id}");
    }
    assert_eq!(one(&*store, "c").await, None);
    assert_eq!(claim(&*store, "worker").await.unwrap().id, "a");
    // A model under way has no place in the queue, and stays under way.
    assert!(submit(&*store, "c", 2).await);
    assert!(submit(&*store, "a", 2).await);
    assert_eq!(
        one(&*store, "a").await.unwrap().state,
        ModelState::Compiling
    );
    assert!(store.end_model("a", "worker", DONE).await.unwrap());
    // A finished one needs a place, and keeps its result.
    assert!(!submit(&*store, "a", 2).await);
    assert_eq!(one(&*store, "a").await.unwrap().state, ModelState::Done);
    assert!(submit(&*store, "a", 3).await);
    let model = one(&*store, "a").await.unwrap();
    assert_eq!((model.state, model.profiles), (ModelState::Queued, 0));
    assert_eq!(model.summary.as_deref(), Some("a summary"));
    assert_eq!(claim(&*store, "worker").await.unwrap().attempts, 1);
    let failed = ModelEnd::Failed("no\0 compiler");
    assert!(store.end_model("a", "worker", failed).await.unwrap());
    let model = one(&*store, "a").await.unwrap();
    assert_eq!(model.reason.as_deref(), Some("no\u{FFFD} compiler"));
    assert_eq!(model.summary.as_deref(), Some("a summary"));
    assert!(submit(&*store, "a", 3).await);
    assert_eq!(one(&*store, "a").await.unwrap().reason, None);
}

pub(crate) async fn one_worker_has_a_model(database: &dyn Database) {
    let store = database.open().await;
    submit(&*store, "a", 4).await;
    assert_eq!(claim(&*store, "one").await.unwrap().attempts, 1);
    assert_eq!(claim(&*store, "other").await, None);
    // The first one is silent for any time of 0.
    let taken = store.claim_model("other", Duration::ZERO).await.unwrap();
    assert_eq!(taken.unwrap().attempts, 2);
    let report = store.report_model("a", "one", ModelState::Judging, 7).await;
    assert!(!report.unwrap());
    for end in [DONE, ModelEnd::Failed("no"), ModelEnd::Interrupted] {
        assert!(!store.end_model("a", "one", end).await.unwrap());
    }
    let model = one(&*store, "a").await.unwrap();
    assert_eq!((model.state, model.profiles), (ModelState::Compiling, 0));
    // An interruption is no attempt.
    let end = ModelEnd::Interrupted;
    assert!(store.end_model("a", "other", end).await.unwrap());
    assert_eq!(one(&*store, "a").await.unwrap().state, ModelState::Queued);
    assert_eq!(claim(&*store, "one").await.unwrap().attempts, 2);
    // A deleted model is nobody's.
    assert!(store.delete_model("a").await.unwrap());
    assert!(!store.end_model("a", "one", DONE).await.unwrap());
}

pub(crate) async fn models_are_listed_the_last_first(database: &dyn Database) {
    let store = database.open().await;
    for id in ["a", "b", "c"] {
        submit(&*store, id, 4).await;
    }
    claim(&*store, "worker").await.unwrap();
    store.end_model("a", "worker", DONE).await.unwrap();
    let list = async |state, after, limit| {
        let listed = store.list_models(state, Page { after, limit }).await;
        let listed = listed.unwrap();
        let ids: Vec<String> = listed.rows.into_iter().map(|it| it.id).collect();
        (ids.join(" "), listed.next, listed.unreadable.rows)
    };
    assert_eq!(list(None, None, 3).await, ("c b a".to_owned(), None, 0));
    let (ids, next, _) = list(None, None, 2).await;
    assert_eq!(ids, "c b");
    assert!(matches!(next, Some(Cursor::Model(_))), "{next:?}");
    assert_eq!(list(None, next, 2).await, ("a".to_owned(), None, 0));
    let queued = list(Some(ModelState::Queued), None, 9).await;
    assert_eq!(queued, ("c b".to_owned(), None, 0));
    let done = list(Some(ModelState::Done), None, 9).await;
    assert_eq!(done, ("a".to_owned(), None, 0));
    let other = Some(Cursor::Opened(1));
    let wrong = store
        .list_models(
            None,
            Page {
                after: other,
                limit: 2,
            },
        )
        .await;
    assert!(wrong.is_err());
    let spoilt = "UPDATE submitted_model SET state = 'dreaming' WHERE id = 'b'";
    database.spoil(spoilt).await;
    assert_eq!(list(None, None, 9).await, ("c a".to_owned(), None, 1));
}
