//! The schemas of the messages between agents and the service, and of imported studies.
//!
//! `fleet::wire` and `store::Portion` are the messages themselves; they and the crates below them know no schema. A test holds
//! messages of every kind against these.

#![expect(dead_code, reason = "only their schemas are asked for")]

use std::time::SystemTime;

use answers::ConfigurationSchema;
use answers::openapi::Schemas;
use schemars::JsonSchema;

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
    #[schemars(default)]
    devices: Vec<DeviceCondition>,
    /// Seconds that the agent waits for work; the service may answer sooner.
    wait_s: u32,
}

/// A device and a builder of an agent.
#[derive(JsonSchema)]
struct AgentOffer {
    /// What makes the numbers.
    provenance: FullProvenance,
    /// The device's row in the service's table.
    device: String,
    /// Candidates that are best built at once.
    batch: u64,
}

/// Everything that makes a time, beside the problem and the configuration. An empty text is none.
#[derive(JsonSchema)]
struct FullProvenance {
    /// The instruction set.
    target: String,
    /// The device's name.
    device: String,
    /// What a GPU says of itself.
    part: Option<DevicePart>,
    /// The driver, or the emulator.
    driver: String,
    /// Its version.
    driver_version: String,
    /// Version of the runtime library above it.
    runtime_version: String,
    /// Version of the operating system's module below it.
    kernel_driver_version: String,
    /// Hash of the time model, where no clock tells the time.
    model: String,
    /// The compiler that made the code objects.
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
    /// The clock of the times.
    clock: TimeClock,
    /// The state of the caches before a launch: `cold` or `warm`.
    mode: String,
    /// Version of the protocol of samples; 0 where times repeat exactly.
    protocol: u32,
    /// Version of the inputs.
    inputs: u32,
}

/// The clock of times.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum TimeClock {
    /// A GPU's events.
    Measured,
    /// The emulator's time model.
    Modelled,
}

/// A GPU as its runtime describes it.
#[derive(JsonSchema)]
struct DevicePart {
    /// Its name.
    name: String,
    /// Its instruction set, with features.
    isa: String,
    /// Compute units, or workgroup processors.
    multiprocessors: u32,
    /// Peak clock in MHz.
    clock_mhz: u32,
    /// Memory in MiB.
    memory_mib: u64,
    /// Peak clock of the memory in MHz.
    memory_clock_mhz: u32,
    /// Width of the memory bus in bits.
    memory_bits: u32,
}

/// The condition of a device.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeviceCondition {
    /// Its number among the agent's devices.
    device: u32,
    /// The last measurement of its control kernel.
    watched: Option<ControlKernel>,
    /// Why the device is left alone; none where it is not.
    quarantine: Option<LeftAlone>,
}

/// The last measurement of a control kernel.
#[derive(JsonSchema)]
#[schemars(tag = "state", rename_all = "lowercase")]
enum ControlKernel {
    /// It took the same time before a batch and after it.
    Steady(ControlTime),
    /// It took another time whenever it was measured.
    Unsteady(ControlTime),
    /// It does not give the right results any more.
    Wrong,
}

/// The time of a control kernel.
#[derive(JsonSchema)]
struct ControlTime {
    /// By how much the median may be wrong, as a part of it.
    noise: f64,
    /// The median over that of the first measurement for the problem.
    slowdown: f64,
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
struct WorkLease {
    /// The secret by which the lease is named in later requests.
    token: String,
    /// What is to be done.
    batch: WorkBatch,
    /// The kernels that a build agent has handed in.
    #[schemars(default)]
    kernels: Option<SignedKernels>,
    /// Seconds after which another agent gets the work, where nothing was heard of the lease.
    patience_s: u32,
}

/// Kernels that the service vouches for.
#[derive(JsonSchema)]
struct SignedKernels {
    /// The kernels as they were handed in.
    content: String,
    /// An Ed25519 signature, in base64.
    signature: String,
}

/// A piece of work.
#[derive(JsonSchema)]
struct WorkBatch {
    /// Its name.
    id: BatchName,
    /// The study that it is of.
    job: StudyJob,
    /// What is to be done.
    work: BatchWork,
}

/// The name of a batch.
#[derive(JsonSchema)]
struct BatchName {
    /// The director that gave it out.
    owner: String,
    /// The number of the study.
    study: i64,
    /// Counts the batches of this director and study.
    number: u64,
}

/// What an agent has to know of a study.
#[derive(JsonSchema)]
struct StudyJob {
    /// The problem.
    problem: String,
    /// Name of the generator of the kernels.
    generator: String,
    /// Seed of the inputs.
    input_seed: u64,
    /// The generator's default, which is the control kernel of the device.
    default: KernelChoice,
}

/// A kernel to build.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum KernelChoice {
    /// The generator's default.
    Default(KernelPipeline),
    /// A configuration that a strategy chose.
    Configured(ConfigurationSchema),
}

