//! What a table answers is what the database answers that it is from; and two tables beside each other.

#[path = "../../store/sqlite/tests/support/mod.rs"]
#[allow(unreachable_pub, dead_code)]
mod support;

use configgen::{Generator, Target};
use lookup::tabled::{Wanted, changes, found, look_in, of_targets, table, told, unite};
use lookup::{Answer, Request, Rung, look};
use lookup_table::{NewEntry, Status, Table, Writer};
use serde_json::Value;
use store::{Clock, Ledger as _, Ties};
use store_sqlite::Sqlite;
use support::{default_trial, key, right, trial};
use tempfile::TempDir;

async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}

const MI300X: &str = "emulated:mi300x";

/// Tunes a problem on a device of gfx942, to a time.
async fn tune(store: &Sqlite, problem: &str, device: &str, time_us: f64) {
    let mut key = key();
    key.problem = problem.parse().unwrap();
    key.provenance.device = device.to_owned();
    if !device.starts_with("emulated") {
        key.provenance.clock = Clock::Measured;
    }
    let study = store.open_study(&key, Some(1.25)).await.unwrap();
    let trials = [
        default_trial(0, 256, right(61.0)),
        trial(1, 512, right(time_us)),
    ];
    for trial in &trials {
        store.record_trial(&study, trial).await.unwrap();
    }
}

fn wanted(problems: &[configgen::Problem]) -> Wanted<'_> {
    Wanted {
        target: Target::named("gfx942").unwrap(),
        problems,
        device: None,
        generator: None,
        ties: Ties::default(),
    }
}

async fn made(store: &Sqlite) -> Table {
    let made = table(store, &wanted(&[])).await.unwrap();
    let table = Table::read(made.writer.to_bytes().unwrap()).unwrap();
    assert_eq!(table.len(), made.entries);
    table
}

/// What an answer says but for the words why there is no exact one.
fn said(answer: &Answer) -> Value {
    let mut said: Value = serde_json::from_str(&answers::line(answer)).unwrap();
    if let Some(tried) = said.get_mut("tried").and_then(Value::as_array_mut) {
        tried[0]["reason"] = Value::Null;
    }
    said["reason"] = Value::Null;
    said
}

#[tokio::test]
async fn a_table_answers_as_the_database_does() {
    let (_directory, store) = new_store().await;
    let sizes = [4096, 5000, 6016, 8192, 12_000, 32_000];
    for (number, columns) in sizes.into_iter().enumerate() {
        for rows in [1, 4, 6] {
            let time_us = 9.0 + f64::from(rows) / 8.0 + number as f64;
            tune(
                &store,
                &format!("argmax:{rows}x[{columns}]xf32"),
                MI300X,
                time_us,
            )
            .await;
        }
        tune(
            &store,
            &format!("argmin:2x2x[{columns}]x3xf16:i64"),
            MI300X,
            9.0,
        )
        .await;
        tune(
            &store,
            &format!("argmin:2x1x1x2x[{columns}]xf16"),
            MI300X,
            9.0,
        )
        .await;
    }
    let table = made(&store).await;
    assert_eq!(of_targets(&table), ["gfx942"]);
    let mut rungs = [0; 5];
    let shapes = [4096, 4097, 6000, 7777, 20_000, 70_000].into_iter();
    for (columns, rows) in shapes.flat_map(|columns| [1, 2, 5, 16].map(|rows| (columns, rows))) {
        for problem in [
            format!("argmax:{rows}x[{columns}]xf32"),
            format!("argmin:{rows}x2x[{columns}]x3xf16:i64"),
            format!("argmin:{rows}x1x1x2x[{columns}]xf16"),
        ] {
            for (target, device) in [
                ("gfx942", None),
                ("gfx942", Some("hip:0")),
                ("gfx90a", None),
            ] {
                let request = Request {
                    device: device.map(str::to_owned),
                    at_least: Rung::ALL[(rows as usize + columns) % 4],
                    ..Request::new(problem.parse().unwrap(), Target::named(target).unwrap())
                };
                let answer = look_in(&table, &request).unwrap();
                let known = look(&store, &request).await.unwrap();
                assert_eq!(said(&answer), said(&known), "{request:?}");
                rungs[answer.rung().map_or(4, |rung| rung as usize)] += 1;
            }
        }
    }
    assert!(rungs.iter().all(|&count| count > 0), "{rungs:?}");
}

#[tokio::test]
async fn the_same_database_makes_the_same_bytes() {
    let (_directory, store) = new_store().await;
    let (_other, other) = new_store().await;
    let problems = [
        "argmax:4x[4096]xf32",
        "argmax:4x[5000]xf32",
        "argmin:[7]xi32",
    ];
    for problem in problems {
        tune(&store, problem, MI300X, 8.0).await;
    }
    // In another order, and with more that does not count.
    tune(&other, problems[0], "emulated:mi300a", 9.0).await;
    for problem in problems.iter().rev() {
        tune(&other, problem, MI300X, 8.0).await;
    }
    let again = made(&store).await;
    assert_eq!(made(&store).await.as_bytes(), again.as_bytes());
    let others = made(&other).await;
    let changed = changes(&again, &others);
    // Studies have other numbers there, and all else is the same.
    for change in &changed {
        let [before, after] =
            [change.before, change.after].map(|entry| found(entry.unwrap()).unwrap());
        assert_eq!(before, after);
    }
    // One problem, one generator, one device.
    let some = [problems[1].parse().unwrap()];
    let one = table(&store, &wanted(&some)).await.unwrap();
    assert_eq!(one.entries, 1);
    let iree = Wanted {
        generator: Some(Generator::IREE),
        ..wanted(&[])
    };
    assert_eq!(table(&store, &iree).await.unwrap().entries, 0);
    let device = Wanted {
        device: Some("emulated:mi300a"),
        ..wanted(&[])
    };
    assert_eq!(table(&other, &device).await.unwrap().entries, 1);
}

