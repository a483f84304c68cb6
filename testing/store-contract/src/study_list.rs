//! Studies are listed a page at a time, with filters and progress.

use std::time::{Duration, SystemTime};

use configgen::{ElementType, Generator, Target};
use store::{
    Cursor, FailureKind, Finals, Page, Status, Store, StudyFilter, StudyId, StudyKey, StudyRecord,
    Ties, TrialOutcome,
};

use crate::Database;
use crate::samples::{at, default_trial, key, key_made, record, right, timing, trial};

/// Returns all studies of a filter, in pages of two.
async fn listed(store: &dyn Store, which: &StudyFilter) -> Vec<StudyRecord> {
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

pub(crate) async fn check_studies(store: &dyn Store, which: StudyFilter, expected: &[StudyId]) {
    let found = listed(store, &which).await;
    let found: Vec<StudyId> = found.iter().map(|record| record.known.id).collect();
    assert_eq!(found, expected, "{which:?}");
}

pub(crate) async fn studies_are_listed_by_what_they_are_of(database: &dyn Database) {
    let store = database.open().await;
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
        ids.push(record(&*store, key, &[]).await);
    }
    // A study that is opened again is the newest.
    record(&*store, &keys[0], &[]).await;
    let [first, f16, gfx950, iree, evolution] = ids[..] else {
        panic!("{ids:?}")
    };
    let any = StudyFilter::default;
    check_studies(&*store, any(), &[first, evolution, iree, gfx950, f16]).await;
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
        check_studies(&*store, which, expected).await;
    }
    let page = Page {
        after: Some(Cursor::Ordinal(1)),
        limit: 2,
    };
    let error = store.list_studies(&any(), page).await.unwrap_err();
    assert!(
        error.to_string().contains("\"o1\" is not a cursor"),
        "{error}"
    );
}

pub(crate) async fn a_study_tells_how_far_it_is(database: &dyn Database) {
    let store = database.open().await;
    let failed = |kind| TrialOutcome::Failed(kind, "no".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(4.0)),
        trial(2, 3, TrialOutcome::Tie(timing(3.0), "row 0".to_owned())),
        trial(3, 4, failed(FailureKind::Compile)),
        trial(4, 5, failed(FailureKind::Crash)),
    ];
    let id = record(&*store, &key(), &trials).await;
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
    store.record_finals(study.id, &finals).await.unwrap();
    (finals.trials, finals.winner) = (5, 1);
    store.record_finals(study.id, &finals).await.unwrap();
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
        listed(&*store, &StudyFilter::default()).await,
        std::slice::from_ref(record)
    );
    // A silent owner is not at work.
    let impatient = database.open_patient(Duration::ZERO).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let found = impatient.find_study(id).await.unwrap();
    assert_eq!(found.rows[0].workers, Vec::<String>::new());
    assert!(store.find_study(StudyId(77)).await.unwrap().rows.is_empty());
}
