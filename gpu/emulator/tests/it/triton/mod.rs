//! Triton's products of matrices, on whole numbers with exact sums.
//!
//! Triton (PyPI, 3.9.0) compiles for AMD GPUs without one. There are no tests unless
//! `WAVETUNE_TRITON_PYTHON` names a Python that has it.

use std::path::Path;
use std::process::Command;

use emulator::{CodeObject, EmulatedMemory, KernelLaunch, check};
use testing::{Failed, Trial};

/// The variable with the path of Python.
const PYTHON: &str = "WAVETUNE_TRITON_PYTHON";

const TARGETS: [&str; 5] = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"];

/// Rows, columns and inner size.
const SIZE: usize = 128;

pub(crate) fn trials() -> Vec<Trial> {
    // `--full` runs ignored tests, too.
    let Ok(python) = std::env::var(PYTHON) else {
        return Vec::new();
    };
    let trial = |target: &'static str| {
        let python = python.clone();
        let test = move || products(&python, target);
        Trial::test(format!("products_are_exact {target}"), test)
    };
    TARGETS.map(trial).into()
}

/// A compiled kernel, as the script prints it.
struct TritonKernel {
    element: String,
    threads: u32,
    lds: u32,
    tile: u32,
    code: CodeObject,
}

fn compiled(python: &str, target: &str, folder: &Path) -> Result<Vec<TritonKernel>, Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/triton/compile.py");
    let mut command = Command::new(python);
    command.arg("-Wignore").args([&script, folder]).arg(target);
    let output = command.env("TRITON_CACHE_DIR", folder).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let mut kernels = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [file, element, threads, lds, tile] = words[..] else {
            return Err(line.into());
        };
        kernels.push(TritonKernel {
            element: element.to_owned(),
            threads: threads.parse()?,
            lds: lds.parse()?,
            tile: tile.parse()?,
            code: CodeObject::load(&std::fs::read(folder.join(format!("{file}.hsaco")))?)?,
        });
    }
    Ok(kernels)
}

/// Returns the bits of a number from -2 to 2.
fn bits(element: &str, number: i32) -> Vec<u8> {
    let single = (number as f32).to_bits();
    let half: u16 = match number.abs() {
        0 => 0,
        1 => 0x3c00,
        _ => 0x4000,
    };
    let half = half | if number < 0 { 0x8000 } else { 0 };
    match element {
        "f16" => half.to_le_bytes().into(),
        "bf16" => ((single >> 16) as u16).to_le_bytes().into(),
        // The format is the upper half of f16.
        _ => vec![(half >> 8) as u8],
    }
}

fn products(python: &str, target: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let number = |seed: usize, index: usize| ((index * 7 + index / 13 * seed) % 5) as i32 - 2;
    let mut wrong = Vec::new();
    for kernel in compiled(python, target, folder.path())? {
        let mut memory = EmulatedMemory::new();
        let mut kernarg = Vec::new();
        for seed in [3, 11] {
            let elements = (0..SIZE * SIZE).map(|index| bits(&kernel.element, number(seed, index)));
            let bytes: Vec<u8> = elements.flatten().collect();
            let buffer = memory.allocate(bytes.len() as u64)?;
            memory.write(buffer, 0, &bytes);
            kernarg.extend(buffer.get().to_le_bytes());
        }
        let result = memory.allocate_undefined(4 * (SIZE * SIZE) as u64)?;
        kernarg.extend(result.get().to_le_bytes());
        kernarg.extend([SIZE as u32; 3].iter().flat_map(|size| size.to_le_bytes()));
        let function = &kernel.code.kernels()[0];
        kernarg.resize(function.kernarg_bytes as usize, 0);
        let tiles = SIZE as u32 / kernel.tile;
        let launch = KernelLaunch {
            kernel: function,
            workgroups: [tiles, tiles, 1],
            workgroup_size: [kernel.threads, 1, 1],
            dynamic_lds_bytes: kernel.lds,
            kernarg: &kernarg,
            workgroup_subset: None,
            instruction_limit: 10_000_000,
            resident_workgroups: 0,
            threads: 1,
        };
        let name = format!("{} in tiles of {}", kernel.element, kernel.tile);
        let checked = check(&kernel.code, &mut memory, &launch);
        wrong.extend(checked.findings.iter().map(|one| format!("{name}: {one}")));
        if let Err(fault) = checked.result {
            wrong.push(format!("{name}: {fault}"));
            continue;
        }
        let found = memory.bytes(result).as_chunks::<4>().0.iter();
        let found = found.map(|bytes| f32::from_le_bytes(*bytes));
        let is_right = found.enumerate().all(|(index, found)| {
            let (row, column) = (index / SIZE, index % SIZE);
            let terms = (0..SIZE)
                .map(|inner| number(3, row * SIZE + inner) * number(11, inner * SIZE + column));
            found == terms.sum::<i32>() as f32
        });
        if !is_right {
            wrong.push(format!("{name}: wrong values"));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}
