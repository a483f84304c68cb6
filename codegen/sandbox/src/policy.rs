//! Policies: the files and devices that a confined child may use, as arguments of bubblewrap.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{self, Path, PathBuf};
use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The options of every child: namespaces of its own that it cannot leave, no capability, no
/// terminal, and an end with its parent.
const CONFINED: [&str; 9] = [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--new-session",
    "--die-with-parent",
    "--hostname",
    "sandbox",
];

/// The folders of programs and libraries beside `/usr`: links into it, or folders on systems that
/// did not merge them.
const BESIDE_USR: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// The parts of `/etc` that programs need: the loader's cache of libraries, and the chosen
/// version of programs.
const ETC: [&str; 2] = ["/etc/ld.so.cache", "/etc/alternatives"];

/// The size in bytes of a folder in memory, `/tmp` or `/dev/shm`.
const SCRATCH: &str = "268435456";

/// The largest size of a file that a child writes, in bytes. A child that writes without end must
/// not fill the disk.
const FILE_BYTES: u64 = 4 << 30;

/// The devices of AMD's driver.
const GPUS: [&str; 2] = ["/dev/kfd", "/dev/dri"];

/// The prefix of ROCm's folders in `/opt`.
const ROCM: &str = "rocm";

/// The prefixes of the variables that ROCm's libraries read, and the loader's search path.
const DRIVER_VARIABLES: [&str; 8] = [
    "AMD_",
    "GPU_",
    "HIP_",
    "HSA_",
    "ROCM_",
    "ROCR_",
    "WAVETUNE_HIP_",
    LOADER_PATH,
];
const LOADER_PATH: &str = "LD_LIBRARY_PATH";

/// The files and devices that a child may use, beside the system's programs and libraries. Its
/// only variable is `PATH`; with the GPUs, it also has those of ROCm's libraries.
#[derive(Debug, Clone)]
pub struct SandboxPolicy {
    /// The files and folders that the child may read.
    pub read: Vec<PathBuf>,
    /// The folder that the child may write to. `/tmp` and `/dev/shm` are its own, and in memory.
    pub write: Option<PathBuf>,
    /// True if the child has the GPUs, with ROCm.
    pub gpus: bool,
    /// The limit of memory for each process of the child, in bytes.
    pub memory: u64,
}

impl Default for SandboxPolicy {
    /// Returns a policy with no files, and a limit of 4 GiB.
    fn default() -> SandboxPolicy {
        SandboxPolicy {
            read: Vec::new(),
            write: None,
            gpus: false,
            memory: 4 << 30,
        }
    }
}

impl SandboxPolicy {
    /// Adds the policy to a command of bubblewrap.
    pub(crate) fn add_arguments(&self, command: &mut Command) {
        command.env_clear().env("PATH", "/usr/bin:/bin");
        if self.gpus {
            command.envs(env::vars_os().filter(|(name, _)| is_driver_s(name)));
        }
        command.args(CONFINED);
        command.args(["--ro-bind", "/usr", "/usr"]);
        for folder in BESIDE_USR.map(Path::new) {
            match fs::read_link(folder) {
                Ok(usr) => command.arg("--symlink").args([&usr, folder]),
                Err(_) => command.arg("--ro-bind-try").args([folder, folder]),
            };
        }
        for file in ETC {
            command.args(["--ro-bind-try", file, file]);
        }
        command.args(["--proc", "/proc", "--dev", "/dev"]);
        if self.gpus {
            for device in GPUS {
                command.args(["--dev-bind-try", device, device]);
            }
            command.args(["--ro-bind", "/sys", "/sys"]);
        }
        for folder in ["/dev/shm", "/tmp"] {
            command.args(["--size", SCRATCH, "--tmpfs", folder]);
        }
        // Relative paths begin in the current folder.
        if let Ok(here) = env::current_dir() {
            command.arg("--dir").arg(&here).arg("--chdir").arg(here);
        }
        for path in self.read.iter().cloned().chain(self.drivers()) {
            bind(command, "--ro-bind-try", &path);
        }
        if let Some(folder) = &self.write {
            bind(command, "--bind", folder);
        }
        // Remount last, because mounting creates folders. Root could write to /proc/sys without
        // any capability.
        for folder in ["/dev", "/proc", "/"] {
            command.args(["--remount-ro", folder]);
        }
        self.limit(command);
    }

