//! The stages by name, and the text that each makes of a configuration.

use std::fmt;

use configgen::{Configuration, Generator, Layout, Problem, Target};

use super::CodegenError;
use super::combiner;
use super::header_comment::header_comment;
use super::ir::{IrKernel, verify};
use super::isa::Isa;
use super::layout::LaneMap;
use super::lower;
use super::print;
use super::stages::blockwise::Blockwise;
use super::stages::final_stage::Final;
use super::stages::gridwise::Gridwise;
use super::stages::lanewise::Lanewise;
use crate::llvm::LlvmOutput;
use crate::tools;

/// A stage of code generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NativeStage {
    /// Buffers, and rows over workgroups.
    Gridwise,
    /// Subgroups, steps, LDS.
    Blockwise,
    /// Lanes.
    Lanewise,
    /// Target instructions.
    Final,
    /// The lane map: the elements that each lane loads, and the exchanges between lanes.
    Layout,
    /// The operations of the IR.
    Ops,
    /// HIP C++, for people to read and compile.
    Hip,
    /// LLVM IR.
    Llvm,
    /// Assembly text by LLVM.
    Isa,
}

impl NativeStage {
    /// Every stage, in order.
    pub const ALL: [NativeStage; 9] = [
        NativeStage::Gridwise,
        NativeStage::Blockwise,
        NativeStage::Lanewise,
        NativeStage::Final,
        NativeStage::Layout,
        NativeStage::Ops,
        NativeStage::Hip,
        NativeStage::Llvm,
        NativeStage::Isa,
    ];

    /// Returns the stage's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            NativeStage::Gridwise => "gridwise",
            NativeStage::Blockwise => "blockwise",
            NativeStage::Lanewise => "lanewise",
            NativeStage::Final => "final",
            NativeStage::Layout => "layout",
            NativeStage::Ops => "ops",
            NativeStage::Hip => "hip",
            NativeStage::Llvm => "llvm",
            NativeStage::Isa => "isa",
        }
    }
}

impl fmt::Display for NativeStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the text that `stage` makes of a configuration.
///
/// Only [`NativeStage::Isa`] needs a tool, libLLVM.
///
/// # Errors
///
/// The configuration is not legal; for [`NativeStage::Isa`] also the other cases of
/// [`CodegenError`].
pub fn explain(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
    stage: NativeStage,
) -> Result<String, CodegenError> {
    let kernel = LoweredConfiguration::new(problem, target, configuration)?;
    let lanes = &kernel.last.lanes;
    Ok(match stage {
        NativeStage::Gridwise => lanes.block.grid.to_string(),
        NativeStage::Blockwise => lanes.block.to_string(),
        NativeStage::Lanewise => lanes.to_string(),
        NativeStage::Final => kernel.last.to_string(),
        NativeStage::Layout => LaneMap::new(kernel.last).to_string(),
        NativeStage::Ops => kernel.kernel().to_string(),
        NativeStage::Hip => {
            let ops = kernel.kernel();
            let about = header_comment(&kernel.last, &ops, problem, target, configuration);
            print::hip::source(&kernel.symbol, &about, &ops)
        }
        NativeStage::Llvm => kernel.llvm_ir(),
        NativeStage::Isa => {
            // Only this stage needs libLLVM, so the others work without it.
            let llvm = tools::load_llvm()?;
            let text = llvm.compile(&kernel.llvm_ir(), target.name, LlvmOutput::Assembly);
            let text = text.map_err(|source| CodegenError::Llvm {
                symbol: kernel.symbol,
                source,
            })?;
            String::from_utf8_lossy(&text).into_owned()
        }
    })
}

