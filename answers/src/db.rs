//! The output of `wavetune db`, and the service's answer to an import.

use configgen::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Unreadable;

use crate::foreign_schema;

/// The size and the contents of a database.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Info {
    /// The path or address of the database.
    pub database: String,
    /// The size of the file and its log in bytes.
    pub bytes: u64,
    /// The version of the schema.
    pub schema: i64,
    /// The number of problems.
    pub problems: u64,
    /// The number of distinct sets of device, driver, compiler and generator.
    pub provenances: u64,
    /// The number of studies.
    pub studies: u64,
    /// The number of trials.
    pub trials: u64,
    /// The number of finals.
    pub finals: u64,
    /// The number of wishes: lookups without an exact answer.
    pub wishes: u64,
    /// The time at which a study was last opened: RFC 3339, UTC; `null` if there is none.
    pub opened: Option<String>,
    /// The end of the last written trial: RFC 3339, UTC; `null` if there is none.
    pub recorded: Option<String>,
}

/// The result of an integrity check.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Verification {
    /// The path or address of the database.
    pub database: String,
    /// `true` if the database is intact.
    pub whole: bool,
    /// The faults; at most 100.
    pub findings: Vec<String>,
}

/// A copy of a database.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Backup {
    /// The path or address of the database.
    pub database: String,
    /// The path of the copy.
    pub backup: String,
    /// The size of the copy in bytes.
    pub bytes: u64,
}

/// The migration of a database to the schema of this version of wavetune.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MigrationReport {
    /// The path or address of the database.
    pub database: String,
    /// The schema version before the migration.
    pub from: i64,
    /// The schema version after the migration.
    pub to: i64,
    /// The path of the copy that was made before the migration; `null` if there is none.
    pub backup: Option<String>,
}

/// The replacement of a database by a backup.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RestoreReport {
    /// The path of the database.
    pub database: String,
    /// The path of the backup, which stays in place.
    pub backup: String,
    /// The new path of the replaced database; `null` if there was none.
    pub kept: Option<String>,
}

/// The result of merging one database into another.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MergeReport {
    /// The path or address of the other database, which does not change.
    pub other: String,
    /// The path or address of the database that was written, or the address of the service.
    pub into: String,
    /// `true` if nothing was written and the report says what a merge would write.
    pub dry_run: bool,
    /// The studies of the other database.
    pub studies: u64,
    /// The studies that were new.
    pub new_studies: u64,
    /// The trials of the studies that were read.
    pub trials: u64,
    /// The trials that were new.
    pub added: u64,
    /// The trials that replaced a trial that ended later.
    pub replaced: u64,
    /// The finals that were new.
    pub finals: u64,
    /// The studies that were left out.
    pub left_out: Vec<LeftOutStudy>,
    /// The rows of the other database that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A study that a command left out.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LeftOutStudy")]
pub struct LeftOutStudy {
    /// The number of the study; for a merge, its number in the other database.
    pub study: i64,
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The reason.
    pub reason: String,
}

/// The result of importing a portion of a study.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ImportReport {
    /// The number of the study.
    pub study: i64,
    /// `true` if the study was new.
    pub new: bool,
    /// The trials that were new.
    pub added: u64,
    /// The trials that replaced a trial that ended later.
    pub replaced: u64,
    /// The first ordinal at which the database kept a trial other than the sent one; `null` if
    /// there is none. Do not send finals that were held over it.
    pub parted: Option<u32>,
    /// The finals that were new.
    pub finals: u64,
}

/// The result of pruning samples.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PruneReport {
    /// The path or address of the database.
    pub database: String,
    /// `true` if nothing was written and the report says what pruning would remove.
    pub dry_run: bool,
    /// The studies that were old enough to prune, by the time at which they were last opened.
    pub studies: u64,
    /// The trials that keep one sample, their time.
    pub trials: u64,
    /// The bytes of the removed samples.
    pub bytes: u64,
    /// The studies that were left out.
    pub left_out: Vec<LeftOutStudy>,
}
