//! Every cross-lane table, against the sets of lanes that each lane has combined.

use super::*;
use crate::native::isa::ISAS;

/// Returns the set of lanes that each lane has combined, as a bit mask.
fn run(lanes: u32, plan: &[Exchange]) -> Vec<u64> {
    let mut sets: Vec<u64> = (0..lanes).map(|lane| 1 << lane).collect();
    for exchange in plan {
        let mut moved = sets.clone();
        for step in *exchange {
            let before = moved.clone();
            for lane in 0..lanes {
                if let Some(from) = step.source(lane) {
                    moved[lane as usize] = before[from as usize];
                }
            }
        }
        sets.iter_mut()
            .zip(moved)
            .for_each(|(set, other)| *set |= other);
    }
    sets
}

/// Returns the tables of all instruction sets.
fn tables() -> impl Iterator<Item = (&'static str, &'static CrossLane)> {
    ISAS.iter()
        .flat_map(|isa| isa.cross_lane.iter().map(|table| (isa.name, table)))
}

#[test]
fn every_set_of_bits_is_reduced_and_nothing_else() {
    for (isa, table) in tables() {
        let lanes = table.subgroup_size;
        for mask in 0..lanes {
            let plan = table.plan(mask).unwrap();
            for (lane, set) in (0..lanes).zip(run(lanes, &plan)) {
                let group = (0..lanes).filter(|other| (other ^ lane) & !mask == 0);
                let expected = group.fold(0u64, |set, other| set | 1 << other);
                let text = format!("{isa} of {lanes} lanes, {mask:#b}, lane {lane}: {plan:?}");
                assert_eq!(set, expected, "{text}");
            }
        }
    }
}

#[test]
fn the_whole_subgroup_ends_in_one_lane() {
    for (isa, table) in tables() {
        let (plan, lane) = table.whole;
        let lanes = table.subgroup_size;
        let all = u64::MAX >> (64 - lanes);
        assert_eq!(run(lanes, plan)[lane as usize], all, "{isa}, {lanes} lanes");
    }
}

#[test]
fn a_bit_without_a_row_has_no_plan() {
    for (_, table) in tables() {
        assert_eq!(table.plan(table.subgroup_size), None);
    }
}

#[test]
fn swizzles_are_in_the_bit_mode() {
    for (_, table) in tables() {
        let rows = table.rows.iter().map(|row| row.exchange);
        for step in rows.chain(table.whole.0.iter().copied()).flatten() {
            assert!(!matches!(step, Move::Swizzle { offset } if offset >> 15 != 0));
        }
    }
}

#[test]
fn a_swap_is_the_last_move_of_its_exchange() {
    let exchanges = |table: &'static CrossLane| {
        let rows = table.rows.iter().map(|row| row.exchange);
        rows.chain(table.whole.0.iter().copied())
    };
    for exchange in tables().flat_map(|(_, table)| exchanges(table)) {
        let (_, first) = exchange.split_last().unwrap();
        assert!(!first.iter().any(|step| matches!(step, Move::Swap { .. })));
    }
}

#[test]
fn single_steps_stay_in_the_vector_unit_within_a_row() {
    // Up to sixteen lanes a row, the common case, take one DPP each.
    for (_, table) in tables() {
        let plan = table.plan(0b1111).unwrap();
        let one_dpp = |exchange: &Exchange| matches!(exchange, [Move::Dpp { .. }]);
        assert!(plan.iter().all(one_dpp));
    }
}
