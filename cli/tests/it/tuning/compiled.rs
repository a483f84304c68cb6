//! Machines without a GPU build kernels for those with one. They may build, die or lie: the
//! result equals that of `tune`.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use configgen::Generator;
use serde_json::{Value, json};
use server_fleet::wire::{BuildLease, BuiltKernels};
use testing::Failed;
use tuner::{Builder, Pack, Toolchain};

use crate::tuning::lent::{agent, as_alone, wait_for};
use crate::tuning::running::{Running, ask, llvm_process};
use crate::tuning::wavetune;

const PROBLEM: &str = "argmax:4x[1000]xf32";
const TRIALS: u64 = 60;

/// Starts an agent that builds kernels, with its own cache.
fn builder(db: &Path, address: &str, cache: &Path) -> Result<Running, Failed> {
    let server = format!("http://{address}");
    // As many workers as there may be batches, so that none waits for another.
    let arguments = [
        "agent",
        "--server",
        &server,
        "--compile-only",
        "--jobs",
        "8",
    ];
    let mut command = wavetune(db, &arguments);
    command
        .env("XDG_CACHE_HOME", cache)
        .env_remove("WAVETUNE_OBJECTS");
    Running::start(command, "connected")
}

/// Starts an agent with a device, with its own cache.
fn device(db: &Path, address: &str, cache: &Path) -> Result<Running, Failed> {
    let mut command = wavetune(db, &[]);
    command
        .env("XDG_CACHE_HOME", cache)
        .env_remove("WAVETUNE_OBJECTS");
    Running::agent(command, address)
}

/// Counts the code objects in a cache.
fn compiled(cache: &Path) -> usize {
    let Ok(entries) = fs::read_dir(cache) else {
        return 0;
    };
    let count = |entry: fs::DirEntry| match entry.path() {
        path if path.is_dir() => compiled(&path),
        _ => 1,
    };
    entries.flatten().map(count).sum()
}

fn submit(address: &str) -> Result<Value, Failed> {
    let wanted = json!({ "problems": [PROBLEM], "target": "gfx942", "budget": TRIALS });
    let studies = ask(address, "POST /api/v1/studies", &wanted.to_string())?;
    Ok(studies["studies"][0]["id"].clone())
}

/// Waits for the end of a study, and compares it with that of `tune` alone.
fn check(db: &Path, address: &str, id: &Value) -> Result<(), Failed> {
    wait_for(address, id, u64::MAX)?;
    let study = ask(address, &format!("GET /api/v1/studies/{id}"), "")?;
    assert_eq!(study["state"], "done", "{study}");
    let (found, alone) = as_alone(db, PROBLEM, TRIALS)?;
    assert_eq!(found["trials"]["right"], alone["trials"]["right"]);
    Ok(())
}

pub(crate) fn a_machine_without_a_gpu_builds() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    let db = path("served.db");
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    // A device was there, and will return.
    assert_eq!(device(&db, &address, &path("device"))?.end()?, Some(0));
    let builder = builder(&db, &address, &path("builder"))?;
    let agents = ask(&address, "GET /api/v1/agents", "")?;
    let builds = |agent: &&Value| agent["builds"][0]["generator"] == "native";
    let agents = agents["agents"].as_array().ok_or("no agents")?;
    assert_eq!(agents.iter().filter(builds).count(), 1, "{agents:?}");
    let id = submit(&address)?;
    let begin = Instant::now();
    while compiled(&path("builder")) == 0 {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "nothing is built"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let device = device(&db, &address, &path("device"))?;
    check(&db, &address, &id)?;
    assert_eq!(compiled(&path("device")), 0);
    assert!(compiled(&path("builder")) > 4);
    assert_eq!(builder.end()?, Some(0));
    assert_eq!(device.end()?, Some(0));
    Ok(())
}

pub(crate) fn a_builder_is_killed() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    let db = path("served.db");
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let _device = agent(&db, &address)?;
    let builder = builder(&db, &address, &path("builder"))?;
    let id = submit(&address)?;
    wait_for(&address, &id, TRIALS / 4)?;
    builder.kill()?;
    check(&db, &address, &id)
}

/// Checks a builder that returns something other than the requested kernels.
pub(crate) fn a_builder_lies() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("served.db");
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let _device = agent(&db, &address)?;
    let builder = tuner::builder(Generator::NATIVE, Duration::from_secs(10), llvm_process())?;
    let ask_to_build = json!({
        "agent": "liar",
        "builds": [serde_json::to_value(Toolchain::of(builder.as_ref()))?],
        "wait_s": 1,
    });
    let ask_to_build = ask_to_build.to_string();
    // The builder is there before the study.
    ask(&address, "POST /api/v1/builds", &ask_to_build).ok();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let lying = scope.spawn(|| -> Result<usize, String> {
            let mut lies = 0;
            while !is_over.load(Ordering::Relaxed) {
                // An answer without a body means that there is nothing to build.
                let Ok(build) = ask(&address, "POST /api/v1/builds", &ask_to_build) else {
                    continue;
                };
                let build: BuildLease =
                    serde_json::from_value(build).map_err(|it| it.to_string())?;
                let kernels =
                    lie(builder.as_ref(), &build, lies).map_err(|it| format!("{it:?}"))?;
                let told = json!(BuiltKernels {
                    token: build.token,
                    batch: build.batch,
                    kernels: Some(kernels),
                });
                let heard = ask(&address, "POST /api/v1/builds:hand-in", &told.to_string());
                lies += usize::from(heard.is_ok_and(|heard| heard["is_wanted"] == true));
            }
            Ok(lies)
        });
        let checked = submit(&address).and_then(|id| check(&db, &address, &id));
        is_over.store(true, Ordering::Relaxed);
        let lies = lying.join().map_err(|_| "the liar died")??;
        assert!(lies >= 4, "{lies}");
        checked
    })
}

/// Returns a pack of a batch with one fault, another one at each turn.
fn lie(builder: &dyn Builder, build: &BuildLease, turn: usize) -> Result<String, Failed> {
    let pack = Pack::build(builder, build.target, &build.batch);
    let pack = pack.map_err(|error| format!("{error:?}"))?.to_text();
    let mut pack: Value = serde_json::from_str(&pack)?;
    let object = pack["code_objects"][0].as_str().ok_or("no object")?;
    let mut object = STANDARD.decode(object)?;
    match turn % 4 {
        0 => object = vec![0x7f; 1000],
        // Changed instructions, in several places.
        1 => {
            let first = object.len() / 3;
            for byte in object[first..].iter_mut().step_by(97) {
                *byte ^= 0x55;
            }
        }
        2 => pack["kernels"][0]["launch"]["workgroups"] = json!([1_000_000, 1, 1]),
        _ => object.truncate(object.len() / 2),
    }
    pack["code_objects"][0] = json!(STANDARD.encode(object));
    Ok(pack.to_string())
}
