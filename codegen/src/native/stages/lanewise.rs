//! Stage 3, lanewise: the elements that each lane loads and reduces, and the lanes over which a
//! row is reduced.
//!
//! Along each dimension, a lane has `batches x thread` elements of a tile. It keeps one *slot*
//! for each of its rows and each row element of its thread tile. All batches and steps accumulate
//! in the same slot, in the order of their positions. A slot's position is the batch's and equal
//! for all lanes. The offset of the lane and the element is added once, at the end.
//!
//! A row has only one slot, with the element's own position, if the configuration asks for it or
//! the elements must be taken one by one.
//!
//! If a tile is larger than the dimension ([`TailHandling::Clamped`]), the first batches may
//! still be whole. In the others, each lane starts at the last coordinate with existing elements,
//! and repeats some. Repeats are harmless, see [`TailHandling`], and a row of another lane is not
//! stored. For [`TailHandling::Counted`] the same holds in every batch. This stage knows no
//! instruction.

use std::fmt;

use configgen::Accumulators;

use super::blockwise::{Blockwise, Subgroups, field};
use super::dimension::{Dimension, TailHandling, index_tuples};
use super::gridwise::Gridwise;
use crate::native::isa::cross_lane::Field;

/// The largest distance, in bytes, that the lanes of all subgroups may cover along a dimension to
/// be numbered as one field. With six dimensions, vector offsets then fit 32 bits.
const REACH: u64 = 1 << 28;

/// The lanes along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lanes {
    /// The bits of the lane id that form the coordinate along the dimension.
    pub(crate) field: Field,
    /// The bits of the thread id that number the lanes of all subgroups, if subgroups follow each
    /// other along the dimension. A thread then needs no subgroup id for its coordinate.
    pub(crate) threads: Option<Field>,
    /// Elements from one lane to the next.
    pub(crate) pitch: u32,
    /// Consecutive elements of one lane in a round: the pitch, or the dimension's size if that is
    /// smaller.
    pub(crate) thread: u32,
    /// Rounds of the subgroup over its tile.
    pub(crate) batches: u32,
    /// Number of leading batches in which every lane's elements exist.
    pub(crate) whole: u32,
    /// The last start of a lane's elements in the other batches. If the count is known only at
    /// launch, the last start in a whole tile.
    pub(crate) last: u32,
}

impl Lanes {
    fn new(grid: &Gridwise, number: usize, subgroups: &Subgroups) -> Lanes {
        let dimension = &grid.dimensions[number];
        let layout = &dimension.layout;
        let thread = layout.element.count.min(dimension.size);
        let batches = layout.batch.count;
        let subgroup = layout.subgroup.level;
        // The last subgroup's batches end last, so they decide.
        let end = |batch: u32| (subgroup.count - 1) * subgroup.stride + batch * layout.batch.stride;
        let whole = match dimension.cover() {
            TailHandling::Exact | TailHandling::Shifted => batches,
            TailHandling::Clamped => (1..=batches)
                .take_while(|&batch| end(batch) <= dimension.size)
                .count() as u32,
            TailHandling::Counted => 0,
        };
        let (field, pitch) = (field(&layout.lane), layout.element.count);
        let threads = Field {
            low: field.low,
            bits: field.bits + subgroups.field.bits,
        };
        let stride = grid.widest_stride_bytes(number);
        let reach = u64::from(threads.count() * pitch).saturating_mul(stride);
        // The thread id is one field only if the subgroup bits are directly above this
        // dimension's lane bits and each subgroup continues where the one before ends.
        let follow = field.bits > 0
            && 1 << (field.low + field.bits) == grid.subgroup_size
            && subgroups.field.bits > 0
            && subgroups.field.low == 0
            && subgroups.tile == field.count() * pitch
            && reach <= REACH;
        Lanes {
            field,
            threads: follow.then_some(threads),
            pitch,
            thread,
            batches,
            whole,
            last: match dimension.cover() {
                TailHandling::Counted => layout.tile - thread,
                TailHandling::Exact | TailHandling::Shifted | TailHandling::Clamped => {
                    dimension.size - thread
                }
            },
        }
    }

    /// Returns the start of a lane's elements of a batch in the tile: the start as if all
    /// elements existed, and the actual start. `origin` is the first element of the lane's
    /// subgroup.
    pub(crate) fn start(&self, origin: u32, lane: u32, batch: u32) -> (u32, u32) {
        let wanted = origin + self.field.of(lane) * self.pitch + batch * self.round();
        match batch < self.whole {
            true => (wanted, wanted),
            false => (wanted, wanted.min(self.last)),
        }
    }

    /// Returns the number of elements of one lane in a tile.
    pub(crate) fn per_lane(&self) -> u32 {
        self.batches * self.thread
    }

    /// Returns the number of elements of one round of a subgroup.
    pub(crate) fn round(&self) -> u32 {
        self.field.count() * self.pitch
    }
}

/// The lanewise stage.
#[derive(Debug, Clone)]
pub(crate) struct Lanewise {
    /// The blockwise stage.
    pub(crate) block: Blockwise,
    /// The lanes along each dimension.
    pub(crate) along: Vec<Lanes>,
}

impl Lanewise {
    /// Distributes the tile of a subgroup over its lanes.
    pub(crate) fn new(block: Blockwise) -> Lanewise {
        let subgroups = block.along.iter().enumerate();
        let lanes = subgroups.map(|(d, subgroups)| Lanes::new(&block.grid, d, subgroups));
        Lanewise {
            along: lanes.collect(),
            block,
        }
    }

