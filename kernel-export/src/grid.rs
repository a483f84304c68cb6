//! How many workgroups a launch has whose count is known at launch only.

use codegen::CompiledKernel;
use configgen::Problem;

/// Of n = ceil(count / tile) * each workgroups, min(n, x) lie along x and ceil(n / x) along y.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedGrid {
    /// The largest count.
    pub(crate) largest: u32,
    /// Places of the outermost dimension in a tile.
    pub(crate) tile: u64,
    /// Workgroups of all that is along the other dimensions, and that share rows.
    pub(crate) each: u64,
    /// Most workgroups along x.
    pub(crate) x: u32,
}

impl CountedGrid {
    /// That of a kernel; none where all sizes are known, or its tiling is not.
    pub(crate) fn of(problem: &Problem, kernel: &CompiledKernel) -> Option<CountedGrid> {
        let largest = *problem.shape.counts()?.end();
        let tiling = kernel.tiling.as_ref()?;
        let tile = tiling.outermost()?;
        let tiles = u64::from(largest).div_ceil(tile);
        let [x, ..] = kernel.workgroups;
        Some(CountedGrid {
            largest,
            tile,
            each: tiling.boxes() / tiles * u64::from(kernel.sharers),
            x,
        })
    }
}
