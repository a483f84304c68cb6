//! The answer of `wavetune profile` for people: a table for each call.

use std::cmp::Reverse;
use std::fmt::Write as _;

use ::model_profile::{DeviceCommand, FunctionProfile, ProfiledModule};

use super::Order;
use super::profiled_device::ProfiledDevice;
use crate::text_table;

pub(super) fn profile(
    device: &ProfiledDevice,
    compiler: Option<&str>,
    module: &ProfiledModule,
    order: Order,
) -> String {
    let compiler = compiler.map_or("a compiled module".to_owned(), |version| {
        format!("iree-compile {version}")
    });
    let calibrated = match device.row.is_calibrated() {
        true => "",
        false => ", uncalibrated",
    };
    let name = device.name();
    let mut text = match &device.gpu {
        None => format!("{name}, {compiler}; times are modelled{calibrated}\n"),
        Some(gpu) => format!(
            "{name} ({}), {compiler}; times are {}, bounds are modelled{calibrated}\n",
            gpu.product,
            gpu.clock.name(),
        ),
    };
    for call in &module.functions {
        text += "\n";
        text += &function(call, order);
    }
    text
}

/// Formats a time, or the lower bound of one.
pub(crate) fn time(us: f64, is_bound: bool) -> String {
    match is_bound {
        false => format!("{us:.2} us"),
        true => format!("more than {us:.2} us"),
    }
}

fn function(call: &FunctionProfile, order: Order) -> String {
    let sum = call.time_us();
    let (inputs, us) = (call.inputs.join(", "), time(sum, call.bounded() > 0));
    let mut text = format!("{}({inputs}): {us}", call.function);
    let counted = |count: usize, what: &str| match count {
        1 => format!(", 1 {what}"),
        _ => format!(", {count} {what}s"),
    };
    text += &counted(call.kernels(), "kernel");
    let others = call.commands.len() - call.kernels();
    if others > 0 {
        text += &match others {
            1 => ", 1 copy or fill".to_owned(),
            _ => format!(", {others} copies and fills"),
        };
    }
    if call.untimed() > 0 {
        let _ = write!(text, ", {} without a time", call.untimed());
    }
    if let Some(bound) = call.bound_us() {
        // Writing to a string cannot fail.
        let _ = write!(text, ", bound {bound:.2} us");
    }
    text += "\n";
    if call.commands.is_empty() {
        text += "  the device has nothing to do\n";
        return text;
    }
    let mut table = text_table::table(&[
        ">#", ">us", ">%", ">bound", ">MB", "limit", ">waves", ">grid", "dispatch",
    ]);
    // A part of a lower bound is no share.
    let whole = Some(sum).filter(|sum| *sum > 0.0 && call.bounded() == 0);
    for (number, command) in sorted(&call.commands, order) {
        table.add_row(row(number, command, whole));
    }
    text += &text_table::text(&table);
    for (number, command) in call.commands.iter().enumerate() {
        if let Err(unknown) = &command.time_us {
            // The reason names the kernel and the place again.
            let reason = unknown.reason.rsplit(": ").next().unwrap_or_default();
            let known = match unknown.least_us {
                Some(least) => format!("takes {}", time(least, true)),
                None => "has no time".to_owned(),
            };
            let _ = writeln!(text, "{} {known}: {reason}", number + 1);
        }
    }
    if !call.at_load.is_empty() {
        let sum: f64 = (call.at_load.iter())
            .filter_map(DeviceCommand::counted_us)
            .sum();
        let us = time(sum, call.at_load.iter().any(DeviceCommand::is_bounded));
        let _ = writeln!(
            text,
            "once at load:{} of {us}",
            counted(call.at_load.len(), "kernel").trim_start_matches(',')
        );
    }
    text
}

