//! What people list: studies and trials, a page at a time, and what is deleted.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::{Duration, SystemTime};

use configgen::{ElementType, Generator, Target};
use futures_util::TryStreamExt as _;
use store::{
    Catalogue as _, Cursor, Deleted, FailureKind, Finals, Ledger as _, Outcome, Page, Records as _,
    Role, Status, StudyFilter, StudyId, StudyKey, StudyRecord, Ties, Trial, TrialFilter, TrialSort,
    every_trial,
};
use store_sqlite::Sqlite;

use crate::new_store;
use crate::support::{at, default_trial, key, key_made, right, spoil, timing, trial};

/// Opens a study and records these trials.
async fn record(store: &Sqlite, key: &StudyKey, trials: &[Trial]) -> StudyId {
    let study = store.open_study(key, Some(2.5)).await.unwrap();
    for trial in trials {
        store.record_trial(&study, trial).await.unwrap();
    }
    study.id
}

/// All studies of a filter, two a page.
async fn listed(store: &Sqlite, which: &StudyFilter) -> Vec<StudyRecord> {
    let (mut all, mut page) = (Vec::new(), Page::first(2));
    loop {
        let listed = store.list_studies(which, page).await.unwrap();
        assert!(listed.rows.len() <= 2 && listed.unreadable.is_none());
        all.extend(listed.rows);
        let Some(next) = listed.next else { return all };
        let after = next.to_string().parse().unwrap();
        page.after = Some(after);
    }
}

async fn check_studies(store: &Sqlite, which: StudyFilter, expected: &[StudyId]) {
    let found = listed(store, &which).await;
    let found: Vec<StudyId> = found.iter().map(|record| record.known.id).collect();
    assert_eq!(found, expected, "{which:?}");
}

#[tokio::test]
async fn studies_are_listed_by_what_they_are_of() {
    let (_directory, store) = new_store().await;
    let begin = SystemTime::now() - Duration::from_secs(1);
    let keys = [
        key(),
        StudyKey {
            problem: "argmin:[7]xf16".parse().unwrap(),
            ..key()
        },
        key_made(|made| {
            made.target = Target::named("gfx950").unwrap();
            made.device = "emulated:mi350x".to_owned();
        }),
        key_made(|made| made.generator = Generator::IREE),
        StudyKey {
            strategy: "evolution".to_owned(),
            ..key()
        },
    ];
    let mut ids = Vec::new();
    for key in &keys {
        ids.push(record(&store, key, &[]).await);
    }
    // One that is opened again is the newest.
    record(&store, &keys[0], &[]).await;
    let [first, f16, gfx950, iree, evolution] = ids[..] else {
        panic!("{ids:?}")
    };
    let any = StudyFilter::default;
    check_studies(&store, any(), &[first, evolution, iree, gfx950, f16]).await;
    for (which, expected) in [
        (
            StudyFilter {
                problem: Some(keys[1].problem.clone()),
                ..any()
            },
            &[f16][..],
        ),
        (
            StudyFilter {
                problem: Some("argmax:[9]xf32".parse().unwrap()),
                ..any()
            },
            &[],
        ),
        (
            StudyFilter {
                operation: Some("arg_compare".to_owned()),
                element: Some(ElementType::F16),
                ..any()
            },
            &[f16],
        ),
        (
            StudyFilter {
                operation: Some("sum".to_owned()),
                ..any()
            },
            &[],
        ),
        (
            StudyFilter {
                element: Some(ElementType::F32),
                ..any()
            },
            &[first, evolution, iree, gfx950],
        ),
        (
            StudyFilter {
                target: Target::named("gfx950"),
                ..any()
            },
            &[gfx950],
        ),
        (
            StudyFilter {
                target: Target::named("gfx942"),
                device: Some("emulated:mi350x".to_owned()),
                ..any()
            },
            &[],
        ),
        (
            StudyFilter {
                device: Some("emulated:mi350x".to_owned()),
                ..any()
            },
            &[gfx950],
        ),
        (
            StudyFilter {
                generator: Some(Generator::IREE),
                ..any()
            },
            &[iree],
        ),
        (
            StudyFilter {
                strategy: Some("evolution".to_owned()),
                ..any()
            },
            &[evolution],
        ),
        (
            StudyFilter {
                opened_since: Some(begin),
                ..any()
            },
            &[first, evolution, iree, gfx950, f16],
        ),
        (
            StudyFilter {
                opened_since: Some(SystemTime::now() + Duration::from_secs(60)),
                ..any()
            },
            &[],
        ),
    ] {
        check_studies(&store, which, expected).await;
    }
    let page = Page {
        after: Some(Cursor::Ordinal(1)),
        limit: 2,
    };
    let error = store.list_studies(&any(), page).await.unwrap_err();
    assert!(error.to_string().contains("\"o1\" is no cursor"), "{error}");
}

