//! Profiles for programs: the answer of `wavetune profile` and of the service.

use answers::profile as answer;
use configgen::{Clock, Device};

use crate::command::{CommandKind, DeviceCommand};
use crate::function_profile::FunctionProfile;
use crate::profiler::ProfiledModule;

/// Describes a profile on this device: a GPU with this name and clock, or the emulated one.
/// `compiler` is the version of iree-compile, if it compiled the module.
pub fn describe_profile(
    device: &Device,
    gpu: Option<(&str, Clock)>,
    compiler: Option<String>,
    module: &ProfiledModule,
) -> answer::ModelProfile {
    answer::ModelProfile {
        device: gpu.map_or_else(
            || format!("emulated:{}", device.name),
            |gpu| gpu.0.to_owned(),
        ),
        clock: gpu.map_or(Clock::Modelled, |gpu| gpu.1),
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
        least_us: command.least_us(),
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::trace_file::trace;

    fn profile(commands: &str) -> FunctionProfile {
        FunctionProfile {
            function: "main".to_owned(),
            inputs: Vec::new(),
            commands: (commands.split_whitespace())
                .map(DeviceCommand::sample)
                .collect(),
            at_load: Vec::new(),
        }
    }

    /// Returns the sum of a call with its counts, and the figures of each command.
    fn answered(commands: &str) -> (Value, Vec<Value>) {
        let answer = serde_json::to_value(function(&profile(commands))).unwrap();
        let figures = |it: &Value| json!([it["time_us"], it["least_us"], it["share"]]);
        let commands = answer["commands"].as_array().unwrap().iter();
        let sum = json!([answer["time_us"], answer["bounded"], answer["untimed"]]);
        (sum, commands.map(figures).collect())
    }

    #[test]
    fn a_lower_bound_is_no_time() {
        let (sum, commands) = answered("a:4 s:>900 m:?9");
        assert_eq!(sum, json!([904.0, 1, 1]));
        assert_eq!(commands[0], json!([4.0, null, null]));
        assert_eq!(commands[1], json!([null, 900.0, null]));
        assert_eq!(commands[2], json!([null, null, null]));
        let (sum, commands) = answered("a:4 b:12 m:?9");
        assert_eq!(sum, json!([16.0, 0, 1]));
        assert_eq!(commands[0], json!([4.0, null, 0.25]));
    }

    #[test]
    fn a_lower_bound_is_marked_in_a_trace() {
        let trace = trace("emulated", &[profile("s:>900 m:?9 a:4")]);
        let events = trace["traceEvents"].as_array().unwrap()[2..].iter();
        let shown = |it: &Value| json!([it["name"], it["ph"], it["ts"], it["dur"]]);
        let expected = [
            json!(["s (takes longer)", "X", 0.0, 900.0]),
            json!(["m", "i", 900.0, 0.0]),
            json!(["a", "X", 900.0, 4.0]),
        ];
        assert_eq!(events.map(shown).collect::<Vec<_>>(), expected);
    }
}
