//! The difference between two calls: the parts in which their commands are not the same.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::command::{CommandIdentity, DeviceCommand};

/// A part that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The commands of the first call.
    pub(crate) before: Range<usize>,
    /// The commands of the second call.
    pub(crate) after: Range<usize>,
}

/// Returns the hunks between two calls, in order. Commands are equal by content, so that names
/// and numbers of dispatches do not matter.
pub(crate) fn hunks(before: &[DeviceCommand], after: &[DeviceCommand]) -> Vec<Hunk> {
    // Numbers compare faster than identities.
    let mut numbers: HashMap<CommandIdentity<'_>, usize> = HashMap::new();
    for command in before.iter().chain(after) {
        let next = numbers.len();
        numbers.entry(command.identity()).or_insert(next);
    }
    let numbered = |commands: &[DeviceCommand]| -> Vec<usize> {
        let commands = commands.iter();
        commands.map(|it| numbers[&it.identity()]).collect()
    };
    let (before, after) = (numbered(before), numbered(after));
    let mut hunks: Vec<Hunk> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &before, &after) {
        if matches!(operation, DiffOp::Equal { .. }) {
            continue;
        }
        let (one, other) = (operation.old_range(), operation.new_range());
        match hunks.last_mut() {
            Some(last) if last.before.end == one.start && last.after.end == other.start => {
                last.before.end = one.end;
                last.after.end = other.end;
            }
            _ => hunks.push(Hunk {
                before: one,
                after: other,
            }),
        }
    }
    hunks
}
