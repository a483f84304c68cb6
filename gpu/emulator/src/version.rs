//! The version of the emulator's answers.
//!
//! A stored modelled time is meaningful only with the model that computed it, so the storage
//! keeps this version with it. The version is the crate's version and a *fingerprint*: a hash of
//! the results, trace and estimate of one kernel on one machine. If a change affects only
//! instructions outside that kernel, raise the crate's version.

use std::fmt::Write as _;
use std::sync::OnceLock;

use crate::launch::{KernelLaunch, run};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
use crate::model::{
    CacheState, Dram, Estimate, FirstLevel, HostCopy, Latency, LaunchCost, Machine, Pace,
    SharedCache, Slots, estimate,
};
use crate::profile::{Profile, profile};

/// A machine with round numbers, of the size of an MI300X.
pub(crate) const MACHINE: Machine = Machine {
    compute_units: 304,
    dies: 8,
    units_per_group: 1,
    slots: Slots {
        simds: 4,
        waves_per_simd: 8,
        workgroups: 32,
        lanes: 64,
        vgprs: 512,
        vgpr_granule: 8,
        lds_bytes: 64 * 1024,
        lds_granule: 512,
    },
    pace: Pace {
        vector: 4.0,
        double: 4.0,
        result: 4.0,
        issue: 4.0,
        branch: 16.0,
        barrier: 16.0,
    },
    launch: LaunchCost {
        floor_us: 4.0,
        behind_us: 2.5,
        workgroup_cycles: 4.0,
        start_cycles: 200.0,
    },
    host_copy: HostCopy {
        start_us: 10.0,
        gb_per_s: 50.0,
    },
    l1: FirstLevel {
        bytes: 32 * 1024,
        bytes_per_cycle: 64.0,
        lanes_per_cycle: 16.0,
    },
    l2: SharedCache {
        bytes: 4 << 20,
        gb_per_s: 16_000.0,
    },
    last_level: Some(SharedCache {
        bytes: 256 << 20,
        gb_per_s: 5800.0,
    }),
    dram: Dram {
        read_gb_per_s: 4500.0,
        copy_gb_per_s: 4000.0,
        write_gb_per_s: 4000.0,
        stream_latency_ns: 570.0,
        reach: None,
    },
    line_bytes: 128,
    clock_ghz: 2.0,
    latency: Latency {
        l1: 120.0,
        l2: 250.0,
        last_level: 450.0,
        dram: 900.0,
        lds: 50.0,
        atomic: 100.0,
        atomic_interval: 4.0,
    },
    saturation: 2.0,
};

/// Returns the version of the emulator and of its time model, such as `0.1.0-3f2a...` with 16
/// digits.
///
/// Two builds with the same version give the same results and times, as far as the fingerprint
/// covers. The first call runs the fingerprint's kernel, which takes a few milliseconds at most;
/// later calls are free.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let number = env!("CARGO_PKG_VERSION");
        format!("{number}-{:016x}", hash(answers().as_bytes()))
    })
}

/// Returns the emulator's answers for an argmax of 6 rows as text, or the error message, which is
/// an answer as well. The rows are long enough that the model samples the workgroups of a full
/// machine.
fn answers() -> String {
    const ROWS: u32 = 6;
    const COLUMNS: u32 = 64_000;
    let answer = || -> Result<String, Box<dyn std::error::Error>> {
        let code = CodeObject::load(include_bytes!("../fixtures/argmax_f32x4.hsaco"))?;
        let kernel = code.kernel("argmax_f32x4").ok_or("no kernel")?;
        let mut memory = EmulatedMemory::new();
        let input = memory.allocate(u64::from(4 * ROWS * COLUMNS))?;
        let outputs = [
            memory.allocate(u64::from(4 * ROWS))?,
            memory.allocate(u64::from(4 * ROWS))?,
        ];
        for (index, word) in memory.bytes_mut(input).chunks_exact_mut(4).enumerate() {
            // Arbitrary unsorted numbers.
            let value = ((index as u32).wrapping_mul(2_654_435_761) >> 8) as f32;
            word.copy_from_slice(&value.to_le_bytes());
        }
        let mut kernarg: Vec<u8> = [input, outputs[0], outputs[1]]
            .iter()
            .flat_map(|one| one.get().to_le_bytes())
            .collect();
        kernarg.extend((COLUMNS / 4).to_le_bytes());
        let launch = KernelLaunch {
            kernel,
            workgroups: [ROWS, 1, 1],
            workgroup_size: [64, 1, 1],
            dynamic_lds_bytes: 0,
            kernarg: &kernarg,
            workgroup_subset: None,
            instruction_limit: 1_000_000,
            resident_workgroups: 0,
            threads: 1,
        };
        let profile = profile(&code, &mut memory, &launch, 4)?;
        // Runs only the rows that the profile samples. Another subset would change the version,
        // and so invalidate all stored times.
        let profiled = KernelLaunch {
            workgroup_subset: Some(&[0, 1, 2, 3, 5]),
            ..launch
        };
        run(&code, &mut memory, &profiled)?;
        let results = outputs.map(|address| memory.bytes(address));
        let few = estimate(&profile, &MACHINE, CacheState::Cold);
        // 9,728 workgroups fill the machine: 304 compute units with 32 workgroups each.
        let full = Profile {
            workgroups: 9728,
            ..profile.clone()
        };
        let many = estimate(&full, &MACHINE, CacheState::Cold);
        let mut answers = format!("1 {results:?}");
        write!(answers, " {}", of_profile(&profile))?;
        for estimate in [few, many] {
            write!(answers, " {}", of_estimate(&estimate))?;
        }
        Ok(answers)
    };
    answer().unwrap_or_else(|error| error.to_string())
}

