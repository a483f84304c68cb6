//! The answer of `wavetune emulate`, for programs and for people.

use std::fmt::Write as _;

use configgen::Device;
use emulator::model::Estimate;
use emulator::{CodeObject, Execution, Finding, Kernel};
use serde::Serialize;

use super::dump::Dumped;

/// What ran.
pub(super) struct Ran<'a> {
    pub(super) device: &'static Device,
    pub(super) code: &'a CodeObject,
    pub(super) kernel: &'a Kernel,
    pub(super) execution: Execution,
    /// Time that the emulation took.
    pub(super) seconds: f64,
}

/// The answer.
#[derive(Serialize)]
pub(super) struct Answer {
    device: String,
    isa: &'static str,
    kernel: String,
    clock: &'static str,
    /// Null where the kernel cannot run without the checker.
    time_us: Option<f64>,
    /// Whether the time model's figures were measured on this part.
    calibrated: bool,
    waves: u64,
    wave_instructions: u64,
    /// Instructions whose result AMD gives only to an error bound.
    approximate_instructions: u64,
    bytes_read: u64,
    bytes_written: u64,
    occupancy: Option<Occupancy>,
    bottleneck: Option<&'static str>,
    findings: Vec<Found>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dumps: Vec<Dumped>,
    /// Host seconds.
    seconds: f64,
}

#[derive(Serialize)]
struct Occupancy {
    waves_per_simd: u32,
    limited_by: &'static str,
}

/// A finding of the checker.
#[derive(Serialize)]
struct Found {
    kind: &'static str,
    message: String,
    /// Address of the instruction in the code object.
    pc: u64,
    instruction: String,
    workgroup: [u32; 3],
    wave: u32,
    lane: Option<u32>,
    address: Option<u64>,
    source: Option<String>,
    count: u64,
    #[serde(skip)]
    text: String,
}

pub(super) fn answer(
    ran: &Ran<'_>,
    estimate: Option<&Estimate>,
    findings: &[Finding],
    dumps: Vec<Dumped>,
) -> Answer {
    Answer {
        device: format!("emulated:{}", ran.device.name),
        isa: ran.code.isa().name(),
        kernel: ran.kernel.name.clone(),
        clock: bench_harness::Clock::Modelled.name(),
        time_us: estimate.map(|estimate| estimate.time_us),
        calibrated: ran.device.is_calibrated(),
        waves: ran.execution.waves,
        wave_instructions: ran.execution.wave_instructions,
        approximate_instructions: ran.execution.approximate_instructions,
        bytes_read: ran.execution.bytes_read,
        bytes_written: ran.execution.bytes_written,
        occupancy: estimate.map(|estimate| Occupancy {
            waves_per_simd: estimate.waves_per_simd,
            limited_by: estimate.limited_by.name(),
        }),
        bottleneck: estimate.map(|estimate| estimate.bottleneck.name()),
        findings: findings.iter().map(found).collect(),
        dumps,
        seconds: ran.seconds,
    }
}

fn found(finding: &Finding) -> Found {
    Found {
        kind: finding.kind.name(),
        message: finding.reason.clone(),
        pc: finding.place.pc,
        instruction: finding.place.instruction.clone(),
        workgroup: finding.place.workgroup,
        wave: finding.place.wave,
        lane: finding.lane,
        address: finding.memory.as_ref().map(|memory| memory.address),
        source: finding.source.as_ref().map(ToString::to_string),
        count: finding.count,
        text: finding.to_string(),
    }
}

impl Answer {
    /// The answer for people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let calibrated = if self.calibrated {
            ""
        } else {
            ", uncalibrated"
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} on {} ({})", self.kernel, self.device, self.isa);
        match (self.time_us, self.bottleneck, &self.occupancy) {
            (Some(time), Some(bottleneck), Some(occupancy)) => {
                let _ = writeln!(
                    text,
                    "  time        {time:.2} us ({}{calibrated}), limited by {bottleneck}",
                    self.clock
                );
                let _ = writeln!(
                    text,
                    "  occupancy   {} waves per SIMD, limited by {}",
                    occupancy.waves_per_simd, occupancy.limited_by
                );
            }
            _ => text += "  time        unknown: without --check the kernel faults\n",
        }
        let _ = writeln!(
            text,
            "  executed    {} instructions of {} waves in {:.3} s on this machine",
            self.wave_instructions, self.waves, self.seconds
        );
        let _ = writeln!(
            text,
            "  memory      {} bytes read, {} written",
            self.bytes_read, self.bytes_written
        );
        if self.approximate_instructions > 0 {
            let _ = writeln!(
                text,
                "  approximate {} instructions have a result that AMD gives only to an error bound",
                self.approximate_instructions
            );
        }
        for found in &self.findings {
            let _ = writeln!(text, "  found       {}", found.text);
        }
        for dump in &self.dumps {
            let values: Vec<String> = dump.values.iter().map(super::dump::Value::text).collect();
            let _ = writeln!(
                text,
                "argument {} as {}: {}",
                dump.argument,
                dump.kind,
                values.join(" ")
            );
        }
        text
    }
}
