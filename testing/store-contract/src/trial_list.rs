//! The trials of a study are listed a page at a time, in three orders, and plotted.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use store::{
    Cursor, FailureKind, Page, Role, Status, Store, StudyFilter, StudyId, StudyKey, Trial,
    TrialFilter, TrialOutcome, TrialPoint, TrialPoints, TrialSort, pages,
};

use crate::Database;
use crate::samples::{at, default_trial, key, record, right, timing, trial};

/// Checks the ordinals of a study's trials, in pages of three.
async fn check_trials(
    store: &dyn Store,
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

pub(crate) async fn trials_are_listed_in_three_orders(database: &dyn Database) {
    let store = database.open().await;
    let failed = |kind| TrialOutcome::Failed(kind, "no".to_owned());
    let compiled = |trial: Trial, compile_ms| Trial {
        compile_ms,
        ..trial
    };
    let trials = [
        default_trial(0, 1, right(9.0)),
        compiled(trial(1, 2, right(4.0)), Some(0.0)),
        trial(2, 3, TrialOutcome::Tie(timing(3.0), "row 0".to_owned())),
        compiled(trial(3, 4, failed(FailureKind::Compile)), None),
        trial(4, 5, failed(FailureKind::Crash)),
        compiled(trial(6, 2, right(4.0)), Some(3.0)),
        trial(7, 7, right(4.0)),
        trial(8, 8, TrialOutcome::Wrong("row 1".to_owned())),
    ];
    let id = record(&*store, &key(), &trials).await;
    record(&*store, &StudyKey { seed: 1, ..key() }, &trials).await;
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
        check_trials(&*store, id, which, sort, expected).await;
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
        assert!(error.to_string().contains("is not a cursor"), "{error}");
    }
    let listed = store
        .list_trials(id, &any(), TrialSort::Ordinal, Page::first(9))
        .await
        .unwrap();
    let found: Vec<Trial> = listed.rows.into_iter().map(|record| record.trial).collect();
    assert_eq!(found, trials);
}

/// Checks the study and ordinal of all studies' trials, in pages of two.
async fn check_all(store: &dyn Store, which: TrialFilter, expected: &[(StudyId, u32)]) {
    let (mut all, mut page) = (Vec::new(), Page::first(2));
    loop {
        let listed = store.list_all_trials(&which, page).await.unwrap();
        let rows = listed.rows.iter();
        all.extend(rows.map(|record| (record.study, record.trial.ordinal)));
        page.after = match listed.next {
            Some(next) => Some(next.to_string().parse().unwrap()),
            None => break,
        };
    }
    assert_eq!(all, expected, "{which:?}");
}

pub(crate) async fn trials_of_all_studies_are_listed(database: &dyn Database) {
    let store = database.open().await;
    let failed = |kind| TrialOutcome::Failed(kind, "no".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(3, 4, failed(FailureKind::Abandoned)),
        trial(1, 2, right(4.0)),
        trial(4, 5, failed(FailureKind::Crash)),
        trial(7, 6, failed(FailureKind::Abandoned)),
    ];
    check_all(&*store, TrialFilter::default(), &[]).await;
    let mut ids = Vec::new();
    for seed in 0..3 {
        // The second study has no trials.
        let trials = if seed == 1 { &[][..] } else { &trials };
        ids.push(record(&*store, &StudyKey { seed, ..key() }, trials).await);
    }
    ids.remove(1);
    ids.sort_unstable();
    let of_each = |ordinals: &[u32]| -> Vec<(StudyId, u32)> {
        let of = |&id: &StudyId| ordinals.iter().map(move |&n| (id, n)).collect::<Vec<_>>();
        ids.iter().flat_map(of).collect()
    };
    let any = TrialFilter::default;
    for (which, expected) in [
        (any(), &[0, 1, 3, 4, 7][..]),
        (
            TrialFilter {
                failure: Some(FailureKind::Abandoned),
                ..any()
            },
            &[3, 7],
        ),
        (
            TrialFilter {
                status: Some(Status::Failed),
                ..any()
            },
            &[3, 4, 7],
        ),
        (
            TrialFilter {
                status: Some(Status::Right),
                most_us: Some(5.0),
                ..any()
            },
            &[1],
        ),
        (
            TrialFilter {
                role: Some(Role::Default),
                ..any()
            },
            &[0],
        ),
        (
            TrialFilter {
                failure: Some(FailureKind::Crash),
                role: Some(Role::Default),
                ..any()
            },
            &[],
        ),
    ] {
        check_all(&*store, which, &of_each(expected)).await;
    }
    let page = Page {
        after: Some(Cursor::Ordinal(1)),
        limit: 1,
    };
    let error = store.list_all_trials(&any(), page).await.unwrap_err();
    assert!(error.to_string().contains("is not a cursor"), "{error}");
}

