//! HIP programs, compiled by clang and linked with the library: they compute what their host
//! computes.
//!
//! Each program in `programs/` ends with 0 if so. One fat binary has code for several instruction
//! sets, and runs on a device of each. Needs clang and ld.lld of LLVM 22.

use std::path::{Path, PathBuf};
use std::process::Command;

use testing::end_of;
use testing::hip::library;
use testing::{Failed, Trial};

/// An instruction set in a fat binary, and a device with it.
type Device = (&'static str, &'static str);

/// The default device.
const MI300X: Device = ("gfx942", "");
const MI250X: Device = ("gfx90a", "mi250x");
const RX7900XTX: Device = ("gfx1100", "rx7900xtx");
const DEVICES: [Device; 3] = [MI300X, MI250X, RX7900XTX];

/// The programs that run on every device, each with its device in CI. clang takes longer than the
/// program, once for each instruction set.
const EVERYWHERE: [(&str, [Device; 1]); 11] = [
    ("saxpy", [MI250X]),
    ("argmax", [RX7900XTX]),
    ("symbols", [MI300X]),
    ("transpose", [RX7900XTX]),
    ("visible", [MI300X]),
    ("streams", [MI250X]),
    ("threads", [RX7900XTX]),
    ("running", [MI300X]),
    ("graph", [MI250X]),
    ("capture", [MI300X]),
    ("waiting", [RX7900XTX]),
];

type Outcome = Result<(), Failed>;
type Look = fn(&Path) -> Outcome;

pub(crate) fn trials() -> Vec<Trial> {
    let on_one = EVERYWHERE.iter().map(|(program, device)| {
        let name = (*program).to_owned();
        trial(name, Test::On(program, device))
    });
    let everywhere = EVERYWHERE.iter().map(|(program, _)| {
        let name = format!("full: {program} on every device");
        trial(name, Test::On(program, &DEVICES)).with_ignored_flag(true)
    });
    let others: [(&str, Look); 12] = [
        ("every_device", every_device),
        ("errors", errors),
        ("fault_of_a_running_kernel", fault_of_a_running_kernel),
        ("compressed", compressed),
        ("without_code_for_the_device", without_code),
        ("instruction_limit", instruction_limit),
        ("checker", checker),
        ("times", times),
        ("time_only", time_only),
        ("known_times", known_times),
        ("untimed", untimed),
        ("unknown_device", unknown_device),
    ];
    let others = others.map(|(name, test)| (name.to_owned(), Test::One(test)));
    let others = others.map(|(name, test)| trial(name, test));
    on_one.chain(everywhere).chain(others).collect()
}

enum Test {
    On(&'static str, &'static [Device]),
    One(Look),
}

/// Returns a trial. Without clang it is ignored, with the reason as its kind; in CI it fails.
fn trial(name: String, test: Test) -> Trial {
    let missing = ["clang++", "ld.lld"]
        .into_iter()
        .find(|tool| llvm(tool).is_none());
    if let Some(tool) = missing {
        let reason = format!("LLVM 22's {tool} not found");
        return Trial::test(name, {
            let reason = reason.clone();
            move || Err(reason.into())
        })
        .with_kind(reason)
        .with_ignored_flag(std::env::var_os("CI").is_none());
    }
    Trial::test(name, move || {
        let folder = tempfile::tempdir()?;
        match test {
            Test::On(program, devices) => runs_on(program, devices, folder.path()),
            Test::One(test) => test(folder.path()),
        }
    })
}

/// Returns an LLVM 22 tool: from the distribution's folder, or from `PATH` if its name has the
/// version.
fn llvm(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versioned = std::env::split_paths(&path).map(|folder| folder.join(format!("{tool}-22")));
    let usual = PathBuf::from("/usr/lib/llvm-22/bin").join(tool);
    let mut places = std::iter::once(usual).chain(versioned);
    places.find(|place| place.is_file())
}

