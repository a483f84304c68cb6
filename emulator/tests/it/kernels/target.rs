//! Instruction sets, levels of optimisation, and clang's two ways with a source: a code object and a host's program.

use std::path::{Path, PathBuf};
use std::process::Command;

use emulator::{CodeObject, Isa};

use super::support::llvm;

/// 16-bit operands are halves of registers.
const WITH_HALVES: &str = "+real-true16";
/// 16-bit operands are whole registers, of the first 128.
const WITHOUT_HALVES: &str = "-real-true16";

/// What a source is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) isa: Isa,
    /// Lanes of a wave.
    pub(crate) wave: u32,
    /// `O0`, `O1` or `O3`.
    pub(crate) level: &'static str,
    /// What clang is told beside its usual features of the instruction set.
    pub(crate) feature: Option<&'static str>,
}

impl Target {
    pub(crate) const fn new(isa: Isa, wave: u32, level: &'static str) -> Target {
        Target {
            isa,
            wave,
            level,
            feature: None,
        }
    }

    /// Whether clang 22 compiles a kernel wrongly. For `__builtin_bswap64` at -O0 it copies 32 bits with
    /// `v_mov_b16_e32 v0.l, v1.l`, where it knows halves of registers, and then uses all of v0 in `v_perm_b32`.
    pub(crate) fn is_miscompiled(self, kernel: &str) -> bool {
        let gfx11 = matches!(self.isa, Isa::Gfx1100 | Isa::Gfx1151);
        let halves = match self.feature {
            Some(feature) => feature == WITH_HALVES,
            None => gfx11,
        };
        halves && self.level == "O0" && kernel == "long_math"
    }

    /// Every instruction set at a level, with each size of waves that it has.
    pub(crate) fn all(level: &'static str) -> impl Iterator<Item = Target> {
        let target = move |isa, wave| Target::new(isa, wave, level);
        Isa::ALL.into_iter().flat_map(move |isa| match isa {
            Isa::Gfx906 | Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => vec![target(isa, 64)],
            _ => vec![target(isa, 32), target(isa, 64)],
        })
    }

    /// The targets whose 16-bit operands clang can write in another way than it usually does.
    pub(crate) fn otherwise(level: &'static str) -> impl Iterator<Item = Target> {
        Target::all(level).filter_map(|target| {
            let feature = match target.isa {
                Isa::Gfx1100 | Isa::Gfx1151 => WITHOUT_HALVES,
                Isa::Gfx1201 => WITH_HALVES,
                _ => return None,
            };
            Some(Target {
                feature: Some(feature),
                ..target
            })
        })
    }

    /// The digits of the name, which are a hexadecimal number: `gfx90a` is 0x90a.
    pub(crate) fn number(self) -> u64 {
        u64::from_str_radix(&self.isa.name()[3..], 16).expect("gfx and digits")
    }

    /// The kernels of a source in `tests/kernels`.
    ///
    /// # Errors
    /// What clang or the emulator's loader says.
    pub(crate) fn compile(self, source_name: &str) -> Result<CodeObject, String> {
        let wave = match self.wave {
            32 => "-mno-wavefrontsize64",
            _ => "-mwavefrontsize64",
        };
        let mut arguments: Vec<String> =
            "-x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output"
                .split(' ')
                .map(String::from)
                .collect();
        arguments.extend([
            format!("--offload-arch={}", self.isa),
            wave.into(),
            format!("-{}", self.level),
            format!("-DWAVE={}", self.wave),
            format!("-DISA={:#x}", self.number()),
        ]);
        if let Some(feature) = self.feature {
            let feature = ["-Xclang", "-target-feature", "-Xclang", feature];
            arguments.extend(feature.map(String::from));
        }
        let (_folder, output) = clang(&arguments, source_name)?;
        let bytes = std::fs::read(output).map_err(|error| error.to_string())?;
        CodeObject::load(&bytes).map_err(|error| error.to_string())
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} wave{} {}", self.isa, self.wave, self.level)?;
        self.feature
            .map_or(Ok(()), |feature| write!(f, " {feature}"))
    }
}

/// A source of `tests/kernels` as a program of this machine.
pub(crate) struct Host {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Host {
    /// # Errors
    /// What clang says.
    pub(crate) fn compile(source_name: &str) -> Result<Host, String> {
        // Each half-precision operation rounds, as on the device.
        let options = "-x c++ -DHOST -O1 -fno-math-errno -Xclang -ffloat16-excess-precision=none";
        let mut arguments: Vec<String> = options.split(' ').map(String::from).collect();
        arguments.push("-lm".into());
        let (folder, program) = clang(&arguments, source_name)?;
        Ok(Host { folder, program })
    }

    /// What the program answers to requests.
    ///
    /// # Errors
    /// The program's messages and how it ended.
    pub(crate) fn run(&self, requests: &[u8]) -> Result<Vec<u8>, String> {
        let [from, to] = ["requests", "answers"].map(|name| self.folder.path().join(name));
        std::fs::write(&from, requests).map_err(|error| error.to_string())?;
        let output = Command::new(&self.program)
            .args([&from, &to])
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("the host's program: {}: {messages}", output.status));
        }
        std::fs::read(to).map_err(|error| error.to_string())
    }
}

/// Calls clang on a source; the output lies in the folder.
fn clang(arguments: &[String], source_name: &str) -> Result<(tempfile::TempDir, PathBuf), String> {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/kernels");
    let source = kernels.join(source_name);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("output");
    let mut clang = Command::new(llvm("clang").ok_or("no clang")?);
    clang
        .args(["-std=c++20", "-ffp-contract=off", "-o"])
        .arg(&path)
        .args(&arguments[..2])
        .arg(source)
        .args(&arguments[2..]);
    let output = object_cache::compile(&mut clang, &[&kernels.join("source")], &path)
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok((folder, path)),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
