//! The memories that serve lines, and the demand of a workgroup.

use super::{CacheState, Footprint, Machine};
use crate::execute::AccessKind;
use crate::profile::{AccessLines, Profile, WorkgroupTrace};

/// The transition range of a cache. It serves all of a set up to its size, and nothing of a set
/// that is a seventh larger. The last level cache of an RX 6900 XT goes from its own bandwidth to
/// DRAM's between 128 and 148 MB (RRZE gpu-benches, gpu-small-kernels).
const SPILL: f64 = 0.15;

/// The fractions of a set of lines that the L2, the last level cache and DRAM serve; their sum is
/// 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HitShares {
    pub(super) l2: f64,
    pub(super) last_level: f64,
    pub(super) dram: f64,
}

impl HitShares {
    const L2: HitShares = HitShares {
        l2: 1.0,
        last_level: 0.0,
        dram: 0.0,
    };

    /// Returns the shares for a set of `bytes`, if the L2 has `l2_bytes` for it.
    fn by(machine: &Machine, bytes: f64, l2_bytes: f64) -> HitShares {
        let fits = |size: f64| {
            if size > 0.0 {
                ((1.0 + SPILL - bytes / size) / SPILL).clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        let l2 = fits(l2_bytes);
        let last_level_bytes = machine.last_level.map_or(0.0, |level| level.bytes as f64);
        let last_level = (1.0 - l2) * fits(last_level_bytes);
        HitShares {
            l2,
            last_level,
            dram: 1.0 - l2 - last_level,
        }
    }
}

/// The hit shares of a launch's lines.
#[derive(Debug, Clone)]
pub(super) struct CacheHits {
    /// Lines that no workgroup touched before.
    pub(super) cold: HitShares,
    /// Lines that a workgroup touched long before.
    pub(super) far: HitShares,
    /// Lines that the same workgroup touched, by the logarithm of the lines touched since then.
    /// None means its first level cache.
    near: [Option<HitShares>; 33],
    /// Bytes that the launch touches.
    pub(super) footprint: f64,
}

impl CacheHits {
    /// Returns the hits of a profile. `resident` workgroups share a first level cache.
    pub(super) fn of(
        profile: &Profile,
        machine: &Machine,
        caches: CacheState,
        resident: f64,
    ) -> Self {
        let line = f64::from(machine.line_bytes);
        let cold: f64 = profile
            .traces
            .iter()
            .map(|trace| WorkgroupDemand::of(trace, profile).cold * trace.share)
            .sum();
        let footprint = cold * profile.workgroups as f64 * line;
        let l2 = machine.l2.bytes as f64;
        // The next workgroup or launch may run on another die, and that die's L2 lacks the line.
        let shared_l2 = if machine.dies > 1 { 0.0 } else { l2 };
        let units = f64::from(machine.compute_units.div_ceil(machine.dies.max(1)));
        let near = std::array::from_fn(|logarithm| {
            let since = (logarithm as f64).exp2() * line * resident;
            (since > machine.l1.bytes as f64).then(|| {
                // All units of a die share its L2.
                let of_die = since * units.min(profile.workgroups as f64 / resident).max(1.0);
                HitShares::by(machine, of_die.min(footprint), l2)
            })
        });
        CacheHits {
            cold: match caches {
                CacheState::Cold => HitShares {
                    l2: 0.0,
                    last_level: 0.0,
                    dram: 1.0,
                },
                CacheState::Warm => HitShares::by(machine, footprint, shared_l2),
            },
            far: HitShares::by(machine, footprint, shared_l2),
            near,
            footprint,
        }
    }

    pub(super) fn near(&self, lines: AccessLines) -> Option<HitShares> {
        self.near[usize::from(lines.distance).min(32)]
    }

    /// Returns the shares of the access's furthest line; None if the first level cache has all.
    pub(super) fn furthest(&self, lines: AccessLines) -> Option<HitShares> {
        if lines.cold > 0 {
            Some(self.cold)
        } else if lines.far > 0 {
            Some(self.far)
        } else if lines.near > 0 {
            self.near(lines)
        } else {
            Some(HitShares::L2)
        }
    }
}

/// The demand of a workgroup in cycles and lines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct WorkgroupDemand {
    pub(super) vector: f64,
    pub(super) double: f64,
    /// Cycles of products of matrices.
    pub(super) matrix: f64,
    pub(super) scalar: f64,
    /// Cycles of the address path and of LDS.
    pub(super) path: f64,
    pub(super) lds: f64,
    /// Lines that no workgroup touched before; a shared line counts once.
    pub(super) cold: f64,
    /// Lines by the serving memory. A line that is only written is not fetched.
    pub(super) l2: f64,
    pub(super) last_level: f64,
    pub(super) dram_read: f64,
    pub(super) dram_written: f64,
}

impl WorkgroupDemand {
    /// Returns the demand of the trace alone, without knowledge of the caches.
    fn of(trace: &WorkgroupTrace, profile: &Profile) -> WorkgroupDemand {
        WorkgroupDemand::sum(trace, profile, |_, _, _, _| {})
    }

