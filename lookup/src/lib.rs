//! What a compiler asks: the answer to "which configuration?", and the forms in which it is given.
//!
//! A [`Request`] names a problem and a target, and how far down it goes; [`answer`] walks the ladder of [`ladder`] and returns an
//! [`Answer`], whose JSON is the same through every door: the command line and HTTP both print [`answers::line`] of it. [`export`] is
//! what is known in the form that `iree-compile` takes.
//!
//! This crate knows nothing of how configurations are found, and nothing of the doors.

pub mod advice;
mod answer;
mod answer_index;
mod candidates;
mod columns;
pub mod constants;
mod device;
mod distance;
pub mod export;
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
pub use ladder::{LookupRequest, answer, best_unasked, look, note, open_wishes};
pub use merit::{Merit, is_behind, is_served};
pub use neighbour::family;
pub use problem_list::{ProblemFilter, ProblemPage, TriedContext, TriedProblem};
pub use ranking::{Ranking, RankingEntry, all_rankings, of_studies, rankings};
pub use regressions::{MedianInterval, Regression, RegressionSide, regression, regressions};
pub use studies::list_studies;
pub use text::short;
