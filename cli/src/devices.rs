//! `wavetune devices`: lists the devices that this machine can tune for.

use answers::devices::{BorrowedFigure, Deviation, DeviceInfo, Devices};
use bench_harness::{ModelError, model_errors};
use clap::Args;

use crate::Exit;
use crate::output::{OutputFormat, print, print_json};

/// List the devices that this machine can tune for.
#[derive(Args)]
#[command(
    after_long_help = "Examples:\n  wavetune devices\n  wavetune devices --output-format json"
)]
pub(crate) struct DeviceListArguments {
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

fn errors(device: &str) -> Vec<Deviation> {
    let error = |error: ModelError| Deviation {
        set: error.set,
        in_sample: error.in_sample,
        points: error.points,
        mean_error_percent: error.mean_error_percent,
        rank_correlation: error.rank_correlation,
    };
    model_errors(device).into_iter().map(error).collect()
}

/// Returns the devices, each with the known errors of its model.
pub(crate) fn table() -> Devices {
    let devices = bench_harness::emulated_devices()
        .map(|row| DeviceInfo {
            name: format!("emulated:{}", row.name),
            product: row.product,
            target: row.target().name,
            clock: bench_harness::Clock::Modelled,
            compute_units: row.compute_units,
            clock_ghz: row.clock.value,
            dram_peak_gb_per_s: row.dram_peak.value,
            calibrated: row.is_calibrated(),
            errors: errors(row.name),
            borrowed: row
                .borrowed_figures()
                .into_iter()
                .map(|(figure, from)| BorrowedFigure {
                    figure,
                    from: from.name,
                })
                .collect(),
        })
        .collect();
    Devices { devices }
}

pub(crate) fn run(arguments: &DeviceListArguments) -> anyhow::Result<Exit> {
    let table = table();
    match arguments.output_format {
        OutputFormat::Json => print_json(&table)?,
        OutputFormat::Text => {
            let mut text = String::new();
            for row in &table.devices {
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

/// Formats a model error for people.
fn line(error: &Deviation) -> String {
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

/// Formats borrowed figures, grouped by their source device.
fn figures(borrowed: &[BorrowedFigure]) -> String {
    // A vector, to keep the order of the figures.
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
