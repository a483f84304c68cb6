//! From the states of rows to the results: directly, or by way of LDS where several subgroups share a row.

use configgen::IndexMode;

use super::axis::{Axes, nest, shape, subscripts};
use super::expression::{Sum, digits, number};
use super::meaning::Meaning;
use super::place::{self, Place};
use super::source::Source;
use crate::native::stages::last::Final;

/// Prints `body` for the threads in which all conditions hold.
fn guarded(source: &mut Source, conditions: &[String], body: impl FnOnce(&mut Source)) {
    if conditions.is_empty() {
        return body(source);
    }
    source.open(format!("if ({})", conditions.join(" && ")));
    body(source);
    source.close();
}

/// The number of the row with coordinates `row<d>` in the workgroup's tile, and its C++ type.
fn row_number(kernel: &Final, places: &[Place<'_>]) -> (&'static str, Sum) {
    let kind = match kernel.lanes.block.grid.rows() > u32::MAX.into() {
        true => "Size",
        false => "unsigned",
    };
    let parallel = places.iter().filter(|place| !place.dimension.reduced);
    let terms = parallel.map(|place| {
        let coordinate = place.first().plus(place.row());
        coordinate.times(&place.constant("weight"), place.dimension.weight)
    });
    (kind, terms.fold(Sum::default(), Sum::plus))
}

/// Defines `start`, the initial value of each row of the lane, where the outputs hold them. That of a row that is stored
/// elsewhere is not read: it may have been stored by now.
pub(super) fn initial_values(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    axes: &Axes,
) {
    let (kind, number) = row_number(kernel, places);
    let start = format!("start{}", subscripts(&axes.row));
    source.lines(
        "// Where the fold of each row starts; of one that is stored elsewhere it does not matter.",
    );
    source.lines(format!("Value start{};", shape(&axes.row)));
    let is_alone = axes.row.is_empty();
    if is_alone {
        source.open("");
    }
    nest(source, &axes.row, |source| {
        let mut conditions = place::row(source, places);
        conditions.extend(places.iter().filter_map(Place::is_stored));
        source.lines(format!("const {kind} row = {number};"));
        let value = "value_of(values[row])";
        source.lines(match conditions.is_empty() {
            true => format!("{start} = {value};"),
            false => format!("{start} = {} ? {value} : initial;", conditions.join(" && ")),
        });
    });
    if is_alone {
        source.close();
    }
    source.blank();
}

/// Stores the variable `state` as that of the row with coordinates `row<d>` in the workgroup's tile, where all conditions
/// hold.
pub(super) fn result(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    meaning: &Meaning<'_>,
    state: &str,
    mut conditions: Vec<String>,
) {
    conditions.extend(places.iter().filter_map(Place::is_stored));
    let index = match meaning.index_mode() {
        IndexMode::Position => format!("Index({state}.position)"),
        IndexMode::Based => format!("Index({state}.position) + index_base"),
        IndexMode::Explicit => format!("explicit_indices[{}]", explicit_place(places, state)),
    };
    let index = match meaning.starts_at_outputs() {
        true => {
            // What the outputs hold stays where nothing has replaced it.
            conditions.push(format!("{state}.position != nowhere"));
            index
        }
        false => format!("{state}.position == nowhere ? 0 : {index}"),
    };
    let value = format!("values[row] = element_of({state}.value);");
    let index = format!("indices[row] = {index};");
    with_row(source, kernel, places, &conditions, &[value, index]);
}

/// Lines that use `row`, its number, for the threads in which all conditions hold.
fn with_row(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    conditions: &[String],
    lines: &[String],
) {
    let (kind, number) = row_number(kernel, places);
    guarded(source, conditions, |source| {
        source.lines(format!("const {kind} row = {number};"));
        for line in lines {
            source.lines(line);
        }
    });
}

/// As [`result`], or leaves the state for the workgroup that reduces what several have of a row.
pub(super) fn result_or_piece(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    meaning: &Meaning<'_>,
    state: &str,
    mut conditions: Vec<String>,
) {
    if kernel.lanes.block.grid.split.is_none() {
        return result(source, kernel, places, meaning, state, conditions);
    }
    conditions.extend(places.iter().filter_map(Place::is_stored));
    let piece = format!("workspace[Size(row) * pieces + piece] = {state};");
    with_row(source, kernel, places, &conditions, &[piece]);
}

/// After all rows: the last workgroup of a tile reduces what all have left.
pub(super) fn reduce_pieces(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    meaning: &Meaning<'_>,
) {
    source.blank();
    source.lines(
        "// Each workgroup has left its states. The last one reduces them, and sets the counter back.\n\
         unsigned *const counter = (unsigned *)((char *)workspace + counters_at) + tile;\n\
         if (counted_before(counter) != pieces - 1) return;\n\
         if (thread == 0) *counter = 0;",
    );
    source.open("for (unsigned number = thread; number < tile_rows * pieces; number += threads)");
    row_of(source, places, "number / pieces");
    let stored: Vec<String> = places.iter().filter_map(Place::is_stored).collect();
    let (kind, number) = row_number(kernel, places);
    guarded(source, &stored, |source| {
        let left = format!("workspace[Size({kind}({number})) * pieces + number % pieces]");
        source.lines(format!("const State whole = over_pieces({left}, combine);"));
        let is_first = "number % pieces == 0".to_owned();
        result(source, kernel, places, meaning, "whole", vec![is_first]);
    });
    source.close();
}

/// Defines the coordinates `row<d>` of row `number` of the workgroup's tile.
fn row_of(source: &mut Source, places: &[Place<'_>], number: &str) {
    let parallel: Vec<&Place<'_>> = places.iter().filter(|p| !p.dimension.reduced).collect();
    let extents: Vec<(u64, String)> = parallel
        .iter()
        .map(|place| (place.dimension.extent().into(), place.constant("extent")))
        .collect();
    for (place, digit) in parallel.iter().zip(digits(number, &extents)) {
        if let Some(digit) = digit {
            let name = place.variable("row");
            source.define(&name, format!("const unsigned {name} = {digit};"));
        }
    }
}

/// Where the explicit index of a state's position is.
fn explicit_place(places: &[Place<'_>], state: &str) -> Sum {
    let reduced: Vec<&Place<'_>> = places.iter().filter(|p| p.dimension.reduced).collect();
    let sizes: Vec<(u64, String)> = reduced
        .iter()
        .map(|place| (place.dimension.whole.into(), place.constant("all")))
        .collect();
    let mut along = digits(&format!("{state}.position"), &sizes).into_iter();
    let mut terms = Sum::default();
    for (d, place) in places.iter().enumerate() {
        let coordinate = match place.dimension.reduced {
            true => along.next().flatten().map_or_else(Sum::default, Sum::of),
            false => place.first().plus(place.row()),
        };
        let dense = places[d + 1..].iter().map(|p| u64::from(p.dimension.whole));
        terms = terms.plus(coordinate.times(&place.constant("dense"), dense.product()));
    }
    terms
}

/// Declares the partials.
pub(super) fn declare_partials(source: &mut Source) {
    source.define(
        "partials",
        "// Of each row the states of the subgroups that share it.\n__shared__ State partials[tile_rows][sharers];",
    );
}

/// Writes `state` as the subgroup's part of the row with coordinates `row<d>`, where all conditions hold.
pub(super) fn partial(source: &mut Source, places: &[Place<'_>], conditions: &[String]) {
    let (reduced, parallel): (Vec<&Place<'_>>, Vec<&Place<'_>>) =
        places.iter().partition(|place| place.dimension.reduced);
    let rows = parallel.iter().filter(|place| !place.row().is_zero());
    let rows: Vec<(String, String)> = rows
        .map(|place| (place.row().to_string(), place.constant("extent")))
        .collect();
    let sharers = reduced.iter().filter(|place| !place.subgroup().is_zero());
    let sharers: Vec<(String, String)> = sharers
        .map(|place| (place.subgroup().to_string(), place.constant("subgroups")))
        .collect();
    guarded(source, conditions, |source| {
        source.lines(format!(
            "partials[{}][{}] = state;",
            number(&rows),
            number(&sharers)
        ));
    });
}

/// After the barrier: as many threads as there are partials reduce them, and the first of each row stores its result.
pub(super) fn fold_partials(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    meaning: &Meaning<'_>,
) {
    let block = &kernel.lanes.block;
    source.blank();
    source.lines("barrier();");
    source.lines("// Each partial in a thread; those of a row are neighbours.");
    let number = match block.partials() <= block.grid.threads {
        true => {
            source.open("if (thread < tile_rows * sharers)");
            "thread"
        }
        false => {
            source.open(
                "for (unsigned number = thread; number < tile_rows * sharers; number += threads)",
            );
            "number"
        }
    };
    source.lines(format!(
        "const State whole = over_sharers(partials[{number} / sharers][{number} % sharers], combine);"
    ));
    row_of(source, places, &format!("{number} / sharers"));
    let is_first = format!("{number} % sharers == 0");
    result_or_piece(source, kernel, places, meaning, "whole", vec![is_first]);
    source.close();
}
