//! Dimensions: how the elements of each are dealt out in tiles, what a tile does about elements that do not exist, and what
//! a step along the dimension means in memory and in the results.
//!
//! A *tile* is what a workgroup takes at once: along a parallel dimension all that it ever takes, along a reduced one a
//! step of several. Within a tile, coordinates count from its first element. A dimension knows nothing of the others.

use std::fmt;

use configgen::layout::DimensionLayout;

/// How tiles of T elements cover a dimension of S.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TailHandling {
    /// T divides S.
    Exact,
    /// T does not divide S: the last tile starts earlier, at S - T, and takes some elements a second time. Reduced
    /// twice they do no harm to a combiner that is idempotent (for another they are replaced or left out); of parallel
    /// ones the tile does not store those of the tile before. No load needs a mask.
    Shifted,
    /// S < T: in the only tile lanes whose elements would reach beyond the last one start earlier.
    Clamped,
    /// S is known at launch only: in the last tile lanes whose row would be beyond the last one take that, and do not
    /// store it. No tile starts earlier, so that those before it need not know S.
    Counted,
}

/// One dimension of a problem under a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dimension {
    /// Whether it is reduced.
    pub(crate) reduced: bool,
    /// S, its elements that a workgroup may see: all, or those of its piece where several workgroups share a row. The most
    /// that there can be, where the count is known at launch only.
    pub(crate) size: u32,
    /// Whether it is; then the dimension is the outermost, and parallel.
    pub(crate) counted: bool,
    /// All of its elements.
    pub(crate) whole: u32,
    /// Of a parallel dimension, results from a neighbour to the next; of a reduced one, positions, or 0 where a reduction
    /// knows none.
    pub(crate) weight: u64,
    /// T and its distribution.
    pub(crate) layout: DimensionLayout,
}

impl Dimension {
    /// T.
    pub(crate) fn tile(&self) -> u32 {
        self.layout.tile
    }

    /// How the tiles cover the elements.
    pub(crate) fn cover(&self) -> TailHandling {
        match () {
            // Tiles of one are never larger than what is left.
            () if self.counted && self.tile() > 1 => TailHandling::Counted,
            () if self.size < self.tile() => TailHandling::Clamped,
            () if self.size.is_multiple_of(self.tile()) => TailHandling::Exact,
            () => TailHandling::Shifted,
        }
    }

    /// Number of tiles; of a reduced dimension, of steps.
    pub(crate) fn tiles(&self) -> u32 {
        self.size.div_ceil(self.tile())
    }

    /// Elements of a tile that exist, or may exist.
    pub(crate) fn extent(&self) -> u32 {
        match self.cover() {
            TailHandling::Counted => self.tile(),
            TailHandling::Exact | TailHandling::Shifted | TailHandling::Clamped => {
                self.size.min(self.tile())
            }
        }
    }

    /// First element of the last tile, of a dimension whose size is known.
    pub(crate) fn last(&self) -> u32 {
        self.size - self.extent()
    }
}

/// "4 elements in 1 tile of 8, ..." without the final stop.
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

/// Every list of numbers below `counts`, the last number the fastest.
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
