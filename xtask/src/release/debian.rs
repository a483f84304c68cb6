//! The Debian package, by `dpkg-deb`: the files of the release below `/usr`, as Debian expects
//! them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::glibc;
use crate::step;
use crate::tools::LLVM_VERSIONS;

/// Creates the package. Returns its file name.
pub(super) fn package(
    prefix: &Path,
    target: &Path,
    folder: &Path,
    version: &str,
    date: &str,
) -> Result<String> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("Debian's name for {other} is not known here"),
    };
    let root = target.join("debian-package");
    crate::files::make_anew(&root)?;
    let usr = root.join("usr");
    step::run(Command::new("cp").arg("-r").arg(prefix).arg(&usr))?;
    as_debian_wants(&usr)?;
    let control = root.join("DEBIAN");
    fs::create_dir_all(&control)?;
    fs::write(
        control.join("control"),
        control_file(version, architecture, size(&usr)?),
    )?;
    script(&control.join("postinst"), POSTINST)?;
    script(&control.join("postrm"), POSTRM)?;
    let file = format!("wavetune_{version}_{architecture}.deb");
    let mut build = Command::new("dpkg-deb");
    build.env("SOURCE_DATE_EPOCH", date);
    // xz, because dpkg reads zstd only from Debian 12 on.
    build.args(["--root-owner-group", "-Zxz", "--build"]);
    step::run(build.arg(&root).arg(folder.join(&file)))?;
    Ok(file)
}

/// Moves files to Debian's places, and compresses the manual pages.
fn as_debian_wants(usr: &Path) -> Result<()> {
    let zsh = usr.join("share/zsh");
    fs::rename(zsh.join("site-functions"), zsh.join("vendor-completions"))?;
    let documents = usr.join("share/doc/wavetune");
    let licence = fs::read_to_string(documents.join("LICENSE"))?;
    fs::write(
        documents.join("copyright"),
        format!("{COPYRIGHT}\n{licence}"),
    )?;
    fs::remove_file(documents.join("LICENSE"))?;
    let pages = fs::read_dir(usr.join("share/man/man1"))?;
    let pages = pages.map(|page| Ok(page?.path()));
    let mut pages: Vec<PathBuf> = pages.collect::<std::io::Result<_>>()?;
    pages.push(documents.join("THIRD-PARTY.txt"));
    // `-n` omits the time, so that equal files give equal bytes.
    step::run(Command::new("gzip").arg("-9n").args(pages))
}

fn control_file(version: &str, architecture: &str, kibibytes: u64) -> String {
    // Any supported LLVM satisfies the recommendation; the newest is preferred.
    let any = |name: &str| {
        let names = LLVM_VERSIONS.map(|it| name.replace('*', &it.to_string()));
        names.join(" | ")
    };
    format!(
        "Package: wavetune\n\
         Version: {version}\n\
         Architecture: {architecture}\n\
         Maintainer: The wavetune authors <wavetune@localhost>\n\
         Installed-Size: {kibibytes}\n\
         Depends: libc6 (>= {})\n\
         Recommends: {}, {}\n\
         Suggests: bubblewrap\n\
         Section: devel\n\
         Priority: optional\n\
         Description: auto-tuner for reductions on AMD GPUs\n \
         wavetune searches kernel configurations for argmax, sums, softmax, norms and other\n \
         operations on AMD GPUs, verifies and times them, and gives the best to iree-compile\n \
         or to a program of yours. It needs no GPU: an emulator runs the kernels.\n",
        glibc::OLDEST,
        any("libllvm*"),
        any("lld-*"),
    )
}

/// Returns the size of a folder's files in KiB.
fn size(folder: &Path) -> Result<u64> {
    let mut du = Command::new("du");
    du.args(["--summarize", "--apparent-size", "--block-size=1024"]);
    let text = step::output(du.arg(folder)).context("du failed")?;
    let number = text.split_whitespace().next().context("du says nothing")?;
    Ok(number.parse()?)
}

/// Writes a maintainer script, which must be executable.
fn script(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text)?;
    Ok(fs::set_permissions(
        file,
        fs::Permissions::from_mode(0o755),
    )?)
}

const COPYRIGHT: &str = "\
wavetune is under the licence below. THIRD-PARTY.txt.gz has those of the libraries that are linked into it.
";

/// The units stay disabled: docs/deploy.md says which machine needs which.
const POSTINST: &str = "\
#!/bin/sh
set -e
if [ \"$1\" = configure ]; then
    if command -v systemd-sysusers > /dev/null; then
        systemd-sysusers wavetune.conf
    fi
    if [ -d /run/systemd/system ]; then
        systemctl daemon-reload
    fi
fi
";

const POSTRM: &str = "\
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
fi
";

#[cfg(test)]
mod tests {
    use super::control_file;

    #[test]
    fn the_package_names_its_dependencies() {
        let text = control_file("0.1.0", "amd64", 40_000);
        for line in [
            "Version: 0.1.0",
            "Installed-Size: 40000",
            "Depends: libc6 (>= 2.28)",
            "Recommends: libllvm22 | libllvm21 | libllvm20 | libllvm19, lld-22 | lld-21 | lld-20 | lld-19",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\n{text}");
        }
        // A line that begins with a blank goes on with the description, and nothing else does.
        let goes_on = text.lines().filter(|line| line.starts_with(' ')).count();
        assert_eq!(goes_on, 3, "{text}");
    }
}
