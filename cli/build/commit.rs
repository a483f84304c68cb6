//! The commit that a program is built from. The build script puts it into `wavetune --version`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A commit, and the file that changes with it.
#[derive(Debug)]
pub(crate) struct Commit {
    /// Its short hash and its date: `7e63ba5ac2 2026-11-28`.
    pub(crate) text: String,
    /// Git's log of checked-out commits, or `HEAD` if there is no log.
    pub(crate) file: PathBuf,
}

impl Commit {
    /// Returns the commit of the sources in `package`, a folder at `path` in its repository.
    ///
    /// Returns `None` without git or a repository. Also returns `None` if another repository
    /// contains the sources, as after unpacking an archive there.
    pub(crate) fn of(package: &Path, path: &str) -> Option<Commit> {
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.args(arguments)
                .current_dir(package)
                .stdin(Stdio::null());
            let output = git.stderr(Stdio::null()).output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?;
            output.status.success().then(|| text.trim().to_owned())
        };
        if git(&["rev-parse", "--show-prefix"])? != format!("{path}/") {
            return None;
        }
        // A fixed length, because git's default grows with the repository.
        let text = git(&["log", "-1", "--abbrev=10", "--format=%h %cs"])?;
        // `HEAD` alone names a branch and does not change with a commit; the log does.
        let files = ["logs/HEAD", "HEAD"].into_iter();
        let mut files = files.filter_map(|name| git(&["rev-parse", "--git-path", name]));
        let file = files.find_map(|file| package.join(file).canonicalize().ok())?;
        Some(Commit { text, file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        git.args(arguments).current_dir(folder);
        git.env("GIT_COMMITTER_DATE", "2026-03-04T12:00:00Z");
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    }

    /// A repository with one commit and a folder `cli`.
    fn repository() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("cli/vendor/cli")).unwrap();
        git(root.path(), &["init", "--quiet"]);
        git(
            root.path(),
            &["commit", "--quiet", "--allow-empty", "--message=one"],
        );
        root
    }

    #[test]
    fn a_commit_has_its_hash_and_its_date_and_the_next_one_changes_the_file() {
        let root = repository();
        let package = root.path().join("cli");
        let one = Commit::of(&package, "cli").unwrap();
        let (hash, date) = one.text.split_once(' ').unwrap();
        assert_eq!((hash.len(), date), (10, "2026-03-04"));
        let before = std::fs::read(&one.file).unwrap();
        git(
            root.path(),
            &["commit", "--quiet", "--allow-empty", "--message=two"],
        );
        assert_ne!(std::fs::read(&one.file).unwrap(), before);
        let two = Commit::of(&package, "cli").unwrap();
        assert_ne!(two.text, one.text);
    }

    #[test]
    fn sources_of_an_archive_have_none() {
        let root = repository();
        // In a folder of another repository.
        assert!(Commit::of(&root.path().join("cli/vendor/cli"), "cli").is_none());
        // In no repository.
        std::fs::remove_dir_all(root.path().join(".git")).unwrap();
        assert!(Commit::of(&root.path().join("cli"), "cli").is_none());
    }
}