#[tokio::test]
async fn a_study_tells_how_far_it_is() {
    let (_directory, store) = new_store().await;
    let failed = |kind| Outcome::Failed(kind, "no".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(4.0)),
        trial(2, 3, Outcome::Tie(timing(3.0), "row 0".to_owned())),
        trial(3, 4, failed(FailureKind::Compile)),
        trial(4, 5, failed(FailureKind::Crash)),
    ];
    let id = record(&store, &key(), &trials).await;
    let study = store.open_study(&key(), None).await.unwrap();
    let mut finals = Finals {
        trials: 4,
        winner: 0,
        ties: Ties::Any,
        speedup: 1.5,
        interval: (1.25, 1.75),
        samples: "{}".to_owned(),
        ended: at(5),
    };
    store.record_finals(&study, &finals).await.unwrap();
    (finals.trials, finals.winner) = (5, 1);
    store.record_finals(&study, &finals).await.unwrap();
    store.stay(&study, "ann").await.unwrap();
    let found = store.find_study(id).await.unwrap();
    assert!(found.unreadable.is_none());
    let [record] = &found.rows[..] else {
        panic!("{found:?}")
    };
    let counts: Vec<(Status, u64)> = record.trials.clone().into_iter().collect();
    assert_eq!(
        counts,
        [(Status::Right, 2), (Status::Tie, 1), (Status::Failed, 2)]
    );
    let held = record.finals.as_ref().unwrap();
    assert_eq!((held.trials, held.winner, held.ties), (5, 1, Ties::Any));
    assert_eq!(
        (held.speedup, held.interval, held.ended),
        (1.5, (1.25, 1.75), at(5))
    );
    assert_eq!(record.workers, ["ann"]);
    assert_eq!(
        (record.seed, record.strategy.as_str()),
        (u64::MAX, "random")
    );
    assert_eq!(
        (&record.known.problem, record.known.bound_us),
        (&key().problem, Some(2.5))
    );
    assert!(record.first_opened <= record.last_opened);
    assert_eq!(
        listed(&store, &StudyFilter::default()).await,
        std::slice::from_ref(record)
    );
    // Who is silent is not at work.
    let impatient = store.clone().with_patience(Duration::ZERO);
    tokio::time::sleep(Duration::from_millis(5)).await;
    let found = impatient.find_study(id).await.unwrap();
    assert_eq!(found.rows[0].workers, Vec::<String>::new());
    assert!(store.find_study(StudyId(77)).await.unwrap().rows.is_empty());
}

/// Ordinals of the trials of a study, three a page.
async fn check_trials(
    store: &Sqlite,
    id: StudyId,
    which: TrialFilter,
    sort: TrialSort,
    expected: &[u32],
) {
    let (mut all, mut page) = (Vec::new(), Page::first(3));
    loop {
        let listed = store.list_trials(id, &which, sort, page).await.unwrap();
        all.extend(listed.rows.iter().map(|record| record.trial.ordinal));
        page.after = match listed.next {
            Some(next) => Some(next.to_string().parse().unwrap()),
            None => break,
        };
    }
    assert_eq!(all, expected, "{which:?} {sort:?}");
}

