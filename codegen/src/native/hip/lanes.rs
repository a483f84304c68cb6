//! From the slots of a lane to the state of each row, in a lane that stores it.
//!
//! The best value is found first and the position second: each takes one instruction an exchange.

use super::axis::{Axes, nest, nest_from, shape, subscripts, subscripts_of_first};
use super::exchange;
use super::expression::{Sum, digits};
use super::meaning::{Meaning, Test};
use super::place::{self, Place};
use super::source::Source;
use crate::native::stages::last::{Final, LaneFold};

/// Prints the functions over the lanes of a row.
pub(super) fn functions(source: &mut Source, kernel: &Final, meaning: &Meaning<'_>) {
    let is_region = meaning.test == Test::Region;
    let (all, one) = ("over_lanes", "Reduces what the lanes of a row have");
    match &kernel.fold {
        LaneFold::Own | LaneFold::Alike => {}
        LaneFold::Butterfly(exchanges) | LaneFold::Pairs(exchanges) => {
            exchange::reduction(
                source,
                all,
                &format!("{one}; all get the result."),
                exchanges,
            );
            let has_best = if is_region {
                HAS_BEST_OF_PAIRS
            } else {
                HAS_BEST
            };
            source.define("has_best", has_best);
        }
        LaneFold::Ballot { exchanges, lane } => {
            let comment = format!("{one}; lane {lane} gets the result.");
            exchange::reduction(source, all, &comment, exchanges);
            let (mask, wide, suffix) = match kernel.lanes.block.grid.subgroup_size {
                32 => ("unsigned", "w32", ""),
                _ => ("unsigned long long", "w64", "ll"),
            };
            let text = |text: &str| {
                let text = text.replace("MASK", mask).replace("WIDE", wide);
                text.replace("LAST", &lane.to_string())
                    .replace("SUFFIX", suffix)
            };
            if is_region {
                source.define("best_of_row", text(BEST_OF_PAIRS));
                source.blank();
                return;
            }
            source.define("ballot", text(BALLOT));
            source.blank();
            source.define("earliest", text(EARLIEST));
            source.blank();
            source.define("best_of_row", text(BEST_OF_ROW));
            source.blank();
            source.define(
                "best_of_one_of_several_rows",
                text(BEST_OF_ONE_OF_SEVERAL_ROWS),
            );
        }
    }
    source.blank();
}

const HAS_BEST: &str = r"
// Whether the lane's state is the best of all lanes with its row: first the best value, then of those that hold
// it the least position.
static __device__ inline bool has_best(State own) {
  const Key key = key_of(own.value);
  const bool holds = key == over_lanes(key, better);
  const Position candidate = holds ? own.position : nowhere;
  return holds & (own.position == over_lanes(candidate, preferred));
}
";

const HAS_BEST_OF_PAIRS: &str = r"
// Whether the lane's state is the best of all lanes with its row.
static __device__ inline bool has_best(State own) { return own.position == over_lanes(own, combine).position; }
";

const BEST_OF_PAIRS: &str = r"
// The best of all lanes' states.
static __device__ inline State best_of_row(State own) { return read_lane(over_lanes(own, combine), LAST); }
";

const BALLOT: &str = r"
// The lanes in which a condition holds.
static __device__ inline MASK ballot(bool holds) { return __builtin_amdgcn_ballot_WIDE(holds); }
";

const EARLIEST: &str = r"
// Of the states of the lanes that hold the best value the one with the least position.
static __device__ inline State earliest(State own, bool holds) {
  const Position candidate = holds ? own.position : nowhere;
  const Position least = read_lane(over_lanes(candidate, preferred), LAST);
  return read_lane(own, __builtin_ctzSUFFIX(ballot(candidate == least)));
}
";

const BEST_OF_ROW: &str = r"
// The best of all lanes' states. Mostly one lane holds the best value, and its state is read.
static __device__ inline State best_of_row(State own) {
  const Key key = key_of(own.value);
  const bool holds = key == read_lane(over_lanes(key, better), LAST);
  const MASK holders = ballot(holds);
  if (__builtin_popcountSUFFIX(holders) == 1) return read_lane(own, __builtin_ctzSUFFIX(holders));
  return earliest(own, holds);
}
";

const BEST_OF_ONE_OF_SEVERAL_ROWS: &str = r"
// The best of all lanes' states. Without branches, so that the exchanges of the rows fill each other's waiting
// times.
static __device__ inline State best_of_one_of_several_rows(State own) {
  const Key key = key_of(own.value);
  return earliest(own, key == read_lane(over_lanes(key, better), LAST));
}
";

