//! One test executable of several suites.
//!
//! A *suite* is a module of the executable. Its tests are functions with `#[test]`, which
//! register themselves, or the trials of its `trials()`, which may ignore some on this machine.

use std::fmt::Debug;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed};

/// The name of a suite's module, and the function that returns the suite's trials.
pub type Suite = (&'static str, fn() -> Vec<Trial>);

/// A test with a name, a kind and an ignored flag that are known at run time.
pub struct Trial {
    name: String,
    kind: String,
    is_ignored: bool,
    test: Box<dyn FnOnce() -> Result<(), Failed> + Send>,
}

impl Trial {
    /// Creates a trial that is not ignored.
    pub fn test(
        name: impl Into<String>,
        test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            kind: String::new(),
            is_ignored: false,
            test: Box::new(test),
        }
    }

    /// Sets the kind, which stands in brackets before the name: the reason of an ignored trial.
    pub fn with_kind(self, kind: impl Into<String>) -> Self {
        let kind = kind.into();
        Self { kind, ..self }
    }

    /// Sets the ignored flag.
    pub fn with_ignored_flag(self, is_ignored: bool) -> Self {
        Self { is_ignored, ..self }
    }

    /// Keeps a value until the trial has ended.
    pub fn keeping(self, value: impl Send + 'static) -> Self {
        let Self { test, .. } = self;
        let test = Box::new(move || {
            let result = test();
            drop(value);
            result
        });
        Self { test, ..self }
    }

    /// Returns the kind; it is empty if the trial has none.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the name, without the suite's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the trial is ignored.
    pub fn has_ignored_flag(&self) -> bool {
        self.is_ignored
    }

    /// Returns the trial of libtest-mimic. Its name begins with the suite's.
    fn in_suite(self, suite: &str) -> libtest_mimic::Trial {
        libtest_mimic::Trial::test(format!("{suite}::{}", self.name), self.test)
            .with_kind(self.kind)
            .with_ignored_flag(self.is_ignored)
    }
}

/// A function with `#[test]`.
pub struct TestFunction {
    /// The function's path, which begins with the executable's name.
    pub path: &'static str,
    /// The reason in `#[ignore = "…"]`.
    pub ignored: Option<&'static str>,
    /// Calls the function.
    pub test: fn() -> Result<(), Failed>,
}

inventory::collect!(TestFunction);

impl TestFunction {
    fn trial(&self) -> libtest_mimic::Trial {
        // The reason is no kind: libtest also keeps it out of the name.
        let (_, name) = self.path.split_once("::").expect("a path");
        libtest_mimic::Trial::test(name, self.test).with_ignored_flag(self.ignored.is_some())
    }
}

/// The value that a function with `#[test]` may return.
pub trait TestOutcome {
    /// Converts the value into a trial's.
    ///
    /// # Errors
    /// If the value is an error.
    fn into_result(self) -> Result<(), Failed>;
}

impl TestOutcome for () {
    fn into_result(self) -> Result<(), Failed> {
        Ok(())
    }
}

impl<E: Debug> TestOutcome for Result<(), E> {
    fn into_result(self) -> Result<(), Failed> {
        self.map_err(|error| format!("{error:?}").into())
    }
}

/// Runs a future on a runtime of its own, on this thread.
///
/// # Panics
/// If the runtime cannot be built.
pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// Runs a future on a runtime of its own, which has two threads.
///
/// # Panics
/// If the runtime cannot be built.
pub fn block_on_threads<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        // Two on each machine, so that tasks of a test run in parallel.
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// Returns false if this process runs a single test, and its name has another beginning. Then a
/// suite need not look for the tools of the tests with this beginning.
pub fn may_run(beginning: &str) -> bool {
    let arguments = Arguments::from_args();
    exact_name(&arguments).is_none_or(|name| name.starts_with(beginning))
}

/// Runs the tests that the arguments of the process ask for: the `main` of a test executable.
pub fn run(suites: &[Suite]) -> ExitCode {
    let arguments = Arguments::from_args();
    let wanted = exact_suite(&arguments);
    // nextest starts a process for each test. Creating all trials loads libLLVM and starts
    // compilers, so a process creates only those of its test's suite.
    let chosen = suites
        .iter()
        .filter(|(name, _)| wanted.is_none_or(|it| it == *name));
    let mut trials: Vec<libtest_mimic::Trial> = chosen
        .flat_map(|(name, make)| make().into_iter().map(move |trial| trial.in_suite(name)))
        .collect();
    trials.extend(inventory::iter::<TestFunction>().map(TestFunction::trial));
    // libtest-mimic accepts a run without tests, and nextest takes that for a pass.
    if let Ok(asked) = std::env::var("NEXTEST_TEST_NAME")
        && !trials.iter().any(|trial| full_name(trial) == asked)
    {
        eprintln!("there is no test {asked}");
        return ExitCode::FAILURE;
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns the name in listings: a kind in brackets, and the name.
fn full_name(trial: &libtest_mimic::Trial) -> String {
    match trial.kind() {
        "" => trial.name().to_owned(),
        kind => format!("[{kind}] {}", trial.name()),
    }
}

/// Returns the suite of the only wanted test.
fn exact_suite(arguments: &Arguments) -> Option<&str> {
    exact_name(arguments)?.split("::").next()
}

/// Returns the name of the only wanted test.
fn exact_name(arguments: &Arguments) -> Option<&str> {
    let name = arguments.filter.as_deref().filter(|_| arguments.exact)?;
    // A kind stands before the name in brackets.
    let behind = name.strip_prefix('[').and_then(|it| it.split_once("] "));
    Some(behind.map_or(name, |(_, name)| name))
}
