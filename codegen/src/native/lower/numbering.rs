//! Numbers in place of positions, for a lane that takes all of its row's elements in one step.
//!
//! The positions of the lane's elements are then constants and far apart. A select takes only
//! small constants directly, up to 64 on all targets (inline constants in the ISA manuals).
//! Others must be moved into a register first. So elements are numbered, and the winner's number
//! is converted to a position once.

use crate::native::ir::{Builder, Value};

/// The largest integer that needs no register.
const LARGEST: u64 = 64;

/// The numbering of positions: element `e` of batch `b` has number `b * elements + e`.
pub(super) struct Numbering {
    /// Elements of a batch that share a slot, a power of two.
    elements: u64,
    /// The distances to the next batch and to the next element, in positions.
    batch: u64,
    element: u64,
}

impl Numbering {
    /// Creates the numbering for these distances of the batches, and of the elements of a batch.
    /// Returns `None` if they are not regular, or if the positions are small constants already.
    pub(super) fn new(batches: &[u64], elements: &[u64]) -> Option<Numbering> {
        let next = |distances: &[u64]| distances.get(1).copied().unwrap_or(0);
        let numbering = Numbering {
            elements: elements.len() as u64,
            batch: next(batches),
            element: next(elements),
        };
        let is_regular = |distances: &[u64]| {
            let pitch = next(distances);
            let mut all = (0..).zip(distances);
            all.all(|(number, &distance): (u64, _)| distance == number * pitch)
        };
        let count = batches.len() as u64 * numbering.elements;
        let farthest = batches.last()? + elements.last()?;
        let pays = count - 1 <= LARGEST && farthest > LARGEST;
        // A power of two makes division and remainder a shift and a mask.
        let holds =
            numbering.elements.is_power_of_two() && is_regular(batches) && is_regular(elements);
        (pays && holds).then_some(numbering)
    }

    /// Returns the number of an element of a batch.
    pub(super) fn number(&self, batch: usize, element: usize) -> u64 {
        batch as u64 * self.elements + element as u64
    }

    /// Computes the position of a number.
    pub(super) fn position(&self, ir: &mut Builder, number: Value) -> Value {
        let batch = ir.div(number, self.elements);
        let element = ir.rem(number, self.elements);
        let batch = ir.mul(batch, self.batch);
        let element = ir.mul(element, self.element);
        ir.add(batch, element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constants are computed as they are built: every number has the position that it stands for.
    #[track_caller]
    fn check(batches: &[u64], elements: &[u64], is_numbered: bool) {
        let numbering = Numbering::new(batches, elements);
        assert_eq!(numbering.is_some(), is_numbered);
        let Some(numbering) = numbering else { return };
        for (b, batch) in batches.iter().enumerate() {
            for (e, element) in elements.iter().enumerate() {
                let number = numbering.number(b, e);
                let counted = (b * elements.len() + e) as u64;
                assert!(counted <= LARGEST);
                assert_eq!(number, counted);
                let number = Value::i64(number);
                let position = numbering.position(&mut Builder::new(), number);
                assert_eq!(position, Value::i64(batch + element));
            }
        }
    }

    #[test]
    fn numbers_stand_for_positions() {
        check(&[0, 64, 128, 192], &[0], true);
        check(&[0, 256], &[0, 1, 2, 3], true);
        check(&[0, 100], &[0, 7], true);
        check(&[0, 1, 2, 3], &[0], false);
        check(&[0], &[0, 100], true);
        check(&[0, 64, 127], &[0], false);
        check(&[0, 64], &[0, 1, 2], false);
        let many: Vec<u64> = (0..66).map(|n| n * 64).collect();
        check(&many, &[0], false);
        check(&many[..65], &[0], true);
    }
}
