//! The common parts of the relational stores.
//!
//! These are rows, the columns of a problem and of a task, the buffer of wishes, and the choice
//! of rows in a merge.
//!
//! `store/relational/shared` has the implementations of the interfaces, with each query in both
//! dialects. They are no part of this package: `store-sqlite` and `store-postgres` include them,
//! because the compiler checks a query against one database for each package. `dialect.rs` of
//! both takes its own text of a query.
//!
//! A dialect reads its columns as the fields of these rows, in any types of its own, and binds
//! the fields when it writes. One place therefore checks each value, and names an unreadable one.
//!
//! This package knows no driver and no query.

mod features;
mod import;
mod page;
mod request;
mod row;
mod task;
mod wish_buffer;

pub use features::{Features, bounds, features};
pub use import::{
    ImportDecision, PlacedRow, StudyOpening, by_ordinal, fate, is_later, renumbered, reopened,
    rows_of_portion,
};
pub use page::{page, rows_of};
pub use request::{KEPT_MS, repeat};
pub use row::{
    CountRow, CoverageRow, FinalColumns, FinalRow, HeldRow, ModelRow, PartColumns, PointRow,
    ProblemRow, RunRow, StudyRow, TokenRow, TrialRow, WishRow, WorkerRow, complete, fastest,
    hash_of, lifetime_ms, millis, millis_of, points, pruned_samples, time_of, without_nul,
};
pub use task::{columns, is_among};
pub use wish_buffer::{MAX_WISHES, WishBatch, WishBuffer, WishDisposition, WishKey};