#[tokio::test]
async fn the_better_entry_is_merged() {
    let mut tables = Vec::new();
    for (problem, device, time_us) in [
        ("argmax:4x[4096]xf32", MI300X, 8.0),
        ("argmax:4x[4096]xf32", MI300X, 7.0),
        ("argmax:4x[4096]xf32", "hip:0", 60.0),
        ("argmax:4x[5000]xf32", MI300X, 7.0),
    ] {
        let (_directory, store) = new_store().await;
        tune(&store, problem, device, time_us).await;
        tables.push(made(&store).await);
    }
    let (writer, entries) = unite(&tables).unwrap();
    assert_eq!(entries, 2);
    let bytes = writer.to_bytes().unwrap();
    let merged = Table::read(bytes.clone()).unwrap();
    let times: Vec<f64> = merged.entries().map(|entry| entry.time_us()).collect();
    assert_eq!(times, [60.0, 7.0]);
    assert_eq!(of_targets(&merged), ["gfx942"]);
    for _ in 0..tables.len() {
        tables.rotate_left(1);
        assert_eq!(unite(&tables).unwrap().0.to_bytes().unwrap(), bytes);
    }
    // With itself it is what it was, and so is what two tables differ in.
    let alone = [Table::read(bytes.clone()).unwrap()];
    assert_eq!(unite(&alone).unwrap().0.to_bytes().unwrap(), bytes);
    assert!(changes(&alone[0], &merged).is_empty());
    let keys = |before: &Table, after: &Table| {
        let changes = changes(before, after);
        let sides = |it: &lookup::tabled::Changed<'_>| {
            [it.before, it.after].map(|entry| entry.map(|entry| entry.time_us()))
        };
        changes.iter().map(sides).collect::<Vec<_>>()
    };
    for table in &tables {
        let expected = keys(table, &merged);
        let mirrored: Vec<[Option<f64>; 2]> = keys(&merged, table);
        let mirrored: Vec<_> = mirrored.iter().map(|[one, other]| [*other, *one]).collect();
        assert_eq!(expected, mirrored);
        assert!(!expected.is_empty());
    }
}

/// Whatever another program writes into a table is an error or an answer.
#[test]
fn what_is_no_entry_of_ours_is_told() {
    let good = NewEntry {
        key: "argmax:4x[8]xf32:i32\0gfx942",
        configuration: "{}",
        attributes: "",
        generator: "native",
        status: Status::Right,
        time_us: 1.0,
        default_time_us: None,
        bound_us: None,
        study: 1,
        ordinal: 0,
        provenance: "{}",
        family: "argmax:_x[_]xf32:i32\0gfx942",
        sizes: &[4, 8],
    };
    let check = |entry: NewEntry<'_>, expected: &str| {
        let mut writer = Writer::new();
        writer.add(&entry).unwrap();
        let table = Table::read(writer.to_bytes().unwrap()).unwrap();
        let entry = table.entries().next().unwrap();
        let error = found(entry).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(told(entry).is_err());
        let all = [table];
        assert!(changes(&all[0], &all[0]).is_empty());
        assert!(unite(&all).is_ok());
        let table = &all[0];
        for problem in ["argmax:4x[8]xf32", "argmax:4x[9]xf32"] {
            let target = Target::named("gfx942").unwrap();
            let mut request = Request::new(problem.parse().unwrap(), target);
            request.at_least = Rung::Default;
            // What stands elsewhere is not looked at.
            if let Ok(answer) = look_in(table, &request) {
                assert_eq!(answer.rung(), Some(Rung::Default));
            }
        }
    };
    check(good, "configuration: missing field");
    check(
        NewEntry {
            key: "argmax:4x[8]xf32:i32",
            ..good
        },
        "its key has no target",
    );
    check(
        NewEntry {
            key: "argmax:4x[0]xf32:i32\0gfx942",
            ..good
        },
        "problem",
    );
    check(
        NewEntry {
            key: "argmax:4x[8]xf32:i32\0gfx000",
            ..good
        },
        "gfx000",
    );
    check(
        NewEntry {
            generator: "triton",
            ..good
        },
        "unknown generator",
    );
    check(NewEntry { sizes: &[], ..good }, "configuration: ");
    check(
        NewEntry {
            sizes: &[4, 8, 1],
            ..good
        },
        "configuration: ",
    );
    check(
        NewEntry {
            sizes: &[u64::MAX, u64::MAX],
            ..good
        },
        "configuration: ",
    );
}
