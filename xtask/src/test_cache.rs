//! The cache of passed tests. `cargo xtask test` does not repeat a test that passed for the same
//! executable and the same files. So `--full` continues an interrupted run.
//!
//! A passed test is stored under a *key*, a hash of its executable, of the shared libraries beside
//! it, and of data files. For tests of the command line, it includes the program. The data are
//! all files of the tree but Rust's and [`UNREAD`]. Compilers and other tools are not in the key.
//! The tests of `xtask` read the whole tree and therefore always run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};

use crate::files;
use crate::git;
use crate::quick_sample::OmittedTests;
use crate::test_times::TestTime;
use crate::workspace;

/// The package with tests that read the whole tree.
const NEVER_KEPT: &str = "xtask";

/// The folder of the package with tests that run the program.
const WITH_PROGRAM: &str = "cli";

/// The beginnings of files that only the tests of `xtask` read.
const UNREAD: [&str; 6] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "xtask/",
    ".ci/",
];

/// The folder with the record of passed tests and the keys of this run's executables.
pub(crate) struct TestCache {
    folder: PathBuf,
}

/// A line of the record.
#[derive(Clone, PartialEq, Debug)]
struct CachedTest {
    key: String,
    /// Seconds since 1970 at the test's end.
    at: u64,
    time: TestTime,
}

impl CachedTest {
    fn line(&self) -> String {
        format!("{}\t{}\t{}", self.key, self.at, self.time.line())
    }

    fn parse(line: &str) -> Option<Self> {
        let (key, rest) = line.split_once('\t')?;
        let (at, time) = rest.split_once('\t')?;
        Some(Self {
            key: key.to_owned(),
            at: at.parse().ok()?,
            time: TestTime::parse(time)?,
        })
    }
}

impl TestCache {
    /// Opens the record in a folder, which need not exist yet.
    pub(crate) fn open(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the record of this target directory.
    ///
    /// # Errors
    ///
    /// If xtask is not in a target directory.
    pub(crate) fn of_target() -> Result<Self> {
        Ok(Self::open(workspace::target_dir()?.join("test-passed")))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn keys(&self) -> PathBuf {
        self.folder.join("keys")
    }

    fn shared(&self) -> PathBuf {
        self.folder.join("shared")
    }

    fn program(&self) -> PathBuf {
        self.folder.join("program")
    }

    fn record(&self) -> PathBuf {
        self.folder.join("passed.tsv")
    }

    fn left_out(&self) -> PathBuf {
        self.folder.join("left-out")
    }

    fn skips(&self) -> PathBuf {
        self.folder.join("skipped")
    }

    /// Removes the keys and lists of the last run, since a build may have replaced its executables.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub(crate) fn begin(&self) -> Result<()> {
        files::make_anew(&self.keys())?;
        for file in [self.shared(), self.program(), self.skips(), self.left_out()] {
            if file.exists() {
                std::fs::remove_file(file)?;
            }
        }
        Ok(())
    }

    /// Records that a test of this run was skipped.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub(crate) fn skip(&self, test: &str) -> Result<()> {
        files::append(&self.skips(), test)
    }

