//! Kernels of `stream.hip` through profile and estimate: the published benchmarks on a modelled
//! device.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use emulator::model::{CacheState, Estimate, Machine, estimate};
use emulator::{CodeObject, EmulatedMemory, Isa, KernelLaunch, profile};
use testing::Failed;

/// A launch to estimate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Experiment {
    pub(crate) kernel: &'static str,
    /// The work-items of a workgroup, and the bytes of LDS that it reserves without use.
    pub(crate) size: u32,
    pub(crate) lds: u32,
    /// The elements of an array, 8 bytes each.
    pub(crate) elements: u64,
    /// The elements that a work-item reads one after the other.
    pub(crate) per: u32,
    pub(crate) caches: CacheState,
}

/// Returns the number of arrays that a kernel moves.
pub(crate) fn arrays(kernel: &str) -> u64 {
    match kernel {
        "read" | "write" => 1,
        "copy" | "dot" => 2,
        "triad" => 3,
        other => unreachable!("no kernel {other}"),
    }
}

impl Experiment {
    /// Returns the bytes that it moves.
    pub(crate) fn bytes(&self) -> f64 {
        (arrays(self.kernel) * self.elements * 8) as f64
    }

    /// Returns the model's estimate.
    pub(crate) fn estimate(&self, isa: &str, machine: &Machine) -> Result<Estimate, Failed> {
        with_code(isa, |code| {
            let kernel = code.kernel(self.kernel).ok_or("no such kernel")?;
            let mut memory = EmulatedMemory::new();
            let mut kernarg = Vec::new();
            for _ in 0..3 {
                let array = memory.allocate(self.elements * 8)?;
                kernarg.extend(array.get().to_le_bytes());
            }
            kernarg.extend(self.size.to_le_bytes());
            kernarg.extend(self.per.to_le_bytes());
            let workgroups = self.elements / u64::from(self.size) / u64::from(self.per);
            let launch = KernelLaunch {
                kernel,
                workgroups: [u32::try_from(workgroups)?, 1, 1],
                workgroup_size: [self.size, 1, 1],
                dynamic_lds_bytes: self.lds,
                kernarg: &kernarg,
                workgroup_subset: None,
                instruction_limit: 1 << 20,
                resident_workgroups: 0,
                threads: 0,
            };
            let profile = profile(code, &mut memory, &launch, 4)?;
            Ok(estimate(&profile, machine, self.caches))
        })
    }
}

/// Runs `work` with the kernels, compiled once per instruction set.
pub(crate) fn with_code<R>(
    isa: &str,
    work: impl FnOnce(&CodeObject) -> Result<R, Failed>,
) -> Result<R, Failed> {
    static CODE: Mutex<Option<HashMap<String, CodeObject>>> = Mutex::new(None);
    let mut known = CODE.lock().map_err(|error| error.to_string())?;
    let known = known.get_or_insert_default();
    if !known.contains_key(isa) {
        known.insert(isa.to_owned(), compile(isa, "stream.hip")?);
    }
    work(&known[isa])
}

/// Compiles the kernels of a source in this folder.
pub(crate) fn compile(isa: &str, source: &str) -> Result<CodeObject, Failed> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("kernels.hsaco");
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/calibration")
        .join(source);
    let mut clang = Command::new(testing::llvm("clang").ok_or("no clang")?);
    clang
        .args(["-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib"])
        .args(["-O3", "--no-gpu-bundle-output"])
        .arg(format!("--offload-arch={isa}"))
        .arg("-o")
        .args([&output, &source]);
    let result = codegen_object_cache::compile(&mut clang, &[&source], &output)?;
    if !result.status.success() {
        return Err(String::from_utf8_lossy(&result.stderr).as_ref().into());
    }
    let code = CodeObject::load(&std::fs::read(output)?)?;
    debug_assert!(Isa::ALL.contains(&code.isa()));
    Ok(code)
}
