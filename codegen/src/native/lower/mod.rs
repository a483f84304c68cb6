//! The lowering from the final stage to the IR: one kernel, with nothing that a compiler's code
//! generator would have to clean up.
//!
//! The modules, in the order of the kernel:
//!
//! - [`thread_ids`] and [`lane_offset`]: the thread's ids and its elements.
//! - [`memory`], [`inputs`] and [`view`]: addresses, loads, and the functions of loaded elements.
//! - [`step_loop`] and [`lane_step`]: the steps, and the work in one.
//! - [`subgroup_reduction`] with [`exchange`]: from lanes to rows.
//! - [`store`]: through LDS. [`split_reduction`] and [`grid_barrier`]: between workgroups,
//!   without and with waiting.
//! - [`results`]: the results. For an epilogue, [`rowwise`] gives every lane the row's values,
//!   and [`outputs`] stores.
//!
//! [`state`] has the exchanged states and [`exchange_reduction`] merges them.

mod accumulate;
mod ballot_reduction;
mod barrier;
mod exchange;
mod exchange_reduction;
mod grid_barrier;
mod inputs;
mod lane_coordinate;
mod lane_offset;
mod lane_step;
mod lazy_index;
mod memory;
mod numbering;
mod outputs;
mod positions;
mod results;
mod row_elements;
mod rowwise;
mod split_reduction;
mod state;
mod step_loop;
mod store;
mod subgroup_reduction;
mod tail_mask;
mod thread_ids;
mod view;

use configgen::IndexMode;

use super::combiner::region;
use super::ir::{Block, Builder, IrKernel, KernelPart, Lds, Parameter, Value};
use super::stages::final_stage::Final;

/// Builds the kernel of the final stage.
pub(super) fn kernel(last: &Final) -> IrKernel {
    let mut ir = Builder::new();
    body(&mut ir, last);
    let (body, names): (Block, _) = ir.finish();
    let block = &last.lanes.block;
    let grid = &block.grid;
    IrKernel {
        parameters: parameters(last),
        lds: lds(last),
        threads: grid.threads,
        lanes: grid.subgroup_size,
        // Such a kernel needs no workgroup id along y.
        is_row: grid.workgroups[1] == 1,
        // The lazy index loop takes maxima of raw elements, which may be signalling NaN.
        ignores_signals: block.lazy_loop().is_some(),
        preloads_arguments: grid.isa.preloads_arguments,
        features: region::target_features(grid.isa.name, grid.stores_bf16()),
        body,
        names,
    }
}

fn body(ir: &mut Builder, kernel: &Final) {
    ir.comment("Who the thread is, and which tile is its workgroup's.");
    let ids = thread_ids::Ids::build(ir, kernel);
    ir.comment("Where its elements are.");
    let places = lane_offset::build(ir, kernel, &ids);
    if let Some(sequel) = &kernel.lanes.block.grid.sequel {
        return rowwise::build(ir, kernel, sequel, &ids, &places);
    }
    let states = ir.part(KernelPart::Fold, |ir| {
        accumulate::build(ir, kernel, &ids, &places)
    });
    let results = ir.part(KernelPart::Lanes, |ir| {
        ir.comment("From the states of the lanes to those of the rows.");
        subgroup_reduction::build(ir, kernel, &ids, &places, states)
    });
    ir.part(KernelPart::Lds, |ir| {
        store::build(ir, kernel, &ids, results)
    });
}

/// Returns the parameters, in kernarg order.
fn parameters(kernel: &Final) -> Vec<Value> {
    let grid = &kernel.lanes.block.grid;
    let sources = grid.tensors().map(|source| source.parameter);
    let results: Vec<Parameter> = match &grid.sequel {
        None => vec![Parameter::Values],
        Some(sequel) => (sequel.outputs.iter())
            .map(|output| output.target.parameter)
            .collect(),
    };
    let mut parameters: Vec<Value> = sources.chain(results).map(Value::buffer).collect();
    if let Some(index) = grid.combiner.index() {
        parameters.push(Value::buffer(Parameter::Indices));
        match index.mode {
            IndexMode::Position => {}
            IndexMode::Based => parameters.push(results::base(index.kind)),
            IndexMode::Explicit => {
                parameters.insert(grid.tensors().count(), Value::buffer(Parameter::Explicit));
            }
        }
    }
    if grid.split.is_some() {
        parameters.push(Value::buffer(Parameter::Workspace));
    }
    if grid.is_counted() {
        parameters.push(Value::count());
    }
    parameters
}

/// Returns the kernel's LDS allocations, with their bytes.
fn lds(kernel: &Final) -> Vec<(Lds, u32)> {
    let block = &kernel.lanes.block;
    // A single subgroup passes its count in registers; an epilogue polls the counter instead.
    let arrived = match (block.grid.split, &block.grid.sequel) {
        (Some(_), None) if block.subgroups() > 1 => 4,
        _ => 0,
    };
    let folds = block.grid.folds() as u32;
    let partials = block.partials() * folds * block.grid.combiner.partial_bytes();
    let mut lds = vec![
        (Lds::Partials, partials),
        (Lds::Exchange, kernel.exchange_bytes()),
        (Lds::Arrived, arrived),
    ];
    lds.retain(|(_, bytes)| *bytes > 0);
    lds
}
