//! Stage 2, blockwise: the subgroups of a workgroup, the steps over the elements, LDS and barriers.
//!
//! A workgroup walks over the elements of its rows in *steps*: along each reduced dimension one tile after the other,
//! the last dimension the fastest. Within a step each subgroup reduces its own part of the tile. Where several
//! subgroups share a row, each leaves a *partial* state per row in LDS, and after a barrier the partials of a row,
//! which lie side by side, are reduced by as many threads, in several rounds if there are more than threads. This stage
//! knows nothing of lanes.

use std::fmt;

use configgen::layout::Digit;

use super::gridwise::Gridwise;
use crate::native::isa::cross_lane::Field;

/// The subgroups along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subgroups {
    /// Which bits of the subgroup id are the position along the dimension.
    pub(crate) field: Field,
    /// Elements of the tile of one subgroup.
    pub(crate) tile: u32,
}

/// The stage.
#[derive(Debug, Clone)]
pub(crate) struct Blockwise {
    /// The stage before.
    pub(crate) grid: Gridwise,
    /// Subgroups along each dimension.
    pub(crate) along: Vec<Subgroups>,
}

/// The field of a digit: the counts of a legal configuration, and so its strides, are powers of two.
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

    /// Numbers of the reduced dimensions that take more than one step, outermost first.
    pub(crate) fn loops(&self) -> Vec<usize> {
        let several = self
            .grid
            .reduced()
            .filter(|(_, dimension)| dimension.tiles() > 1);
        several.map(|(number, _)| number).collect()
    }

    /// The only dimension that takes more than one step, where the loop over its steps is to find but the step.
    pub(crate) fn lazy_loop(&self) -> Option<usize> {
        match self.loops().as_slice() {
            [only] if self.grid.lazy_index => Some(*only),
            _ => None,
        }
    }

    /// Subgroups that share a row.
    pub(crate) fn sharers(&self) -> u32 {
        let reduced = self.grid.reduced();
        reduced.map(|(d, _)| self.along[d].field.count()).product()
    }

    /// Number of partials: of each row one per subgroup that shares it, none where no row is shared.
    pub(crate) fn partials(&self) -> u32 {
        match self.sharers() {
            1 => 0,
            sharers => self.grid.tile_rows() * sharers,
        }
    }

    /// Subgroups of the workgroup.
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
