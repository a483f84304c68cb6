//! The list of tuned problems from memory equals the rankings of the database, for any filter.

use testing_sqlite as support;

use configgen::{ElementType, Generator, Problem, Target};
use lookup::{
    AnswerIndex, ClockCounts, NameCount, PageCursor, ProblemFilter, Ranking, Sort, SortBy, Spread,
    TunedEntry, TunedFilter, TuningMapCell, all_rankings,
};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use store::{Clock, Ledger as _, StudyKey, Ties, TrialOutcome};
use store_sqlite::Sqlite;
use support::{default_trial, key, right, spoil, timing, trial};
use tempfile::TempDir;

const PROBLEMS: [&str; 6] = [
    "argmax:4x[32000]xf32:i32",
    "argmin:[7]xi32:i32",
    "argmax:[8]xf32:i64",
    "argmax:3x5x[100]xf16:i32",
    "argmin:1024x[100]xf16:i32",
    // The sizes of the first, and another operation.
    "sum:4x[32000]xf32",
];
const TARGETS: [&str; 2] = ["gfx942", "gfx1100"];
const DEVICES: [&str; 3] = ["emulated:mi300x", "EMULATED MI300X", "hip:0"];

async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}

fn one_of<T: Clone>(rng: &mut StdRng, of: &[T]) -> T {
    of[rng.random_range(0..of.len())].clone()
}

/// Records studies of everything, some without a default, a bound, or a configuration to serve.
async fn fill(store: &Sqlite, rng: &mut StdRng, clocks: &[Clock]) {
    for seed in 0..60 {
        let mut key = StudyKey { seed, ..key() };
        key.problem = one_of(rng, &PROBLEMS).parse().unwrap();
        let made = &mut key.provenance;
        made.target = Target::named(one_of(rng, &TARGETS)).unwrap();
        made.device = one_of(rng, &DEVICES).to_owned();
        made.generator = one_of(rng, &Generator::ALL);
        made.clock = one_of(rng, clocks);
        let bound = rng.random_ratio(2, 3).then_some(0.25);
        let study = store.open_study(&key, bound).await.unwrap();
        for ordinal in 0..4 {
            let time = f64::from(rng.random_range(1..12)) / 4.0;
            let outcome = match rng.random_range(0..4) {
                0 => TrialOutcome::Tie(timing(time), "row 0".to_owned()),
                1 => TrialOutcome::Wrong("row 0".to_owned()),
                _ => right(time),
            };
            let n = rng.random_range(1..4);
            let made = match ordinal == 0 && rng.random_ratio(1, 2) {
                true => default_trial(ordinal, n, outcome),
                false => trial(ordinal, n, outcome),
            };
            store.record_trial(&study, &made).await.unwrap();
        }
    }
}

/// Returns a ranking as an entry of the list.
fn row(ranking: &Ranking) -> Option<TunedEntry> {
    let best = ranking.best.first()?;
    let made = &ranking.provenance;
    let problem = &ranking.problem;
    let answer = lookup::LookupAnswer::Exact(Box::new(lookup::FoundConfiguration {
        problem: problem.clone(),
        target: made.target,
        configuration: best.configuration.clone(),
        generator: made.generator,
        status: best.trial.outcome.status(),
        time_us: best.timing.time_us,
        default_time_us: ranking.default_time_us(),
        speedup: ranking.speedup(),
        clock: made.clock,
        provenance: lookup::provenance(ranking, best),
        unreadable: store::Unreadable::default(),
    }));
    Some(TunedEntry {
        problem: problem.to_string(),
        target: made.target,
        device: made.device.clone(),
        generator: made.generator,
        clock: made.clock,
        status: best.trial.outcome.status(),
        time_us: best.timing.time_us,
        default_status: ranking.default.as_ref().map(|it| it.outcome.status()),
        default_time_us: ranking.default_time_us(),
        speedup: ranking.speedup(),
        bound_us: ranking.bound_us,
        rows: problem.shape.rows(),
        columns: problem.shape.reduced_size(),
        study: best.study.0,
        ordinal: best.trial.ordinal,
        answer: answers::lookup::PrintedAnswer::of(&answer),
    })
}

