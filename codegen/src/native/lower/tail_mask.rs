//! Elements that come a second time, where they would count twice: what changes nothing is taken in their place.
//!
//! They come at the end of a dimension that no whole number of steps covers, of a tile that is larger than the dimension, and
//! of pieces that begin earlier than where the one before ends.

use configgen::comparator::IntegerPredicate;

use super::lane_offset::{Coordinate, LaneOffsets};
use super::thread_ids::Ids;
use crate::native::ir::{Builder, Value};
use crate::native::stages::final_stage::Final;

/// Which elements of a lane come a second time.
pub(super) struct TailMask {
    neutral: Value,
    /// Of each batch and element of a row, along each reduced dimension.
    elements: Vec<Vec<Vec<TailElement>>>,
}

/// Where a step is, along each dimension.
pub(super) struct StepOrigin<'a> {
    /// Its first element (i32).
    pub(super) first: &'a [Value],
    /// How many elements at the beginning of its tile have been taken before.
    pub(super) taken: &'a [u32],
}

/// An element along a dimension.
struct TailElement {
    dimension: usize,
    coordinate: Coordinate,
    /// How many elements at the beginning of the piece another workgroup has taken, if there may be such (i32, uniform).
    others: Option<Value>,
}

impl TailMask {
    /// Builds what does not change from step to step. `None` where nothing that comes again does harm.
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

    /// A value, which is that of an element of a row and batch, as it is to be taken in this step.
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
    /// `i1` each: all hold where the element comes for the first time.
    fn is_new(&self, ir: &mut Builder, step: &StepOrigin<'_>) -> Vec<Value> {
        let coordinate = self.coordinate.value;
        let mut conditions: Vec<Value> = self.coordinate.own.into_iter().collect();
        let taken = step.taken[self.dimension];
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
