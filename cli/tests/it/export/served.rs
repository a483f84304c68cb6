//! Kernels that a service exports.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use testing::Failed;

use crate::export::running::{self, Running, answer};
use crate::export::{export, launch, succeeded, wavetune};

/// Starts a service of the database in this folder.
fn service(directory: &Path) -> Result<Running, Failed> {
    let mut command = running::wavetune(directory.join("test.db"));
    command
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .env_remove("WAVETUNE_OBJECTS");
    Running::service(command, "127.0.0.1:0")
}

/// Returns the files of a folder.
fn files(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failed> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| "no text")?;
        files.insert(name, std::fs::read(entry.path())?);
    }
    Ok(files)
}

/// Checks the guide's command with two problems, one of them tuned, and with all tuned ones. The
/// tar has the same files as this program's export, and they run.
pub(crate) fn a_service_exports_the_same_files() -> Result<(), Failed> {
    const GUIDE: &str = include_str!("../../../../docs/guide-programs.md");
    const PROBLEM: &str = "&problem=argmax:4x[32000]xf32";
    let download = |line: &&str| line.contains("/api/v1/exports/kernels?");
    let line = GUIDE.lines().find(download).ok_or("no such command")?;
    let directory = tempfile::tempdir()?;
    let (tuned, untuned) = ("argmax:4x[1000]xf32", "argmin:[33]x7xi32");
    succeeded(&wavetune(
        directory.path(),
        &["tune", tuned, "--budget", "6"],
    )?)?;
    let served = service(directory.path())?;
    for problems in [&[][..], &[tuned, untuned]] {
        let (own, out) = (tempfile::tempdir()?, tempfile::tempdir()?);
        std::fs::copy(directory.path().join("test.db"), own.path().join("test.db"))?;
        export(own.path(), &[problems, &["--target", "gfx942"]].concat())?;
        let named = problems.iter().map(|problem| format!("&problem={problem}"));
        assert!(line.contains(PROBLEM), "{line}");
        let line = line
            .replace(PROBLEM, &named.collect::<String>())
            .replace("127.0.0.1:8942", served.address())
            .replacen("curl", "curl --silent --show-error --fail", 1);
        let unpacked = out.path().join("kernels");
        std::fs::create_dir(&unpacked)?;
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &line]).current_dir(out.path()).output()?;
        succeeded(&output)?;
        assert_eq!(String::from_utf8(output.stderr)?, "");
        let files = files(&unpacked)?;
        assert_eq!(files, self::files(&own.path().join("kernels"))?);
        let manifest: Value = serde_json::from_slice(&files["manifest.json"])?;
        let kernels = manifest["kernels"].as_array().ok_or("no kernels")?;
        assert_eq!(files.len(), 2 * kernels.len() + 1);
        for kernel in kernels {
            launch(out.path(), kernel)?;
        }
    }
    // The service keeps built kernels for the next request.
    assert_eq!(kept(directory.path())?, 2);
    assert_eq!(served.end()?, Some(0));
    Ok(())
}

/// Counts the code objects that a service has built.
fn kept(directory: &Path) -> Result<usize, Failed> {
    let mut count = 0;
    // Before the first one there is no folder.
    for folder in std::fs::read_dir(directory.join("cache/wavetune/objects"))
        .into_iter()
        .flatten()
    {
        count += std::fs::read_dir(folder?.path())?.count();
    }
    Ok(count)
}

/// Checks that a client that disconnects during the first kernel stops the building of the
/// others.
pub(crate) fn a_cancelled_export_builds_nothing() -> Result<(), Failed> {
    const KERNELS: usize = 64;
    let directory = tempfile::tempdir()?;
    let served = service(directory.path())?;
    let problems = (1..=KERNELS).map(|size| format!("&problem=argmax:%5B{size}%5Dxf32"));
    let problems: String = problems.collect();
    let address = served.address();
    let mut client = TcpStream::connect(address)?;
    write!(
        client,
        "GET /api/v1/exports/kernels?target=gfx942{problems} HTTP/1.1\r\nHost: {address}\r\n\r\n"
    )?;
    let begin = Instant::now();
    while kept(directory.path())? == 0 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(5));
    }
    drop(client);
    // The service finishes the kernel that it is building before it ends.
    assert_eq!(served.end()?, Some(0));
    let kept = kept(directory.path())?;
    assert!((1..KERNELS).contains(&kept), "{kept} kernels were built");
    Ok(())
}

/// Checks that a service without libLLVM still answers all other requests.
pub(crate) fn a_service_without_tools_says_so() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let mut command = running::wavetune(directory.path().join("test.db"));
    command.env("WAVETUNE_LIBLLVM", "/nowhere/libLLVM.so");
    let served = Running::service(command, "127.0.0.1:0")?;
    let problem = "argmax:4x%5B1000%5Dxf32";
    let ask = |path: &str| answer(served.address(), &format!("GET /api/v1/{path}"), "");
    let said = ask(&format!("exports/kernels?target=gfx942&problem={problem}"))?;
    assert!(said.starts_with("HTTP/1.1 501 "), "{said}");
    for part in [
        "/problems/tools-missing",
        "/nowhere/libLLVM.so",
        "WAVETUNE_LIBLLVM",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let said = ask("devices")?;
    assert!(said.starts_with("HTTP/1.1 200 "), "{said}");
    Ok(())
}
