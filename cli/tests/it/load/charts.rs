//! Waiting times of a page for the data of its charts.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use testing::Failed;

use crate::dashboard::chromium;
use crate::load::{Bed, fill};

const PROBLEMS: u32 = 100_000;
const TRIALS: u32 = 20;

/// Trials of the drawn study.
const LONG: u32 = 100_000;

/// Returns the shortest of several response times, and the answer's bytes.
fn ask(bed: &Bed, target: &str, encoding: &str) -> Result<(Duration, Vec<u8>), Failed> {
    let url = format!("http://{}{target}", bed.service.address());
    let (mut least, mut body) = (Duration::MAX, Vec::new());
    for _ in 0..5 {
        let begun = Instant::now();
        let request = ureq::get(&url).header("Accept-Encoding", encoding);
        body = request
            .call()?
            .body_mut()
            .with_config()
            .limit(1 << 26)
            .read_to_vec()?;
        least = least.min(begun.elapsed());
    }
    Ok((least, body))
}

fn columns(bed: &Bed) -> Result<(), Failed> {
    let (mut from, mut seen) = (Value::from(0), 0);
    while from != Value::Null {
        let target = format!("/api/v1/studies/1/columns?from={from}");
        let (plain, body) = ask(bed, &target, "identity")?;
        let (packed, small) = ask(bed, &target, "gzip")?;
        println!(
            "columns from {from}: {plain:?}, {} bytes; compressed {packed:?}, {} bytes",
            body.len(),
            small.len()
        );
        assert!(plain.max(packed) < Duration::from_millis(500));
        let answer: Value = serde_json::from_slice(&body)?;
        seen += answer["ordinal"].as_array().map_or(0, Vec::len);
        from = answer["next"].clone();
    }
    assert_eq!(seen, LONG as usize);
    Ok(())
}

/// Measures the lists of all tuned problems.
fn tuned(bed: &Bed) -> Result<(), Failed> {
    for query in [
        "tuned",
        "tuned?sort=-speedup",
        "tuned?sort=distance&search=argmax+xf32+MI300X",
        "tuned?rows=8..16&columns=1000..&limit=1000",
        "tuned:map",
    ] {
        let (took, body) = ask(bed, &format!("/api/v1/{query}"), "gzip")?;
        println!("{query}: {took:?}, {} bytes compressed", body.len());
        assert!(took < Duration::from_millis(250));
    }
    Ok(())
}

/// Measures the pages of such a database in a browser, driven by node.
fn browser(bed: &Bed) -> Result<(), Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/tests/large.js");
    let mut node = Command::new("node");
    node.arg(script)
        .env("WAVETUNE_URL", format!("http://{}", bed.service.address()));
    node.env("CHROMIUM", chromium().ok_or("chromium is not installed")?);
    match node.status()?.success() {
        true => Ok(()),
        false => Err("the pages are too slow".into()),
    }
}

pub(crate) fn charts() -> Result<(), Failed> {
    let bed = Bed::of(PROBLEMS, |db| {
        fill::fill(db, PROBLEMS, TRIALS)?;
        fill::lengthen(db, LONG)
    })?;
    tuned(&bed)?;
    columns(&bed)?;
    browser(&bed)?;
    println!("memory: {} kB", bed.service.memory()?);
    assert_eq!(bed.service.end()?, Some(0));
    Ok(())
}
