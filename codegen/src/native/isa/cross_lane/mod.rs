//! Cross-lane plans: lists of exchanges that merge the states of some lanes of a subgroup.
//!
//! An [`Exchange`] gives each lane the state of another lane, and the lane merges it with its
//! own. A plan over a *set of lane bits* gives every lane the combination of all lanes that
//! differ from it only in these bits.
//!
//! A table of the target and the subgroup size lists the available exchanges: [`CrossLane`], with
//! one row per lane bit and condition. This module chooses rows and knows no instruction. The
//! tables are in `gfx9` and `rdna`; the instructions are [`Move`]s.

pub(super) mod gfx9;
mod moves;
pub(super) mod rdna;

use std::fmt;

pub(crate) use moves::Move;

/// A range of the bits of a lane id or subgroup id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    /// The lowest bit.
    pub(crate) low: u32,
    /// The number of bits.
    pub(crate) bits: u32,
}

impl Field {
    /// Returns the number of values of the field.
    pub(crate) fn count(self) -> u32 {
        1 << self.bits
    }

    /// Returns the field's value in an id.
    pub(crate) fn of(self, id: u32) -> u32 {
        id >> self.low & (self.count() - 1)
    }

    /// Returns the bits as a mask.
    pub(crate) fn mask(self) -> u32 {
        (self.count() - 1) << self.low
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

/// A sequence of moves whose composition brings the other lane's state.
pub(crate) type Exchange = &'static [Move];

/// An exchange that reduces over one lane bit.
#[derive(Debug)]
pub(crate) struct LaneBitExchange {
    /// The bit.
    pub(crate) bit: u32,
    /// The bits that must be reduced before, as a mask. The exchange may cross them.
    pub(crate) after: u32,
    /// The exchange.
    pub(crate) exchange: Exchange,
}

const fn row(bit: u32, after: u32, exchange: Exchange) -> LaneBitExchange {
    LaneBitExchange {
        bit,
        after,
        exchange,
    }
}

/// The cross-lane operations of a target in subgroups of one size.
#[derive(Debug)]
pub(crate) struct CrossLane {
    /// Lanes of a subgroup.
    pub(crate) subgroup_size: u32,
    /// The order in which bits are reduced.
    pub(crate) order: &'static [u32],
    /// The exchanges of each bit, the cheapest first.
    pub(crate) rows: &'static [LaneBitExchange],
    /// The exchanges that reduce the whole subgroup into one lane, and that lane.
    pub(crate) whole: (&'static [Exchange], u32),
}

impl CrossLane {
    /// Returns the exchanges for the lane bits in `mask`. After each exchange, every lane merges.
    ///
    /// Returns `None` if the table has no row for one of the bits.
    pub(crate) fn plan(&self, mask: u32) -> Option<Vec<Exchange>> {
        let mut reduced = 0u32;
        let mut plan = Vec::new();
        let wanted = |bit: &&u32| mask >> **bit & 1 == 1;
        for &bit in self.order.iter().filter(wanted) {
            // An exchange may cross bits of `after` only if all lanes that differ in them already
            // have one state.
            let usable = |row: &&LaneBitExchange| row.bit == bit && row.after & !reduced == 0;
            plan.push(self.rows.iter().find(usable)?.exchange);
            reduced |= 1 << bit;
        }
        (reduced == mask).then_some(plan)
    }
}

#[cfg(test)]
mod tests;
