//! The cost of a neighbour's configuration: its time on the asked shape against that of the
//! shape's own tuning. Needs libLLVM and lld, and some minutes.
//!
//! `cargo test --release -p wavetune --test it -- --ignored --nocapture --test-threads 1
//! neighbours::`

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use testing::{Failed, Trial};

/// Pairs of a tuned and an asked shape for each device.
const PAIRS: usize = 40;
/// Trials of each study.
const BUDGET: &str = "48";
/// Limit of a neighbour's time, as a multiple of the tuned one,
const MOST: f64 = 1.3;
/// for this share of the answered shapes.
const SHARE: f64 = 0.9;

pub(crate) fn trials() -> Vec<Trial> {
    let test = |name: &str, device: &'static str| {
        let test = Trial::test(name, move || measure(device)).with_kind("full: a measurement");
        test.with_ignored_flag(true)
    };
    vec![
        test("neighbours_of_mi300x", "emulated:mi300x"),
        test("neighbours_of_rx7900xtx", "emulated:rx7900xtx"),
    ]
}

fn wavetune(db: &Path, arguments: &[&str]) -> Result<String, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.args(arguments).env("WAVETUNE_DB", db);
    let output = command.stdin(Stdio::null()).output()?;
    match output.status.code() {
        Some(0 | 1) => Ok(String::from_utf8(output.stdout)?),
        _ => Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

fn json(db: &Path, arguments: &[&str]) -> Result<Value, Failed> {
    let arguments = [arguments, &["--output-format", "json"]].concat();
    Ok(serde_json::from_str(&wavetune(db, &arguments)?)?)
}

/// Returns a shape and a near one: up to twice or half as many rows, and as many columns. The
/// sizes are those of models: powers of two, multiples of 64 and any.
fn pair(rng: &mut StdRng) -> [String; 2] {
    let element = *["f32", "bf16", "f16", "i8"].choose(rng).expect("some");
    let mut size = |bits: std::ops::Range<u32>| {
        let bits = rng.random_range(bits);
        let any = rng.random_range(1 << bits..2 << bits);
        match rng.random_range(0..3) {
            0 => 1 << bits,
            1 => (any / 64).max(1) * 64,
            _ => any,
        }
    };
    let (rows, columns) = (size(0..9), size(8..16));
    let mut near = |size: u32| {
        let times = 2f64.powf(rng.random_range(-1.0..1.0));
        ((f64::from(size) * times).round() as u32).clamp(size.div_ceil(2), size * 2)
    };
    let (more_rows, more_columns) = (near(rows), near(columns));
    [(rows, columns), (more_rows, more_columns)]
        .map(|(rows, columns)| format!("argmax:{rows}x[{columns}]x{element}"))
}

fn measure(device: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let rng = &mut StdRng::seed_from_u64(8);
    let pairs: Vec<[String; 2]> = (0..PAIRS).map(|_| pair(rng)).collect();
    let databases = ["tuned", "asked"].map(|name| folder.path().join(format!("{name}.db")));
    for (side, db) in databases.iter().enumerate() {
        let list = folder.path().join("problems");
        let mut text = String::new();
        for pair in &pairs {
            writeln!(text, "{}", pair[side])?;
        }
        std::fs::write(&list, text)?;
        let list = list.to_str().ok_or("a path")?;
        wavetune(
            db,
            &[
                "tune",
                "--problems",
                list,
                "--device",
                device,
                "--budget",
                BUDGET,
            ],
        )?;
    }
    let [tuned, asked] = &databases;
    let mut ratios = Vec::new();
    for [_, problem] in &pairs {
        let own = json(asked, &["lookup", problem])?;
        let target = own["target"].as_str().ok_or("no target")?;
        let near = json(
            tuned,
            &[
                "lookup",
                problem,
                "--target",
                target,
                "--at-least",
                "neighbour",
            ],
        )?;
        if near["answer"] != "neighbour" {
            println!("{problem}: {}", near["answer"]);
            continue;
        }
        let configuration = near["configuration"].to_string();
        let tried = json(
            asked,
            &[
                "try",
                problem,
                "--device",
                device,
                "--configuration",
                &configuration,
            ],
        )?;
        assert_eq!(tried["status"], "right", "{problem}: {near}");
        let time = |answer: &Value| answer["time_us"].as_f64().ok_or("no time");
        let default = own["default_time_us"].as_f64().ok_or("no default")?;
        let (taken, best) = (time(&tried)?, time(&own)?);
        let from = near["tuned"]["problem"].as_str().ok_or("no problem")?;
        println!(
            "{problem} from {from}: {taken:.2} µs, tuned {best:.2} µs, {:.2}; untuned {default:.2} µs",
            taken / best
        );
        ratios.push(taken / best);
    }
    ratios.sort_by(f64::total_cmp);
    let within = ratios.iter().filter(|&&ratio| ratio <= MOST).count() as f64 / ratios.len() as f64;
    let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share) as usize];
    println!(
        "{device}: {} of {PAIRS} answered, {:.0} % within {MOST}; median {:.2}, 90 % {:.2}, most {:.2}",
        ratios.len(),
        within * 100.0,
        at(0.5),
        at(0.9),
        at(1.0)
    );
    assert!(ratios.len() * 2 > PAIRS && within >= SHARE, "{within}");
    Ok(())
}
