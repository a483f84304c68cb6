//! What `wavetune db` prints, and what a service says of what it took in.

use configgen::Problem;
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;

/// How large a database is, and what is in it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Info {
    /// Where it is.
    pub database: String,
    /// Bytes of the file and of its log.
    pub bytes: u64,
    /// The version of its schema.
    pub schema: i64,
    /// Its problems.
    pub problems: u64,
    /// How many different sets of device, driver, compiler and generator made its numbers.
    pub provenances: u64,
    /// Its studies.
    pub studies: u64,
    /// Its trials.
    pub trials: u64,
    /// Its finals.
    pub finals: u64,
    /// What lookups asked for and did not find.
    pub wishes: u64,
    /// When a study was opened last: RFC 3339, UTC; none where there is none.
    pub opened: Option<String>,
    /// When the trial ended that was written last: RFC 3339, UTC; none where there is none.
    pub recorded: Option<String>,
}

/// Whether a database is whole.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Verification {
    /// Where it is.
    pub database: String,
    /// Whether it is whole.
    pub whole: bool,
    /// What is wrong with it, a hundred findings at most.
    pub findings: Vec<String>,
}

/// A copy of a database.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Backup {
    /// Where the database is.
    pub database: String,
    /// Where the copy is.
    pub backup: String,
    /// Bytes of the copy.
    pub bytes: u64,
}

/// A database that was brought to the schema of this wavetune.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MigrationReport {
    /// Where it is.
    pub database: String,
    /// The schema that it had.
    pub from: i64,
    /// The schema that it has.
    pub to: i64,
    /// Where the copy is of what it was before; none where there is none.
    pub backup: Option<String>,
}

/// A backup in the place of a database.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RestoreReport {
    /// Where the database is.
    pub database: String,
    /// Where the backup is, which stays.
    pub backup: String,
    /// Where what was there before is now; none where nothing was.
    pub kept: Option<String>,
}

/// What one database took in of another.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MergeReport {
    /// Where the other database is, which stays as it is.
    pub other: String,
    /// Where the database is that took it in, or the service whose it is.
    pub into: String,
    /// Whether nothing was written, and this is what would be.
    pub dry_run: bool,
    /// Studies of the other database.
    pub studies: u64,
    /// Of them, those that were not there before.
    pub new_studies: u64,
    /// Trials of the studies that were gone through.
    pub trials: u64,
    /// Of them, those that were not there before.
    pub added: u64,
    /// Of them, those that took the place of a trial that ended later.
    pub replaced: u64,
    /// Finals that were not there before.
    pub finals: u64,
    /// Studies that were left out.
    pub left_out: Vec<LeftOutStudy>,
    /// What the other database has and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A study that was left out of what was to be done.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LeftOutStudy")]
pub struct LeftOutStudy {
    /// Its number; of a merge that in the other database.
    pub study: i64,
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// Why it was left out.
    pub reason: String,
}

/// What a service took in of a study.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ImportReport {
    /// The study's number.
    pub study: i64,
    /// Whether it was not there before.
    pub new: bool,
    /// Trials that were not there before.
    pub added: u64,
    /// Trials that took the place of one that ended later.
    pub replaced: u64,
    /// The first ordinal at which another trial stays than the one that was sent; none where there is none. Finals that were held
    /// over it are not to be sent.
    pub parted: Option<u32>,
    /// Finals that were not there before.
    pub finals: u64,
}

/// What pruning took away.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PruneReport {
    /// Where the database is.
    pub database: String,
    /// Whether nothing was written, and this is what would be.
    pub dry_run: bool,
    /// Studies that were gone through: those that were opened last so long ago.
    pub studies: u64,
    /// Trials that have one sample now, their time.
    pub trials: u64,
    /// Bytes of the samples that they have no more.
    pub bytes: u64,
    /// Studies that were left out.
    pub left_out: Vec<LeftOutStudy>,
}
