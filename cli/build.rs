//! Sets the program's version. In a release build it includes the commit and its date.

use std::path::Path;

#[path = "build/commit.rs"]
mod commit;

fn main() {
    let mut version = env!("CARGO_PKG_VERSION").to_owned();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/commit.rs");
    // Not in dev builds: each commit would recompile this crate and its test executables.
    if std::env::var_os("PROFILE").is_some_and(|profile| profile == "release")
        && let Some(commit) = commit::Commit::of(Path::new(env!("CARGO_MANIFEST_DIR")), "cli")
    {
        println!("cargo::rerun-if-changed={}", commit.file.display());
        version = format!("{version} ({})", commit.text);
    }
    println!("cargo::rustc-env=WAVETUNE_VERSION={version}");
}
