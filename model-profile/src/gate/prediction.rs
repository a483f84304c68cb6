//! Predicted profiles: the outline of a module with the times of commands in profiled modules.
//!
//! A command that no profiled module has counts with an estimate: its lower bound. If its sizes are
//! dynamic, it counts with the least time of a kernel for the same operation. The gate profiles the
//! set that it chooses.

use std::collections::HashMap;

use crate::command::{CommandKind, DeviceCommand, KernelLaunch};
use crate::control_flow::{LoopCount, OutlinedCommand, loop_counts, unrolled};
use crate::function_profile::FunctionProfile;
use crate::module_outline::ModuleOutline;
use crate::profiler::ProfiledModule;

/// The estimate of one of the compiler's kernels, as a multiple of its lower bound. Exported
/// kernels count with the bound itself, because they are likelier to reach it.
const ABOVE_BOUND: f64 = 1.01;

/// The begin of the code of a kernel that was never profiled.
const UNSEEN: &str = "unseen ";

/// The identity of an outlined command in a call, by the call's position. Code generation depends
/// on the tuning spec, too.
type Key = (usize, bool, OutlinedCommand);

/// The commands that profiled modules have in common with outlined ones.
#[derive(Debug, Default)]
pub(super) struct Prediction {
    known: HashMap<Key, Vec<DeviceCommand>>,
    /// The least time of the compiler's kernels for an operation, by the call's position.
    least_us: HashMap<(usize, String), f64>,
    /// Calls without commands, with the counts of their loops.
    calls: Vec<(FunctionProfile, Vec<LoopCount>)>,
}

impl Prediction {
    /// Takes the commands of a profiled module. Returns false if its outline does not have exactly
    /// these, so that outlines predict nothing: a branch that was not taken is an example. Their
    /// order does not matter, because independent commands may be submitted in any order.
    pub(super) fn learn(
        &mut self,
        outline: &ModuleOutline,
        is_tuned: bool,
        module: &ProfiledModule,
    ) -> bool {
        let mut calls = Vec::new();
        for (number, call) in module.functions.iter().enumerate() {
            let Some((mut outlined, loops)) = commands(outline, call) else {
                return false;
            };
            // Another trip count in a module with kernels is the effect of made inputs.
            if (self.calls.get(number)).is_some_and(|known| known.1 != loops) {
                return false;
            }
            // A command of unknown length matches more than one of the same kind.
            outlined.sort_by_key(is_open);
            if outlined.len() != call.commands.len() {
                return false;
            }
            let mut found: HashMap<Key, Vec<DeviceCommand>> = HashMap::new();
            let mut submitted: Vec<&DeviceCommand> = call.commands.iter().collect();
            for outlined in outlined {
                let Some(at) = submitted.iter().position(|it| is_of(&outlined, it)) else {
                    return false;
                };
                let command = submitted.remove(at);
                let found = found.entry(key(number, is_tuned, outlined)).or_default();
                found.push(command.clone());
            }
            for (key, commands) in found {
                // The plain module is the first. With its commands, unchanged ones cancel:
                // places of buffers are part of the code and of the scalars.
                let known = self.known.entry(key).or_default();
                known.extend(commands.into_iter().skip(known.len()));
            }
            for command in &call.commands {
                let operation = command.kernel().and_then(|it| operation(&it.name));
                if let (Some(operation), Ok(time)) = (operation, &command.time_us) {
                    let key = (number, operation.to_owned());
                    let least = self.least_us.entry(key).or_insert(*time);
                    *least = least.min(*time);
                }
            }
            let call = FunctionProfile {
                commands: Vec::new(),
                ..call.clone()
            };
            calls.push((call, loops));
        }
        self.calls = calls;
        true
    }

    /// Returns the predicted profile of a module. `bound_us` is the least time of a kernel that
    /// reads and writes so many bytes.
    pub(super) fn of(
        &self,
        outline: &ModuleOutline,
        is_tuned: bool,
        bound_us: &dyn Fn(u64, u64) -> f64,
    ) -> Option<ProfiledModule> {
        let calls = self
            .calls
            .iter()
            .enumerate()
            .map(|(number, (call, loops))| {
                let outlined = unrolled(&outline.steps(&call.function)?, loops)?;
                let mut counts: HashMap<Key, usize> = HashMap::new();
                let commands = outlined.into_iter().map(|outlined| {
                    let key = key(number, is_tuned, outlined.clone());
                    let Some(known) = self.known.get(&key) else {
                        return self.unseen(number, outlined, bound_us);
                    };
                    // Equal operations may have several sizes, in the order of their launches.
                    let count = counts.entry(key).or_default();
                    let at = (*count).min(known.len() - 1);
                    *count += 1;
                    let mut command = known[at].clone();
                    // The gate finds kernels by name, and numbers of dispatches differ.
                    if let (CommandKind::Kernel(kernel), OutlinedCommand::Kernel { name, .. }) =
                        (&mut command.kind, outlined)
                    {
                        kernel.name = name;
                    }
                    command
                });
                Some(FunctionProfile {
                    commands: commands.collect(),
                    ..call.clone()
                })
            });
        let functions = calls.collect::<Option<Vec<_>>>()?;
        Some(ProfiledModule { functions })
    }

