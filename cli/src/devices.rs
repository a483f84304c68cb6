//! `wavetune devices`: the devices that can be tuned for on this machine.

use clap::Args;
use serde::Serialize;

use bench_harness::{ModelError, model_errors};

use crate::Exit;
use crate::output::{Format, print, print_json};

/// List the devices that can be tuned for on this machine.
#[derive(Args)]
#[command(after_help = "Examples:\n  wavetune devices\n  wavetune devices --output-format json")]
pub(crate) struct Arguments {
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

/// The answer.
#[derive(Serialize)]
struct Answer {
    devices: Vec<Row>,
}

/// One device.
#[derive(Serialize)]
struct Row {
    name: String,
    product: &'static str,
    target: &'static str,
    clock: &'static str,
    compute_units: u32,
    clock_ghz: f64,
    dram_peak_gb_per_s: f64,
    /// Whether bandwidth over occupancy was measured on this part, so that the model's error is known.
    calibrated: bool,
    /// How far modelled times are from what was measured.
    errors: Vec<Error>,
    /// Figures of other parts that stand in for those that were not found.
    borrowed: Vec<Borrowed>,
}

/// What the model makes of a published measurement.
#[derive(Serialize)]
struct Error {
    set: &'static str,
    in_sample: bool,
    points: u32,
    mean_error_percent: f64,
    rank_correlation: Option<f64>,
}

/// A figure of another part.
#[derive(Serialize)]
struct Borrowed {
    figure: &'static str,
    from: &'static str,
}

fn errors(device: &str) -> Vec<Error> {
    let error = |error: ModelError| Error {
        set: error.set,
        in_sample: error.in_sample,
        points: error.points,
        mean_error_percent: error.mean_error_percent,
        rank_correlation: error.rank_correlation,
    };
    model_errors(device).into_iter().map(error).collect()
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let devices: Vec<Row> = bench_harness::emulated_devices()
        .map(|row| Row {
            name: format!("emulated:{}", row.name),
            product: row.product,
            target: row.target().name,
            clock: bench_harness::Clock::Modelled.name(),
            compute_units: row.compute_units,
            clock_ghz: row.clock.value,
            dram_peak_gb_per_s: row.dram_peak.value,
            calibrated: row.is_calibrated(),
            errors: errors(row.name),
            borrowed: row
                .borrowed()
                .into_iter()
                .map(|(figure, from)| Borrowed {
                    figure,
                    from: from.name,
                })
                .collect(),
        })
        .collect();
    match arguments.output_format {
        Format::Json => print_json(&Answer { devices })?,
        Format::Text => {
            let mut text = String::new();
            for row in &devices {
                let calibrated = if row.calibrated { "" } else { ", uncalibrated" };
                text += &format!(
                    "{:<18} {:<8} {} CUs at {} GHz, {:.2} TB/s, times {}{calibrated}: {}\n",
                    row.name,
                    row.target,
                    row.compute_units,
                    row.clock_ghz,
                    row.dram_peak_gb_per_s / 1e3,
                    row.clock,
                    row.product,
                );
                for error in &row.errors {
                    text += &format!("  {}\n", line(error));
                }
                if !row.borrowed.is_empty() {
                    text += &format!("  {:<13} {}\n", "borrowed", figures(&row.borrowed));
                }
            }
            print(&text)?;
        }
    }
    Ok(Exit::Found)
}

/// An error, for people.
fn line(error: &Error) -> String {
    let sample = if error.in_sample {
        "in sample"
    } else {
        "out of sample"
    };
    let rank = error.rank_correlation.map_or(String::new(), |rank| {
        format!(", rank correlation {rank:.3}")
    });
    let points = match error.points {
        1 => "1 point".into(),
        points => format!("{points} points"),
    };
    format!(
        "{sample:<13} {}: {points}, mean error {:.1} %{rank}",
        error.set, error.mean_error_percent
    )
}

/// Borrowed figures, by whose they are.
fn figures(borrowed: &[Borrowed]) -> String {
    let mut by_part: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in borrowed {
        match by_part.iter_mut().find(|(from, _)| *from == one.from) {
            Some((_, figures)) => figures.push(one.figure),
            None => by_part.push((one.from, vec![one.figure])),
        }
    }
    let parts = by_part
        .iter()
        .map(|(from, figures)| format!("of {from}: {}", figures.join(", ")));
    parts.collect::<Vec<_>>().join("; ")
}
