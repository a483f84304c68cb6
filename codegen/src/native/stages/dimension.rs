//! Dimensions: the tiles of each dimension, the handling of a tile's missing elements, and the
//! dimension's strides in memory and in the results.
//!
//! A workgroup takes one *tile* at a time. Along a parallel dimension that is all it ever takes;
//! along a reduced dimension it is one of several steps. Coordinates in a tile start at its first
//! element. A dimension knows nothing of the others.

use std::fmt;

use configgen::layout::DimensionLayout;

/// The way in which tiles of T elements cover a dimension of size S.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TailHandling {
    /// T divides S.
    Exact,
    /// T does not divide S. The last tile starts earlier, at S - T, and takes some elements
    /// twice. An idempotent combiner is not affected; for others, the kernel replaces or skips
    /// the repeated elements. Along a parallel dimension, the tile does not store the rows of the
    /// tile before. No load needs a mask.
    Shifted,
    /// S < T. In the only tile, lanes start earlier if their elements would lie beyond the last
    /// one.
    Clamped,
    /// S is known only at launch. In the last tile, lanes with a row beyond the last one take the
    /// last row and do not store it. No tile starts earlier, so that the tiles before it need not
    /// know S.
    Counted,
}

/// One dimension of a problem under a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dimension {
    /// True if the dimension is reduced.
    pub(crate) reduced: bool,
    /// S, the number of elements that a workgroup may see: all of them, or one piece if several
    /// workgroups share a row. If the count is known only at launch, the largest count.
    pub(crate) size: u32,
    /// True if the count is known only at launch. Such a dimension is the outermost, and
    /// parallel.
    pub(crate) counted: bool,
    /// Number of elements of the whole dimension.
    pub(crate) whole: u32,
    /// Distance between neighbours: in results for a parallel dimension, in positions for a
    /// reduced one. 0 if the reduction has no positions.
    pub(crate) weight: u64,
    /// T and its distribution.
    pub(crate) layout: DimensionLayout,
}

impl Dimension {
    /// Returns T, the size of a tile in elements.
    pub(crate) fn tile(&self) -> u32 {
        self.layout.tile
    }

    /// Returns the tail handling of the dimension.
    pub(crate) fn cover(&self) -> TailHandling {
        match () {
            // With one-element tiles, the grid alone ends at the count.
            () if self.counted && self.tile() > 1 => TailHandling::Counted,
            () if self.size < self.tile() => TailHandling::Clamped,
            () if self.size.is_multiple_of(self.tile()) => TailHandling::Exact,
            () => TailHandling::Shifted,
        }
    }

    /// Returns the number of tiles; for a reduced dimension, the number of steps.
    pub(crate) fn tiles(&self) -> u32 {
        self.size.div_ceil(self.tile())
    }

    /// Returns the number of elements of a tile that exist, or may exist.
    pub(crate) fn extent(&self) -> u32 {
        match self.cover() {
            TailHandling::Counted => self.tile(),
            TailHandling::Exact | TailHandling::Shifted | TailHandling::Clamped => {
                self.size.min(self.tile())
            }
        }
    }

    /// Returns the first element of the last tile. The size must be known.
    pub(crate) fn last(&self) -> u32 {
        self.size - self.extent()
    }
}

/// Prints, for example, "4 in 1 tile of 8, of which 4 exist", without a full stop.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, tile, tiles) = (self.size, self.tile(), self.tiles());
        let unit = if self.reduced { "step" } else { "tile" };
        let plural = if tiles == 1 { "" } else { "s" };
        if self.counted {
            write!(f, "at most ")?;
        }
        write!(f, "{size} in {tiles} {unit}{plural} of {tile}")?;
        match self.cover() {
            TailHandling::Exact => Ok(()),
            TailHandling::Shifted => write!(f, ", the last from {}", self.last()),
            TailHandling::Clamped => write!(f, ", of which {size} exist"),
            TailHandling::Counted => write!(f, ", the last cut off at the count"),
        }
    }
}

/// Returns every list of numbers below `counts`, with the last number fastest.
pub(crate) fn index_tuples(counts: &[u32]) -> Vec<Vec<u32>> {
    let mut places = vec![Vec::new()];
    for &count in counts {
        let longer = |place: &Vec<u32>| {
            let place = place.clone();
            (0..count).map(move |n| [place.as_slice(), &[n]].concat())
        };
        places = places.iter().flat_map(longer).collect();
    }
    places
}
