//! The answer of `wavetune emulate`, for programs and for people.

use std::fmt::Write as _;

use answers::emulate::{Dump, Emulation, Finding, Occupancy};
use answers::stages::TimeComponent;
use configgen::Device;
use emulator::model::Estimate;
use emulator::{CodeObject, Execution, LaunchFault, LoadedKernel};

/// A finished launch.
pub(super) struct EmulatedLaunch<'a> {
    pub(super) device: &'static Device,
    pub(super) code: &'a CodeObject,
    pub(super) kernel: &'a LoadedKernel,
    pub(super) execution: Execution,
    /// Duration of the emulation on this machine.
    pub(super) seconds: f64,
}

pub(super) fn answer(
    ran: &EmulatedLaunch<'_>,
    estimate: Result<&Estimate, &LaunchFault>,
    findings: &[emulator::Finding],
    dumps: Vec<Dump>,
) -> Emulation {
    let (estimate, unknown) = (estimate.ok(), estimate.err());
    Emulation {
        device: format!("emulated:{}", ran.device.name),
        isa: ran.code.isa().name(),
        kernel: ran.kernel.name.clone(),
        clock: bench_harness::Clock::Modelled,
        time_us: estimate.map(|estimate| estimate.time_us),
        time_unknown: unknown.map(LaunchFault::to_string),
        calibrated: ran.device.is_calibrated(),
        waves: ran.execution.waves,
        wave_instructions: ran.execution.wave_instructions,
        approximate_instructions: ran.execution.approximate_instructions,
        bytes_read: ran.execution.bytes_read,
        bytes_written: ran.execution.bytes_written,
        parts: estimate.map(|estimate| {
            let parts = estimate.breakdown.named().into_iter();
            parts.map(|(name, us)| TimeComponent { name, us }).collect()
        }),
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

fn found(finding: &emulator::Finding) -> Finding {
    Finding {
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
    }
}

/// Formats the parts of the time, the largest first. Parts below 0.01 µs are left out.
fn parts(answer: &Emulation) -> String {
    let mut parts: Vec<_> = answer.parts.iter().flatten().collect();
    parts.retain(|part| part.us >= 0.005);
    parts.sort_by(|one, other| other.us.total_cmp(&one.us));
    let parts = parts
        .iter()
        .map(|part| format!("{} {:.2}", part.name, part.us));
    parts.collect::<Vec<_>>().join(", ") + " us"
}

/// Formats the answer for people.
pub(super) fn text(answer: &Emulation, findings: &[emulator::Finding]) -> String {
    let mut text = String::new();
    let calibrated = if answer.calibrated {
        ""
    } else {
        ", uncalibrated"
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{} on {} ({})",
        answer.kernel, answer.device, answer.isa
    );
    match (answer.time_us, answer.bottleneck, &answer.occupancy) {
        (Some(time), Some(bottleneck), Some(occupancy)) => {
            let _ = writeln!(
                text,
                "  time        {time:.2} us ({}{calibrated}), limited by {bottleneck}",
                answer.clock
            );
            let _ = writeln!(
                text,
                "  occupancy   {} waves per SIMD, limited by {}",
                occupancy.waves_per_simd, occupancy.limited_by
            );
            let _ = writeln!(text, "  parts       {}", parts(answer));
        }
        _ => {
            let reason = answer.time_unknown.as_deref().unwrap_or_default();
            let _ = writeln!(text, "  time        unknown: {reason}");
        }
    }
    if answer.waves > 0 {
        let _ = writeln!(
            text,
            "  executed    {} instructions of {} waves in {:.3} s on this machine",
            answer.wave_instructions, answer.waves, answer.seconds
        );
        let _ = writeln!(
            text,
            "  memory      {} bytes read, {} written",
            answer.bytes_read, answer.bytes_written
        );
    }
    if answer.approximate_instructions > 0 {
        let _ = writeln!(
            text,
            "  approximate {} instructions have a result that AMD gives only to an error bound",
            answer.approximate_instructions
        );
    }
    for finding in findings {
        let _ = writeln!(text, "  found       {finding}");
    }
    for dump in &answer.dumps {
        let values: Vec<String> = dump.values.iter().map(super::dump::text).collect();
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