/// Returns the commands in this order, each with its number in the order of launch.
fn sorted(commands: &[DeviceCommand], order: Order) -> Vec<(usize, &DeviceCommand)> {
    let mut numbered: Vec<(usize, &DeviceCommand)> = commands
        .iter()
        .enumerate()
        .map(|(at, it)| (at + 1, it))
        .collect();
    // Nanoseconds, since floats have no order. A command without a time comes last.
    let nanoseconds = |us: f64| (us * 1e3) as u64;
    let time = DeviceCommand::counted_us;
    match order {
        Order::Launch => {}
        Order::Time => {
            numbered.sort_by_key(|(_, it)| Reverse(time(it).map(nanoseconds)));
        }
        Order::Excess => numbered.sort_by_key(|(_, it)| {
            let excess = time(it).zip(it.bound_us).map(|(time, bound)| time - bound);
            Reverse(excess.map(|it| nanoseconds(it.max(0.0))))
        }),
    }
    numbered
}

fn row(number: usize, command: &DeviceCommand, whole: Option<f64>) -> [String; 9] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let time = command.time_us.as_ref().ok();
    let kernel = command.kernel();
    let bytes = command.read_bytes.zip(command.written_bytes);
    // The name says how iree-compile counts, and the operations say what the kernel is for.
    let dispatch = match kernel {
        Some(kernel) if !kernel.operations.is_empty() => {
            format!("{}: {}", kernel.name, kernel.operations.join(", "))
        }
        _ => command.name().to_owned(),
    };
    [
        number.to_string(),
        or_dash(command.counted_us().map(|us| match command.is_bounded() {
            false => format!("{us:.2}"),
            true => format!(">{us:.2}"),
        })),
        or_dash(
            time.zip(whole)
                .map(|(time, whole)| format!("{:.1}", time / whole * 100.0)),
        ),
        or_dash(command.bound_us.map(|bound| format!("{bound:.2}"))),
        or_dash(bytes.map(|(read, written)| format!("{:.3}", (read + written) as f64 / 1e6))),
        or_dash(kernel.and_then(|it| it.bottleneck.clone())),
        or_dash(
            kernel
                .and_then(|it| it.waves_per_simd)
                .map(|it| it.to_string()),
        ),
        or_dash(kernel.map(|it| {
            let count = |sizes: [u32; 3]| sizes.into_iter().map(u64::from).product::<u64>();
            format!("{}x{}", count(it.workgroups), count(it.workgroup_size))
        })),
        dispatch,
    ]
}

#[cfg(test)]
mod tests {
    use ::model_profile::{CommandKind, UnknownTime};

    use super::*;

    /// Returns a fill with this time, or with a lower bound of it.
    fn fill(time_us: Result<f64, Option<f64>>) -> DeviceCommand {
        let unknown = |least_us| UnknownTime {
            reason: "kernel k: it did not end".to_owned(),
            least_us,
        };
        DeviceCommand {
            kind: CommandKind::Fill,
            time_us: time_us.map_err(unknown),
            read_bytes: None,
            written_bytes: None,
            bound_us: Some(1.0),
        }
    }

    /// Checks the first line of a call, the times and shares of its commands, and the last lines.
    #[track_caller]
    fn check(commands: &[DeviceCommand], order: Order, expected: &[&str]) {
        let call = FunctionProfile {
            function: "main".to_owned(),
            inputs: Vec::new(),
            commands: commands.to_vec(),
            at_load: commands[..1].to_vec(),
        };
        let text = function(&call, order);
        let words = |line: &str| {
            let words = line.split_whitespace().take(6);
            words.collect::<Vec<_>>().join(" ")
        };
        let lines: Vec<String> = text.lines().map(words).collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn lower_bounds_are_marked() {
        check(
            &[fill(Ok(5.0)), fill(Err(Some(90.0))), fill(Err(None))],
            Order::Time,
            &[
                "main(): more than 95.00 us, 0",
                "# us % bound MB limit",
                "2 >90.00 - 1.00 - -",
                "1 5.00 - 1.00 - -",
                "3 - - 1.00 - -",
                "2 takes more than 90.00 us:",
                "3 has no time: it did",
                "once at load: 1 kernel of",
            ],
        );
        check(
            &[fill(Ok(5.0)), fill(Ok(15.0))],
            Order::Launch,
            &[
                "main(): 20.00 us, 0 kernels, 2",
                "# us % bound MB limit",
                "1 5.00 25.0 1.00 - -",
                "2 15.00 75.0 1.00 - -",
                "once at load: 1 kernel of",
            ],
        );
    }
}
