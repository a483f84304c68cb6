//! The comparison of commands by their times.

use crate::command::DeviceCommand;
use crate::function_profile::FunctionProfile;
use crate::profiler::ProfiledModule;

/// The relative difference below which two modelled times are equal.
const EQUAL: f64 = 1e-9;

/// The times of a group's commands, before and after, for each call.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupTimes {
    pub(super) calls: Vec<(f64, f64)>,
    /// The message about a command without a time.
    pub(super) untimed: Option<String>,
    /// True if the times after are lower bounds.
    pub(super) is_bound: bool,
}

impl GroupTimes {
    /// Returns the sums over all calls, before and after.
    pub(super) fn sums_us(&self) -> (f64, f64) {
        let calls = self.calls.iter();
        calls.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    }

    /// Returns the difference of the sums.
    pub(super) fn saved_us(&self) -> f64 {
        let (before, after) = self.sums_us();
        before - after
    }

    /// Returns the call that loses most, if one becomes slower, by position.
    pub(super) fn slowest_call(&self) -> Option<usize> {
        let slower = self.calls.iter().enumerate().filter(|it| is_slower(*it.1));
        let loss = |it: &(f64, f64)| it.1 - it.0;
        let most = slower.max_by(|one, other| loss(one.1).total_cmp(&loss(other.1)));
        most.map(|it| it.0)
    }

    /// Returns the gain in microseconds, unless a call becomes slower or a time is unknown.
    pub(super) fn gain_us(&self) -> Option<f64> {
        let is_sound = self.untimed.is_none() && self.slowest_call().is_none();
        let gain = self.saved_us();
        (is_sound && gain > self.sums_us().0 * EQUAL).then_some(gain)
    }
}

/// Returns true if the second time is longer.
fn is_slower((before, after): (f64, f64)) -> bool {
    after > before * (1.0 + EQUAL)
}

/// Returns the times of two lists of commands without those that are in both.
///
/// # Errors
///
/// The name of a command without a time, and the reason. If both lists have equally many commands
/// without a time, such as matrix kernels, these count with their bounds.
pub(super) fn compared(
    before: &[&DeviceCommand],
    after: &[&DeviceCommand],
) -> Result<(f64, f64), String> {
    let mut before: Vec<&DeviceCommand> = before.to_vec();
    let mut rest = Vec::new();
    for command in after {
        let same = (before.iter()).position(|it| it.identity() == command.identity());
        match same {
            Some(at) => drop(before.remove(at)),
            None => rest.push(*command),
        }
    }
    let untimed =
        |commands: &[&DeviceCommand]| commands.iter().filter(|it| it.time_us.is_err()).count();
    let by_bounds = untimed(&before) == untimed(&rest);
    let sum = |commands: &[&DeviceCommand]| {
        let times = commands.iter().map(|command| match &command.time_us {
            Ok(time) => Ok(*time),
            Err(reason) => (command.bound_us.filter(|_| by_bounds))
                .ok_or_else(|| format!("{} has no time: {reason}", command.name())),
        });
        times.sum::<Result<f64, String>>()
    };
    Ok((sum(&before)?, sum(&rest)?))
}

/// Returns true if no call of the second module takes longer than that of the first.
pub(super) fn is_no_slower(plain: &ProfiledModule, other: &ProfiledModule) -> bool {
    total_gain_us(plain, other).is_some()
}

/// Returns the time that the second module saves, unless a call takes longer or a time is unknown.
pub(super) fn total_gain_us<'a>(
    plain: &'a ProfiledModule,
    other: &'a ProfiledModule,
) -> Option<f64> {
    let calls = plain.functions.iter().zip(&other.functions);
    let gains = calls.map(|(before, after)| {
        let commands = |it: &'a FunctionProfile| it.commands.iter().collect::<Vec<_>>();
        let times = compared(&commands(before), &commands(after)).ok()?;
        (!is_slower(times)).then_some(times.0 - times.1)
    });
    gains.sum()
}
