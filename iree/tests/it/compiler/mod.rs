//! The driver of the real `iree-compile`: its kernels and its failures.

mod rows;

use std::process::Command;
use std::time::Duration;

use codegen::native::{lane_map, specimens};
use codegen::{CompiledKernel, Kernarg, Merge, Slot, Tiling};
use configgen::{
    Configuration, Generator, Layout, Problem, Space, SplitReduction, Target, default_configuration,
};
use iree::{IreeCompiler, IreeError, MlirModule};
use testing::{Failed, Trial};

/// A test that needs the compiler.
type Test = fn(&IreeCompiler) -> Result<(), Failed>;

const TESTS: [(&str, Test); 10] = [
    (
        "rows_are_configured_as_a_whole",
        rows::rows_are_configured_as_a_whole,
    ),
    ("legal_configurations_compile", legal_configurations_compile),
    ("rows_in_pieces", rows_in_pieces),
    ("own_choice_of_iree", own_choice_of_iree),
    (
        "own_choices_are_the_default_rule",
        own_choices_are_the_default_rule,
    ),
    ("every_type_has_its_layout", every_type_has_its_layout),
    ("failures_have_types", failures_have_types),
    (
        "the_short_way_makes_the_same_kernels",
        the_short_way_makes_the_same_kernels,
    ),
    ("layouts_are_those_of_iree", layouts_are_those_of_iree),
    (
        "layouts_of_native_kernels_parse",
        layouts_of_native_kernels_parse,
    ),
];

/// Returns the trials. Without the compiler they are ignored, with the reason as their kind; in
/// CI they fail.
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

fn target() -> &'static Target {
    Target::named("gfx942").expect("gfx942 is a target")
}

fn compile(
    compiler: &IreeCompiler,
    problem: &Problem,
    configuration: Option<&Configuration>,
) -> Result<CompiledKernel, Failed> {
    let kernel = compiler.compile(problem, target(), configuration)?;
    check_layout(problem, &kernel)?;
    Ok(kernel)
}

fn ensure(condition: bool, message: impl FnOnce() -> String) -> Result<(), Failed> {
    match condition {
        true => Ok(()),
        false => Err(message().into()),
    }
}

/// Checks that every tensor lies in its buffer, that the results do not overlap, and that the
/// kernel takes every buffer.
fn check_layout(problem: &Problem, kernel: &CompiledKernel) -> Result<(), Failed> {
    let rows = problem.shape.rows();
    let values = rows * u64::from(problem.element.bytes());
    let indices = rows * u64::from(problem.arg_compare().unwrap().index.bytes());
    let tensors = [
        (kernel.input, problem.input_bytes()),
        (kernel.results[0], values),
        (kernel.results[1], indices),
    ];
    for (Slot { buffer, offset }, bytes) in tensors {
        let size = kernel.buffers[buffer];
        ensure(offset + bytes <= size, || {
            format!("{problem}: {bytes} bytes at {offset} of buffer {buffer}, which has {size}")
        })?;
        let merge = kernel.merge.iter().flat_map(|merge| &merge.arguments);
        let mut arguments = kernel.arguments.iter().chain(merge);
        ensure(arguments.any(|it| *it == Kernarg::Buffer(buffer)), || {
            format!("{problem}: no argument for buffer {buffer}")
        })?;
    }
    let apart = kernel.results[0].buffer != kernel.results[1].buffer
        || kernel.results[0].offset + values <= kernel.results[1].offset
        || kernel.results[1].offset + indices <= kernel.results[0].offset;
    ensure(apart, || format!("{problem}: values and indices overlap"))?;
    ensure(kernel.code_object.starts_with(b"\x7fELF"), || {
        format!("{problem}: the code object is no ELF")
    })
}

