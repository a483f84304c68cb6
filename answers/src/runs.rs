//! What the service says of the studies that it carries on, of what happens in them, and of its agents.

use configgen::{Clock, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FailureKind, Role, RunState, Status, Ties, Unreadable};

use crate::foreign_schema;

/// A study that a service was asked to carry on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Run {
    /// Its number.
    pub id: i64,
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The device on which it is tried; none where any with the instruction set will do and no agent has offered one yet.
    pub device: Option<String>,
    /// Who makes the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Whose time is told; none where no agent has offered a device yet.
    #[schemars(with = "Option<foreign_schema::Clock>")]
    pub clock: Option<Clock>,
    /// Where it looks next.
    pub strategy: &'static str,
    /// Seed of the strategy.
    pub seed: u64,
    /// Trials at most.
    pub budget: u32,
    /// The index that is wanted on ties.
    #[schemars(with = "foreign_schema::Ties")]
    pub ties: Ties,
    /// Whether it goes before the submitter's other studies.
    pub is_urgent: bool,
    /// Name of the token that submitted it; left out where no token was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitter: Option<String>,
    /// Whether it goes on.
    #[schemars(with = "foreign_schema::RunState")]
    pub state: RunState,
    /// Why it cannot, or why it is done without finals; left out where there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How far it is; left out where it is not under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressReport>,
    /// When it was asked for; of one that is asked for again since it ran, when that was: RFC 3339, UTC.
    pub asked: String,
    /// When its state changed last: RFC 3339, UTC.
    pub changed: String,
}

/// How far a study is.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProgressReport {
    /// Trials that have ended.
    pub done: u64,
    /// Trials that there will be.
    pub total: u64,
    /// Time of the default in microseconds; none where it has none yet.
    pub default_us: Option<f64>,
    /// Time of the best so far in microseconds; none where there is none yet.
    pub best_us: Option<f64>,
    /// Whether all trials have ended and the best of them meet the default in finals.
    pub is_in_finals: bool,
}

/// A page of studies.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Runs {
    /// The studies, by number.
    pub studies: Vec<Run>,
    /// What `cursor` says to go on; none where this is the end.
    pub next: Option<String>,
    /// Why submitted studies wait for an agent; left out where they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// An event of a study: what happened since the last one.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunEvent {
    /// The study.
    pub study: i64,
    /// Whether it goes on; after an event that says that it does not there is no more.
    #[schemars(with = "foreign_schema::RunState")]
    pub state: RunState,
    /// Why it cannot, or why it is done without finals; left out where there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How far it is; left out before it has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressReport>,
    /// The trials that have ended, each in one event.
    pub trials: Vec<TrialNote>,
}

/// A trial in short.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TrialNote {
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// What it is for.
    #[schemars(with = "foreign_schema::Role")]
    pub role: Role,
    /// Its verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Why there is none; left out where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "foreign_schema::FailureKind")]
    pub failure: Option<FailureKind>,
    /// Its time in microseconds; left out where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_us: Option<f64>,
}

/// The agents that were heard of lately.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Agents {
    /// By name.
    pub agents: Vec<Agent>,
}

/// An agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Seconds since it was last heard of.
    pub silent_s: f64,
    /// What it can be asked for.
    pub offers: Vec<Offer>,
    /// What it builds kernels with for the devices of others.
    pub builds: Vec<Toolchain>,
    /// How its devices are, by their numbers.
    pub devices: Vec<Condition>,
    /// What it has leased, the oldest first.
    pub leases: Vec<HeldLease>,
}

/// What an agent has leased.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HeldLease {
    /// The study.
    pub study: i64,
    /// What the agent does for it.
    pub doing: AgentActivity,
    /// Configurations that it is about.
    pub configurations: u32,
    /// Seconds since it was given out.
    pub held_s: f64,
}

/// What an agent does.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentActivity {
    /// It builds kernels that another agent tries.
    Build,
    /// It tries configurations.
    Try,
    /// It measures those that were best against each other.
    Finals,
}

/// How a device of an agent is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Condition {
    /// Its number among the agent's devices, from 0.
    pub device: u32,
    /// How its control kernel, the default of the problem at hand, was measured last; left out where times repeat exactly,
    /// and where nothing was measured yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Why the device gets no work; left out where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
}

/// How the control kernel of a device was measured last.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Control {
    /// What came of it.
    pub state: ControlState,
    /// By how much the median may be wrong, as a part of it; left out where it is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The median over that of the first measurement for the problem; left out where it is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
}

/// What came of measuring the control kernel of a device.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ControlState {
    /// It took the same time before a batch and after it.
    Steady,
    /// It took another time whenever it was measured.
    Unsteady,
    /// It does not give the right results any more.
    Wrong,
}

/// A device is left alone for a while.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Quarantine {
    /// Why.
    pub reason: String,
    /// Seconds that were left of it when the agent was last heard of.
    pub left_s: u32,
}

/// What kernels are built with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Toolchain {
    /// Who makes the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The generator's version.
    pub generator_version: String,
    /// The compiler and its version, with its linker's.
    pub compiler: String,
    /// Seconds after which a compilation counts as hung; 0 where none does.
    pub compile_limit_s: u32,
}

/// What an agent can be asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Offer {
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The device.
    pub device: String,
    /// Who makes the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The generator's version.
    pub generator_version: String,
    /// The compiler and its version.
    pub compiler: String,
    /// What runs the kernels.
    pub driver: String,
    /// Whose time is told.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
}
