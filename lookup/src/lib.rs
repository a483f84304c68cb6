//! What a compiler asks: the answer to "which configuration?", and the forms in which it is given.
//!
//! A [`Request`] names a problem and a target, and how far down it goes; [`answer`] walks the ladder of [`ladder`] and returns an
//! [`Answer`], whose JSON is the same through every door: the command line and HTTP both print [`answers::line`] of it. [`export`] is
//! what is known in the form that `iree-compile` takes.
//!
//! This crate knows nothing of how configurations are found, and nothing of the doors.

pub mod advice;
mod alike;
mod answer;
mod columns;
pub mod constants;
mod device;
mod distance;
pub mod export;
mod known;
pub mod ladder;
mod listing;
mod merit;
mod outwards;
mod ranking;
mod regressions;
mod studies;
pub mod tabled;
mod text;
mod why;

pub use alike::family;
pub use answer::{
    Answer, Found, Instead, Line, Miss, Provenance, Rung, part, provenance, trial, wish,
};
pub use columns::columns;
pub use device::{DeviceRefused, check_device};
pub use distance::{Distance, FACTOR, distance};
pub use known::{
    After, Both, Cell, Counted, Known, Map, Sort, SortBy, Spread, Told, Tuned, TunedFilter,
    TunedPage,
};
pub use ladder::{Request, answer, best_unasked, look, note, open_wishes};
pub use listing::{Like, Page, Tried, TriedAt};
pub use merit::{Merit, is_behind, is_served};
pub use ranking::{Ranked, Ranking, all_rankings, of_studies, rankings};
pub use regressions::{MedianInterval, Regression, Side, regression, regressions};
pub use studies::told_studies;
pub use text::short;
pub use why::candidates;
