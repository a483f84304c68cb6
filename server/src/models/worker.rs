//! The worker: compares submitted models, one at a time. The programs of a comparison are confined
//! children, so a model can cost its own result and nothing else.

use std::ffi::OsString;
use std::fmt::Display;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use answers::models::ModelComparison;
use iree_export::ModuleProblem;
use kernel_export::ExportRequest;
use model_profile::{ComparisonRequest, ModelKernels, ProfileError, Profiler, parse_counts};
use store::{ClaimedModel, ModelEnd, ModelState};
use tempfile::NamedTempFile;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::sleep;
use tracing::{debug, info};

use crate::ServiceState;

/// The pause between two looks for a model of another replica.
const LOOK_PAUSE: Duration = Duration::from_secs(1);

/// The pause after an attempt without the tools.
const TOOLS_PAUSE: Duration = Duration::from_secs(60);

/// The pause between two reports about a model under way.
const REPORT_PAUSE: Duration = Duration::from_secs(2);

/// The silence after which another replica takes a model up.
const PATIENCE: Duration = Duration::from_secs(15);

/// The attempts after which a model fails: each ended with its service.
const ATTEMPTS: u32 = 3;

/// The longest time of a comparison. A step of a profile may still end after it.
const LONGEST: Duration = Duration::from_secs(1800);

/// The largest number of commands in all calls. Their description is some megabytes.
const MAX_COMMANDS: usize = 10_000;

/// The stack of a thread that reads a client's module, in bytes. Nested regions make the readers
/// recurse, and an overflow would end the service. iree-compile itself has 8 MiB.
const STACK_BYTES: usize = 512 << 20;

/// The worker of a service.
pub(crate) struct ModelWorker {
    /// The name in the database.
    name: String,
    /// Wakes the worker after a submission.
    wake: Notify,
    /// The ID of the model under way.
    current: Mutex<Option<String>>,
    /// True once the service ends.
    ending: watch::Sender<bool>,
}

/// The progress of a comparison: the state, and the number of profiled modules.
type Progress = (ModelState, u32);

/// The reason that a comparison has no result.
enum ComparisonFailure {
    /// The model fails, for this reason.
    Model(String),
    /// The tools are missing; another replica or a later attempt may have them.
    Tools(String),
}

