//! Tuning specs in the real `iree-compile`.

mod plain;
mod ranges;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use configgen::{Configuration, Generator, Pipeline, Problem, default_configuration};
use iree::spec::{Spec, SpecEntry};
use iree::{IreeCompiler, MlirModule};
use testing::{Failed, Trial};

const GFX942: &str = "gfx942";

/// A test that needs the compiler.
type Test = fn(&IreeCompiler) -> Result<(), Failed>;

const TESTS: [(&str, Test); 11] = [
    (
        "compiles_what_the_default_does_not",
        compiles_what_the_default_does_not,
    ),
    (
        "matches_argmax_and_argmin_of_f32_and_f16",
        matches_argmax_and_argmin_of_f32_and_f16,
    ),
    ("matches_every_rank_and_type", matches_every_rank_and_type),
    ("matches_its_index_mode_alone", matches_its_index_mode_alone),
    ("matches_every_comparator", matches_every_comparator),
    ("matches_on_every_target", matches_on_every_target),
    (
        "splits_are_made_and_configured",
        splits_are_made_and_configured,
    ),
    ("defaults_can_be_requested", defaults_can_be_requested),
    (
        "ranges_match_what_is_in_them",
        ranges::ranges_match_what_is_in_them,
    ),
    (
        "no_count_of_a_launch_is_in_a_range",
        ranges::no_count_of_a_launch_is_in_a_range,
    ),
    (
        "plain_reductions_are_configured",
        plain::plain_reductions_are_configured,
    ),
];

/// Returns the tests. Without the compiler they are ignored, with the reason as their kind; in CI
/// they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let found = IreeCompiler::find();
    let trials = TESTS.map(|(name, test)| match found.clone() {
        Ok(compiler) => Trial::test(name, move || test(&compiler)),
        Err(missing) => {
            let reason = missing.to_string();
            Trial::test(name, move || Err(missing.into()))
                .with_kind(reason)
                .with_ignored_flag(std::env::var_os("CI").is_none())
        }
    });
    trials.into()
}

/// One wave for a row and 1024 elements in a step, for a problem `ROWSx[4096]`.
const ROW_OF_4096: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 1024], "thread": [0, 4],
    "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]],
    "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#;

/// The options that print a module's configurations, with the spec.
const CONFIGURED: [&str; 4] = [
    "--iree-codegen-tuning-spec-path=spec.mlir",
    "--compile-to=executable-configurations",
    "-o",
    "-",
];

/// A folder with a module and a spec.
struct Case {
    folder: tempfile::TempDir,
    target: &'static str,
}

impl Case {
    /// Creates the module of `problem`, and a spec with `configuration` for all of `tuned`.
    fn new(problem: &str, tuned: &[&str], configuration: &str) -> Result<Self, Failed> {
        Self::on(GFX942, problem, tuned, configuration)
    }

    fn on(
        target: &'static str,
        problem: &str,
        tuned: &[&str],
        configuration: &str,
    ) -> Result<Self, Failed> {
        let problem: Problem = problem.parse()?;
        let pipeline = Pipeline::VectorDistribute(serde_json::from_str(configuration)?);
        Self::with(target, &problem, tuned, &pipeline)
    }

    fn with(
        target: &'static str,
        problem: &Problem,
        tuned: &[&str],
        pipeline: &Pipeline,
    ) -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        let module = MlirModule::new(problem, None)?;
        fs::write(folder.path().join("module.mlir"), module.to_string())?;

        let tuned: Result<Vec<Problem>, _> = tuned.iter().map(|text| text.parse()).collect();
        let tuned = tuned?;
        let entries: Vec<SpecEntry> = tuned
            .iter()
            .map(|problem| SpecEntry {
                problem,
                range: None,
                pipeline,
                provenance: "a test",
            })
            .collect();
        let spec = Spec::new(target.parse()?, "iree-compile", &entries)?;
        fs::write(folder.path().join("spec.mlir"), spec.to_string())?;
        Ok(Self { folder, target })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the compiler as a user of the spec would, without our driver.
    fn compile(&self, compiler: &Path, options: &[&str]) -> Result<Output, Failed> {
        let output = Command::new(compiler)
            .arg(self.path("module.mlir"))
            .arg("--iree-hal-target-device=hip")
            .arg(format!("--iree-rocm-target={}", self.target))
            // The output of one dispatch must not interleave with that of another.
            .arg("--mlir-disable-threading")
            .args(options)
            .current_dir(self.folder.path())
            .output()?;
        Ok(output)
    }

