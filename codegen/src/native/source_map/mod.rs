//! The source map: the text of each stage, and the lines of two stages that belong together.
//!
//! A *mark* is the number of an IR statement. The printers of the operations, of HIP C++ and of
//! LLVM IR mark each line with its statement. Debug locations mark the assembly. A line of an
//! early stage has the marks of all statements that were built for its decision. Compilation does
//! not use this module.

mod isa;
mod parts;

use std::collections::HashMap;

use configgen::{Configuration, Problem, Target};

use super::header_comment::header_comment;
use super::ir::marks::MarkedText;
use super::ir::{Block, IrOperation, KernelPart};
use super::layout::LaneMap;
use super::stage::LoweredConfiguration;
use super::stages::final_stage::Final;
use super::{CodegenError, Native, NativeStage, print};

/// The text of a stage and its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedStage {
    /// The stage.
    pub stage: NativeStage,
    /// The stage's text.
    pub text: String,
    /// The marks of each line, which lines of other stages share.
    pub marks: Vec<Vec<u32>>,
}

/// Returns all stages of a configuration.
///
/// # Errors
///
/// The configuration is not legal, or LLVM fails on our IR.
pub fn marked_stages(
    native: &Native,
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<Vec<MarkedStage>, CodegenError> {
    let lowered = LoweredConfiguration::new(problem, target, configuration)?;
    let kernel = lowered.kernel();
    let (symbol, last) = (&lowered.symbol, &lowered.last);
    let mut statements = HashMap::new();
    collect(&kernel.body, &mut statements);

    let mut stages: Vec<MarkedStage> = early(last)
        .into_iter()
        .map(|(stage, text)| {
            let of_line = |line: &str| {
                let parts = parts::parts(stage, line).unwrap_or_default().iter();
                let own = parts.filter_map(|part| statements.get(part));
                own.flatten().copied().collect()
            };
            MarkedStage {
                stage,
                marks: text.lines().map(of_line).collect(),
                text,
            }
        })
        .collect();
    let about = header_comment(last, &kernel, problem, target, configuration);
    let llvm = print::llvm::marked(symbol, &kernel);
    let late = [
        (NativeStage::Ops, kernel.marked()),
        (
            NativeStage::Hip,
            print::hip::marked(symbol, &about, &kernel),
        ),
        (NativeStage::Llvm, llvm.clone()),
    ];
    stages.extend(late.into_iter().map(|(stage, marked)| {
        let MarkedText { text, marks } = MarkedText::new(&marked);
        MarkedStage { stage, text, marks }
    }));
    let assembly = |ir: &str| native.assembly(ir, target, symbol);
    // Two compilations: debug locations would add lines to the text that is shown.
    let text = assembly(&lowered.llvm_ir())?;
    let located = assembly(&print::llvm::located(&llvm))?;
    stages.push(MarkedStage {
        stage: NativeStage::Isa,
        marks: isa::marks(&text, &located),
        text,
    });
    Ok(stages)
}

/// Collects the statements of each part. Skips comments, which only the operations print.
fn collect(block: &Block, statements: &mut HashMap<KernelPart, Vec<u32>>) {
    for statement in &block.statements {
        let blocks = match &statement.operation {
            IrOperation::Comment(_) => continue,
            IrOperation::If(choice) => vec![&choice.then, &choice.otherwise],
            IrOperation::Loop(turns) => vec![&turns.head, &turns.body],
            _ => vec![],
        };
        statements
            .entry(statement.part)
            .or_default()
            .push(statement.number);
        blocks
            .into_iter()
            .for_each(|block| collect(block, statements));
    }
}

/// Returns the texts of the stages before the operations.
fn early(last: &Final) -> [(NativeStage, String); 5] {
    let lanes = &last.lanes;
    [
        (NativeStage::Gridwise, lanes.block.grid.to_string()),
        (NativeStage::Blockwise, lanes.block.to_string()),
        (NativeStage::Lanewise, lanes.to_string()),
        (NativeStage::Final, last.to_string()),
        (NativeStage::Layout, LaneMap::new(last.clone()).to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::specimens;

    /// A line that a stage prints and the table lacks would be linked with nothing.
    #[test]
    fn every_line_of_an_early_stage_is_known() {
        let mut lines = 0;
        for (target, size) in [("gfx942", 64), ("gfx1030", 32), ("gfx1030", 64)] {
            let target = Target::named(target).unwrap();
            for (problem, configuration) in specimens(size) {
                let lowered = LoweredConfiguration::new(&problem, target, &configuration).unwrap();
                for (stage, text) in early(&lowered.last) {
                    for line in text.lines().filter(|line| !line.is_empty()) {
                        assert!(
                            parts::parts(stage, line).is_some(),
                            "{problem} {stage}: {line}"
                        );
                        lines += 1;
                    }
                }
            }
        }
        assert!(lines > 1000, "{lines}");
    }
}