/// One of IREE's ways to lower an operation.
#[derive(JsonSchema)]
enum KernelPipeline {
    /// The reduction is distributed over lanes.
    VectorDistribute(ConfigurationSchema),
    /// Each thread computes whole outputs.
    TileAndFuse(TiledThreads),
}

/// A pipeline in which each thread of a workgroup's tile computes one output.
#[derive(JsonSchema)]
struct TiledThreads {
    /// Tile of one workgroup on the parallel dimensions; 0 on reduced ones.
    workgroup: Vec<u32>,
    /// Lanes of a subgroup.
    subgroup_size: u32,
    /// Threads of a workgroup along x, y and z.
    workgroup_size: [u32; 3],
}

/// What is to be done.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum BatchWork {
    /// Try these.
    Try(Vec<NumberedCandidate>),
    /// Hold finals of these and the default.
    Finals {
        /// The best of the search, the fastest first.
        finalists: Vec<NumberedCandidate>,
        /// Seed of the order in which they are measured.
        seed: u64,
        /// What is to be made of them.
        terms: FinalsTerms,
    },
}

/// A candidate with its place in the study.
#[derive(JsonSchema)]
struct NumberedCandidate {
    /// Its place in the study's sequence, counted from 0.
    ordinal: u32,
    /// What is built.
    choice: KernelChoice,
}

/// What is to be made of finals.
#[derive(JsonSchema)]
struct FinalsTerms {
    /// Trials of the study that had ended.
    trials: u32,
    /// The index that is wanted on ties.
    ties: WantedTies,
    /// Whether the default gives way to the first of the finalists even where it wins.
    default_yields: bool,
}

/// The index that is wanted on ties.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum WantedTies {
    /// The one that the fold gives.
    Fold,
    /// That of any winner.
    Any,
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
enum BatchNews {
    /// A trial of it has ended.
    Trial(ToldTrial),
    /// Its trials are in the database.
    Stored,
    /// The finals have ended, or could not be held.
    Finals(Result<ToldFinals, String>),
    /// It is done.
    Done,
    /// The agent cannot do it.
    Failed(AgentFailure),
    /// The agent died with it.
    Died,
}

/// A trial.
#[derive(JsonSchema)]
struct ToldTrial {
    /// Its place in the study's sequence, counted from 0.
    ordinal: u32,
    /// What it is for.
    role: TrialRole,
    /// The configuration; none of a default that is no configuration.
    configuration: Option<ConfigurationSchema>,
    /// The verdict.
    outcome: TrialOutcome,
    /// Distance of the farthest result from the exact one, as a share of the bound.
    #[schemars(default)]
    error: Option<f64>,
    /// Seed of the inputs.
    input_seed: u64,
    /// Milliseconds of the compilation.
    compile_ms: Option<f64>,
    /// When it began.
    started: SystemTime,
    /// When it ended.
    ended: SystemTime,
}

/// What a trial is for.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum TrialRole {
    /// The generator's default.
    Default,
    /// What a strategy chose.
    Candidate,
}

/// The verdict of a trial.
#[derive(JsonSchema)]
enum TrialOutcome {
    /// Value and index are correct on every input.
    Right(TrialTiming),
    /// The value is correct, and the index on ties is another one: the time, and the first such tie.
    Tie(TrialTiming, String),
    /// The first difference.
    Wrong(String),
    /// Why there is no verdict, and the failure's own words.
    Failed(FailedBy, String),
}

