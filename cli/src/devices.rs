//! `wavetune devices`: the devices that can be tuned for on this machine.

use clap::Args;
use serde::Serialize;

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
    /// Whether the figures that the time model needs were measured on this part.
    calibrated: bool,
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
            }
            print(&text)?;
        }
    }
    Ok(Exit::Found)
}
