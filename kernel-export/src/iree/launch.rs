//! The launch of a kernel: a `hal.dispatch.extern`, in the generic form, as the other one of 3.13.0 cannot say how large a
//! workgroup is.
//!
//! A kernel gets its buffers in the order of the operands, and then the numbers. All results are tied to operands, so that the
//! order is the kernel's own.

use std::fmt::{self, Formatter};

use codegen::{Argument, CompiledKernel, Slot};
use configgen::Target;

use super::operation::{Operation, Unsaid};
use crate::grid::CountedGrid;

/// What the indices are written to where the values have their type.
const OWN_INDICES: &str = "%own_indices";
const WORKSPACE: &str = "%workspace";

/// A kernel that is launched.
pub(super) struct Launch<'a> {
    pub(super) operation: &'a Operation<'a>,
    pub(super) kernel: &'a CompiledKernel,
    pub(super) target: &'a Target,
    /// The code object, in the folder that `--iree-hal-executable-object-search-path` names.
    pub(super) file: &'a str,
    /// Lanes of a subgroup.
    pub(super) subgroup_size: u32,
}

/// The values that a launch is given.
pub(super) struct Given<'a> {
    pub(super) input: &'a str,
    pub(super) explicit: &'a str,
    pub(super) values: &'a str,
    pub(super) indices: &'a str,
    /// Where it is known at launch only.
    pub(super) count: &'a str,
}

/// A buffer of a kernel.
struct Buffer<'a> {
    name: &'a str,
    kind: String,
    is_written: bool,
    is_open: bool,
}

/// Whether the arguments of a kernel can be had in their order, and how its grid follows from a count.
pub(super) fn check(operation: &Operation<'_>, kernel: &CompiledKernel) -> Result<(), Unsaid> {
    let is_buffer = |argument: &Argument| matches!(argument, Argument::Buffer(_));
    if !kernel.arguments.is_sorted_by_key(|it| !is_buffer(it)) {
        return Err(Unsaid::BaseAndWorkspace);
    }
    match operation.is_open() && CountedGrid::of(operation.problem, kernel).is_none() {
        true => Err(Unsaid::Grid),
        false => Ok(()),
    }
}

