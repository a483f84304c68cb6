//! Tests of the explanations of compiled kernels.

use std::time::Instant;

use answers_explanation::{KernelError, Question, explain_kernel};
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{DEVICES, Generator, Space, Target};
use serde_json::Value;
use testing::{Failed, Trial};

type Test = fn(&Native) -> Result<(), Failed>;

const TESTS: [(&str, Test); 3] = [
    ("a_kernel_of_each_device", a_kernel_of_each_device),
    (
        "the_model_has_the_time_of_a_study",
        the_model_has_the_time_of_a_study,
    ),
    ("refusals_have_a_reason", refusals_have_a_reason),
];

/// Returns the tests. Without the tools they are ignored, with the reason as their kind; in CI
/// they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let tests = TESTS.into_iter();
    // Each test owns the tools, which takes longer to load than most tests take.
    let tests = tests.filter(|(name, _)| testing::may_run(&format!("kernels::{name}")));
    let trials = tests.map(|(name, test)| match Native::load(Cache::of_environment()) {
        Ok(native) => Trial::test(name, move || test(&native)),
        Err(missing) => Trial::test(name, || Err("the tools are missing".into()))
            .with_kind(missing.to_string())
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    });
    trials.collect()
}

fn question(problem: &str, target: &'static Target) -> Question {
    Question {
        problem: problem.parse().expect("a problem"),
        target,
        generator: Generator::NATIVE,
        configuration: None,
    }
}

/// Returns the explanation as JSON, validated against its schema.
fn answer(native: &Native, question: &Question, device: Option<&str>) -> Result<Value, Failed> {
    let begin = Instant::now();
    let line = answers::line(&explain_kernel(native, question, device)?) + "\n";
    println!("{} on {device:?}: {:?}", question.problem, begin.elapsed());
    testing_conformance::answer("explained-kernel", line.as_bytes());
    Ok(serde_json::from_str(&line)?)
}

/// Checks that the counts match the assembly, and that the occupancy is the least of the limits.
fn a_kernel_of_each_device(native: &Native) -> Result<(), Failed> {
    for (number, device) in DEVICES.iter().enumerate() {
        let problem = [
            "argmax:40x[3000]xf16",
            "argmin:[20000]xf32",
            "argmax:300x[7]xi32",
            "argmax:5x[40]x33xbf16",
        ][number % 4];
        let mut asked = question(problem, device.target());
        let space = Space::new(&asked.problem, asked.target, Generator::NATIVE);
        asked.configuration = space.sample(1, number as u64).into_iter().next();
        let told = answer(native, &asked, Some(device.name))?;
        let counts = told["instructions"].as_object().ok_or("counts")?;
        let sum: u64 = counts
            .iter()
            .filter(|(name, _)| *name != "total")
            .filter_map(|(_, n)| n.as_u64())
            .sum();
        assert_eq!(counts["total"], sum, "{counts:?}");
        let stages = told["stages"].as_array().ok_or("stages")?;
        let isa = stages[8]["text"].as_str().ok_or("text")?;
        let instructions = isa.lines().filter(|line| {
            let text = line.split(';').next().unwrap_or_default();
            line.starts_with('\t') && !text.trim().is_empty() && !text.trim().starts_with('.')
        });
        // The code object may have padding beyond the instructions of the text.
        let in_text = instructions.count() as u64;
        assert!(
            (in_text..in_text + 100).contains(&sum),
            "{sum} of {in_text}"
        );
        let branches = isa
            .lines()
            .filter(|line| line.starts_with("\ts_") && line.contains("branch"))
            .count() as u64;
        assert_eq!(counts["branch"], branches, "{}", device.name);
        let occupancy = &told["occupancy"];
        let each = occupancy["each"].as_array().ok_or("each")?;
        let least = each.iter().filter_map(|one| one["waves"].as_u64()).min();
        assert_eq!(occupancy["waves_per_simd"].as_u64(), least);
        let model = &told["model"];
        let [time, bound] =
            ["time_us", "bound_us"].map(|name| model[name].as_f64().unwrap_or_default());
        assert!(bound > 0.0 && time >= bound, "{model}");
        for part in model["parts"].as_array().ok_or("parts")? {
            assert!(
                part["us"]
                    .as_f64()
                    .is_some_and(|us| (0.0..=time * 1.5).contains(&us)),
                "{}: {part} of {time}",
                device.name
            );
        }
    }
    Ok(())
}

/// Checks that the time is bit by bit that of a study with the same seed.
fn the_model_has_the_time_of_a_study(native: &Native) -> Result<(), Failed> {
    use bench_harness::{Bench, BenchOutcome, EmulatedDevice, Inputs};
    let target = Target::named("gfx942").ok_or("a target")?;
    let asked = question("argmax:4x[32000]xf32", target);
    let told = answer(native, &asked, None)?;
    let configuration = serde_json::from_value(serde_json::to_value(
        answers_explanation::explain(&asked).configuration,
    )?)?;
    let kernel = native.compile(target, &asked.problem, &configuration)?;
    let mut device = EmulatedDevice::named("emulated:mi300x")?;
    let inputs = Inputs::new(&asked.problem, 0)?;
    let outcome = Bench::new(&mut device, &inputs)?.evaluate(&kernel)?;
    let BenchOutcome::Right(measured, _) = outcome else {
        return Err(format!("{outcome:?}").into());
    };
    assert_eq!(
        told["model"]["time_us"].as_f64(),
        Some(measured.median_us())
    );
    Ok(())
}

fn refusals_have_a_reason(native: &Native) -> Result<(), Failed> {
    let target = Target::named("gfx942").ok_or("a target")?;
    let mut asked = question("argmax:4x[32000]xf32", target);
    asked.generator = Generator::IREE;
    let refused = |asked: &Question| match explain_kernel(native, asked, None) {
        Err(KernelError::Refused(refused)) => Ok(refused),
        other => Err(format!("{:?}", other.err())),
    };
    assert!(refused(&asked)?.message.contains("iree"));
    let mut configuration = configgen::native_default(&asked.problem, target)?;
    configuration.lowering.partial_reduction[1] = 3;
    asked.generator = Generator::NATIVE;
    asked.configuration = Some(configuration);
    assert_eq!(refused(&asked)?.rule, Some("N7"));
    Ok(())
}
