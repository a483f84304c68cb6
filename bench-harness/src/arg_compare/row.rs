//! Indexed rows: the elements of a row by their bits, with the index of each.

use crate::packed_elements::PackedElements;

/// A value, by its bits, and an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) value: u64,
    pub(crate) index: i64,
}

/// The indices of a row's elements.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Indices<'a> {
    /// The position plus this base. It does not overflow the index type.
    Based(i64),
    /// One index per element.
    Explicit(PackedElements<'a>),
}

impl Indices<'_> {
    /// Returns the index of the element at a position, if it exists.
    pub(crate) fn get(&self, position: usize) -> Option<i64> {
        match self {
            Indices::Based(base) => Some(base + position as i64),
            Indices::Explicit(indices) => indices.signed(position),
        }
    }
}

/// One checked row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexedRow<'a> {
    pub(crate) elements: PackedElements<'a>,
    /// The significant bits of an element.
    pub(crate) mask: u64,
    pub(crate) indices: Indices<'a>,
}

impl IndexedRow<'_> {
    /// Returns the element at a position with its index, if it exists.
    pub(crate) fn get(&self, position: usize) -> Option<Pair> {
        let value = self.elements.get(position)? & self.mask;
        let index = self.indices.get(position)?;
        Some(Pair { value, index })
    }

    /// Returns the first position with this index and an accepted element.
    pub(crate) fn find(&self, index: i64, mut accepts: impl FnMut(u64) -> bool) -> Option<usize> {
        let mut accepts_at = |&position: &usize| {
            let element = self.get(position).filter(|element| element.index == index);
            element.is_some_and(|element| accepts(element.value))
        };
        match self.indices {
            Indices::Based(base) => {
                let position = usize::try_from(index.checked_sub(base)?).ok()?;
                Some(position).filter(accepts_at)
            }
            Indices::Explicit(_) => (0..self.elements.len()).find(|position| accepts_at(position)),
        }
    }
}