/// Checks one sampled configuration of several problems, and its launch.
fn legal_configurations_compile(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problems = [
        "argmax:4x[4096]xf32",
        "argmin:[4096]xf32",
        "argmax:300x[1009]xf16",
        "argmin:[384]x64xbf16:i64",
        "argmax:6x[50]x17xi32",
        "argmax:5x[50257]xi8",
    ];
    for (seed, problem) in (0..).zip(problems) {
        let problem: Problem = problem.parse()?;
        let space = Space::new(&problem, target(), Generator::IREE);
        let sample = space.sample(1, seed);
        let configuration = sample
            .first()
            .ok_or_else(|| format!("{problem} has no legal configuration"))?;
        let kernel = compile(compiler, &problem, Some(configuration))?;
        ensure(
            kernel.workgroup_size == configuration.workgroup_size,
            || format!("{problem}: workgroup size {:?}", kernel.workgroup_size),
        )?;
        let tile = |d| u64::from(configuration.lowering.workgroup[d]);
        let tile: u64 = problem.shape.parallel().map(tile).product();
        let workgroups: u64 = kernel.workgroups.iter().copied().map(u64::from).product();
        let rows = problem.shape.rows() * u64::from(configuration.knobs.split);
        ensure(workgroups * tile == rows, || {
            format!("{problem}: {workgroups} workgroups of {tile} rows")
        })?;
        ensure(kernel.tiling.is_some(), || {
            format!("{problem}: the rows of its workgroups are not known")
        })?;
    }
    Ok(())
}

/// Checks the launches of pieces and of their merge, and the check of launches from elsewhere.
fn rows_in_pieces(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problem: Problem = "argmax:6x[32000]xf32".parse()?;
    let json = r#"{"workgroup": [2, 0], "partial_reduction": [0, 640], "thread": [0, 5],
        "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[2, 1], [0, 1]], "subgroup_size": 64,
        "workgroup_size": [128, 1, 1], "split": 50}"#;
    let configuration: Configuration = serde_json::from_str(json)?;
    configgen::check(&problem, target(), Generator::IREE, &configuration)?;
    let kernel = compile(compiler, &problem, Some(&configuration))?;
    let merge = kernel.merge.as_ref().ok_or("no merge")?;
    ensure(kernel.workgroups == [150, 1, 1], || format!("{kernel:?}"))?;
    ensure(kernel.workgroup_size == [128, 1, 1], || {
        format!("{kernel:?}")
    })?;
    let shape = (merge.workgroups, merge.workgroup_size, merge.pieces);
    ensure(shape == ([6, 1, 1], [64, 1, 1], 50), || {
        format!("{merge:?}")
    })?;
    ensure(merge.symbol != kernel.symbol, || merge.symbol.clone())?;
    let given = compiler.is_launch_of(&problem, target(), Some(&configuration), &kernel);
    ensure(given, || format!("{kernel:?} is refused"))?;
    let changes: [fn(&mut Merge); 5] = [
        |merge| merge.pieces = 25,
        |merge| merge.workgroups = [7, 1, 1],
        |merge| merge.workgroup_size = [2048, 1, 1],
        |merge| merge.symbol.clear(),
        |merge| merge.arguments.push(Kernarg::Buffer(9)),
    ];
    for change in changes {
        let mut other = kernel.clone();
        other.merge.iter_mut().for_each(change);
        let taken = compiler.is_launch_of(&problem, target(), Some(&configuration), &other);
        ensure(!taken, || format!("{other:?} is taken"))?;
    }
    let whole = CompiledKernel {
        merge: None,
        ..kernel
    };
    let taken = compiler.is_launch_of(&problem, target(), Some(&configuration), &whole);
    ensure(!taken, || format!("{whole:?} is taken"))?;
    let stage = iree::IreeStage::Configuration;
    let text = compiler.explain(&problem, target(), Some(&configuration), stage)?;
    ensure(text.matches("__tuning_spec_applied__").count() == 2, || {
        text
    })
}

/// Checks IREE's choice without a configuration: one wave per row.
fn own_choice_of_iree(compiler: &IreeCompiler) -> Result<(), Failed> {
    let kernel = compile(compiler, &"argmax:4x[32000]xf32".parse()?, None)?;
    let shape = (kernel.workgroups, kernel.workgroup_size);
    ensure(shape == ([4, 1, 1], [64, 1, 1]), || format!("{shape:?}"))?;
    ensure(kernel.tiling == Tiling::new([(4, 1)]), || {
        format!("{:?}", kernel.tiling)
    })?;
    let symbol = kernel.symbol.as_bytes();
    let mut names = kernel.code_object.windows(symbol.len());
    ensure(names.any(|name| name == symbol), || {
        format!("no {} in the code object", kernel.symbol)
    })
}

