//! The database of the dashboard's tests: real studies, tuned once for each build of the program.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use store::{ModelEnd, ModelSubmission, Models as _};
use store_sqlite::Sqlite;
use testing::Failed;

/// The studies, in a fixed order, so that each has the same number in each run. They cover a
/// large and a small device, few and many rows, and IREE's kernels: some of those have another
/// tie-break, and some do not compile.
const STUDIES: [&[&str]; 4] = [
    &["argmax:4x[32000]xf32", "--budget", "96"],
    &[
        "argmin:16x[512]xbf16",
        "--device",
        "emulated:rx7900xtx",
        "--budget",
        "32",
    ],
    &["argmax:1x[131072]xf16", "--budget", "24"],
    &[
        "argmax:4x[4096]xf32",
        "--generator",
        "iree",
        "--budget",
        "12",
    ],
];

/// A lookup without an answer, which leaves a wish.
const WISHED: [&str; 4] = ["lookup", "argmax:64x[1024]xf32", "--target", "gfx950"];

const NAME: &str = "trials.db";

/// The comparison of a model, as a service made it.
const COMPARISON: &str = include_str!("comparison.json");
const SUMMARY: &str = include_str!("summary.json").trim_ascii_end();

/// Copies the database into this folder.
pub(crate) fn copy_into(folder: &Path) -> Result<PathBuf, Failed> {
    let seeded = seeded()?;
    for entry in fs::read_dir(seeded)? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join(entry.file_name()))?;
    }
    Ok(folder.join(NAME))
}

/// Returns the folder with the database. Each test is a process: the first one tunes, and the
/// others wait.
fn seeded() -> Result<PathBuf, Failed> {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dashboard");
    fs::create_dir_all(&all)?;
    let lock = File::create(all.join("lock"))?;
    lock.lock()?;
    let program = fs::metadata(env!("CARGO_BIN_EXE_wavetune"))?;
    let built = program.modified()?.duration_since(UNIX_EPOCH)?.as_nanos();
    let folder = all.join(format!("of-{built:x}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    // Databases of earlier builds.
    for entry in fs::read_dir(&all)? {
        let path = entry?.path();
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        }
    }
    let making = all.join("making");
    fs::create_dir(&making)?;
    for study in STUDIES {
        let output = wavetune(&making).arg("tune").args(study).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{study:?}: {said}").into());
        }
    }
    let status = wavetune(&making)
        .args(WISHED)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    assert_eq!(status.code(), Some(1), "{WISHED:?} is known");
    block_on(add_models(&making.join(NAME)))?;
    fs::rename(&making, &folder)?;
    Ok(folder)
}

/// Adds two models as a service stores them: one with a comparison, and one that failed.
async fn add_models(path: &Path) -> Result<(), Failed> {
    let comparison: Value = serde_json::from_str(COMPARISON)?;
    testing_conformance::check("comparison", &comparison);
    let request = |name: &str| {
        json!({
            "name": name, "target": "gfx942", "device": "emulated:mi300x", "counts": "1..8",
            "options": ["--iree-opt-level=O2"], "compiler": "3.13.0",
        })
    };
    let done = ModelEnd::Done {
        summary: SUMMARY,
        result: &comparison.to_string(),
    };
    let failed = ModelEnd::Failed("iree-compile: 3:10: error: use of undeclared SSA value name");
    let store = Sqlite::open(path.to_str().ok_or("a path")?).await?;
    for (id, name, end) in [("a1", "head.mlir", done), ("a2", "wrong.mlir", failed)] {
        let submission = ModelSubmission {
            id,
            request: &request(name).to_string(),
            module: "module {}",
            most_queued: 1,
        };
        assert!(store.submit_model(submission).await?);
        let patience = Duration::from_secs(60);
        let claimed = store.claim_model("seed", patience).await?;
        assert!(claimed.is_some_and(|it| it.id == id));
        assert!(store.end_model(id, "seed", end).await?);
    }
    store.close().await;
    Ok(())
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(future)
}

fn wavetune(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command
        .env("WAVETUNE_DB", folder.join(NAME))
        .stdin(Stdio::null());
    command
}