#[tokio::test]
async fn trials_are_listed_in_three_orders() {
    let (_directory, store) = new_store().await;
    let failed = |kind| Outcome::Failed(kind, "no".to_owned());
    let compiled = |trial: Trial, compile_ms| Trial {
        compile_ms,
        ..trial
    };
    let trials = [
        default_trial(0, 1, right(9.0)),
        compiled(trial(1, 2, right(4.0)), Some(0.0)),
        trial(2, 3, Outcome::Tie(timing(3.0), "row 0".to_owned())),
        compiled(trial(3, 4, failed(FailureKind::Compile)), None),
        trial(4, 5, failed(FailureKind::Crash)),
        compiled(trial(6, 2, right(4.0)), Some(3.0)),
        trial(7, 7, right(4.0)),
        trial(8, 8, Outcome::Wrong("row 1".to_owned())),
    ];
    let id = record(&store, &key(), &trials).await;
    record(&store, &StudyKey { seed: 1, ..key() }, &trials).await;
    let any = TrialFilter::default;
    let of = |status| TrialFilter {
        status: Some(status),
        ..any()
    };
    let hash = store
        .list_trials(id, &any(), TrialSort::Ordinal, Page::first(2))
        .await
        .unwrap();
    let hash = hash.rows[1].hash.clone().unwrap();
    for (which, sort, expected) in [
        (any(), TrialSort::Ordinal, &[0, 1, 2, 3, 4, 6, 7, 8][..]),
        (any(), TrialSort::Time, &[2, 1, 6, 7, 0]),
        (any(), TrialSort::Compiled, &[1, 6, 0, 2, 4, 7, 8]),
        (of(Status::Right), TrialSort::Time, &[1, 6, 7, 0]),
        (of(Status::Failed), TrialSort::Ordinal, &[3, 4]),
        (of(Status::Failed), TrialSort::Time, &[]),
        (
            TrialFilter {
                failure: Some(FailureKind::Crash),
                ..any()
            },
            TrialSort::Ordinal,
            &[4],
        ),
        (
            TrialFilter {
                role: Some(Role::Default),
                ..any()
            },
            TrialSort::Ordinal,
            &[0],
        ),
        (
            TrialFilter {
                least_us: Some(4.0),
                most_us: Some(8.0),
                ..any()
            },
            TrialSort::Ordinal,
            &[1, 6, 7],
        ),
        (
            TrialFilter {
                hash: Some(hash[..12].to_owned()),
                ..any()
            },
            TrialSort::Ordinal,
            &[1, 6],
        ),
        (
            TrialFilter {
                hash: Some("%".to_owned()),
                ..any()
            },
            TrialSort::Ordinal,
            &[],
        ),
    ] {
        check_trials(&store, id, which, sort, expected).await;
    }
    for (sort, after) in [
        (TrialSort::Ordinal, Cursor::Time(1.0, 1)),
        (TrialSort::Time, Cursor::Compiled(1.0, 1)),
        (TrialSort::Compiled, Cursor::Opened(1)),
    ] {
        let page = Page {
            after: Some(after),
            limit: 1,
        };
        let error = store.list_trials(id, &any(), sort, page).await.unwrap_err();
        assert!(error.to_string().contains("is no cursor"), "{error}");
    }
    let listed = store
        .list_trials(id, &any(), TrialSort::Ordinal, Page::first(9))
        .await
        .unwrap();
    let found: Vec<Trial> = listed.rows.into_iter().map(|record| record.trial).collect();
    assert_eq!(found, trials);
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_the_rest_listed() {
    let (_directory, store) = new_store().await;
    let trials: Vec<Trial> = (0..450).map(|n| trial(n, n + 1, right(8.0))).collect();
    let id = record(&store, &key(), &trials).await;
    let other = StudyKey {
        problem: "argmin:[7]xf16".parse().unwrap(),
        ..key()
    };
    record(&store, &other, &[]).await;
    spoil(
        &store,
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE ordinal = 199; UPDATE trial SET status = 'new' WHERE ordinal = 7;
        UPDATE problem SET text = 'argmax:<b>' WHERE id = 2",
    )
    .await;
    let all = TrialFilter::default();
    let stream = every_trial(&store, id, &all, TrialSort::Ordinal);
    let mut stream = pin!(stream);
    let (mut ordinals, mut unreadable, mut pages) = (BTreeSet::new(), 0, 0);
    while let Some(listed) = stream.try_next().await.unwrap() {
        assert!(listed.rows.len() <= 200);
        ordinals.extend(listed.rows.iter().map(|record| record.trial.ordinal));
        unreadable += listed.unreadable.rows;
        pages += 1;
    }
    assert_eq!((ordinals.len(), unreadable, pages), (448, 2, 3));
    let studies = store
        .list_studies(&StudyFilter::default(), Page::first(9))
        .await
        .unwrap();
    assert_eq!((studies.rows.len(), studies.unreadable.rows), (1, 2));
    assert_eq!(studies.rows[0].trials[&Status::Right], 449);
}

#[tokio::test]
async fn a_deleted_study_is_gone_with_all_that_was_its_own() {
    let (_directory, store) = new_store().await;
    let shared = [default_trial(0, 1, right(9.0)), trial(1, 2, right(4.0))];
    let id = record(&store, &key(), &shared).await;
    let twin = record(&store, &StudyKey { seed: 1, ..key() }, &shared).await;
    let study = store.open_study(&key(), None).await.unwrap();
    let finals = Finals {
        trials: 2,
        winner: 1,
        ties: Ties::Fold,
        speedup: 2.0,
        interval: (1.5, 2.5),
        samples: "{}".to_owned(),
        ended: at(5),
    };
    store.record_finals(&study, &finals).await.unwrap();
    let task = [store::Task::Trial(9)];
    store.take(&study, "ann", &task).await.unwrap();
    let error = store.delete_study(id).await.unwrap_err().to_string();
    assert!(
        error.ends_with(
            "study 1 is being worked on by ann; end that first, or wait until it is done"
        ),
        "{error}"
    );
    assert_eq!(store.trials_of(&study).await.unwrap(), shared);

    // One that has died holds nothing.
    let store = store.with_patience(Duration::ZERO);
    tokio::time::sleep(Duration::from_millis(5)).await;
    let deleted = store.delete_study(id).await.unwrap();
    assert_eq!(
        deleted,
        Some(Deleted {
            trials: 2,
            finals: 1
        })
    );
    assert_eq!(store.delete_study(id).await.unwrap(), None);
    check_studies(&store, StudyFilter::default(), &[twin]).await;
    // The twin's problem and provenance have stayed.
    let known = store.changes(None).await.unwrap();
    assert_eq!(known.problems.rows, [key().problem]);
    assert_eq!(count(&store).await, [1, 1, 1, 2, 0, 0, 0]);
    store.delete_study(twin).await.unwrap();
    assert_eq!(count(&store).await, [0; 7]);
}

/// How many rows there are of everything.
async fn count(store: &Sqlite) -> [i64; 7] {
    let mut connection = crate::faults::raw(store.path()).await;
    let mut counts = [0; 7];
    let tables = [
        "problem",
        "provenance",
        "study",
        "trial",
        "final",
        "worker",
        "taken",
    ];
    for (count, table) in counts.iter_mut().zip(tables) {
        let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        *count = sqlx::query_scalar(query)
            .fetch_one(&mut connection)
            .await
            .unwrap();
    }
    counts
}
