//! Kernels compiled by clang 22, against the same source on the host or the same computation in Rust.

#[path = "kernels/groups.rs"]
mod groups;
mod support;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use emulator::{CodeObject, Launch, Memory, run};
use libtest_mimic::{Arguments, Failed, Trial};
use support::{Random, llvm, with_llvm};

/// Triples that each function is called with.
const COUNT: usize = 512;

fn main() {
    let arguments = Arguments::from_args();
    let tools = ["clang", "ld.lld"];
    let mut trials: Vec<Trial> = functions()
        .into_iter()
        .flat_map(|(name, size)| {
            ["-O0", "-O3"].map(|level| {
                let test_name = format!("{name}_{}", &level[1..]);
                let name = name.clone();
                with_llvm(&test_name, &tools, move || element(&name, size, level))
            })
        })
        .collect();
    for (name, test) in groups::TESTS {
        trials.extend(["-O0", "-O3"].map(|level| {
            with_llvm(&format!("{name}_{}", &level[1..]), &tools, move || {
                test(level)
            })
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/kernels")
        .join(name)
}

/// The functions of `elements.hip` and the size of their type.
fn functions() -> Vec<(String, usize)> {
    let text = include_str!("kernels/elements.hip");
    let list = &text
        [text.find("#define LIST").unwrap_or(0)..text.find("#ifdef HOST\n#pragma").unwrap_or(0)];
    let entries = list.split("E(").skip(2).filter_map(|entry| {
        let (name, rest) = entry.split_once(", ")?;
        let (kind, _) = rest.split_once(", ")?;
        let bits: usize = kind[1..].parse().ok()?;
        Some((name.to_owned(), bits / 8))
    });
    entries.collect()
}

/// Compiles a source for the device; each level once.
fn compile(name: &'static str, level: &str) -> Result<&'static CodeObject, Failed> {
    type Slot = OnceLock<Result<CodeObject, String>>;
    static SLOTS: [Slot; 4] = [Slot::new(), Slot::new(), Slot::new(), Slot::new()];
    let slot = &SLOTS[usize::from(level == "-O3") + 2 * usize::from(name == "groups.hip")];
    let result = slot.get_or_init(|| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let output = folder.path().join("kernels.hsaco");
        let clang = llvm("clang").ok_or("no clang")?;
        let result = Command::new(clang)
            .args([
                "-x",
                "hip",
                "--cuda-device-only",
                "--offload-arch=gfx942",
                "-nogpuinc",
                "-nogpulib",
            ])
            .args(["-ffp-contract=off", "--no-gpu-bundle-output", level, "-o"])
            .args([&output, &source(name)])
            .output()
            .map_err(|error| error.to_string())?;
        if !result.status.success() {
            return Err(String::from_utf8_lossy(&result.stderr).into_owned());
        }
        let bytes = std::fs::read(output).map_err(|error| error.to_string())?;
        CodeObject::load(&bytes).map_err(|error| error.to_string())
    });
    result
        .as_ref()
        .map_err(|error| Failed::from(error.as_str()))
}

/// The host's program of `elements.hip`.
fn host() -> Result<&'static Path, Failed> {
    static PROGRAM: OnceLock<Result<(tempfile::TempDir, PathBuf), String>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let output = folder.path().join("host");
        let clang = llvm("clang").ok_or("no clang")?;
        let result = Command::new(clang)
            .args(["-x", "c++", "-DHOST", "-O1", "-ffp-contract=off", "-o"])
            .args([&output, &source("elements.hip")])
            .arg("-lm")
            .output()
            .map_err(|error| error.to_string())?;
        if !result.status.success() {
            return Err(String::from_utf8_lossy(&result.stderr).into_owned());
        }
        Ok((folder, output))
    });
    program
        .as_ref()
        .map(|(_, path)| path.as_path())
        .map_err(|error| Failed::from(error.as_str()))
}

/// Numbers that break things, and random ones.
fn inputs(size: usize, is_float: bool) -> Vec<u8> {
    let edges: &[u64] = match (size, is_float) {
        (2, true) => &[
            0, 0x8000, 1, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x4000,
        ],
        (4, true) => &[
            0,
            0x8000_0000,
            1,
            0x3f80_0000,
            0xbf80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x0080_0000,
            0x007f_ffff,
            0x4b00_0001,
            0xcf00_0000,
            0x3f00_0000,
            0x0000_1234,
            0x7000_0000,
        ],
        (8, true) => &[
            0,
            1 << 63,
            1,
            0x3ff0_0000_0000_0000,
            0xbff0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x0010_0000_0000_0000,
            0x3fe0_0000_0000_0000,
            0x0000_0123_4567_89ab,
        ],
        _ => &[
            0,
            1,
            2,
            7,
            0x7f,
            0x80,
            0xff,
            0x7fff,
            0x8000,
            0xffff,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            u64::MAX,
            1 << 63,
            0x1_0000_0000,
        ],
    };
    let mut random = Random(size as u64 * 2 + u64::from(is_float));
    let mut bytes = Vec::new();
    for _ in 0..3 * COUNT {
        let value = match random.below(4) {
            0 => edges[random.below(edges.len() as u64) as usize],
            1 if is_float => match size {
                2 => 0x3000 + random.below(0x2000),
                4 => u64::from(((random.below(2000) as f32) / 7.0 - 140.0).to_bits()),
                _ => ((random.below(2_000_000) as f64) / 7.0 - 140_000.0).to_bits(),
            },
            _ => random.next() >> random.below(if is_float { 1 } else { 40 }),
        };
        bytes.extend_from_slice(&value.to_le_bytes()[..size]);
    }
    bytes
}

fn element(name: &str, size: usize, level: &str) -> Result<(), Failed> {
    let text = include_str!("kernels/elements.hip");
    let kind = text
        .split_once(&format!("E({name}, "))
        .and_then(|(_, rest)| rest.get(..1));
    let is_float = kind == Some("f");
    let input = inputs(size, is_float);
    let expected = on_host(name, &input)?;
    let code = compile("elements.hip", level)?;
    let kernel = code.kernel(name).ok_or("no such kernel")?;
    let mut memory = Memory::new();
    let bytes = (COUNT * size) as u64;
    let mut kernarg = Vec::new();
    let out = memory.allocate(bytes)?;
    kernarg.extend(out.get().to_le_bytes());
    for part in input.chunks_exact(COUNT * size) {
        let address = memory.allocate(bytes)?;
        memory.bytes_mut(address).copy_from_slice(part);
        kernarg.extend(address.get().to_le_bytes());
    }
    let launch = Launch {
        kernel,
        workgroups: [COUNT as u32 / 64, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        only: None,
        instruction_limit: 1_000_000,
    };
    run(code, &mut memory, &launch)?;
    let got = memory.bytes(out);
    let word = |bytes: &[u8], index: usize| {
        let mut word = [0; 8];
        word[..size].copy_from_slice(&bytes[index * size..][..size]);
        u64::from_le_bytes(word)
    };
    for index in 0..COUNT {
        let (got, wanted) = (word(got, index), word(&expected, index));
        // The payload of a NaN is not the host's.
        if got != wanted && !(is_float && is_nan(got, size) && is_nan(wanted, size)) {
            let from: Vec<String> = (0..3)
                .map(|part| format!("{:#x}", word(&input, part * COUNT + index)))
                .collect();
            return Err(format!(
                "{name}({}) = {got:#x}, on the host {wanted:#x}",
                from.join(", ")
            )
            .into());
        }
    }
    Ok(())
}

fn is_nan(bits: u64, size: usize) -> bool {
    match size {
        2 => bits & 0x7fff > 0x7c00,
        4 => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits).is_nan(),
    }
}

fn on_host(name: &str, input: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut child = Command::new(host()?)
        .args([name, &COUNT.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut padded = input.to_vec();
    padded.resize(COUNT * 24, 0);
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    stdin.write_all(&padded)?;
    drop(stdin);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("the host's program ends with {}", output.status).into());
    }
    Ok(output.stdout)
}
