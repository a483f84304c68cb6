//! How many waves and workgroups a compute unit holds at a time.

use super::{Machine, OccupancyLimit};

/// What fits at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occupancy {
    pub(super) workgroups_per_unit: u32,
    pub(super) waves_per_simd: u32,
    pub(super) limited_by: OccupancyLimit,
}

/// What a workgroup needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub(super) waves: u32,
    pub(super) vgprs: u32,
    pub(super) lds_bytes: u32,
}

/// The limits of registers, LDS, wave slots and workgroup slots; the smallest counts. A workgroup is resident as a
/// whole, its waves spread over the SIMDs.
pub(super) fn occupancy(needs: Needs, machine: &Machine) -> Occupancy {
    let simds = machine.simds_per_unit.max(1);
    let up = |value: u32, granule: u32| value.div_ceil(granule.max(1)) * granule.max(1);
    let registers = up(needs.vgprs.max(1), machine.vgpr_granule);
    let by_registers = machine.vgprs_per_simd / registers;
    let waves = needs.waves.max(1);
    // Waves of a workgroup are dealt to the SIMDs in turn: small workgroups fill slots one by one.
    let fitting = |per_simd: u32| per_simd * simds / waves;
    let mut best = (fitting(machine.waves_per_simd), OccupancyLimit::WaveSlots);
    let mut limit = |workgroups: u32, reason: OccupancyLimit| {
        if workgroups < best.0 {
            best = (workgroups, reason);
        }
    };
    limit(fitting(by_registers), OccupancyLimit::Vgprs);
    if needs.lds_bytes > 0 {
        let bytes = up(needs.lds_bytes, machine.lds_granule);
        limit(machine.lds_bytes_per_unit / bytes, OccupancyLimit::Lds);
    }
    if waves > 1 {
        limit(machine.workgroups_per_unit, OccupancyLimit::WorkgroupSlots);
    }
    // One workgroup always runs: what does not fit was refused at launch.
    let workgroups = best.0.max(1);
    Occupancy {
        workgroups_per_unit: workgroups,
        waves_per_simd: (workgroups * waves).div_ceil(simds),
        limited_by: best.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::MACHINE;

    #[track_caller]
    fn check(waves: u32, vgprs: u32, lds_bytes: u32, expected: (u32, u32, OccupancyLimit)) {
        let found = occupancy(
            Needs {
                waves,
                vgprs,
                lds_bytes,
            },
            &MACHINE,
        );
        assert_eq!(
            (
                found.workgroups_per_unit,
                found.waves_per_simd,
                found.limited_by
            ),
            expected
        );
    }

    #[test]
    fn the_scarcest_resource_decides() {
        use OccupancyLimit::*;
        check(1, 24, 0, (32, 8, WaveSlots));
        check(1, 64, 0, (32, 8, WaveSlots));
        check(1, 65, 0, (28, 7, Vgprs));
        check(1, 128, 0, (16, 4, Vgprs));
        check(1, 512, 0, (4, 1, Vgprs));
        check(16, 64, 0, (2, 8, WaveSlots));
        check(16, 128, 0, (1, 4, Vgprs));
        check(4, 32, 0, (8, 8, WaveSlots));
        check(4, 32, 16 * 1024, (4, 4, Lds));
        check(4, 32, 16 * 1024 + 1, (3, 3, Lds));
        check(2, 32, 0, (16, 8, WaveSlots));
        check(3, 32, 0, (10, 8, WaveSlots));
    }
}
