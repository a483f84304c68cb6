//! Axes: classes of equal dimensions among the tensors of a chain.
//!
//! Every dimension except one of size 1 has an axis. If an operation iterates over two dimensions
//! at once, their axes become one.

/// A union-find structure of axes, with the known sizes.
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

    /// Returns the representative of an axis.
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

    /// Merges two axes; returns false if their sizes differ.
    pub(super) fn unite(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.of(one), self.of(other));
        // The older axis is the representative, which keeps the paths short.
        let (kept, gone) = (one.min(other), one.max(other));
        match (self.sizes[kept], self.sizes[gone]) {
            (Some(size), Some(another)) if size != another => return false,
            (None, known) => self.sizes[kept] = known,
            _ => {}
        }
        self.same[gone] = kept;
        true
    }

    /// Returns a number below 64 for each axis, by representative, or none if there are more.
    pub(super) fn numbered(&self) -> Option<Vec<u32>> {
        let mut numbers: Vec<u32> = Vec::new();
        let mut next = 0;
        for axis in 0..self.same.len() {
            // A representative is always older, so it has its number already.
            let number = match self.of(axis) {
                other if other < axis => numbers[other],
                _ => {
                    next += 1;
                    next - 1
                }
            };
            numbers.push(number);
        }
        // Sets of axes are the bits of a u64.
        (next <= 64).then_some(numbers)
    }
}