/// Prints what gives each row a state, and then `store`, with the conditions of its own under which a lane has the row
/// whose coordinates are `row<d>`.
pub(super) fn print(
    source: &mut Source,
    kernel: &Final,
    places: &[Place<'_>],
    axes: &Axes,
    meaning: &Meaning<'_>,
    store: &dyn Fn(&mut Source, Vec<String>),
) {
    let (of_rows, row) = (shape(&axes.row), subscripts(&axes.row));
    let own_rows = |source: &mut Source, mut conditions: Vec<String>| {
        conditions.extend(place::row(source, places));
        store(source, conditions);
    };
    match &kernel.fold {
        LaneFold::Alike => {
            fold_slots(source, kernel, places, axes);
            source.blank();
            source.lines("// All lanes have the same.");
            own_rows(source, vec!["lane == 0".to_owned()]);
        }
        LaneFold::Own | LaneFold::Butterfly(_) | LaneFold::Pairs(_) => {
            let shared = kernel.fold != LaneFold::Own;
            let array = !axes.row.is_empty();
            if array {
                source.lines(format!("State rows{of_rows};"));
                if shared {
                    source.lines(format!("bool is_best{of_rows};"));
                }
            }
            nest(source, &axes.row, |source| {
                fold_slots(source, kernel, places, axes);
                if array {
                    source.lines(format!("rows{row} = state;"));
                }
                match (shared, array) {
                    (true, true) => source.lines(format!("is_best{row} = has_best(state);")),
                    (true, false) => source.lines("const bool is_best = has_best(state);"),
                    _ => {}
                }
            });
            source.blank();
            nest(source, &axes.row, |source| {
                if array {
                    source.lines(format!("const State state = rows{row};"));
                }
                let winner = shared.then(|| format!("is_best{row}"));
                own_rows(source, winner.into_iter().collect());
            });
        }
        LaneFold::Ballot { .. } if axes.row.is_empty() => {
            fold_slots(source, kernel, places, axes);
            source.lines("state = best_of_row(state);");
            source.blank();
            own_rows(source, vec!["lane == 0".to_owned()]);
        }
        LaneFold::Ballot { .. } => {
            let of_several = match meaning.test {
                Test::Ordered { .. } => "best_of_one_of_several_rows",
                Test::Region => "best_of_row",
            };
            let count: u32 = axes.row.iter().map(|axis| axis.count).product();
            let counts: Vec<(u64, String)> = axes
                .row
                .iter()
                .map(|axis| (axis.count.into(), axis.bound.clone()))
                .collect();
            let numbers: Vec<(String, String)> = axes
                .row
                .iter()
                .map(|axis| (axis.variable.clone(), axis.bound.clone()))
                .collect();
            source.lines(
                "// Each row ends in a lane of its own, so that one instruction stores them all.",
            );
            source.lines("State gathered = {};");
            nest(source, &axes.row, |source| {
                fold_slots(source, kernel, places, axes);
                source.lines(format!("state = {of_several}(state);"));
                let number = super::expression::number(&numbers);
                source.lines(format!("if (lane == {number}) gathered = state;"));
            });
            source.lines("const State state = gathered;");
            for (axis, digit) in axes.row.iter().zip(digits("lane", &counts)) {
                let (name, digit) = (&axis.variable, digit.unwrap_or_default());
                source.define(name, format!("const unsigned {name} = {digit};"));
            }
            let bounds: Vec<String> = counts.into_iter().map(|(_, name)| name).collect();
            let mut conditions = Vec::new();
            if count < kernel.lanes.block.grid.subgroup_size {
                conditions.push(format!("lane < {}", bounds.join(" * ")));
            }
            own_rows(source, conditions);
        }
    }
}

/// Defines `state`, that of a row's slots together.
fn fold_slots(source: &mut Source, kernel: &Final, places: &[Place<'_>], axes: &Axes) {
    let first = subscripts_of_first(&axes.slot, &axes.row);
    let is_ballot = matches!(kernel.fold, LaneFold::Ballot { .. });
    if !axes.element.is_empty() {
        source.lines("// The lane's best element of the row.");
    }
    let kind = match axes.element.is_empty() && !is_ballot {
        true => "const State",
        false => "State",
    };
    source.lines(format!("{kind} state = {{best{first}, position{first}}};"));
    let start = u32::from(axes.element.len() == 1);
    if axes.element.is_empty() {
        return;
    }
    let reduced = places.iter().filter(|place| place.dimension.reduced);
    let distance = reduced
        .map(|place| {
            let weight = place.dimension.weight;
            place.element().times(&place.constant("weight"), weight)
        })
        .fold(Sum::default(), Sum::plus);
    nest_from(source, &axes.element, start, |source| {
        let slot = subscripts(&axes.slot);
        let position = format!("moved(position{slot}, {distance})");
        source.lines(format!(
            "state = combine(state, {{best{slot}, {position}}});"
        ));
    });
}
