//! Where a thread is, and where its elements are, one dimension at a time.
//!
//! Along dimension d a lane's element is at `first<d> + origin<d> + start<d> + batch<d> * round + element<d>`: the
//! first of the workgroup's tile and what the subgroup adds, which are the same for all lanes; what the lane adds; the
//! batch and the element of the thread tile. Where a tile has more elements than exist, origin and batch are part of
//! `start<d>(batch<d>)`.

use super::expression::{Sum, digits};
use super::source::Source;
use crate::native::isa::cross_lane::Field;
use crate::native::stages::dimension::{Cover, Dimension};
use crate::native::stages::lanewise::Lanes;
use crate::native::stages::last::Final;

/// One dimension of a kernel.
pub(super) struct Place<'a> {
    pub(super) d: usize,
    pub(super) dimension: &'a Dimension,
    pub(super) lanes: &'a Lanes,
    /// Elements of the tile of a subgroup.
    subgroup_tile: u32,
    /// Whether several workgroups share it, a piece each.
    is_split: bool,
    /// Its lanes and its subgroups, as digits of their ids.
    lane: Sum,
    subgroup: Sum,
}

/// Who a thread is: the dimensions of a kernel.
pub(super) fn places(kernel: &Final) -> Vec<Place<'_>> {
    let block = &kernel.lanes.block;
    let dimensions = block.grid.dimensions.iter().enumerate();
    dimensions
        .map(|(d, dimension)| {
            let lanes = &kernel.lanes.along[d];
            Place {
                d,
                dimension,
                lanes,
                subgroup_tile: block.along[d].tile,
                is_split: block.grid.split.is_some_and(|split| split.dimension == d),
                lane: digit("lane", lanes.field, block.grid.subgroup_size),
                subgroup: digit("subgroup", block.along[d].field, block.subgroups()),
            }
        })
        .collect()
}

/// The digit `field` of `id`, which is below `ids`.
fn digit(id: &str, field: Field, ids: u32) -> Sum {
    if field.bits == 0 {
        return Sum::default();
    }
    let shifted = match field.low {
        0 => id.to_owned(),
        low => format!("{id} / {}", 1u32 << low),
    };
    match field.count() << field.low < ids {
        true => Sum::of(format!("{shifted} % {}", field.count())),
        false => Sum::of(shifted),
    }
}

