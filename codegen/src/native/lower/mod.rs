//! From the final stage to the IR: one kernel, and nothing that a compiler's code generator would have to clean up.
//!
//! The parts, in the order of the kernel: who am I ([`ids`]) and where are my elements ([`place`]), addresses
//! and loads ([`memory`]), what is computed of them ([`inputs`], with [`viewed`]), the steps ([`steps`]) and what is done in one ([`lane`]), from lanes to rows ([`lanes`],
//! by way of [`exchange`]), LDS ([`store`]), other workgroups ([`pieces`], or [`awaited`] where these are waited for) and results ([`results`]).
//! Where what a row gives is used again, every lane has it ([`rowwise`]) before the outputs follow ([`outputs`]).
//! The states that are passed on ([`state`]) and how they meet ([`meet`]) are everybody's.

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

/// The kernel of the final stage.
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
        is_row: grid.workgroups[1] == 1,
        ignores_signals: block.lazy_loop().is_some(),
        preloads_arguments: grid.isa.preloads_arguments,
        features: region::target_features(grid.isa.name),
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

/// The parameters, in the order of the arguments.
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

/// What it needs of LDS, and how many bytes.
fn lds(kernel: &Final) -> Vec<(Lds, u32)> {
    let block = &kernel.lanes.block;
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
