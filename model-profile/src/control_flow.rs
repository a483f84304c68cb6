//! Loops of an outlined function.
//!
//! The compiler prints a function as blocks with branches. A branch to an earlier block closes a
//! loop. Its first block, the *head*, decides whether the body follows, so it may run once more
//! than the body.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A command without a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum OutlinedCommand {
    Kernel {
        name: String,
        /// The hash of its operations with the facts about its sizes, or its name if it has a code
        /// object.
        content: String,
        /// The bytes that it reads and writes, if its sizes are static.
        bytes: Option<(u64, u64)>,
    },
    /// A copy of so many bytes.
    Copy(Option<u64>),
    /// A fill of so many bytes.
    Fill(Option<u64>),
}

/// A step of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OutlineStep {
    Command(OutlinedCommand),
    /// A call of another function.
    Call(String),
    Loop {
        head: Vec<OutlineStep>,
        body: Vec<OutlineStep>,
    },
}

/// A block of a function: a part of its steps.
#[derive(Debug, Default)]
pub(crate) struct BranchBlock {
    /// The name, such as `^bb1`. The first block has none.
    pub(crate) label: String,
    /// The position of its first step.
    pub(crate) begin: usize,
    /// The labels to which it may branch.
    pub(crate) targets: Vec<String>,
}

/// Returns the steps of a function with its loops. A loop without steps is none. A branch beyond a
/// kernel's range is left out, because no call of a profile has such a count.
pub(crate) fn with_loops(blocks: &[BranchBlock], steps: &[OutlineStep]) -> Vec<OutlineStep> {
    let end_of = |at: usize| blocks.get(at + 1).map_or(steps.len(), |it| it.begin);
    let mut of_blocks: Vec<&[OutlineStep]> = (0..blocks.len())
        .map(|at| &steps[blocks[at].begin..end_of(at)])
        .collect();
    for at in 0..blocks.len() {
        let (first, second) = branches(blocks, at);
        if is_beyond(
            &of_blocks[first].concat(),
            &of_blocks[second.clone()].concat(),
        ) {
            of_blocks[second].fill(&[]);
        }
    }
    nested(blocks, 0..blocks.len(), &of_blocks)
}

/// Returns the blocks of both branches behind a block, or none if it has no two branches that meet
/// again.
fn branches(blocks: &[BranchBlock], at: usize) -> (Range<usize>, Range<usize>) {
    let position = |label: &String| blocks.iter().position(|it| it.label == *label);
    let found = || {
        let [first, second] = &blocks[at].targets[..] else {
            return None;
        };
        let (first, second) = (position(first)?, position(second)?);
        // The compiler prints the first branch before the second one.
        let last = second
            .checked_sub(1)
            .filter(|last| *last >= first && first > at)?;
        let [meeting] = &blocks[last].targets[..] else {
            return None;
        };
        Some((first..second, second..position(meeting)?.max(second)))
    };
    found().unwrap_or_default()
}

/// Returns true if the second branch is for counts beyond the range of an exported kernel in the
/// first. It copies a part of the kernel's operands at a time, and launches the kernel for it.
fn is_beyond(first: &[OutlineStep], second: &[OutlineStep]) -> bool {
    let is_copy =
        |step: &OutlineStep| matches!(step, OutlineStep::Command(OutlinedCommand::Copy(_)));
    let is_exported = |step: &OutlineStep| match step {
        // The content of an exported kernel is its name.
        OutlineStep::Command(OutlinedCommand::Kernel { name, content, .. }) => name == content,
        _ => false,
    };
    let again = |step: &OutlineStep| is_exported(step) && first.contains(step);
    second.iter().any(is_copy) && second.iter().any(again)
}

fn nested(
    blocks: &[BranchBlock],
    range: Range<usize>,
    of_blocks: &[&[OutlineStep]],
) -> Vec<OutlineStep> {
    let own = |at: usize| of_blocks[at].iter().cloned();
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        // The last branch back closes the loop, so that `continue` makes no loop of its own.
        let closes = |it: &usize| blocks[*it].targets.contains(&blocks[at].label);
        match (at..range.end).rev().find(closes) {
            None => found.extend(own(at)),
            Some(last) => {
                let (head, body) = match last == at {
                    true => (Vec::new(), own(at).collect()),
                    false => (
                        own(at).collect(),
                        nested(blocks, at + 1..last + 1, of_blocks),
                    ),
                };
                if !head.is_empty() || !body.is_empty() {
                    found.push(OutlineStep::Loop { head, body });
                }
                at = last;
            }
        }
        at += 1;
    }
    found
}

/// The executions of a loop's head and body each time that the loop is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoopCount {
    head: usize,
    body: usize,
}

