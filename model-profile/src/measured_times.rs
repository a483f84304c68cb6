//! The times of a call on a GPU, in place of the modelled ones.

use bench_harness::timing::median;
use iree::{TracedCommand, TracedKind};

use crate::command::{CommandKind, DeviceCommand, UnknownTime};

/// Replaces the times of a call by the medians of several traced calls, one behind the other. They
/// are the last commands of the trace.
///
/// # Errors
///
/// The first kernel that is another one than the call's.
pub(crate) fn replace_times(
    call: &mut [DeviceCommand],
    traced: &[TracedCommand],
    calls: usize,
) -> Result<(), String> {
    let is_kernel = |it: &&TracedCommand| matches!(it.kind, TracedKind::Kernel(_));
    let kernels: Vec<&TracedCommand> = traced.iter().filter(is_kernel).collect();
    let all: Vec<&TracedCommand> = traced.iter().collect();
    let mut commands: Vec<&mut DeviceCommand> = call.iter_mut().collect();
    let times = match medians(&commands, &all, calls) {
        Ok(times) => times,
        // A copy engine's commands may be missing in the trace, or stand elsewhere.
        Err(_) => {
            for command in commands.extract_if(.., |it| it.kernel().is_none()) {
                command.time_us = Err(UnknownTime {
                    reason: "the trace does not show this command in its place".to_owned(),
                    least_us: None,
                });
            }
            medians(&commands, &kernels, calls)?
        }
    };
    for (command, time) in commands.into_iter().zip(times) {
        command.time_us = Ok(time);
    }
    Ok(())
}

/// Returns the median time of each command.
fn medians(
    commands: &[&mut DeviceCommand],
    traced: &[&TracedCommand],
    calls: usize,
) -> Result<Vec<f64>, String> {
    let expected = commands.len() * calls;
    let Some(before) = traced.len().checked_sub(expected) else {
        return Err(format!(
            "the GPU executed {} commands, and {calls} calls have {expected}",
            traced.len()
        ));
    };
    let mut times = vec![Vec::with_capacity(calls); commands.len()];
    for (number, one) in traced[before..].iter().enumerate() {
        let at = number % commands.len();
        if !is_of(commands[at], one) {
            return Err(format!(
                "the GPU executed {}, and the call has {} in this place",
                name(one),
                commands[at].name()
            ));
        }
        times[at].push(one.time_us);
    }
    Ok(times.iter().map(|of_one| median(of_one)).collect())
}

fn is_of(command: &DeviceCommand, traced: &TracedCommand) -> bool {
    match (&command.kind, &traced.kind) {
        (CommandKind::Kernel(kernel), TracedKind::Kernel(name)) => kernel.name == *name,
        (CommandKind::Copy, TracedKind::Copy) | (CommandKind::Fill, TracedKind::Fill) => true,
        _ => false,
    }
}

fn name(traced: &TracedCommand) -> &str {
    match &traced.kind {
        TracedKind::Kernel(name) => name,
        TracedKind::Copy => "copy",
        TracedKind::Fill => "fill",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads commands such as `a:4`, `copy:1` and `fill:2`.
    fn traced(text: &str) -> Vec<TracedCommand> {
        let of = |word: &str| {
            let (name, time) = word.split_once(':').unwrap();
            TracedCommand {
                kind: match name {
                    "copy" => TracedKind::Copy,
                    "fill" => TracedKind::Fill,
                    name => TracedKind::Kernel(name.to_owned()),
                },
                time_us: time.parse().unwrap(),
            }
        };
        text.split_whitespace().map(of).collect()
    }

    /// Checks the times of a call after three traced calls; `-` is an unknown one.
    #[track_caller]
    fn check(call: &str, trace: &str, expected: &str) {
        let mut commands: Vec<_> = call.split_whitespace().map(DeviceCommand::sample).collect();
        let found = match replace_times(&mut commands, &traced(trace), 3) {
            Ok(()) => {
                let times = commands.iter().map(|it| match &it.time_us {
                    Ok(time) => time.to_string(),
                    Err(_) => "-".to_owned(),
                });
                times.collect::<Vec<_>>().join(" ")
            }
            Err(message) => message,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn medians_of_three_calls() {
        check("a:1 b:1", "a:4 b:7 a:9 b:6 a:5 b:5", "5 6");
        // The commands of loading come first.
        check("a:1 b:1", "copy:3 a:100 b:9 a:4 b:7 a:9 b:6 a:5 b:5", "5 6");
        check("a:1 a:1", "a:1 a:2 a:1 a:2 a:1 a:2", "1 2");
        check("a:1 fill:1", "a:4 fill:1 a:4 fill:2 a:4 fill:3", "4 2");
        // A kernel without a modelled time has a measured one.
        check("a:?1", "a:4 a:4 a:4", "4");
        check("", "copy:1", "");
    }

    #[test]
    fn copies_that_the_trace_lacks() {
        check("a:1 copy:1 b:1", "a:4 b:7 a:4 b:7 a:4 b:7", "4 - 7");
        check("a:1 copy:1", "copy:1 copy:1 a:4 a:4 copy:1 a:4", "4 -");
    }

    #[test]
    fn other_kernels_are_refused() {
        check(
            "a:1 b:1",
            "a:4 b:7 a:4 c:7 a:4 b:7",
            "the GPU executed c, and the call has b in this place",
        );
        check(
            "a:1 b:1",
            "a:4 b:7",
            "the GPU executed 2 commands, and 3 calls have 6",
        );
    }
}