    /// Returns the demand with the lines that each memory serves.
    pub(super) fn with(
        trace: &WorkgroupTrace,
        machine: &Machine,
        places: &CacheHits,
        profile: &Profile,
    ) -> WorkgroupDemand {
        let shares = profile.cold_shares;
        WorkgroupDemand::sum(trace, profile, |sum, lines, kind, times| {
            sum.path += path_cycles(lines, machine, profile.lanes) * times;
            let mut serve = |count: f64, served: HitShares, moved: f64, fetched: f64| {
                let count = count * times;
                sum.l2 += count;
                sum.last_level += count * (served.last_level + served.dram) * moved;
                sum.dram_read += count * served.dram * moved * fetched;
            };
            let fetched = f64::from(u8::from(kind.reads()));
            serve(lines.cold.into(), places.cold, shares.of(kind), fetched);
            serve(lines.far.into(), places.far, 1.0, fetched);
            if let Some(near) = places.near(lines) {
                serve(lines.near.into(), near, 1.0, fetched);
            } else if kind.writes() {
                // The first level cache writes through to the L2.
                sum.l2 += f64::from(lines.near) * times;
            }
            // Only the first write of a line counts: caches merge the later ones.
            sum.dram_written +=
                f64::from(lines.dirtied) * places.cold.dram * shares.dirtied * times;
        })
    }

    /// Sums everything except the memory traffic. `memory` adds that for a number of accesses
    /// with these lines.
    fn sum(
        trace: &WorkgroupTrace,
        profile: &Profile,
        mut memory: impl FnMut(&mut WorkgroupDemand, AccessLines, AccessKind, f64),
    ) -> WorkgroupDemand {
        let mut sum = WorkgroupDemand::default();
        for tally in trace.waves.iter().map(|wave| &wave.tally) {
            sum.vector += tally.vector as f64;
            sum.double += tally.double as f64;
            sum.matrix += tally.matrix as f64;
            sum.scalar += (tally.scalar + tally.branches + tally.scalar_loads) as f64;
            sum.lds += tally.passes as f64;
            for (&(lines, kind), &times) in &tally.accesses {
                sum.cold += f64::from(lines.cold) * profile.cold_shares.of(kind) * times as f64;
                memory(&mut sum, lines, kind, times as f64);
            }
        }
        sum
    }

    /// Adds `share` times another demand.
    pub(super) fn add(&mut self, other: &WorkgroupDemand, share: f64) {
        self.vector += other.vector * share;
        self.double += other.double * share;
        self.matrix += other.matrix * share;
        self.scalar += other.scalar * share;
        self.path += other.path * share;
        self.lds += other.lds * share;
        self.cold += other.cold * share;
        self.l2 += other.l2 * share;
        self.last_level += other.last_level * share;
        self.dram_read += other.dram_read * share;
        self.dram_written += other.dram_written * share;
    }
}

/// Returns the distinct bytes that the launch reads and writes.
pub(super) fn footprint(profile: &Profile, machine: &Machine) -> Footprint {
    let shares = profile.cold_shares;
    let (mut read, mut written) = (0.0, 0.0);
    for trace in &profile.traces {
        for tally in trace.waves.iter().map(|wave| &wave.tally) {
            for (&(lines, kind), &times) in &tally.accesses {
                let weight = times as f64 * trace.share;
                if kind.reads() {
                    read += f64::from(lines.cold) * shares.of(kind) * weight;
                }
                written += f64::from(lines.dirtied) * shares.dirtied * weight;
            }
        }
    }
    let bytes = |lines: f64| {
        (lines * profile.workgroups as f64 * f64::from(machine.line_bytes)).round() as u64
    };
    Footprint {
        read_bytes: bytes(read),
        written_bytes: bytes(written),
    }
}

/// Returns the cycles that an access occupies the address path of its compute unit.
pub(super) fn path_cycles(lines: AccessLines, machine: &Machine, lanes: u32) -> f64 {
    // A sector is 64 bytes, the smallest part of a line that the path transfers.
    let bytes = f64::from(lines.sectors) * 64.0;
    (bytes / machine.l1.bytes_per_cycle).max(f64::from(lanes) / machine.l1.lanes_per_cycle)
}

/// Returns true if the wave receives a value, and so waits for the access as for a load.
pub(super) fn returns(kind: AccessKind) -> bool {
    matches!(
        kind,
        AccessKind::Load | AccessKind::Atomic { returns: true }
    )
}
