//! Entries of plain reductions: the operations that iree-compile matches with either order of
//! operands, and their configurations.

use std::fs;
use std::path::Path;

use configgen::{Configuration, Generator, Pipeline, Problem, Space};
use iree::IreeCompiler;
use iree::generic::Generic;
use testing::Failed;

use super::{CONFIGURED, Case, GFX942};

/// Problems with their loops in order or not, and their neighbours: another type, size, sign, map
/// of an operand, or function.
const PROBLEMS: [&str; 12] = [
    "sum:64x[4096]xf32",
    "sum:64x[4096]xf16",
    "sum:?x[4096]xf16",
    "sum:[4096]x64xf32",
    "sum:8x[512]x48xi8",
    "usum:8x[512]x48xi8",
    "umax:[4096]xi32",
    "product:64x[4096]xf16",
    "dot:64x[4096]xf16,f16(1)",
    "dot:64x[4096]xf16,f16",
    "sum(arith.subf(0,1)):8x[96]xf32,f32(0)",
    "sum(arith.subf(1,0)):8x[96]xf32,f32(0)",
];

/// Returns the configured operation of a case, if the spec configured it.
fn configured(case: &Case, compiler: &Path) -> Result<Option<String>, Failed> {
    let output = case.compile(compiler, &CONFIGURED)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let operation = text.lines().find(|line| line.contains("linalg.generic"));
    let operation = operation.ok_or("no generic")?.to_owned();
    Ok(operation
        .contains("__tuning_spec_applied__")
        .then_some(operation))
}

/// Checks that the operation has our configuration, in the order of its loops, and no other
/// problem's.
pub(super) fn plain_reductions_are_configured(compiler: &IreeCompiler) -> Result<(), Failed> {
    for (seed, text) in (0..).zip(PROBLEMS) {
        let problem: Problem = text.parse()?;
        let drawn = Space::new(&problem, GFX942.parse()?, Generator::IREE).sample(1, seed);
        let drawn = drawn.into_iter().next().ok_or("an empty space")?;
        let generic = Generic::of(&problem).ok_or("no generic")?;
        let expected: Configuration = generic.configuration(&drawn).into_owned();
        let pipeline = Pipeline::VectorDistribute(drawn);
        let case = Case::with(GFX942, &problem, &[text], &pipeline)?;
        let module = fs::read_to_string(case.path("module.mlir"))?;
        // The last combination of the body has the accumulator and the reduced value.
        let lines = module.lines().zip(module.lines().skip(1));
        let mut lines = lines.filter(|(_, next)| next.contains("linalg.yield"));
        let (combines, _) = lines.next().ok_or("no operation that combines")?;
        let words: Vec<&str> = combines.split_whitespace().collect();
        let [_, _, _, accumulator, value, ..] = words[..] else {
            return Err(format!("no operands in {combines}").into());
        };
        let other = combines.replace(
            &format!("{accumulator} {value}"),
            &format!("{value}, {}", accumulator.trim_end_matches(',')),
        );
        let turned = module.replace(combines, &other);
        if turned == module {
            return Err(format!("{combines} is {other}").into());
        }
        for module in [&module, &turned] {
            fs::write(case.path("module.mlir"), module)?;
            let operation = configured(&case, compiler.path())?;
            let operation = operation.ok_or_else(|| format!("{text}: not applied to\n{module}"))?;
            let lowering = &expected.lowering;
            for (name, tiles) in [
                ("workgroup", &lowering.workgroup),
                ("partial_reduction", &lowering.partial_reduction),
                ("thread", &lowering.thread),
            ] {
                let attribute = format!("{name} = {tiles:?}");
                if !operation.contains(&attribute) {
                    return Err(format!("{text}: no {attribute} in {operation}").into());
                }
            }
        }
        // Neighbours in the list differ in little. An open size matches any, so it may match this
        // one, too.
        let closed: Vec<&str> = (PROBLEMS.into_iter())
            .filter(|it| !it.contains('?'))
            .collect();
        let after = closed
            .iter()
            .position(|it| *it == text)
            .map_or(0, |it| it + 1);
        let other = closed[after % closed.len()];
        let problem: Problem = other.parse()?;
        let drawn = Space::new(&problem, GFX942.parse()?, Generator::IREE).sample(1, seed);
        let drawn = drawn.into_iter().next().ok_or("an empty space")?;
        let of_other = Case::with(
            GFX942,
            &problem,
            &[other],
            &Pipeline::VectorDistribute(drawn),
        )?;
        fs::write(of_other.path("module.mlir"), &module)?;
        if let Some(operation) = configured(&of_other, compiler.path())? {
            return Err(format!("{text}: an entry of {other} was applied: {operation}").into());
        }
    }
    Ok(())
}
