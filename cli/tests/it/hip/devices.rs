//! The list of devices, their locks, and their results for kernels.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bench_harness::hip;
use iree::IreeCompiler;
use serde_json::Value;
use testing::Failed;

use crate::hip::bed::{Bed, children_of, descendants_of, emulating, soon};
use crate::support::error_lines;

/// Returns the standard output of a command that ends with this exit code.
fn output(mut command: Command, exit: i32) -> Result<String, Failed> {
    let output = command.output()?;
    let (text, errors) = (
        String::from_utf8(output.stdout)?,
        String::from_utf8(output.stderr)?,
    );
    match output.status.code() == Some(exit) {
        true => Ok(text),
        false => Err(format!("{}\n{text}{errors}", output.status).into()),
    }
}

/// Checks that a command ends with exit code 2 and one line of error with these parts.
fn check_error(mut command: Command, parts: &[&str]) -> Result<(), Failed> {
    let output = command.output()?;
    let errors = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(error_lines(&errors), 1, "{errors}");
    assert!(output.stdout.is_empty());
    let missing: Vec<_> = parts
        .iter()
        .filter(|part| !errors.contains(**part))
        .collect();
    assert!(missing.is_empty(), "{errors} has no {missing:?}");
    Ok(())
}

/// Returns the arguments of `tune` for a problem on a device, with a JSON answer.
fn tune<'a>(device: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    tune_problem("argmax:4x[1000]xf32", device, more)
}

fn tune_problem<'a>(problem: &'a str, device: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let arguments = [
        "tune",
        problem,
        "--device",
        device,
        "--output-format",
        "json",
    ];
    arguments.iter().chain(more).copied().collect()
}

/// Checks that a device's process logs nothing for any log setting, because its parent reads the
/// library's last words there.
pub(crate) fn a_child_has_no_log() -> Result<(), Failed> {
    let bed = Bed::new()?;
    // Each other command refuses this setting.
    let child = bed.child(&["WAVETUNE_LOG=loud".to_owned()]);
    let devices = hip::devices(&child, Some(emulating()?)).map_err(|error| error.to_string())?;
    assert_eq!(devices.len(), 1);
    Ok(())
}

/// Checks that child processes and HIP's functions give the same trials, verdicts, times and best
/// one.
pub(crate) fn verdicts_are_the_emulators() -> Result<(), Failed> {
    check_same("argmax:4x[1000]xf32", &["--budget=40"], 1e-5)?;
    // The library does not see the work of the last workgroup of kernels with shared rows, so
    // their times are shorter.
    let random = ["--budget=12", "--strategy=random"];
    check_same("argmin:[700]x3xbf16:i64:initial", &random, 0.3)?;
    check_same("argmax:3x[50]x4xi16:i64:explicit_index", &random, 0.3)?;
    if IreeCompiler::find().is_ok() {
        check_same(
            "argmax:4x[4096]xf32",
            &["--budget=4", "--generator=iree"],
            1e-5,
        )?;
    }
    Ok(())
}

/// Checks that the answers with and without HIP are equal. HIP's events have single precision, so
/// times may differ by `tolerance`.
fn check_same(problem: &str, arguments: &[&str], tolerance: f64) -> Result<(), Failed> {
    let bed = Bed::new()?;
    let library = emulating()?;
    let answer = |device: &str| -> Result<Value, Failed> {
        let command = bed.wavetune(&library, &tune_problem(problem, device, arguments));
        Ok(testing_conformance::answer(
            "tune",
            output(command, 0)?.as_bytes(),
        ))
    };
    let (mut emulated, mut hip) = (answer("emulated:mi300x")?, answer("hip:0")?);
    assert_eq!(
        (&hip["device"], &hip["clock"]),
        (&"hip:mi300x".into(), &"modelled".into())
    );
    for entry in ["default", "best"] {
        let time = |answer: &Value| answer[entry]["time_us"].as_f64();
        if let (Some(one), Some(other)) = (time(&emulated), time(&hip)) {
            let apart = (one / other - 1.0).abs();
            assert!(apart < tolerance, "{problem}, {entry}: {one} and {other}");
        }
    }
    for answer in [&mut emulated, &mut hip] {
        for differs in ["device", "seconds", "speedup"] {
            answer[differs] = Value::Null;
        }
        for entry in ["default", "best", "faster_tie"] {
            if let Some(time) = answer[entry].get_mut("time_us") {
                *time = Value::Null;
            }
        }
        // A HIP device verifies the kernels, too, that an exact one only times.
        for status in ["right", "timed"] {
            answer["trials"][status] = Value::Null;
        }
        if tolerance > 0.1 {
            answer["best"]["configuration"] = Value::Null;
        }
    }
    assert_eq!(emulated, hip);
    bed.check_released()
}

