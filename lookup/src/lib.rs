//! Lookups: the answer to "which configuration?", and its forms.
//!
//! A [`LookupRequest`] names a problem, a target and the lowest acceptable rung. [`answer`] walks
//! the ladder of [`ladder`] and returns a [`LookupAnswer`]; the command line and HTTP both print
//! [`answers::line`] of it.
//!
//! | rung | answer |
//! |---|---|
//! | `exact` | the fastest correct configuration of this problem on a device of the target |
//! | `sibling` | that of another device of the target |
//! | `neighbour` | that of the nearest problem with other sizes, fitted and legal here |
//! | `predicted` | the first choice of the time model, with its expected time |
//! | `default` | the untuned configuration of the generator |
//!
//! - `merit.rs` decides which trials may be served and compares two of them; `ranking.rs` ranks
//!   the answers of a problem. The tuner uses both.
//! - Correct trials come first, then trials with another tie-break. A measured time precedes a
//!   modelled one, and the faster one precedes the slower.
//! - `distance.rs` measures the distance of two problems that differ in sizes.
//!   `neighbour_search.rs` searches from a shape to its nearest ones, in memory and in tables
//!   alike.
//! - `answer_index/` keeps answers in memory, follows the database, and leaves unreadable rows to
//!   it.
//! - `table_file/` writes a table file (`lookup/table/`) and answers from one. `constants.rs`
//!   prints such answers as Rust constants.
//!
//! This crate knows neither the search nor the interface through which the question came.
//!
//! # Invariants
//!
//! - A lookup makes no kernel and starts no search: it takes as long as a query, or as a ranking by
//!   the time model.
//! - Every configuration that is served is legal for the very shape of the question, by its
//!   generator's own rules.
//! - An answer below `exact` names the problem and the device of its time. An expected time is
//!   called so.
//! - One function answers: the command line and HTTP return the same bytes.
//! - A table answers as its database does, except for configurations that only the database knows
//!   to be wrong.
//! - Answers from memory equal answers from the database.
//! - Below the exact answer, the database serves nothing that it knows to be wrong for the
//!   requested problem.
//! - A miss is an answer and no error.

pub mod advice;
mod answer;
mod answer_index;
mod candidates;
mod columns;
pub mod constants;
mod device;
mod distance;
pub mod ladder;
mod merit;
mod neighbour;
mod neighbour_search;
mod problem_list;
mod ranking;
mod regressions;
mod studies;
pub mod table_file;
mod text;

pub use answer::{
    FallbackAnswer, FoundConfiguration, LookupAnswer, LookupMiss, PrintedAnswer, Provenance, Rung,
    part, provenance, trial, wish,
};
pub use answer_index::{
    AnswerIndex, CachedAnswer, ClockCounts, NameCount, PageCursor, Sort, SortBy, Spread,
    TunedEntry, TunedFilter, TunedPage, TuningMap, TuningMapCell,
};
pub use candidates::candidates;
pub use columns::columns;
pub use device::{DeviceRefused, check_device};
pub use distance::{Distance, FACTOR, distance};
pub use ladder::{
    LookupRequest, answer, best_unasked, look, look_below_exact, note, open_wishes,
    predicted_configuration,
};
pub use merit::{Merit, is_behind, is_served};
pub use neighbour::family;
pub use problem_list::{ProblemFilter, ProblemPage, TriedContext, TriedProblem};
pub use ranking::{Ranking, RankingEntry, all_rankings, of_studies, rankings};
pub use regressions::{MedianInterval, Regression, RegressionSide, regression, regressions};
pub use studies::list_studies;
pub use text::short;