impl<'a> Launch<'a> {
    /// The buffers in the kernel's order.
    fn buffers(&self, given: &Given<'a>) -> Vec<Buffer<'a>> {
        let (operation, kernel) = (self.operation, self.kernel);
        let is_one_type = operation.values().to_string() == operation.stored_indices().to_string();
        let named = |&argument: &Argument| {
            let Argument::Buffer(number) = argument else {
                return None;
            };
            let is = |slot: Option<&Slot>| slot.is_some_and(|slot| slot.buffer == number);
            let (name, kind, is_written) = if number == kernel.input.buffer {
                (given.input, operation.input().to_string(), false)
            } else if is(kernel.operands.first()) {
                (
                    given.explicit,
                    operation.stored_input_indices().to_string(),
                    false,
                )
            } else if is(kernel.results.first()) {
                (given.values, operation.values().to_string(), true)
            } else if is(kernel.results.get(1)) {
                let name = if is_one_type {
                    OWN_INDICES
                } else {
                    given.indices
                };
                (name, operation.stored_indices().to_string(), true)
            } else {
                let words = kernel.buffers[number] / 4;
                (WORKSPACE, format!("tensor<{words}xi32>"), true)
            };
            Some(Buffer {
                name,
                kind,
                is_written,
                is_open: operation.is_open() && name != WORKSPACE,
            })
        };
        kernel.arguments.iter().filter_map(named).collect()
    }

    /// Prints what launches it, and gives the names of its values and indices.
    pub(super) fn write(
        &self,
        f: &mut Formatter<'_>,
        given: &Given<'a>,
    ) -> Result<[String; 2], fmt::Error> {
        let (operation, kernel) = (self.operation, self.kernel);
        let buffers = self.buffers(given);
        let [is_own, has_workspace] =
            [OWN_INDICES, WORKSPACE].map(|name| buffers.iter().find(|it| it.name == name));
        if let Some(Buffer { name, kind, .. }) = is_own {
            // Else two that are equal become one, which both results are written to.
            let indices = given.indices;
            writeln!(
                f,
                "    {name} = util.optimization_barrier {indices} : {kind}"
            )?;
        }
        if let Some(Buffer { name, kind, .. }) = has_workspace {
            writeln!(f, "    %nothing = arith.constant 0 : i32")?;
            writeln!(f, "    {name} = flow.tensor.splat %nothing : {kind}")?;
        }
        let numbers = self.numbers(f, given)?;
        let written: Vec<(usize, &Buffer<'_>)> = (buffers.iter().enumerate())
            .filter(|(_, buffer)| buffer.is_written)
            .collect();
        let workloads = usize::from(operation.is_open());
        let dimensions = buffers.iter().filter(|buffer| buffer.is_open).count();
        let of_results = written.iter().filter(|(_, buffer)| buffer.is_open).count();
        let names = std::iter::repeat_n(given.count, workloads)
            .chain(numbers.iter().copied())
            .chain(buffers.iter().map(|buffer| buffer.name))
            .chain(std::iter::repeat_n(given.count, dimensions + of_results));
        let kinds = std::iter::repeat_n("index", workloads)
            .chain(numbers.iter().map(|_| "i32"))
            .chain(buffers.iter().map(|buffer| &*buffer.kind))
            .chain(std::iter::repeat_n("index", dimensions + of_results));
        let bindings = buffers.iter().map(|buffer| match buffer.is_written {
            true => "#hal.pipeline.binding<storage_buffer>",
            false => "#hal.pipeline.binding<storage_buffer, ReadOnly>",
        });
        let constants = match numbers.len() {
            0 => String::new(),
            count => format!("constants = {count}, "),
        };
        let tied = written
            .iter()
            .map(|(place, _)| format!("{} : index", numbers.len() + place));
        let results = written.iter().map(|(_, buffer)| &*buffer.kind);
        let [x, y, z] = kernel.workgroup_size;
        writeln!(
            f,
            "    %results:{} = \"hal.dispatch.extern\"({}) <{{export_name = \"{}\", layout = #hal.pipeline.layout<{constants}bindings = [{}]>, operandSegmentSizes = array<i32: {workloads}, {}, {dimensions}, {of_results}>, target_objects = [[#hal.executable.object<{{path = \"{}\"}}>]], target_ordinals = [0 : index], targets = [#hal.executable.target<\"rocm\", \"rocm-hsaco-fb\", {{target_arch = \"{}\"}}>], tied_operands = [{}], workgroup_size = [{x} : index, {y} : index, {z} : index], subgroup_size = {} : index}}> ({{",
            written.len(),
            list(names),
            kernel.symbol,
            list(bindings),
            numbers.len() + buffers.len(),
            self.file,
            self.target,
            list(tied),
            self.subgroup_size
        )?;
        self.grid(f)?;
        writeln!(
            f,
            "    }}, {{\n    }}) : ({}) -> ({})",
            list(kinds),
            list(results)
        )?;
        let result = |name: &str| {
            let place = written.iter().position(|(_, buffer)| buffer.name == name);
            format!("%results#{}", place.unwrap_or_default())
        };
        let indices = is_own.map_or(given.indices, |buffer| buffer.name);
        Ok([result(given.values), result(indices)])
    }

    /// How many workgroups there are.
    fn grid(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match CountedGrid::of(self.operation.problem, self.kernel) {
            None => {
                let [x, y, z] = self.kernel.workgroups;
                write!(
                    f,
                    "    ^bb0(%device: !hal.device):
      %grid_x = arith.constant {x} : index
      %grid_y = arith.constant {y} : index
      %grid_z = arith.constant {z} : index
"
                )?;
            }
            Some(CountedGrid { tile, each, x, .. }) => write!(
                f,
                "    ^bb0(%device: !hal.device, %places: index):
      %tile = arith.constant {tile} : index
      %each = arith.constant {each} : index
      %most = arith.constant {x} : index
      %tiles = arith.ceildivui %places, %tile : index
      %pieces = arith.muli %tiles, %each : index
      %grid_x = arith.minui %pieces, %most : index
      %grid_y = arith.ceildivui %pieces, %most : index
      %grid_z = arith.constant 1 : index
"
            )?,
        }
        writeln!(
            f,
            "      hal.return %grid_x, %grid_y, %grid_z : index, index, index"
        )
    }

    /// Makes the numbers that the kernel takes, of 32 bits each, and names them in its order.
    fn numbers(
        &self,
        f: &mut Formatter<'_>,
        given: &Given<'_>,
    ) -> Result<Vec<&'static str>, fmt::Error> {
        let mut names = Vec::new();
        for argument in &self.kernel.arguments {
            let (name, from) = match argument {
                Argument::Buffer(_) => continue,
                Argument::Count(_) => ("%count_word", given.count.to_owned()),
                Argument::IndexBase(_) => ("%first_index", "%base".to_owned()),
                Argument::Word(number) => {
                    writeln!(f, "    %word = arith.constant {} : i32", *number as i32)?;
                    names.push("%word");
                    continue;
                }
            };
            writeln!(f, "    {name} = arith.index_cast {from} : index to i32")?;
            names.push(name);
        }
        Ok(names)
    }
}

fn list(words: impl Iterator<Item = impl AsRef<str>>) -> String {
    let words: Vec<_> = words.collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    words.join(", ")
}
