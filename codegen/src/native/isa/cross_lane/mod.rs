//! Cross-lane plans: how the states of some lanes of a subgroup become one, as a list of exchanges.
//!
//! An [`Exchange`] gives each lane the state of another one, which it combines with its own. A plan over a *set of lane
//! bits* leaves every lane with the combination of all lanes that differ from it in these bits only. Which exchanges
//! there are is a table of the target and the subgroup size ([`CrossLane`], one row per lane bit and circumstance); this
//! module chooses rows and knows no instruction. The tables have a file each, by what the hardware has: `gfx9`, `rdna`;
//! the instructions are [`Move`]s.

pub(super) mod gfx9;
mod moves;
pub(super) mod rdna;

use std::fmt;

pub(crate) use moves::Move;

/// A range of the bits of a lane id or of a subgroup id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    /// The lowest bit.
    pub(crate) low: u32,
    /// How many.
    pub(crate) bits: u32,
}

impl Field {
    /// The number of values of the field.
    pub(crate) fn count(self) -> u32 {
        1 << self.bits
    }

    /// The field of an id.
    pub(crate) fn of(self, id: u32) -> u32 {
        id >> self.low & (self.count() - 1)
    }

    /// The bits as a mask.
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

/// Moves, one after the other, whose composition brings the other lane's state.
pub(crate) type Exchange = &'static [Move];

/// One way to reduce over one lane bit.
#[derive(Debug)]
pub(crate) struct LaneBitExchange {
    /// The bit.
    pub(crate) bit: u32,
    /// Bits that must have been reduced before, as a mask: the exchange may cross them too.
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

/// What a target can do in subgroups of one size.
#[derive(Debug)]
pub(crate) struct CrossLane {
    /// Lanes of a subgroup.
    pub(crate) subgroup_size: u32,
    /// The order in which bits are reduced.
    pub(crate) order: &'static [u32],
    /// For each bit, the cheapest row first.
    pub(crate) rows: &'static [LaneBitExchange],
    /// Exchanges after which one lane has the combination of the whole subgroup, and that lane.
    pub(crate) whole: (&'static [Exchange], u32),
}

impl CrossLane {
    /// The exchanges for the lane bits in `mask`, after each of which every lane combines.
    ///
    /// `None` if the table has no row for one of the bits.
    pub(crate) fn plan(&self, mask: u32) -> Option<Vec<Exchange>> {
        let mut reduced = 0u32;
        let mut plan = Vec::new();
        let wanted = |bit: &&u32| mask >> **bit & 1 == 1;
        for &bit in self.order.iter().filter(wanted) {
            let usable = |row: &&LaneBitExchange| row.bit == bit && row.after & !reduced == 0;
            plan.push(self.rows.iter().find(usable)?.exchange);
            reduced |= 1 << bit;
        }
        (reduced == mask).then_some(plan)
    }
}

#[cfg(test)]
mod tests;
