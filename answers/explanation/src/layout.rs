//! The lane map as an answer, shortened to the steps that a person looks at.

use answers::explanations::{COLUMNS, Count, Digit, Dimension, Exchange, Layout, Loads, NestLevel};
use codegen::native::layout::{LaneMap, LaneMapDimension};
use configgen::layout;

/// The maximum number of loads in one answer.
const MOST_LOADS: usize = 1 << 16;

/// Converts a lane map to the answer's form.
pub(crate) fn layout(map: &LaneMap) -> Layout {
    Layout {
        subgroup_size: map.subgroup_size(),
        subgroups: map.subgroups(),
        threads: map.threads(),
        workgroups: map.workgroups(),
        split: map.split(),
        dimensions: map.dimensions().iter().map(dimension).collect(),
        nested_layout: map.nest().to_string(),
        rows: map.rows(),
        columns: map.columns(),
        steps: map.steps(),
        best_step_again: map.loads_best_step_again(),
        loads: loads(map),
        exchange: exchange(map),
    }
}

fn dimension(along: &LaneMapDimension) -> Dimension {
    let nest = &along.nest;
    Dimension {
        size: along.size,
        reduced: along.reduced,
        tile: nest.tile,
        steps: along.steps,
        subgroup: digit(&nest.subgroup),
        batch: NestLevel {
            count: nest.batch.count,
            stride: nest.batch.stride,
        },
        lane: digit(&nest.lane),
        element: Count {
            count: nest.element.count,
        },
        cover: along.cover.name(),
    }
}

fn digit(digit: &layout::Digit) -> Digit {
    Digit {
        count: digit.level.count,
        stride: digit.level.stride,
        id_stride: digit.id_stride,
    }
}

/// Returns the loads of the first two steps and of the last step of workgroup 0.
fn loads(map: &LaneMap) -> Loads {
    let last = map.steps() - 1;
    let mut steps_shown = vec![0, 1.min(last), last];
    // Maps with one or two steps would list a step twice.
    steps_shown.dedup();
    let of_step = |&step: &u64| {
        map.loads(0, step).map(move |load| -> [u64; COLUMNS.len()] {
            [
                step,
                load.subgroup.into(),
                load.batch.into(),
                load.lane.into(),
                load.row,
                load.column,
                load.length.into(),
                load.repeated.into(),
                load.offset,
            ]
        })
    };
    let mut all = steps_shown.iter().flat_map(of_step);
    let values = all.by_ref().take(MOST_LOADS).collect();
    Loads {
        // One more load beyond the limit shows that the list is cut.
        truncated: all.next().is_some(),
        along: if map.loads_rows() { "rows" } else { "columns" },
        columns: COLUMNS,
        values,
        steps_shown,
    }
}

fn exchange(map: &LaneMap) -> Vec<Exchange> {
    let steps = map.exchanges().into_iter();
    steps
        .map(|step| Exchange {
            name: step.name,
            kind: step.kind.name(),
            scope: step.scope.name(),
            what: step.what.name(),
            only_on_ties: step.only_on_ties,
            from: step.from,
        })
        .collect()
}