    /// Returns a command of a call with an estimate as its time.
    fn unseen(
        &self,
        call: usize,
        outlined: OutlinedCommand,
        bound_us: &dyn Fn(u64, u64) -> f64,
    ) -> DeviceCommand {
        let operation = match &outlined {
            OutlinedCommand::Kernel { name, .. } => operation(name),
            _ => None,
        };
        let alike = operation.map(|it| self.least_us.get(&(call, it.to_owned())).copied());
        let (kind, bytes) = match outlined {
            OutlinedCommand::Kernel {
                name,
                content,
                bytes,
            } => {
                let kernel = KernelLaunch {
                    name,
                    code: format!("{UNSEEN}{content}"),
                    workgroups: [0; 3],
                    workgroup_size: [0; 3],
                    scalars: Vec::new(),
                    operations: Vec::new(),
                    bottleneck: None,
                    waves_per_simd: None,
                    limited_by: None,
                };
                (CommandKind::Kernel(kernel), bytes)
            }
            OutlinedCommand::Copy(length) => (CommandKind::Copy, length.map(|it| (it, it))),
            OutlinedCommand::Fill(length) => (CommandKind::Fill, length.map(|it| (0, it))),
        };
        let (read, written) = bytes.unwrap_or_default();
        let bound = bound_us(read, written);
        let estimate = match (bytes, alike) {
            (None, Some(Some(least))) => least,
            (_, Some(_)) => ABOVE_BOUND * bound,
            (_, None) => bound,
        };
        DeviceCommand {
            kind,
            time_us: Ok(estimate.max(bound)),
            read_bytes: bytes.map(|it| it.0),
            written_bytes: bytes.map(|it| it.1),
            bound_us: Some(bound),
        }
    }
}

/// Returns the outlined commands of a profiled call, with the counts of its loops.
fn commands(
    outline: &ModuleOutline,
    call: &FunctionProfile,
) -> Option<(Vec<OutlinedCommand>, Vec<LoopCount>)> {
    let steps = outline.steps(&call.function)?;
    let mut launches: HashMap<&str, usize> = HashMap::new();
    for kernel in call.commands.iter().filter_map(DeviceCommand::kernel) {
        *launches.entry(&kernel.name).or_default() += 1;
    }
    let loops = loop_counts(&steps, &|name| launches.get(name).copied().unwrap_or(0))?;
    Some((unrolled(&steps, &loops)?, loops))
}

/// Returns true if a command counts with a bound, because it was never profiled.
pub(super) fn is_unseen(command: &DeviceCommand) -> bool {
    let kernel = command.kernel();
    kernel.is_some_and(|kernel| kernel.code.starts_with(UNSEEN))
}

fn key(call: usize, is_tuned: bool, outlined: OutlinedCommand) -> Key {
    let outlined = match outlined {
        OutlinedCommand::Kernel { content, .. } => OutlinedCommand::Kernel {
            name: String::new(),
            content,
            bytes: None,
        },
        other => other,
    };
    (call, is_tuned, outlined)
}

/// Returns the operation, the sizes and the types in the name of a kernel of the compiler's, such
/// as `matmul_Dx512x512_f16xf16xf32`.
fn operation(name: &str) -> Option<&str> {
    let (_, numbered) = name.rsplit_once("_dispatch_")?;
    Some(numbered.split_once('_')?.1)
}

fn is_open(outlined: &OutlinedCommand) -> bool {
    matches!(
        outlined,
        OutlinedCommand::Copy(None) | OutlinedCommand::Fill(None)
    )
}

fn is_of(outlined: &OutlinedCommand, command: &DeviceCommand) -> bool {
    let has_length = |length: &Option<u64>| length.is_none() || *length == command.written_bytes;
    match (outlined, &command.kind) {
        (OutlinedCommand::Kernel { name, .. }, CommandKind::Kernel(kernel)) => *name == kernel.name,
        (OutlinedCommand::Copy(length), CommandKind::Copy)
        | (OutlinedCommand::Fill(length), CommandKind::Fill) => has_length(length),
        _ => false,
    }
}
