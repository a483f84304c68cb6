//! The memories that serve lines, and the demand of a workgroup.

use super::sharing::fetch_shares;
use super::{CacheState, Footprint, Machine};
use crate::execute::AccessKind;
use crate::profile::{AccessLines, Profile, SECTOR_BYTES, StreamGroup, WorkgroupTrace};

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

    /// Returns the shares for a set of `bytes`, if the L2 serves the part `l2` of it.
    fn by(machine: &Machine, bytes: f64, l2: f64) -> HitShares {
        let last_level_bytes = machine.last_level.map_or(0.0, |level| level.bytes as f64);
        let last_level = (1.0 - l2) * fits(bytes, last_level_bytes);
        HitShares {
            l2,
            last_level,
            dram: 1.0 - l2 - last_level,
        }
    }
}

/// Returns the part of a set of `bytes` that a cache of `size` bytes serves.
fn fits(bytes: f64, size: f64) -> f64 {
    if size > 0.0 {
        ((1.0 + SPILL - bytes / size) / SPILL).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// The parts of the lines that a workgroup touches first.
#[derive(Debug, Clone, Copy)]
struct FirstTouches {
    /// The part that no workgroup of the launch has touched before.
    distinct: f64,
    /// The same, less the losses of caches meanwhile.
    launch: f64,
    /// The part that no workgroup of the die has touched before.
    die: f64,
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
    /// The first touches of each group of streams.
    groups: Vec<FirstTouches>,
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
        let workgroups = profile.workgroups as f64;
        let dies = f64::from(machine.dies.max(1));
        let sharing = &profile.sharing;
        let running = (resident * f64::from(machine.compute_units)).min(workgroups);
        let groups = sharing.groups.iter();
        let fetches: Vec<_> = groups
            .map(|group| fetch_shares(group, sharing, machine, running as u64))
            .collect();
        // The sectors of each group, fetched once for the launch, and once for each die.
        let bytes = |shares: &dyn Fn(usize) -> f64| -> f64 {
            let of = |(number, group): (usize, &StreamGroup)| {
                let sectors = group.sectors.len() as f64 * workgroups * shares(number);
                (sectors * SECTOR_BYTES as f64).min(group.bytes as f64)
            };
            sharing.groups.iter().enumerate().map(of).sum()
        };
        let others: f64 = profile
            .traces
            .iter()
            .map(|trace| WorkgroupDemand::of(trace, profile).cold * trace.share)
            .sum();
        let others = others * workgroups * line;
        let footprint = (bytes(&|it| fetches[it].launch) + others).min(sharing.allocated());
        let of_die = bytes(&|it| fetches[it].die / dies) + others / dies;
        let in_l2 = fits(of_die, machine.l2.bytes as f64);
        let last_level_bytes = machine.last_level.map_or(0.0, |level| level.bytes as f64);
        let in_last_level = fits(footprint, last_level_bytes).max(in_l2);
        let mix = |part: f64, one: f64, other: f64| part * one + (1.0 - part) * other;
        let sampled = sampled_lines(profile);
        let groups: Vec<_> = (fetches.iter().zip(&sharing.groups).zip(sampled))
            .map(|((fetch, group), sampled)| {
                let die = mix(in_l2, fetch.die, fetch.die_together);
                let launch = mix(in_last_level, fetch.launch, fetch.together).min(die);
                let coverage = group.coverage(sampled);
                FirstTouches {
                    distinct: fetch.launch * coverage,
                    launch: launch * coverage,
                    die: die * coverage,
                }
            })
            .collect();
        // The part of the groups' sectors that a die fetches, which its caches have to hold.
        let size = |group: &StreamGroup| group.sectors.len() as f64;
        let all: f64 = sharing.groups.iter().map(size).sum();
        let fetched: f64 = (sharing.groups.iter().zip(&fetches))
            .map(|(group, fetch)| size(group) * mix(in_l2, fetch.die, fetch.die_together))
            .sum();
        let distinct = if all > 0.0 { fetched / all } else { 1.0 };
        // The next workgroup may run on another die, and that die's L2 lacks the line. The next
        // launch deals the same workgroups to the same dies.
        let shared_l2 = match caches {
            CacheState::Cold if machine.dies > 1 => 0.0,
            CacheState::Cold => fits(footprint, machine.l2.bytes as f64),
            CacheState::Warm => in_l2,
        };
        let units = f64::from(machine.compute_units.div_ceil(machine.dies.max(1)));
        let near = std::array::from_fn(|logarithm| {
            let since = (logarithm as f64).exp2() * line * resident;
            (since > machine.l1.bytes as f64).then(|| {
                // All units of a die share its L2.
                let of_die = since * units.min(workgroups / resident).max(1.0) * distinct;
                let bytes = of_die.min(footprint);
                HitShares::by(machine, bytes, fits(bytes, machine.l2.bytes as f64))
            })
        });
        let warm = HitShares::by(machine, footprint, shared_l2);
        CacheHits {
            cold: match caches {
                CacheState::Cold => HitShares {
                    l2: 0.0,
                    last_level: 0.0,
                    dram: 1.0,
                },
                CacheState::Warm => warm,
            },
            far: warm,
            near,
            footprint,
            groups,
        }
    }

    /// Returns the first touches of the lines of an access; None if its instruction is not
    /// affine.
    fn first_touches(&self, lines: AccessLines, profile: &Profile) -> Option<FirstTouches> {
        let group = profile.sharing.group(lines.stream)?;
        self.groups.get(group).copied()
    }

    /// Returns the part of an access's dirtied lines that no other workgroup writes.
    fn written(&self, lines: AccessLines, profile: &Profile) -> f64 {
        let touches = self.first_touches(lines, profile);
        touches.map_or(profile.cold_shares.dirtied, |touches| touches.distinct)
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
    /// Lines of instructions that are not affine, which no workgroup touched before; a shared
    /// line counts once.
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
            let serve = |sum: &mut WorkgroupDemand,
                         count: f64,
                         served: HitShares,
                         moved: f64,
                         fetched: f64| {
                let count = count * times;
                sum.l2 += count;
                sum.last_level += count * (served.last_level + served.dram) * moved;
                sum.dram_read += count * served.dram * moved * fetched;
            };
            let fetched = f64::from(u8::from(kind.reads()));
            match places.first_touches(lines, profile) {
                Some(touches) => {
                    let first = f64::from(lines.cold) + f64::from(lines.far);
                    serve(sum, first, places.cold, touches.launch, fetched);
                    // The workgroups of other dies find them in the memory that all dies share.
                    let others = (touches.die - touches.launch) * times * first;
                    match machine.last_level {
                        Some(_) => sum.last_level += others,
                        None => sum.dram_read += others * fetched,
                    }
                }
                None => {
                    serve(
                        sum,
                        lines.cold.into(),
                        places.cold,
                        shares.of(kind),
                        fetched,
                    );
                    serve(sum, lines.far.into(), places.far, 1.0, fetched);
                }
            }
            if let Some(near) = places.near(lines) {
                serve(sum, lines.near.into(), near, 1.0, fetched);
            } else if kind.writes() {
                // The first level cache writes through to the L2.
                sum.l2 += f64::from(lines.near) * times;
            }
            // A line that was read is written back, too. On a part with several dies, the L2
            // first asks the directory in the last level cache for it: in-place kernels reach
            // two thirds of a copy's bandwidth on an MI300A.
            let updated = lines.dirtied.saturating_sub(lines.cold + lines.far);
            let transfers = if machine.dies > 1 { 2.0 } else { 1.0 };
            let written = places.written(lines, profile);
            sum.last_level += f64::from(updated) * written * times * transfers;
            // Only the first write of a line counts: caches merge the later ones.
            sum.dram_written += dirtied(lines, kind) * places.cold.dram * written * times;
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
                if profile.sharing.group(lines.stream).is_none() {
                    sum.cold += f64::from(lines.cold) * profile.cold_shares.of(kind) * times as f64;
                }
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

/// Returns the lines of each group that an average workgroup of the sample touches.
fn sampled_lines(profile: &Profile) -> Vec<f64> {
    let mut all = vec![0.0; profile.sharing.groups.len()];
    for trace in &profile.traces {
        let accesses = trace.waves.iter().flat_map(|wave| &wave.tally.accesses);
        for (&(lines, _), &times) in accesses {
            if let Some(group) = profile.sharing.group(lines.stream) {
                all[group] += f64::from(lines.cold + lines.far) * times as f64 * trace.share;
            }
        }
    }
    all
}

/// Returns the lines that an access is the first of its workgroup to write.
fn dirtied(lines: AccessLines, kind: AccessKind) -> f64 {
    match kind.writes() {
        // A neighbour in the sample may have written to them before.
        true => lines.dirtied.max(lines.cold + lines.far).into(),
        false => 0.0,
    }
}

/// Returns the distinct bytes that the launch reads and writes.
pub(super) fn footprint(profile: &Profile, machine: &Machine, places: &CacheHits) -> Footprint {
    let shares = profile.cold_shares;
    let (mut read, mut written) = (0.0, 0.0);
    for trace in &profile.traces {
        for tally in trace.waves.iter().map(|wave| &wave.tally) {
            for (&(lines, kind), &times) in &tally.accesses {
                let weight = times as f64 * trace.share;
                let first = match places.first_touches(lines, profile) {
                    Some(touches) => f64::from(lines.cold + lines.far) * touches.distinct,
                    None => f64::from(lines.cold) * shares.of(kind),
                };
                if kind.reads() {
                    read += first * weight;
                }
                written += dirtied(lines, kind) * places.written(lines, profile) * weight;
            }
        }
    }
    let bytes = |lines: f64| {
        let bytes = lines * profile.workgroups as f64 * f64::from(machine.line_bytes);
        bytes.min(profile.sharing.allocated()).round() as u64
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
