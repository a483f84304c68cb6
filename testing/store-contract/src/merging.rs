//! A database imports portions of another: in any order, any number of times, with the same
//! answers.

use std::time::{Duration, SystemTime};

use store::{
    FailureKind, Finals, Page, Portion, ProblemSelection, Status, Store, StoreFault, StudyId,
    StudyKey, Ties, Timing, Trial, TrialFilter, TrialOutcome, TrialSort,
};

use crate::Database;
use crate::samples::{at, default_trial, key, key_made, record, right, timing, trial, with_error};

/// Returns a portion of a study, opened in this second, with these trials.
pub(crate) fn portion(key: StudyKey, opened: u64, trials: &[Trial]) -> Portion {
    Portion {
        key,
        bound_us: Some(2.5),
        first_opened: at(opened),
        last_opened: at(opened),
        trials: trials.to_vec(),
        finals: Vec::new(),
    }
}

fn seeded(seed: u64) -> StudyKey {
    StudyKey { seed, ..key() }
}

fn ended(trial: Trial, second: u64) -> Trial {
    Trial {
        started: at(second),
        ended: at(second + 1),
        ..trial
    }
}

fn finals(trials: u32, winner: u32, second: u64) -> Finals {
    Finals {
        trials,
        winner,
        ties: Ties::Fold,
        speedup: 2.0,
        interval: (1.5, 2.5),
        samples: "{}".to_owned(),
        ended: at(second),
    }
}

/// Returns everything that answers depend on, without the database's numbers: studies by opening,
/// their trials with the mark of a later one, and the order of defaults and finals of each
/// provenance.
async fn facts(store: &dyn Store) -> Vec<String> {
    let mut known = store
        .studies(ProblemSelection::All, None)
        .await
        .unwrap()
        .rows;
    known.sort_by_key(|study| study.opened);
    let mut facts = Vec::new();
    for study in &known {
        let found = store.find_study(study.id).await.unwrap().rows;
        let [found] = &found[..] else {
            panic!("{} studies", found.len())
        };
        let (first, last) = (found.first_opened, found.last_opened);
        let (key, bound) = (found.key(), found.known.bound_us);
        facts.push(format!("{key:?} {bound:?} {first:?} {last:?}"));
        let all = TrialFilter::default();
        let page = Page::first(1000);
        let listed = store.list_trials(study.id, &all, TrialSort::Ordinal, page);
        let listed = listed.await.unwrap().rows.into_iter();
        facts.extend(listed.map(|record| format!("{:?}", record.trial)));
        for status in Status::ALL {
            let fastest = store.fastest(&[study.id], status, 1000).await.unwrap();
            let known = fastest.trials.into_iter();
            facts.extend(known.map(|known| format!("{} {}", known.trial.ordinal, known.has_later)));
        }
    }
    for version in VERSIONS {
        let made = known.iter();
        let made = made.filter(|study| study.provenance.compiler_version == version);
        let made: Vec<StudyId> = made.map(|study| study.id).collect();
        let mut defaults = store.defaults(&made).await.unwrap().rows;
        defaults.sort_by_key(|known| known.recorded);
        facts.extend(defaults.iter().map(|known| format!("{:?}", known.trial)));
        let finals = store.finals(&made).await.unwrap().rows.into_iter();
        facts.extend(finals.map(|known| format!("{:?} {}", known.finals, known.went_on)));
    }
    facts
}

/// The versions of the compiler.
const VERSIONS: [&str; 2] = ["22.1.0", "23.0.0"];

/// Deletes all studies.
async fn clear(store: &dyn Store) {
    for study in store
        .studies(ProblemSelection::All, None)
        .await
        .unwrap()
        .rows
    {
        store.delete_study(study.id).await.unwrap();
    }
}

/// Counts the rows of every imported table.
async fn count(database: &dyn Database) -> [i64; 5] {
    let mut counts = [0; 5];
    let tables = ["problem", "provenance", "study", "trial", "final"];
    for (count, table) in counts.iter_mut().zip(tables) {
        *count = database.count(table).await;
    }
    counts
}

pub(crate) async fn a_portion_is_taken_in_once(database: &dyn Database) {
    let store = database.open().await;
    let failed = TrialOutcome::Failed(FailureKind::Crash, "it\0died".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, TrialOutcome::Tie(timing(3.0), "row 1".to_owned())),
        trial(2, 3, failed),
        trial(3, 4, right(0.1 + 0.2)),
    ];
    let mut given = portion(key(), 100, &trials);
    given.finals = vec![finals(4, 3, 50)];
    let taken = store.take_in(&given, false).await.unwrap();
    assert!(taken.is_new);
    assert_eq!((taken.added, taken.replaced, taken.finals), (4, 0, 1));
    let before = facts(&*store).await;
    let mark = store.changes(None).await.unwrap().mark;
    let again = store.take_in(&given, false).await.unwrap();
    assert!(!again.is_new);
    assert_eq!((again.added, again.replaced, again.finals), (0, 0, 0));
    assert_eq!((again.study, again.parted), (taken.study, None));
    assert_eq!(facts(&*store).await, before);
    // A follower reads nothing again.
    assert_eq!(store.changes(None).await.unwrap().mark, mark);
    assert_eq!(count(database).await, [1, 1, 1, 4, 1]);

    // The study is the one that `tune` finds.
    let study = store.open_study(&key(), None).await.unwrap();
    assert_eq!(
        (study.id, study.recorded, study.bound_us),
        (taken.study, 4, Some(2.5))
    );
    let mut expected = trials;
    expected[2].outcome = TrialOutcome::Failed(FailureKind::Crash, "it\u{FFFD}died".to_owned());
    assert_eq!(store.trials_of(&study).await.unwrap(), expected);
    let held = store.finals_of(study.id, 4, Ties::Fold).await.unwrap();
    assert_eq!(held, Some(finals(4, 3, 50)));
}

