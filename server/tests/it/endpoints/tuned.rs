//! Tuned configurations: a page at a time, and in summary.

use serde_json::{Value, json};
use store::{Clock, StudyKey};

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, key_made, right, trial};

async fn ask(service: &Service, target: &str) -> Value {
    let (head, body) = service.get(target).await;
    assert!(
        head.starts_with("HTTP/1.1 200 "),
        "{target}: {head}\n{body}"
    );
    serde_json::from_str(&body).unwrap()
}

/// Escapes a value for an address.
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Returns one field of the rows of a list that is read in pages of this length.
async fn rows(service: &Service, query: &str, limit: usize, field: &str) -> Vec<Value> {
    let (mut rows, mut next) = (Vec::new(), String::new());
    loop {
        let page = ask(
            service,
            &format!("/api/v1/tuned?limit={limit}{query}{next}"),
        )
        .await;
        let listed = page["rows"].as_array().unwrap();
        assert!(listed.len() <= limit && rows.len() < 100, "{rows:?}");
        rows.extend(listed.iter().map(|row| row[field].clone()));
        match page["next"].as_str() {
            None => {
                assert_eq!(page["total"], rows.len(), "{query}");
                return rows;
            }
            Some(cursor) => next = format!("&cursor={}", escaped(cursor)),
        }
    }
}

const PROBLEMS: [&str; 4] = [
    "argmax:4x[32000]xf32:i32",
    "argmax:64x[1000]xf16:i32",
    "argmin:64x[1024]xf32:i32",
    "argmin:[7]xi8:i64",
];

/// Records a study of each problem, with a speedup of 2, 3 and so on; one of them is measured.
async fn fill(service: &Service) {
    for (n, problem) in PROBLEMS.into_iter().enumerate() {
        let key = StudyKey {
            problem: problem.parse().unwrap(),
            ..key()
        };
        let speedup = 2.0 + n as f64;
        let trials = [
            default_trial(0, 1, right(12.0 * speedup)),
            trial(3, 2, right(12.0)),
        ];
        service.record(&key, &trials).await;
    }
    let mut measured = key_made(|made| {
        made.device = "MI300X of lab 1".to_owned();
        made.clock = Clock::Measured;
    });
    measured.problem = PROBLEMS[1].parse().unwrap();
    service.record(&measured, &[trial(0, 1, right(20.0))]).await;
}

pub(crate) async fn tuned_problems_are_listed(place: Place) {
    let service = Service::start_at(&place).await;
    fill(&service).await;
    let of = |numbers: &[usize]| -> Vec<Value> {
        let numbers = numbers.iter();
        numbers.map(|&number| json!(PROBLEMS[number])).collect()
    };
    for (query, expected) in [
        // `measured`, because the selection has measured times.
        ("", &[1][..]),
        ("&clock=measured", &[1]),
        ("&clock=modelled", &[0, 1, 2, 3]),
        ("&clock=modelled&sort=problem", &[0, 1, 2, 3]),
        ("&clock=modelled&sort=-speedup", &[3, 2, 1, 0]),
        ("&clock=modelled&sort=speedup", &[0, 1, 2, 3]),
        ("&clock=modelled&sort=time", &[0, 1, 2, 3]),
        ("&clock=modelled&least_speedup=3.5", &[2, 3]),
        ("&clock=modelled&rows=64..64", &[1, 2]),
        ("&clock=modelled&rows=..4", &[0, 3]),
        ("&clock=modelled&columns=1001..", &[0, 2]),
        ("&clock=modelled&columns=..", &[0, 1, 2, 3]),
        ("&search=ARGMIN%20gfx942", &[2, 3]),
        ("&search=LAB", &[1]),
        ("&device=emulated:mi300x&element=f32", &[0, 2]),
        ("&target=gfx1100", &[]),
        ("&generator=native&operation=arg_compare", &[1]),
        ("&problem=argmin:%5B7%5Dxi8:i64", &[3]),
        ("&ties=any&clock=modelled", &[0, 1, 2, 3]),
    ] {
        for limit in [1, 3, 1000] {
            let listed = rows(&service, query, limit, "problem").await;
            assert_eq!(listed, of(expected), "{query} {limit}");
        }
    }
    // A page with an open clock continues with the same clock.
    let speedups = rows(&service, "&clock=modelled&sort=-distance", 2, "speedup").await;
    assert_eq!(speedups, [2.0, 3.0, 4.0, 5.0].map(|it| json!(it)));
}

