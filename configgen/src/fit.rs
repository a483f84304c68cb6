//! Fitting: adapts a configuration that is legal for one shape to another shape of the same rank.
//!
//! Lanes and thread tiles stay as far as possible, because a shape of about the same size has the
//! same positions for them. Tiles and steps follow the size:
//!
//! - A step that took a row in a few steps takes the new row in as many.
//! - A step that is one of many keeps its length, because the last one then costs little.
//! - If a generator's tiles must divide their dimensions, fitting halves counts until they do.
//!
//! The generator's own rules check the result, so it is legal or refused.

use crate::generator::native::knobs::split_dimension;
use crate::{Configuration, Generator, Problem, Rejection, Target, check};

/// The largest number of steps of a dimension for which the step follows the size.
const FEW_STEPS: u64 = 4;

/// The part of a configuration that concerns one dimension.
#[derive(Debug, Clone, Copy)]
struct Axis {
    tile: u64,
    subgroups: u32,
    lanes: u32,
    thread: u32,
}

/// Returns the `configuration` of `tuned` adapted to `asked`.
///
/// Both problems must have the same rank and the same reduced dimensions.
///
/// # Errors
///
/// Returns the rule of the generator that the result breaks.
pub fn fit(
    configuration: &Configuration,
    tuned: &Problem,
    asked: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<Configuration, Rejection> {
    check(tuned, target, generator, configuration)?;
    if asked.shape.rank() != tuned.shape.rank() {
        // A list of another length breaks a rule of every generator, so this returns that rule.
        return check(asked, target, generator, configuration).map(|()| configuration.clone());
    }
    let followed = fitted(configuration, tuned, asked, generator, FEW_STEPS);
    // A longer step can need more elements per thread than the rules allow. Then it keeps its
    // length.
    check(asked, target, generator, &followed)
        .map(|()| followed)
        .or_else(|_| {
            let kept = fitted(configuration, tuned, asked, generator, 0);
            check(asked, target, generator, &kept).map(|()| kept)
        })
}

/// Returns the adapted configuration, legal or not. The configuration must be legal for `tuned`.
///
/// A step follows the size if the dimension has at most `few` steps.
fn fitted(
    configuration: &Configuration,
    tuned: &Problem,
    asked: &Problem,
    generator: Generator,
    few: u64,
) -> Configuration {
    let mut fitted = configuration.clone();
    let old = &configuration.lowering;
    if generator.tiles_divide() {
        // Rows are split into equal pieces, so the split must divide the row.
        let size = asked.shape.reduced_size();
        let divides = |split: &u32| size.is_multiple_of(u64::from(*split));
        let nearest = (1..=configuration.knobs.split).rev().find(divides);
        fitted.knobs.split = nearest.unwrap_or(1);
    }
    for d in 0..asked.shape.rank() {
        let is_reduced = asked.shape.is_reduced(d);
        let axis = Axis {
            tile: u64::from(old.workgroup[d].max(old.partial_reduction[d])),
            subgroups: old.subgroup_basis.count_along(d),
            lanes: old.lane_basis.count_along(d),
            thread: old.thread[d].max(1),
        };
        let [from, to] = [tuned, asked].map(|problem| u64::from(problem.shape.sizes()[d]));
        let axis = match generator.tiles_divide() {
            // If rows are split, the tiles divide a piece of a row.
            true if is_reduced => axis.dividing(to / u64::from(fitted.knobs.split)),
            true => axis.dividing(to),
            false => {
                let wanted = match from.div_ceil(axis.tile.max(1)) {
                    steps if is_reduced && steps <= few => to.div_ceil(steps),
                    _ => axis.tile,
                };
                axis.covering(wanted, to, is_reduced && asked.reduction.is_serial())
            }
        };
        let lowering = &mut fitted.lowering;
        let tiles = match is_reduced {
            true => &mut lowering.partial_reduction,
            false => &mut lowering.workgroup,
        };
        // A tile beyond u32 breaks a rule, so saturation leads to a refusal.
        tiles[d] = u32::try_from(axis.tile).unwrap_or(u32::MAX);
        // A thread tile of 0 (counts as 1) stays 0.
        lowering.thread[d] = axis.thread.min(lowering.thread[d]);
        for (basis, count) in [
            (&mut lowering.lane_basis, axis.lanes),
            (&mut lowering.subgroup_basis, axis.subgroups),
        ] {
            basis.counts[usize::from(basis.mapping[d])] = count;
        }
    }
    let subgroups: u32 = fitted.lowering.subgroup_basis.counts.iter().product();
    fitted.workgroup_size = [subgroups * fitted.subgroup_size, 1, 1];
    // More workgroups than steps would leave some without work.
    let (_, steps) = split_dimension(asked, &fitted);
    let most = steps.checked_next_power_of_two().unwrap_or(u32::MAX);
    fitted.knobs.split = fitted.knobs.split.min(most);
    fitted.canonical(asked)
}

impl Axis {
    fn unit(self) -> u64 {
        u64::from(self.subgroups) * u64::from(self.lanes) * u64::from(self.thread)
    }

    /// Returns the axis with the tile next to `wanted` for a dimension of this size.
    ///
    /// Tiles may reach beyond the end, unless each element must be taken exactly once
    /// (`is_once`). Every subgroup has at least one element.
    fn covering(mut self, wanted: u64, size: u64, is_once: bool) -> Axis {
        loop {
            let unit = self.unit();
            let most = match is_once {
                true => size - size % unit,
                false => size.next_multiple_of(unit),
            };
            let tile = wanted.next_multiple_of(unit).min(most).max(unit);
            let subgroups = u64::from(self.subgroups);
            // The last subgroup must begin inside the dimension; otherwise half the subgroups do.
            if (subgroups - 1) * (tile / subgroups) < size {
                return Axis { tile, ..self };
            }
            self.subgroups /= 2;
        }
    }

    /// Returns the axis with the largest tile up to this one that divides a dimension of this
    /// size.
    ///
    /// Threads are halved until they divide it too.
    fn dividing(mut self, size: u64) -> Axis {
        while !size.is_multiple_of(self.unit()) {
            // The thread tile is halved first: it costs load width, while fewer lanes leave
            // hardware idle.
            let counts = [&mut self.thread, &mut self.lanes, &mut self.subgroups];
            let even = counts.into_iter().find(|count| count.is_multiple_of(2));
            match even {
                Some(count) => *count /= 2,
                // An odd unit cannot be halved. The generator's check then names the broken rule.
                None => return self,
            }
        }
        let (units, most) = (size / self.unit(), (self.tile / self.unit()).max(1));
        let divides = |tile: &u64| units.is_multiple_of(*tile);
        // A step has few units, since a thread takes some dozens of elements, so a linear search
        // is cheap.
        let tile = (1..=most.min(units)).rev().find(divides).unwrap_or(1);
        Axis {
            tile: tile * self.unit(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;

    /// Checks the tile of each dimension, the subgroups and the thread tiles.
    #[track_caller]
    fn check_fit(
        generator: Generator,
        tuned: &str,
        json: &str,
        asked: &str,
        expected: Result<&str, &str>,
    ) {
        let [tuned, asked]: [Problem; 2] = [tuned, asked].map(|text| text.parse().unwrap());
        let target = Target::named("gfx942").unwrap();
        let configuration: Configuration = serde_json::from_str(json).unwrap();
        let fitted = fit(&configuration, &tuned, &asked, target, generator);
        let said = fitted.as_ref().map(|fitted| {
            let it = &fitted.lowering;
            format!(
                "{:?} {:?} subgroups {:?} thread {:?} split {}",
                &it.workgroup[..],
                &it.partial_reduction[..],
                &it.subgroup_basis.counts[..],
                &it.thread[..],
                fitted.knobs.split
            )
        });
        match expected {
            Ok(expected) => assert_eq!(said.as_deref(), Ok(expected)),
            Err(rule) => assert_eq!(fitted.unwrap_err().rule, rule),
        }
    }

    const SPLIT: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 2048], "thread": [0, 4], "lane_basis": [[1, 64], [0, 1]],
        "subgroup_basis": [[1, 4], [0, 1]], "subgroup_size": 64, "workgroup_size": [256, 1, 1], "split": 16}"#;
    const ONE_STEP: &str = r#"{"workgroup": [2, 0], "partial_reduction": [0, 4096], "thread": [0, 4], "lane_basis": [[1, 64], [0, 1]],
        "subgroup_basis": [[1, 4], [0, 1]], "subgroup_size": 64, "workgroup_size": [256, 1, 1]}"#;
    const IREE: &str = r#"{"workgroup": [4, 0], "partial_reduction": [0, 1024], "thread": [0, 4], "lane_basis": [[1, 64], [0, 1]],
        "subgroup_basis": [[4, 1], [0, 1]], "subgroup_size": 64, "workgroup_size": [256, 1, 1]}"#;

    #[test]
    fn tiles_follow_the_size() {
        let native = |tuned, json, asked, expected| {
            check_fit(Generator::NATIVE, tuned, json, asked, expected)
        };
        let (long, short) = ("argmax:4x[32000]xf32", "argmax:64x[4096]xf32");
        native(
            long,
            SPLIT,
            long,
            Ok("[1, 0] [0, 2048] subgroups [1, 4] thread [0, 4] split 16"),
        );
        native(
            long,
            SPLIT,
            "argmax:4x[64000]xf32",
            Ok("[1, 0] [0, 2048] subgroups [1, 4] thread [0, 4] split 16"),
        );
        native(
            long,
            SPLIT,
            "argmax:4x[16384]xf32",
            Ok("[1, 0] [0, 2048] subgroups [1, 4] thread [0, 4] split 8"),
        );
        native(
            short,
            ONE_STEP,
            "argmax:64x[5000]xf32",
            Ok("[2, 0] [0, 5120] subgroups [1, 4] thread [0, 4] split 1"),
        );
        native(
            short,
            ONE_STEP,
            "argmax:64x[2049]xf32",
            Ok("[2, 0] [0, 2560] subgroups [1, 2] thread [0, 4] split 1"),
        );
        // A subgroup needs an element.
        native(
            short,
            ONE_STEP,
            "argmax:64x[300]xf32",
            Ok("[2, 0] [0, 512] subgroups [1, 2] thread [0, 4] split 1"),
        );
        // A lane's elements are limited, so the step keeps its length.
        native(
            short,
            ONE_STEP,
            "argmax:64x[8193]xf32",
            Ok("[2, 0] [0, 4096] subgroups [1, 4] thread [0, 4] split 1"),
        );
        native(
            short,
            ONE_STEP,
            "argmax:1x[4096]xf32",
            Ok("[1, 0] [0, 4096] subgroups [1, 4] thread [0, 4] split 1"),
        );
        // Another rank needs another configuration.
        native(short, ONE_STEP, "argmax:2x2x[4096]xf32", Err("N2"));
        native(short, ONE_STEP, "argmax:[64]x4096xf32", Err("N2"));
        // A configuration that is illegal for its own problem fits no other.
        native(
            short,
            IREE.replace("1024", "100").as_str(),
            short,
            Err("N7"),
        );
    }

    #[test]
    fn tiles_divide_if_required() {
        let iree = |asked, expected| {
            check_fit(
                Generator::IREE,
                "argmax:4x[4096]xf32",
                IREE,
                asked,
                expected,
            )
        };
        iree(
            "argmax:4x[4096]xf32",
            Ok("[4, 0] [0, 1024] subgroups [4, 1] thread [0, 4] split 1"),
        );
        iree(
            "argmax:8x[5120]xf32",
            Ok("[4, 0] [0, 1024] subgroups [4, 1] thread [0, 4] split 1"),
        );
        iree(
            "argmax:6x[3840]xf32",
            Ok("[2, 0] [0, 768] subgroups [2, 1] thread [0, 4] split 1"),
        );
        iree(
            "argmax:5x[4096]xf32",
            Ok("[1, 0] [0, 1024] subgroups [1, 1] thread [0, 4] split 1"),
        );
        iree(
            "argmax:4x[4032]xf32",
            Ok("[4, 0] [0, 576] subgroups [4, 1] thread [0, 1] split 1"),
        );
        let pieces = |asked, expected| {
            let split = SPLIT.replace("[[1, 4], ", "[[1, 1], ").replace("256", "64");
            let tuned = "argmax:4x[32768]xf32";
            check_fit(Generator::IREE, tuned, &split, asked, expected)
        };
        pieces(
            "argmax:2x[65536]xf32",
            Ok("[1, 0] [0, 2048] subgroups [1, 1] thread [0, 4] split 16"),
        );
        pieces(
            "argmax:1x[32000]xf32",
            Ok("[1, 0] [0, 2000] subgroups [1, 1] thread [0, 1] split 16"),
        );
        pieces(
            "argmax:1x[2100]xf32",
            Ok("[1, 0] [0, 140] subgroups [1, 1] thread [0, 1] split 15"),
        );
    }

    /// Checks that every legal configuration fits legally or is refused by a rule, for all sizes.
    #[test]
    fn fitted_configurations_are_legal() {
        let sizes = [1, 3, 64, 65, 1000, 32000, u32::MAX / 2];
        let mut legal = 0;
        for generator in Generator::ALL {
            for (tuned, form) in [
                ("argmax:4x[4096]xf32", "argmax:{}x[{}]xf32"),
                ("argmax:[300]x64xf64", "argmax:[{}]x{}xf64"),
                ("argmax:[96]x[128]xbf16", "argmax:[{}]x[{}]xbf16"),
                (
                    "unordered{arith.cmpi(ne,0,1)}:9x[64]xi8:i32:initial",
                    "unordered{arith.cmpi(ne,0,1)}:{}x[{}]xi8:i32:initial",
                ),
            ] {
                let tuned: Problem = tuned.parse().unwrap();
                let target = Target::named("gfx1100").unwrap();
                let space = Space::new(&tuned, target, generator);
                for (one, other) in sizes
                    .into_iter()
                    .flat_map(|one| sizes.map(|other| (one, other)))
                {
                    let text = form.replacen("{}", &one.to_string(), 1).replacen(
                        "{}",
                        &other.to_string(),
                        1,
                    );
                    let Ok(asked) = text.parse::<Problem>() else {
                        continue;
                    };
                    for configuration in space.sample(4, u64::from(one ^ other)) {
                        if let Ok(fitted) = fit(&configuration, &tuned, &asked, target, generator) {
                            assert_eq!(check(&asked, target, generator, &fitted), Ok(()));
                            assert_eq!(fitted, fitted.canonical(&asked));
                            legal += 1;
                        }
                    }
                }
            }
        }
        assert!(legal > 200, "{legal}");
    }
}