impl Place<'_> {
    /// A constant of the dimension.
    pub(super) fn constant(&self, name: &str) -> String {
        format!("dim{}::{name}", self.d)
    }

    /// A variable of the dimension.
    pub(super) fn variable(&self, name: &str) -> String {
        format!("{name}{}", self.d)
    }

    fn term(&self, name: &str, exists: bool) -> Sum {
        match exists {
            true => Sum::of(self.variable(name)),
            false => Sum::default(),
        }
    }

    /// Whether lanes whose elements do not exist start earlier.
    fn is_clamped(&self) -> bool {
        self.lanes.whole < self.lanes.batches
    }

    /// Whether several batches are clamped, so that the start is a function.
    pub(super) fn start_is_function(&self) -> bool {
        self.is_clamped() && self.lanes.batches > 1
    }

    /// The first element of the workgroup's tile, or of its piece.
    pub(super) fn first(&self) -> Sum {
        let is_one_of_several = !self.dimension.reduced && self.dimension.tiles() > 1;
        self.term("first", is_one_of_several || self.is_split)
    }

    /// The first element of the step, in the loop over the steps.
    pub(super) fn step(&self) -> Sum {
        self.term("step", self.dimension.reduced && self.dimension.tiles() > 1)
    }

    /// What the subgroup adds.
    pub(super) fn origin(&self) -> Sum {
        let clamped = self.dimension.cover() == Cover::Clamped;
        self.term("origin", !clamped && !self.subgroup.is_zero())
    }

    /// What the lane adds, in the batch `batch<d>` if it matters.
    pub(super) fn start(&self) -> Sum {
        match self.start_is_function() {
            true => Sum::of(format!("start{0}(batch{0})", self.d)),
            false => self.term("start", !self.wanted().is_zero()),
        }
    }

    /// What the batch adds.
    pub(super) fn batch(&self) -> Sum {
        match self.start_is_function() {
            true => Sum::default(),
            false => self.batches_away(),
        }
    }

    fn batches_away(&self) -> Sum {
        let round = u64::from(self.lanes.round());
        self.term("batch", self.lanes.batches > 1)
            .times(&self.constant("round"), round)
    }

    /// The element of the thread tile.
    pub(super) fn element(&self) -> Sum {
        self.term("element", self.lanes.thread > 1)
    }

    /// Where the lane's elements would start if all existed, without the subgroup's part if that is uniform.
    fn wanted(&self) -> Sum {
        let pitch = u64::from(self.lanes.pitch);
        let lane = self
            .named("lane", &self.lane)
            .times(&self.constant("pitch"), pitch);
        match self.dimension.cover() {
            Cover::Clamped => self.subgroup_start().plus(lane),
            Cover::Exact | Cover::Shifted => lane,
        }
    }

    fn subgroup_start(&self) -> Sum {
        let name = self.constant("subgroup_tile");
        self.subgroup().times(&name, self.subgroup_tile.into())
    }

    /// The number of the subgroup along the dimension.
    pub(super) fn subgroup(&self) -> Sum {
        self.named("subgroup", &self.subgroup)
    }

    /// The variable `name<d>` of this digit of an id; the id itself if that is all there is.
    fn named(&self, name: &str, digit: &Sum) -> Sum {
        match *digit == Sum::of(name) {
            true => digit.clone(),
            false => self.term(name, !digit.is_zero()),
        }
    }

    /// The coordinate in the workgroup's tile.
    pub(super) fn coordinate(&self) -> Sum {
        let lane = self.origin().plus(self.start());
        lane.plus(self.batch()).plus(self.element())
    }

    /// The coordinate of a row in the workgroup's tile, if there are several.
    pub(super) fn row(&self) -> Sum {
        self.term("row", self.dimension.extent() > 1)
    }

    /// Whether coordinate `row<d>` is of a row that this workgroup stores, where another one may.
    pub(super) fn is_stored(&self) -> Option<String> {
        let is_shifted = self.dimension.cover() == Cover::Shifted && !self.dimension.reduced;
        let coordinate = self.first().plus(self.row());
        is_shifted.then(|| format!("{coordinate} >= own{}", self.d))
    }

    /// Whether coordinate `row<d>` is the lane's own, where a lane may repeat what others have.
    pub(super) fn is_own(&self) -> Option<String> {
        if !self.is_clamped() {
            return None;
        }
        let wanted = self.term("wanted", !self.wanted().is_zero());
        let wanted = wanted.plus(self.batches_away());
        let trivial = wanted.is_zero();
        (!trivial).then(|| format!("row{} >= {wanted}", self.d))
    }

    /// Defines what the methods name.
    pub(super) fn print(&self, source: &mut Source) {
        let d = self.d;
        let mut define = |name: &str, value: String| {
            let name = format!("{name}{d}");
            if name != value {
                source.define(&name, format!("const unsigned {name} = {value};"));
            }
        };
        define("lane", self.lane.to_string());
        define("subgroup", self.subgroup.to_string());
        define("origin", self.subgroup_start().to_string());
        if !self.is_clamped() {
            return define("start", self.wanted().to_string());
        }
        define("wanted", self.wanted().to_string());
        let wanted = self.term("wanted", !self.wanted().is_zero());
        let latest = self.constant("latest");
        if self.lanes.batches == 1 {
            return define("start", format!("at_most({wanted}, {latest})"));
        }
        let round = self.constant("round");
        let wanted = wanted.plus(Sum::of("batch").times(&round, u64::from(self.lanes.round())));
        let start = match self.lanes.whole {
            0 => format!("at_most(start, {latest})"),
            _ => {
                let whole = self.constant("whole");
                format!("batch < {whole} ? start : at_most(start, {latest})")
            }
        };
        let name = self.variable("start");
        source.define(
            &name,
            format!(
                "// In batches that not all lanes have, some start earlier and repeat what others have.\n\
                 const auto {name} = [=](unsigned batch) {{\n  \
                   const unsigned start = {wanted};\n  \
                   return {start};\n\
                 }};"
            ),
        );
    }
}