/// Compiles the program for these instruction sets.
fn compile(
    program: &str,
    targets: &[&str],
    options: &[&str],
    folder: &Path,
) -> Result<PathBuf, Failed> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/programs");
    let library = library();
    let beside = library.parent().ok_or("a library lies in a folder")?;
    let built = folder.join(program);
    let mut command = Command::new(llvm("clang++").ok_or("no clang++")?);
    command
        .args(["-x", "hip", "-std=c++17", "-O2"])
        // Nothing of ROCm's: no headers, no device library, no runtime.
        .args(["-nogpuinc", "-nogpulib", "-no-hip-rt"])
        .args(
            targets
                .iter()
                .map(|target| format!("--offload-arch={target}")),
        )
        .args(options)
        .arg(sources.join(format!("{program}.hip")))
        .args(["-x", "none"])
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", beside.display()))
        .arg("-lpthread")
        .arg("-o")
        .arg(&built);
    let ended = codegen_object_cache::compile(&mut command, &[&sources, &library], &built)?;
    match ended.status.success() {
        true => Ok(built),
        false => Err(String::from_utf8_lossy(&ended.stderr).into_owned().into()),
    }
}

/// Runs the program and returns its standard error.
fn run(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Result<String, Failed> {
    let mut command = Command::new(program);
    for variable in [
        "DEVICE",
        "INSTRUCTION_LIMIT",
        "CHECK",
        "TIMES",
        "TIME_ONLY",
        "KNOWN_TIMES",
    ] {
        command.env_remove(format!("WAVETUNE_HIP_{variable}"));
    }
    command
        // Cargo puts another folder before the one that the program names, perhaps with an older
        // library.
        .env_remove("LD_LIBRARY_PATH")
        .args(arguments)
        .envs(variables.iter().copied());
    let ended = end_of(&mut command)?;
    match ended.status.success() {
        true => Ok(ended.errors),
        false => Err(ended.reason().into()),
    }
}

fn runs_on(program: &str, devices: &[Device], folder: &Path) -> Outcome {
    let targets: Vec<&str> = devices.iter().map(|(target, _)| *target).collect();
    let built = compile(program, &targets, &[], folder)?;
    for (target, device) in devices {
        let said = run(&built, &[], &[("WAVETUNE_HIP_DEVICE", device)])
            .map_err(|error| format!("{target}: {}", error.message().unwrap_or_default()))?;
        if !said.is_empty() {
            return Err(format!("{target}: {said}").into());
        }
    }
    Ok(())
}

/// Checks one program with code for all instruction sets, on all devices.
fn every_device(folder: &Path) -> Outcome {
    let targets = emulator::Isa::ALL.map(emulator::Isa::name);
    let built = compile("argmax", &targets, &[], folder)?;
    for device in &configgen::DEVICES {
        let said = run(&built, &[], &[("WAVETUNE_HIP_DEVICE", device.name)])
            .map_err(|error| format!("{}: {}", device.name, error.message().unwrap_or_default()))?;
        if !said.is_empty() {
            return Err(format!("{}: {said}", device.name).into());
        }
    }
    Ok(())
}

#[track_caller]
fn expect(said: &str, times: usize, words: &str) -> Outcome {
    match said.matches(words).count() == times {
        true => Ok(()),
        false => Err(format!("{words:?} should be there {times} times: {said}").into()),
    }
}

/// Checks that reasons are on standard error: once for a missing call, and at the kernel for a
/// fault.
fn errors(folder: &Path) -> Outcome {
    let said = run(&compile("errors", &["gfx942"], &[], folder)?, &[], &[])?;
    expect(&said, 1, "hipTexObjectCreate is not implemented")?;
    expect(&said, 1, "lane 40 writes 4 bytes")?;
    expect(&said, 1, "offset 4000 of an allocation of 4000 bytes")
}

/// Checks that threads waiting for a kernel's memory receive the fault that ended the device.
fn fault_of_a_running_kernel(folder: &Path) -> Outcome {
    let built = compile("running", &["gfx942"], &[], folder)?;
    let said = run(&built, &["fault"], &[])?;
    expect(&said, 1, "lane 0 writes 4 bytes")
}

fn compressed(folder: &Path) -> Outcome {
    let built = compile(
        "symbols",
        &["gfx90a", "gfx942"],
        &["--offload-compress"],
        folder,
    )?;
    run(&built, &[], &[]).map(drop)
}

fn without_code(folder: &Path) -> Outcome {
    let built = compile("saxpy", &["gfx90a"], &[], folder)?;
    match run(&built, &[], &[]) {
        Ok(_) => Err("it ran".into()),
        Err(error) => expect(
            error.message().unwrap_or_default(),
            1,
            "a module has code for gfx90a, not for gfx942:sramecc+:xnack-",
        ),
    }
}

fn instruction_limit(folder: &Path) -> Outcome {
    let built = compile("environment", &["gfx942"], &[], folder)?;
    let limit = [("WAVETUNE_HIP_INSTRUCTION_LIMIT", "20000")];
    let said = run(&built, &["limit"], &limit)?;
    expect(&said, 1, "did not end within 20000 instructions")
}

fn checker(folder: &Path) -> Outcome {
    let built = compile("environment", &["gfx942"], &[], folder)?;
    let said = run(&built, &["check"], &[("WAVETUNE_HIP_CHECK", "1")])?;
    expect(
        &said,
        1,
        "uninitialized: the stored value was never written",
    )?;
    expect(&said, 1, "lane 63")
}

/// Returns the journal of a program's run, and the microseconds between its events.
fn journal(
    program: &Path,
    argument: &str,
    variables: &[(&str, &str)],
) -> Result<(String, f64), Failed> {
    let file = program.with_extension("times");
    let name = file.display().to_string();
    let journal = [("WAVETUNE_HIP_TIMES", name.as_str())];
    let said = run(program, &[argument], &[variables, &journal].concat())?;
    let told = std::fs::read_to_string(&file)?;
    // The next run would append to it.
    std::fs::remove_file(&file)?;
    Ok((told, said.trim().parse()?))
}

/// Returns the sum of a journal's times.
fn sum(journal: &str) -> Result<f64, Failed> {
    let times = journal.lines().map(|line| {
        let time = line.split('\t').nth(1).ok_or("no time")?;
        Ok(time.parse::<f64>()?)
    });
    times.sum()
}

/// Checks that each command with modelled time is in the journal, and that the sum is that of the
/// events.
fn times(folder: &Path) -> Outcome {
    let built = compile("environment", &["gfx942"], &[], folder)?;
    let (told, elapsed) = journal(&built, "times", &[])?;
    let copy = "_Z4copyPKjPj";
    let first = format!("{copy} 1,1,1 64,1,1 code= scalars= read=256 written=256");
    // Workgroups that access the same bytes make the footprint an estimate.
    let second = format!("{copy} 2,3,1 128,2,1 code= scalars=");
    let expected = ["fill", "kernel", "kernel", "copy"];
    let facts = ["1024", &first, &second, "512"];
    let mut codes = Vec::new();
    if told.lines().count() != expected.len() {
        return Err(told.into());
    }
    for (line, (kind, facts)) in told.lines().zip(expected.iter().zip(facts)) {
        let mut cells: Vec<&str> = line.split('\t').collect();
        cells.remove(1);
        if *kind == "kernel" {
            let estimate = cells.iter().skip(6);
            let names = estimate.filter_map(|cell| cell.split_once('='));
            let names: Vec<&str> = names.map(|it| it.0).collect();
            if names != ["read", "written", "bottleneck", "waves", "limit"] {
                return Err(format!("{line}: {names:?}").into());
            }
            let code = cells[4].strip_prefix("code=").unwrap_or_default();
            if code.len() != 16 {
                return Err(format!("{line}: {code:?} is no hash").into());
            }
            codes.push(code);
            cells[4] = "code=";
        }
        if !(cells.join(" ") + " ").starts_with(&format!("{kind} {facts} ")) {
            return Err(format!("{line}, expected {kind} {facts}").into());
        }
    }
    if codes[0] != codes[1] {
        return Err(format!("one kernel has two codes: {codes:?}").into());
    }
    // The journal has each launch alone. The second kernel began behind the first one, in 2.6 µs
    // instead of 4.2.
    let sum = sum(&told)? - 1.6;
    match (sum - elapsed).abs() < 1e-4 * sum && sum > 0.0 {
        true => Ok(()),
        false => Err(format!("{sum} µs in all, {elapsed} between the events").into()),
    }
}

const TIME_ONLY: (&str, &str) = ("WAVETUNE_HIP_TIME_ONLY", "1");
/// A known time does not depend on the launches before.
const COLD: (&str, &str) = ("WAVETUNE_HIP_CACHES", "cold");

/// Checks that kernels which are not executed have the same times, and leave memory as it was.
fn time_only(folder: &Path) -> Outcome {
    let built = compile("environment", &["gfx942"], &[], folder)?;
    let executed = journal(&built, "times", &[])?;
    let timed = journal(&built, "only times", &[TIME_ONLY])?;
    match executed == timed {
        true => Ok(()),
        false => Err(format!("{executed:?}, and without execution {timed:?}").into()),
    }
}

/// Checks that a known time serves launches of the same grid alone, and only runs without
/// execution.
fn known_times(folder: &Path) -> Outcome {
    let built = compile("environment", &["gfx942"], &[], folder)?;
    let (told, elapsed) = journal(&built, "times", &[COLD])?;
    let lines: Vec<&str> = told.lines().collect();
    let mut cells: Vec<&str> = lines[1].split('\t').collect();
    cells[1] = "1000.5";
    cells.truncate(7);
    cells.push("read=1\twritten=2\tbottleneck=dram");
    let earlier = cells.join("\t");
    let file = folder.join("known");
    // A journal has other commands, too.
    std::fs::write(&file, format!("{}\n{earlier}\n{}\n", lines[0], lines[3]))?;
    let name = file.display().to_string();
    let known = ("WAVETUNE_HIP_KNOWN_TIMES", name.as_str());
    let (found, known_elapsed) = journal(&built, "only times", &[TIME_ONLY, COLD, known])?;
    let expected = [lines[0], &earlier, lines[2], lines[3]].map(|line| format!("{line}\n"));
    if found != expected.concat() {
        return Err(format!("{found}, expected {expected:?}").into());
    }
    let more = sum(&found)? - sum(&told)?;
    if (known_elapsed - elapsed - more).abs() > 1e-3 {
        return Err(format!("{known_elapsed} is not {more} more than {elapsed}").into());
    }
    let (executed, _) = journal(&built, "times", &[COLD, known])?;
    if executed != told {
        return Err(format!("an executed kernel has a known time: {executed}").into());
    }
    let missing = ("WAVETUNE_HIP_KNOWN_TIMES", "/a/file/that/is/not/there");
    let (found, _) = journal(&built, "only times", &[TIME_ONLY, COLD, missing])?;
    match found == told {
        true => Ok(()),
        false => Err(format!("{found}, expected {told}").into()),
    }
}

/// Checks that the journal marks a launch of unknown time, and that events say which times it
/// makes unknown.
fn untimed(folder: &Path) -> Outcome {
    let built = compile("untimed", &["gfx942"], &[], folder)?;
    let file = folder.join("times");
    let name = file.display().to_string();
    let said = run(&built, &[], &[("WAVETUNE_HIP_TIMES", &name)])?;
    // It is profiled once.
    expect(&said, 1, "the time of _Z6repeatPj is unknown: ")?;
    expect(&said, 1, "did not end within")?;
    let told = std::fs::read_to_string(&file)?;
    expect(&told, 2, "kernel\t-\t_Z6repeatPj\t1,1,1\t1,1,1\tcode=")?;
    let least = told.split("\tscalars=\tleast=").skip(1);
    let least = least.map(|rest| rest.split('\t').next().unwrap_or_default().parse::<f64>());
    let least = least.collect::<Result<Vec<f64>, _>>()?;
    // A third of 50,000,000 instructions are branches, of 16 cycles each at 2.1 GHz.
    if least.len() != 2 || least[0] != least[1] || !(127_000.0..400_000.0).contains(&least[0]) {
        return Err(format!("{least:?}: {told}").into());
    }
    expect(&told, 2, "\treason=")?;
    expect(&told, 2, " instructions\n")?;
    expect(&told, 2, "kernel\t")
}

fn unknown_device(folder: &Path) -> Outcome {
    let built = compile("environment", &["gfx942"], &[], folder)?;
    let said = run(&built, &["no"], &[("WAVETUNE_HIP_DEVICE", "mi9000")])?;
    expect(
        &said,
        1,
        "WAVETUNE_HIP_DEVICE=mi9000: unknown device; one of mi50, mi210",
    )
}
