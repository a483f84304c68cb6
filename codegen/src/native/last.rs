//! Stage 4, final: the target's instructions for loads and exchanges between lanes, and how addresses are made.
//!
//! An address is a scalar base, a vector offset of 32 bits and an immediate offset. The base moves with the steps; the
//! vector offset stays. Immediate offsets are small, so a step with far batches or rows has several bases, one for each
//! *window* of immediate offsets. Only rows too far apart for 32 bits make the vector offset 64 bits wide.
//!
//! The lanes of a row become one in one of three ways ([`LaneFold`]). What remains is the printing as LLVM IR
//! ([`super::emit`]).

use std::fmt;

use super::cross_lane::{Exchange, Move};
use super::gridwise::Cover;
use super::lanewise::{Lanewise, Reach};

/// How the states of the lanes that share a row become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneFold {
    /// Every row has one lane.
    Own,
    /// All lanes share the row: the best value by these exchanges in one lane; the holders by ballot, and the least index
    /// among several by the same exchanges.
    Ballot {
        /// The exchanges.
        exchanges: &'static [Exchange],
        /// The lane with the result.
        lane: u32,
    },
    /// Some lanes share a row: the best value by these exchanges in all of them, then the least index of those that hold
    /// it in the same way; the lane with that index has the row's state.
    Butterfly(Vec<Exchange>),
}

/// The stage.
#[derive(Debug, Clone)]
pub struct Final {
    /// The stage before.
    pub lanes: Lanewise,
    /// Whether vector offsets have 64 bits.
    pub wide_offsets: bool,
    /// Bytes of each load of a thread tile.
    pub load_bytes: u32,
    /// Loads of a thread tile.
    pub loads: u32,
    /// How the lanes of a row are folded.
    pub fold: LaneFold,
    /// The exchanges of the partials.
    pub partials: Vec<Exchange>,
}

impl Final {
    /// Chooses the instructions; `None` if the target has none for the lanes of a row.
    pub fn new(lanes: Lanewise) -> Option<Final> {
        let grid = &lanes.block.grid;
        let isa = grid.isa;
        let cross_lane = isa.cross_lane(grid.subgroup_size)?;
        let field = lanes.elements.field;
        let fold = match field.count() {
            1 => LaneFold::Own,
            count if count == grid.subgroup_size => {
                let (exchanges, lane) = cross_lane.whole;
                LaneFold::Ballot { exchanges, lane }
            }
            _ => LaneFold::Butterfly(cross_lane.plan(field)?),
        };
        let element_bytes = grid.element_bytes();
        let tile_bytes = lanes.elements.thread * element_bytes;
        let load_bytes = match lanes.batches.contains(&Reach::Single) {
            true => element_bytes,
            false => tile_bytes.min(isa.load_bytes),
        };
        Some(Final {
            wide_offsets: farthest(&lanes) > u64::from(i32::MAX as u32),
            load_bytes,
            loads: tile_bytes / load_bytes,
            fold,
            partials: cross_lane.plan(lanes.partial_field())?,
            lanes,
        })
    }

    /// Bytes of LDS through which lanes exchange registers: a word a thread where a move of the lanes needs it.
    pub fn exchange_bytes(&self) -> u32 {
        let moves = match &self.fold {
            LaneFold::Own => &[],
            LaneFold::Ballot { exchanges, .. } => *exchanges,
            LaneFold::Butterfly(exchanges) => exchanges.as_slice(),
        };
        let mut moves = moves.iter().chain(&self.partials).copied().flatten();
        match moves.any(|step| matches!(step, Move::Lds { .. })) {
            true => self.lanes.block.grid.threads * 4,
            false => 0,
        }
    }

    /// Bytes from a row to the next.
    pub fn row_bytes(&self) -> u64 {
        let grid = &self.lanes.block.grid;
        u64::from(grid.length) * u64::from(grid.element_bytes())
    }
}

/// An upper bound of the vector offsets, in bytes: the lanes' rows, and their elements in a step.
fn farthest(lanes: &Lanewise) -> u64 {
    let grid = &lanes.block.grid;
    let rows = match grid.cover() {
        Cover::Repeated => grid.rows - 1,
        _ => (lanes.rows.field.count() - 1) * lanes.rows.thread,
    };
    let elements = u64::from(rows) * u64::from(grid.length) + u64::from(lanes.block.step);
    elements * u64::from(grid.element_bytes())
}

impl fmt::Display for Final {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = &self.lanes;
        let grid = &lanes.block.grid;
        writeln!(f, "final {}", grid.isa.name)?;
        let width = if self.wide_offsets { 64 } else { 32 };
        let offsets = &grid.isa.offsets;
        writeln!(
            f,
            "  address: scalar base + {width}-bit vector offset + immediate in [{}, {}]",
            offsets.start(),
            offsets.end()
        )?;
        let (slots, loads, bytes) = (lanes.rows.per_lane(), self.loads, self.load_bytes);
        let batches = lanes.elements.batches;
        writeln!(
            f,
            "  step: {} loads of {bytes} bytes ({slots} rows x {batches} batches x {loads})",
            slots * batches * loads
        )?;
        let elements = slots * lanes.elements.per_lane();
        let kind = grid.combiner.loop_value();
        writeln!(
            f,
            "        {elements} x (compare {kind} {}, select value, select index)",
            grid.combiner.comparison()
        )?;
        write!(f, "  lanes: ")?;
        match &self.fold {
            LaneFold::Own => writeln!(f, "nothing, every row has one lane")?,
            LaneFold::Ballot { exchanges, lane } => {
                write_exchanges(f, "best value", exchanges)?;
                writeln!(
                    f,
                    "         readlane {lane}; ballot of the lanes that hold it"
                )?;
                writeln!(
                    f,
                    "         one: readlane of its state; several: least index, same exchanges"
                )?;
            }
            LaneFold::Butterfly(exchanges) => {
                write_exchanges(f, "best value", exchanges)?;
                writeln!(
                    f,
                    "         least index of the lanes that hold it, same exchanges"
                )?;
                writeln!(f, "         the lane with both has the state")?;
            }
        }
        if !self.partials.is_empty() {
            write!(f, "  partials: write to lds, barrier, read; ")?;
            write_exchanges(f, "state", &self.partials)?;
        }
        Ok(())
    }
}

fn write_exchanges(f: &mut fmt::Formatter<'_>, what: &str, exchanges: &[Exchange]) -> fmt::Result {
    write!(f, "{what} by")?;
    for (number, exchange) in exchanges.iter().enumerate() {
        let separator = if number == 0 { " " } else { ", " };
        let moves: Vec<String> = exchange.iter().map(ToString::to_string).collect();
        write!(f, "{separator}{}", moves.join(" then "))?;
    }
    writeln!(f)
}