    /// Makes `tuned.vmfb` of the module, with the spec.
    fn compile_with_spec(&self, compiler: &Path) -> Result<(), Failed> {
        let options = [
            "--iree-codegen-tuning-spec-path=spec.mlir",
            "-o",
            "tuned.vmfb",
        ];
        let tuned = self.compile(compiler, &options)?;
        match tuned.status.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&tuned.stderr);
                Err(format!("{}: {said}", self.target).into())
            }
        }
    }
}

fn compiles_what_the_default_does_not(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problem = "argmax:4x[4096]xf32";
    let case = Case::new(problem, &[problem], ROW_OF_4096)?;
    let plain = case.compile(compiler.path(), &["-o", "plain.vmfb"])?;
    let messages = String::from_utf8_lossy(&plain.stderr);
    if plain.status.success() || !messages.contains("failed to distribute") {
        return Err(format!("without a spec: {}, {messages}", plain.status).into());
    }
    case.compile_with_spec(compiler.path())?;
    match fs::metadata(case.path("tuned.vmfb"))?.len() {
        0 => Err("the module is empty".into()),
        _ => Ok(()),
    }
}

fn matches_argmax_and_argmin_of_f32_and_f16(compiler: &IreeCompiler) -> Result<(), Failed> {
    let all = [
        "argmax:4x[4096]xf32",
        "argmin:4x[4096]xf32",
        "argmax:4x[4096]xf16",
        "argmin:4x[4096]xf16",
    ];
    for (position, problem) in all.iter().enumerate() {
        if !applied(compiler, problem, &all, ROW_OF_4096)? {
            return Err(format!("{problem}: the spec was not applied").into());
        }
        // The marker proves something only if it is absent without this entry.
        let mut others = all.to_vec();
        others.remove(position);
        if applied(compiler, problem, &others, ROW_OF_4096)? {
            return Err(format!("{problem}: an entry of another problem was applied").into());
        }
    }
    Ok(())
}

fn matches_every_rank_and_type(compiler: &IreeCompiler) -> Result<(), Failed> {
    let check = |problem: &str, configuration: &str| match applied(
        compiler,
        problem,
        &[problem],
        configuration,
    )? {
        true => Ok(()),
        false => Err(Failed::from(format!("{problem}: the spec was not applied"))),
    };
    check(
        "argmax:[16384]xi32:i64",
        r#"{"workgroup": [0], "partial_reduction": [1024], "thread": [4], "lane_basis": [[64], [0]],
            "subgroup_basis": [[4], [0]], "subgroup_size": 64, "workgroup_size": [256, 1, 1]}"#,
    )?;
    check(
        "argmin:[4096]x256xbf16",
        r#"{"workgroup": [0, 128], "partial_reduction": [8, 0], "thread": [1, 1],
            "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 2], [0, 1]],
            "subgroup_size": 64, "workgroup_size": [128, 1, 1]}"#,
    )?;
    check(
        "argmin:4x[512]x64xi16",
        r#"{"workgroup": [1, 0, 64], "partial_reduction": [0, 4, 0], "thread": [1, 1, 1],
            "lane_basis": [[1, 1, 64], [0, 1, 2]], "subgroup_basis": [[1, 1, 1], [0, 1, 2]],
            "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#,
    )?;
    check(
        "argmax:4x[4096]xi8",
        r#"{"workgroup": [1, 0], "partial_reduction": [0, 256], "thread": [0, 8],
            "lane_basis": [[1, 32], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]],
            "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#,
    )
}

