//! A kernel takes the same time in `tune`, `try`, `emulate` and the HIP library, and has the same
//! error and device.

use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{Configuration, Problem};
use serde_json::Value;
use testing::Failed;

use crate::emulated::device::timed;
use crate::emulated::{export, json, kernels, library, split, target};
use testing::hip::Hip;

const DEVICE: &str = "emulated:mi300x";

/// Problems of every kind: comparators, folds, precomputed functions, maps, copies, and each
/// operation with row results.
pub(crate) const PROBLEMS: [&str; 20] = [
    "argmax:2x[9000]xf32",
    "argmin_last:3x[5000]xi32:i64:index_base",
    "argmax_nan:[12288]xbf16:i32:explicit_index",
    "argmax(arith.mulf(0,1)):4x[4096]xf32,f32(1):i32",
    "sum:2x[10000]xf32",
    "max:[3000]x24xf16",
    "product:4x[600]xf64",
    "dot:16x[4096]xbf16,bf16(1)",
    "sum(math.absf(0)):5x[3000]xf16",
    "square_sum:2x[5000]xf32",
    "map(arith.addf(0,1)):64x768xf32,f32(1)",
    "copy:128x96xf32(1,0)",
    "softmax:2x[16000]xf32",
    "log_softmax:3x[9000]xf16",
    "log_sum_exp:4x[8000]xf32",
    "cross_entropy:4x[8192]xf16",
    "standardize:2x[6000]xf32",
    "layer_norm:4x[4096]xbf16",
    "rms_norm:1x[7168]xbf16",
    "add_rms_norm:2x[5120]xf16",
];

/// A kernel with the sum in its last workgroup, one with waiting workgroups, and one with
/// neither.
pub(crate) const SAMPLE: &[&str] = &[PROBLEMS[0], PROBLEMS[18], PROBLEMS[11]];

pub(crate) fn are_the_same(problems: &[&str]) -> Result<(), Failed> {
    // The other times are those of cold caches.
    // SAFETY: this test's process has one thread so far.
    unsafe { std::env::set_var("WAVETUNE_HIP_CACHES", "cold") };
    let hip = Hip::load();
    assert_eq!(hip.one("hipInit", 0u32), 0);
    let native = Native::load(Cache::of_environment())?;
    for &text in problems {
        let problem: Problem = text.parse()?;
        let directory = tempfile::tempdir()?;
        let tune = ["tune", text, "--device", DEVICE, "--budget", "2"];
        json(directory.path(), &tune)?;
        let study = json(directory.path(), &["studies", "show", "1"])?;
        assert_eq!(
            (&study["device"], &study["clock"]),
            (&DEVICE.into(), &"modelled".into())
        );
        let trial = json(directory.path(), &["trials", "1", "--limit", "1"])?;
        let tuned: Configuration = serde_json::from_value(trial["configuration"].clone())?;
        let tried = same(&hip, &native, &problem, &tuned)?;
        for figure in ["status", "time_us", "error", "samples_us"] {
            assert_eq!(trial[figure], tried[figure], "{text}: {figure}");
        }
        if let Some(configuration) = split(&problem, target("gfx942"), 3) {
            same(&hip, &native, &problem, &configuration)?;
        }
    }
    Ok(())
}

/// Checks that `try` and all other programs give a configuration's kernel the same time.
fn same(
    hip: &Hip,
    native: &Native,
    problem: &Problem,
    configuration: &Configuration,
) -> Result<Value, Failed> {
    let directory = tempfile::tempdir()?;
    let (text, choice) = (problem.to_string(), serde_json::to_string(configuration)?);
    let of = [
        text.as_str(),
        "--configuration",
        choice.as_str(),
        "--device",
        DEVICE,
    ];
    let tried = json(directory.path(), &[&["try"], &of[..]].concat())?;
    let kernel = native.compile(target("gfx942"), problem, configuration)?;
    let timed = timed(problem, &kernel, DEVICE)?;
    let exported = export(directory.path(), &of)?;
    let exported = exported.first().ok_or("nothing is exported")?;
    let files = timed.buffers.iter().enumerate().map(|(number, held)| {
        let file = directory.path().join(format!("{number}.bin"));
        std::fs::write(&file, held).map(|()| file.display().to_string())
    });
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let emulated = kernels::emulate(directory.path(), exported, DEVICE, |number, _| match kernel
        .arguments[number]
    {
        codegen::Kernarg::Buffer(buffer) => format!(":{}", files[buffer]),
        _ => String::new(),
    })?;
    let what = format!("{problem} {choice}");
    assert_eq!(tried["status"], "right", "{what}");
    assert_eq!(
        emulated["time_us"], tried["time_us"],
        "{what}: emulate and try"
    );
    for (figure, of_try) in [("device", "device"), ("isa", "target"), ("clock", "clock")] {
        assert_eq!(emulated[figure], tried[of_try], "{what}");
    }
    let time = tried["time_us"].as_f64().ok_or("no time")?;
    // HIP's events are in f32.
    for (of, other) in [
        ("the harness", timed.time_us),
        ("events", library::time_us(hip, &timed)),
    ] {
        let differs = (other / time - 1.0).abs();
        assert!(differs < 1e-6, "{what}: {other} by {of}, {time} by try");
    }
    Ok(tried)
}
