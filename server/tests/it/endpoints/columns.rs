//! Columns: the trials of a study for charts, also compressed.

use std::io::Read as _;

use configgen::{Generator, Space, Target};
use serde_json::{Value, json};
use store::{FailureKind, StudyKey, Trial, TrialOutcome};

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, right, timing, trial};

/// Returns trials with configurations of the space, of all verdicts, with gaps.
fn some() -> Vec<Trial> {
    let target = Target::named("gfx942").unwrap();
    let problem = key().problem;
    let space = Space::new(&problem, target, Generator::NATIVE);
    let configurations = space.sample(40, 3);
    let made = (0..).zip(configurations).map(|(n, configuration)| {
        let time = 3.0 + f64::from(n) / 7.0;
        let outcome = match n % 5 {
            0 => TrialOutcome::Failed(FailureKind::ALL[n as usize / 5], "no".to_owned()),
            1 => TrialOutcome::Wrong("row 0".to_owned()),
            2 => TrialOutcome::Tie(timing(time), "row 0".to_owned()),
            _ => right(time),
        };
        Trial {
            configuration: Some(configuration),
            compile_ms: (n % 5 > 0).then_some(time / 3.0),
            ..trial(1 + n + n / 8, 1, outcome)
        }
    });
    let none = Trial {
        configuration: None,
        ..default_trial(0, 1, right(9.0))
    };
    std::iter::once(none).chain(made).collect()
}

async fn record(service: &Service, key: &StudyKey, trials: &[Trial]) -> i64 {
    let study = service.store.open_study(key, None).await.unwrap();
    for trial in trials {
        service.store.record_trial(&study, trial).await.unwrap();
    }
    study.id.0
}

async fn ask(service: &Service, target: &str) -> Value {
    let (head, body) = service.get(target).await;
    assert!(
        head.starts_with("HTTP/1.1 200 "),
        "{target}: {head}\n{body}"
    );
    serde_json::from_str(&body).unwrap()
}

/// Returns the values of a trial in the answer, as the list of trials has them.
fn row(columns: &Value, at: usize) -> Value {
    let word = |column: &str, words: &str| match columns[column][at].as_u64() {
        Some(code) => columns[words][code as usize].clone(),
        None => Value::Null,
    };
    json!({
        "ordinal": columns["ordinal"][at],
        "role": word("role", "roles"),
        "status": word("status", "statuses"),
        "failure": word("failure", "failures"),
    })
}

#[track_caller]
fn is_near(rounded: &Value, exact: &Value) {
    match exact.as_f64() {
        None => assert_eq!(rounded, exact),
        Some(exact) => {
            let error = (rounded.as_f64().unwrap() - exact).abs();
            assert!(error <= 1e-4 * exact.abs(), "{rounded} {exact}");
        }
    }
}

/// Returns the value of an attribute in the JSON of a configuration.
fn scalar(configuration: &Value, name: &str) -> Value {
    let knob = |default: Value| match &configuration[name] {
        Value::Null => default,
        value => value.clone(),
    };
    match name {
        "split" => knob(json!(1)),
        "lazy_index" => knob(json!(false)),
        "accumulators" => knob(json!("vector")),
        "subgroup_size" => configuration[name].clone(),
        "workgroup_size" => {
            let sizes = configuration[name].as_array().unwrap();
            json!(sizes.iter().map(|it| it.as_u64().unwrap()).product::<u64>())
        }
        "lane_order" | "subgroup_order" => {
            let basis = name.replace("_order", "_basis");
            let mapping = configuration[basis][1].to_string();
            json!(mapping.replace(',', ", "))
        }
        _ => {
            let (attribute, dimension) = name.split_once('[').unwrap();
            let dimension: usize = dimension.trim_end_matches(']').parse().unwrap();
            let value = &configuration[attribute];
            match attribute.ends_with("_basis") {
                true => value[0][value[1][dimension].as_u64().unwrap() as usize].clone(),
                false => value[dimension].clone(),
            }
        }
    }
}

