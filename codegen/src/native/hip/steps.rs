//! What a lane does on its own: the loops over the steps, and in each all loads before the first element is used.
//!
//! A slot keeps the best of its elements and the position of the batch that had it; what the element of the thread tile
//! adds to the position is the same for all of a slot and is added at the end. Where elements are taken one by one, a
//! row has one slot, which keeps the position of the element.

use super::axis::{Axes, nest, shape, subscripts};
use super::expression::Sum;
use super::meaning::Meaning;
use super::place::Place;
use super::source::Source;
use crate::native::stages::dimension::Cover;
use crate::native::stages::last::Final;

/// Prints the slots and the loops that fill them.
pub(super) fn print(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    axes: &Axes,
    meaning: &Meaning<'_>,
) {
    let element_bytes = kernel.lanes.block.grid.element_bytes().into();
    let first = in_memory(places, |place| place.first().plus(place.origin()));
    source.lines("// Where the subgroup's elements are, and from there the lane's.");
    let loops: Vec<&Place<'_>> = places.iter().filter(|p| !p.step().is_zero()).collect();
    let name = if loops.is_empty() { "from" } else { "first" };
    source.lines(format!(
        "const Pointer {name} = (Pointer)input{};",
        first.added()
    ));
    let offsets = axes.of_offsets(places);
    let offset = format!("offset{}", subscripts(&offsets));
    let bytes = in_memory(places, Place::start).times("sizeof(Element)", element_bytes);
    if offsets.is_empty() {
        source.lines(format!("Offset offset = {bytes};"));
    } else {
        source.lines(format!("Offset offset{};", shape(&offsets)));
        nest(source, &offsets, |source| {
            source.lines(format!("{offset} = {bytes};"))
        });
    }
    source.blank();

    let (slot, of_slots) = (subscripts(&axes.slot), shape(&axes.slot));
    let has_one_slot = kernel.lanes.has_one_slot();
    let is_serial = kernel.lanes.block.grid.combiner.is_serial();
    source.lines(match has_one_slot {
        true => "// What each row has come to, and its position.",
        false => "// The best element of each slot, and the position of its batch.",
    });
    let initial = match meaning.starts_at_outputs() {
        true => format!("start{}", subscripts(&axes.row)),
        false => "initial".to_owned(),
    };
    if axes.slot.is_empty() {
        source.lines(format!(
            "Value best = {initial};\nPosition position = nowhere;"
        ));
    } else {
        source.lines(format!(
            "Value best{of_slots};\nPosition position{of_slots};"
        ));
        nest(source, &axes.slot, |source| {
            source.lines(format!(
                "best{slot} = {initial};\nposition{slot} = nowhere;"
            ));
        });
    }
    source.blank();

    for place in &loops {
        open_loop(source, place);
    }
    if !loops.is_empty() {
        let from = in_memory(places, Place::step).added();
        source.lines(format!("const Pointer from = first{from};"));
    }
    if !loops.is_empty() && !kernel.wide_offsets {
        nest(source, &offsets, |source| {
            source.lines(format!("keep_apart({offset});"))
        });
    }
    source.lines("// All loads, and then the elements, of which the first are used while the last are on their way.");
    source.lines(format!("Value loaded{};", shape(&axes.loaded)));
    let by_load = &axes.loaded[..axes.loaded.len() - usize::from(axes.vector.is_some())];
    nest(source, by_load, |source| {
        let constant = in_memory(places, |place| {
            let element = match place.d == kernel.vector {
                true => Sum::default(),
                false => place.element(),
            };
            place.batch().plus(element)
        });
        let (from, to) = (format!("from{}", constant.added()), subscripts(by_load));
        let mut done = 0;
        for &count in &kernel.loads {
            let plus = if done == 0 {
                String::new()
            } else {
                format!(" + {done}")
            };
            source.lines(match (axes.vector.is_some(), count) {
                (false, _) => format!("loaded{to} = load({from}, {offset});"),
                (true, 1) => format!("loaded{to}[{done}] = load({from}{plus}, {offset});"),
                (true, _) => {
                    format!("load_vector<{count}>({from}{plus}, {offset}, loaded{to}{plus});")
                }
            });
            done += count;
        }
    });

    nest(source, &axes.batch, |source| {
        let here = places
            .iter()
            .filter(|place| place.dimension.reduced)
            .map(|place| {
                let coordinate = place.first().plus(place.step()).plus(place.origin());
                let coordinate = coordinate.plus(place.start()).plus(place.batch());
                let coordinate = match has_one_slot {
                    true => coordinate.plus(place.element()),
                    false => coordinate,
                };
                coordinate.times(&place.constant("weight"), place.dimension.weight)
            });
        let here = here.fold(Sum::default(), Sum::plus);
        for place in loops.iter().filter(|place| is_serial && is_shifted(place)) {
            let coordinate = place.step().plus(place.batch()).plus(place.element());
            let next = place.variable("next");
            source.lines(format!(
                "if ({coordinate} < {next}) continue;  // taken before"
            ));
        }
        source.lines(format!("const Position here = {here};"));
        nest(source, &axes.slot, |source| {
            let loaded = subscripts(&axes.loaded);
            source.open(format!("if (replaces(loaded{loaded}, best{slot}))"));
            source.lines(format!(
                "best{slot} = loaded{loaded};\nposition{slot} = here;"
            ));
            source.close();
        });
    });
    for _ in &loops {
        source.close();
    }
    source.blank();
}

/// What a part of the coordinates means in memory, in elements.
fn in_memory<'a>(places: &[Place<'a>], part: impl Fn(&Place<'a>) -> Sum) -> Sum {
    let terms = places
        .iter()
        .map(|place| part(place).times(&place.constant("stride"), place.dimension.stride));
    terms.fold(Sum::default(), Sum::plus)
}

/// Whether the last step starts earlier.
fn is_shifted(place: &Place<'_>) -> bool {
    place.dimension.cover() == Cover::Shifted
}

/// The loop over the steps along a reduced dimension.
fn open_loop(source: &mut Source, place: &Place<'_>) {
    let (size, tile) = (place.constant("size"), place.constant("tile"));
    let step = place.variable("step");
    source.lines("#pragma unroll 1");
    if !is_shifted(place) {
        source.open(format!(
            "for (unsigned {step} = 0; {step} < {size}; {step} += {tile})"
        ));
        return;
    }
    let next = place.variable("next");
    source.open(format!(
        "for (unsigned {next} = 0; {next} < {size}; {next} += {tile})"
    ));
    let last = place.constant("last");
    source.lines(format!("const unsigned {step} = at_most({next}, {last});"));
}
