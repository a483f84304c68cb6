//! What `wavetune db` prints.

use schemars::JsonSchema;
use serde::Serialize;

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

/// A backup in the place of a database.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Restored {
    /// Where the database is.
    pub database: String,
    /// Where the backup is, which stays.
    pub backup: String,
    /// Where what was there before is now; none where nothing was.
    pub kept: Option<String>,
}