    /// Makes this run skip tests that need not have passed.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub(crate) fn leave_out(&self, left_out: &OmittedTests) -> Result<()> {
        let lines = left_out.tests.iter();
        let lines = lines.map(|(binary, test)| format!("{binary}\t{test}\n"));
        Ok(std::fs::write(self.left_out(), lines.collect::<String>())?)
    }

    /// Returns true if this run skips the test without knowing its result.
    pub(crate) fn leaves_out(&self, binary: &str, test: &str) -> bool {
        let text = std::fs::read_to_string(self.left_out()).unwrap_or_default();
        let line = format!("{binary}\t{test}");
        text.lines().any(|it| it == line)
    }

    /// Returns the recorded times of tests, those of repeated tests in the order of their runs.
    pub(crate) fn times(&self) -> Vec<TestTime> {
        self.entries().into_iter().map(|it| it.time).collect()
    }

    /// Returns the number of tests that this run has skipped.
    pub(crate) fn skipped(&self) -> usize {
        let text = std::fs::read_to_string(self.skips());
        text.unwrap_or_default().lines().count()
    }

    /// Returns the key of an executable's tests. Hashes only at the first call.
    ///
    /// # Errors
    ///
    /// If git cannot hash the files.
    pub(crate) fn key(&self, executable: &Path, package: &Path) -> Result<String> {
        let name = executable.file_name().context("a test has a name")?;
        self.once(&self.keys().join(name), || {
            let deps = executable.parent().context("a test lies in a folder")?;
            let mut parts = hashes(&[executable])?;
            parts += &self.once(&self.shared(), || shared_files(deps))?;
            if package.ends_with(WITH_PROGRAM) {
                parts += &self.once(&self.program(), || program(deps))?;
            }
            Ok(parts)
        })
    }

    /// Returns the hash of a text, kept in a file until the next run begins.
    fn once(&self, file: &Path, text: impl FnOnce() -> Result<String>) -> Result<String> {
        if let Ok(key) = std::fs::read_to_string(file) {
            return Ok(key);
        }
        // Renamed into place, because several tests may start at once.
        let new = file.with_extension(std::process::id().to_string());
        std::fs::write(&new, text()?)?;
        let key = hashes(&[&new])?;
        std::fs::write(&new, &key)?;
        std::fs::rename(&new, file)?;
        Ok(key)
    }

    /// Returns the keys of this run's executables.
    fn current(&self) -> Result<Vec<String>> {
        let files = std::fs::read_dir(self.keys())?;
        files
            .map(|file| Ok(std::fs::read_to_string(file?.path())?))
            .collect()
    }

    /// Returns true if the test has passed under the key.
    pub(crate) fn has(&self, key: &str, binary: &str, test: &str) -> bool {
        // Every test asks, so lines are compared as text: parsing thousands of them took a runner
        // longer than its test.
        let (before, behind) = (format!("{key}\t"), format!("\t{binary}\t{test}"));
        let text = std::fs::read_to_string(self.record()).unwrap_or_default();
        let mut lines = text.lines();
        lines.any(|line| {
            let is_this = line.starts_with(&before) && line.ends_with(&behind);
            let entry = is_this.then(|| CachedTest::parse(line)).flatten();
            entry.is_some_and(|it| it.time.package() != NEVER_KEPT)
        })
    }

    /// Adds a test that has just passed.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub(crate) fn add(&self, key: &str, time: TestTime) -> Result<()> {
        let entry = CachedTest {
            key: key.to_owned(),
            at: now(),
            time,
        };
        files::append(&self.record(), &entry.line())
    }

    fn entries(&self) -> Vec<CachedTest> {
        let text = std::fs::read_to_string(self.record()).unwrap_or_default();
        text.lines().filter_map(CachedTest::parse).collect()
    }

    /// Returns a key for all executables of this run together, for steps outside nextest.
    ///
    /// # Errors
    ///
    /// If the run has listed no executable, or git cannot hash the keys.
    pub(crate) fn key_of_all(&self) -> Result<String> {
        let mut keys = self.current()?;
        ensure!(!keys.is_empty(), "no test executable was listed");
        // `read_dir` has no order.
        keys.sort();
        let all = self.folder.join("all-keys");
        std::fs::write(&all, keys.concat())?;
        hashes(&[&all])
    }

    /// Formats a table of the passed tests of this run's executables: number, processor seconds,
    /// and the times of the first and the last.
    pub(crate) fn table(&self) -> String {
        let current = self.current().unwrap_or_default();
        let entries = self.entries();
        let mut suites: BTreeMap<&str, Vec<&CachedTest>> = BTreeMap::new();
        for entry in entries.iter().filter(|it| current.contains(&it.key)) {
            suites.entry(&entry.time.binary).or_default().push(entry);
        }
        let now = now();
        let mut text = String::from("passed    cpu s  when                    executable\n");
        for (binary, mut entries) in suites {
            // Two parallel runs may both have added a test.
            entries.sort_by(|a, b| a.time.test.cmp(&b.time.test));
            entries.dedup_by(|a, b| a.time.test == b.time.test);
            let cpu: f64 = entries.iter().map(|it| it.time.processor_s).sum();
            let times = || entries.iter().map(|it| it.at);
            let first = ago(times().min().unwrap_or_default(), now);
            let last = ago(times().max().unwrap_or_default(), now);
            let when = match first == last {
                true => last,
                false => format!("{first} … {last}"),
            };
            let count = entries.len();
            writeln!(text, "{count:>6} {cpu:>8.1}  {when:<22}  {binary}").expect("text");
        }
        text
    }
}

/// Returns the hash of the program that stands beside the tests' folder, if it is built.
fn program(deps: &Path) -> Result<String> {
    let program = deps.parent().map(|built| built.join("wavetune"));
    match program.filter(|it| it.is_file()) {
        Some(program) => hashes(&[program]),
        None => Ok(String::new()),
    }
}

/// Returns the paths and hashes of the files that every test may read: the workspace's shared
/// libraries, and the data of the tree.
fn shared_files(deps: &Path) -> Result<String> {
    let mut files = Vec::new();
    for file in std::fs::read_dir(deps)? {
        let path = file?.path();
        if path.extension().is_some_and(|it| it == "so") && is_ours(&path) {
            files.push(path);
        }
    }
    let tracked_or_new = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let list = git::output(workspace::root(), &tracked_or_new)?;
    // Rust sources are in the executable already.
    let is_data =
        |it: &&str| !it.ends_with(".rs") && !UNREAD.iter().any(|unread| it.starts_with(unread));
    let data = list.lines().filter(is_data);
    let data = data.map(|it| workspace::root().join(it));
    // A deleted file may still be in the index.
    files.extend(data.filter(|it| it.is_file()));
    // `read_dir` has no order, and the key must not depend on one.
    files.sort();
    Ok(format!("{files:?}\n{}", hashes(&files)?))
}

/// Returns the hashes of files, a line each.
fn hashes(files: &[impl AsRef<Path>]) -> Result<String> {
    // A hashing crate would make xtask build longer; each machine with a clone has git.
    let mut words = vec!["hash-object", "--no-filters", "--"];
    for file in files {
        words.push(file.as_ref().to_str().context("a file's path is UTF-8")?);
    }
    git::output(workspace::root(), &words)
}

