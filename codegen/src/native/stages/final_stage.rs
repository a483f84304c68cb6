//! Stage 4, final: the target's instructions for loads and cross-lane exchanges, and the form of
//! addresses.
//!
//! An address is a scalar base, a 32-bit vector offset and an immediate offset. The base advances
//! with the steps; the vector offset is constant. Immediate offsets are small, so a step with
//! distant batches or rows has several bases, one for each *window* of immediate offsets. The
//! vector offset has 64 bits only if the lanes are too far apart for 32.
//!
//! [`LaneFold`] says how the lanes of a row merge. `lower/` does the rest.

use std::fmt;
use std::sync::Arc;

use super::dimension::TailHandling;
use super::lanewise::Lanewise;
use super::operand::{Loads, TensorOperand};
use crate::native::isa::cross_lane::{Exchange, Move};

/// The way in which the states of the lanes that share a row merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LaneFold {
    /// Every row has one lane.
    Own,
    /// Every lane takes all elements of the only row. The first lane stores the result.
    Alike,
    /// All lanes share the row. The exchanges reduce the best value into one lane. A ballot finds
    /// the lanes that hold it. If several do, the same exchanges find the least index.
    Ballot {
        /// The exchanges.
        exchanges: &'static [Exchange],
        /// The lane with the result.
        lane: u32,
    },
    /// Some lanes share a row. The exchanges give all of them the best value, and then the least
    /// index among the lanes that hold it. The lane with that index has the row's state.
    Butterfly(Vec<Exchange>),
    /// Some or all lanes share a row, and the comparator is used as written. Each exchange merges
    /// two states. Afterwards every lane has its row's state.
    Pairs(Vec<Exchange>),
}

/// The final stage.
#[derive(Debug, Clone)]
pub(crate) struct Final {
    /// The lanewise stage.
    pub(crate) lanes: Lanewise,
    /// True if vector offsets have 64 bits.
    pub(crate) wide_offsets: bool,
    /// The dimension along which the elements of a thread tile are adjacent in the problem's own
    /// input.
    pub(crate) vector: usize,
    /// The loads of a thread tile, for each source.
    pub(crate) loads: Vec<Loads>,
    /// The stores of a thread tile, for each output with an element for each of the problem.
    pub(crate) stores: Vec<Loads>,
    /// The way in which the lanes of a row merge.
    pub(crate) fold: LaneFold,
    /// The exchanges that merge the partials.
    pub(crate) partials: Vec<Exchange>,
    /// The exchanges that merge the states of a tile's workgroups.
    pub(crate) pieces: Vec<Exchange>,
}

impl Final {
    /// Chooses the instructions. Returns `None` if the target has none for the lanes of a row.
    pub(crate) fn new(lanes: Lanewise) -> Option<Final> {
        let grid = &lanes.block.grid;
        let isa = grid.isa;
        let cross_lane = isa.cross_lane(grid.subgroup_size)?;
        let fold = match lanes.shared_bits() {
            0 if grid.parallel().next().is_none() => LaneFold::Alike,
            0 => LaneFold::Own,
            bits if grid.combiner.by_value().is_none() => LaneFold::Pairs(cross_lane.plan(bits)?),
            bits if bits == grid.subgroup_size - 1 => {
                let (exchanges, lane) = cross_lane.whole;
                LaneFold::Ballot { exchanges, lane }
            }
            bits => LaneFold::Butterfly(cross_lane.plan(bits)?),
        };
        let strides = grid.neighbours().into_iter().enumerate();
        // Beside a dimension of size 1, several dimensions may have stride 1. Only the one with
        // the largest thread tile has adjacent elements.
        let (vector, _) = strides
            .filter(|(_, stride)| *stride == 1)
            .max_by_key(|(d, _)| lanes.along[*d].thread)?;
        let threads: Vec<u32> = lanes.along.iter().map(|along| along.thread).collect();
        let thread = threads[vector];
        let places = grid.dimensions[vector].whole;
        let of_tile = |source: &TensorOperand| match &source.view {
            None => Loads::new(
                thread,
                source.strides[vector],
                source.element,
                isa.load_bytes,
            ),
            Some(view) => {
                let view = (view, source.element);
                Loads::of_view(&threads, (vector, places), view, isa.load_bytes)
            }
        };
        let loads = grid.sources.iter().map(of_tile).collect();
        let stores = grid.targets().map(of_tile).collect();
        let tensors = || grid.sources.iter().chain(grid.targets());
        let wide_offsets = tensors().any(|it| farthest(&lanes, it) > u64::from(i32::MAX as u32));
        Some(Final {
            wide_offsets,
            vector,
            loads,
            stores,
            fold,
            // In an epilogue every lane reads all pieces of its rows from memory, so no exchange
            // follows.
            partials: cross_lane.plan(lanes.partial_bits())?,
            pieces: match grid.sequel {
                None => cross_lane.plan(grid.sharers() - 1)?,
                Some(_) => Vec::new(),
            },
            lanes,
        })
    }