/// Checks the columns against trials of a list.
fn check(columns: &Value, trials: &[Value]) {
    let attributes = columns["attributes"].as_array().unwrap();
    let constants = columns["constants"].as_array().unwrap();
    for name in ["ordinal", "role", "status", "failure"] {
        assert_eq!(columns[name].as_array().unwrap().len(), trials.len());
    }
    for (at, trial) in trials.iter().enumerate() {
        for (name, value) in row(columns, at).as_object().unwrap() {
            assert_eq!(*value, trial[name], "{name} {trial}");
        }
        is_near(&columns["time_us"][at], &trial["time_us"]);
        is_near(&columns["compile_ms"][at], &trial["compile_ms"]);
        assert_eq!(columns["seconds"][at], 1.0);
        let configuration = &trial["configuration"];
        for attribute in attributes {
            let name = attribute["name"].as_str().unwrap();
            let values = attribute["values"].as_array().unwrap();
            assert!(values.len() > 1, "{attribute}");
            match attribute["codes"][at].as_u64() {
                None => assert!(configuration.is_null()),
                Some(code) => assert_eq!(values[code as usize], scalar(configuration, name)),
            }
        }
        for constant in constants.iter().filter(|_| !configuration.is_null()) {
            let name = constant["name"].as_str().unwrap();
            assert_eq!(constant["value"], scalar(configuration, name));
        }
    }
    for attribute in attributes {
        let values = attribute["values"].as_array().unwrap();
        let numbers: Vec<u64> = values.iter().filter_map(Value::as_u64).collect();
        assert!(numbers.is_sorted(), "{attribute}");
    }
    let named = attributes.len() + constants.len();
    let has_some = trials.iter().any(|trial| !trial["configuration"].is_null());
    assert_eq!(named, if has_some { 17 } else { 0 });
}

pub(crate) async fn columns_are_those_of_the_trials(place: Place) {
    let service = Service::start_at(&place).await;
    let id = record(&service, &key(), &some()).await;
    record(&service, &StudyKey { seed: 1, ..key() }, &some()[..2]).await;
    let listed = ask(&service, &format!("/api/v1/studies/{id}/trials?limit=100")).await;
    let listed = listed["trials"].as_array().unwrap();
    let address = format!("/api/v1/studies/{id}/columns");
    let whole = ask(&service, &address).await;
    check(&whole, listed);
    assert_eq!(
        (&whole["study"], &whole["trials"]),
        (&json!(id), &json!(41))
    );
    assert_eq!(whole["next"], Value::Null);
    // Several pages give the same.
    let (mut from, mut seen) = (json!(0), 0);
    while from != Value::Null {
        let piece = ask(&service, &format!("{address}?from={from}&limit=7")).await;
        let length = piece["ordinal"].as_array().unwrap().len();
        check(&piece, &listed[seen..seen + length]);
        (from, seen) = (piece["next"].clone(), seen + length);
    }
    assert_eq!(seen, 41);
    // The first trial alone has no configuration.
    let first = ask(&service, &format!("{address}?limit=1")).await;
    check(&first, &listed[..1]);
    let behind = ask(&service, &format!("{address}?from=1000")).await;
    check(&behind, &[]);
    // A study without trials exists.
    let empty = StudyKey { seed: 2, ..key() };
    let empty = record(&service, &empty, &[]).await;
    let empty = ask(&service, &format!("/api/v1/studies/{empty}/columns")).await;
    check(&empty, &[]);
    service
        .spoil("UPDATE trial SET status = 'new' WHERE ordinal = 2")
        .await;
    let rest = ask(&service, &address).await;
    assert_eq!(rest["unreadable"]["rows"], 1);
    assert_eq!(rest["ordinal"].as_array().unwrap().len(), 40);
}

pub(crate) async fn columns_are_compressed_for_who_accepts_that(place: Place) {
    let service = Service::start_at(&place).await;
    let id = record(&service, &key(), &some()).await;
    let address = format!("/api/v1/studies/{id}/columns");
    let (_, plain) = service.get(&address).await;
    let headers = "Host: localhost\r\nAccept-Encoding: br, gzip";
    let request = format!("GET {address} HTTP/1.0\r\n{headers}\r\n\r\n");
    let answer = service.exchange(request.as_bytes(), false).await;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let (head, body) = answer.split_at(end.unwrap() + 4);
    let head = String::from_utf8_lossy(head);
    assert!(head.contains("content-encoding: gzip"), "{head}");
    assert!(head.contains("vary: accept-encoding"), "{head}");
    assert!(
        2 * body.len() < plain.len(),
        "{} {}",
        body.len(),
        plain.len()
    );
    let mut unpacked = String::new();
    let mut reader = flate2::read::GzDecoder::new(body);
    reader.read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    // A lookup is not compressed: it is small.
    let (head, _) = service.get_with(crate::endpoints::ASK, headers).await;
    assert!(!head.contains("content-encoding"), "{head}");
}

pub(crate) async fn invalid_columns_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    let id = record(&service, &key(), &some()[..3]).await;
    let address = format!("/api/v1/studies/{id}/columns");
    for (query, parameter) in [
        ("from=-1", "from"),
        ("from=4294967296", "from"),
        ("from=x", "from"),
        ("limit=0", "limit"),
        ("limit=20001", "limit"),
        ("limit=", "limit"),
        ("cursor=o1", "cursor"),
    ] {
        let part = format!("\"parameter\":\"{parameter}\"");
        service
            .check(&format!("{address}?{query}"), 400, &part)
            .await;
    }
    let missing = "/api/v1/studies/77/columns";
    service.check(missing, 404, "unknown-study").await;
    let wrong = "/api/v1/studies/x/columns";
    service.check(wrong, 400, "\"id\"").await;
}
