//! The outline of a module: the commands of its functions before code generation.
//!
//! This is the compiler's text about a user's module. A fact in another form than the known one is
//! unknown, and no error.

use std::collections::HashMap;

use iree::OutlinedModule;
use serde::{Deserialize, Serialize};

use crate::executable_source;

/// The largest number of nested calls.
const MAX_DEPTH: u32 = 8;

/// The outline of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleOutline {
    functions: HashMap<String, Vec<Step>>,
}

/// A command without a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum OutlinedCommand {
    Kernel {
        name: String,
        /// The hash of its operations, or its name if it has a code object.
        content: String,
        /// The bytes that it reads and writes, if its sizes are static.
        bytes: Option<(u64, u64)>,
    },
    /// A copy of so many bytes.
    Copy(Option<u64>),
    /// A fill of so many bytes.
    Fill(Option<u64>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Step {
    Command(OutlinedCommand),
    /// A call of another function.
    Call(String),
}

impl ModuleOutline {
    /// Reads an outlined module.
    pub(crate) fn of(module: &OutlinedModule) -> ModuleOutline {
        let kernels = contents(&module.dispatches);
        let sources = executable_source::kernels(std::slice::from_ref(&module.dispatches));
        let externs = extern_bytes(&module.dispatches);
        let kernel = |name: &str| OutlinedCommand::Kernel {
            name: name.to_owned(),
            content: match kernels.get(name) {
                Some(kernel) => kernel.content.clone(),
                None => name.to_owned(),
            },
            bytes: match (sources.get(name), kernels.get(name)) {
                (Some(source), Some(kernel)) if !kernel.gathers => source.bytes(&[]),
                (Some(_), _) => None,
                (None, _) => externs.get(name).copied(),
            },
        };
        let mut functions = HashMap::new();
        let mut current: Option<(String, Vec<Step>)> = None;
        let mut begin = 0;
        for line in module.commands.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("util.func ") {
                functions.extend(current.take());
                current = symbol(rest).map(|name| (name.to_owned(), Vec::new()));
            } else if line.starts_with("util.initializer") {
                functions.extend(current.take());
            } else if let Some((_, steps)) = &mut current {
                if line.contains("stream.cmd.execute ") {
                    begin = steps.len();
                } else if line == "} => !stream.timepoint" && is_beyond(steps, begin) {
                    steps.truncate(begin);
                }
                steps.extend(step(line, &kernel));
            }
        }
        functions.extend(current);
        ModuleOutline { functions }
    }

    /// Returns the commands of a call of this function, each operation once.
    pub(crate) fn commands(&self, function: &str) -> Option<Vec<OutlinedCommand>> {
        let mut commands = Vec::new();
        self.append(function, MAX_DEPTH, &mut commands)?;
        Some(commands)
    }

    /// Returns true if a function has one of these kernels, in any branch.
    pub(crate) fn has_any(&self, kernels: &[String]) -> bool {
        let mut steps = self.functions.values().flatten();
        steps.any(|step| match step {
            Step::Command(OutlinedCommand::Kernel { name, .. }) => kernels.contains(name),
            Step::Command(_) | Step::Call(_) => false,
        })
    }

    fn append(
        &self,
        function: &str,
        depth: u32,
        commands: &mut Vec<OutlinedCommand>,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        for step in self.functions.get(function)? {
            match step {
                Step::Command(command) => commands.push(command.clone()),
                // An imported function has no commands here.
                Step::Call(name) if self.functions.contains_key(name) => {
                    self.append(name, depth, commands)?;
                }
                Step::Call(_) => {}
            }
        }
        Some(())
    }
}

/// Returns true if the steps from `begin` on launch a kernel beyond its range of counts. This is a
/// loop around copies and another launch. No call of a profile has such a count.
fn is_beyond(steps: &[Step], begin: usize) -> bool {
    let (before, region) = steps.split_at(begin.min(steps.len()));
    let is_copy = |step: &Step| matches!(step, Step::Command(OutlinedCommand::Copy(_)));
    let is_second = |step: &Step| match step {
        Step::Command(OutlinedCommand::Kernel { name, content, .. }) => {
            name == content && before.contains(step)
        }
        Step::Command(_) => true,
        Step::Call(_) => false,
    };
    region.iter().any(is_copy) && region.iter().all(is_second) && !region.iter().all(is_copy)
}

#[cfg(test)]
impl ModuleOutline {
    /// Returns the outline of a function with these commands. A kernel's name is its content.
    pub(crate) fn sample(function: &str, commands: &[crate::command::DeviceCommand]) -> Self {
        use crate::command::CommandKind;

        let step = |command: &crate::command::DeviceCommand| {
            Step::Command(match &command.kind {
                CommandKind::Kernel(kernel) => OutlinedCommand::Kernel {
                    name: kernel.name.clone(),
                    content: kernel.name.clone(),
                    bytes: None,
                },
                CommandKind::Copy => OutlinedCommand::Copy(command.written_bytes),
                CommandKind::Fill => OutlinedCommand::Fill(command.written_bytes),
            })
        };
        let steps = commands.iter().map(step).collect();
        ModuleOutline {
            functions: HashMap::from([(function.to_owned(), steps)]),
        }
    }
}