/// Ends the work of a thread when it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl ModelWorker {
    pub(crate) fn new() -> ModelWorker {
        ModelWorker {
            // The standard library's hasher has a random key, which saves a dependency.
            name: format!("{:016x}", RandomState::new().hash_one(std::process::id())),
            wake: Notify::new(),
            current: Mutex::default(),
            ending: watch::Sender::new(false),
        }
    }

    /// Wakes the worker.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Ends the event streams of models.
    pub(crate) fn end_streams(&self) {
        self.ending.send_replace(true);
    }

    /// Waits until the service ends.
    pub(crate) async fn ended(&self) {
        // An error means that the worker is gone, and the service with it.
        self.ending.subscribe().wait_for(|ends| *ends).await.ok();
    }

    /// Compares models. Never ends.
    pub(crate) async fn run(&self, service: &Arc<ServiceState>) {
        loop {
            // Any replica may take up any model: the database decides, and no queue is lost with a
            // service.
            let pause = match service.models.claim_model(&self.name, PATIENCE).await {
                Ok(Some(claimed)) => match self.compare(service, claimed).await {
                    Ok(()) => continue,
                    Err(pause) => pause,
                },
                Ok(None) => LOOK_PAUSE,
                Err(error) => {
                    debug!(%error, "no model can be taken up");
                    LOOK_PAUSE
                }
            };
            // A submission at another replica wakes nobody here, so the worker looks by itself.
            tokio::select! {
                () = sleep(pause) => {}
                () = self.wake.notified() => {}
            }
        }
    }

    /// Gives the model under way back to the queue.
    pub(crate) async fn leave(&self, service: &ServiceState) {
        let current = self.current().clone();
        if let Some(id) = current {
            let end = ModelEnd::Interrupted;
            let left = service.models.end_model(&id, &self.name, end).await;
            // Another service takes it up after the patience.
            left.ok();
        }
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares a model and stores the end. Returns the pause before the next one if there are no
    /// tools.
    async fn compare(
        &self,
        service: &Arc<ServiceState>,
        claimed: ClaimedModel,
    ) -> Result<(), Duration> {
        let id = claimed.id.clone();
        *self.current() = Some(id.clone());
        info!(model = %id, attempt = claimed.attempts, "a model is compared");
        // A module that ends its service, such as by all memory of the machine, would otherwise end
        // every replica, one after the other.
        let compared = match claimed.attempts {
            ..=ATTEMPTS => self.work(service, claimed).await,
            attempts => Some(Err(ComparisonFailure::Model(format!(
                "the service ended {} times while it compared the model",
                attempts - 1
            )))),
        };
        // A result of a deleted model, or of one that another replica has taken up, is dropped.
        let pause = match compared {
            Some(Ok(comparison)) => {
                let profiles = comparison.judgement.profiles;
                let profiles = u32::try_from(profiles).unwrap_or(u32::MAX);
                let (models, judging) = (&service.models, ModelState::Judging);
                // The end tells whether the model is still this worker's.
                let reported = models.report_model(&id, &self.name, judging, profiles);
                reported.await.ok();
                let gain = answers::line(&comparison.gain());
                let result = answers::line(&comparison);
                let (summary, result) = (&gain, &result);
                self.end(service, &id, ModelEnd::Done { summary, result })
                    .await;
                None
            }
            Some(Err(ComparisonFailure::Model(reason))) => {
                self.end(service, &id, ModelEnd::Failed(&reason)).await;
                None
            }
            // Not the model's fault: tools may be installed while the service runs, and another
            // replica may have them.
            Some(Err(ComparisonFailure::Tools(reason))) => {
                info!(model = %id, %reason, "the model waits for tools");
                self.end(service, &id, ModelEnd::Interrupted).await;
                Some(TOOLS_PAUSE)
            }
            None => None,
        };
        *self.current() = None;
        pause.map_or(Ok(()), Err)
    }

    async fn end(&self, service: &ServiceState, id: &str, end: ModelEnd<'_>) {
        // The silence of this worker makes another one repeat the work.
        if let Err(error) = service.models.end_model(id, &self.name, end).await {
            debug!(%error, model = id, "the end of a comparison cannot be written");
        }
    }

    /// Returns the comparison of a model, and reports its progress on the way. Returns `None` if
    /// the model is not this worker's any more.
    async fn work(
        &self,
        service: &Arc<ServiceState>,
        claimed: ClaimedModel,
    ) -> Option<Result<ModelComparison, ComparisonFailure>> {
        let id = claimed.id.clone();
        // The thread learns at its next profile that nobody waits for the comparison. Its current
        // program runs to its end or its time limit.
        let stop = StopOnDrop(Arc::default());
        let (progress, mut seen) = watch::channel((ModelState::Compiling, 0));
        let compared = compare_model(service, claimed, progress, Arc::clone(&stop.0));
        tokio::pin!(compared);
        let mut is_open = true;
        loop {
            tokio::select! {
                compared = &mut compared => return Some(compared),
                // A closed channel would be ready at once, again and again.
                changed = seen.changed(), if is_open => is_open = changed.is_ok(),
                () = sleep(REPORT_PAUSE) => {}
            }
            let (state, profiles) = *seen.borrow_and_update();
            let models = &service.models;
            match models.report_model(&id, &self.name, state, profiles).await {
                Ok(true) => {}
                Ok(false) => return None,
                // The next report may succeed.
                Err(error) => debug!(%error, model = %id, "a comparison cannot report"),
            }
        }
    }
}

