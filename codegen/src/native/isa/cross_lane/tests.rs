//! Every table, against the sets of lanes that each lane has combined.

use super::*;
use crate::native::isa::ISAS;

/// The lane that `lane` receives from; `None` where it keeps what it has. After the ISA manuals' pseudo code.
fn source(step: &Move, lane: u32) -> Option<u32> {
    let (row, n) = (lane / 16, lane % 16);
    match *step {
        Move::Swizzle { offset } => {
            let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
            assert_eq!(offset >> 15, 0, "not the bit mode");
            let low = (lane & u32::from(and) | u32::from(or)) ^ u32::from(xor);
            Some(lane & 32 | low & 31)
        }
        Move::Permute { xor } | Move::Lds { xor } => Some(lane ^ xor),
        // The own register is replaced too; that both lanes have both is what counts.
        Move::Swap { xor } => Some(lane ^ xor),
        Move::OtherRow => Some(lane ^ 16),
        Move::OtherHalf => Some(lane ^ 32),
        Move::Read { lane } => Some(lane),
        Move::Dpp { row_mask, .. } if row_mask >> row & 1 == 0 => None,
        Move::Dpp { control, .. } => match control {
            0..=0xff => Some(lane & !3 | u32::from(control >> (2 * (lane & 3)) & 3)),
            0x121..=0x12f => Some(row * 16 + (n + 16 - u32::from(control & 15)) % 16),
            0x140 => Some(row * 16 + (15 - n)),
            0x141 => Some(lane & !7 | (7 - n % 8)),
            0x142 => (row > 0).then(|| row * 16 - 1),
            0x143 => (lane >= 32).then_some(31),
            0x160..=0x16f => Some(lane ^ u32::from(control & 15)),
            _ => panic!("control {control:#x}"),
        },
    }
}

/// The set of lanes, as a bit mask, that each lane has combined.
fn run(lanes: u32, plan: &[Exchange]) -> Vec<u64> {
    let mut sets: Vec<u64> = (0..lanes).map(|lane| 1 << lane).collect();
    for exchange in plan {
        let mut moved = sets.clone();
        for step in *exchange {
            let before = moved.clone();
            for lane in 0..lanes {
                if let Some(from) = source(step, lane) {
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

/// The tables of all instruction sets.
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