/// Returns the entries that the rankings have for a filter.
async fn expected(store: &Sqlite, filter: &TunedFilter) -> (ClockCounts, Vec<TunedEntry>) {
    let rankings = all_rankings(store, filter.ties, 1).await.unwrap();
    let is_meant = |row: &TunedEntry| {
        let like = &filter.like;
        let problem: Problem = row.problem.parse().unwrap();
        let names = format!(
            "{} {} {} {}",
            row.problem, row.target, row.device, row.generator
        );
        let names = names.to_lowercase();
        let mut words = filter.search.split(' ');
        words.all(|word| names.contains(&word.to_lowercase()))
            && (filter.problem.as_ref()).is_none_or(|it| *it == row.problem)
            && like.target.is_none_or(|it| it == row.target)
            && like.device.as_ref().is_none_or(|it| *it == row.device)
            && like.generator.is_none_or(|it| it == row.generator)
            && (like.operation.as_ref()).is_none_or(|it| it == problem.reduction.operation())
            && like.element.is_none_or(|it| it == problem.element)
            && filter.rows.contains(&row.rows)
            && filter.columns.contains(&row.columns)
            && filter
                .least_speedup
                .is_none_or(|least| row.speedup.is_some_and(|it| it >= least))
    };
    let rows = rankings.rows.iter().filter_map(row).filter(is_meant);
    let (measured, modelled): (Vec<TunedEntry>, Vec<TunedEntry>) =
        rows.partition(|row| row.clock == Clock::Measured);
    let both = ClockCounts {
        measured: measured.len(),
        modelled: modelled.len(),
    };
    let is_measured = match filter.clock {
        Some(clock) => clock == Clock::Measured,
        None => !measured.is_empty(),
    };
    (both, if is_measured { measured } else { modelled })
}

fn number(row: &TunedEntry, by: SortBy) -> Option<f64> {
    match by {
        SortBy::Problem => None,
        SortBy::Speedup => row.speedup,
        SortBy::Time => Some(row.time_us),
        SortBy::Distance => row.bound_us.map(|bound| row.time_us / bound),
    }
}

fn sorted(mut rows: Vec<TunedEntry>, sort: Sort) -> Vec<TunedEntry> {
    rows.sort_by_key(|row| {
        let (target, generator) = (row.target.name, row.generator.name());
        (row.problem.clone(), target, row.device.clone(), generator)
    });
    rows.sort_by(|one, other| {
        let (one, other) = (number(one, sort.by), number(other, sort.by));
        match (one, other) {
            (Some(one), Some(other)) if sort.is_descending => other.total_cmp(&one),
            (Some(one), Some(other)) => one.total_cmp(&other),
            _ => one.is_none().cmp(&other.is_none()),
        }
    });
    rows
}

/// Returns every page of the list.
fn listed(known: &AnswerIndex, filter: &TunedFilter, sort: Sort, limit: usize) -> Vec<TunedEntry> {
    let (mut rows, mut after): (Vec<TunedEntry>, Option<PageCursor>) = (Vec::new(), None);
    loop {
        let page = known.tuned(filter, sort, after.as_ref(), limit).unwrap();
        assert!(page.rows.len() <= limit && page.unreadable.is_none());
        rows.extend(page.rows);
        assert!(rows.len() < 10_000, "it goes round");
        after = page.next;
        if after.is_none() {
            return rows;
        }
    }
}

fn filters() -> Vec<TunedFilter> {
    let any = TunedFilter::default;
    let like = |like| TunedFilter { like, ..any() };
    let search = |text: &str| TunedFilter {
        search: text.to_owned(),
        ..any()
    };
    let none = ProblemFilter::default;
    vec![
        any(),
        TunedFilter {
            ties: Ties::Any,
            ..any()
        },
        TunedFilter {
            clock: Some(Clock::Measured),
            ..any()
        },
        TunedFilter {
            clock: Some(Clock::Modelled),
            least_speedup: Some(1.25),
            ..any()
        },
        search("ARGMAX gfx942"),
        search("mi300x F16"),
        search("EMULATED"),
        search("iree x[100]x"),
        search("nothing"),
        TunedFilter {
            problem: Some(PROBLEMS[2].to_owned()),
            ..any()
        },
        TunedFilter {
            rows: 4..=15,
            ..any()
        },
        TunedFilter {
            columns: 8..=100,
            ..any()
        },
        like(ProblemFilter {
            target: Target::named("gfx1100"),
            ..none()
        }),
        like(ProblemFilter {
            device: Some("hip:0".to_owned()),
            ..none()
        }),
        like(ProblemFilter {
            generator: Some(Generator::IREE),
            ..none()
        }),
        like(ProblemFilter {
            element: Some(ElementType::F16),
            operation: Some("arg_compare".to_owned()),
            ..none()
        }),
        like(ProblemFilter {
            operation: Some("sum".to_owned()),
            ..none()
        }),
    ]
}

