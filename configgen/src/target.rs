//! Targets: the ISAs that kernels are built for, one table row each.
//!
//! Sources of the figures:
//!
//! - LLVM's "User Guide for AMDGPU Backend": subgroup sizes, granules of registers and LDS.
//! - LLVM's scheduling model: cycles to a result.
//! - AMD's CDNA and RDNA white papers and ISA manuals: waves per SIMD, LDS, rates.

use std::fmt;
use std::str::FromStr;

/// The generation of an ISA, which decides encodings and cross-lane instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IsaFamily {
    /// GCN 5 and CDNA: gfx906, gfx90a, gfx942, gfx950.
    Gfx9,
    /// RDNA 2: gfx1030.
    Gfx10,
    /// RDNA 3 and 3.5: gfx1100, gfx1151.
    Gfx11,
    /// RDNA 4: gfx1201.
    Gfx12,
}

/// An ISA and its limits for kernels. Two targets are equal if their names are.
#[derive(Debug, PartialEq)]
pub struct Target {
    /// LLVM's processor name.
    pub name: &'static str,
    /// The generation.
    pub family: IsaFamily,
    /// The possible numbers of lanes of a subgroup, ascending; IREE prefers the first.
    pub subgroup_sizes: &'static [u32],
    /// The largest number of threads of a workgroup.
    pub max_workgroup_threads: u32,
    /// The LDS that one workgroup can have, in bytes.
    pub lds_bytes: u32,
    /// The SIMDs of a compute unit.
    pub simds_per_cu: u32,
    /// The largest number of subgroups that one SIMD holds.
    pub waves_per_simd: u32,
    /// The compute units that share an LDS and can share a workgroup (RDNA's WGP).
    pub cus_per_group: u32,
    /// The largest number of workgroups with several subgroups per compute unit.
    ///
    /// Its barriers limit this number (LLVM, `AMDGPUBaseInfo`).
    pub workgroups_per_cu: u32,
    /// The compute units of the target's smallest device, or of the smallest partition of a
    /// device.
    pub least_compute_units: u32,
    /// The unit of LDS allocation in bytes.
    pub lds_granule: u32,
    /// The vector registers of one lane, shared by a SIMD's subgroups of the preferred size.
    pub vgprs_per_simd: u32,
    /// The unit of vector register allocation.
    pub vgpr_granule: u32,
    /// The cycles in which a SIMD issues one vector instruction of the preferred subgroup size.
    pub valu_cycles: u32,
    /// The same in double precision.
    pub double_cycles: u32,
    /// The cycles from such an instruction to one that takes its result.
    pub result_cycles: u32,
    /// The cycles between two instructions of one subgroup.
    pub issue_cycles: u32,
    /// The `wgp_count` that IREE's default rule works with if only the ISA is named.
    pub iree_wgp_count: u32,
}

const GFX9: Target = Target {
    name: "",
    family: IsaFamily::Gfx9,
    subgroup_sizes: &[64],
    max_workgroup_threads: 1024,
    lds_bytes: 64 << 10,
    simds_per_cu: 4,
    cus_per_group: 1,
    workgroups_per_cu: 16,
    least_compute_units: 0,
    lds_granule: 512,
    waves_per_simd: 8,
    vgprs_per_simd: 512,
    vgpr_granule: 8,
    valu_cycles: 4,
    double_cycles: 4,
    result_cycles: 4,
    issue_cycles: 4,
    iree_wgp_count: 512,
};

const RDNA: Target = Target {
    name: "",
    family: IsaFamily::Gfx11,
    subgroup_sizes: &[32, 64],
    simds_per_cu: 2,
    cus_per_group: 2,
    waves_per_simd: 16,
    vgprs_per_simd: 1024,
    vgpr_granule: 16,
    valu_cycles: 1,
    double_cycles: 16,
    result_cycles: 5,
    issue_cycles: 1,
    ..GFX9
};

/// Every target.
pub static TARGETS: [Target; 8] = [
    Target {
        name: "gfx906",
        // Radeon Instinct MI50.
        least_compute_units: 60,
        waves_per_simd: 10,
        vgprs_per_simd: 256,
        vgpr_granule: 4,
        double_cycles: 8,
        ..GFX9
    },
    Target {
        name: "gfx90a",
        // Instinct MI210.
        least_compute_units: 104,
        ..GFX9
    },
    Target {
        name: "gfx942",
        // One of the eight partitions of an Instinct MI300X.
        least_compute_units: 38,
        ..GFX9
    },
    Target {
        name: "gfx950",
        // One of the eight partitions of an Instinct MI355X.
        least_compute_units: 32,
        lds_bytes: 160 << 10,
        lds_granule: 1280,
        ..GFX9
    },
    Target {
        name: "gfx1030",
        // Radeon RX 6800.
        least_compute_units: 60,
        family: IsaFamily::Gfx10,
        ..RDNA
    },
    Target {
        name: "gfx1100",
        // Radeon Pro W7800.
        least_compute_units: 70,
        vgprs_per_simd: 1536,
        vgpr_granule: 24,
        ..RDNA
    },
    Target {
        name: "gfx1151",
        // Radeon 8040S.
        least_compute_units: 16,
        vgprs_per_simd: 1536,
        vgpr_granule: 24,
        ..RDNA
    },
    Target {
        name: "gfx1201",
        // Radeon RX 9070 GRE.
        least_compute_units: 48,
        family: IsaFamily::Gfx12,
        vgprs_per_simd: 1536,
        vgpr_granule: 24,
        ..RDNA
    },
];

impl Target {
    /// Returns the number of workgroups, of any size, that every device of the target holds at
    /// once.
    pub fn workgroups_together(&self) -> u32 {
        // A workgroup may occupy a whole group of compute units (RDNA's WGP).
        self.least_compute_units / self.cus_per_group
    }

    /// Returns the target with this name.
    pub fn named(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The error for an unknown target name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown target {0:?}; one of {names}", names = TARGETS.each_ref().map(|t| t.name).join(", "))]
pub struct UnknownTarget(pub String);

impl FromStr for &'static Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        Target::named(name).ok_or_else(|| UnknownTarget(name.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for target in &TARGETS {
            assert_eq!(Target::named(target.name), Some(target));
        }
        let error = "gfx000".parse::<&Target>().unwrap_err().to_string();
        assert!(
            error.contains("gfx942") && error.contains("gfx000"),
            "{error}"
        );
    }
}
