//! Stage 2, blockwise: the subgroups of a workgroup, the steps over the elements, LDS and
//! barriers.
//!
//! A workgroup takes the elements of its rows in *steps*: one tile after the other along each
//! reduced dimension, with the last dimension fastest. In a step, each subgroup reduces its own
//! part of the tile.
//!
//! If several subgroups share a row, each writes a *partial* state per row to LDS. After a
//! barrier, threads reduce the partials of a row, which are adjacent. If there are more partials
//! than threads, they do so in several rounds. This stage knows no lanes.

use std::fmt;

use configgen::layout::Digit;

use super::gridwise::Gridwise;
use crate::native::isa::cross_lane::Field;

/// The subgroups along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subgroups {
    /// The bits of the subgroup id that form the coordinate along the dimension.
    pub(crate) field: Field,
    /// Elements in the tile of one subgroup.
    pub(crate) tile: u32,
}

/// The blockwise stage.
#[derive(Debug, Clone)]
pub(crate) struct Blockwise {
    /// The gridwise stage.
    pub(crate) grid: Gridwise,
    /// The subgroups along each dimension.
    pub(crate) along: Vec<Subgroups>,
}

/// Returns the bit field of a digit. The counts of a legal configuration are powers of two, and
/// therefore its strides are, too.
pub(crate) fn field(digit: &Digit) -> Field {
    Field {
        low: digit.id_stride.trailing_zeros(),
        bits: digit.level.count.trailing_zeros(),
    }
}

impl Blockwise {
    /// Distributes the tile of a workgroup over its subgroups.
    pub(crate) fn new(grid: Gridwise) -> Blockwise {
        let subgroups = |digit: &Digit| Subgroups {
            field: field(digit),
            tile: digit.level.stride,
        };
        let dimensions = grid.dimensions.iter();
        Blockwise {
            along: dimensions
                .map(|dimension| subgroups(&dimension.layout.subgroup))
                .collect(),
            grid,
        }
    }

    /// Returns the numbers of the reduced dimensions that take more than one step, outermost
    /// first.
    pub(crate) fn loops(&self) -> Vec<usize> {
        let several = self
            .grid
            .reduced()
            .filter(|(_, dimension)| dimension.tiles() > 1);
        several.map(|(number, _)| number).collect()
    }

    /// Returns the dimension of the lazy index loop: the only one with more than one step, if the
    /// configuration asks for a lazy index.
    pub(crate) fn lazy_loop(&self) -> Option<usize> {
        match self.loops().as_slice() {
            [only] if self.grid.lazy_index => Some(*only),
            _ => None,
        }
    }

    /// Returns the number of subgroups that share a row.
    pub(crate) fn sharers(&self) -> u32 {
        let reduced = self.grid.reduced();
        reduced.map(|(d, _)| self.along[d].field.count()).product()
    }

    /// Returns the number of partials: one per row and subgroup. Returns 0 if no subgroups share
    /// a row.
    pub(crate) fn partials(&self) -> u32 {
        match self.sharers() {
            1 => 0,
            sharers => self.grid.tile_rows() * sharers,
        }
    }

    /// Returns the number of subgroups of the workgroup.
    pub(crate) fn subgroups(&self) -> u32 {
        self.grid.threads / self.grid.subgroup_size
    }
}

impl fmt::Display for Blockwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, lanes) = (self.subgroups(), self.grid.subgroup_size);
        writeln!(f, "blockwise {count} subgroups of {lanes} lanes")?;
        for (number, Subgroups { field, tile }) in self.along.iter().enumerate() {
            let count = field.count();
            writeln!(
                f,
                "  dimension {number}: {count} subgroups by {field} of their id, {tile} each"
            )?;
        }
        for (number, dimension) in self.grid.reduced() {
            writeln!(f, "  reduce dimension {number}: {dimension}")?;
        }
        if let Some(number) = self.lazy_loop() {
            writeln!(
                f,
                "  of dimension {number} the best step is found first, then the element in that step"
            )?;
        }
        // Each fold of a row operation has its own part of LDS, so that one barrier per fold
        // suffices.
        if self.partials() > 0 {
            let (partials, folds) = (self.partials(), self.grid.folds() as u32);
            let bytes = partials * folds * self.grid.combiner.partial_bytes();
            let (rows, count) = (self.grid.tile_rows(), self.sharers());
            let of_folds = match self.grid.sequel {
                Some(_) => format!("[{folds} folds]"),
                None => String::new(),
            };
            writeln!(
                f,
                "  lds {of_folds}[{rows} rows][{count} subgroups] states, {bytes} bytes"
            )?;
            writeln!(f, "  write the states to lds")?;
            writeln!(f, "  barrier")?;
            let threads = self.grid.threads.min(partials);
            match self.grid.sequel {
                Some(_) => writeln!(
                    f,
                    "  every thread: read lds, reduce the {count} of each row"
                )?,
                None => writeln!(
                    f,
                    "  threads 0..{threads}: read lds, reduce each {count} neighbours, {} times",
                    partials.div_ceil(threads)
                )?,
            }
        }
        writeln!(f, "  store")
    }
}
