//! The specimens take every path, and the version depends on them.

use super::*;
use crate::native::stages::dimension::{Dimension, TailHandling};
use crate::native::stages::final_stage::{Final, LaneFold};
use crate::native::stages::lanewise::Lanes;

fn lowered(target: &Target, subgroup_size: u32) -> Vec<Final> {
    let lower = |(problem, configuration): (Problem, Configuration)| match LoweredConfiguration::new(
        &problem,
        target,
        &configuration,
    ) {
        Ok(lowered) => lowered.last,
        Err(error) => panic!("{target} {problem}: {error}"),
    };
    specimens(subgroup_size).into_iter().map(lower).collect()
}

#[test]
fn every_path_is_taken() {
    for target in &TARGETS {
        for &size in target.subgroup_sizes {
            check_paths(&lowered(target, size));
        }
    }
}

fn check_paths(all: &[Final]) {
    let some = |what: &dyn Fn(&Final) -> bool| assert!(all.iter().any(what));
    // The same for a reduced or a parallel dimension and its lanes.
    let along = |reduced: bool, what: &dyn Fn(&Dimension, &Lanes) -> bool| {
        some(&|kernel| {
            let dimensions = kernel.lanes.block.grid.dimensions.iter();
            let mut along = dimensions.zip(&kernel.lanes.along);
            along.any(|(dimension, lanes)| dimension.reduced == reduced && what(dimension, lanes))
        });
    };
    for reduced in [false, true] {
        for cover in [
            TailHandling::Exact,
            TailHandling::Shifted,
            TailHandling::Clamped,
        ] {
            along(reduced, &|dimension, _| dimension.cover() == cover);
        }
        let counted = |dimension: &Dimension| dimension.cover() == TailHandling::Counted;
        if !reduced {
            along(false, &|dimension, lanes| {
                counted(dimension) && lanes.batches > 1
            });
            along(false, &|dimension, lanes| {
                counted(dimension) && lanes.field.bits > 0
            });
            along(false, &|dimension, _| {
                dimension.counted && !counted(dimension)
            });
        }
        along(reduced, &|dimension, _| dimension.tiles() == 1);
        along(reduced, &|dimension, _| dimension.tiles() > 1);
        along(reduced, &|_, lanes| lanes.whole == 0);
        along(reduced, &|_, lanes| lanes.thread > 1);
        along(reduced, &|_, lanes| lanes.batches > 1);
    }
    along(true, &|_, lanes| {
        0 < lanes.whole && lanes.whole < lanes.batches
    });
    along(true, &|_, lanes| lanes.thread < lanes.pitch);
    let vector = |kernel: &Final| {
        let dimension = &kernel.lanes.block.grid.dimensions[kernel.vector];
        (dimension.reduced, kernel.lanes.along[kernel.vector].thread)
    };
    for reduced in [false, true] {
        some(&|kernel| vector(kernel).0 == reduced && vector(kernel).1 > 1);
    }
    some(&|kernel| kernel.lanes.block.loops().len() == 2);
    for (is_kept, is_shared) in [(true, true), (true, false), (false, true), (false, false)] {
        some(&|kernel| {
            let block = &kernel.lanes.block;
            let is_like = block.loops().is_empty() == is_kept && (block.sharers() > 1) == is_shared;
            block.grid.sequel.is_some() && is_like
        });
    }
    some(&|kernel| {
        let grid = &kernel.lanes.block.grid;
        // Lane bits that are not side by side.
        let shared = kernel.lanes.shared_bits();
        let bits = shared >> shared.trailing_zeros().min(31);
        grid.parallel().count() > 1 && bits & (bits + 1) != 0
    });
    some(&|kernel| kernel.lanes.block.grid.folds() == 0);
    some(&|kernel| kernel.fold == LaneFold::Own);
    some(&|kernel| kernel.fold == LaneFold::Alike);
    some(&|kernel| {
        let lanes = &kernel.lanes;
        lanes.slots_per_row() < lanes.elements().len() && lanes.rows().len() > 1
    });
    some(&|kernel| matches!(kernel.fold, LaneFold::Butterfly(_)));
    let ballot = |kernel: &Final| matches!(kernel.fold, LaneFold::Ballot { .. });
    some(&|kernel| ballot(kernel) && kernel.lanes.rows().len() == 1);
    some(&|kernel| ballot(kernel) && kernel.lanes.rows().len() > 1);
    some(&|kernel| kernel.wide_offsets);
    some(&|kernel| matches!(kernel.fold, LaneFold::Pairs(_)));
    some(&|kernel| kernel.lanes.block.lazy_loop().is_some());
    for is_awaited in [false, true] {
        some(&|kernel| {
            let grid = &kernel.lanes.block.grid;
            grid.split.is_some() && grid.sequel.is_some() == is_awaited
        });
    }
    // 100 million workgroups of 32 threads fit one dimension.
    some(&|kernel| {
        let grid = &kernel.lanes.block.grid;
        grid.workgroups[1] > 1 || grid.subgroup_size == 32
    });
    let partials = |kernel: &Final| kernel.lanes.block.partials();
    some(&|kernel| partials(kernel) > 0 && partials(kernel) < kernel.lanes.block.grid.threads);
    some(&|kernel| partials(kernel) == kernel.lanes.block.grid.threads);
    some(&|kernel| partials(kernel) > kernel.lanes.block.grid.threads);
}

#[test]
fn the_version_names_the_crate_and_a_hash() {
    let (version, hash) = generator_version().split_once('+').unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert_eq!(hash.len(), 12);
}
