//! Stage 3, lanewise: what each lane loads and reduces on its own, and over which lanes it is reduced then.
//!
//! A lane has `batches x thread` rows and, of each row and step, `batches x thread` elements (the two dimensions are
//! distributed alike). It keeps one *slot* per row and element of its thread tile; the batches of a step, and all steps,
//! accumulate in the same slot. A slot's index is the position of the batch, the same for all lanes; the lane's own
//! position is added once at the end.
//!
//! In a part of a step, a batch may reach beyond the end of the row for some lanes ([`Reach`]); these lanes read the last
//! elements a second time, which an idempotent combiner does not notice, so that nothing is masked. This stage knows no
//! instruction.

use std::fmt;

use super::blockwise::{Blockwise, Steps, field};
use super::cross_lane::Field;
use super::last::Final;

/// The lanes along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lanes {
    /// Which bits of the lane id are the position along the dimension.
    pub field: Field,
    /// Rounds of the subgroup over its tile.
    pub batches: u32,
    /// Consecutive rows or elements of one lane in a round.
    pub thread: u32,
}

impl Lanes {
    /// Rows or elements of one lane.
    pub fn per_lane(&self) -> u32 {
        self.batches * self.thread
    }

    /// Rows or elements of one round of a subgroup.
    pub fn round(&self) -> u32 {
        self.field.count() * self.thread
    }
}

/// How much of a batch exists. Some of it does: a legal step is not longer than the row needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All of it.
    Whole,
    /// For some lanes not all: the start of a lane's elements is at most `last`.
    Clamped {
        /// N minus the thread tile.
        last: u32,
    },
    /// As before, but the row is shorter than a thread tile: the position of each element is at most N - 1.
    Single,
}

/// The stage.
#[derive(Debug, Clone)]
pub struct Lanewise {
    /// The stage before.
    pub block: Blockwise,
    /// Lanes along the rows.
    pub rows: Lanes,
    /// Lanes along the elements.
    pub elements: Lanes,
    /// How much of each batch of a step exists.
    pub batches: Vec<Reach>,
}

impl Lanewise {
    /// Distributes the tile of a subgroup over its lanes.
    pub fn new(block: Blockwise) -> Lanewise {
        let lanes = |layout: &configgen::layout::DimensionLayout| Lanes {
            field: field(&layout.lane),
            batches: layout.batch.count,
            thread: layout.element.count,
        };
        let one_row = Lanes {
            field: Field { low: 0, bits: 0 },
            batches: 1,
            thread: 1,
        };
        let rows = block.grid.row_layout.as_ref().map_or(one_row, lanes);
        let elements = lanes(&block.grid.element_layout);
        let batches = (0..elements.batches)
            .map(|batch| reach(&block, &elements, batch))
            .collect();
        Lanewise {
            rows,
            elements,
            batches,
            block,
        }
    }

    /// The first element of batch `batch`, from the start of the step's tile of the subgroup.
    pub fn batch_position(&self, batch: u32) -> u32 {
        batch * self.elements.round()
    }

    /// Row slot number `slot` of a lane, from its first row: slots are numbered batch by batch.
    pub fn slot_row(&self, slot: u32) -> u32 {
        slot / self.rows.thread * self.rows.round() + slot % self.rows.thread
    }

    /// The next stage, if the target has the instructions.
    pub fn lower(self) -> Option<Final> {
        Final::new(self)
    }
}

/// How much of batch `batch` exists, over all subgroups.
fn reach(block: &Blockwise, elements: &Lanes, batch: u32) -> Reach {
    let length = block.grid.length;
    let first = batch * elements.round();
    let last_subgroup = (block.elements.field.count() - 1) * block.elements.tile;
    match block.steps {
        Steps::Whole(_) => Reach::Whole,
        Steps::Part if first + last_subgroup + elements.round() <= length => Reach::Whole,
        Steps::Part if length < elements.thread => Reach::Single,
        Steps::Part => Reach::Clamped {
            last: length - elements.thread,
        },
    }
}

impl fmt::Display for Lanewise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, elements) = (&self.rows, &self.elements);
        writeln!(f, "lanewise")?;
        let along = |name, lanes: &Lanes| {
            let (count, field, round) = (lanes.field.count(), lanes.field, lanes.round());
            let (batches, thread) = (lanes.batches, lanes.thread);
            format!(
                "  {name}: {count} lanes by {field} of their id, {thread} {name} each, {batches} batches of {round}"
            )
        };
        writeln!(f, "{}", along("rows", rows))?;
        writeln!(f, "{}", along("elements", elements))?;
        let (slots, thread) = (rows.per_lane(), elements.thread);
        writeln!(f, "  slots: {slots} rows x {thread} elements")?;
        for (batch, reach) in (0u32..).zip(&self.batches) {
            let position = self.batch_position(batch);
            write!(f, "  batch {batch} at {position}: ")?;
            match reach {
                Reach::Whole => writeln!(f, "load and accumulate")?,
                Reach::Clamped { last } => {
                    writeln!(f, "load from min(own position, {last}) and accumulate")?;
                }
                Reach::Single => {
                    let last = self.block.grid.length - 1;
                    writeln!(
                        f,
                        "load each element from min(own position, {last}) and accumulate"
                    )?;
                }
            }
        }
        writeln!(
            f,
            "  reduce the slots of each row, add the lane's own position"
        )?;
        writeln!(
            f,
            "  reduce each row over {} of the lane id",
            elements.field
        )?;
        if self.block.partials() > 0 {
            let field = self.partial_field();
            writeln!(f, "  after the barrier: reduce over {field} of the lane id")?;
        }
        Ok(())
    }
}

impl Lanewise {
    /// The lane bits over which partials are reduced: those of a row lie in neighbouring lanes.
    pub fn partial_field(&self) -> Field {
        Field {
            low: 0,
            bits: self.block.elements.field.bits,
        }
    }
}
