//! The readers in Rust and in C agree on files that are valid, damaged and mutated: on the fault,
//! on its place, and on the whole content.
//!
//! gcc and clang compile the reader in C, as C11 and as C++17, with the address and the undefined
//! behaviour sanitizers on.

mod compiled;
use testing_tables as support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc::sync_channel;

use lookup_table::{Table, TableError};
use testing::{Failed, Trial};

use crate::readers::compiled::{BUILDS, Build, Reader};
use testing_tables::damage::DAMAGE;
use testing_tables::{Random, mutation, samples, transcript};

/// The number of files for each build, in the usual run and in the long one.
const MUTATED: u64 = 8_000 / BUILDS.len() as u64;
const FULL: u64 = 1_000_000 / BUILDS.len() as u64;

/// A test of a compiled reader.
type Test = fn(&Reader, Build) -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for build in BUILDS {
        // The search compiles a program.
        let may_run = ["agrees", "full_agrees"].map(|it| format!("readers::{it} {build}"));
        let may_run = may_run.iter().any(|name| testing::may_run(name));
        let lack = may_run.then(|| build.lacks()).flatten();
        let trial = |name: &str, test: Test| trial(build, name, test, lack.as_deref());
        trials.push(trial("agrees", |reader, build| {
            planted_damage(reader)?;
            opened_files(reader)?;
            mutated_files(reader, build, MUTATED)
        }));
        let full = trial("full_agrees", |reader, build| {
            mutated_files(reader, build, FULL)
        });
        let kind = format!("full: {FULL} mutated files");
        trials.push(full.with_ignored_flag(true).with_kind(kind));
    }
    trials
}

/// Creates a test with the reader of a build. If the build is impossible, the test is ignored
/// with the reason as its kind; in CI it fails.
fn trial(build: Build, name: &str, test: Test, lack: Option<&str>) -> Trial {
    let name = format!("{name} {build}");
    match lack.map(str::to_owned) {
        None => Trial::test(name, move || test(&build.compile()?, build)),
        Some(reason) => Trial::test(name, {
            let reason = reason.clone();
            move || Err(reason.into())
        })
        .with_kind(reason)
        .with_ignored_flag(std::env::var_os("CI").is_none()),
    }
}

fn planted_damage(reader: &Reader) -> Result<(), Failed> {
    let (mut questions, mut answers) = reader.start()?;
    for (what, damage, verdict) in DAMAGE {
        let mut file = samples::small();
        damage(&mut file);
        let rust = transcript::transcript(&file);
        questions.ask(&file)?;
        if answers.next()? != in_short(&rust) {
            let c = reader.text(&file)?;
            return Err(format!("{what}: Rust says\n{rust}\nand C says\n{c}").into());
        }
        if rust.split(' ').next() != Some(verdict) {
            return Err(format!("{what} is {verdict}, and both say\n{rust}").into());
        }
    }
    Ok(())
}

/// Returns the fault, and a hash of the whole transcript.
fn in_short(said: &str) -> String {
    let verdict = said.split(' ').next().unwrap_or_default();
    let hash = twox_hash::XxHash3_128::oneshot(said.as_bytes());
    format!("{verdict} {hash:032x}")
}

/// Checks files by path, including those that cannot be opened.
fn opened_files(reader: &Reader) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let small = samples::small();
    fs::write(at("right"), &small)?;
    fs::write(at("cut"), &small[..small.len() - 1])?;
    fs::write(at("empty"), "")?;
    fs::write(at("newer"), [&small[..8], &[2], &small[9..]].concat())?;
    fs::create_dir(at("folder"))?;
    support::pipe(&at("pipe"))?;
    std::os::unix::fs::symlink(at("right"), at("link"))?;
    let names = [
        "right", "link", "cut", "newer", "empty", "folder", "pipe", "nowhere",
    ];
    for name in names {
        let verdict = |error: &TableError| transcript::verdict(error) + "\n";
        let opened = Table::open(at(name));
        let rust = opened.map_or_else(
            |error| verdict(&error),
            |table| transcript::transcript(table.as_bytes()),
        );
        let c = reader.open(&at(name))?;
        if rust != c {
            return Err(format!("{name}: Rust says\n{rust}\nand C says\n{c}").into());
        }
    }
    Ok(())
}

fn mutated_files(reader: &Reader, build: Build, count: u64) -> Result<(), Failed> {
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut questions, mut answers) = reader.start()?;
    let (sender, files) = sync_channel::<Vec<u8>>(64);
    let seed = build.seed() << 32;
    std::thread::scope(|scope| {
        // If a reader dies, its end of the pipe closes, and both threads end.
        scope.spawn(move || {
            for number in 0..count {
                let file = mutation::mutated(&mut Random::new(seed + number));
                if questions.ask(&file).is_err() || sender.send(file).is_err() {
                    break;
                }
            }
        });
        for (number, file) in (0..count).zip(files) {
            let rust = transcript::transcript(&file);
            let verdict = rust.split(' ').next().unwrap_or_default();
            if answers.next()? != in_short(&rust) {
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR"))
                    .join(format!("disagreed-{seed:x}-{number}.wtab"));
                fs::write(&kept, &file)?;
                let c = reader.text(&file)?;
                let kept = kept.display();
                return Err(format!("Rust says\n{rust}\nand C says\n{c}\nof {kept}").into());
            }
            *verdicts.entry(verdict.to_owned()).or_default() += 1;
        }
        Ok::<_, Failed>(())
    })?;
    println!("{build}: {verdicts:?}");
    if verdicts.values().sum::<u64>() < count {
        return Err(format!("the reader ended after {verdicts:?}").into());
    }
    // Mutations that never reach some fault, or are nearly all refused, would test little.
    let all = DAMAGE.iter().map(|(_, _, verdict)| *verdict);
    for verdict in all {
        if !verdicts.contains_key(verdict) && verdict != "foreign" && verdict != "version" {
            return Err(format!("no file was {verdict}: {verdicts:?}").into());
        }
    }
    if verdicts["ok"] < count / 50 {
        return Err(format!("too few files were read: {verdicts:?}").into());
    }
    Ok(())
}
