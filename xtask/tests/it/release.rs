//! `cargo xtask release` as a whole: two builds of one commit, in different homes, give the same
//! program.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Copies the files of the repository into another folder.
fn copy(to: &Path) {
    let listed = Command::new("git")
        .current_dir(root())
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .output()
        .unwrap();
    assert!(listed.status.success());
    let names = String::from_utf8(listed.stdout).unwrap();
    for name in names.split_terminator('\0') {
        let file = to.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::copy(root().join(name), file).unwrap();
    }
}

/// Lends the tools of this target directory to a copy, so that it need not install them.
fn lend_tools(folder: &Path) {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    fs::create_dir(folder.join("target")).unwrap();
    let tools = target.join("release-tools");
    if tools.is_dir() {
        symlink(&tools, folder.join("target/release-tools")).unwrap();
    }
}

/// Returns the files of a release, built in a folder with this `CARGO_HOME`.
fn release(folder: &Path, cargo_home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut xtask = Command::new("cargo");
    xtask.current_dir(folder).args(["xtask", "release"]);
    xtask
        .env("CARGO_HOME", cargo_home)
        .env_remove("CARGO_TARGET_DIR");
    assert!(xtask.status().unwrap().success());
    let made = folder.join("target");
    let mut files = BTreeMap::new();
    let mut folders = ["release-files", "dist"].map(|it| made.join(it)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => {
                    let bytes = fs::read(&path).unwrap();
                    files.insert(path.strip_prefix(&made).unwrap().to_owned(), bytes);
                }
            }
        }
    }
    files
}

#[test]
#[ignore = "full: builds the release twice, in two folders, for half an hour"]
fn a_release_does_not_depend_on_where_it_is_built() {
    let folder = std::env::temp_dir().join(format!("wavetune-releases-{}", std::process::id()));
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cargo"));
    // Another user's home, with the same crates.
    let other = folder.join("somebody/.cargo");
    fs::create_dir_all(&other).unwrap();
    symlink(home.join("registry"), other.join("registry")).unwrap();
    let [first, second] = ["one", "another/folder"].map(|name| folder.join(name));
    // Both copies before either build, so that no change comes between.
    for folder in [&first, &second] {
        copy(folder);
        lend_tools(folder);
    }
    let (one, two) = (release(&first, &home), release(&second, &other));
    let names: Vec<&Path> = one.keys().map(PathBuf::as_path).collect();
    for name in [
        "release-files/bin/wavetune",
        "release-files/share/man/man1/wavetune-serve.1",
        "dist/SHA256SUMS",
    ] {
        assert!(names.contains(&Path::new(name)), "{names:?}");
    }
    let packages = names.iter().filter(|name| name.starts_with("dist")).count();
    assert_eq!(packages, 4, "{names:?}");
    assert_eq!(names, two.keys().map(PathBuf::as_path).collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(*bytes == two[name], "{} differs", name.display());
    }
    let program = &one[Path::new("release-files/bin/wavetune")];
    let folder_name = folder.file_name().unwrap().to_str().unwrap();
    for told in [
        folder_name,
        home.to_str().unwrap(),
        root().to_str().unwrap(),
    ] {
        let is_in = program
            .windows(told.len())
            .any(|window| window == told.as_bytes());
        assert!(!is_in, "{told} is in the program");
    }
    // A section's name ends with a zero in its table. The emulator reads such sections, and has
    // the name without the zero.
    let section = b".debug_info\0";
    assert!(
        !program
            .windows(section.len())
            .any(|window| window == section)
    );
    println!("{} bytes", program.len());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
#[ignore = "full: builds the release, and installs and uses its three files in a Debian without Rust"]
fn a_release_is_installed_and_used() {
    let mut xtask = Command::new("cargo");
    xtask.current_dir(root());
    xtask.args(["xtask", "release", "--check"]);
    assert!(xtask.status().unwrap().success());
}