/// Returns true for a shared library of the workspace. Procedural macros have a hash in their
/// name.
fn is_ours(library: &Path) -> bool {
    let name = library.file_stem().and_then(|it| it.to_str());
    name.is_some_and(|it| it.starts_with("libwavetune"))
}

/// Returns the seconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |it| it.as_secs())
}

/// Formats a past time as minutes or hours ago.
fn ago(at: u64, now: u64) -> String {
    match now.saturating_sub(at) / 60 {
        minutes @ 0..120 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", minutes / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is gone with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("xtask-passed-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir_all(folder.join("deps")).unwrap();
            Self(folder)
        }

        fn write(&self, file: &str, text: &str) -> PathBuf {
            let path = self.0.join(file);
            std::fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).ok();
        }
    }

    fn time(binary: &str, test: &str) -> TestTime {
        TestTime {
            binary: binary.to_owned(),
            test: test.to_owned(),
            processor_s: 1.5,
            wall_s: 2.0,
        }
    }

    #[test]
    fn a_test_is_kept_under_its_key_alone() {
        let folder = Folder::new("kept");
        let passed = TestCache::open(folder.0.clone());
        assert!(!passed.has("k1", "store::it", "a"));
        passed.add("k1", time("store::it", "a")).unwrap();
        passed.add("k1", time("xtask::tidy", "a")).unwrap();
        assert!(passed.has("k1", "store::it", "a"));
        assert!(!passed.has("k2", "store::it", "a"));
        assert!(!passed.has("k1", "store::it", "b"));
        assert!(!passed.has("k1", "store", "a"));
        assert!(!passed.has("k1", "xtask::tidy", "a"), "always run");
        // A line that a killed run left unfinished is no line.
        folder.write("passed.tsv", "k1\t12");
        assert!(!passed.has("k1", "store::it", "a"));
    }

    #[test]
    fn everything_that_a_test_is_built_of_changes_its_key() {
        let folder = Folder::new("key");
        let passed = TestCache::open(folder.0.clone());
        let executable = folder.write("deps/it-0123", "code");
        let key = |package| {
            passed.begin().unwrap();
            let package = workspace::root().join(package);
            passed.key(&executable, &package).unwrap()
        };
        let mut seen = vec![key("cli")];
        assert_eq!(key("cli"), seen[0]);
        for (file, text) in [
            ("deps/it-0123", "other code"),
            ("deps/libwavetune_hip.so", "a library"),
            ("deps/libwavetune_hip.so", "another library"),
            ("wavetune", "the program"),
        ] {
            let other = key("store");
            folder.write(file, text);
            let now = key("cli");
            assert!(!seen.contains(&now), "{file}");
            seen.push(now);
            // Tests of other packages do not run the program.
            assert_eq!(key("store") == other, file == "wavetune", "{file}");
        }
        folder.write("deps/libserde_derive-0123.so", "a procedural macro");
        assert_eq!(Some(&key("cli")), seen.last());
        // Within a run nothing is hashed twice.
        let cli = workspace::root().join("cli");
        let first = passed.key(&executable, &cli).unwrap();
        folder.write("wavetune", "built by a test");
        assert_eq!(passed.key(&executable, &cli).unwrap(), first);
    }

    #[test]
    fn data_of_the_tree_are_in_the_key() {
        let folder = Folder::new("data");
        let files = shared_files(&folder.0.join("deps")).unwrap();
        for file in [
            "README.md",
            "docs/replay.md",
            "server/openapi.json",
            ".config/nextest.toml",
        ] {
            let path = workspace::root().join(file);
            assert!(files.contains(&format!("{path:?}")), "{file}");
        }
        for file in ["ARCHITECTURE.md", ".ci/run", "xtask/budgets.tsv"] {
            let path = workspace::root().join(file);
            assert!(!files.contains(&format!("{path:?}")), "{file}");
        }
        assert!(!files.contains(".rs\""));
    }

    #[test]
    fn the_table_has_passed_tests_of_these_executables() {
        let folder = Folder::new("table");
        let passed = TestCache::open(folder.0.clone());
        passed.skip("a").unwrap();
        assert_eq!(passed.skipped(), 1);
        passed.begin().unwrap();
        assert_eq!(passed.skipped(), 0);
        assert!(passed.key_of_all().is_err());
        folder.write("keys/it-0123", "k1");
        assert!(passed.key_of_all().is_ok());
        passed.add("k1", time("store::it", "a")).unwrap();
        passed.add("k1", time("store::it", "a")).unwrap();
        passed.add("k1", time("store::it", "b")).unwrap();
        passed.add("k0", time("store::it", "c")).unwrap();
        let table = passed.table();
        let row = table.lines().nth(1).unwrap();
        assert!(row.starts_with("     2      3.0  0 min ago"), "{table}");
        assert!(row.ends_with("  store::it"), "{table}");
        assert_eq!(ago(0, 7_199), "119 min ago");
        assert_eq!(ago(0, 7_200), "2 h ago");
    }
}
