//! Store: studies with their trials and finals, and the questions without an exact answer.
//!
//! Databases implement these interfaces, together a [`Store`], with the types of this crate:
//!
//! - A [`Ledger`] receives a study as it runs. A [`Study`] is a search, found again by its
//!   [`StudyKey`]; a [`Trial`] is the result of one configuration, stored the moment it ends.
//! - A [`Catalogue`] gives facts about studies and trials, and [`Wish`]es: questions without an
//!   exact answer.
//! - [`Records`] are lists of studies and trials for people, a [`Page`] at a time.
//! - A [`Portion`] is a part of a study that another database imports; [`merge()`] imports all of
//!   them.
//! - [`Runs`] are the studies that clients have requested of a service, so that a restarted
//!   service resumes them.
//! - [`Models`] are the modules that clients submitted to a service, with their results.
//! - [`Tokens`] identify clients: a hash of each [`AccessToken`], with its scopes.
//!
//! The parts of the package family:
//!
//! | package | content |
//! |---|---|
//! | `store/sqlite/` | one file for one machine, with checks and backups |
//! | `store/postgres/` | a server for a fleet |
//! | `store/relational/` | the common parts that are not SQL |
//! | `testing/store-contract/` | the promises of a store, as tests that run on each |
//! | `migrations/` | the schemas, built first because queries are checked at compile time |
//!
//! The stored name of a space or a model is the hash of a canonical text with the version of that
//! text. Agents' results, imports and rows pass the same validation before any computation.
//!
//! Nothing here knows a driver, a dialect or a path, and nothing is decided here: `lookup` ranks
//! trials and chooses the answer.
//!
//! # Invariants
//!
//! - A row that cannot be read costs no other answer, and every answer that it could have changed
//!   reports it.
//! - A question without an exact answer is a *wish*. The store notes it in memory, writes at most
//!   once a second, and removes it when a lookup would answer it exactly.
//! - The work of a lookup does not grow with the number of trials; a test reads the plan of every
//!   query.
//! - A follower of a database or a study misses nothing, under any number of concurrent writers.
//! - The name of a database has no password, in answers, errors and advice.
//! - A copy of a database gets its name after a check of its contents. The file that it replaces
//!   stays under another name.
//! - A follower of a database notices a deletion: a number in the database counts deletions, and
//!   a change makes the follower read again.
//! - A trial is reported as stored when it is in the file at the database's path. If that file is
//!   gone, the study ends.
//! - Two merged databases answer the same, in either direction of the merge. A merge may stop at
//!   any point and be repeated.
//! - A merge does not disturb a study under way: that study imports nothing.
//! - A director that was replaced changes nothing of its run.
//! - A number is never stored without its provenance, and numbers of different provenance are
//!   never in one ranking.
//! - No type and no error of the interface knows a driver or a path.
//! - The store gives facts and ranks nothing: it does not know `lookup`.
//! - Numbers that the database assigns decide recency, never a clock. A clock decides the oldest
//!   wish, a silent process, an expired token, and the numbers of imported rows.
//! - A database of every earlier schema keeps all its trials through all migrations, and its
//!   answers stay the same bytes.

mod catalogue;
mod error;
mod finals;
mod ledger;
mod merge;
mod models;
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
pub use models::{ClaimedModel, ModelEnd, ModelRecord, ModelState, ModelSubmission, Models};
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