    /// Returns the stage of one fold of a row, by the fold's number. Returns a copy of this stage
    /// if there is no epilogue.
    pub(crate) fn of_fold(&self, number: usize) -> Final {
        let mut one = self.clone();
        let grid = &mut one.lanes.block.grid;
        if let Some(sequel) = &grid.sequel {
            let fold = &sequel.folds[number];
            grid.combiner = Arc::clone(&fold.combiner);
            grid.function = Some(fold.element.clone());
        }
        one
    }

    /// Returns the bytes of LDS through which lanes exchange registers: 4 per thread if a move
    /// goes through LDS, else 0.
    pub(crate) fn exchange_bytes(&self) -> u32 {
        let moves = match &self.fold {
            LaneFold::Own | LaneFold::Alike => &[],
            LaneFold::Ballot { exchanges, .. } => *exchanges,
            LaneFold::Butterfly(exchanges) | LaneFold::Pairs(exchanges) => exchanges.as_slice(),
        };
        let others = self.partials.iter().chain(&self.pieces);
        let mut moves = moves.iter().chain(others).copied().flatten();
        match moves.any(|step| matches!(step, Move::Lds { .. })) {
            true => self.lanes.block.grid.threads * 4,
            false => 0,
        }
    }
}

/// Returns an upper bound of the vector offsets into a source, in bytes. For each dimension it
/// takes the largest coordinate that the thread id contributes: from the tile's beginning, or the
/// last possible start of a lane.
fn farthest(lanes: &Lanewise, source: &TensorOperand) -> u64 {
    let grid = &lanes.block.grid;
    let along = grid.dimensions.iter().zip(&lanes.along);
    let elements = along
        .zip(&source.strides)
        .map(|((dimension, lanes), stride)| {
            let coordinate = match dimension.cover() {
                TailHandling::Exact | TailHandling::Shifted => {
                    let field = lanes.threads.unwrap_or(lanes.field);
                    (field.count() - 1) * lanes.pitch
                }
                TailHandling::Clamped | TailHandling::Counted => lanes.last,
            };
            u64::from(coordinate) * stride
        });
    elements.sum::<u64>() * source.bytes()
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
        let (rows, elements) = (lanes.rows().len(), lanes.elements().len());
        let (batches, thread) = (lanes.batches().len(), lanes.along[self.vector].thread);
        let tiles = batches * rows * elements / thread as usize;
        let (input, operands) = (&self.loads[0], &self.loads[1..]);
        writeln!(
            f,
            "  step: {} loads along dimension {}, of {} ({tiles} thread tiles)",
            tiles * input.counts.len(),
            self.vector,
            input.words(),
        )?;
        let operands = grid.sources[1..].iter().zip(operands);
        for (source, loads) in operands.filter(|(source, _)| source.place.is_none()) {
            // A place is computed from the coordinates and never loaded.
            let (name, words) = (source.parameter.name(), loads.words());
            writeln!(
                f,
                "        {name}: of {words}, once for tiles that have it in common"
            )?;
        }
        let elements = batches * rows * elements;
        match &grid.sequel {
            None => writeln!(f, "        {elements} x ({})", grid.combiner.step())?,
            Some(sequel) => {
                for fold in &sequel.folds {
                    writeln!(f, "        {elements} x ({})", fold.combiner.step())?;
                }
                match lanes.block.loops().is_empty() {
                    true => writeln!(f, "        loaded once: the row stays in registers")?,
                    false => writeln!(f, "        loaded for each fold, and for the outputs")?,
                }
                for (target, stores) in grid.targets().zip(&self.stores) {
                    let (name, words) = (target.parameter.name(), stores.words());
                    writeln!(f, "        {name}: stores of {words}")?;
                }
            }
        }
        write!(f, "  lanes: ")?;
        match &self.fold {
            LaneFold::Own => writeln!(f, "nothing, every row has one lane")?,
            LaneFold::Alike => writeln!(f, "nothing, all do the same; the first one stores")?,
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
            LaneFold::Pairs(exchanges) => write_exchanges(f, "state", exchanges)?,
            LaneFold::Butterfly(exchanges) => {
                write_exchanges(f, "best value", exchanges)?;
                writeln!(
                    f,
                    "         least index of the lanes that hold it, same exchanges"
                )?;
                writeln!(f, "         the lane with both has the state")?;
            }
        }
        if !self.partials.is_empty() && grid.sequel.is_some() {
            writeln!(
                f,
                "  partials: write to lds, barrier; every lane reads those of its rows"
            )?;
        } else if !self.partials.is_empty() {
            write!(f, "  partials: write to lds, barrier, read; ")?;
            write_exchanges(f, "state", &self.partials)?;
        }
        if grid.waits() {
            writeln!(
                f,
                "  pieces: write to memory, count, wait for all; every lane reads those of its rows"
            )?;
        } else if !self.pieces.is_empty() {
            write!(f, "  pieces: write to memory, count; the last one reads; ")?;
            write_exchanges(f, "state", &self.pieces)?;
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
