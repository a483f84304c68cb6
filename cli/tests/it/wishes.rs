//! `wavetune wishes`: lookups without an answer, listed until there is one.

use testing_sqlite as support;

use std::path::Path;
use std::process::{Command, Output};
use store::{Catalogue as _, Ledger as _};

use serde_json::Value;
use store_sqlite::Sqlite;
use support::{key, right, trial};

fn wavetune(db: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.args(arguments.split(' ')).env("WAVETUNE_DB", db);
    command.output().unwrap()
}

/// Checks the exit code and the output, standard error after standard output.
#[track_caller]
fn check(db: &Path, arguments: &str, exit: i32, lines: &[&str]) {
    let output = wavetune(db, arguments);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(output.status.code(), Some(exit), "{text}");
    assert_eq!(text.lines().count(), lines.len(), "{text}");
    for (line, part) in text.lines().zip(lines) {
        assert!(line.contains(part), "{part}: {text}");
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

#[test]
fn wishes_are_listed_until_they_are_fulfilled() {
    let directory = tempfile::tempdir().unwrap();
    let db = directory.path().join("test.db");
    check(
        &db,
        "wishes",
        2,
        &["does not exist; `wavetune tune PROBLEM` creates it"],
    );
    let store = block_on(Sqlite::open(db.to_str().unwrap())).unwrap();
    block_on(store.close());
    check(&db, "wishes", 1, &["there are no wishes"]);
    check(
        &db,
        "tune --wishes argmax:[8]xf32",
        2,
        &["cannot be used with", "help: see --help"],
    );

    let ask = "lookup argmax:4x[32000]xf32 --target gfx942";
    let never: &[&str] = &[
        "on gfx942: predicted",
        "native kernels: ",
        "expected on emulated:mi300x by the time model; nobody has timed it",
        "not exact: argmax:4x[32000]xf32:i32 was never tuned; `wavetune tune",
        "not sibling: the request names no device",
        "not neighbour: no problem for gfx942",
    ];
    check(
        &db,
        &format!("{ask} --device emulated:mi300x --generator iree --at-least exact"),
        1,
        &["was never tuned"],
    );
    for _ in 0..3 {
        check(&db, ask, 1, never);
    }
    for _ in 0..2 {
        let ask = "lookup argmax:[8]xi32 --target gfx950 --at-least neighbour";
        let lines = ["not exact: ", "not sibling: ", "not neighbour: "];
        check(&db, ask, 1, &lines);
    }
    let narrow =
        "argmax:4x[32000]xf32:i32 for gfx942 on emulated:mi300x by iree: asked once, last 2";
    let other = "argmax:[8]xi32:i32 for gfx950: asked 2 times, last 2";
    let wide = "argmax:4x[32000]xf32:i32 for gfx942: asked 3 times, last 2";
    check(&db, "wishes", 0, &[wide, other, narrow]);
    let json = wavetune(&db, "wishes --output-format json").stdout;
    let json = testing_conformance::answers("wishes", &json);
    let fields = |entry: &Value| {
        let fields = ["problem", "target", "device", "generator", "count"];
        fields.map(|field| entry[field].clone())
    };
    let expected = [
        serde_json::json!(["argmax:4x[32000]xf32:i32", "gfx942", null, null, 3]),
        serde_json::json!(["argmax:[8]xi32:i32", "gfx950", null, null, 2]),
        serde_json::json!([
            "argmax:4x[32000]xf32:i32",
            "gfx942",
            "emulated:mi300x",
            "iree",
            1
        ]),
    ];
    let found: Vec<Value> = json
        .iter()
        .map(|entry| fields(entry).to_vec().into())
        .collect();
    assert_eq!(found, expected);
    assert!(
        json[0]["first"].as_str() <= json[0]["last"].as_str(),
        "{json:?}"
    );

    // An answer ends its own wish, and no other.
    block_on(async {
        let store = Sqlite::open(db.to_str().unwrap()).await.unwrap();
        let study = store.open_study(&key(), None).await.unwrap();
        store
            .record_trial(&study, &trial(0, 256, right(8.0)))
            .await
            .unwrap();
        store.close().await;
    });
    check(&db, "wishes", 0, &[other, narrow]);
    // A tuning answers for its neighbours, if the lookup accepts that rung.
    let near = "lookup argmax:4x[30000]xf32 --target gfx942";
    let neighbour = [
        "argmax:4x[30000]xf32:i32 on gfx942: neighbour",
        "native kernels: workgroup [1, 0], partial_reduction [0, 256]",
        "from argmax:4x[32000]xf32:i32: 8.00 µs modelled on emulated:mi300x; nobody has timed it",
        "not exact: ",
        "not sibling: ",
    ];
    check(&db, near, 1, &neighbour);
    check(&db, &format!("{near} --at-least neighbour"), 0, &neighbour);
    check(
        &db,
        &format!("{near} --at-least sibling"),
        1,
        &neighbour[3..],
    );
    let elsewhere = format!("{ask} --device hip:0 --at-least default");
    let sibling = [
        "on gfx942: sibling",
        "native kernels: ",
        "8.00 µs modelled on emulated:mi300x",
        "not exact: argmax:4x[32000]xf32:i32 was tuned for gfx942, but only on emulated:mi300x",
    ];
    check(&db, &elsewhere, 0, &sibling);
    let json = wavetune(&db, &format!("{near} --output-format json")).stdout;
    let json = testing_conformance::answer("lookup", &json);
    assert_eq!(json["tuned"]["time_us"], 8.0, "{json}");
    let of = "argmax:4x[32000]xf32:i32 for gfx942 on hip:0: asked once";
    let new = "argmax:4x[30000]xf32:i32 for gfx942: asked 4 times";
    check(&db, "wishes", 0, &[new, other, of, narrow]);
    block_on(async {
        let store = Sqlite::open(db.to_str().unwrap()).await.unwrap();
        assert_eq!(store.wishes().await.unwrap().rows.len(), 4);
        store.close().await;
    });

    // A dismissal ends exactly the named wish.
    let dismiss = "wishes dismiss argmax:4x[32000]xf32 --target gfx942";
    let not_there = &["there is no such wish; see `wavetune wishes`"];
    check(&db, dismiss, 1, not_there);
    let narrowly = format!("{dismiss} --device emulated:mi300x --generator iree");
    check(
        &db,
        &narrowly,
        0,
        &["dismissed: argmax:4x[32000]xf32:i32 for gfx942"],
    );
    check(&db, &narrowly, 1, not_there);
    check(&db, "wishes list", 0, &[new, other, of]);
}
