//! Profiles for programs: the answer of `wavetune profile` and of the service.

use answers::profile as answer;
use configgen::{Clock, Device};

use crate::command::{CommandKind, DeviceCommand};
use crate::function_profile::FunctionProfile;
use crate::profiler::ProfiledModule;

/// Describes a profile on this device. `compiler` is the version of iree-compile, if it compiled
/// the module.
pub fn describe_profile(
    device: &Device,
    compiler: Option<String>,
    module: &ProfiledModule,
) -> answer::ModelProfile {
    answer::ModelProfile {
        device: format!("emulated:{}", device.name),
        clock: Clock::Modelled,
        calibrated: device.is_calibrated(),
        compiler,
        functions: module.functions.iter().map(function).collect(),
    }
}

fn function(profile: &FunctionProfile) -> answer::FunctionProfile {
    let time_us = profile.time_us();
    // A part of a lower bound is no share.
    let whole_us = match profile.bounded() {
        0 => time_us,
        _ => 0.0,
    };
    let commands = |all: &[DeviceCommand], sum: f64| {
        let all = all.iter();
        all.map(|it| command(it, sum)).collect()
    };
    answer::FunctionProfile {
        function: profile.function.clone(),
        inputs: profile.inputs.clone(),
        time_us,
        bounded: profile.bounded(),
        bound_us: profile.bound_us(),
        kernels: profile.kernels(),
        untimed: profile.untimed(),
        commands: commands(&profile.commands, whole_us),
        at_load: commands(&profile.at_load, 0.0),
    }
}

/// Converts a command. `sum` is the time of the whole call, or 0 if it is unknown.
fn command(command: &DeviceCommand, sum: f64) -> answer::CommandProfile {
    let kernel = command.kernel();
    let time_us = command.time_us.as_ref().ok().copied();
    answer::CommandProfile {
        kind: match command.kind {
            CommandKind::Kernel(_) => "kernel",
            CommandKind::Copy => "copy",
            CommandKind::Fill => "fill",
        },
        name: command.name().to_owned(),
        operations: kernel.map(|it| it.operations.clone()).unwrap_or_default(),
        workgroups: kernel.map(|it| it.workgroups),
        workgroup_size: kernel.map(|it| it.workgroup_size),
        time_us,
        least_us: command.counted_us().filter(|_| command.is_bounded()),
        time_unknown: (command.time_us.as_ref().err()).map(|unknown| unknown.reason.clone()),
        share: time_us.filter(|_| sum > 0.0).map(|time| time / sum),
        bytes_read: command.read_bytes,
        bytes_written: command.written_bytes,
        bound_us: command.bound_us,
        bottleneck: kernel.and_then(|it| it.bottleneck.clone()),
        waves_per_simd: kernel.and_then(|it| it.waves_per_simd),
        limited_by: kernel.and_then(|it| it.limited_by.clone()),
    }
}