/// Checks index base, explicit indices and neither: each is another operation.
fn matches_its_index_mode_alone(compiler: &IreeCompiler) -> Result<(), Failed> {
    let all = [
        "argmax:4x[4096]xf32:i32",
        "argmax:4x[4096]xf32:i32:index_base",
        "argmax:4x[4096]xf32:i32:explicit_index",
    ];
    for problem in all {
        if !applied(compiler, problem, &all, ROW_OF_4096)? {
            return Err(format!("{problem}: the spec was not applied").into());
        }
        let others: Vec<&str> = all.into_iter().filter(|other| *other != problem).collect();
        if applied(compiler, problem, &others, ROW_OF_4096)? {
            return Err(format!("{problem}: an entry of another index mode was applied").into());
        }
    }
    Ok(())
}

fn matches_every_comparator(compiler: &IreeCompiler) -> Result<(), Failed> {
    let absolute = "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)";
    let two_keys = "2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.cmpf(ogt,2,3);5=arith.cmpf(oeq,2,3);\
                    6=arith.cmpf(ogt,0,1);7=arith.andi(5,6);arith.ori(4,7)";
    let all = [
        "argmax:4x[4096]xf32".to_owned(),
        "argmax_last:4x[4096]xf32".to_owned(),
        "argmax_nan:4x[4096]xf32".to_owned(),
        "argmin_nan:4x[4096]xf32".to_owned(),
        format!("arg_compare{{{absolute}}}:4x[4096]xf32"),
        format!("arg_compare{{{two_keys}}}:4x[4096]xf32"),
    ];
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    for (position, problem) in all.iter().enumerate() {
        let mut others = all.clone();
        others.remove(position);
        let found = [&all, &others].map(|tuned| applied(compiler, problem, tuned, ROW_OF_4096));
        let [with, without] = found;
        if !with? || without? {
            return Err(format!("{problem}: its own entry is not what is applied").into());
        }
    }
    Ok(())
}

/// Checks that pieces and results have configurations with both files, and the whole operation
/// has one with the spec alone.
fn splits_are_made_and_configured(compiler: &IreeCompiler) -> Result<(), Failed> {
    const PIECES: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 256], "thread": [0, 4],
        "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]],
        "subgroup_size": 64, "workgroup_size": [64, 1, 1], "split": 16}"#;
    for problem in [
        "argmax:4x[4096]xf32",
        "argmin:4x[4096]xbf16:i64:index_base",
        "argmax_nan:4x[4096]xf64:i32:explicit_index",
    ] {
        let case = Case::new(problem, &[problem], ROW_OF_4096)?;
        let problem: Problem = problem.parse()?;
        let [whole, pieces] = [ROW_OF_4096, PIECES].map(serde_json::from_str);
        let pipelines = [whole?, pieces?].map(Pipeline::VectorDistribute);
        let entry = |pipeline| SpecEntry {
            range: None,
            problem: &problem,
            pipeline,
            provenance: "a test",
        };
        let entries = [entry(&pipelines[0]), entry(&pipelines[1])];
        let spec = Spec::new(GFX942.parse()?, "iree-compile", &entries)?;
        let splits = spec.splits().ok_or("no splits")?;
        fs::write(case.path("spec.mlir"), spec.to_string())?;
        fs::write(case.path("splits.mlir"), splits.to_string())?;
        let with = "--iree-preprocessing-transform-spec-filename=splits.mlir";
        for (options, expected) in [(&[with][..], 2), (&[], 1)] {
            let more = [
                "--iree-codegen-tuning-spec-path=spec.mlir",
                "--compile-to=executable-configurations",
                iree::spec::F64_OPTION,
                "-o",
                "-",
            ];
            let output = case.compile(compiler.path(), &[options, &more].concat())?;
            let text = String::from_utf8_lossy(&output.stdout);
            let applied = text.matches("__tuning_spec_applied__").count();
            let executables = text.matches("hal.executable private").count();
            if (applied, executables) != (expected, expected) {
                let said = String::from_utf8_lossy(&output.stderr);
                let found = format!("{applied} of {executables} are configured: {said}");
                return Err(format!("{problem} {options:?}: {found}").into());
            }
        }
    }
    Ok(())
}