/// Formats the input of the model. The names are constant, so that a renamed field does not
/// change the version.
fn of_profile(profile: &Profile) -> String {
    let Profile {
        workgroups,
        waves_per_workgroup,
        vgprs,
        lds_bytes,
        execution,
        vector_instructions,
        kinds,
        cold_shares,
        hottest_line,
        traces,
        ..
    } = profile;
    // Six decimals hide differences in the last bits between hosts.
    let traced: Vec<String> = traces
        .iter()
        .map(|trace| {
            let work = trace.work();
            format!("{}/{}*{:.6}", work.executed, work.sectors, trace.share)
        })
        .collect();
    format!(
        "workgroups {workgroups} of {waves_per_workgroup} waves, vgprs {vgprs}, lds {lds_bytes}, instructions {} \
         ({vector_instructions} vector), read {}, written {}, kinds {kinds}, cold {:.6} {:.6} {:.6}, \
         hottest {hottest_line:.6}, traces {}",
        execution.wave_instructions,
        execution.bytes_read,
        execution.bytes_written,
        cold_shares.read,
        cold_shares.written,
        cold_shares.dirtied,
        traced.join(" ")
    )
}

/// Formats the estimate to six decimals, because hosts differ in the last bits of a power.
fn of_estimate(estimate: &Estimate) -> String {
    let parts = &estimate.breakdown;
    let us = [
        ("time", estimate.time_us),
        ("launch", parts.launch),
        ("dispatch", parts.dispatch),
        ("latency", parts.latency),
        ("dram", parts.dram),
        ("last_level", parts.last_level),
        ("l2", parts.l2),
        ("l1", parts.l1),
        ("lds", parts.lds),
        ("vector", parts.vector),
        ("matrix", parts.matrix),
        ("scalar", parts.scalar),
        ("atomic", parts.atomic),
    ];
    let us: Vec<String> = us
        .iter()
        .map(|(name, us)| format!("{name} {us:.6}"))
        .collect();
    us.join(", ")
}

/// Returns the 64-bit FNV-1a hash.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // These are values of the reference implementation's test suite.
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_answers_hold_results_traces_and_times() {
        let answers = answers();
        for part in ["traces ", "cold 1.", "time ", "dram 0."] {
            assert!(answers.contains(part), "no {part} in {answers}");
        }
        // Poison or zeros would mean that the kernel did not run.
        assert!(!answers.starts_with("[[0, 0, 0, 0"), "{answers}");
    }

    #[test]
    fn a_version_is_the_number_and_the_hash() {
        let hash = hash(answers().as_bytes());
        let number = env!("CARGO_PKG_VERSION");
        assert_eq!(version(), format!("{number}-{hash:016x}"));
    }

    #[test]
    fn the_answers_are_cheap() {
        let answers = answers();
        let (_, after) = answers.split_once("instructions ").unwrap();
        let executed: u64 = after.split(' ').next().unwrap().parse().unwrap();
        // A core executes about a million wave instructions in ten milliseconds.
        assert!((1..200_000).contains(&executed), "{answers}");
    }
}