/// Returns the count of each loop, in the order of their begins. `launches` returns how often a
/// kernel of this name was launched. `None` if no kernel tells: it must stand in the loop alone.
pub(crate) fn loop_counts(
    steps: &[OutlineStep],
    launches: &dyn Fn(&str) -> usize,
) -> Option<Vec<LoopCount>> {
    let mut counts = Vec::new();
    count(steps, steps, 1, launches, &mut counts)?;
    Some(counts)
}

/// Appends the counts of the loops in `steps`, which are executed `times` in all.
fn count(
    all: &[OutlineStep],
    steps: &[OutlineStep],
    times: usize,
    launches: &dyn Fn(&str) -> usize,
    counts: &mut Vec<LoopCount>,
) -> Option<()> {
    for step in steps {
        let OutlineStep::Loop { head, body } = step else {
            continue;
        };
        // Launches of a kernel that stands at two places do not tell which of them ran.
        let executions = |steps: &[OutlineStep]| -> Option<usize> {
            let mut names = steps.iter().filter_map(kernel_name);
            let name = names.find(|name| occurrences(all, name) == 1)?;
            Some(launches(name))
        };
        let of_body = match executions(body) {
            Some(found) => found,
            None if body.is_empty() => 0,
            None => return None,
        };
        let of_head = match executions(head) {
            Some(found) => found,
            None if head.is_empty() => of_body,
            None => return None,
        };
        // A loop that runs a different number of times each time has no count.
        let each = |executions: usize| {
            let is_even = executions.is_multiple_of(times);
            is_even.then(|| executions.checked_div(times).unwrap_or(0))
        };
        counts.push(LoopCount {
            head: each(of_head)?,
            body: each(of_body)?,
        });
        count(all, head, of_head, launches, counts)?;
        count(all, body, of_body, launches, counts)?;
    }
    Some(())
}

fn kernel_name(step: &OutlineStep) -> Option<&str> {
    match step {
        OutlineStep::Command(OutlinedCommand::Kernel { name, .. }) => Some(name),
        _ => None,
    }
}

fn occurrences(steps: &[OutlineStep], name: &str) -> usize {
    let of = |step: &OutlineStep| match step {
        OutlineStep::Loop { head, body } => occurrences(head, name) + occurrences(body, name),
        step => usize::from(kernel_name(step) == Some(name)),
    };
    steps.iter().map(of).sum()
}

/// The largest number of commands of a call with loops.
const MAX_COMMANDS: usize = 1 << 16;

/// Returns the commands in the order of their execution. `None` if the loops are not those of the
/// counts, or if there are more than [`MAX_COMMANDS`].
pub(crate) fn unrolled(
    steps: &[OutlineStep],
    counts: &[LoopCount],
) -> Option<Vec<OutlinedCommand>> {
    let mut commands = Vec::new();
    (loops(steps) == counts.len()).then_some(())?;
    append(steps, counts, &mut commands)?;
    Some(commands)
}

fn append(
    steps: &[OutlineStep],
    mut counts: &[LoopCount],
    commands: &mut Vec<OutlinedCommand>,
) -> Option<()> {
    for step in steps {
        match step {
            OutlineStep::Command(command) => commands.push(command.clone()),
            OutlineStep::Call(_) => {}
            OutlineStep::Loop { head, body } => {
                let (own, inner) = counts.split_first()?;
                let (of_head, inner) = inner.split_at_checked(loops(head))?;
                let (of_body, rest) = inner.split_at_checked(loops(body))?;
                for round in 0..own.head.max(own.body) {
                    if round < own.head {
                        append(head, of_head, commands)?;
                    }
                    if round < own.body {
                        append(body, of_body, commands)?;
                    }
                    (commands.len() <= MAX_COMMANDS).then_some(())?;
                }
                counts = rest;
            }
        }
    }
    Some(())
}