pub(crate) async fn trials_are_plotted(database: &dyn Database) {
    let store = database.open().await;
    let no_configuration = Trial {
        configuration: None,
        compile_ms: None,
        ..default_trial(0, 1, right(9.0))
    };
    let lasting = Trial {
        ended: at(2000) + Duration::from_millis(250),
        started: at(1000),
        ..trial(4, 5, TrialOutcome::Tie(timing(3.0), "row 0".to_owned()))
    };
    let trials = [
        no_configuration,
        trial(1, 2, right(4.0)),
        trial(
            3,
            4,
            TrialOutcome::Failed(FailureKind::Abandoned, "no".to_owned()),
        ),
        lasting,
        trial(7, 6, TrialOutcome::Wrong("row 1".to_owned())),
    ];
    let id = record(&*store, &key(), &trials).await;
    record(&*store, &StudyKey { seed: 1, ..key() }, &trials[1..2]).await;
    let plotted = store.plot_trials(id, 0, 9).await.unwrap();
    assert_eq!((plotted.trials, plotted.next), (5, None));
    for (point, trial) in plotted.rows.iter().zip(&trials) {
        let expected = TrialPoint {
            ordinal: trial.ordinal,
            role: trial.role,
            status: trial.outcome.status(),
            failure: trial.outcome.failure(),
            time_us: trial.outcome.timing().map(|timing| timing.time_us),
            compile_ms: trial.compile_ms,
            took: trial.ended.duration_since(trial.started).unwrap(),
            configuration: trial.configuration.clone(),
        };
        assert_eq!(*point, expected);
    }
    assert_eq!(plotted.rows[3].took, Duration::from_millis(1_000_250));
    for (from, limit, expected, next) in [
        (0, 5, &[0, 1, 3, 4, 7][..], None),
        (0, 2, &[0, 1], Some(3)),
        (2, 2, &[3, 4], Some(7)),
        (3, 1, &[3], Some(4)),
        (7, 3, &[7], None),
        (8, 3, &[], None),
        (u32::MAX, 3, &[], None),
    ] {
        let plotted = store.plot_trials(id, from, limit).await.unwrap();
        let ordinals: Vec<u32> = plotted.rows.iter().map(|row| row.ordinal).collect();
        assert_eq!(
            (&ordinals[..], plotted.next, plotted.trials),
            (expected, next, 5),
            "{from} {limit}"
        );
    }
    let none = store.plot_trials(StudyId(77), 0, 9).await.unwrap();
    assert_eq!(none, TrialPoints::default());
    // After a clock was set back, a duration is at least zero.
    let backwards = Trial {
        started: at(9),
        ended: at(3),
        ..trial(8, 7, right(1.0))
    };
    let more = StudyKey { seed: 2, ..key() };
    let more = record(&*store, &more, &[backwards]).await;
    let plotted = store.plot_trials(more, 0, 9).await.unwrap();
    assert_eq!(plotted.rows[0].took, Duration::ZERO);
    let spoilt = "UPDATE trial SET configuration = '{\"a\": 1}' WHERE ordinal = 1;
        UPDATE trial SET status = 'new' WHERE ordinal = 7";
    database.spoil(spoilt).await;
    let plotted = store.plot_trials(id, 0, 3).await.unwrap();
    let ordinals: Vec<u32> = plotted.rows.iter().map(|row| row.ordinal).collect();
    assert_eq!(
        (&ordinals[..], plotted.next, plotted.unreadable.rows),
        (&[0, 3][..], Some(4), 1)
    );
}

pub(crate) async fn unreadable_trials_are_reported_and_the_rest_listed(database: &dyn Database) {
    let store = database.open().await;
    let trials: Vec<Trial> = (0..450).map(|n| trial(n, n + 1, right(8.0))).collect();
    let id = record(&*store, &key(), &trials).await;
    let other = StudyKey {
        problem: "argmin:[7]xf16".parse().unwrap(),
        ..key()
    };
    record(&*store, &other, &[]).await;
    let spoilt = "UPDATE trial SET configuration = '{\"a\": 1}' WHERE ordinal = 199;
        UPDATE trial SET status = 'new' WHERE ordinal = 7;
        UPDATE problem SET text = 'argmax:<b>' WHERE element = 'f16'";
    database.spoil(spoilt).await;
    let all = TrialFilter::default();
    let read = |page| store.list_trials(id, &all, TrialSort::Ordinal, page);
    let stream = pages(Page::first(200), read);
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