/// Defines the coordinates `row<d>` of a row of the lane in the workgroup's tile; returns the conditions under which it is
/// the lane's own.
pub(super) fn row(source: &mut Source, places: &[Place<'_>]) -> Vec<String> {
    let mut conditions = Vec::new();
    for place in places.iter().filter(|place| !place.dimension.reduced) {
        let (name, coordinate) = (place.variable("row"), place.coordinate());
        source.define(&name, format!("const unsigned {name} = {coordinate};"));
        conditions.extend(place.is_own());
    }
    conditions
}

/// Defines the thread, its lane and its subgroup.
pub(super) fn thread(source: &mut Source, kernel: &Final) {
    source.define(
        "thread",
        "const unsigned thread = __builtin_amdgcn_workitem_id_x();",
    );
    match kernel.lanes.block.subgroups() {
        1 => source.define("lane", "const unsigned lane = thread;"),
        _ => {
            source.define("lane", "const unsigned lane = thread % lanes;");
            source.define(
                "subgroup",
                "// The same in all lanes, which the compiler cannot know.\n\
                 const unsigned subgroup = __builtin_amdgcn_readfirstlane(thread / lanes);",
            );
        }
    }
}

/// Defines where the workgroup's tile is; surplus workgroups end here.
pub(super) fn tile(source: &mut Source, kernel: &Final, places: &[Place<'_>]) {
    let grid = &kernel.lanes.block.grid;
    let [x, y] = grid.workgroups.map(u64::from);
    if x * y == 1 {
        return;
    }
    let id = "__builtin_amdgcn_workgroup_id_x()";
    let row = "__builtin_amdgcn_workgroup_id_y()";
    let is_wide = x * y > 1 << 32;
    let (kind, value) = match (y, is_wide) {
        (1, _) => ("unsigned", id.to_owned()),
        (_, false) => ("unsigned", format!("{row} * grid_width + {id}")),
        (_, true) => ("Size", format!("{row} * Size(grid_width) + {id}")),
    };
    let name = if grid.split.is_some() {
        "workgroup"
    } else {
        "tile"
    };
    source.define(name, format!("const {kind} {name} = {value};"));
    if grid.has_surplus() {
        source.lines(format!("if ({name} >= all_pieces) return;"));
    }
    if let Some(split) = grid.split {
        let (d, place) = (split.dimension, &places[split.dimension]);
        let (piece, last) = (place.constant("piece"), place.constant("last_piece"));
        source.define("tile", format!("const {kind} tile = workgroup / pieces;"));
        source.lines("const unsigned piece = unsigned(workgroup % pieces);");
        source.lines(format!(
            "const unsigned first{d} = at_most(piece * {piece}, {last});"
        ));
    }
    let parallel: Vec<&Place<'_>> = places.iter().filter(|p| !p.dimension.reduced).collect();
    let counts: Vec<(u64, String)> = parallel
        .iter()
        .map(|place| (place.dimension.tiles().into(), place.constant("tiles")))
        .collect();
    for (place, digit) in parallel.iter().zip(digits("tile", &counts)) {
        let Some(digit) = digit else { continue };
        let (d, dimension) = (place.d, place.dimension);
        let digit = Sum::of(match is_wide {
            true => format!("unsigned({digit})"),
            false => digit,
        });
        let own = digit.times(&place.constant("tile"), dimension.tile().into());
        let first = match dimension.cover() {
            Cover::Shifted => {
                source.define(
                    &format!("own{d}"),
                    format!("const unsigned own{d} = {own};  // what is before it, another workgroup stores"),
                );
                format!("at_most(own{d}, {})", place.constant("last"))
            }
            Cover::Exact | Cover::Clamped => own.to_string(),
        };
        let name = place.variable("first");
        source.define(&name, format!("const unsigned {name} = {first};"));
    }
}
