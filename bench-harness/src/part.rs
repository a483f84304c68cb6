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
        let mut workgroups: Vec<u32> = inputs
            .rows()
            .iter()
            .map(|row| (row / u64::from(tile)) as u32)
            .collect();
        workgroups.dedup();
        let tile = u64::from(tile);
        let computed = |&id: &u32| u64::from(id) * tile..((u64::from(id) + 1) * tile).min(rows);
        let rows = workgroups.iter().map(computed).collect();
        Part {
            workgroups: Some(workgroups),
            rows,
        }
    }
}
