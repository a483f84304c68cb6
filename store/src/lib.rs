//! What is known: studies, their trials, how they ended, and the questions that nothing answered.
//!
//! The interfaces that a database implements, together a [`Store`], and the types that they speak in:
//!
//! - A [`Ledger`] is what is written into while something is tuned: a [`Study`] is a search, found again by its
//!   [`StudyKey`]; a [`Trial`] is what one configuration did, kept the moment it ends.
//! - A [`Catalogue`] is what is read by those who ask: facts of studies and trials, and [`Wish`]es, the questions that
//!   nothing answered.
//! - [`Records`] are what people look through: lists of studies and trials, a [`Page`] at a time.
//! - A [`Portion`] is what one database has of a study, and another takes in; [`merge()`] has all of them taken in.
//! - [`Runs`] are what a service was asked to do about studies, for it to go on after it was started again.
//! - [`Tokens`] are what a service knows its clients by: of each [`Token`] a hash, with what its holder may ask.
//!
//! Nothing here knows a driver, a dialect or a path, and nothing is decided: which of two trials is the better one, which
//! provenance counts and what may be served is `lookup`'s matter.

mod catalogue;
mod error;
mod finals;
mod ledger;
mod merge;
mod page;
mod points;
mod portion;
mod provenance;
mod records;
mod runs;
mod scope;
mod store;
mod study;
mod ties;
mod token;
mod tokens;
mod trial;
mod unreadable;
mod validation;
mod wish;

pub use catalogue::{
    Catalogue, Changes, Connections, Coverage, Fastest, Features, KnownFinals, KnownStudy,
    KnownTrial, Mark, ProblemSelection,
};
pub use configgen::{Clock, RuntimeDevice};
pub use error::{StoreError, StoreFault};
pub use finals::Finals;
pub use ledger::{Ledger, LedgerPosition, RecordOutcome, Task};
pub use merge::{
    ImportError, IntoRecords, MergeError, MergeSummary, PortionImporter, SkippedStudy, merge,
};
pub use page::{Cursor, ListPage, Page, UnknownCursor};
pub use points::{TrialPoint, TrialPoints};
pub use portion::{ImportSummary, Portion};
pub use provenance::Provenance;
pub use records::{
    DeletionSummary, HeldFinals, PruningSummary, Records, STREAMED, StudyFilter, StudyRecord,
    TrialFilter, TrialRecord, TrialSort, pages,
};
pub use runs::{Priority, Repeat, Run, RunReport, RunState, Runs, Submission, SubmissionOutcome};
pub use scope::{Scopes, TokenScope, UnknownScope};
pub use store::Store;
pub use study::{Study, StudyId, StudyKey};
pub use ties::{ANOTHER_INDEX, Ties, UnknownTies};
pub use token::{AccessToken, NoToken, TokenHash};
pub use tokens::{Grant, TokenId, Tokens};
pub use trial::{FailureKind, Role, Status, Timing, Trial, TrialOutcome};
pub use unreadable::{Readable, Unreadable, UnreadableRow};
pub use validation::{
    Invalid, check_bound, check_name, check_texts, check_times, is_calendar_time,
};
pub use wish::{CountedWish, Wish};
