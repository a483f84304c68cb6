//! Schemas for types of `configgen` and `store`, which do not depend on schemars.
//!
//! These types have no values. A field names one in `schemars(with = …)`. The tests validate real
//! output against the schemas, so a difference from the printed form is found.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::SystemTime;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// Defines a type that has only a schema and its name.
macro_rules! word {
    ($name:ident, $schema:expr) => {
        // An enum without variants: the type has a schema and no value.
        pub(crate) enum $name {}

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

word!(
    Problem,
    text(
        "A problem in its canonical text, `COMPARATOR:DIMENSIONSxTYPE:INDEX[:OPTION]...`, the reduced dimensions in \
         brackets: `argmax:4x[32000]xf32:i32`."
    )
);

word!(Target, text("An instruction set, such as `gfx942`."));

word!(
    Generator,
    text("The generator of the kernel: `native`, `iree`, or one of another program.")
);

word!(
    Clock,
    one_of(
        "The clock of a time in microseconds. Times of different clocks are never compared.",
        configgen::Clock::ALL.map(|clock| {
            let meaning = match clock {
                configgen::Clock::Measured => "The events of a real GPU.",
                configgen::Clock::Modelled => "The emulator's time model.",
            };
            (clock.name(), meaning)
        })
    )
);

word!(
    Status,
    one_of(
        "The verdict of a trial.",
        store::Status::ALL.map(|status| {
            let meaning = match status {
                store::Status::Right => "Value and index are correct on every input.",
                store::Status::Tie => {
                    "The value is correct; on ties the index is that of another winner."
                }
                store::Status::Wrong => "At least one result is not correct.",
                store::Status::Failed => "It did not compile, or did not finish.",
                store::Status::Timed => "It was too slow to be verified; nothing serves it.",
            };
            (status.name(), meaning)
        })
    )
);

word!(
    FailureKind,
    one_of(
        "The reason that a trial has no verdict.",
        store::FailureKind::ALL.map(|kind| {
            let meaning = match kind {
                store::FailureKind::Compile => "The compiler reported an error.",
                store::FailureKind::Timeout => "Compiling or running took longer than the limit.",
                store::FailureKind::Crash => "The process that compiled or ran it died.",
                store::FailureKind::Rejected => {
                    "The device or the emulator refused the code object."
                }
                store::FailureKind::Fault => "The kernel accessed memory outside of its buffers.",
                store::FailureKind::Memory => "The kernel needs more memory than the device has.",
                store::FailureKind::Nondeterministic => {
                    "Two launches on the same input gave different results."
                }
                store::FailureKind::Abandoned => "No agent finished it.",
            };
            (kind.name(), meaning)
        })
    )
);

word!(
    Role,
    one_of(
        "The purpose of a trial.",
        store::Role::ALL.map(|role| {
            let meaning = match role {
                store::Role::Default => "The generator's default.",
                store::Role::Candidate => "A configuration that the search strategy chose.",
            };
            (role.name(), meaning)
        })
    )
);

word!(
    Ties,
    one_of(
        "The requested tie-break.",
        store::Ties::ALL.map(|ties| {
            let meaning = match ties {
                store::Ties::Fold => "The index that a loop over the row finds.",
                store::Ties::Any => "The index of any winner.",
            };
            (ties.name(), meaning)
        })
    )
);

word!(
    ModelState,
    one_of(
        "The state of a model.",
        store::ModelState::ALL.map(|state| {
            let meaning = match state {
                store::ModelState::Queued => "It waits for the service.",
                store::ModelState::Compiling => "The service compiles the plain module.",
                store::ModelState::Judging => {
                    "The service compares the module with and without kernels."
                }
                store::ModelState::Done => "It has a comparison.",
                store::ModelState::Failed => "The comparison failed.",
            };
            (state.name(), meaning)
        })
    )
);

word!(
    RunState,
    one_of(
        "The state of a study.",
        store::RunState::ALL.map(|state| {
            let meaning = match state {
                store::RunState::Waiting => "It waits for an agent that offers its device.",
                store::RunState::Running => "The service runs it.",
                store::RunState::Paused => "It waits until it is resumed.",
                store::RunState::Cancelled => "It was cancelled; its trials remain.",
                store::RunState::Done => "All its trials have ended.",
                store::RunState::Failed => "It cannot continue.",
            };
            (state.name(), meaning)
        })
    )
);

word!(
    Scalar,
    json_schema!({
        "type": ["integer", "boolean", "string"],
        "description": "A size, a count, a truth value or one of several words.",
    })
);

/// Returns a time as answers print it: RFC 3339, UTC, to the second. Returns a text that says so
/// if RFC 3339 cannot express the time.
pub fn time(time: SystemTime) -> String {
    written(time, humantime::format_rfc3339_seconds(time))
}

/// Returns a time as [`time()`] does, to the millisecond.
pub fn time_ms(time: SystemTime) -> String {
    written(time, humantime::format_rfc3339_millis(time))
}

// humantime fails for years after 9999 and panics before 1970, so it formats only the years
// between.
fn written(time: SystemTime, text: impl Display) -> String {
    match store::is_calendar_time(time) {
        true => text.to_string(),
        false => "outside the years 1970 to 9999".to_owned(),
    }
}

fn text(description: &str) -> Schema {
    json_schema!({ "type": "string", "description": description })
}

/// Returns the schema of a string that is one of these names. Each pair is a name and its
/// meaning.
fn one_of<const N: usize>(description: &str, names: [(&str, &str); N]) -> Schema {
    let one = |(name, meaning)| json_schema!({ "const": name, "description": meaning });
    let names: Vec<Value> = names.map(one).into_iter().map(Value::from).collect();
    // `enum` would be shorter, but has no place for the meaning of each name.
    json_schema!({ "type": "string", "description": description, "oneOf": names })
}

/// The distribution of a problem over workgroups, subgroups, lanes and loop steps, in the form
/// that `--configuration` takes. Lists have one entry for each dimension of the problem,
/// outermost first.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is asked for")]
pub struct Configuration {
    /// Tile of one workgroup on the parallel dimensions, in elements; 0 on reduced ones.
    workgroup: Vec<u32>,
    /// Elements of the reduced dimensions that a workgroup takes in one step; 0 on parallel ones.
    partial_reduction: Vec<u32>,
    /// Consecutive elements of one thread; 0 means 1.
    thread: Vec<u32>,
    /// Lanes of a subgroup over the dimensions.
    lane_basis: Basis,
    /// Subgroups of a workgroup over the dimensions.
    subgroup_basis: Basis,
    /// Lanes of a subgroup: 32 or 64.
    subgroup_size: u32,
    /// Threads of a workgroup along x, y and z.
    workgroup_size: [u32; 3],
    /// Workgroups that share each row; absent if 1.
    #[schemars(skip_serializing_if = "at_its_default")]
    // No function has this name: schemars only tests that the attribute is present.
    split: u32,
    /// `true` if the kernel finds the index after the loop, by taking the step with the best
    /// value again; absent if `false`.
    #[schemars(skip_serializing_if = "at_its_default")]
    lazy_index: bool,
    /// Running pairs that a lane keeps for each of its rows; absent if it keeps one for each
    /// element of the thread tile.
    #[schemars(skip_serializing_if = "at_its_default")]
    accumulators: Accumulators,
}

/// A distribution of ids over dimensions, `[counts, mapping]`. An id is delinearised over
/// `counts` into digits, the last count fastest. The position along dimension d is digit
/// `mapping[d]`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is asked for")]
pub(crate) struct Basis(Vec<u32>, Vec<u8>);

/// The running pairs that a lane keeps for each row.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is asked for")]
pub(crate) enum Accumulators {
    /// One pair for all elements of the thread tile, which the lane compares one after the other.
    One,
}

/// Rows of the database that this build cannot read, such as configurations of a newer version.
/// The answer omits them.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is asked for")]
pub(crate) struct Unreadable {
    /// The number of rows.
    rows: u64,
    /// The first few rows: table, number, column and fault of each.
    first: Vec<String>,
}
