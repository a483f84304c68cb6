//! Tests of the time model against published measurements: kernels compiled by clang, run through
//! profile and estimate.
//!
//! `src/calibration/errors.tsv` stores the errors, which `wavetune devices` shows.
//! UPDATE_EXPECT=1 writes it, and `-- --nocapture` prints every point.

mod loops;
mod measure;
mod programs;
mod published;
mod statistics;

use bench_harness::{ModelError, all_model_errors};
use published::Set;
use testing::{Failed, Trial};

/// The limits of the model's error on the measurements that it was fitted to.
const MOST_ERROR_PERCENT: f64 = 15.0;
const LEAST_RANK_CORRELATION: f64 = 0.95;
/// The tolerance of a stored error: hosts differ in the last bits of a power.
const TOLERANCE: f64 = 0.2;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("errors_are_those_that_are_kept", errors),
        trial(
            "errors_of_programs_are_those_that_are_kept",
            programs::errors,
        ),
        trial("a_long_row_takes_as_long_as_its_elements", loops::long_rows),
    ]
}

/// Creates a test that is ignored if clang 22 is missing, and fails then in CI.
fn trial(name: &str, test: fn() -> Result<(), Failed>) -> Trial {
    if testing::llvm("clang").is_some() {
        return Trial::test(name, test);
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    let missing = || Err("clang of LLVM 22 not found".into());
    Trial::test(format!("{name} (clang of LLVM 22 not found)"), missing).with_ignored_flag(!in_ci)
}

fn errors() -> Result<(), Failed> {
    let found: Vec<ModelError> = published::sets()
        .iter()
        .map(error_on)
        .collect::<Result<_, _>>()?;
    for error in &found {
        println!("{error:?}");
    }
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/calibration/errors.tsv");
        std::fs::write(path, table(&found))?;
    } else {
        let kept: Vec<ModelError> = all_model_errors().collect();
        let same = kept.len() == found.len() && kept.iter().zip(&found).all(is_same);
        if !same {
            return Err(format!(
                "{} was kept; UPDATE_EXPECT=1 writes what was found",
                table(&kept)
            )
            .into());
        }
    }
    // Measured plateaus differ by noise, which has no rank order. The limits are for the laws.
    let is_law = |error: &ModelError| error.set.contains("fit") || error.set.contains("tiers");
    let is_bad = |error: &&ModelError| {
        let rank = error.rank_correlation.unwrap_or(1.0);
        let ranks = rank >= LEAST_RANK_CORRELATION || !is_law(error);
        error.in_sample && (error.mean_error_percent > MOST_ERROR_PERCENT || !ranks)
    };
    match found.iter().find(is_bad) {
        Some(bad) => Err(format!("more than it may be: {bad:?}").into()),
        None => Ok(()),
    }
}

fn error_on(set: &Set) -> Result<ModelError, Failed> {
    let isa = set.device.target().name;
    let mut points = Vec::new();
    for (experiments, published) in &set.points {
        let (mut modelled, mut resident) = (0.0, 0);
        for experiment in experiments {
            let estimate = experiment.estimate(isa, &set.machine)?;
            let gb_per_s = experiment.bytes() / (estimate.time_us * 1e3);
            modelled += gb_per_s / experiments.len() as f64;
            resident = estimate.workgroups_per_unit * experiment.size;
        }
        let published = published.gb_per_s(resident);
        let first = &experiments[0];
        println!(
            "{}, {}: {} of {} elements by workgroups of {}: {modelled:.1} GB/s, published {published:.1}",
            set.device.name, set.name, first.kernel, first.elements, first.size
        );
        points.push((published, modelled));
    }
    Ok(ModelError {
        device: set.device.name,
        set: set.name,
        in_sample: set.in_sample,
        points: points.len() as u32,
        mean_error_percent: 100.0 * statistics::mean_error(&points),
        rank_correlation: (points.len() > 1).then(|| statistics::rank_correlation(&points)),
    })
}

fn is_same((one, other): (&ModelError, &ModelError)) -> bool {
    let near = |one: f64, other: f64, tolerance: f64| (one - other).abs() <= tolerance;
    let rank = |error: &ModelError| error.rank_correlation.unwrap_or(1.0);
    (one.device, one.set, one.in_sample, one.points)
        == (other.device, other.set, other.in_sample, other.points)
        && near(one.mean_error_percent, other.mean_error_percent, TOLERANCE)
        && near(rank(one), rank(other), TOLERANCE / 100.0)
}

fn table(errors: &[ModelError]) -> String {
    let mut text = "device\tset\tsample\tpoints\tmean_error_percent\trank_correlation\n".to_owned();
    for error in errors {
        let sample = if error.in_sample { "in" } else { "out" };
        let rank = error
            .rank_correlation
            .map_or("-".into(), |rank| format!("{rank:.3}"));
        text += &format!(
            "{}\t{}\t{sample}\t{}\t{:.1}\t{rank}\n",
            error.device, error.set, error.points, error.mean_error_percent
        );
    }
    text
}
