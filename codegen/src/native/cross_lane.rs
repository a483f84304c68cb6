//! Cross-lane plans: how the states of some lanes of a subgroup become one, as a list of exchanges.
//!
//! An [`Exchange`] gives each lane the state of another one, which it combines with its own. A plan over a *range of lane
//! bits* leaves every lane with the combination of all lanes that differ from it in these bits only. Which exchanges
//! there are is a table of the target ([`CrossLane`], one row per lane bit and circumstance); this module chooses rows
//! and knows no instruction.

use std::fmt;

/// A range of the bits of a lane id or of a subgroup id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The lowest bit.
    pub low: u32,
    /// How many.
    pub bits: u32,
}

impl Field {
    /// The number of values of the field.
    pub fn count(self) -> u32 {
        1 << self.bits
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits {
            0 => f.write_str("no bits"),
            _ => write!(f, "bits [{}, {})", self.low, self.low + self.bits),
        }
    }
}

/// An instruction that gives each lane a register of another lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Data-parallel primitives: the control field and the rows of 16 lanes that receive.
    Dpp {
        /// The name of the control in assembly.
        name: &'static str,
        /// Its encoding.
        control: u16,
        /// Bit r is set where row r (lanes 16 r to 16 r + 15) receives.
        row_mask: u8,
    },
    /// `ds_swizzle_b32` with this offset.
    Swizzle {
        /// `xor << 10 | or << 5 | and`, on the lower five bits of the lane.
        offset: u16,
    },
    /// `ds_bpermute_b32` from the lane whose id differs by this exclusive or.
    Permute {
        /// The exclusive or.
        xor: u32,
    },
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Dpp {
                name,
                row_mask: 0xf,
                ..
            } => write!(f, "dpp {name}"),
            Move::Dpp { name, row_mask, .. } => write!(f, "dpp {name} row_mask:{row_mask:#x}"),
            Move::Swizzle { offset } => write!(f, "ds_swizzle {offset:#x}"),
            Move::Permute { xor } => write!(f, "ds_bpermute lane^{xor}"),
        }
    }
}

/// Moves, one after the other, whose composition brings the other lane's state.
pub type Exchange = &'static [Move];

/// One way to reduce over one lane bit.
#[derive(Debug)]
pub struct Row {
    /// The bit.
    pub bit: u32,
    /// Bits that must have been reduced before, as a mask: the exchange may cross them too.
    pub after: u32,
    /// The exchange.
    pub exchange: Exchange,
}

/// What a target can do.
#[derive(Debug)]
pub struct CrossLane {
    /// The order in which bits are reduced.
    pub order: &'static [u32],
    /// For each bit, the cheapest row first.
    pub rows: &'static [Row],
    /// Exchanges after which one lane has the combination of the whole subgroup, and that lane.
    pub whole: (&'static [Exchange], u32),
}

impl CrossLane {
    /// The exchanges for `field`, after each of which every lane combines.
    ///
    /// `None` if the table has no row for one of the bits.
    pub fn plan(&self, field: Field) -> Option<Vec<Exchange>> {
        let mut reduced = 0u32;
        let mut plan = Vec::new();
        let wanted = |bit: &&u32| (field.low..field.low + field.bits).contains(bit);
        for &bit in self.order.iter().filter(wanted) {
            let usable = |row: &&Row| row.bit == bit && row.after & !reduced == 0;
            plan.push(self.rows.iter().find(usable)?.exchange);
            reduced |= 1 << bit;
        }
        (reduced.count_ones() == field.bits).then_some(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::gfx942::GFX942;

    /// The lane that `lane` receives from; `None` where it keeps what it has. After the ISA manual's pseudo code.
    fn source(step: &Move, lane: u32) -> Option<u32> {
        let (row, n) = (lane / 16, lane % 16);
        match *step {
            Move::Swizzle { offset } => {
                let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
                assert_eq!(offset >> 15, 0, "not the bit mode");
                let low = (lane & u32::from(and) | u32::from(or)) ^ u32::from(xor);
                Some(lane & 32 | low & 31)
            }
            Move::Permute { xor } => Some(lane ^ xor),
            Move::Dpp { row_mask, .. } if row_mask >> row & 1 == 0 => None,
            Move::Dpp { control, .. } => match control {
                0..=0xff => Some(lane & !3 | u32::from(control >> (2 * (lane & 3)) & 3)),
                0x121..=0x12f => Some(row * 16 + (n + 16 - u32::from(control & 15)) % 16),
                0x140 => Some(row * 16 + (15 - n)),
                0x141 => Some(lane & !7 | (7 - n % 8)),
                0x142 => (row > 0).then(|| row * 16 - 1),
                0x143 => (lane >= 32).then_some(31),
                _ => panic!("control {control:#x}"),
            },
        }
    }

    /// The set of lanes, as a bit mask, that each lane has combined.
    fn run(plan: &[Exchange]) -> Vec<u64> {
        let mut sets: Vec<u64> = (0..64).map(|lane| 1 << lane).collect();
        for exchange in plan {
            let mut moved = sets.clone();
            for step in *exchange {
                let before = moved.clone();
                for lane in 0..64 {
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

    #[test]
    fn every_range_of_bits_is_reduced_and_nothing_else() {
        for low in 0..=6 {
            for bits in 0..=6 - low {
                let field = Field { low, bits };
                let plan = GFX942.cross_lane.plan(field).unwrap();
                let mask = (field.count() - 1) << low;
                for (lane, set) in (0u32..64).zip(run(&plan)) {
                    let group = (0u32..64).filter(|other| (other ^ lane) & !mask == 0);
                    let expected = group.fold(0u64, |set, other| set | 1 << other);
                    assert_eq!(set, expected, "{field}, lane {lane}: {plan:?}");
                }
            }
        }
    }

    #[test]
    fn the_whole_subgroup_ends_in_one_lane() {
        let (plan, lane) = GFX942.cross_lane.whole;
        assert_eq!(run(plan)[lane as usize], u64::MAX);
    }

    #[test]
    fn a_bit_without_a_row_has_no_plan() {
        assert_eq!(GFX942.cross_lane.plan(Field { low: 5, bits: 2 }), None);
    }

    #[test]
    fn single_steps_stay_in_the_vector_unit_within_a_row() {
        // Eight lanes a row, the common case, take one DPP each.
        let plan = GFX942.cross_lane.plan(Field { low: 0, bits: 4 }).unwrap();
        assert!(
            plan.iter()
                .all(|exchange| matches!(exchange, [Move::Dpp { .. }]))
        );
    }
}
