//! The launch of a kernel: a `hal.dispatch.extern` in its generic form. The custom form of IREE
//! 3.13.0 cannot state the size of a workgroup.
//!
//! A kernel gets its buffers in the order of the operands, and then the numbers. All results are
//! tied to operands, so that the order of the buffers is the kernel's own.

use std::fmt::{self, Formatter};

use codegen::{CompiledKernel, Kernarg, Slot};
use configgen::linalg::Type;
use configgen::{Problem, Target};

use super::module_arg_compare::ModuleArgCompareError;
use kernel_export::CountedGrid;

const WORKSPACE: &str = "%workspace";

/// The launch of a kernel.
pub(super) struct ExternDispatch<'a> {
    pub(super) problem: &'a Problem,
    pub(super) kernel: &'a CompiledKernel,
    pub(super) target: &'a Target,
    /// The code object, in the folder that `--iree-hal-executable-object-search-path` names.
    pub(super) file: &'a str,
    /// The number of lanes of a subgroup.
    pub(super) subgroup_size: u32,
}

/// A tensor that a launch takes.
pub(super) struct DispatchTensor {
    pub(super) name: String,
    pub(super) kind: Type,
}

/// A buffer of a kernel.
struct Buffer {
    name: String,
    kind: String,
    /// The number of the result, if the buffer is one.
    result: Option<usize>,
    is_written: bool,
    is_open: bool,
}

/// Checks that IREE can pass the kernel's arguments in their order, and compute its grid from a
/// count.
pub(super) fn check(
    problem: &Problem,
    kernel: &CompiledKernel,
) -> Result<(), ModuleArgCompareError> {
    let is_buffer = |argument: &Kernarg| matches!(argument, Kernarg::Buffer(_));
    // HAL passes all buffers before all numbers.
    if !kernel.arguments.is_sorted_by_key(|it| !is_buffer(it)) {
        return Err(ModuleArgCompareError::BaseAndWorkspace);
    }
    match problem.shape.counts().is_some() && CountedGrid::of(problem, kernel).is_none() {
        true => Err(ModuleArgCompareError::Grid),
        false => Ok(()),
    }
}

impl ExternDispatch<'_> {
    fn is_open(&self) -> bool {
        self.problem.shape.counts().is_some()
    }

    /// Returns the buffers in the kernel's order.
    fn buffers(&self, inputs: &[DispatchTensor], results: &[DispatchTensor]) -> Vec<Buffer> {
        let kernel = self.kernel;
        let buffer = |given: &DispatchTensor, result: Option<usize>| Buffer {
            name: given.name.clone(),
            kind: given.kind.to_string(),
            result,
            is_written: result.is_some(),
            is_open: given.kind.open().is_some(),
        };
        let named = |&argument: &Kernarg| {
            let Kernarg::Buffer(number) = argument else {
                return None;
            };
            let is = |slot: &Slot| slot.buffer == number;
            let operand = kernel.operands.iter().position(is);
            let result = kernel.results.iter().position(is);
            Some(match (operand, result) {
                _ if number == kernel.input.buffer => buffer(&inputs[0], None),
                (Some(operand), _) => buffer(&inputs[1 + operand], None),
                (_, Some(result)) => {
                    let tensor = &results[result];
                    let before = results[..result].iter();
                    let is_alone = before.clone().all(|it| it.kind != tensor.kind);
                    let mut buffer = buffer(tensor, Some(result));
                    if !is_alone {
                        buffer.name = own(&tensor.name);
                    }
                    buffer
                }
                (None, None) => Buffer {
                    name: WORKSPACE.to_owned(),
                    kind: format!("tensor<{}xi32>", kernel.buffers[number] / 4),
                    result: None,
                    is_written: true,
                    is_open: false,
                },
            })
        };
        kernel.arguments.iter().filter_map(named).collect()
    }

    /// Prints a launch with the problem's inputs and the destinations of its results, both in
    /// their order. `count` names the count, if it is known at launch only. Returns the names of
    /// the results.
    pub(super) fn write(
        &self,
        f: &mut Formatter<'_>,
        inputs: &[DispatchTensor],
        results: &[DispatchTensor],
        count: &'static str,
    ) -> Result<Vec<String>, fmt::Error> {
        let kernel = self.kernel;
        let buffers = self.buffers(inputs, results);
        for Buffer {
            name, kind, result, ..
        } in &buffers
        {
            let from = result.map(|result| &results[result].name);
            if let Some(from) = from.filter(|from| *from != name) {
                // Without the barrier, IREE merges two equal destinations, and both results would
                // be written to one.
                writeln!(f, "    {name} = util.optimization_barrier {from} : {kind}")?;
            }
        }
        if let Some(Buffer { name, kind, .. }) = buffers.iter().find(|it| it.name == WORKSPACE) {
            // The counters of a split reduction begin at 0. A splat clears the whole workspace
            // before each launch.
            writeln!(f, "    %nothing = arith.constant 0 : i32")?;
            writeln!(f, "    {name} = flow.tensor.splat %nothing : {kind}")?;
        }
        let numbers = self.numbers(f, count)?;
        let written: Vec<(usize, &Buffer)> = (buffers.iter().enumerate())
            .filter(|(_, buffer)| buffer.is_written)
            .collect();
        let workloads = usize::from(self.is_open());
        let dimensions = buffers.iter().filter(|buffer| buffer.is_open).count();
        // Each open operand and each open result takes its size as a separate operand.
        let of_results = written.iter().filter(|(_, buffer)| buffer.is_open).count();
        let names = std::iter::repeat_n(count, workloads)
            .chain(numbers.iter().copied())
            .chain(buffers.iter().map(|buffer| &*buffer.name))
            .chain(std::iter::repeat_n(count, dimensions + of_results));
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
        // Tied operands make the results' buffers inputs, so that they keep the kernel's argument
        // order.
        let tied = written
            .iter()
            .map(|(place, _)| format!("{} : index", numbers.len() + place));
        let returned = written.iter().map(|(_, buffer)| &*buffer.kind);
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
            list(returned)
        )?;
        let result = |number: usize| {
            // The workspace is a written operand, too, so it counts among the dispatch's results.
            let place = written.iter().position(|(_, it)| it.result == Some(number));
            format!("%results#{}", place.unwrap_or_default())
        };
        Ok((0..results.len()).map(result).collect())
    }

    /// Prints the computation of the grid.
    fn grid(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match CountedGrid::of(self.problem, self.kernel) {
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

    /// Prints the 32-bit numbers that the kernel takes and returns their names, in the kernel's
    /// order.
    fn numbers(&self, f: &mut Formatter<'_>, count: &str) -> Result<Vec<&'static str>, fmt::Error> {
        let mut names = Vec::new();
        for argument in &self.kernel.arguments {
            let (name, from) = match argument {
                Kernarg::Buffer(_) => continue,
                Kernarg::Count(_) => ("%count_word", count),
                Kernarg::IndexBase(_) => ("%first_index", "%base"),
                // A word of the kernel is a constant, known when it is compiled.
                Kernarg::Word(number) => {
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

/// Returns the name of a separate tensor for the tensor of this name.
fn own(name: &str) -> String {
    format!("%own_{}", name.trim_start_matches('%'))
}

fn list(words: impl Iterator<Item = impl AsRef<str>>) -> String {
    let words: Vec<_> = words.collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    words.join(", ")
}
