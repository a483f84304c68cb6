//! The gate: kernels stay only where they make the model faster.

use serde_json::Value;
use testing::Failed;

use super::{Bed, array, close, number};
use crate::iree_kernels::tools::Tools;

/// A mean, which iree-compile makes one kernel of, and an argmax of JAX, which it is slow at.
pub(super) const HEAD: &str = include_str!("head.mlir");
const MEAN: &str = "rows(sum(x)/4096):64x[4096]xf32";
const ARGMAX: &str = "argmax_nan:4x[4096]xf32:i32";

/// Returns the sum of a call, and the number of its fills.
fn of_call(answer: &Value) -> Result<(f64, usize), Failed> {
    let call = &answer["functions"][0];
    let fills = array(call, "commands")?
        .iter()
        .filter(|it| it["kind"] == "fill");
    Ok((number(call, "time_us")?, fills.count()))
}

/// Checks that a kernel that makes the model slower is left out, with both times, and that the
/// other one stays. The judged times are those of `wavetune profile`.
pub(super) fn harmful_kernels_are_left_out(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, HEAD)?;
    let export = "export iree-kernels model.mlir --target gfx942 --out kernels";
    let ended = bed.run(&format!("{export} --output-format=json"))?;
    if ended.code != Some(0) {
        return Err(ended.errors.into());
    }
    let answer = testing_conformance::answer("iree-kernels", &ended.output);
    let judgement = &answer["judgement"];
    let of = |problem: &str| -> Result<&Value, Failed> {
        let mut kernels = array(judgement, "kernels")?.iter();
        let found = kernels.find(|it| it["problem"] == problem);
        Ok(found.ok_or_else(|| format!("no {problem}: {judgement}"))?)
    };
    for (problem, is_kept) in [(MEAN, false), (ARGMAX, true)] {
        let verdict = of(problem)?;
        let [before, after] = ["before_us", "after_us"].map(|it| number(verdict, it));
        let (before, after) = (before?, after?);
        let figures = format!("{after:.2} us instead of {before:.2} us");
        if verdict["kept"] != is_kept
            || (after < before) != is_kept
            || !verdict["reason"]
                .as_str()
                .is_some_and(|it| it.contains(&figures))
            || !ended.errors.contains(&format!("  {problem}: "))
            || !ended.errors.contains(&figures)
        {
            return Err(format!("{verdict}: {}", ended.errors).into());
        }
    }
    let left_out = &array(&answer, "left_out")?[0];
    if left_out["problem"] != MEAN || left_out["reason"] != of(MEAN)?["reason"] {
        return Err(format!("{answer}").into());
    }
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(bed.path("kernels/manifest.json"))?)?;
    testing_conformance::check("manifest", &manifest);
    let kernels = array(&manifest, "kernels")?;
    if kernels.len() != 1 || kernels[0]["problem"] != ARGMAX || manifest.get("notice").is_some() {
        return Err(format!("{manifest}").into());
    }
    let spec = std::fs::read_to_string(bed.path("kernels/spec.mlir"))?;
    if spec.contains("sum_64x4096xf32") || !spec.contains("argmax_nan_4x4096xf32") {
        return Err(spec.into());
    }
    let call = &array(judgement, "calls")?[0];
    let (plain, _) = of_call(&bed.profile("model.mlir")?)?;
    let (with, _) = of_call(&bed.profile("model.mlir --kernels kernels")?)?;
    if !close(plain, number(call, "plain_us")?)
        || !close(with, number(call, "time_us")?)
        || with >= plain
    {
        return Err(format!("{with} instead of {plain}: {call}").into());
    }
    Ok(())
}

/// Checks that kernels which nobody compares have a notice, and that the fill of a workspace is
/// part of the model's time.
pub(super) fn fills_of_a_kernel_count(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, HEAD)?;
    let notice =
        "not compared with any model (--unjudged): a model can be slower with these kernels";
    let export = "export iree-kernels model.mlir --target gfx942 --out kernels --unjudged";
    bed.check(export, 0, &[MEAN, ARGMAX, notice])?;
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(bed.path("kernels/manifest.json"))?)?;
    testing_conformance::check("manifest", &manifest);
    let said = manifest["notice"].as_str().unwrap_or_default();
    if !said.starts_with(notice) || array(&manifest, "kernels")?.len() != 2 {
        return Err(format!("{manifest}").into());
    }
    let answer = bed.profile("model.mlir --kernels kernels")?;
    let (sum, fills) = of_call(&answer)?;
    let kernels = array(&answer["functions"][0], "commands")?.iter();
    let kernels: f64 = kernels
        .filter(|it| it["kind"] == "kernel")
        .filter_map(|it| it["time_us"].as_f64())
        .sum();
    match fills > 0 && sum > kernels + 1.0 {
        true => Ok(()),
        false => Err(format!("{fills} fills, {sum} us: {answer}").into()),
    }
}

pub(super) fn tuning_ends_with_the_model(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, HEAD)?;
    let ended = bed.run("tune model.mlir --budget 2")?;
    let said = String::from_utf8_lossy(&ended.output);
    let Some((_, last)) = said.split_once("\nmodels on emulated:mi300x with iree-compile ") else {
        return Err(format!("{said}{}", ended.errors).into());
    };
    let mut lines = last.lines().skip(1);
    let model = lines.next().unwrap_or_default();
    let kernels: Vec<&str> = lines.collect();
    let is_said = |problem: &str, words: &str| {
        let line = kernels.iter().find(|it| it.contains(problem));
        line.is_some_and(|it| it.contains(words) && it.contains(" us instead of "))
    };
    match ended.code == Some(0)
        && model.starts_with("  main(64x4096xf32, 4x4096xf32): ")
        && model.contains(" us (2 kernels) instead of ")
        && is_said(MEAN, ": left alone: ")
        && is_said(ARGMAX, "")
    {
        true => Ok(()),
        false => Err(format!("{said}{}", ended.errors).into()),
    }
}
