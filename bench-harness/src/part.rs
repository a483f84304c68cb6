//! Parts of launches: of a very large problem only the workgroups run that compute the checked rows.

use std::ops::Range;

use codegen::CompiledKernel;

use crate::inputs::Inputs;

/// The part of a launch that computes the checked rows.
pub(crate) struct Part {
    /// Linear ids of its workgroups; all of them where it is the whole launch.
    pub(crate) workgroups: Option<Vec<u32>>,
    /// The rows that these workgroups compute, ascending.
    pub(crate) rows: Vec<Range<u64>>,
}

impl Part {
    /// All of it.
    pub(crate) fn whole(inputs: &Inputs) -> Part {
        let rows = inputs.problem().shape.rows();
        Part {
            workgroups: None,
            rows: std::iter::once(0..rows).collect(),
        }
    }

    /// No more than it takes, on a device that runs parts.
    pub(crate) fn of(kernel: &CompiledKernel, inputs: &Inputs, runs_parts: bool) -> Part {
        let rows = inputs.problem().shape.rows();
        let Some(tile) = kernel.rows_per_workgroup.filter(|_| runs_parts) else {
            return Part::whole(inputs);
        };
        if inputs.rows().len() as u64 == rows {
            return Part::whole(inputs);
        }
        let tile = u64::from(tile);
        let mut tiles: Vec<u64> = inputs.rows().iter().map(|row| row / tile).collect();
        tiles.dedup();
        // Workgroups that share rows are neighbours.
        let sharers = kernel
            .workspace
            .map_or(1, |workspace| workspace.sharers.into());
        let workgroups = |&number: &u64| number * sharers..(number + 1) * sharers;
        let computed = |&number: &u64| number * tile..((number + 1) * tile).min(rows);
        Part {
            workgroups: Some(
                tiles
                    .iter()
                    .flat_map(workgroups)
                    .map(|id| id as u32)
                    .collect(),
            ),
            rows: tiles.iter().map(computed).collect(),
        }
    }
}
