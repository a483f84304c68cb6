//! Entries of ranges: iree-compile matches the operations in the range, and no others.

use std::fs;

use configgen::{Configuration, Pipeline, Problem, Range};
use iree::spec::{Spec, SpecEntry};
use iree::{IreeCompiler, MlirModule};
use testing::Failed;

use super::{CONFIGURED, Case, GFX942, ROW_OF_4096};

/// Returns whether the range of a configuration, from one problem to another, matches the
/// operation of a case.
fn is_matched(
    compiler: &IreeCompiler,
    case: &Case,
    configuration: &str,
    [tuned, other]: [&str; 2],
) -> Result<bool, Failed> {
    let (tuned, other): (Problem, Problem) = (tuned.parse()?, other.parse()?);
    let parsed: Configuration = serde_json::from_str(configuration)?;
    let range = Range::between(&tuned, &other, GFX942.parse()?, &parsed)?;
    let range = range.ok_or("no range")?;
    let pipeline = Pipeline::VectorDistribute(parsed);
    let entries = [SpecEntry {
        problem: &tuned,
        range: Some(&range),
        pipeline: &pipeline,
        provenance: "a test",
    }];
    let spec = Spec::new(GFX942.parse()?, "iree-compile", &entries)?;
    fs::write(case.path("spec.mlir"), spec.to_string())?;
    // Without a match, IREE's default may have the same tile, so only the marker counts.
    let output = case.compile(compiler.path(), &CONFIGURED)?;
    let text = String::from_utf8_lossy(&output.stdout);
    match output.status.success() {
        true => Ok(text.contains("__tuning_spec_applied__")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

pub(super) fn ranges_match_what_is_in_them(compiler: &IreeCompiler) -> Result<(), Failed> {
    let check = |configuration: &str, between: [&str; 2], shapes: &[(&str, bool)]| {
        for (problem, expected) in shapes {
            let case = Case::new(problem, &[between[0]], configuration)?;
            if is_matched(compiler, &case, configuration, between)? != *expected {
                return Err(format!("{problem}: {expected} was expected").into());
            }
            if *expected {
                case.compile_with_spec(compiler.path())?;
            }
        }
        Ok::<(), Failed>(())
    };
    let rows_in_pairs = ROW_OF_4096
        .replace("\"workgroup\": [1, 0]", "\"workgroup\": [2, 0]")
        .replace("\"subgroup_basis\": [[1, 1]", "\"subgroup_basis\": [[2, 1]")
        .replace("[64, 1, 1]", "[128, 1, 1]");
    check(
        &rows_in_pairs,
        ["argmax:4x[4096]xf32", "argmax:8x[8192]xf32"],
        &[
            ("argmax:4x[4096]xf32", true),
            ("argmax:6x[5120]xf32", true),
            ("argmax:8x[8192]xf32", true),
            ("argmax:2x[4096]xf32", false),
            ("argmax:10x[4096]xf32", false),
            ("argmax:5x[4096]xf32", false),
            ("argmax:4x[3072]xf32", false),
            ("argmax:4x[9216]xf32", false),
            ("argmax:4x[4608]xf32", false),
            // Other operations, and an open count.
            ("argmin:6x[5120]xf32", false),
            ("argmax:6x[5120]xf16", false),
            ("argmax:6x[5120]xf32:i64", false),
            ("argmax:6x[5120]xf32:i32:index_base", false),
            ("argmax:6x[5120]xf32:i32:explicit_index", false),
            ("argmax:[4096]x4096xf32", false),
            ("argmax:?x[5120]xf32", false),
        ],
    )?;
    check(
        r#"{"workgroup": [0], "partial_reduction": [1024], "thread": [4], "lane_basis": [[64], [0]],
            "subgroup_basis": [[4], [0]], "subgroup_size": 64, "workgroup_size": [256, 1, 1]}"#,
        [
            "argmax:[16384]xi32:i64:index_base",
            "argmax:[1024]xi32:i64:index_base",
        ],
        &[
            ("argmax:[3072]xi32:i64:index_base", true),
            ("argmax:[17408]xi32:i64:index_base", false),
            ("argmax:[3072]xi32:i64", false),
        ],
    )?;
    check(
        r#"{"workgroup": [1, 0, 64], "partial_reduction": [0, 6, 0], "thread": [1, 1, 1],
            "lane_basis": [[1, 1, 64], [0, 1, 2]], "subgroup_basis": [[1, 1, 1], [0, 1, 2]],
            "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#,
        [
            "argmin:4x[480]x64xi16:i32:explicit_index",
            "argmin:4x[30]x256xi16:i32:explicit_index",
        ],
        &[
            ("argmin:4x[36]x192xi16:i32:explicit_index", true),
            ("argmin:3x[36]x192xi16:i32:explicit_index", false),
            ("argmin:4x[38]x192xi16:i32:explicit_index", false),
            ("argmin:4x[36]x96xi16:i32:explicit_index", false),
        ],
    )
}

/// Checks that an open count never matches, not even if the module promises a count in the range.
/// A tile above 1 would not compile there.
pub(super) fn no_count_of_a_launch_is_in_a_range(compiler: &IreeCompiler) -> Result<(), Failed> {
    let between = ["argmax:4x[4096]xf32", "argmax:8x[8192]xf32"];
    let case = Case::new(between[0], &[between[0]], ROW_OF_4096)?;
    let open: Problem = "argmax:?x[4096]xf32".parse()?;
    let module = MlirModule::new(&open, None)?.to_string();
    let count = module.lines().find(|line| line.contains("tensor.dim"));
    let count = count.ok_or("no count")?;
    let known = count.replace("%count", "%found");
    let promised = format!(
        "{known}\n  %count = util.assume.int %found<umin = 4, umax = 8, udiv = 2> : index\n  \
         %counted = flow.tensor.tie_shape %input : tensor<?x4096xf32>{{%count}}"
    );
    let module = module.replace(count, &promised);
    let module = module.replace("ins(%input : tensor", "ins(%counted : tensor");
    if !module.contains("ins(%counted") {
        return Err("the module is another".into());
    }
    fs::write(case.path("module.mlir"), module)?;
    match is_matched(compiler, &case, ROW_OF_4096, between)? {
        true => Err("a count that is not known is matched".into()),
        false => Ok(()),
    }
}
