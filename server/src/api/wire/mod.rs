//! Schemas of the messages between agents and the service, and of imported studies.
//!
//! `server_fleet::wire` and `store::Portion` are the messages themselves; their crates know no
//! schema. The tests of the service compare every message that it reads or writes with these
//! schemas.

#![expect(dead_code, reason = "only their schemas are asked for")]

mod batch;
mod study;
mod trial;

use answers::openapi::Schemas;
use schemars::JsonSchema;

use batch::{BatchName, WorkBatch};
use study::{FullProvenance, ImportedPortion};
use trial::{FinalsResult, ToldTrial};

/// A request for a batch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseRequest {
    /// The agent's name, for people.
    agent: String,
    /// The offers of its free devices, at most 64.
    #[schemars(length(min = 1, max = 64))]
    offers: Vec<AgentOffer>,
    /// The condition of these devices.
    #[schemars(skip_serializing_if = "Vec::is_empty")]
    devices: Vec<DeviceCondition>,
    /// Longest wait for a batch, in seconds; the service may answer sooner.
    wait_s: u32,
}

/// A device and a builder of an agent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct AgentOffer {
    /// The provenance of its times.
    provenance: FullProvenance,
    /// The device's row in the service's table.
    device: String,
    /// The best number of candidates to build at once.
    batch: u64,
}

/// The condition of a device.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeviceCondition {
    /// Its number among the agent's devices.
    device: u32,
    /// The last measurement of its control kernel.
    #[schemars(skip_serializing_if = "Option::is_none")]
    watched: Option<ControlKernel>,
    /// The quarantine of the device, if it is in one.
    #[schemars(skip_serializing_if = "Option::is_none")]
    quarantine: Option<LeftAlone>,
}

/// The last measurement of a control kernel.
#[derive(JsonSchema)]
#[schemars(tag = "state", rename_all = "lowercase", deny_unknown_fields)]
enum ControlKernel {
    /// It took the same time before and after a batch.
    Steady {
        /// Uncertainty of the median, as a fraction of it.
        noise: f64,
        /// The median over that of the first measurement for the problem.
        slowdown: f64,
    },
    /// It took another time at every measurement.
    Unsteady {
        /// Uncertainty of the median, as a fraction of it.
        noise: f64,
        /// The median over that of the first measurement for the problem.
        slowdown: f64,
    },
    /// Its results are not correct any more.
    Wrong,
}

/// The quarantine of a device.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeftAlone {
    /// The reason.
    reason: String,
    /// Seconds that remain.
    left_s: u32,
}

/// A batch for an agent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct WorkLease {
    /// The secret token of the lease, for later requests.
    token: String,
    /// The batch.
    batch: WorkBatch,
    /// The kernels of a build agent.
    #[schemars(skip_serializing_if = "Option::is_none")]
    kernels: Option<SignedKernels>,
    /// Seconds without a sign of its holder, after which another agent gets the batch.
    patience_s: u32,
}

/// Kernels with a signature of the service.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SignedKernels {
    /// The kernels as text.
    content: String,
    /// An Ed25519 signature, in base64.
    signature: String,
}

/// A reference to a lease, to renew it or to give it back.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseHold {
    /// The token of the lease.
    token: String,
    /// The batch of the lease.
    batch: BatchName,
}

/// The results of a lease.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseNews {
    /// The token of the lease.
    token: String,
    /// The batch of the lease.
    batch: WorkBatch,
    /// The events, in order.
    news: Vec<BatchNews>,
}

/// An event of a batch.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(
    clippy::large_enum_variant,
    reason = "it describes JSON; no value of it is made"
)]
enum BatchNews {
    /// A trial of it has ended.
    Trial(ToldTrial),
    /// Its trials are in the database.
    Stored,
    /// The finals have ended, or were impossible.
    Finals(FinalsResult),
    /// It is done.
    Done,
    /// The agent cannot do it.
    Failed(AgentFailure),
    /// The agent died with it.
    Died,
}

/// The reason for which an agent cannot do a batch, without a fault of a kernel.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum AgentFailure {
    /// The device does not accept the inputs, or has failed.
    Device(DeviceFailure),
    /// The machine failed to build a kernel.
    Environment(String),
    /// The job exceeds the machine's resources.
    Job(String),
    /// The agent builds kernels of this generator.
    Builder(String),
}

/// The fault of a device.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
enum DeviceFailure {
    /// The code object cannot be loaded.
    Load(String),
    /// The kernel did something that stops it.
    Fault(String),
    /// The kernel did not end in time.
    Timeout(String),
    /// The driver, or the process that uses it, died or stopped working.
    Crash(String),
    /// The device has no memory for a buffer.
    Memory {
        /// Size of the buffer in bytes.
        bytes: u64,
        /// The device's own message.
        message: String,
    },
}

/// The answer to the holder of a lease.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseHeard {
    /// False if no director wants more results, so that the holder can stop.
    is_wanted: bool,
}

/// A request for a batch to build.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BuildRequest {
    /// The agent's name, for people.
    agent: String,
    /// The agent's compilers.
    builds: Vec<BuildToolchain>,
    /// Longest wait for a batch, in seconds; the service may answer sooner.
    wait_s: u32,
}

/// The toolchain of kernels.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BuildToolchain {
    /// The compiler.
    compiler: String,
    /// Its version.
    compiler_version: String,
    /// The linker with its version, if it is a separate program.
    linker: String,
    /// The generator of the kernels.
    generator: String,
    /// Its version.
    generator_version: String,
    /// Seconds after which a compilation counts as hung.
    compile_limit_s: u32,
}

/// A batch to build.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BuildLease {
    /// The secret token of the lease, for later requests.
    token: String,
    /// The batch.
    batch: WorkBatch,
    /// The compiler to build it with.
    toolchain: BuildToolchain,
    /// The instruction set.
    target: String,
    /// Seconds without a sign of its holder, after which the device's agent builds the batch.
    patience_s: u32,
}

/// The kernels of a batch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BuiltKernels {
    /// The token of the lease.
    token: String,
    /// The batch of the lease.
    batch: WorkBatch,
    /// The kernels as text; none if the build failed.
    kernels: Option<String>,
}

/// The public key of the service's signatures.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SigningKey {
    /// An Ed25519 key (RFC 8032), in base64.
    ed25519: String,
}

/// A server-sent event.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct StreamedEvent {
    /// Its kind.
    event: String,
    /// The text of its JSON.
    data: String,
    /// The value of `Last-Event-ID` with which a client continues behind it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// Adds these schemas to others.
pub(crate) fn described(schemas: Schemas) -> Schemas {
    schemas
        .with_message::<LeaseRequest>()
        .with_message::<WorkLease>()
        .with_message::<LeaseHold>()
        .with_message::<LeaseNews>()
        .with_message::<LeaseHeard>()
        .with_message::<BuildRequest>()
        .with_message::<BuildLease>()
        .with_message::<BuiltKernels>()
        .with_message::<SigningKey>()
        .with_message::<ImportedPortion>()
        .with_message::<StreamedEvent>()
}
