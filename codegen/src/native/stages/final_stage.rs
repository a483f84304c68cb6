//! Stage 4, final: the target's instructions for loads and exchanges between lanes, and how addresses are made.
//!
//! An address is a scalar base, a vector offset of 32 bits and an immediate offset. The base moves with the steps; the
//! vector offset stays. Immediate offsets are small, so a step with far batches or rows has several bases, one for each
//! *window* of immediate offsets. Only lanes too far apart for 32 bits make the vector offset 64 bits wide.
//!
//! How the lanes of a row become one, says [`LaneFold`]. What remains is to say it operation by
//! operation.

use std::fmt;
use std::sync::Arc;

use super::dimension::TailHandling;
use super::lanewise::Lanewise;
use super::operand::{Loads, TensorOperand};
use crate::native::isa::cross_lane::{Exchange, Move};

/// How the states of the lanes that share a row become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LaneFold {
    /// Every row has one lane.
    Own,
    /// All lanes take the elements of the only row, each all of them: the first one has the result.
    Alike,
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
    /// Some or all lanes share a row, and the comparator is taken as it is written: two states become one by these
    /// exchanges, after which every lane has its row's.
    Pairs(Vec<Exchange>),
}

/// The stage.
#[derive(Debug, Clone)]
pub(crate) struct Final {
    /// The stage before.
    pub(crate) lanes: Lanewise,
    /// Whether vector offsets have 64 bits.
    pub(crate) wide_offsets: bool,
    /// The dimension along which the elements of a thread tile lie side by side in the problem's own input.
    pub(crate) vector: usize,
    /// How a thread tile of each source is loaded.
    pub(crate) loads: Vec<Loads>,
    /// How a thread tile of each output is stored, where what a row gives is used again.
    pub(crate) stores: Vec<Loads>,
    /// How the lanes of a row are folded.
    pub(crate) fold: LaneFold,
    /// The exchanges of the partials.
    pub(crate) partials: Vec<Exchange>,
    /// The exchanges of what the workgroups of a tile leave for the last of them.
    pub(crate) pieces: Vec<Exchange>,
}

impl Final {
    /// Chooses the instructions; `None` if the target has none for the lanes of a row.
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
        // Around a dimension of size 1 several may have stride 1; only one of them has elements side by side.
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
            partials: cross_lane.plan(lanes.partial_bits())?,
            pieces: match grid.sequel {
                None => cross_lane.plan(grid.sharers() - 1)?,
                Some(_) => Vec::new(),
            },
            lanes,
        })
    }

    /// The stage of a fold of a row, by its number, where a row has several.
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

    /// Bytes of LDS through which lanes exchange registers: a word a thread where a move of the lanes needs it.
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

/// An upper bound of the vector offsets into a source, in bytes: along each dimension the lane's first element in a batch, where it does
/// not depend on lanes alone from the beginning of the tile.
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