/// Checks that the spec for a target has the target's subgroup size.
fn matches_on_every_target(compiler: &IreeCompiler) -> Result<(), Failed> {
    let row_of_32 = ROW_OF_4096
        .replace("[1, 64]", "[1, 32]")
        .replace("\"subgroup_size\": 64", "\"subgroup_size\": 32")
        .replace("[64, 1, 1]", "[32, 1, 1]");
    let problem = "argmax:4x[4096]xf32:i32:index_base";
    for target in ["gfx90a", "gfx950", "gfx1100", "gfx1151", "gfx1201"] {
        let row = if target.starts_with("gfx9") {
            ROW_OF_4096
        } else {
            &row_of_32
        };
        let case = Case::on(target, problem, &[problem], row)?;
        if !marks(compiler, &case, row)? {
            return Err(format!("{target}: the spec was not applied").into());
        }
        case.compile_with_spec(compiler.path())?;
    }
    Ok(())
}

/// Returns whether the compiler marks the operation as configured by the spec.
///
/// # Errors
///
/// The operation has the marker without our tile, or our tile without the marker.
fn applied(
    compiler: &IreeCompiler,
    problem: &str,
    tuned: &[&str],
    configuration: &str,
) -> Result<bool, Failed> {
    let case = Case::new(problem, tuned, configuration)?;
    marks(compiler, &case, configuration).map_err(|failed| {
        let said = failed.message().unwrap_or_default();
        format!("{problem}: {said}").into()
    })
}

fn marks(compiler: &IreeCompiler, case: &Case, configuration: &str) -> Result<bool, Failed> {
    let output = case.compile(compiler.path(), &CONFIGURED)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let configured = String::from_utf8_lossy(&output.stdout);
    let marked = configured.contains("__tuning_spec_applied__");
    let configuration: Configuration = serde_json::from_str(configuration)?;
    let tile = configuration.lowering.partial_reduction;
    let tiled = configured.contains(&format!("partial_reduction = {tile:?}"));
    match marked == tiled {
        true => Ok(marked),
        false => Err(format!("marked {marked}, tiled {tiled}").into()),
    }
}

/// Checks that a spec with IREE's own default compiles to the same code, with either pipeline.
fn defaults_can_be_requested(compiler: &IreeCompiler) -> Result<(), Failed> {
    for (target, problem, is_distributed) in [
        (GFX942, "argmax:4x[32000]xf32", true),
        (GFX942, "argmin:[2048]xf16:i64", true),
        (GFX942, "argmax:256x[8]xf32", false),
        (GFX942, "argmax:2x[3]x4xf32:i32:index_base", false),
        (GFX942, "argmax:?x[21]x33x35xf32", false),
        (GFX942, "argmax:?x[32000]xf32", true),
        (GFX942, "argmax:[9]xi32", false),
        ("gfx1100", "argmax:256x[7]xf32", false),
        ("gfx1100", "argmax:37x[5]x130xf16", false),
        ("gfx1201", "argmax:[7]x40xf32:i32:explicit_index", false),
    ] {
        let parsed: Problem = problem.parse()?;
        let pipeline = default_configuration(&parsed, target.parse()?, Generator::IREE)?;
        assert_eq!(
            matches!(pipeline, Pipeline::VectorDistribute(_)),
            is_distributed,
            "{problem}"
        );
        let case = Case::with(target, &parsed, &[problem], &pipeline)?;
        let code = |name: &str, options: &[&str]| -> Result<Vec<u8>, Failed> {
            let folder = case.path(name);
            let dump = format!(
                "--iree-hal-dump-executable-binaries-to={}",
                folder.display()
            );
            let options = [options, &[&dump, "-o", "out.vmfb"]].concat();
            let output = case.compile(compiler.path(), &options)?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
            }
            let file = fs::read_dir(&folder)?.next().ok_or("no code")??;
            Ok(fs::read(file.path())?)
        };
        let unasked = code("unasked", &[])?;
        let asked = code("asked", &["--iree-codegen-tuning-spec-path=spec.mlir"])?;
        if unasked != asked {
            return Err(format!("{target}, {problem}: {pipeline} makes other code").into());
        }
        let applied = case.compile(compiler.path(), &CONFIGURED)?;
        if !String::from_utf8_lossy(&applied.stdout).contains("__tuning_spec_applied__") {
            return Err(format!("{target}, {problem}: not applied").into());
        }
    }
    Ok(())
}
