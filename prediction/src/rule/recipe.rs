//! Recipes: the attributes of a kernel, independent of the shape.

use configgen::{Configuration, Generator, Knobs, Target, check};

use super::RuleShape;

/// The distribution of a workgroup over rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// The consecutive elements that a lane loads.
    pub thread: u32,
    /// The subgroups of a workgroup, all along the columns.
    pub subgroups: u32,
    /// The lanes of a subgroup along the rows. The others are along the columns.
    pub row_lanes: u32,
    /// The largest number of loads of a lane per step.
    pub loads: u32,
}

impl Recipe {
    /// Returns all recipes for a target.
    pub(super) fn all(target: &Target) -> Vec<Recipe> {
        let mut all = Vec::new();
        for thread in [1, 2, 4, 8] {
            for subgroups in [1, 2, 4, 8, 16] {
                for row_lanes in [1, 8, subgroup_size(target)] {
                    let loads = [1, 2, 4, 8].map(|loads| Recipe {
                        thread,
                        subgroups,
                        row_lanes,
                        loads,
                    });
                    all.extend(loads);
                }
            }
        }
        all
    }

    /// Returns the configuration of a shape; `None` if it is illegal. A short row has fewer
    /// subgroups and loads, so that each subgroup has an element.
    pub(super) fn configuration(
        &self,
        shape: &RuleShape,
        target: &Target,
    ) -> Option<Configuration> {
        let Recipe {
            mut thread,
            mut subgroups,
            row_lanes,
            mut loads,
        } = *self;
        let problem = &shape.problem;
        let lanes = subgroup_size(target);
        let columns = *problem.shape.sizes().last()?;
        let column_lanes = lanes / row_lanes;
        while thread > columns {
            thread /= 2;
        }
        while subgroups > 1 && (subgroups - 1) * column_lanes * thread >= columns {
            subgroups /= 2;
        }
        let load = column_lanes * subgroups * thread;
        let others = load - column_lanes * thread;
        while loads > 1 && ((loads - 1) * load >= columns || loads * others >= columns) {
            loads -= 1;
        }
        let mut made = shape.template.clone();
        let lowering = &mut made.lowering;
        lowering.workgroup = [row_lanes, 0].into_iter().collect();
        lowering.partial_reduction = [0, load * loads].into_iter().collect();
        lowering.thread = [0, thread].into_iter().collect();
        for (basis, counts) in [
            (&mut lowering.lane_basis, [row_lanes, column_lanes]),
            (&mut lowering.subgroup_basis, [1, subgroups]),
        ] {
            basis.counts = counts.into_iter().collect();
            basis.mapping = [0, 1].into_iter().collect();
        }
        made.subgroup_size = lanes;
        made.workgroup_size = [lanes * subgroups, 1, 1];
        made.knobs = Knobs::DEFAULT;
        check(problem, target, Generator::NATIVE, &made).ok()?;
        Some(made.canonical(problem))
    }
}

/// Returns the subgroup size of all recipes, which is the target's default.
pub(super) fn subgroup_size(target: &Target) -> u32 {
    target.subgroup_sizes[0]
}
