//! The outline of a module: the commands of its functions before code generation.
//!
//! This is the compiler's text about a user's module. A fact in another form than the known one is
//! unknown, and no error.

use std::collections::HashMap;

use iree::OutlinedModule;
use serde::{Deserialize, Serialize};

use crate::control_flow::{BranchBlock, OutlineStep, OutlinedCommand, with_loops};
use crate::executable_source;
use crate::outlined_dispatches::{contents, extern_bytes, size_facts, symbol};

/// The largest number of nested calls.
const MAX_DEPTH: u32 = 8;

/// The outline of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleOutline {
    functions: HashMap<String, Vec<OutlineStep>>,
}

impl ModuleOutline {
    /// Reads an outlined module.
    pub(crate) fn of(module: &OutlinedModule) -> ModuleOutline {
        let kernels = contents(&module.dispatches);
        let sources = executable_source::kernels(std::slice::from_ref(&module.dispatches));
        let externs = extern_bytes(&module.dispatches);
        let sizes = size_facts(&module.commands);
        let kernel = |name: &str| OutlinedCommand::Kernel {
            name: name.to_owned(),
            content: match kernels.get(name) {
                Some(kernel) => match sizes.get(name) {
                    Some(sizes) => format!("{} {sizes}", kernel.content),
                    None => kernel.content.clone(),
                },
                None => name.to_owned(),
            },
            bytes: match (sources.get(name), kernels.get(name)) {
                (Some(source), Some(kernel)) if !kernel.gathers => source.bytes(&[]),
                (Some(_), _) => None,
                (None, _) => externs.get(name).copied(),
            },
        };
        let mut functions = HashMap::new();
        let mut current: Option<FunctionText> = None;
        for line in module.commands.lines() {
            let end = line == "  }";
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("util.func ") {
                current = symbol(rest).map(FunctionText::new);
            } else if line.starts_with("util.initializer") {
                current = None;
            } else if let Some(function) = &mut current {
                function.add(line, &kernel);
            }
            // A declaration has no end.
            if end && let Some(function) = current.take() {
                let steps = with_loops(&function.blocks, &function.steps);
                functions.insert(function.name, steps);
            }
        }
        ModuleOutline { functions }
    }

    /// Returns the steps of a call of this function, with those of the functions that it calls.
    pub(crate) fn steps(&self, function: &str) -> Option<Vec<OutlineStep>> {
        self.inlined(self.functions.get(function)?, MAX_DEPTH)
    }

    fn inlined(&self, steps: &[OutlineStep], depth: u32) -> Option<Vec<OutlineStep>> {
        let mut found = Vec::new();
        for step in steps {
            match step {
                OutlineStep::Command(_) => found.push(step.clone()),
                // An imported function has no commands here.
                OutlineStep::Call(name) => {
                    if let Some(called) = self.functions.get(name) {
                        found.extend(self.inlined(called, depth.checked_sub(1)?)?);
                    }
                }
                OutlineStep::Loop { head, body } => found.push(OutlineStep::Loop {
                    head: self.inlined(head, depth)?,
                    body: self.inlined(body, depth)?,
                }),
            }
        }
        Some(found)
    }

    /// Returns true if a function has one of these kernels, in any branch.
    pub(crate) fn has_any(&self, kernels: &[String]) -> bool {
        fn has_any(steps: &[OutlineStep], kernels: &[String]) -> bool {
            steps.iter().any(|step| match step {
                OutlineStep::Command(OutlinedCommand::Kernel { name, .. }) => {
                    kernels.contains(name)
                }
                OutlineStep::Command(_) | OutlineStep::Call(_) => false,
                OutlineStep::Loop { head, body } => {
                    has_any(head, kernels) || has_any(body, kernels)
                }
            })
        }
        let mut functions = self.functions.values();
        functions.any(|steps| has_any(steps, kernels))
    }
}

/// A function of the text, read up to a line.
struct FunctionText {
    name: String,
    steps: Vec<OutlineStep>,
    blocks: Vec<BranchBlock>,
}

impl FunctionText {
    fn new(name: &str) -> FunctionText {
        FunctionText {
            name: name.to_owned(),
            steps: Vec::new(),
            blocks: vec![BranchBlock::default()],
        }
    }

    fn add(&mut self, line: &str, kernel: &dyn Fn(&str) -> OutlinedCommand) {
        if line.starts_with('^') {
            self.blocks.push(BranchBlock {
                label: labels(line).next().unwrap_or_default(),
                begin: self.steps.len(),
                ..BranchBlock::default()
            });
        } else if line.starts_with("cf.")
            && let Some(block) = self.blocks.last_mut()
        {
            block.targets.extend(labels(line));
        }
        self.steps.extend(step(line, kernel));
    }
}

