//! The layout of a kernel: the elements that each lane of each subgroup loads, and the exchanges
//! between lanes.
//!
//! This module presents decisions of the stages to people and programs, and takes none. The *map*
//! ([`loads`](LaneMap::loads)) comes from the lanewise stage, whose lanes start earlier if they
//! would exceed the last element. The *exchanges* come from the final stage.
//! `codegen/tests/it/native/layout.rs` compares the map with the accesses of kernels. Compilation
//! does not use this module.

mod exchange;
mod loads;
mod pattern;
mod text;

pub use self::exchange::{ExchangeKind, ExchangePayload, ExchangeScope, ExchangeStep};
pub use self::loads::Load;
use super::stages::dimension::TailHandling;
use super::stages::final_stage::Final;

/// The layout of a native kernel.
#[derive(Debug, Clone)]
pub struct LaneMap {
    kernel: Final,
    nest: configgen::Layout,
}

/// One dimension of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneMapDimension {
    /// The size of the whole dimension. If the count is known only at launch, the largest count;
    /// the loads of a map assume it, too.
    pub size: u32,
    /// True if the dimension is reduced.
    pub reduced: bool,
    /// The tile of a workgroup, and the nesting of subgroups, batches, lanes and elements in it.
    pub nest: configgen::layout::DimensionLayout,
    /// The number of steps along a reduced dimension; 1 along a parallel one.
    pub steps: u32,
    /// The handling of elements that do not exist.
    pub cover: TailKind,
}

/// The way in which a tile handles elements that do not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailKind {
    /// A whole number of tiles; every element exists.
    Exact,
    /// The last tile starts earlier and takes some elements twice.
    Shifted,
    /// The only tile is larger than the dimension, and lanes that would exceed it start earlier.
    Clamped,
    /// The size is known only at launch. In the last tile, lanes beyond it take the last element.
    Counted,
}

impl TailKind {
    /// Returns the kind's name in texts.
    pub fn name(self) -> &'static str {
        match self {
            TailKind::Exact => "exact",
            TailKind::Shifted => "shifted",
            TailKind::Clamped => "clamped",
            TailKind::Counted => "counted",
        }
    }
}

impl LaneMap {
    /// Creates the layout of a kernel.
    pub(super) fn new(kernel: Final) -> LaneMap {
        let grid = &kernel.lanes.block.grid;
        let nest = configgen::Layout {
            dimensions: grid
                .dimensions
                .iter()
                .map(|dimension| dimension.layout)
                .collect(),
            subgroup_size: grid.subgroup_size,
        };
        LaneMap { kernel, nest }
    }

    /// Returns the nesting of a step's tile as if all elements existed. Its text is IREE's
    /// attribute.
    pub fn nest(&self) -> &configgen::Layout {
        &self.nest
    }

    /// Returns the lanes of a subgroup.
    pub fn subgroup_size(&self) -> u32 {
        self.kernel.lanes.block.grid.subgroup_size
    }

    /// Returns the subgroups of a workgroup.
    pub fn subgroups(&self) -> u32 {
        self.kernel.lanes.block.subgroups()
    }

    /// Returns the threads of a workgroup.
    pub fn threads(&self) -> u32 {
        self.kernel.lanes.block.grid.threads
    }

    /// Returns the number of workgroups that have work.
    pub fn workgroups(&self) -> u64 {
        // Surplus workgroups load nothing.
        self.kernel.lanes.block.grid.pieces()
    }

    /// Returns the number of workgroups that share a tile's rows.
    pub fn split(&self) -> u32 {
        self.kernel.lanes.block.grid.sharers()
    }

    /// Returns the dimensions of the problem, outermost first.
    pub fn dimensions(&self) -> Vec<LaneMapDimension> {
        let dimensions = self.kernel.lanes.block.grid.dimensions.iter();
        dimensions
            .map(|dimension| LaneMapDimension {
                // `dimension.size` may be one workgroup's piece.
                size: dimension.whole,
                reduced: dimension.reduced,
                nest: dimension.layout,
                steps: if dimension.reduced {
                    dimension.tiles()
                } else {
                    1
                },
                // A public type of its own, because the stages are private.
                cover: match dimension.cover() {
                    TailHandling::Exact => TailKind::Exact,
                    TailHandling::Shifted => TailKind::Shifted,
                    TailHandling::Clamped => TailKind::Clamped,
                    TailHandling::Counted => TailKind::Counted,
                },
            })
            .collect()
    }

    /// Returns the rows of a workgroup's tile.
    pub fn rows(&self) -> u64 {
        self.kernel.lanes.block.grid.tile_rows().into()
    }

    /// Returns the columns that a workgroup takes in all of its steps.
    pub fn columns(&self) -> u64 {
        let reduced = self.kernel.lanes.block.grid.reduced();
        reduced
            .map(|(_, dimension)| u64::from(dimension.size))
            .product()
    }

    /// Returns the steps of a workgroup.
    pub fn steps(&self) -> u64 {
        let reduced = self.kernel.lanes.block.grid.reduced();
        reduced
            .map(|(_, dimension)| u64::from(dimension.tiles()))
            .product()
    }

    /// Returns true if the elements of a load are in neighbouring rows, and false if they are in
    /// neighbouring columns.
    pub fn loads_rows(&self) -> bool {
        !self.kernel.lanes.block.grid.dimensions[self.kernel.vector].reduced
    }

    /// Returns true if, after all steps, each lane loads the elements of its row's best step
    /// again. Only the running kernel knows that step.
    pub fn loads_best_step_again(&self) -> bool {
        self.kernel.lanes.block.lazy_loop().is_some()
    }
}
