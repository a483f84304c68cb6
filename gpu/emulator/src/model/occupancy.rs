//! The numbers of waves and workgroups that a compute unit holds at a time.

use super::{Machine, OccupancyLimit};

/// The occupancy of a device by a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Occupancy {
    /// Units for workgroups: a compute unit, or a pair that shares workgroups.
    pub(super) units: u32,
    /// Compute units of a unit.
    pub(super) paths: u32,
    /// SIMDs of a unit.
    pub(super) simds: u32,
    pub(super) workgroups_per_unit: u32,
    pub(super) limited_by: OccupancyLimit,
    /// The number of workgroups that each limit permits.
    pub(super) each: Vec<(u32, OccupancyLimit)>,
}

/// The needs of a workgroup.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkgroupNeeds {
    pub(super) waves: u32,
    pub(super) lanes: u32,
    pub(super) vgprs: u32,
    pub(super) lds_bytes: u32,
    pub(super) spans_units: bool,
}

/// Returns the occupancy by registers, LDS, wave slots and workgroup slots; the smallest limit
/// counts. A workgroup is resident as a whole, and its waves are spread over the SIMDs.
pub(super) fn occupancy(needs: WorkgroupNeeds, machine: &Machine) -> Occupancy {
    let slots = &machine.slots;
    let group = if needs.spans_units {
        machine.units_per_group.max(1)
    } else {
        1
    };
    let simds = slots.simds.max(1) * group;
    let up = |value: u32, granule: u32| value.div_ceil(granule.max(1)) * granule.max(1);
    // A SIMD holds a fixed number of registers. Waves with twice the lanes have half as many, in
    // half the granules.
    let scale = |figure: u32| figure * slots.lanes / needs.lanes.max(1);
    let registers = up(needs.vgprs.max(1), scale(slots.vgpr_granule));
    let by_registers = scale(slots.vgprs) / registers;
    let waves = needs.waves.max(1);
    // The dispatcher deals the waves of a workgroup to the SIMDs in turn, so small workgroups
    // fill slots one by one.
    let fitting = |per_simd: u32| per_simd * simds / waves;
    let mut each = vec![
        (fitting(slots.waves_per_simd), OccupancyLimit::WaveSlots),
        (fitting(by_registers), OccupancyLimit::Vgprs),
    ];
    if needs.lds_bytes > 0 {
        let bytes = up(needs.lds_bytes, slots.lds_granule);
        each.push((slots.lds_bytes * group / bytes, OccupancyLimit::Lds));
    }
    // Workgroups of one wave use no barrier resources (LLVM, `getMaxWorkGroupsPerCU`).
    if waves > 1 {
        each.push((slots.workgroups * group, OccupancyLimit::WorkgroupSlots));
    }
    let first = (u32::MAX, OccupancyLimit::WaveSlots);
    let best = each.iter().fold(
        first,
        |best, &limit| if limit.0 < best.0 { limit } else { best },
    );
    Occupancy {
        units: (machine.compute_units / group).max(1),
        paths: group,
        simds,
        // One workgroup always fits, because the launch refuses a larger one.
        workgroups_per_unit: best.0.max(1),
        limited_by: best.1,
        each,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::MACHINE;

    const CDNA: WorkgroupNeeds = WorkgroupNeeds {
        waves: 1,
        lanes: 64,
        vgprs: 32,
        lds_bytes: 0,
        spans_units: false,
    };

    /// Returns a machine like an RDNA 3 part.
    fn rdna() -> Machine {
        let mut machine = MACHINE;
        machine.compute_units = 96;
        machine.units_per_group = 2;
        machine.slots = super::super::Slots {
            simds: 2,
            waves_per_simd: 16,
            workgroups: 16,
            lanes: 32,
            vgprs: 1536,
            vgpr_granule: 24,
            lds_bytes: 64 * 1024,
            lds_granule: 512,
        };
        machine
    }

    #[track_caller]
    fn check_on(machine: &Machine, needs: WorkgroupNeeds, expected: (u32, u32, OccupancyLimit)) {
        let found = occupancy(needs, machine);
        let per_simd = (found.workgroups_per_unit * needs.waves).div_ceil(found.simds);
        assert_eq!(
            (found.workgroups_per_unit, per_simd, found.limited_by),
            expected
        );
    }

    #[track_caller]
    fn check(waves: u32, vgprs: u32, lds_bytes: u32, expected: (u32, u32, OccupancyLimit)) {
        let needs = WorkgroupNeeds {
            waves,
            vgprs,
            lds_bytes,
            ..CDNA
        };
        check_on(&MACHINE, needs, expected);
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

    #[track_caller]
    fn check_rdna(needs: WorkgroupNeeds, expected: (u32, u32, OccupancyLimit)) {
        check_on(&rdna(), needs, expected);
    }

    #[test]
    fn waves_of_64_lanes_have_half_of_the_registers_of_waves_of_32() {
        use OccupancyLimit::*;
        let wave = |lanes, vgprs| WorkgroupNeeds {
            lanes,
            vgprs,
            ..CDNA
        };
        check_rdna(wave(32, 96), (32, 16, WaveSlots));
        check_rdna(wave(32, 97), (24, 12, Vgprs));
        check_rdna(wave(32, 256), (10, 5, Vgprs));
        check_rdna(wave(64, 48), (32, 16, WaveSlots));
        check_rdna(wave(64, 49), (24, 12, Vgprs));
        check_rdna(wave(64, 256), (4, 2, Vgprs));
    }

    #[test]
    fn a_workgroup_that_spans_two_units_has_their_room() {
        use OccupancyLimit::*;
        let group = |spans_units| WorkgroupNeeds {
            waves: 32,
            lanes: 32,
            vgprs: 192,
            lds_bytes: 0,
            spans_units,
        };
        // It exceeds one unit, but the model assumes that one workgroup always fits.
        check_rdna(group(false), (1, 16, Vgprs));
        check_rdna(group(true), (1, 8, Vgprs));
        let lds = |spans_units| WorkgroupNeeds {
            lds_bytes: 40 * 1024,
            vgprs: 32,
            waves: 2,
            ..group(spans_units)
        };
        check_rdna(lds(false), (1, 1, Lds));
        check_rdna(lds(true), (3, 2, Lds));
        assert_eq!(occupancy(lds(true), &rdna()).units, 48);
    }
}
