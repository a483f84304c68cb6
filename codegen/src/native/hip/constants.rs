//! The constants of a kernel: of the launch, and of each dimension in a namespace of its own.

use super::place::Place;
use super::source::Source;
use crate::native::stages::last::Final;

/// Prints the constants.
pub(super) fn print(source: &mut Source, kernel: &Final, places: &[Place<'_>]) {
    let block = &kernel.lanes.block;
    let grid = &block.grid;
    source.define("Size", "using Size = unsigned long long;");
    source.blank();
    let constants = [
        ("lanes", grid.subgroup_size.into(), "of a subgroup"),
        ("threads", grid.threads.into(), "of a workgroup"),
        (
            "grid_width",
            grid.workgroups[0].into(),
            "workgroups along x",
        ),
        (
            "all_pieces",
            grid.pieces(),
            "workgroups that have something to do",
        ),
        (
            "pieces",
            grid.sharers().into(),
            "workgroups that share a tile",
        ),
        (
            "counters_at",
            grid.left_bytes(),
            "bytes of the workspace before the counters",
        ),
        (
            "sharers",
            block.sharers().into(),
            "subgroups that share a row",
        ),
        (
            "tile_rows",
            grid.tile_rows().into(),
            "rows of a workgroup's tile",
        ),
    ];
    for (name, value, what) in constants {
        let kind = match value > u32::MAX.into() {
            true => "Size",
            false => "unsigned",
        };
        source.define(
            name,
            format!("constexpr {kind} {name} = {value};  // {what}"),
        );
    }
    source.blank();
    for place in places {
        dimension(source, kernel, place);
    }
}

/// The constants of one dimension.
fn dimension(source: &mut Source, kernel: &Final, place: &Place<'_>) {
    let (d, dimension, lanes) = (place.d, place.dimension, place.lanes);
    let subgroups = &kernel.lanes.block.along[d];
    let [kind, unit, numbers] = match dimension.reduced {
        true => ["reduced", "step", "positions"],
        false => ["parallel", "tile", "results"],
    };
    let inner = &kernel.lanes.block.grid.dimensions[d + 1..];
    let dense: u64 = inner.iter().map(|inner| u64::from(inner.whole)).product();
    source.open(format!(
        "// Dimension {d}, {kind}: {dimension}.\nnamespace dim{d}"
    ));
    let wide = [
        ("stride", dimension.stride, "elements in memory"),
        ("weight", dimension.weight, numbers),
        ("dense", dense, "explicit indices"),
    ];
    for (name, value, what) in wide {
        let what = format!("{what} from one to the next");
        define(source, place, "Size", name, value, &what);
    }
    if let Some(split) = kernel
        .lanes
        .block
        .grid
        .split
        .filter(|split| split.dimension == d)
    {
        let pieces = [
            ("piece", split.piece, "elements of a workgroup's piece"),
            ("last_piece", split.last, "where the last piece starts"),
        ];
        for (name, value, what) in pieces {
            define(source, place, "unsigned", name, value.into(), what);
        }
    }
    let narrow = [
        ("all", dimension.whole, "elements".to_owned()),
        (
            "size",
            dimension.size,
            "elements, of a workgroup".to_owned(),
        ),
        ("tile", dimension.tile(), format!("elements of a {unit}")),
        ("tiles", dimension.tiles(), format!("{unit}s")),
        (
            "last",
            dimension.last(),
            format!("where the last {unit} starts"),
        ),
        (
            "extent",
            dimension.extent(),
            format!("elements of a {unit} that exist"),
        ),
        (
            "subgroup_tile",
            subgroups.tile,
            format!("elements of a {unit} of one subgroup"),
        ),
        (
            "subgroups",
            subgroups.field.count(),
            "along the dimension".to_owned(),
        ),
        (
            "pitch",
            lanes.pitch,
            "elements from a lane to the next".to_owned(),
        ),
        (
            "thread",
            lanes.thread,
            "neighbouring elements of a lane".to_owned(),
        ),
        ("batches", lanes.batches, "rounds of the lanes".to_owned()),
        ("round", lanes.round(), "elements of a round".to_owned()),
        (
            "whole",
            lanes.whole,
            "rounds in which all elements exist".to_owned(),
        ),
        (
            "latest",
            lanes.last,
            "where a lane's elements start at the latest, to exist".to_owned(),
        ),
    ];
    for (name, value, what) in narrow {
        define(source, place, "unsigned", name, value.into(), &what);
    }
    source.close();
    source.blank();
}

fn define(source: &mut Source, place: &Place<'_>, kind: &str, name: &str, value: u64, what: &str) {
    let text = format!("constexpr {kind} {name} = {value};  // {what}");
    source.define(&place.constant(name), text);
}