/// Checks that a second process is refused with the name of the first, or waits for it.
pub(crate) fn a_device_is_one_study_s() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let library = emulating()?;
    let lock = bed.path().join("wavetune/hip-emulated-mi300x0.lock");
    // A study far too long to wait for.
    let mut first = bed.wavetune(&library, &tune("hip:0", &["--budget=100000"]));
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    soon("the device is not locked", || {
        let noted = std::fs::read_to_string(&lock).unwrap_or_default();
        noted.trim() == first.id().to_string()
    })?;
    let second = bed.wavetune(&library, &tune("hip:0", &["--seed=1", "--budget=5"]));
    let holder = format!("hip:0 is in use by process {} (", first.id());
    check_error(second, &[&holder, "wavetune tune argmax", "--wait"])?;
    let mut third = bed.wavetune(
        &library,
        &tune("hip:0", &["--seed=1", "--budget=5", "--wait"]),
    );
    let third = third.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut third = third.spawn()?;
    soon("it does not wait", || !children_of(third.id()).is_empty())?;
    let lookup = ["lookup", "argmax:4x[1000]xf32", "--target=gfx942"];
    soon("it makes no trials", || {
        let lookup = bed.wavetune(&library, &lookup).output();
        lookup.is_ok_and(|output| output.status.success())
    })?;
    // The first study keeps the device even between two of its children.
    let before = children_of(first.id());
    for child in &before {
        Command::new("kill")
            .args(["-KILL", &child.to_string()])
            .status()?;
    }
    soon("there is no new child", || {
        let now = children_of(first.id());
        !now.is_empty() && now.iter().all(|child| !before.contains(child))
    })?;
    assert!(first.try_wait()?.is_none() && third.try_wait()?.is_none());
    first.kill()?;
    first.wait()?;
    let output = third.wait_with_output()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    bed.check_released()
}

/// Checks that a study in a sandbox gives the same result. There the device's process has its own
/// network and processes, and ends with the study.
pub(crate) fn a_device_s_process_is_confined() -> Result<(), Failed> {
    let library = emulating()?;
    let answer = |more: &[&str]| -> Result<Value, Failed> {
        let command = Bed::new()?.wavetune(&library, &tune("hip:0", more));
        let mut answer: Value = serde_json::from_str(&output(command, 0)?)?;
        answer["seconds"] = Value::Null;
        Ok(answer)
    };
    let (plain, confined) = (
        answer(&["--budget=40"])?,
        answer(&["--budget=40", "--sandbox"])?,
    );
    assert_eq!(plain["trials"]["right"], 40);
    assert_eq!(plain, confined);

    let bed = Bed::new()?;
    let mut study = bed.wavetune(&library, &tune("hip:0", &["--budget=100000", "--sandbox"]));
    let mut study = study.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let devices = || -> Vec<u32> {
        let all = descendants_of(study.id()).into_iter();
        all.filter(|process| is_device_process(*process)).collect()
    };
    soon("the device's process does not start", || {
        devices().len() == 1 && bed.path().join("test.db").exists()
    })?;
    let device = devices()[0];
    for namespace in ["net", "pid", "mnt", "ipc", "uts", "user"] {
        let of = |process: &str| std::fs::read_link(format!("/proc/{process}/ns/{namespace}"));
        assert_ne!(of("self")?, of(&device.to_string())?, "{namespace}");
    }
    study.kill()?;
    study.wait()?;
    soon("the device's process is left", || {
        !is_device_process(device)
    })?;
    bed.check_released()
}

/// Returns true for a device's process, and false for bubblewrap's that starts it.
fn is_device_process(process: u32) -> bool {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line == [env!("CARGO_BIN_EXE_wavetune"), "device-process", ""]
        .join("\0")
        .as_bytes()
}

/// Checks that the device's process ends with a killed study, and that the lock is free.
pub(crate) fn a_killed_study_leaves_nothing() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let mut study = bed.wavetune(&emulating()?, &tune("hip:0", &["--budget=100000"]));
    let mut study = study.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    soon("the device's process does not start", || {
        !children_of(study.id()).is_empty() && bed.path().join("test.db").exists()
    })?;
    study.kill()?;
    study.wait()?;
    bed.check_alone()?;
    bed.check_released()
}