    /// Returns lists of one number per dimension, each below the dimension's `parallel` or
    /// `reduced` count. The last number is the fastest.
    fn places(&self, parallel: fn(&Lanes) -> u32, reduced: fn(&Lanes) -> u32) -> Vec<Vec<u32>> {
        let dimensions = self.block.grid.dimensions.iter().zip(&self.along);
        let count = |(dimension, lanes): (&Dimension, &Lanes)| match dimension.reduced {
            true => reduced(lanes),
            false => parallel(lanes),
        };
        index_tuples(&dimensions.map(count).collect::<Vec<u32>>())
    }

    /// Returns the rows of a lane: `batch * thread + element` along each parallel dimension, 0
    /// along reduced ones.
    pub(crate) fn rows(&self) -> Vec<Vec<u32>> {
        self.places(Lanes::per_lane, |_| 1)
    }

    /// Returns the elements of a row in a batch, in the order of their positions: the element
    /// along each reduced dimension, 0 along parallel ones.
    pub(crate) fn elements(&self) -> Vec<Vec<u32>> {
        self.places(|_| 1, |lanes| lanes.thread)
    }

    /// Returns true if a row has one slot, which takes elements one by one.
    pub(crate) fn has_one_slot(&self) -> bool {
        let grid = &self.block.grid;
        grid.combiner.is_serial() || grid.accumulators == Accumulators::One
    }

    /// Returns the number of slots of a row: one for each of [`elements`](Self::elements), or one
    /// if elements are taken one by one.
    pub(crate) fn slots_per_row(&self) -> usize {
        match self.has_one_slot() {
            true => 1,
            false => self.elements().len(),
        }
    }

    /// Returns the batches of a step, in the order of their positions: the batch along each
    /// reduced dimension, 0 along parallel ones.
    pub(crate) fn batches(&self) -> Vec<Vec<u32>> {
        self.places(|_| 1, |lanes| lanes.batches)
    }

    /// Returns the bits of the lane id in which the lanes of a row differ, as a mask.
    pub(crate) fn shared_bits(&self) -> u32 {
        let reduced = self.block.grid.reduced();
        reduced.fold(0, |mask, (d, _)| mask | self.along[d].field.mask())
    }

    /// Returns the lane bits over which partials are reduced. The partials of a row are in
    /// neighbouring lanes.
    pub(crate) fn partial_bits(&self) -> u32 {
        // The number of sharers is a power of two, so the mask has its low bits.
        self.block.sharers() - 1
    }
}

impl fmt::Display for Lanewise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "lanewise")?;
        let dimensions = self.block.grid.dimensions.iter();
        for (number, (lanes, dimension)) in self.along.iter().zip(dimensions).enumerate() {
            let (count, field, round) = (lanes.field.count(), lanes.field, lanes.round());
            let (batches, thread, last) = (lanes.batches, lanes.thread, lanes.last);
            write!(
                f,
                "  dimension {number}: {count} lanes by {field} of their id, {thread} each, {batches} batches of {round}"
            )?;
            if let Some(threads) = lanes.threads {
                write!(f, ", of all subgroups by {threads} of the thread id")?;
            }
            match lanes.whole {
                whole if whole == batches => writeln!(f)?,
                _ if dimension.cover() == TailHandling::Counted => {
                    writeln!(f, "; lanes start at most at the last of the count")?
                }
                whole => writeln!(f, "; from batch {whole} on, lanes start at most at {last}")?,
            }
        }
        let (rows, elements) = (self.rows().len(), self.elements().len());
        let batches = self.batches().len();
        // A map has no folds, so the lines about slots and lanes do not apply.
        if self.block.grid.folds() == 0 {
            return writeln!(
                f,
                "  load {rows} elements, and store what is computed of them"
            );
        }
        // A serial combiner takes each element once, and a row has one lane.
        if self.block.grid.combiner.is_serial() {
            writeln!(f, "  slots: {rows} rows")?;
            return writeln!(
                f,
                "  step: load {batches} batches, accumulate {} elements of each row one by one, each once",
                batches * elements
            );
        }
        match self.has_one_slot() {
            true => {
                let taken = batches * elements;
                writeln!(f, "  slots: {rows} rows")?;
                writeln!(
                    f,
                    "  step: load {batches} batches, accumulate {taken} elements of each row one by one"
                )?;
                writeln!(f, "  add the lane's own position")?;
            }
            false => {
                writeln!(f, "  slots: {rows} rows x {elements} elements")?;
                writeln!(f, "  step: load and accumulate {batches} batches")?;
                writeln!(
                    f,
                    "  reduce the slots of each row, add the lane's own position"
                )?;
            }
        }
        let bits = |mask| Bits(mask);
        writeln!(
            f,
            "  reduce each row over {} of the lane id",
            bits(self.shared_bits())
        )?;
        if self.block.partials() > 0 {
            let bits = bits(self.partial_bits());
            writeln!(f, "  after the barrier: reduce over {bits} of the lane id")?;
        }
        Ok(())
    }
}

/// A mask of id bits, for printing.
struct Bits(u32);

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits: Vec<String> = (0..u32::BITS)
            .filter(|bit| self.0 >> bit & 1 == 1)
            .map(|bit| bit.to_string())
            .collect();
        match bits.as_slice() {
            [] => f.write_str("no bits"),
            [bit] => write!(f, "bit {bit}"),
            bits => write!(f, "bits {}", bits.join(" ")),
        }
    }
}