/// Checks that of two trials with one ordinal the earlier stays, in both directions, and that
/// finals go with their trials.
pub(crate) async fn the_trial_that_ended_first_stays(database: &dyn Database) {
    let store = database.open().await;
    let same = [default_trial(0, 1, right(9.0)), trial(1, 2, right(5.0))];
    let early = [&same[..], &[ended(trial(2, 3, right(4.0)), 20)]].concat();
    let late = [
        &same[..],
        &[ended(trial(2, 4, right(3.0)), 30), trial(3, 5, right(7.0))],
    ]
    .concat();
    let (mut one, mut other) = (portion(key(), 1, &early), portion(key(), 2, &late));
    one.finals = vec![finals(2, 1, 10), finals(3, 2, 40)];
    other.finals = vec![finals(2, 1, 11), finals(4, 2, 60)];
    // As in a merge, finals over other trials are left out.
    let mut known = Vec::new();
    for order in [[&one, &other], [&other, &one]] {
        clear(&*store).await;
        for given in order {
            let alone = Portion {
                finals: Vec::new(),
                ..given.clone()
            };
            let parted = store.take_in(&alone, false).await.unwrap().parted;
            assert_eq!(parted, (given == &other && order[0] == &one).then_some(2));
            let mut last = Portion {
                trials: Vec::new(),
                ..given.clone()
            };
            last.finals
                .retain(|held| parted.is_none_or(|ordinal| held.trials <= ordinal));
            store.take_in(&last, false).await.unwrap();
        }
        let study = store.open_study(&key(), None).await.unwrap();
        let trials = store.trials_of(&study).await.unwrap();
        assert_eq!(trials, [&early[..], &late[3..]].concat());
        let held = async |trials| store.finals_of(study.id, trials, Ties::Fold).await.unwrap();
        assert_eq!(held(2).await, Some(finals(2, 1, 11)));
        assert_eq!(held(3).await, Some(finals(3, 2, 40)));
        assert_eq!(held(4).await, None);
        known.push(trials);
    }
    assert_eq!(known[0], known[1]);
}

/// Checks that the row with all samples stays.
pub(crate) async fn unpruned_studies_stay_unpruned(database: &dyn Database) {
    let store = database.open().await;
    let whole = [default_trial(0, 1, right(9.0)), trial(1, 2, right(4.0))];
    let mut pruned = whole.clone();
    pruned[1].outcome = TrialOutcome::Right(Timing {
        time_us: 4.0,
        samples_us: vec![4.0],
        protocol: None,
    });
    for order in [[&whole, &pruned], [&pruned, &whole]] {
        clear(&*store).await;
        for trials in order {
            let mut given = portion(key(), 1, trials);
            given.finals = vec![finals(2, 1, 9)];
            assert_eq!(store.take_in(&given, false).await.unwrap().parted, None);
        }
        let study = store.open_study(&key(), None).await.unwrap();
        assert_eq!(store.trials_of(&study).await.unwrap(), whole);
        assert!(
            store
                .finals_of(study.id, 2, Ties::Fold)
                .await
                .unwrap()
                .is_some()
        );
    }
}

/// Checks portions in any order, each any number of times.
pub(crate) async fn portions_come_in_any_order(database: &dyn Database) {
    let store = database.open().await;
    // A sequence that is the same each time: Knuth's for MMIX.
    let mut state = 7_u64;
    let mut any = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..10 {
        let mut portions = Vec::new();
        for _ in 0..6 {
            let version = VERSIONS[any(2) as usize];
            let mut key = key_made(|made| made.compiler_version = version.to_owned());
            key.seed = any(2);
            let mut trials = Vec::new();
            for ordinal in 0..4 {
                if ordinal > 0 && any(3) == 0 {
                    continue;
                }
                let made = match ordinal {
                    0 => default_trial,
                    _ => trial,
                };
                let outcome = right(1.0 + any(3) as f64);
                let error = [None, Some(0.25), Some(0.5)][any(3) as usize];
                let made = with_error(error, made(ordinal, any(4) as u32, outcome));
                trials.push(ended(made, any(9)));
            }
            let mut given = portion(key, any(9), &trials);
            given.bound_us = Some(1.0 + any(3) as f64);
            portions.push(given);
        }
        let mut known: Option<Vec<String>> = None;
        for _ in 0..3 {
            clear(&*store).await;
            // Each at least once, in another order.
            for step in 0..9 {
                let place = any(portions.len() as u64) as usize;
                portions.swap(place, step % 6);
            }
            for place in 0..9 {
                store.take_in(&portions[place % 6], false).await.unwrap();
            }
            let facts = facts(&*store).await;
            assert_eq!(known.get_or_insert_with(|| facts.clone()), &facts);
        }
    }
}