/// Checks that the default rule predicts IREE's choice on every target, for all operands.
fn own_choices_are_the_default_rule(compiler: &IreeCompiler) -> Result<(), Failed> {
    let of_each = [
        "argmax:4x[32000]xf32",
        "argmax:6x[4160]xf16",
        "argmax_nan:2100x[512]xf32",
    ];
    let targets = [
        "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201",
    ];
    let pairs = targets
        .into_iter()
        .flat_map(|target| of_each.map(|problem| (target, problem)));
    let others = [
        "argmax:4x[32000]xf32:i64:explicit_index",
        "argmax:4x[32000]xf16:i32:explicit_index",
        "argmax:4x[32000]xf16:i64:explicit_index",
        "argmax:4x[32000]xf64:i32:explicit_index",
        "argmax:4x[32000]xf16:i64:index_base",
        "argmax_last:[12288]xi8:i64:index_base",
        "dot:64x[4096]xf16,f16(1)",
        "dot:6x[1024]xf16,f16",
        "dot:8x48x[512]xf16,f16(0,2)",
        "sum(2=arith.extf(0,f32);arith.subf(2,1)):40x[2048]xf16,f32(0)",
        "square_sum:1300x[768]xf16",
    ];
    let others = ["gfx942", "gfx1100"]
        .into_iter()
        .flat_map(|target| others.map(|problem| (target, problem)));
    let mut differ = Vec::new();
    for (target, problem) in pairs.chain(others) {
        let (parsed, target): (Problem, &Target) = (problem.parse()?, target.parse()?);
        let chosen = own_choice(compiler, &parsed, target)?;
        let rule = default_configuration(&parsed, target, Generator::IREE)?;
        let rule = rule.configuration().map(Configuration::to_string);
        if rule.as_ref() != Some(&chosen) {
            differ.push(format!("{problem} on {target}: {chosen}, not {rule:?}"));
        }
    }
    ensure(differ.is_empty(), || differ.join("\n"))
}

/// Returns the configuration that IREE chooses, in our format.
fn own_choice(
    compiler: &IreeCompiler,
    problem: &Problem,
    target: &Target,
) -> Result<String, Failed> {
    let target = format!("--iree-rocm-target={target}");
    let said = output_of(
        compiler,
        &MlirModule::new(problem, None)?.to_string(),
        &[
            "--iree-hal-target-device=hip",
            &target,
            "--iree-input-demote-f64-to-f32=false",
            "--compile-to=executable-configurations",
        ],
    )?;
    let part = |start: &str, end: &str| {
        let (_, rest) = said.split_once(start)?;
        rest.split_once(end).map(|(part, _)| part)
    };
    let lowering = part("lowering_config = #iree_gpu.lowering_config<", ">");
    let translation = part("translation_info = #iree_codegen.translation_info<", ", {");
    let (Some(lowering), Some(translation)) = (lowering, translation) else {
        return Err(format!("{problem}: nothing is chosen").into());
    };
    let text = format!(
        "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{lowering}>, \
         translation_info = <{translation}>>"
    );
    let configuration: Configuration = text.parse().map_err(|error| format!("{text}: {error}"))?;
    Ok(configuration.to_string())
}

/// Checks the layout of results: they share a buffer, at offsets that depend on the types and the
/// number of rows.
fn every_type_has_its_layout(compiler: &IreeCompiler) -> Result<(), Failed> {
    for element in ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8"] {
        for index in ["i32", "i64"] {
            let problem = format!("argmin:37x[16]x{element}:{index}").parse()?;
            compile(compiler, &problem, None)?;
        }
    }
    Ok(())
}

/// Returns both output streams of iree-compile for a module.
fn output_of(compiler: &IreeCompiler, module: &str, options: &[&str]) -> Result<String, Failed> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("module.mlir");
    std::fs::write(&source, module)?;
    let mut command = Command::new(compiler.path());
    let output = command
        .args(options)
        .arg(&source)
        .args(["-o", "-"])
        .output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, said) = (text(&output.stdout), text(&output.stderr));
    ensure(output.status.success(), || format!("{module}: {said}"))?;
    Ok(out + &said)
}