    /// Returns the folders of drivers.
    fn drivers(&self) -> Vec<PathBuf> {
        if !self.gpus {
            return Vec::new();
        }
        let opt = fs::read_dir("/opt").into_iter().flatten().flatten();
        let is_rocm = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with(ROCM)
        };
        let installed = opt.map(|entry| entry.path()).filter(is_rocm);
        let named = env::var_os("ROCM_PATH").map(PathBuf::from);
        let loader = env::var_os(LOADER_PATH).unwrap_or_default();
        let loader: Vec<PathBuf> = env::split_paths(&loader).collect();
        let all = installed.chain(named).chain(loader);
        all.filter(|path| !path.as_os_str().is_empty()).collect()
    }

    /// Limits the memory of each process, and the files that it writes.
    ///
    /// A GPU's driver reserves most of its address space without writing to it, so only
    /// writable data counts. Otherwise the whole address space counts, including shared memory.
    fn limit(&self, command: &mut Command) {
        let resource = match self.gpus {
            true => Resource::Data,
            false => Resource::As,
        };
        limit(command, resource, self.memory);
        limit(command, Resource::Fsize, FILE_BYTES);
    }
}

/// Limits the address space of each process of an unconfined child as a default [`SandboxPolicy`]
/// does.
pub fn limit_memory(command: &mut Command) {
    limit(command, Resource::As, SandboxPolicy::default().memory);
}

fn limit(command: &mut Command, resource: Resource, bytes: u64) {
    let known = getrlimit(resource).maximum;
    // A process without privileges can only lower its hard limit.
    let most = Some(known.map_or(bytes, |known| known.min(bytes)));
    let limit = Rlimit {
        current: most,
        maximum: most,
    };
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed; it makes one system call (prlimit) and allocates nothing.
    unsafe {
        command.pre_exec(move || setrlimit(resource, limit).map_err(io::Error::from));
    }
}

fn is_driver_s(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    DRIVER_VARIABLES.iter().any(|it| name.starts_with(it))
}

/// Makes a path visible at its own place, and at the place of its target if it is a link.
fn bind(command: &mut Command, how: &str, path: &Path) {
    let Ok(path) = path::absolute(path) else {
        return;
    };
    if let Ok(real) = path.canonicalize()
        && real != path
    {
        command.arg(how).args([&real, &real]);
    }
    command.arg(how).args([&path, &path]);
}

/// Returns the path that a program or a library needs to be visible: its folder, which also has
/// its libraries. For a file in the home folder or in the root, it is the file alone, because
/// other files lie beside it.
pub fn visible_path(file: &Path) -> PathBuf {
    // The child searches a bare name in the system's folders.
    if file.components().count() == 1 {
        return file.to_owned();
    }
    let path = path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    let is_own = |folder: &&Path| {
        *folder != Path::new("/") && env::home_dir().is_none_or(|home| home != *folder)
    };
    match (real.parent().filter(is_own), path.parent()) {
        // The loader searches beside the path that was started, also behind a link to the folder.
        (Some(folder), Some(named)) if named.canonicalize().is_ok_and(|it| it == folder) => {
            named.to_owned()
        }
        (Some(folder), _) => folder.to_owned(),
        (None, _) => real,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_needed_paths_of_home_are_visible() {
        let home = env::home_dir().unwrap();
        assert_eq!(visible_path(&home.join("tool")), home.join("tool"));
        assert_eq!(visible_path(&home.join("tools/tool")), home.join("tools"));
        assert_eq!(visible_path(Path::new("/tool")), Path::new("/tool"));
        assert_eq!(visible_path(Path::new("tool")), Path::new("tool"));
    }

    #[test]
    fn a_folder_is_visible_under_the_name_of_its_link() {
        let all = tempfile::tempdir().unwrap();
        let all = all.path().canonicalize().unwrap();
        let (folder, link) = (all.join("folder"), all.join("link"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("tool"), "").unwrap();
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert_eq!(visible_path(&link.join("tool")), link);
        // A link to the tool alone leads to its folder.
        std::os::unix::fs::symlink(folder.join("tool"), all.join("tool")).unwrap();
        assert_eq!(visible_path(&all.join("tool")), folder);
    }
}
