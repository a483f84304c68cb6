//! Stage 1, gridwise: the buffers of the kernel, its combiner, and which rows each workgroup reduces.
//!
//! M rows of N elements. Rows are dealt out in tiles of W; where W does not divide M the last tile has to do something
//! about the rows that do not exist ([`Cover`]). This stage knows nothing of the inside of a workgroup.

use std::fmt;

use configgen::layout::{DimensionLayout, Layout};
use configgen::{Configuration, Problem};

use super::blockwise::Blockwise;
use super::combiner::ArgCompare;
use super::isa::Isa;

/// Largest number of threads that a launch may have along one dimension: the grid size of an AQL packet is a u32.
const MAX_GRID_THREADS: u64 = u32::MAX as u64;

/// How a tile deals with rows beyond the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// There are none: W divides M.
    Exact,
    /// The last tile starts earlier, at row M - W, and does not store the rows of the tile before: no load and no
    /// reduction needs a mask.
    Shifted,
    /// The only tile has more rows than there are: the surplus ones repeat the last row, with the same result.
    Repeated,
}

/// The stage.
#[derive(Debug, Clone)]
pub struct Gridwise {
    /// The instruction set.
    pub isa: &'static Isa,
    /// The reduction.
    pub combiner: ArgCompare,
    /// M, the number of rows.
    pub rows: u32,
    /// N, the elements of a row.
    pub length: u32,
    /// W, the rows of a workgroup.
    pub tile: u32,
    /// Number of workgroups along x and y; the linear id is `y * x count + x`.
    pub workgroups: [u32; 2],
    /// Threads of a workgroup.
    pub threads: u32,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// The layout of the rows; one row where the problem has rank 1.
    pub row_layout: Option<DimensionLayout>,
    /// The layout of the elements of a row.
    pub element_layout: DimensionLayout,
}

impl Gridwise {
    /// The stage for a legal configuration of `problem`; `layout` is the configuration's.
    pub fn new(
        isa: &'static Isa,
        problem: &Problem,
        configuration: &Configuration,
        layout: &Layout,
    ) -> Option<Gridwise> {
        let (element_layout, rows) = layout.dimensions.split_last()?;
        let row_layout = rows.first().copied();
        let threads: u32 = configuration.workgroup_size.iter().product();
        let rows = u32::try_from(problem.shape.rows()).ok()?;
        let tile = row_layout.map_or(1, |layout| layout.tile);
        let tiles = rows.div_ceil(tile);
        // Along y only what does not fit x: surplus workgroups of the last y repeat the last tile and store nothing.
        let most = (MAX_GRID_THREADS / u64::from(threads.max(1))) as u32;
        let x = tiles.min(most);
        Some(Gridwise {
            isa,
            combiner: ArgCompare {
                operation: problem.operation,
                element: problem.element,
            },
            rows,
            length: u32::try_from(problem.shape.reduced_size()).ok()?,
            tile,
            workgroups: [x, tiles.div_ceil(x)],
            threads,
            subgroup_size: configuration.subgroup_size,
            row_layout,
            element_layout: *element_layout,
        })
    }

    /// How the tiles cover the rows.
    pub fn cover(&self) -> Cover {
        match () {
            () if self.rows < self.tile => Cover::Repeated,
            // With two dimensions of workgroups there can be more workgroups than tiles.
            () if self.rows.is_multiple_of(self.tile) && self.workgroups[1] == 1 => Cover::Exact,
            () => Cover::Shifted,
        }
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> u32 {
        self.combiner.element.bytes()
    }

    /// The next stage.
    pub fn lower(self) -> Blockwise {
        Blockwise::new(self)
    }
}

impl fmt::Display for Gridwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, length, tile) = (self.rows, self.length, self.tile);
        let element = self.combiner.element;
        writeln!(f, "gridwise {} {}", self.isa.name, self.combiner.operation)?;
        writeln!(f, "  input   {rows}x{length}x{element}")?;
        writeln!(f, "  values  {rows}x{element}")?;
        writeln!(f, "  indices {rows}xi32")?;
        writeln!(f, "  {}", self.combiner)?;
        let [x, y] = self.workgroups;
        write!(f, "  {x}")?;
        if y > 1 {
            write!(f, "x{y}")?;
        }
        write!(f, " workgroups, number w takes {tile} rows from ")?;
        match self.cover() {
            Cover::Exact => writeln!(f, "{tile} w"),
            Cover::Shifted => writeln!(
                f,
                "min({tile} w, {}) and stores those from {tile} w",
                rows - tile
            ),
            Cover::Repeated => writeln!(f, "0; rows from {rows} on repeat row {}", rows - 1),
        }
    }
}
