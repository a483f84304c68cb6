//! The state of a row, and how two become one.

use configgen::comparator::order::Ties;

use super::meaning::{Meaning, Test};
use super::source::Source;

/// Prints the type of positions, the state and its functions.
pub(super) fn print(source: &mut Source, meaning: &Meaning<'_>) {
    let position = meaning.position();
    source.define(
        "Position",
        format!("using Position = {position};  // of an element in its row"),
    );
    source.define(
        "nowhere",
        "constexpr Position nowhere = ~Position(0);  // while no element has replaced the initial value",
    );
    source.blank();
    source.define("moved", MOVED);
    source.blank();
    source.define("State", STATE);
    source.blank();
    let (tie, preferred) = match meaning.ties {
        Ties::First => ("lower", "a < b"),
        // One more, so that nowhere is 0.
        Ties::Last => ("higher", "Position(a + 1) > Position(b + 1)"),
    };
    source.define(
        "preferred",
        format!(
            "// Of equal elements the one with the {tie} position wins; nowhere loses.\n\
             static __device__ inline Position preferred(Position a, Position b) {{ return {preferred} ? a : b; }}"
        ),
    );
    source.blank();
    let combine = match (meaning.test, meaning.ties) {
        (Test::Region, _) => COMBINE_ANY,
        (Test::Ordered { .. }, Ties::First) => COMBINE_FIRST,
        (Test::Ordered { .. }, Ties::Last) => COMBINE_LAST,
    };
    source.define("combine", combine);
    source.blank();
}

const MOVED: &str = r"
// A position moved; nowhere stays nowhere.
static __device__ inline Position moved(Position position, Position distance) {
  return __builtin_elementwise_add_sat(position, distance);
}
";

const STATE: &str = r"
// The best of some elements of a row.
struct alignas(8) State {
  Value value;
  Position position;
};
";

const COMBINE_FIRST: &str = r"
// The better of two states, wherever they come from.
static __device__ inline State combine(State a, State b) {
  const bool tie = !replaces(a.value, b.value) && b.position < a.position;
  return replaces(b.value, a.value) || tie ? b : a;
}
";

const COMBINE_LAST: &str = r"
// The better of two states, wherever they come from. Of equals each replaces the other.
static __device__ inline State combine(State a, State b) {
  const bool wins = !replaces(a.value, b.value) || Position(b.position + 1) > Position(a.position + 1);
  return replaces(b.value, a.value) && wins ? b : a;
}
";

const COMBINE_ANY: &str = r"
// The better of two states, wherever they come from.
static __device__ inline State combine(State a, State b) {
  if (a.position == nowhere || b.position == nowhere) return a.position == nowhere ? b : a;
  const bool b_wins = replaces(b.value, a.value), a_wins = replaces(a.value, b.value);
  return b_wins == a_wins ? (preferred(a.position, b.position) == b.position ? b : a) : (b_wins ? b : a);
}
";
