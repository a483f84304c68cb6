//! The layout of a kernel: which lane of which subgroup loads which elements, and on which way they meet.
//!
//! What is here is what the stages have decided, for people and programs to look at: the *map* ([`loads`](LaneMap::loads))
//! is taken from the lanewise stage, where lanes that would reach beyond the last element start earlier, and the
//! *exchanges* from the final one. `codegen/tests/it/native/layout.rs` compares the map with what kernels access. Nothing is
//! decided here, and nobody who makes a kernel asks.

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
    /// All its elements; where the count is known at launch only, those of the largest. So are the loads of a map.
    pub size: u32,
    /// Whether it is reduced.
    pub reduced: bool,
    /// What a workgroup takes at once, and how subgroups, batches, lanes and elements nest in it.
    pub nest: configgen::layout::DimensionLayout,
    /// How often a workgroup takes a tile: its steps, along a reduced dimension; else 1.
    pub steps: u32,
    /// What a tile does about elements that are not there.
    pub cover: TailKind,
}

/// What a tile does about elements that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailKind {
    /// There are none: the tiles are a whole number.
    Exact,
    /// The last tile starts earlier, and takes some elements a second time.
    Shifted,
    /// The only tile is larger than the dimension: lanes that would reach beyond it start earlier.
    Clamped,
    /// The size is known at launch only: in the last tile, lanes that would be beyond it take the last element.
    Counted,
}

impl TailKind {
    /// Its name in texts.
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
    /// The layout of a kernel.
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

    /// The nest of a step's tile as it would be if all elements were there; its text is IREE's attribute.
    pub fn nest(&self) -> &configgen::Layout {
        &self.nest
    }

    /// Lanes of a subgroup.
    pub fn subgroup_size(&self) -> u32 {
        self.kernel.lanes.block.grid.subgroup_size
    }

    /// Subgroups of a workgroup.
    pub fn subgroups(&self) -> u32 {
        self.kernel.lanes.block.subgroups()
    }

    /// Threads of a workgroup.
    pub fn threads(&self) -> u32 {
        self.kernel.lanes.block.grid.threads
    }

    /// Workgroups that have something to do.
    pub fn workgroups(&self) -> u64 {
        self.kernel.lanes.block.grid.pieces()
    }

    /// Workgroups that share a tile's rows.
    pub fn split(&self) -> u32 {
        self.kernel.lanes.block.grid.sharers()
    }

    /// The dimensions of the problem, outermost first.
    pub fn dimensions(&self) -> Vec<LaneMapDimension> {
        let dimensions = self.kernel.lanes.block.grid.dimensions.iter();
        dimensions
            .map(|dimension| LaneMapDimension {
                size: dimension.whole,
                reduced: dimension.reduced,
                nest: dimension.layout,
                steps: if dimension.reduced {
                    dimension.tiles()
                } else {
                    1
                },
                cover: match dimension.cover() {
                    TailHandling::Exact => TailKind::Exact,
                    TailHandling::Shifted => TailKind::Shifted,
                    TailHandling::Clamped => TailKind::Clamped,
                    TailHandling::Counted => TailKind::Counted,
                },
            })
            .collect()
    }

    /// Rows of a workgroup's tile.
    pub fn rows(&self) -> u64 {
        self.kernel.lanes.block.grid.tile_rows().into()
    }

    /// Columns that a workgroup takes, in all of its steps.
    pub fn columns(&self) -> u64 {
        let reduced = self.kernel.lanes.block.grid.reduced();
        reduced
            .map(|(_, dimension)| u64::from(dimension.size))
            .product()
    }

    /// Steps of a workgroup.
    pub fn steps(&self) -> u64 {
        let reduced = self.kernel.lanes.block.grid.reduced();
        reduced
            .map(|(_, dimension)| u64::from(dimension.tiles()))
            .product()
    }

    /// Whether the elements of a load are of neighbouring rows, and not of neighbouring columns.
    pub fn loads_rows(&self) -> bool {
        !self.kernel.lanes.block.grid.dimensions[self.kernel.vector].reduced
    }

    /// Whether each lane loads once more, after all steps, the elements of the step in which its row's best one is: the step
    /// is known only when the kernel runs.
    pub fn loads_best_step_again(&self) -> bool {
        self.kernel.lanes.block.lazy_loop().is_some()
    }
}