/// Returns the labels of blocks in a line.
fn labels(line: &str) -> impl Iterator<Item = String> {
    let labels = line.split('^').skip(1);
    labels.map(|it| {
        let name = it.split(|it: char| !it.is_ascii_alphanumeric());
        name.take(1).collect()
    })
}

#[cfg(test)]
impl ModuleOutline {
    /// Returns the outline of a function with these commands. A kernel's name is its content. If it
    /// ends in a digit, its sizes are static.
    pub(crate) fn sample(function: &str, commands: &[crate::command::DeviceCommand]) -> Self {
        use crate::command::CommandKind;

        let step = |command: &crate::command::DeviceCommand| {
            OutlineStep::Command(match &command.kind {
                CommandKind::Kernel(kernel) => OutlinedCommand::Kernel {
                    name: kernel.name.clone(),
                    content: kernel.name.clone(),
                    bytes: kernel
                        .name
                        .ends_with(|it: char| it.is_ascii_digit())
                        .then_some((0, 0)),
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
fn step(line: &str, kernel: &dyn Fn(&str) -> OutlinedCommand) -> Option<OutlineStep> {
    let line = match line.split_once(" = ") {
        Some((values, operation)) if values.starts_with('%') => operation,
        _ => line,
    };
    let (operation, rest) = line.split_once(' ')?;
    Some(match operation {
        "stream.cmd.dispatch" => {
            // `@executable::@variant::@kernel(…) {`
            let path = rest.split(['(', '[', ' ']).next()?;
            OutlineStep::Command(kernel(path.rsplit_once('@')?.1))
        }
        "stream.cmd.fill" => {
            let (_, range) = rest.split_once(" for ")?;
            OutlineStep::Command(OutlinedCommand::Fill(constant(range)))
        }
        "stream.cmd.copy" => {
            let operands = rest.split_once(" : ")?.0;
            let length = operands.rsplit(", ").next()?;
            OutlineStep::Command(OutlinedCommand::Copy(constant(length)))
        }
        "util.call" => OutlineStep::Call(symbol(rest)?.to_owned()),
        _ => return None,
    })
}

/// Returns the value of a constant by its name: MLIR prints 64 as `%c64`, or as `%c64_0`.
fn constant(text: &str) -> Option<u64> {
    let digits = text.trim().strip_prefix("%c")?;
    let digits = digits.split(|it: char| !it.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_flow::{loop_counts, unrolled};
    use crate::outlined_dispatches::DISPATCHES;

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

    fn read(dispatches: &str) -> ModuleOutline {
        ModuleOutline::of(&OutlinedModule {
            commands: COMMANDS.to_owned(),
            dispatches: dispatches.to_owned(),
        })
    }

    /// Returns the commands of the main function, which has no loop.
    fn commands(outline: &ModuleOutline) -> Option<Vec<OutlinedCommand>> {
        unrolled(&outline.steps("main")?, &[])
    }

    #[test]
    fn commands_are_in_order() {
        let commands = commands(&read(DISPATCHES)).unwrap();
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
        assert_eq!(read(DISPATCHES).steps("other"), None);
    }

    /// The compiler generates other code for a size that is a multiple of 16.
    #[test]
    fn facts_about_sizes_are_content() {
        let outline = |fact: &str| {
            let executable = format!(
                "  hal.executable private @main$async_dispatch_10 {{
    func.func @main$async_dispatch_10_sum() {{
      %2 = util.assume.int %1<umin = 0, {fact}> : index
    }}
  }}
"
            );
            ModuleOutline::of(&OutlinedModule {
                commands: executable + COMMANDS,
                dispatches: DISPATCHES.to_owned(),
            })
        };
        assert_eq!(outline("udiv = 16"), outline("udiv = 16"));
        assert_ne!(outline("udiv = 16"), outline("umax = 512"));
    }

    #[test]
    fn branches_of_a_function_are_loops() {
        let looped = COMMANDS
            .replace(
                "    %3 = stream",
                "    cf.br ^bb1(%c0 : index)
  ^bb1(%2: index):  // 2 preds: ^bb0, ^bb2
    cf.cond_br %8, ^bb2(%2 : index), ^bb3
  ^bb2(%9: index):  // pred: ^bb1
    %3 = stream",
            )
            .replace(
                "    util.return %3",
                "    cf.br ^bb1(%9 : index)\n  ^bb3:  // pred: ^bb1\n    util.return %3",
            );
        let module = OutlinedModule {
            commands: looped,
            dispatches: DISPATCHES.to_owned(),
        };
        let steps = ModuleOutline::of(&module).steps("main").unwrap();
        let [OutlineStep::Loop { head, body }] = &steps[..] else {
            panic!("{steps:?}");
        };
        assert_eq!((head.len(), body.len()), (0, 4));
        let counts = loop_counts(&steps, &|_| 3).unwrap();
        assert_eq!(unrolled(&steps, &counts).unwrap().len(), 12);
    }
}