pub(crate) async fn imports_do_not_disturb_running_studies(database: &dyn Database) {
    let store = database.open().await;
    let id = record(&*store, &key(), &[default_trial(0, 1, right(9.0))]).await;
    let study = store.open_study(&key(), None).await.unwrap();
    store.stay(&study, "ann").await.unwrap();
    let before = facts(&*store).await;
    let given = portion(key(), 1, &[trial(1, 2, right(4.0))]);
    let error = store.take_in(&given, false).await.unwrap_err();
    assert!(
        matches!(&error.fault, StoreFault::AtWork { study, .. } if *study == id),
        "{error}"
    );
    assert_eq!(facts(&*store).await, before);
    // Another study of the same problem is independent.
    let other = portion(seeded(1), 1, &[trial(1, 2, right(4.0))]);
    assert_eq!(store.take_in(&other, false).await.unwrap().added, 1);
    store.leave(Some(&study), "ann").await.unwrap();
    assert_eq!(store.take_in(&given, false).await.unwrap().added, 1);
}

pub(crate) async fn a_dry_run_changes_nothing(database: &dyn Database) {
    let store = database.open().await;
    let mut given = portion(
        key(),
        1,
        &[default_trial(0, 1, right(9.0)), trial(1, 2, right(4.0))],
    );
    given.finals = vec![finals(2, 1, 9)];
    let tried = store.take_in(&given, true).await.unwrap();
    assert_eq!((tried.is_new, tried.added, tried.finals), (true, 2, 1));
    assert_eq!(count(database).await, [0; 5]);
    let taken = store.take_in(&given, false).await.unwrap();
    assert_eq!((taken.is_new, taken.added, taken.finals), (true, 2, 1));
}

/// Checks that nothing of a refused portion is written.
pub(crate) async fn impossible_rows_are_not_imported(database: &dyn Database) {
    let store = database.open().await;
    let check = async |change: fn(&mut Portion), part: &str| {
        let trials = [default_trial(0, 1, right(9.0)), trial(1, 2, right(4.0))];
        let mut given = portion(key(), 1, &trials);
        given.finals = vec![finals(2, 1, 9)];
        change(&mut given);
        let error = store.take_in(&given, false).await.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(count(database).await, [0; 5], "{part}");
    };
    check(|it| it.key.strategy.clear(), "is empty").await;
    check(|it| it.key.provenance.compiler.clear(), "is empty").await;
    check(
        |it| it.key.provenance.device = "a\0b".to_owned(),
        "device: has a NUL",
    )
    .await;
    check(
        |it| it.key.space = "x".repeat(3000),
        "bytes of text, more than 2000",
    )
    .await;
    check(
        |it| it.bound_us = Some(0.0),
        "bound_us: 0 µs is not a possible lower bound",
    )
    .await;
    check(
        |it| it.first_opened = SystemTime::UNIX_EPOCH - Duration::from_secs(1),
        "before 1970",
    )
    .await;
    check(
        |it| it.last_opened = at(400_000_000_000),
        "after the year 9999",
    )
    .await;
    check(|it| it.trials[1].ordinal = 0, "trial 0 occurs twice").await;
    check(
        |it| it.trials[1].ended = at(400_000_000_000),
        "trial 1: ended: before 1970",
    )
    .await;
    check(
        |it| it.trials[1].compile_ms = Some(-1.0),
        "trial 1: compile_ms: ",
    )
    .await;
    check(
        |it| it.trials[1].compile_ms = Some(f64::NAN),
        "trial 1: compile_ms: ",
    )
    .await;
    check(
        |it| it.trials[1].configuration = None,
        "a candidate without a configuration",
    )
    .await;
    check(
        |it| it.trials[1].outcome = right(-1.0),
        "is not a possible kernel time",
    )
    .await;
    check(|it| it.finals[0].trials = 0, "finals: trials: ").await;
    check(
        |it| it.finals[0].speedup = f64::INFINITY,
        "finals: speedup: inf is not finite",
    )
    .await;
    check(
        |it| it.finals[0].interval.0 = f64::NAN,
        "finals: low: NaN is not finite",
    )
    .await;
    check(
        |it| it.finals[0].samples = "\0".to_owned(),
        "finals: samples: has a NUL",
    )
    .await;
    check(
        |it| it.finals[0].winner = 7,
        "trial 7 won finals, and is missing",
    )
    .await;
    check(
        |it| it.finals.push(it.finals[0].clone()),
        "the same finals occur twice",
    )
    .await;
}