/// Returns the step on a line, if there is one.
fn step(line: &str, kernel: &dyn Fn(&str) -> OutlinedCommand) -> Option<Step> {
    let line = match line.split_once(" = ") {
        Some((values, operation)) if values.starts_with('%') => operation,
        _ => line,
    };
    let (operation, rest) = line.split_once(' ')?;
    Some(match operation {
        "stream.cmd.dispatch" => {
            // `@executable::@variant::@kernel(…) {`
            let path = rest.split(['(', '[', ' ']).next()?;
            Step::Command(kernel(path.rsplit_once('@')?.1))
        }
        "stream.cmd.fill" => {
            let (_, range) = rest.split_once(" for ")?;
            Step::Command(OutlinedCommand::Fill(constant(range)))
        }
        "stream.cmd.copy" => {
            let operands = rest.split_once(" : ")?.0;
            let length = operands.rsplit(", ").next()?;
            Step::Command(OutlinedCommand::Copy(constant(length)))
        }
        "util.call" => Step::Call(symbol(rest)?.to_owned()),
        _ => return None,
    })
}

/// Returns the first symbol of a text, without its sign.
fn symbol(text: &str) -> Option<&str> {
    let (_, name) = text.split_once('@')?;
    name.split(['(', ' ', '{', ',', ':']).next()
}