/// Returns the HIP part of `wavetune doctor`'s answer.
fn doctor(bed: &Bed, library: &Path) -> Result<Value, Failed> {
    let mut command = bed.wavetune(library, &["doctor", "--output-format=json"]);
    // Missing tools change the exit code, which does not matter here.
    let output = command.output()?;
    let answer = testing_conformance::answer("doctor", &output.stdout);
    Ok(answer["hip"].clone())
}

/// The offsets in either struct, as in `facts.rs`.
const NEWER: [&str; 4] = [
    "-DPROPERTIES=hipGetDevicePropertiesR0600",
    "-DBYTES=1472",
    "-DARCH=1160",
    "-DMULTIPROCESSORS=388",
];
const OLDER: [&str; 4] = [
    "-DPROPERTIES=hipGetDeviceProperties",
    "-DBYTES=792",
    "-DARCH=396",
    "-DMULTIPROCESSORS=336",
];

pub(crate) fn doctor_tells_libraries_apart() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let real = doctor(&bed, &bed.library("fake", &NEWER)?)?;
    assert_eq!(
        (&real["state"], &real["devices"][0]["part"]),
        (&"real".into(), &"mi300x".into())
    );
    let emulated = doctor(&bed, &emulating()?)?;
    assert_eq!(emulated["state"], "emulated");
    assert_eq!(emulated["devices"][0]["device"], "hip:0");
    assert_eq!(emulated["devices"][0]["part"], "mi300x");
    let none = doctor(&bed, Path::new("/nowhere/libamdhip64.so"))?;
    assert_eq!(none["state"], "none");
    let problem = none["problem"].as_str().unwrap_or_default();
    assert!(problem.contains("/nowhere/libamdhip64.so"), "{problem}");
    Ok(())
}

pub(crate) fn both_layouts_of_properties_are_read() -> Result<(), Failed> {
    for layout in [NEWER, OLDER] {
        let bed = Bed::new()?;
        let library = bed.library("fake", &layout)?;
        let found = doctor(&bed, &library)?;
        let device = &found["devices"][0];
        assert_eq!(device["device"], "hip:0", "{found}");
        assert_eq!(device["arch"], "gfx942:sramecc+:xnack-");
        assert_eq!(device["multiprocessors"], 304);
        assert_eq!(device["runtime"], "6.3.42134");
        // The device is listed, but cannot be used.
        let tune = bed.wavetune(&library, &tune("hip:0", &[]));
        check_error(tune, &["hipSetDevice returned hipErrorNotSupported (801)"])?;
    }
    Ok(())
}

pub(crate) fn a_device_that_is_not_there_is_one_line() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let library = emulating()?;
    let check = |library: &Path, arguments: &[&str], parts: &[&str]| {
        check_error(bed.wavetune(library, arguments), parts)
    };
    check(&library, &tune("hip:7", &[]), &["no device hip:7, only 1"])?;
    check(
        &library,
        &tune("hip:x", &[]),
        &["\"hip:x\"", "hip:0, hip:1"],
    )?;
    check(&library, &tune("hip:0", &["--jobs=2"]), &["one worker"])?;
    check(
        &library,
        &tune("mi30x", &[]),
        &["unknown device", "or hip:N"],
    )?;
    let warm = ["--caches=warm"];
    for device in ["hip:0", "emulated:mi300x"] {
        check(&library, &tune(device, &warm), &["cold caches"])?;
    }
    let nowhere = Path::new("/nowhere/lib.so");
    check(
        nowhere,
        &tune("hip:0", &[]),
        &["/nowhere/lib.so cannot be loaded"],
    )?;
    let mut text = tempfile::NamedTempFile::new()?;
    writeln!(text, "no library")?;
    check(text.path(), &tune("hip:0", &[]), &["cannot be loaded"])?;
    check(
        Path::new("libc.so.6"),
        &tune("hip:0", &[]),
        &["it has no hipInit"],
    )
}

/// Returns Debian's libamdhip64, if it is installed.
pub(crate) fn amd_library() -> Option<PathBuf> {
    let folder = Path::new("/usr/lib").join(format!("{}-linux-gnu", std::env::consts::ARCH));
    let library = folder.join("libamdhip64.so.5");
    library.is_file().then_some(library)
}

/// Checks the message without a GPU. Does nothing if the machine has one.
pub(crate) fn no_gpu_is_one_line(library: &Path) -> Result<(), Failed> {
    let bed = Bed::new()?;
    if doctor(&bed, library)?["state"] == "real" {
        return Ok(());
    }
    let tune = bed.wavetune(library, &tune("hip:0", &[]));
    check_error(tune, &["it finds no GPU: hipInit returned hipError"])
}
