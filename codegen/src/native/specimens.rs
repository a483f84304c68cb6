//! Specimens: a few configurations that between them take every path of the generator.
//!
//! They are what the golden files of the stages are made from, and what the generator's version is taken from.

use std::sync::OnceLock;

use configgen::{Basis, Configuration, LoweringConfig, Problem, TARGETS, Target, Tiles};

use super::stage::Lowered;
use crate::llvm;

/// Problem; W and P; thread, lanes and subgroups along the rows; the same along the elements; 1 where the bases are
/// permuted.
///
/// Element types, one and several rows, subgroups and batches, each way of folding lanes, each
/// [`Cover`](super::dimension::Cover), offsets and grids that need more bits.
const SPECIMENS: [(&str, [u32; 9]); 14] = [
    // W, P; thread, lanes and subgroups along rows; the same along elements; and whether bases are permuted.
    ("argmax:4x[32000]xf32", [1, 4096, 1, 1, 1, 4, 64, 4, 0]),
    ("argmin:4x[1000]xf16", [1, 512, 1, 1, 1, 8, 64, 1, 0]),
    ("argmax:[50257]xbf16", [1, 8192, 1, 1, 1, 8, 64, 16, 0]),
    ("argmin:300x[64]xi32", [16, 64, 2, 8, 1, 4, 8, 1, 1]),
    ("argmax:300x[77]xbf16", [8, 128, 1, 1, 4, 1, 64, 2, 1]),
    ("argmax:128x[33]xf16", [128, 4, 1, 64, 2, 4, 1, 1, 0]),
    ("argmax:5x[3]xi32", [8, 128, 1, 8, 1, 16, 8, 1, 1]),
    ("argmin:64x[257]xf32", [32, 64, 2, 16, 1, 2, 4, 2, 1]),
    ("argmax:64x[257]xf32", [8, 64, 4, 1, 2, 1, 64, 1, 0]),
    ("argmax:2x[2147483647]xf32", [2, 256, 1, 2, 1, 4, 32, 1, 0]),
    ("argmax:100000000x[2]xf32", [1, 64, 1, 1, 1, 1, 64, 1, 0]),
    ("argmax:64x[50000]xf16", [2, 2048, 1, 1, 1, 2, 64, 2, 0]),
    ("argmin:64x[48]xf16", [64, 8, 1, 32, 1, 1, 2, 4, 0]),
    ("argmin:12x[70]xbf16", [4, 80, 1, 4, 1, 1, 16, 1, 0]),
];

/// The specimens, for subgroups of 64 lanes or of 32.
///
pub fn specimens(subgroup_size: u32) -> Vec<(Problem, Configuration)> {
    let specimen = |(problem, numbers): &(&str, [u32; 9])| {
        let problem: Problem = problem.parse().expect("a test parses every specimen");
        let mut numbers = *numbers;
        if subgroup_size == 32 {
            halve_lanes(&mut numbers, problem.shape.reduced_size() as u32);
        }
        let configuration = configuration(problem.shape.rank(), numbers);
        (problem, configuration)
    };
    SPECIMENS.iter().map(specimen).collect()
}

/// Halves the lanes along the dimension that has more of them. W then is half as large, as a subgroup has at most as many
/// rows as lanes; P stays as far as a row of `length` elements allows.
fn halve_lanes(numbers: &mut [u32; 9], length: u32) {
    let [tile, step, _, row_lanes, _, thread, lanes, subgroups, _] = numbers;
    if row_lanes > lanes {
        *row_lanes /= 2;
        *tile /= 2;
    } else {
        *lanes /= 2;
        *step = length
            .next_multiple_of(*thread * *lanes * *subgroups)
            .min(*step);
    }
}

