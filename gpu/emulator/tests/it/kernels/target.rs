//! Instruction sets, optimization levels, and clang's two outputs for a source: a code object and
//! a host program.

use std::path::{Path, PathBuf};
use std::process::Command;

use emulator::{CodeObject, Isa};

use super::support::llvm;

/// The feature for 16-bit operands in halves of registers.
const WITH_HALVES: &str = "+real-true16";
/// The feature for 16-bit operands in whole registers, of the first 128.
const WITHOUT_HALVES: &str = "-real-true16";

/// The target of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) isa: Isa,
    /// Lanes of a wave.
    pub(crate) wave: u32,
    /// `O0`, `O1` or `O3`.
    pub(crate) level: &'static str,
    /// An additional clang feature of the instruction set.
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

    /// Returns true if clang 22 miscompiles a kernel. For `__builtin_bswap64` at -O0 with true16,
    /// it copies 32 bits with `v_mov_b16_e32 v0.l, v1.l`, and then uses all of v0 in
    /// `v_perm_b32`.
    pub(crate) fn is_miscompiled(self, kernel: &str) -> bool {
        let gfx11 = matches!(self.isa, Isa::Gfx1100 | Isa::Gfx1151);
        let halves = match self.feature {
            Some(feature) => feature == WITH_HALVES,
            None => gfx11,
        };
        halves && self.level == "O0" && kernel == "long_math"
    }

    /// Returns every instruction set at a level, with each of its wave sizes.
    pub(crate) fn all(level: &'static str) -> impl Iterator<Item = Target> {
        let target = move |isa, wave| Target::new(isa, wave, level);
        Isa::ALL.into_iter().flat_map(move |isa| match isa {
            Isa::Gfx906 | Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => vec![target(isa, 64)],
            _ => vec![target(isa, 32), target(isa, 64)],
        })
    }

    /// Returns the targets with a second syntax of 16-bit operands in clang.
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

    /// Returns the hexadecimal digits of the name: `gfx90a` is 0x90a.
    pub(crate) fn number(self) -> u64 {
        u64::from_str_radix(&self.isa.name()[3..], 16).expect("gfx and digits")
    }

    /// Compiles the kernels of a source in `tests/kernels`.
    ///
    /// # Errors
    /// Returns the messages of clang or of the emulator's loader.
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
    /// Compiles a source for the host.
    ///
    /// # Errors
    /// Returns clang's messages.
    pub(crate) fn compile(source_name: &str) -> Result<Host, String> {
        // Each half-precision operation must round, as on the device.
        let options = "-x c++ -DHOST -O1 -fno-math-errno -Xclang -ffloat16-excess-precision=none";
        let mut arguments: Vec<String> = options.split(' ').map(String::from).collect();
        arguments.push("-lm".into());
        let (folder, program) = clang(&arguments, source_name)?;
        Ok(Host { folder, program })
    }

    /// Returns the program's answers to requests.
    ///
    /// # Errors
    /// Returns the program's messages and exit status.
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

/// Calls clang on a source; the output is in the folder.
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
    let output = codegen_object_cache::compile(&mut clang, &[&kernels.join("source")], &path)
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok((folder, path)),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