/// Returns the lane map of a configuration's kernel.
///
/// # Errors
///
/// The configuration is not legal.
pub fn lane_map(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<LaneMap, CodegenError> {
    let kernel = LoweredConfiguration::new(problem, target, configuration)?;
    Ok(LaneMap::new(kernel.last))
}

/// A configuration lowered to the last stage, and its kernel's name.
pub(super) struct LoweredConfiguration {
    pub(super) symbol: String,
    pub(super) last: Final,
}

impl LoweredConfiguration {
    pub(super) fn new(
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<LoweredConfiguration, CodegenError> {
        // No stage sees an illegal configuration.
        configgen::check(problem, target, Generator::NATIVE, configuration)?;
        let symbol = symbol(problem, configuration);
        let lower = || {
            let (isa, combiner) = (Isa::of(target)?, combiner::of(problem));
            let layout = Layout::new(problem, Generator::NATIVE, configuration).ok()?;
            let grid = Gridwise::new(isa, combiner, problem, configuration, &layout)?;
            Final::new(Lanewise::new(Blockwise::new(grid)))
        };
        match lower() {
            Some(last) => Ok(LoweredConfiguration { symbol, last }),
            None => Err(CodegenError::NotLowered { symbol }),
        }
    }

    /// Builds the kernel's IR. A debug build verifies it.
    pub(super) fn kernel(&self) -> IrKernel {
        let kernel = lower::kernel(&self.last);
        debug_assert_eq!(verify(&kernel), Ok(()), "{}", self.symbol);
        kernel
    }

    /// Returns the LLVM module with this kernel alone.
    pub(super) fn llvm_ir(&self) -> String {
        print::llvm::module(&[(&self.symbol, &self.kernel())])
    }
}

/// Version of the text that symbols are hashes of. Version 1 hashed the output of Rust's `Debug`.
const FORM: u32 = 2;

/// Returns a kernel name that says what the kernel computes and differs between configurations.
/// It ends in [`FORM`] and a hash.
fn symbol(problem: &Problem, configuration: &Configuration) -> String {
    let sizes = problem.shape.sizes().iter().enumerate();
    let sizes: Vec<String> = sizes
        .map(|(d, size)| match problem.shape.is_counted(d) {
            // A count is known only at launch, so the name must not depend on it.
            true => "n".to_owned(),
            false => size.to_string(),
        })
        .collect();
    let hash = blake3::hash(identified_by(problem, configuration).as_bytes()).to_hex();
    format!(
        "{}_{}x{}_{FORM}_{}",
        problem.symbol(),
        sizes.join("x"),
        problem.element,
        // 64 bits of the hash.
        &hash[..16]
    )
}

/// Returns the text behind a symbol's hash: the problem's canonical text and the configuration's
/// canonical JSON. The JSON leaves out a knob at its default.
fn identified_by(problem: &Problem, configuration: &Configuration) -> String {
    let configuration = serde_json::to_string(configuration).expect("its keys are text");
    format!("{problem}\n{configuration}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A renamed field of configurations changes the names of all kernels. Then the cache has none of
    /// them, and a newer manifest lacks the names of an older one. Bless this only on purpose. A new
    /// knob that is absent at its default changes no name.
    #[test]
    fn a_kernel_keeps_its_name() {
        let json = r#"{"workgroup": [1, 0], "partial_reduction": [0, 1024], "thread": [0, 4],
            "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64,
            "workgroup_size": [64, 1, 1], "split": 4}"#;
        let configuration: Configuration = serde_json::from_str(json).unwrap();
        let problem = "argmax:4x[32000]xf32".parse().unwrap();
        expect_test::expect!["argmax_4x32000xf32_2_8eed3cea14ff149b"]
            .assert_eq(&symbol(&problem, &configuration));
    }
    /// The hashed text contains no text that Rust derives, such as the name of a type.
    #[test]
    fn a_name_is_of_json() {
        for (problem, configuration) in crate::native::specimens(64) {
            let text = identified_by(&problem, &configuration);
            let (head, json) = text.trim_end().rsplit_once('\n').unwrap();
            assert_eq!(head.parse(), Ok(problem));
            let again: Configuration = serde_json::from_str(json).unwrap();
            assert_eq!(again, configuration);
            assert_eq!(serde_json::to_string(&again).unwrap(), json);
        }
    }
}