/// Checks that the operands' layout in iree-compile is the configuration's.
fn layouts_are_those_of_iree(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problems = [
        "argmax:4x[4096]xf32",
        "argmin:[4096]xf32",
        "argmax:1152x[384]xf16",
        "argmin:[384]x64xbf16",
    ];
    for problem in problems {
        let problem: Problem = problem.parse()?;
        for configuration in Space::new(&problem, target(), Generator::IREE).sample(2, 5) {
            // If rows are split, the layout is that of a piece.
            let (row, of_row) = match SplitReduction::of(&problem, &configuration) {
                Some(pieces) => pieces.partial,
                None => (problem.clone(), configuration.clone()),
            };
            let module = MlirModule::new(&row, Some(&of_row))?.to_string();
            let said = output_of(
                compiler,
                &module,
                &[
                    "--iree-hal-target-device=hip",
                    "--iree-rocm-target=gfx942",
                    "--compile-to=executable-targets",
                    "--mlir-print-ir-after=iree-llvmgpu-configure-tensor-layouts",
                ],
            )?;
            let layout = Layout::new(&problem, Generator::IREE, &configuration)?.to_string();
            ensure(said.contains(&layout), || {
                let others = said.lines().filter(|line| line.contains("nested_layout"));
                format!("{problem}: no {layout} in {:?}", others.collect::<Vec<_>>())
            })?;
        }
    }
    Ok(())
}

fn layouts_of_native_kernels_parse(compiler: &IreeCompiler) -> Result<(), Failed> {
    for (number, (problem, configuration)) in specimens(64).into_iter().enumerate() {
        // The compiler takes half a second to start: some are enough.
        if number % 6 == 0 {
            let layout = lane_map(&problem, target(), &configuration)?
                .nest()
                .to_string();
            let module = format!("builtin.module attributes {{iree.layout = {layout}}} {{}}");
            let said = output_of(compiler, &module, &["--compile-to=input"])?;
            ensure(said.contains(&layout), || {
                format!("{layout} came back as {said}")
            })?;
        }
    }
    Ok(())
}

fn failures_have_types(compiler: &IreeCompiler) -> Result<(), Failed> {
    let fail = |compiler: &IreeCompiler, problem: &str| {
        let kernel = compiler.compile(&problem.parse()?, target(), None);
        kernel
            .err()
            .ok_or_else(|| Failed::from(format!("{problem} compiles")))
    };
    let error = fail(compiler, "argmax:4x[4096]xf32")?;
    let expected = matches!(&error, IreeError::Rejected { message } if message.contains("failed to distribute"));
    ensure(expected, || error.to_string())?;

    let error = fail(compiler, "argmax:4x[64]xi8")?;
    let expected = matches!(error, IreeError::Crashed { signal: 6, .. });
    ensure(expected, || error.to_string())?;

    let error = fail(compiler, "argmax:[4]x[8]xf32")?;
    let expected = matches!(error, IreeError::SeveralReductions { count: 2 });
    ensure(expected, || error.to_string())?;

    // All 50257 elements unrolled in one thread take more than 50 s.
    let hasty = compiler
        .clone()
        .without_cache()
        .with_time_limit(Duration::from_secs(1));
    let error = fail(&hasty, "argmax:4x[50257]xf32")?;
    let expected = matches!(error, IreeError::TimedOut { .. });
    ensure(expected, || error.to_string())
}

/// Checks kernels from a problem's executable, which a compiler uses from the problem's second
/// configuration on.
fn the_short_way_makes_the_same_kernels(_: &IreeCompiler) -> Result<(), Failed> {
    let problems = [
        ("gfx942", "argmax:4x[4096]xf32"),
        ("gfx1201", "argmin:[4096]xf16:i64"),
        ("gfx90a", "argmax.ugt:6x[50]x17xi32:i64:explicit_index"),
        ("gfx950", "argmax_last:3x4x[384]xbf16:i32:index_base"),
    ];
    for (target, problem) in problems {
        let (problem, target): (Problem, &Target) = (problem.parse()?, target.parse()?);
        let sample = Space::new(&problem, target, Generator::IREE).sample(2, 3);
        let [first, second] = &sample[..] else {
            return Err(format!("{problem} has {} configurations", sample.len()).into());
        };
        let compiler = IreeCompiler::find()?;
        compiler.compile(&problem, target, Some(first))?;
        let short = compiler.compile(&problem, target, Some(second))?;
        let whole = IreeCompiler::find()?.compile(&problem, target, Some(second))?;
        ensure(short == whole, || {
            format!("{problem} on {target}: another kernel")
        })?;
    }
    Ok(())
}
