//! The schemas of the messages between agents and the service, and of imported studies.
//!
//! `fleet::wire` and `store::Portion` are the messages themselves; they and the crates below them know no schema. The tests of
//! the service hold every message that it reads and writes against these.

#![expect(dead_code, reason = "only their schemas are asked for")]

mod batch;
mod study;
mod trial;

use answers::openapi::Schemas;
use schemars::JsonSchema;

use batch::{BatchName, WorkBatch};
use study::{FullProvenance, ImportedPortion};
use trial::{FinalsResult, ToldTrial};

/// A request for work.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseRequest {
    /// The agent's name, for people.
    agent: String,
    /// What the free devices can be asked for, 64 at most.
    #[schemars(length(min = 1, max = 64))]
    offers: Vec<AgentOffer>,
    /// The condition of these devices.
    #[schemars(skip_serializing_if = "Vec::is_empty")]
    devices: Vec<DeviceCondition>,
    /// Seconds that the agent waits for work; the service may answer sooner.
    wait_s: u32,
}

/// A device and a builder of an agent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct AgentOffer {
    /// What makes the numbers.
    provenance: FullProvenance,
    /// The device's row in the service's table.
    device: String,
    /// Candidates that are best built at once.
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
    /// Why the device is left alone; none where it is not.
    #[schemars(skip_serializing_if = "Option::is_none")]
    quarantine: Option<LeftAlone>,
}

/// The last measurement of a control kernel.
#[derive(JsonSchema)]
#[schemars(tag = "state", rename_all = "lowercase", deny_unknown_fields)]
enum ControlKernel {
    /// It took the same time before a batch and after it.
    Steady {
        /// By how much the median may be wrong, as a part of it.
        noise: f64,
        /// The median over that of the first measurement for the problem.
        slowdown: f64,
    },
    /// It took another time whenever it was measured.
    Unsteady {
        /// By how much the median may be wrong, as a part of it.
        noise: f64,
        /// The median over that of the first measurement for the problem.
        slowdown: f64,
    },
    /// It does not give the right results any more.
    Wrong,
}

/// A device that is left alone for a while.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeftAlone {
    /// Why.
    reason: String,
    /// Seconds that are left of it.
    left_s: u32,
}

/// Work for an agent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct WorkLease {
    /// The secret by which the lease is named in later requests.
    token: String,
    /// What is to be done.
    batch: WorkBatch,
    /// The kernels that a build agent has handed in.
    #[schemars(skip_serializing_if = "Option::is_none")]
    kernels: Option<SignedKernels>,
    /// Seconds after which another agent gets the work, where nothing was heard of the lease.
    patience_s: u32,
}

/// Kernels that the service vouches for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SignedKernels {
    /// The kernels as they were handed in.
    content: String,
    /// An Ed25519 signature, in base64.
    signature: String,
}

/// The holder of a lease is still at it, or gives it back.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseHold {
    /// Of the lease.
    token: String,
    /// The batch of the lease.
    batch: BatchName,
}

/// What came of a lease.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseNews {
    /// Of the lease.
    token: String,
    /// The batch of the lease.
    batch: WorkBatch,
    /// What there is to say, in order.
    news: Vec<BatchNews>,
}

/// What there is to say of a batch.
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
    /// The finals have ended, or could not be held.
    Finals(FinalsResult),
    /// It is done.
    Done,
    /// The agent cannot do it.
    Failed(AgentFailure),
    /// The agent died with it.
    Died,
}

/// Why an agent cannot do a batch, for no fault of a kernel.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum AgentFailure {
    /// The device does not take the inputs, or cannot be used any more.
    Device(DeviceFailure),
    /// The machine failed to build a kernel.
    Environment(String),
    /// The job is more than the machine can do.
    Job(String),
    /// The agent builds kernels of this generator.
    Builder(String),
}

/// Why a device could not do what it was asked for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
enum DeviceFailure {
    /// The code object cannot be loaded.
    Load(String),
    /// The kernel did something that stops it.
    Fault(String),
    /// The kernel did not end in time.
    Timeout(String),
    /// The driver, or the process that uses it, died or does not work any more.
    Crash(String),
    /// The device has no room for a buffer.
    Memory {
        /// Size of the buffer in bytes.
        bytes: u64,
        /// The device's own words.
        message: String,
    },
}

/// What the holder of a lease hears.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeaseHeard {
    /// Whether anybody waits for more of it; if not, the rest need not be done.
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
    /// Seconds that the agent waits for a batch; the service may answer sooner.
    wait_s: u32,
}

/// What kernels are built with.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BuildToolchain {
    /// The compiler.
    compiler: String,
    /// Its version.
    compiler_version: String,
    /// The linker with its version, where it is a program of its own.
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
    /// The secret by which the lease is named in later requests.
    token: String,
    /// What is to be built.
    batch: WorkBatch,
    /// The compiler to build it with.
    toolchain: BuildToolchain,
    /// The instruction set.
    target: String,
    /// Seconds after which the device's agent builds it, where nothing was heard of the lease.
    patience_s: u32,
}

/// The kernels of a batch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BuiltKernels {
    /// Of the lease.
    token: String,
    /// The batch of the lease.
    batch: WorkBatch,
    /// The kernels in writing; none where they could not be built.
    kernels: Option<String>,
}

/// The public key of the service's signatures.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SigningKey {
    /// An Ed25519 key (RFC 8032), in base64.
    ed25519: String,
}

/// These schemas, beside others.
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
}
