//! The launch counts with which the bench launches a kernel if the count is known at launch only.
//!
//! Every input has the largest count. A launch with a smaller count gets the same buffers: it
//! must compute the first rows and leave the rows behind them untouched.

use codegen::CompiledKernel;
use configgen::Problem;

use crate::device::DeviceError;

/// Returns the kernel as launched with each of these counts.
///
/// # Errors
/// [`DeviceError::Load`] if the kernel takes no count, or not this one.
pub(crate) fn kernels_with_counts(
    kernel: &CompiledKernel,
    counts: &[u32],
) -> Result<Vec<CompiledKernel>, DeviceError> {
    let at = |&count: &u32| {
        let no = || DeviceError::Load(format!("it cannot be launched with a count of {count}"));
        kernel.at_count(count).ok_or_else(no)
    };
    counts.iter().map(at).collect()
}

/// Returns the counts below the largest with which the bench verifies a kernel, ascending. Empty
/// if all sizes are known.
///
/// - the least count and the one after it
/// - the counts around the end of the outermost dimension's first tile
/// - the count before the largest
/// - an odd count in the middle, for the checked rows of large problems
pub(crate) fn verified_counts(problem: &Problem, kernel: &CompiledKernel) -> Vec<u32> {
    let Some(counts) = problem.shape.counts() else {
        return Vec::new();
    };
    let (least, largest) = counts.into_inner();
    let tile = kernel.tiling.as_ref().and_then(|tiling| tiling.outermost());
    // A size is less than 2^31. A tile exceeds it by less than 2^31, so it fits in 32 bits.
    let tile = tile.and_then(|tile| u32::try_from(tile).ok()).unwrap_or(1);
    let mut all = vec![
        least,
        least + 1,
        tile.saturating_sub(1),
        tile,
        tile.saturating_add(1),
        (largest / 2) | 1,
        largest - 1,
    ];
    all.retain(|count| (least..largest).contains(count));
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use codegen::{Compiler, Kernarg, Slot, Tiling};
    use std::sync::Arc;

    fn kernel(largest: u32, tile: u32) -> CompiledKernel {
        let slot = Slot {
            buffer: 0,
            offset: 0,
        };
        let tiling = Tiling::new([(largest, tile), (3, 2)]);
        CompiledKernel {
            code_object: Arc::new([]),
            symbol: String::new(),
            workgroups: [largest.div_ceil(tile) * 2, 1, 1],
            workgroup_size: [64, 1, 1],
            arguments: vec![Kernarg::Buffer(0), Kernarg::Count(largest)],
            buffers: vec![8],
            input: slot,
            operands: Vec::new(),
            workspace: None,
            sharers: 1,
            results: vec![slot; 2],
            tiling,
            merge: None,
            compiler: Compiler {
                name: "none".into(),
                version: String::new(),
                linker: String::new(),
            },
        }
    }

    #[track_caller]
    fn check(problem: &str, tile: u32, expected: &[u32]) {
        let problem: Problem = problem.parse().unwrap();
        let kernel = kernel(problem.shape.sizes()[0], tile);
        assert_eq!(verified_counts(&problem, &kernel), expected, "{problem}");
    }

    #[test]
    fn counts_around_the_tile() {
        check("argmax:64x[8]xf32", 4, &[]);
        check("argmax:?x[8]xf32", 16, &[1, 2, 15, 16, 17, 257, 511]);
        check("argmax:?x[8]xf32", 1, &[1, 2, 257, 511]);
        check("argmax:?x[8]xf32:i32:count=1..2", 4, &[1]);
        check(
            "argmax:?x[8]xf32:i32:count=30..40",
            32,
            &[30, 31, 32, 33, 39],
        );
        check("argmax:?x[8]xf32:i32:count=3..5", 64, &[3, 4]);
    }

    #[test]
    fn a_launch_has_the_grid_of_its_count() {
        let kernel = kernel(512, 16);
        let launched = kernels_with_counts(&kernel, &[1, 16, 17, 512]).unwrap();
        let grids: Vec<[u32; 3]> = launched.iter().map(|kernel| kernel.workgroups).collect();
        assert_eq!(grids, [[2, 1, 1], [2, 1, 1], [4, 1, 1], [64, 1, 1]]);
        assert_eq!(launched[2].arguments[1], Kernarg::Count(17));
        assert_eq!(launched[3], kernel);
        for count in [0, 513] {
            assert_eq!(kernel.at_count(count), None);
        }
        // A grid with workgroups along y.
        let mut wide = kernel;
        wide.workgroups = [40, 2, 1];
        let of = |count| wide.at_count(count).map(|kernel| kernel.workgroups);
        assert_eq!(of(512), Some([40, 2, 1]));
        assert_eq!(of(305), Some([40, 1, 1]));
        assert_eq!(of(321), Some([40, 2, 1]));
        assert_eq!(of(1), Some([2, 1, 1]));
    }
}