/// A configuration for a problem of rank 1 or 2 with the last dimension reduced, from the numbers of a specimen.
fn configuration(rank: usize, numbers: [u32; 9]) -> Configuration {
    let [
        tile,
        step,
        row_thread,
        row_lanes,
        row_subgroups,
        thread,
        lanes,
        subgroups,
        permuted,
    ] = numbers;
    let subgroup_size = row_lanes * lanes;
    let per_dimension = |row: u32, element: u32| -> Tiles {
        let both = [row, element];
        both[2 - rank..].iter().copied().collect()
    };
    let basis = |row: u32, element: u32| {
        let counts = per_dimension(row, element);
        match permuted == 1 && rank == 2 {
            // Digit 0 belongs to dimension 1 and the other way round.
            true => Basis {
                counts: counts.into_iter().rev().collect(),
                mapping: [1, 0].into_iter().collect(),
            },
            false => Basis {
                counts,
                mapping: (0..rank as u8).collect(),
            },
        }
    };
    Configuration {
        lowering: LoweringConfig {
            workgroup: per_dimension(tile, 0),
            partial_reduction: per_dimension(0, step),
            thread: per_dimension(row_thread, thread),
            lane_basis: basis(row_lanes, lanes),
            subgroup_basis: basis(row_subgroups, subgroups),
        },
        subgroup_size,
        workgroup_size: [subgroup_size * row_subgroups * subgroups, 1, 1],
    }
}

/// The version of the generator: that of this crate, and a hash that differs when the IR of a specimen for any target or
/// the way in which it is compiled does. Part of the provenance of every measurement.
pub fn generator_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(llvm::OPTIONS.as_bytes());
        let sizes =
            |target: &'static Target| target.subgroup_sizes.iter().map(move |&s| (target, s));
        for (target, size) in TARGETS.iter().flat_map(sizes) {
            for (problem, configuration) in specimens(size) {
                let lowered = Lowered::new(&problem, target, &configuration);
                let ir = lowered.map(|lowered| lowered.llvm_ir());
                hasher.update(ir.unwrap_or_default().as_bytes());
            }
        }
        let hash = hasher.finalize().to_hex();
        format!("{}+{}", env!("CARGO_PKG_VERSION"), &hash[..12])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::dimension::{Cover, Dimension};
    use crate::native::lanewise::Lanes;
    use crate::native::last::{Final, LaneFold};

    fn lowered(target: &Target, subgroup_size: u32) -> Vec<Final> {
        let lower = |(problem, configuration): (Problem, Configuration)| match Lowered::new(
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
        // Of a reduced or a parallel dimension and its lanes.
        let along = |reduced: bool, what: &dyn Fn(&Dimension, &Lanes) -> bool| {
            some(&|kernel| {
                let dimensions = kernel.lanes.block.grid.dimensions.iter();
                let mut along = dimensions.zip(&kernel.lanes.along);
                along.any(|(dimension, lanes)| {
                    dimension.reduced == reduced && what(dimension, lanes)
                })
            });
        };
        for reduced in [false, true] {
            for cover in [Cover::Exact, Cover::Shifted, Cover::Clamped] {
                along(reduced, &|dimension, _| dimension.cover() == cover);
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
        some(&|kernel| kernel.fold == LaneFold::Own);
        some(&|kernel| matches!(kernel.fold, LaneFold::Butterfly(_)));
        let ballot = |kernel: &Final| matches!(kernel.fold, LaneFold::Ballot { .. });
        some(&|kernel| ballot(kernel) && kernel.lanes.rows().len() == 1);
        some(&|kernel| ballot(kernel) && kernel.lanes.rows().len() > 1);
        some(&|kernel| kernel.wide_offsets);
        // 100 million workgroups of 32 threads fit one dimension.
        some(&|kernel| {
            let grid = &kernel.lanes.block.grid;
            grid.workgroups[1] > 1 || grid.subgroup_size == 32
        });
        let partials = |kernel: &Final| kernel.lanes.block.partials();
        some(&|kernel| partials(kernel) > 0 && partials(kernel) < kernel.lanes.block.grid.threads);
        some(&|kernel| partials(kernel) == kernel.lanes.block.grid.threads);
    }

    #[test]
    fn the_version_names_the_crate_and_a_hash() {
        let (version, hash) = generator_version().split_once('+').unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        assert_eq!(hash.len(), 12);
    }
}