/// The time of a kernel.
#[derive(JsonSchema)]
struct TrialTiming {
    /// The time in microseconds.
    time_us: f64,
    /// Every sample in the order of measurement, in microseconds.
    samples_us: Vec<f64>,
    /// How they were taken, as JSON.
    protocol: Option<String>,
}

/// Why a trial has no verdict.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum FailedBy {
    /// The compiler reported an error.
    Compile,
    /// Compiling or running took longer than the limit.
    Timeout,
    /// The process that compiled or ran it died.
    Crash,
    /// The device refused the code object.
    Rejected,
    /// The kernel accessed memory that is not its own, or trapped.
    Fault,
    /// The kernel asks for more memory than the device has.
    Memory,
    /// Two launches on the same input gave different results.
    Nondeterministic,
    /// No agent that had it brought it to an end.
    Abandoned,
}

/// The result of finals.
#[derive(JsonSchema)]
struct ToldFinals {
    /// Every sample of the race, in order: place on the short list, microseconds.
    race: Vec<(u64, f64)>,
    /// The winner of the race: a place on the short list.
    first: u64,
    /// The winner of the race (A) and the default (B).
    comparison: PairedComparison,
}

/// The result of a comparison of two kernels.
#[derive(JsonSchema)]
struct PairedComparison {
    /// Every sample, in order: the kernel, microseconds.
    samples: Vec<(ComparedSide, f64)>,
    /// Time of B over time of A.
    speedup: f64,
    /// Interval of the speedup.
    interval: SpeedupInterval,
    /// What the interval says.
    finding: ComparedFinding,
}

/// One of two kernels.
#[derive(JsonSchema)]
enum ComparedSide {
    /// The first.
    A,
    /// The second.
    B,
}

/// An interval of a speedup.
#[derive(JsonSchema)]
struct SpeedupInterval {
    /// Its lower end.
    low: f64,
    /// Its upper end.
    high: f64,
}

/// What an interval says.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum ComparedFinding {
    /// A takes less time than B.
    Faster,
    /// A takes more time than B.
    Slower,
    /// The difference may be noise.
    NotSignificant,
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
struct SigningKey {
    /// An Ed25519 key (RFC 8032), in base64.
    ed25519: String,
}

/// A study of another database, with some of its trials and finals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ImportedPortion {
    /// The study.
    key: ImportedKey,
    /// Least time in microseconds that any kernel needs.
    bound_us: Option<f64>,
    /// When it was opened first.
    first_opened: SystemTime,
    /// When it was opened last.
    last_opened: SystemTime,
    /// Some of its trials.
    trials: Vec<ToldTrial>,
    /// Some of its finals.
    finals: Vec<ImportedFinals>,
}

/// The identity of a study.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ImportedKey {
    /// The problem.
    problem: String,
    /// What makes the numbers.
    provenance: FullProvenance,
    /// Name of the strategy.
    strategy: String,
    /// Fingerprint of the searched space.
    space: String,
    /// The index that is wanted on ties, where it decides which trial is which.
    ties: Option<WantedTies>,
    /// The strategy's seed.
    seed: u64,
}

/// The decision of finals.
#[derive(JsonSchema)]
struct ImportedFinals {
    /// Trials that the study had.
    trials: u32,
    /// Ordinal of the winner's trial.
    winner: u32,
    /// The index that was wanted on ties.
    ties: WantedTies,
    /// By how much the best of the search is faster than the default.
    speedup: f64,
    /// Interval of the speedup.
    interval: (f64, f64),
    /// Every sample, as JSON.
    samples: String,
    /// When they ended.
    ended: SystemTime,
}

/// These schemas, beside others.
pub(crate) fn described(schemas: Schemas) -> Schemas {
    schemas
        .and_read::<LeaseRequest>()
        .and_read::<WorkLease>()
        .and_read::<LeaseHold>()
        .and_read::<LeaseNews>()
        .and_read::<LeaseHeard>()
        .and_read::<BuildRequest>()
        .and_read::<BuildLease>()
        .and_read::<BuiltKernels>()
        .and_read::<SigningKey>()
        .and_read::<ImportedPortion>()
}