/// Returns the number of loops in these steps.
fn loops(steps: &[OutlineStep]) -> usize {
    let of = |step: &OutlineStep| match step {
        OutlineStep::Loop { head, body } => 1 + loops(head) + loops(body),
        OutlineStep::Command(_) | OutlineStep::Call(_) => 0,
    };
    steps.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads blocks such as `^1 a B = >1 >2`: a label, kernels, copies, and targets. A kernel with
    /// a capital letter is an exported one.
    fn read(text: &str) -> Vec<OutlineStep> {
        let (mut blocks, mut steps) = (vec![BranchBlock::default()], Vec::new());
        for word in text.split_whitespace() {
            match (word.strip_prefix('^'), word.strip_prefix('>')) {
                (Some(label), _) => blocks.push(BranchBlock {
                    label: label.to_owned(),
                    begin: steps.len(),
                    ..BranchBlock::default()
                }),
                (_, Some(target)) => {
                    let block = blocks.last_mut().unwrap();
                    block.targets.push(target.to_owned());
                }
                _ if word == "=" => steps.push(OutlineStep::Command(OutlinedCommand::Copy(None))),
                _ => steps.push(OutlineStep::Command(OutlinedCommand::Kernel {
                    name: word.to_owned(),
                    content: word.to_uppercase(),
                    bytes: None,
                })),
            }
        }
        with_loops(&blocks, &steps)
    }

    fn printed(steps: &[OutlineStep]) -> String {
        let of = |step: &OutlineStep| match step {
            OutlineStep::Loop { head, body } => format!("({}|{})", printed(head), printed(body)),
            step => kernel_name(step).unwrap_or("=").to_owned(),
        };
        steps.iter().map(of).collect()
    }

    #[test]
    fn branches_to_earlier_blocks_are_loops() {
        let check = |text: &str, expected: &str| assert_eq!(printed(&read(text)), expected);
        check("a b", "ab");
        check("a >1 ^1 >2 >3 ^2 b c >1 ^3 d", "a(|bc)d");
        check("a >1 ^1 h >2 >3 ^2 b >1 ^3 d", "a(h|b)d");
        // A block that branches to itself.
        check("a >1 ^1 b >1 >2 ^2 c", "a(|b)c");
        // A branch is no loop, and neither is a loop without steps.
        check("a >1 >2 ^1 b >2 ^2 c", "abc");
        check("a >1 ^1 >2 >3 ^2 >1 ^3 d", "ad");
        // Counts beyond a kernel's range have a branch with a loop, that prepares operands anew.
        const BEYOND: &str = "a >1 >2 ^1 K b >6 ^2 >3 ^3 >4 >5 ^4 = c K >3 ^5 b >6 ^6 d";
        check(BEYOND, "aKbd");
        let other = |from: &str, to: &str| BEYOND.replace(from, to);
        check(&other("= c K", "= c L"), "aKb(|=cL)bd");
        check(&other("= c K", "c K"), "aKb(|cK)bd");
        check(&other("K", "k"), "akb(|=ck)bd");
        check("a >1 >2 ^1 k >3 ^2 b >3 ^3 c", "akbc");
        // Loops in a loop, and one behind another.
        check(
            "a >1 ^1 >2 >5 ^2 b >3 ^3 c >3 >4 ^4 d >1 ^5 >6 ^6 e >6 >7 ^7",
            "a(|b(|c)d)(|e)",
        );
    }

    /// Checks the commands of a call with these launches. `-` is a call without a count.
    #[track_caller]
    fn check(text: &str, launched: &str, expected: &str) {
        let steps = read(text);
        let launches = |name: &str| launched.matches(name).count();
        let counts = loop_counts(&steps, &launches);
        let commands = counts.map(|counts| unrolled(&steps, &counts).unwrap());
        let commands =
            commands.map(|it| it.into_iter().map(OutlineStep::Command).collect::<Vec<_>>());
        let found = commands.map_or_else(|| "-".to_owned(), |it| printed(&it));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn launches_tell_the_counts() {
        const LOOP: &str = "a >1 ^1 h >2 >3 ^2 b c >1 ^3 d";
        check(LOOP, "ahbchbchd", "ahbchbchd");
        check(LOOP, "ahd", "ahd");
        check("a >1 ^1 >2 >3 ^2 b >1 ^3 d", "abbbd", "abbbd");
        // The kernel of the loop stands behind it, too.
        check("a >1 ^1 >2 >3 ^2 b >1 ^3 b", "abbbb", "-");
        check("a >1 ^1 >2 >3 ^2 b c >1 ^3 b", "abcbcb", "abcbcb");
        const NESTED: &str = "a >1 ^1 >2 >5 ^2 b >3 ^3 c >3 >4 ^4 d >1 ^5 e";
        check(NESTED, "abccdbccde", "abccdbccde");
        // The inner loop runs once and then twice.
        check(NESTED, "abcdbccde", "-");
        check(NESTED, "ae", "ae");
        check("a b c", "abc", "abc");
    }

    #[test]
    fn counts_of_other_loops_are_refused() {
        let looped = read("a >1 ^1 b >1 >2 ^2 c");
        let counts = loop_counts(&looped, &|_| 2).unwrap();
        assert_eq!(unrolled(&read("a b c"), &counts), None);
        assert_eq!(unrolled(&looped, &[]), None);
        let counts = loop_counts(&looped, &|_| MAX_COMMANDS).unwrap();
        assert_eq!(unrolled(&looped, &counts), None);
    }
}
