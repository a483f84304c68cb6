//! The service's answers about studies that it runs, their events, and its agents.

use std::borrow::Cow;

use configgen::{Clock, Generator, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{FailureKind, Role, RunState, Status, Ties, Unreadable};

use crate::foreign_schema;

/// A study that the service was asked to run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Run {
    /// The number of the study.
    pub id: i64,
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: Cow<'static, str>,
    /// The device of the trials; `null` if any device of the target is accepted and no agent has
    /// offered one yet.
    pub device: Option<String>,
    /// The generator of the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The clock of the times; `null` if no agent has offered a device yet.
    #[schemars(with = "Option<foreign_schema::Clock>")]
    pub clock: Option<Clock>,
    /// The search strategy.
    pub strategy: Cow<'static, str>,
    /// The seed of the strategy.
    pub seed: u64,
    /// The largest number of trials.
    pub budget: u32,
    /// The requested index for elements that tie.
    #[schemars(with = "foreign_schema::Ties")]
    pub ties: Ties,
    /// `true` if the study goes before the submitter's other studies.
    pub is_urgent: bool,
    /// The name of the token that submitted the study; absent if the request had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitter: Option<String>,
    /// The state of the study.
    #[schemars(with = "foreign_schema::RunState")]
    pub state: RunState,
    /// The reason of the failure, or of an end without finals; absent if there is neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The progress; absent if the study does not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressReport>,
    /// The time of the request, or of the last request since it ran: RFC 3339, UTC.
    pub asked: String,
    /// The time of the last change of state: RFC 3339, UTC.
    pub changed: String,
}

/// The progress of a study.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProgressReport {
    /// The trials that have ended.
    pub done: u64,
    /// The total number of trials.
    pub total: u64,
    /// The time of the default in microseconds; `null` if it has none yet.
    pub default_us: Option<f64>,
    /// The best time so far in microseconds; `null` if there is none yet.
    pub best_us: Option<f64>,
    /// `true` if all trials have ended and the finals compare the best of them with the default.
    pub is_in_finals: bool,
}

/// A page of studies.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Runs {
    /// The studies, by number.
    pub studies: Vec<Run>,
    /// The `cursor` of the next page; `null` on the last page.
    pub next: Option<String>,
    /// The reason why submitted studies wait for an agent; absent if none waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(default, skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// An event of a study: the changes since the last event.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunEvent {
    /// The number of the study.
    pub study: i64,
    /// The state of the study. An event with a final state is the last one.
    #[schemars(with = "foreign_schema::RunState")]
    pub state: RunState,
    /// The reason of the failure, or of an end without finals; absent if there is neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The progress; absent before the study has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressReport>,
    /// The trials that have ended since the last event. Each trial is in one event.
    pub trials: Vec<TrialNote>,
}

/// A summary of a trial.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TrialNote {
    /// The ordinal of the trial within the study.
    pub ordinal: u32,
    /// The role.
    #[schemars(with = "foreign_schema::Role")]
    pub role: Role,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The reason why there is no verdict; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "foreign_schema::FailureKind")]
    pub failure: Option<FailureKind>,
    /// The time of the kernel in microseconds; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_us: Option<f64>,
}

/// The agents that the service heard from recently.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Agents {
    /// The agents, by name.
    pub agents: Vec<Agent>,
}

/// An agent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Agent {
    /// The name.
    pub name: String,
    /// The seconds since the last message.
    pub silent_s: f64,
    /// The devices, generators and toolchains that it offers for trials.
    pub offers: Vec<Offer>,
    /// The toolchains with which it builds kernels for other agents' devices.
    pub builds: Vec<Toolchain>,
    /// The conditions of its devices, by number.
    pub devices: Vec<Condition>,
    /// Its leases, the oldest first.
    pub leases: Vec<HeldLease>,
}

/// A lease of an agent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HeldLease {
    /// The number of the study.
    pub study: i64,
    /// The work of the lease.
    pub doing: AgentActivity,
    /// The number of configurations in the lease.
    pub configurations: u32,
    /// The age of the lease in seconds.
    pub held_s: f64,
}

/// The work of a lease.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentActivity {
    /// The agent builds kernels that another agent tries.
    Build,
    /// The agent tries configurations.
    Try,
    /// The agent measures the best configurations against each other.
    Finals,
}

/// The condition of a device of an agent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Condition {
    /// The number of the device within the agent, from 0.
    pub device: u32,
    /// The last measurement of the control kernel, which is the default of the current problem.
    /// Absent if times repeat exactly, or if nothing was measured yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// The quarantine of the device, during which it gets no work; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
}

/// The last measurement of a device's control kernel.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Control {
    /// The result of the measurement.
    pub state: ControlState,
    /// The uncertainty of the median, as a fraction of the median; absent if the results are
    /// wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The median over the first measurement's median for the problem; absent if the results are
    /// wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
}

/// The result of measuring the control kernel of a device.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ControlState {
    /// The control kernel took the same time before and after a batch.
    Steady,
    /// The control kernel took another time in each measurement.
    Unsteady,
    /// The control kernel no longer gives correct results.
    Wrong,
}

/// A period in which a device gets no work.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Quarantine {
    /// The reason.
    pub reason: String,
    /// The seconds that remained at the agent's last message.
    pub left_s: u32,
}

/// A toolchain that builds kernels.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Toolchain {
    /// The generator of the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The version of the generator.
    pub generator_version: String,
    /// The compiler with its version, and its linker with its version.
    pub compiler: String,
    /// The time limit of a compilation in seconds; 0 if there is none.
    pub compile_limit_s: u32,
}

/// A device, generator and toolchain that an agent offers for trials.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Offer {
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: Cow<'static, str>,
    /// The device.
    pub device: String,
    /// The generator of the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The version of the generator.
    pub generator_version: String,
    /// The compiler with its version.
    pub compiler: String,
    /// The driver or emulator that runs the kernels.
    pub driver: String,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
}
