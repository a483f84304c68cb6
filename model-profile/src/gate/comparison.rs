//! The comparison of commands by their times.

use crate::command::DeviceCommand;
use crate::profiler::ProfiledModule;

/// The relative difference below which two modelled times are equal.
const EQUAL: f64 = 1e-9;

/// The least gain, as a part of the time of the commands that a candidate changes. The errors of
/// the time model are many times as large. A kernel of its own also costs more than its time: a
/// code object to ship, and fusion that a later iree-compile would find.
const LEAST_GAIN: f64 = 0.005;

/// The time of the commands that differ, before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct TimePair {
    pub(super) before_us: f64,
    pub(super) after_us: f64,
    /// The number of commands before that count with the lower bound of their time.
    pub(super) bounded: usize,
}

impl TimePair {
    pub(super) fn saved_us(&self) -> f64 {
        self.before_us - self.after_us
    }

    /// Returns true if the commands after take longer, or longer than the lower bound of those
    /// before.
    fn is_slower(&self) -> bool {
        self.after_us > self.before_us * (1.0 + EQUAL)
    }

    fn add(self, other: &TimePair) -> TimePair {
        TimePair {
            before_us: self.before_us + other.before_us,
            after_us: self.after_us + other.after_us,
            bounded: self.bounded + other.bounded,
        }
    }
}

/// Returns true if this gain is large enough for kernels or dispatches that take this time.
pub(super) fn is_enough(gain_us: f64, time_us: f64) -> bool {
    gain_us > 0.0 && gain_us >= LEAST_GAIN * time_us
}

/// The times of a group's commands, before and after, for each call.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupTimes {
    pub(super) calls: Vec<TimePair>,
    /// The message about a command without a time.
    pub(super) untimed: Option<String>,
    /// True if the times after are estimates.
    pub(super) is_bound: bool,
}

impl GroupTimes {
    /// Adds a call, or the message about a command of it without a time.
    pub(super) fn add(&mut self, call: Result<TimePair, String>) {
        match call {
            Ok(pair) => self.calls.push(pair),
            Err(untimed) => self.untimed = Some(untimed),
        }
    }

    /// Returns the sums over all calls.
    pub(super) fn sums(&self) -> TimePair {
        self.calls.iter().fold(TimePair::default(), TimePair::add)
    }

    /// Returns the call that loses most, if one becomes slower, by position. A call that is not
    /// below a lower bound comes last.
    pub(super) fn slowest_call(&self) -> Option<usize> {
        let slower = self.calls.iter().enumerate().filter(|it| it.1.is_slower());
        let key = |it: &TimePair| (it.bounded == 0, -it.saved_us());
        let most = slower.max_by(|one, other| {
            let (one, other) = (key(one.1), key(other.1));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        most.map(|it| it.0)
    }

    /// Returns the gain over all calls in microseconds, unless a call becomes slower or there is no
    /// [`sum_gain_us`](Self::sum_gain_us).
    pub(super) fn gain_us(&self) -> Option<f64> {
        self.sum_gain_us().filter(|_| self.slowest_call().is_none())
    }

    /// Returns the gain over all calls in microseconds, unless it is too small or a time is
    /// unknown.
    pub(super) fn sum_gain_us(&self) -> Option<f64> {
        let sums = self.sums();
        let gain = sums.saved_us();
        (self.untimed.is_none() && is_enough(gain, sums.before_us)).then_some(gain)
    }
}

/// Returns the times of two lists of commands without those that are in both.
///
/// Commands before may count with the lower bound of an unknown time. Commands after may not: more
/// than a bound is no time to keep a candidate for.
///
/// # Errors
///
/// The name of a command without a time, and the reason. Commands without a lower bound, such as
/// matrix kernels, count with the bounds of their bytes if both lists have equally many of them.
pub(super) fn compared(
    before: &[&DeviceCommand],
    after: &[&DeviceCommand],
) -> Result<TimePair, String> {
    let mut before: Vec<&DeviceCommand> = before.to_vec();
    let mut rest = after.to_vec();
    cancel(&mut before, &mut rest, |one, other| {
        one.identity() == other.identity()
    });
    cancel(&mut before, &mut rest, is_alike_beyond_limit);
    let unknown = |commands: &[&DeviceCommand]| {
        let commands = commands.iter();
        commands.filter(|it| it.counted_us().is_none()).count()
    };
    let by_bounds = unknown(&before) == unknown(&rest);
    let us = |command: &DeviceCommand, is_after: bool| match &command.time_us {
        Ok(time) => Ok(*time),
        Err(unknown) => {
            let least = unknown.least_us;
            let bound = command.bound_us.filter(|_| by_bounds && least.is_none());
            let counted = least.filter(|_| !is_after).or(bound);
            counted.ok_or_else(|| {
                let (name, reason) = (command.name(), &unknown.reason);
                match least {
                    Some(least) => format!("{name} takes more than {least:.2} us: {reason}"),
                    None => format!("{name} has no time: {reason}"),
                }
            })
        }
    };
    let sum = |commands: &[&DeviceCommand], is_after: bool| {
        let times = commands.iter().map(|command| us(command, is_after));
        times.sum::<Result<f64, String>>()
    };
    Ok(TimePair {
        before_us: sum(&before, false)?,
        after_us: sum(&rest, true)?,
        bounded: before.iter().filter(|it| it.is_bounded()).count(),
    })
}

/// Removes pairs of equal commands from both lists.
fn cancel(
    before: &mut Vec<&DeviceCommand>,
    after: &mut Vec<&DeviceCommand>,
    is_equal: impl Fn(&DeviceCommand, &DeviceCommand) -> bool,
) {
    after.retain(|command| {
        let same = before.iter().position(|it| is_equal(it, command));
        same.map(|at| before.remove(at)).is_none()
    });
}

/// Returns true if both are kernels of IREE beyond the instruction limit, for the same operations
/// on as many bytes. Places of buffers are part of their code and scalars, and change with the
/// module around them.
fn is_alike_beyond_limit(one: &DeviceCommand, other: &DeviceCommand) -> bool {
    let bytes = |it: &DeviceCommand| (it.read_bytes, it.written_bytes);
    let (Some(first), Some(second)) = (one.kernel(), other.kernel()) else {
        return false;
    };
    one.is_bounded()
        && other.is_bounded()
        && !first.operations.is_empty()
        && first.operations == second.operations
        && (first.workgroups, first.workgroup_size) == (second.workgroups, second.workgroup_size)
        && bytes(one) == bytes(other)
}

/// Returns true if no call of the second module takes longer than that of the first.
pub(super) fn is_no_slower(plain: &ProfiledModule, other: &ProfiledModule) -> bool {
    let times = total_times(plain, other);
    times.untimed.is_none() && times.slowest_call().is_none()
}

/// Returns the times of all commands that differ between two modules.
pub(super) fn total_times(one: &ProfiledModule, other: &ProfiledModule) -> GroupTimes {
    let mut times = GroupTimes::default();
    for (before, after) in one.functions.iter().zip(&other.functions) {
        let [before, after] = [before, after].map(|it| it.commands.iter().collect::<Vec<_>>());
        times.add(compared(&before, &after));
    }
    times
}