pub(crate) async fn a_row_says_what_the_best_says(place: Place) {
    let service = Service::start_at(&place).await;
    fill(&service).await;
    let best = ask(&service, "/api/v1/best").await;
    for clock in ["measured", "modelled"] {
        let page = ask(&service, &format!("/api/v1/tuned?clock={clock}")).await;
        assert_eq!(page["clock"], clock);
        assert_eq!(page["both"], json!({"measured": 1, "modelled": 4}));
        let mut listed = page["rows"].as_array().unwrap().clone();
        let mut known = best[clock].as_array().unwrap().clone();
        known.sort_by_key(|row| row["problem"].to_string());
        for row in &mut listed {
            let row = row.as_object_mut().unwrap();
            let new = ["rows", "columns", "bytes", "study", "ordinal"];
            let [rows, columns, bytes, study, ordinal] = new.map(|name| row.remove(name).unwrap());
            let problem: configgen::Problem = row["problem"].as_str().unwrap().parse().unwrap();
            assert_eq!(bytes, problem.compulsory_bytes());
            assert_eq!(
                [rows, columns],
                [
                    json!(problem.shape.rows()),
                    json!(problem.shape.reduced_size())
                ]
            );
            let trial = ask(
                &service,
                &format!("/api/v1/studies/{study}/trials/{ordinal}"),
            )
            .await;
            assert_eq!(trial["configuration"], row["configuration"]);
            assert_eq!(trial["time_us"], row["time_us"]);
        }
        assert_eq!(listed, known);
    }
}

pub(crate) async fn tuned_problems_have_a_summary(place: Place) {
    let service = Service::start_at(&place).await;
    fill(&service).await;
    let map = ask(&service, "/api/v1/tuned:map?clock=modelled").await;
    assert_eq!(map["total"], 4);
    assert_eq!(map["both"], json!({"measured": 1, "modelled": 4}));
    let named = |name: &str, count: u32| json!({"name": name, "count": count});
    assert_eq!(map["targets"], json!([named("gfx942", 4)]));
    assert_eq!(map["devices"], json!([named("emulated:mi300x", 4)]));
    assert_eq!(map["generators"], json!([named("native", 4)]));
    let elements = json!([named("f16", 1), named("f32", 2), named("i8", 1)]);
    assert_eq!(map["elements"], elements);
    assert_eq!(map["operations"], json!([named("arg_compare", 4)]));
    let spread = |it: f64| json!({"least": it, "median": it, "most": it});
    // The bound of each is 5.125 µs, its time 12 µs.
    let distance = spread(12.0 / 5.125);
    let cell = |rows: u32, columns: u32, speedup: f64| {
        json!({
            "target": "gfx942", "operation": "arg_compare", "rows_log2": rows, "columns_log2": columns, "count": 1,
            "speedup": spread(speedup), "distance": distance,
        })
    };
    let cells = [
        cell(0, 2, 5.0),
        cell(2, 14, 2.0),
        cell(6, 9, 3.0),
        cell(6, 10, 4.0),
    ];
    assert_eq!(map["cells"], json!(cells));
    let measured = ask(&service, "/api/v1/tuned:map").await;
    assert_eq!(measured["clock"], "measured");
    assert_eq!(measured["cells"][0]["speedup"], Value::Null);
    let none = ask(&service, "/api/v1/tuned:map?search=nothing").await;
    assert_eq!(
        [&none["clock"], &none["cells"]],
        [&json!("modelled"), &json!([])]
    );
}

pub(crate) async fn invalid_filters_of_tuned_problems_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    fill(&service).await;
    let long = format!("search={}", "a".repeat(201));
    for (query, parameter) in [
        ("clock=wall", "clock"),
        (&long, "search"),
        ("problem=argmax:4x", "problem"),
        ("target=gfx000", "target"),
        ("generator=gcc", "generator"),
        ("element=f33", "element"),
        ("rows=4", "rows"),
        ("rows=4..x", "rows"),
        ("rows=%2B4..5", "rows"),
        ("columns=-1..", "columns"),
        ("columns=..18446744073709551616", "columns"),
        ("least_speedup=x", "least_speedup"),
        ("least_speedup=NaN", "least_speedup"),
        ("ties=none", "ties"),
    ] {
        for list in ["tuned", "tuned:map"] {
            let part = format!("\"parameter\":\"{parameter}\"");
            service
                .check(&format!("/api/v1/{list}?{query}"), 400, &part)
                .await;
        }
    }
    let address = "/api/v1/tuned?clock=modelled&limit=1";
    let page = ask(&service, address).await;
    let cursor = page["next"].as_str().unwrap();
    // A cursor of another order or clock, and text that is no cursor.
    let cut = &cursor[..cursor.len() - PROBLEMS[0].len() - 1];
    let long = cursor.replacen(" 15 ", " 99 ", 1);
    for (query, cursor) in [
        ("&sort=time", cursor),
        ("", ""),
        ("", cut),
        ("", &long),
        ("", &cursor.replacen(" - ", " 7g ", 1)),
        ("", &cursor.replacen(" 15 ", " 14 ", 1)),
        ("", &cursor.replacen("modelled", "measured", 1)),
        ("", "modelled problem - gfx942 native 1 \u{e9}"),
    ] {
        let cursor = escaped(cursor);
        let query = format!("{address}{query}&cursor={cursor}");
        service.check(&query, 400, "\"parameter\":\"cursor\"").await;
    }
    for (query, parameter) in [
        ("sort=-problem", "sort"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
    ] {
        let part = format!("\"parameter\":\"{parameter}\"");
        service
            .check(&format!("/api/v1/tuned?{query}"), 400, &part)
            .await;
    }
    let wrong = "/api/v1/tuned:map?limit=1";
    service.check(wrong, 400, "unknown-parameter").await;
}