/// Returns the value of a constant by its name: MLIR prints 64 as `%c64`, or as `%c64_0`.
fn constant(text: &str) -> Option<u64> {
    let digits = text.trim().strip_prefix("%c")?;
    let digits = digits.split(|it: char| !it.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The operations of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KernelContent {
    /// Their hash, without numbers of dispatches.
    content: String,
    /// True if it may read less than it loads.
    gathers: bool,
}

/// Returns the operations of each kernel by its name.
fn contents(dispatches: &str) -> HashMap<String, KernelContent> {
    let mut found = HashMap::new();
    let mut current: Option<(&str, String)> = None;
    let mut names: Vec<&str> = Vec::new();
    for line in dispatches.lines() {
        if line.starts_with("  flow.executable ") {
            current = symbol(line).map(|name| (name, String::new()));
            names.clear();
            continue;
        }
        let Some((executable, text)) = &mut current else {
            continue;
        };
        if line == "  }" {
            let content = KernelContent {
                content: blake3::hash(text.as_bytes()).to_hex().to_string(),
                gathers: text.contains("tensor.extract ") || text.contains("gather"),
            };
            found.extend(names.drain(..).map(|it| (it.to_owned(), content.clone())));
            current = None;
            continue;
        }
        if line.trim_start().starts_with("flow.executable.export ") {
            names.extend(symbol(line));
        }
        *text += &line.replace(*executable, "");
        text.push('\n');
    }
    found
}

/// Returns the bytes that each dispatch moves between static tensors, by the name of its kernel.
fn extern_bytes(dispatches: &str) -> HashMap<String, (u64, u64)> {
    let mut found = HashMap::new();
    for line in dispatches.lines() {
        let Some((_, rest)) = line.split_once("flow.dispatch @") else {
            continue;
        };
        let moved = || {
            let path = rest.split(['(', '[', ' ']).next()?;
            let (_, types) = rest.split_once(" : ")?;
            let (operands, results) = types.split_once(" -> ")?;
            let name = path.rsplit_once('@')?.1;
            Some((name.to_owned(), (all_bytes(operands)?, all_bytes(results)?)))
        };
        found.extend(moved());
    }
    found
}

/// Returns the least bytes of all tensors in a text. `None` if a size is dynamic.
fn all_bytes(text: &str) -> Option<u64> {
    let tensors = text.split("tensor<").skip(1);
    let bytes = tensors.map(|tensor| {
        let mut sizes = tensor.split(['>', ',']).next()?.split('x');
        let element = sizes.next_back()?;
        let bits = element.trim_start_matches(|it: char| it.is_ascii_alphabetic());
        let bits: u64 = bits.parse().ok()?;
        let mut sizes = sizes.map(|size| size.parse().ok());
        let count = sizes.try_fold(1u64, |all, size: Option<u64>| all.checked_mul(size?));
        Some(count?.checked_mul(bits)?.div_ceil(8))
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: &str = "
module {
  util.func private @outside(%arg0: !hal.buffer_view)
  util.initializer {
    stream.cmd.fill %c0_i32, %arg9[%c0 for %c4] : i32 -> !stream.resource<external>{%c4}
    util.return
  }
  util.func public @main$async(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    %3 = stream.cmd.execute on(#device) with(%0 as %arg4: !stream.resource<external>{%c64}) {
      stream.cmd.fill %c0_i32, %arg4[%c0 for %c16_0] : i32 -> !stream.resource<external>{%c64}
      stream.cmd.concurrent {
        stream.cmd.dispatch @main$async_dispatch_10::@rocm::@main$async_dispatch_10_sum[%20](%c0, %1 : i32, i32) {
          ro %arg4[%c0 for %c64] : !stream.resource<external>{%c64}
        }
        stream.cmd.dispatch @extern_dispatch_0::@rocm::@wavetune_sum {
          ro %arg4[%c0 for %c64] : !stream.resource<external>{%c64}
        }
      }
      stream.cmd.copy %arg4[%c0], %arg4[%c16], %20 : !stream.resource<external>{%c64} -> !stream.resource<external>{%c64}
    } => !stream.timepoint
    util.return %3 : !hal.buffer_view
  }
  util.func public @main(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    util.call @outside(%arg0) : (!hal.buffer_view) -> ()
    %1 = util.call @main$async(%arg0) : (!hal.buffer_view) -> !hal.buffer_view
    util.return %1 : !hal.buffer_view
  }
}
";

    const DISPATCHES: &str = "
  flow.executable private @main$async_dispatch_10 {
    flow.executable.export public @main$async_dispatch_10_sum workgroups() -> (index, index, index) {
    }
    builtin.module {
      func.func @main$async_dispatch_10_sum(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>) {
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [4], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<4xf32>
        return
      }
    }
  }
  util.func public @main$async(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    %0 = flow.dispatch @main$async_dispatch_10::@main$async_dispatch_10_sum(%1) : (tensor<4xf32>) -> tensor<f32>
    %2:2 = flow.dispatch @extern_dispatch_0::@rocm::@wavetune_sum(%1, %1) : (tensor<4x2xf32>, tensor<i64>) -> (tensor<4xi1>, tensor<3xf16>)
    %3 = flow.dispatch @extern_dispatch_1::@rocm::@wavetune_max(%1, %1) : (tensor<?x2xf32>{%4}) -> tensor<4xf32>
  }
";

    fn read(dispatches: &str) -> ModuleOutline {
        ModuleOutline::of(&OutlinedModule {
            commands: COMMANDS.to_owned(),
            dispatches: dispatches.to_owned(),
        })
    }

    #[test]
    fn commands_are_in_order() {
        let commands = read(DISPATCHES).commands("main").unwrap();
        let told = commands.iter().map(|command| match command {
            OutlinedCommand::Kernel { name, bytes, .. } => format!("{name} {bytes:?}"),
            other => format!("{other:?}"),
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                "Fill(Some(16))",
                "main$async_dispatch_10_sum Some((16, 0))",
                "wavetune_sum Some((40, 7))",
                "Copy(None)",
            ]
        );
        assert_eq!(read(DISPATCHES).commands("other"), None);
    }

    /// The loop of a kernel beyond its range.
    #[test]
    fn a_second_launch_between_copies_is_left_out() {
        let (before, after) = COMMANDS.split_once("    util.return %3").unwrap();
        let again = "    %4 = stream.cmd.execute on(#device) {
      stream.cmd.copy %arg4[%c0], %arg4[%c16], %20 : !stream.resource<external>{%c64}
      stream.cmd.dispatch @extern_dispatch_0::@rocm::@wavetune_sum {
      }
    } => !stream.timepoint
";
        let count = |again: &str| {
            let outline = ModuleOutline::of(&OutlinedModule {
                commands: format!("{before}{again}    util.return %3{after}"),
                dispatches: DISPATCHES.to_owned(),
            });
            outline.commands("main").unwrap().len()
        };
        assert_eq!(count(""), 4);
        assert_eq!(count(again), 4);
        assert_eq!(count(&again.replace("wavetune_sum", "wavetune_max")), 6);
        assert_eq!(
            count(&again.replace("stream.cmd.copy", "stream.cmd.flush")),
            5
        );
    }

    #[test]
    fn numbers_of_dispatches_do_not_count() {
        let content = |dispatches: &str, name: &str| contents(dispatches)[name].clone();
        let other = DISPATCHES.replace("dispatch_10", "dispatch_7");
        let [one, same] = [
            content(DISPATCHES, "main$async_dispatch_10_sum"),
            content(&other, "main$async_dispatch_7_sum"),
        ];
        assert_eq!(one, same);
        let other = DISPATCHES.replace("sizes = [4]", "sizes = [8]");
        assert_ne!(one, content(&other, "main$async_dispatch_10_sum"));
    }
}