/// Compares a model with and without the kernels of the catalogue.
async fn compare_model(
    service: &Arc<ServiceState>,
    claimed: ClaimedModel,
    progress: watch::Sender<Progress>,
    stop: Arc<AtomicBool>,
) -> Result<ModelComparison, ComparisonFailure> {
    let request = ComparisonRequest::parse(&claimed.request).map_err(ComparisonFailure::Model)?;
    let (target, device) = request.device().map_err(ComparisonFailure::Model)?;
    let counts = parse_counts(&request.counts).map_err(ComparisonFailure::Model)?;
    let options: Vec<OsString> = request.options.iter().map(OsString::from).collect();
    // The problems come from the compiler's own text, so that the module in the form of any front
    // end has those of the command line.
    let begun = {
        let (service, counts) = (Arc::clone(service), counts.clone());
        let read = move || -> Result<_, ComparisonFailure> {
            let tools = service.model_tools.get();
            let tools = tools.map_err(|missing| ComparisonFailure::Tools(missing.to_string()))?;
            let module = write(&claimed.module).map_err(of_model)?;
            let problems = tools.problems(module.path(), target, &options, &counts);
            let profiler = tools.profiler(device, &options).map_err(of_model)?;
            Ok((module, problems.map_err(of_model)?, profiler))
        };
        on_thread(read).await??
    };
    let (module, problems, profiler): (NamedTempFile, Vec<ModuleProblem>, Profiler) = begun;
    let wanted = ExportRequest {
        target,
        device: Some(&request.device),
        wish: false,
        beside_iree: false,
    };
    let catalogue = service.catalogue.as_ref();
    // Without a tuning spec, as the command line exports the kernels of a model.
    let kernels = ModelKernels::choose(catalogue, &wanted, &problems, None);
    let kernels = kernels.await.map_err(of_model)?;
    // On the thread, because a kernel takes libLLVM tens of milliseconds.
    let service = Arc::clone(service);
    let judge = move || -> Result<ModelComparison, ComparisonFailure> {
        let built = kernels.build(&service.toolchain, target);
        let built = built.map_err(of_model)?;
        let begun = Instant::now();
        let observer = |profiles: usize| {
            let state = match profiles {
                0 => ModelState::Compiling,
                _ => ModelState::Judging,
            };
            progress.send_replace((state, u32::try_from(profiles).unwrap_or(u32::MAX)));
            !stop.load(Ordering::Relaxed) && begun.elapsed() < LONGEST
        };
        let module: &Path = module.path();
        match built.compare(&profiler, module, &counts, &observer) {
            // A loop of a module launches without end, and each command has a line in the database
            // and in every answer.
            Ok(comparison) if comparison.commands() > MAX_COMMANDS => {
                Err(ComparisonFailure::Model(format!(
                    "the calls have {} commands; the service describes at most {MAX_COMMANDS}",
                    comparison.commands()
                )))
            }
            Err(ProfileError::Interrupted) => Err(ComparisonFailure::Model(format!(
                "the comparison took longer than {} s",
                LONGEST.as_secs()
            ))),
            compared => compared.map_err(of_model),
        }
    };
    on_thread(judge).await?
}

fn of_model(error: impl Display) -> ComparisonFailure {
    ComparisonFailure::Model(error.to_string())
}

/// Writes a module to a file.
fn write(module: &str) -> std::io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("wavetune-model-")
        .suffix(".mlir")
        .tempfile()?;
    file.write_all(module.as_bytes())?;
    Ok(file)
}

/// Runs long work. It has a thread of its own, because a service that ends would wait for a
/// runtime's blocking threads. A compiler dies with the thread that started it.
async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ComparisonFailure> {
    let (done, result) = oneshot::channel();
    let thread = thread::Builder::new().name("model".to_owned());
    let thread = thread.stack_size(STACK_BYTES);
    let started = thread.spawn(move || {
        // The receiver is gone if the service ends or the model was deleted.
        let _ = done.send(work());
    });
    started.map_err(of_model)?;
    // A panic drops the sender. The panic hook has printed the message and the place already.
    result
        .await
        .map_err(|_| of_model("the service has a bug; its log has the cause"))
}
