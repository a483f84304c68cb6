//! The glibc version that a program or library needs.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::step;

/// The oldest glibc that a release runs on: that of RHEL 8, and of wheels for manylinux_2_28.
pub(super) const OLDEST: &str = "2.28";

/// Checks that a file needs no glibc newer than [`OLDEST`].
pub(super) fn check(file: &Path) -> Result<()> {
    let headers = step::output(Command::new("objdump").arg("-p").arg(file));
    let headers = headers.with_context(|| format!("objdump cannot read {}", file.display()))?;
    let newest = newest(&headers);
    // Both files are dynamic, so no reference means that objdump's output has changed.
    let newest = newest.with_context(|| format!("{} needs no glibc at all", file.display()))?;
    println!("{} needs glibc {}.{}", file.display(), newest.0, newest.1);
    if Some(newest) > version(OLDEST) {
        bail!("{} does not run on glibc {OLDEST}", file.display());
    }
    Ok(())
}

/// Returns the newest version among a dynamic file's references, as binutils' objdump lists them.
fn newest(headers: &str) -> Option<(u32, u32)> {
    let words = headers.split_whitespace();
    let versions = words.filter_map(|word| version(word.strip_prefix("GLIBC_")?));
    versions.max()
}

/// Parses `2.28`, or `2.2.5` without its last number.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_reference_counts() {
        let headers = "\
Version References:
  required from libm.so.6:
    0x09691a75 0x00 05 GLIBC_2.2.5
  required from libc.so.6:
    0x06969191 0x00 04 GLIBC_2.14
    0x069691b4 0x00 03 GLIBC_2.34
    0x09691a75 0x00 02 GLIBC_2.9
";
        assert_eq!(newest(headers), Some((2, 34)));
        assert_eq!(newest("not a dynamic object"), None);
        assert_eq!(version(OLDEST), Some((2, 28)));
    }

    #[test]
    fn this_program_is_linked_with_a_newer_one() {
        // rustc's own target names `posix_spawn_file_actions_addchdir_np` of glibc 2.29 and newer as weak symbols without a
        // version, so what decides is the system's libc.
        let text = step::output(Command::new("ldd").arg("--version")).unwrap();
        let system = text.lines().next().and_then(|line| line.rsplit(' ').next());
        let this = std::env::current_exe().unwrap();
        let is_newer = system.and_then(version) > version(OLDEST);
        assert_eq!(check(&this).is_err(), is_newer);
    }
}
