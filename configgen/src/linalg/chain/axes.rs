//! Which dimensions of the tensors of a chain are the same.
//!
//! A dimension has an axis, but for one of size 1. Where an operation goes through two dimensions at once they have one axis from
//! then on.

/// The axes, of each the one that it is the same as, and its size where that is known.
#[derive(Default)]
pub(super) struct Axes {
    same: Vec<usize>,
    sizes: Vec<Option<u64>>,
}

impl Axes {
    pub(super) fn add(&mut self, size: Option<u64>) -> usize {
        self.same.push(self.same.len());
        self.sizes.push(size);
        self.same.len() - 1
    }

    /// The axis that stands for all that are the same.
    pub(super) fn of(&self, axis: usize) -> usize {
        let mut axis = axis;
        while self.same[axis] != axis {
            axis = self.same[axis];
        }
        axis
    }

    pub(super) fn size(&self, axis: usize) -> Option<u64> {
        self.sizes[self.of(axis)]
    }

    /// Makes two one; false where their sizes differ.
    pub(super) fn unite(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.of(one), self.of(other));
        // The older one stands for both, so that chains of them stay short.
        let (kept, gone) = (one.min(other), one.max(other));
        match (self.sizes[kept], self.sizes[gone]) {
            (Some(size), Some(another)) if size != another => return false,
            (None, known) => self.sizes[kept] = known,
            _ => {}
        }
        self.same[gone] = kept;
        true
    }

    /// A number below 64 for each axis that stands for others; `None` where there are more.
    pub(super) fn numbered(&self) -> Option<Vec<u32>> {
        let mut numbers: Vec<u32> = Vec::new();
        let mut next = 0;
        for axis in 0..self.same.len() {
            // The one that stands for others is older.
            let number = match self.of(axis) {
                other if other < axis => numbers[other],
                _ => {
                    next += 1;
                    next - 1
                }
            };
            numbers.push(number);
        }
        (next <= 64).then_some(numbers)
    }
}
