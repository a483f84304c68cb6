//! The tail mask: the neutral value replaces elements that are taken again and would count twice.
//!
//! Elements repeat at the end of a dimension that no whole number of steps covers, in a tile that
//! is larger than the dimension, and in pieces that begin before the end of the piece before.

use configgen::comparator::IntegerPredicate;

use super::lane_offset::{Coordinate, LaneOffsets};
use super::thread_ids::Ids;
use crate::native::ir::{Builder, Value};
use crate::native::stages::final_stage::Final;

/// The mask of a lane's repeated elements.
pub(super) struct TailMask {
    neutral: Value,
    /// For each batch and element of a row, its coordinate along each reduced dimension.
    elements: Vec<Vec<Vec<TailElement>>>,
}

/// The origin of a step along each dimension.
pub(super) struct StepOrigin<'a> {
    /// The step's first element (i32).
    pub(super) first: &'a [Value],
    /// The number of leading elements of the tile that were taken before.
    pub(super) taken: &'a [u32],
}

/// An element along a dimension.
struct TailElement {
    dimension: usize,
    coordinate: Coordinate,
    /// The number of leading elements of the piece that another workgroup takes (i32, uniform),
    /// if there may be some.
    others: Option<Value>,
}

impl TailMask {
    /// Builds the loop-invariant part. Returns `None` if repeated elements do no harm.
    pub(super) fn build(
        ir: &mut Builder,
        kernel: &Final,
        ids: &Ids,
        places: &[LaneOffsets],
    ) -> Option<TailMask> {
        let lanes = &kernel.lanes;
        let neutral = lanes.block.grid.combiner.neutral()?;
        let reduced: Vec<usize> = lanes.block.grid.reduced().map(|(d, _)| d).collect();
        let mut elements = Vec::new();
        for batch in lanes.batches() {
            let mut of_batch = Vec::new();
            for element in lanes.elements() {
                let along = reduced.iter().map(|&d| {
                    let number = batch[d] * lanes.along[d].thread + element[d];
                    TailElement {
                        dimension: d,
                        coordinate: places[d].coordinate(ir, number),
                        others: ids.along[d].others,
                    }
                });
                of_batch.push(along.collect());
            }
            elements.push(of_batch);
        }
        Some(TailMask { neutral, elements })
    }

    /// Masks the value of an element of a row and batch: returns the neutral value if the element
    /// is repeated in this step.
    pub(super) fn mask_element(
        &self,
        ir: &mut Builder,
        step: &StepOrigin<'_>,
        [batch, element]: [usize; 2],
        value: Value,
    ) -> Value {
        let mut value = value;
        for along in &self.elements[batch][element] {
            for is_new in along.is_new(ir, step) {
                value = ir.select(is_new, value, self.neutral);
            }
        }
        value
    }
}

impl TailElement {
    /// Returns conditions (i1) that all hold if the element is taken for the first time.
    fn is_new(&self, ir: &mut Builder, step: &StepOrigin<'_>) -> Vec<Value> {
        let coordinate = self.coordinate.value;
        let mut conditions: Vec<Value> = self.coordinate.own.into_iter().collect();
        let taken = step.taken[self.dimension];
        // Only the step after the loop repeats elements of a step, so the loop has no such mask.
        if taken > 0 {
            let taken = Value::i32(taken);
            conditions.push(ir.compare(IntegerPredicate::Uge, coordinate, taken));
        }
        if let Some(others) = self.others {
            let in_piece = ir.add(step.first[self.dimension], coordinate);
            conditions.push(ir.compare(IntegerPredicate::Uge, in_piece, others));
        }
        conditions
    }
}
