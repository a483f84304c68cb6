//! The grid of a launch with an open count.

use codegen::CompiledKernel;
use configgen::Problem;

/// A grid of n = ceil(count / tile) * each workgroups: min(n, x) along x, and ceil(n / x) along
/// y.
#[derive(Debug, Clone, Copy)]
pub struct CountedGrid {
    /// The largest count.
    pub largest: u32,
    /// The number of coordinates of the outermost dimension in a tile.
    pub tile: u64,
    /// The number of workgroups per tile, over all other dimensions and all workgroups that share
    /// rows.
    pub each: u64,
    /// The maximum number of workgroups along x.
    pub x: u32,
}

impl CountedGrid {
    /// Returns the grid of a kernel. `None` if all sizes are known, or its tiling is not.
    pub fn of(problem: &Problem, kernel: &CompiledKernel) -> Option<CountedGrid> {
        let largest = *problem.shape.counts()?.end();
        let tiling = kernel.tiling.as_ref()?;
        let tile = tiling.outermost()?;
        let tiles = u64::from(largest).div_ceil(tile);
        // A large grid continues along y. The kernel numbers its workgroups by the compiled x.
        let [x, ..] = kernel.workgroups;
        Some(CountedGrid {
            largest,
            tile,
            // The compiled grid is that of the largest count, so its tiles divide into equal
            // shares.
            each: tiling.boxes() / tiles * u64::from(kernel.sharers),
            x,
        })
    }
}