#[test]
async fn the_list_equals_the_rankings() {
    let by = [
        SortBy::Problem,
        SortBy::Speedup,
        SortBy::Time,
        SortBy::Distance,
    ];
    for (seed, clocks) in [(1, &Clock::ALL[..]), (2, &[Clock::Modelled])] {
        let (_directory, store) = new_store().await;
        fill(&store, &mut StdRng::seed_from_u64(seed), clocks).await;
        let known = AnswerIndex::default();
        let all = TunedFilter::default();
        assert_eq!(known.tuned(&all, Sort::default(), None, 9), None);
        assert_eq!(known.map(&all), None);
        known.refresh(&store).await.unwrap();
        let mut empty = 0;
        for filter in filters() {
            let (both, rows) = expected(&store, &filter).await;
            let page = known.tuned(&filter, Sort::default(), None, 1).unwrap();
            assert_eq!(page.both, both, "{filter:?}");
            assert!(page.rows.iter().all(|row| row.clock == page.clock));
            empty += usize::from(rows.is_empty());
            for (by, is_descending) in by.into_iter().flat_map(|by| [(by, false), (by, true)]) {
                let sort = Sort { by, is_descending };
                let rows = sorted(rows.clone(), sort);
                for limit in [1, 7, 100] {
                    let listed = listed(&known, &filter, sort, limit);
                    assert_eq!(listed, rows, "{filter:?} {sort:?} {limit}");
                }
            }
            check_map(&known, &filter, &rows);
        }
        assert!(empty < 6, "{empty} filters mean nothing");
    }
}

fn counted(rows: &[TunedEntry], name: impl Fn(&TunedEntry) -> String) -> Vec<NameCount> {
    let mut names: Vec<String> = rows.iter().map(&name).collect();
    names.sort();
    names.dedup();
    let count = |of: &String| rows.iter().filter(|row| name(row) == *of).count();
    let counted = names.iter().map(|name| NameCount {
        name: name.clone(),
        count: count(name),
    });
    counted.collect()
}

fn spread(mut numbers: Vec<f64>) -> Option<Spread> {
    numbers.sort_by(f64::total_cmp);
    let (least, most) = (*numbers.first()?, *numbers.last()?);
    let (low, high) = ((numbers.len() - 1) / 2, numbers.len() / 2);
    Some(Spread {
        least,
        median: (numbers[low] + numbers[high]) / 2.0,
        most,
    })
}

/// Checks that the map summarizes these rows.
fn check_map(known: &AnswerIndex, filter: &TunedFilter, rows: &[TunedEntry]) {
    let map = known.map(filter).unwrap();
    let page = known.tuned(filter, Sort::default(), None, 1).unwrap();
    assert_eq!((map.clock, map.both), (page.clock, page.both));
    assert_eq!(map.targets, counted(rows, |it| it.target.to_string()));
    assert_eq!(map.devices, counted(rows, |it| it.device.clone()));
    assert_eq!(map.generators, counted(rows, |it| it.generator.to_string()));
    let element = |row: &TunedEntry| row.problem.parse::<Problem>().unwrap().element.to_string();
    assert_eq!(map.elements, counted(rows, element));
    let operation = |row: &TunedEntry| {
        let problem: Problem = row.problem.parse().unwrap();
        problem.reduction.operation()
    };
    assert_eq!(map.operations, counted(rows, |it| operation(it).to_owned()));
    let log2 = |size: u64| (size as f64).log2().floor() as u32;
    let place = |row: &TunedEntry| {
        let target = row.target.name;
        (target, operation(row), log2(row.rows), log2(row.columns))
    };
    let mut places: Vec<_> = rows.iter().map(place).collect();
    places.sort_unstable();
    places.dedup();
    let cells = places.into_iter().map(|at| {
        let rows: Vec<&TunedEntry> = rows.iter().filter(|row| place(row) == at).collect();
        let numbers = |by| rows.iter().filter_map(|row| number(row, by)).collect();
        TuningMapCell {
            target: at.0,
            operation: at.1,
            rows_log2: at.2,
            columns_log2: at.3,
            count: rows.len(),
            speedup: spread(numbers(SortBy::Speedup)),
            distance: spread(numbers(SortBy::Distance)),
        }
    });
    assert_eq!(map.cells, cells.collect::<Vec<TuningMapCell>>());
}

#[test]
async fn unreadable_studies_are_reported() {
    let (_directory, store) = new_store().await;
    for problem in &PROBLEMS[..2] {
        let mut key = key();
        key.problem = problem.parse().unwrap();
        let study = store.open_study(&key, None).await.unwrap();
        store
            .record_trial(&study, &trial(0, 1, right(8.0)))
            .await
            .unwrap();
    }
    let spoilt = "UPDATE trial SET configuration = '{\"a\": 1}' WHERE study_id = 1";
    spoil(&store, spoilt).await;
    let known = AnswerIndex::default();
    known.refresh(&store).await.unwrap();
    let all = TunedFilter::default();
    let page = known.tuned(&all, Sort::default(), None, 9).unwrap();
    assert_eq!((page.rows.len(), page.unreadable.rows), (1, 1));
    assert_eq!(page.rows[0].problem, PROBLEMS[1]);
    assert_eq!(known.map(&all).unwrap().unreadable.rows, 1);
}
