//! Printing the final stage as HIP C++: one kernel a source, to be read, compiled by anybody, and changed by hand.
//!
//! It computes what the LLVM IR of [`lower`](super::lower) computes, takes the same launch and the same arguments, and
//! shares its plan, [`Final`], but no text: loops are loops here, slots are arrays, and what is known when it is
//! printed has names. A lazy index alone is left out: it changes how an index is found and not which.
//!
//! The parts, in the order of the source: what it is ([`header`]), [`constants`], types and the comparison
//! ([`element`], [`comparison`], with a [`region`] where it is no simple one, [`state`]), loads ([`load`]) and
//! exchanges between lanes ([`exchange`]); then the kernel: where a thread's elements are ([`place`]), the steps over
//! them ([`steps`]), from lanes to rows ([`lanes`]), LDS, pieces and results ([`store`]). Every part defines what may
//! be needed; [`source`] leaves out what is not.
//!
//! Constants, variables and functions have the same names in every source: `batch1` is a batch along dimension 1, and
//! `dim1::batches` how many there are.

mod axis;
mod comparison;
mod constants;
mod element;
mod exchange;
mod expression;
mod header;
mod lanes;
mod load;
mod meaning;
mod place;
mod region;
mod source;
mod state;
mod steps;
mod store;

use configgen::{Configuration, IndexMode, Problem, Target};

use super::isa::cross_lane::Exchange;
use super::stages::last::{Final, LaneFold};
use meaning::Meaning;
use source::Source;

/// The source of a kernel under `symbol`.
pub(super) fn translation_unit(
    symbol: &str,
    kernel: &Final,
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> String {
    let meaning = &Meaning::of(problem);
    let mut source = Source::default();
    header::print(&mut source, kernel, meaning, target, configuration);
    header::macros(&mut source);
    let places = place::places(kernel);
    constants::print(&mut source, kernel, &places);
    element::print(&mut source, meaning);
    comparison::print(&mut source, meaning);
    state::print(&mut source, meaning);
    load::print(&mut source, kernel);
    exchange::print(&mut source, &exchanges(kernel));
    lanes::functions(&mut source, kernel, meaning);
    exchange::reduction(
        &mut source,
        "over_sharers",
        "Reduces the partials of a row, which neighbouring lanes have; all get the result.",
        &kernel.partials,
    );
    exchange::reduction(
        &mut source,
        "over_pieces",
        "Reduces what workgroups have left of a row, which neighbouring lanes have; all get the result.",
        &kernel.pieces,
    );
    source.define("at_most", AT_MOST);
    source.blank();
    body(&mut source, symbol, kernel, &places, meaning);
    source.into_text()
}

const AT_MOST: &str = r"
static __device__ inline unsigned at_most(unsigned number, unsigned limit) { return number < limit ? number : limit; }
";

/// The exchanges of the lanes, of the partials and of pieces.
fn exchanges(kernel: &Final) -> Vec<Exchange> {
    let of_lanes = match &kernel.fold {
        LaneFold::Own | LaneFold::Alike => &[],
        LaneFold::Ballot { exchanges, .. } => *exchanges,
        LaneFold::Butterfly(exchanges) | LaneFold::Pairs(exchanges) => exchanges.as_slice(),
    };
    let others = kernel.partials.iter().chain(&kernel.pieces);
    of_lanes.iter().chain(others).copied().collect()
}

/// The kernel.
fn body(
    source: &mut Source,
    symbol: &str,
    kernel: &Final,
    places: &[place::Place<'_>],
    meaning: &Meaning<'_>,
) {
    let split = kernel.lanes.block.grid.split;
    let workspace = split.map_or("", |_| ", State *workspace");
    let (explicit, base) = match meaning.index_mode() {
        IndexMode::Position => ("", ""),
        IndexMode::Based => ("", ", Index index_base"),
        IndexMode::Explicit => ("const Index *__restrict__ explicit_indices,\n    ", ""),
    };
    source.open(format!(
        "extern \"C\" __global__ void __launch_bounds__(threads)\n\
         {symbol}(\n    \
         const Element *__restrict__ input, {explicit}Element *__restrict__ values, Index *__restrict__ indices{base}{workspace})"
    ));
    place::thread(source, kernel);
    place::tile(source, kernel, places);
    source.blank();
    for place in places {
        place.print(source);
    }
    source.blank();
    let axes = axis::Axes::new(kernel, places);
    if meaning.starts_at_outputs() {
        store::initial_values(source, kernel, places, &axes);
    }
    steps::print(source, kernel, places, &axes, meaning);
    match kernel.lanes.block.partials() {
        0 => lanes::print(
            source,
            kernel,
            places,
            &axes,
            meaning,
            &|source, conditions| {
                store::result_or_piece(source, kernel, places, meaning, "state", conditions);
            },
        ),
        _ => {
            store::declare_partials(source);
            lanes::print(
                source,
                kernel,
                places,
                &axes,
                meaning,
                &|source, conditions| {
                    store::partial(source, places, &conditions);
                },
            );
            store::fold_partials(source, kernel, places, meaning);
        }
    }
    if split.is_some() {
        store::reduce_pieces(source, kernel, places, meaning);
    }
    source.close();
}
