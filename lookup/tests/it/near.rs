//! The problems that are near a requested one, by their sizes and possible counts.

use crate::asked;
use testing_sqlite as support;

use asked::{MI300X, instead, new_store, request, source, tune};
use configgen::{Generator, Problem, Target};
use lookup::table_file::{TableSelection, answer_from_table, table};
use lookup::{AnswerIndex, CachedAnswer, distance, family, look};
use lookup_table::Table;
use store::Ties;
use support::{right, trial};

/// Checks that an open count is near the counts in its range, and near similar ranges.
#[test]
async fn ranges_have_neighbours() {
    let (_directory, store) = new_store().await;
    let native = Generator::NATIVE;
    for problem in [
        "argmax:?x[512]xf32:i32:count=1..64",
        "argmax:?x[4096]xf32:i32:count=16..64",
        "argmax:?x[4096]xf32:i32:count=200..400",
        "argmin:8x[512]xf32",
    ] {
        tune(
            &store,
            problem,
            MI300X,
            native,
            &[trial(0, 256, right(9.0))],
        )
        .await;
    }
    let known = AnswerIndex::default();
    known.refresh(&store).await.unwrap();
    let wanted = TableSelection {
        target: Target::named("gfx942").unwrap(),
        problems: &[],
        device: None,
        generator: None,
        ties: Ties::default(),
    };
    let made = table(&store, &wanted).await.unwrap();
    let table = Table::read(made.writer.to_bytes().unwrap()).unwrap();
    for (asked, expected) in [
        ("argmax:8x[512]xf32", "?x[512]xf32:i32:count=1..64"),
        ("argmax:1x[512]xf32", "?x[512]xf32:i32:count=1..64"),
        ("argmax:128x[512]xf32", "?x[512]xf32:i32:count=1..64"),
        ("argmax:129x[512]xf32", ""),
        ("argmax:8x[1025]xf32", ""),
        ("argmax:8x[4096]xf32", "?x[4096]xf32:i32:count=16..64"),
        ("argmax:7x[4096]xf32", ""),
        ("argmax:120x[4096]xf32", "?x[4096]xf32:i32:count=200..400"),
        ("argmax:100x[4096]xf32", "?x[4096]xf32:i32:count=16..64"),
        (
            "argmax:?x[4096]xf32:i32:count=1..512",
            "?x[4096]xf32:i32:count=16..64",
        ),
        (
            "argmax:?x[4096]xf32:i32:count=90..512",
            "?x[4096]xf32:i32:count=200..400",
        ),
        (
            "argmax:?x[512]xf32:i32:count=128..512",
            "?x[512]xf32:i32:count=1..64",
        ),
        ("argmax:?x[512]xf32:i32:count=129..512", ""),
        ("argmin:?x[512]xf32:i32:count=1..64", "8x[512]xf32:i32"),
        ("argmin:?x[512]xf32:i32:count=1..3", ""),
        ("argmin:?x[512]xf32:i32:count=17..64", ""),
    ] {
        let expected = match expected {
            // The time model knows no open count.
            "" if asked.contains('?') => "default".to_owned(),
            "" => "predicted".to_owned(),
            problem => format!("neighbour {}{problem} {MI300X}", &asked[..7]),
        };
        let asked = request(asked);
        assert_eq!(source(&store, &asked).await, expected, "{}", asked.problem);
        let line = answers::line(&look(&store, &asked).await.unwrap());
        let Some(CachedAnswer::Other(remembered)) = known.answer(&asked, "") else {
            panic!("memory knows nothing of {}", asked.problem);
        };
        assert_eq!(answers::line(&remembered), line);
        let tabled = answer_from_table(&table, &asked);
        assert_eq!(instead(&tabled).tuned, instead(&remembered).tuned);
        assert_eq!(
            instead(&tabled).configuration,
            instead(&remembered).configuration
        );
    }
}

#[test]
fn distances() {
    let check = |one: &str, other: &str, expected: Option<f64>| {
        let [one, other]: [Problem; 2] = [one, other].map(|text| text.parse().unwrap());
        let times = |one, other| distance(one, other).map(|distance| distance.times());
        assert_eq!(times(&one, &other), expected, "{one} {other}");
        assert_eq!(times(&other, &one), expected, "{other} {one}");
    };
    check("argmax:4x[8]xf32", "argmax:4x[8]xf32", Some(1.0));
    check("argmax:4x[8]xf32", "argmax:8x[8]xf32", Some(2.0));
    check("argmax:4x[8]xf32", "argmax:8x[16]xf32", Some(4.0));
    check("argmax:4x[8]xf32", "argmax:9x[8]xf32", None);
    check("argmax:4x[8]xf32", "argmax:4x[17]xf32", None);
    // As many rows, in another arrangement.
    check("argmax:4x8x[8]xf32", "argmax:8x4x[8]xf32", None);
    check("argmax:8x[8]x8xf32", "argmax:8x[8]x16xf32", Some(2.0));
    // A sum of logarithms would be 2, or not quite.
    check("argmax:5x9x[8]xf32", "argmax:9x10x[8]xf32", Some(2.0));
    check("argmax:[3]x[7]x[11]xf32", "argmax:[7]x[3]x[8]xf32", None);
    check("argmax:7x9x[8]xf32", "argmax:9x14x[8]xf32", Some(2.0));
    // The nearest counts of two ranges decide.
    check(
        "argmax:?x[8]xf32:i32:count=2..9",
        "argmax:9x[8]xf32",
        Some(1.0),
    );
    check(
        "argmax:?x[8]xf32:i32:count=2..9",
        "argmax:1x[8]xf32",
        Some(2.0),
    );
    check(
        "argmax:?x[8]xf32:i32:count=2..9",
        "argmax:?x[8]xf32:i32:count=18..20",
        Some(2.0),
    );
    check(
        "argmax:?x[8]xf32:i32:count=2..9",
        "argmax:?x[8]xf32:i32:count=19..20",
        None,
    );
}

#[test]
fn families() {
    let check = |problem: &str, expected: &str| {
        assert_eq!(family(&problem.parse().unwrap()), expected);
    };
    check("argmax:4x[32000]xf32", "argmax:_x[_]xf32:i32");
    check("argmax:?x[32000]xf32", "argmax:?x[_]xf32:i32");
    check(
        "argmin:[2]x3x[4]xbf16:i64:index_base",
        "argmin:[_]x_x[_]xbf16:i64:index_base",
    );
    check(
        "argmax:4x[8]xf32:i32:pitch=9",
        "argmax:_x[_]xf32:i32:pitch=_",
    );
}
