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
        // A deletion and an insertion at one place are one hunk.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{CommandKind, KernelLaunch};

    /// Returns commands whose names have the number of their dispatch, as those of iree-compile.
    fn commands(text: &str) -> Vec<DeviceCommand> {
        let samples = text.split_whitespace().map(DeviceCommand::sample);
        let numbered = samples.enumerate().map(|(number, mut command)| {
            if let CommandKind::Kernel(kernel) = &mut command.kind {
                kernel.name = format!("main_dispatch_{number}");
            }
            command
        });
        numbered.collect()
    }

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let found = hunks(&commands(before), &commands(after));
        let expected: Vec<Hunk> = expected
            .iter()
            .map(|(before, after)| Hunk {
                before: before.clone(),
                after: after.clone(),
            })
            .collect();
        assert_eq!(found, expected, "{before} | {after}");
    }

    #[test]
    fn equal_commands_cancel() {
        check("", "", &[]);
        check("a:1 b:1", "a:1 b:1", &[]);
        check("a:1 b:1 c:1", "a:1 x:1 c:1", &[(1..2, 1..2)]);
        check("a:1 b:1", "b:1", &[(0..1, 0..0)]);
        check("b:1", "a:1 b:1", &[(0..0, 0..1)]);
        check("", "a:1 b:1", &[(0..0, 0..2)]);
        check("a:1 b:1 c:1 d:1", "a:1 x:1 y:1 d:1", &[(1..3, 1..3)]);
        check(
            "a:1 b:1 c:1 d:1 e:1",
            "x:1 b:1 c:1 y:1 z:1 e:1",
            &[(0..1, 0..1), (3..4, 3..5)],
        );
    }

    #[test]
    fn repeated_commands() {
        check("a:1 a:1 a:1", "a:1 x:1 a:1", &[(1..2, 1..2)]);
        check("a:1 a:1", "a:1 a:1 a:1", &[(2..2, 2..3)]);
        check(
            "a:1 b:1 a:1 b:1 a:1 b:1",
            "a:1 x:1 a:1 b:1 a:1 x:1",
            &[(1..2, 1..2), (5..6, 5..6)],
        );
    }

    #[test]
    fn copies_and_fills_count() {
        check("a:1", "fill:1 a:1", &[(0..0, 0..1)]);
        check("copy:1 a:1", "copy:1 a:1", &[]);
        check("copy:1 a:1", "copy:2 a:1", &[(0..1, 0..1)]);
        check("copy:1 a:1", "fill:1 a:1", &[(0..1, 0..1)]);
    }

    /// Checks that two launches are not the same after a change of one.
    #[track_caller]
    fn check_change(change: impl FnOnce(&mut KernelLaunch)) {
        let before = commands("a:1");
        let mut after = before.clone();
        if let CommandKind::Kernel(kernel) = &mut after[0].kind {
            change(kernel);
        }
        assert_eq!(hunks(&before, &after).len(), 1);
    }

    #[test]
    fn all_that_determines_a_time_counts() {
        check_change(|it| it.code = "b".to_owned());
        check_change(|it| it.workgroups[2] = 2);
        check_change(|it| it.workgroup_size[0] = 128);
        check_change(|it| it.scalars.push(7));
        let before = commands("a:1");
        let mut after = before.clone();
        after[0].read_bytes = Some(1);
        assert_eq!(hunks(&before, &after).len(), 1);
    }
}
