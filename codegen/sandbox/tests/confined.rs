//! The limits and permissions of a confined child. Needs a working bubblewrap.

use std::ffi::OsStr;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codegen_sandbox::{Sandbox, SandboxPolicy, failure_of, signal_of, visible_path};
use libtest_mimic::{Arguments, Failed, Trial};

type Test = fn(&Sandbox) -> Result<(), Failed>;

const TESTS: [(&str, Test); 13] = [
    ("there_is_no_network", there_is_no_network),
    ("one_folder_is_written_to", one_folder_is_written_to),
    ("others_files_are_not_seen", others_files_are_not_seen),
    ("allowed_paths_are_visible", allowed_paths_are_visible),
    (
        "others_variables_are_not_there",
        others_variables_are_not_there,
    ),
    ("there_is_no_privilege", there_is_no_privilege),
    (
        "other_processes_are_not_there",
        other_processes_are_not_there,
    ),
    ("there_are_no_devices", there_are_no_devices),
    ("memory_is_limited", memory_is_limited),
    ("files_are_limited", files_are_limited),
    ("it_ends_with_its_parent", it_ends_with_its_parent),
    ("nothing_is_left_behind", nothing_is_left_behind),
    ("there_is_none_in_another", there_is_none_in_another),
];

/// The argument of a parent process: it confines a child that lasts, and waits for it.
const PARENT: &str = "--parent-of";

/// Runs the tests. Without a working bubblewrap they are ignored, with the reason as their kind;
/// in CI they fail if it is not installed.
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(PARENT) {
        return parent(&arguments.next().unwrap_or_default());
    }
    // SAFETY: there is no other thread yet.
    unsafe {
        std::env::set_var("WAVETUNE_TOKEN", "wt_secret");
        std::env::set_var("HIP_VISIBLE_DEVICES", "0");
    }
    let trials = TESTS.map(|(name, test)| match Sandbox::find() {
        Ok(sandbox) => Trial::test(name, move || test(&sandbox)),
        Err(refusal) => {
            let reason = refusal.to_string();
            let fails = refusal.is_of_installation() && std::env::var_os("CI").is_some();
            Trial::test(name, move || Err(refusal.into()))
                .with_kind(reason)
                .with_ignored_flag(!fails)
        }
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

/// Runs a script in a shell that is confined to a policy.
fn shell(sandbox: &Sandbox, room: &SandboxPolicy, script: &str) -> Result<Output, Failed> {
    let mut command = sandbox.command(Path::new("bash"), room);
    command.args(["-c", script]).stdin(Stdio::null());
    Ok(command.output()?)
}

/// Returns the output of a command.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

fn there_is_no_network(sandbox: &Sandbox) -> Result<(), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{}",
        listener.local_addr()?.port()
    );
    // An unconfined program gets through.
    assert!(
        Command::new("bash")
            .args(["-c", &script])
            .status()?
            .success()
    );
    listener.accept()?;
    let output = shell(sandbox, &SandboxPolicy::default(), &script)?;
    assert!(!output.status.success());
    assert!(said(&output).contains("refused"), "{}", said(&output));
    listener.set_nonblocking(true)?;
    assert!(listener.accept().is_err());
    let output = shell(
        sandbox,
        &SandboxPolicy::default(),
        "tail -n +3 /proc/net/dev",
    )?;
    let said = said(&output);
    assert!(said.contains("lo:") && said.lines().count() == 1, "{said}");
    Ok(())
}

fn one_folder_is_written_to(sandbox: &Sandbox) -> Result<(), Failed> {
    let work = tempfile::tempdir()?;
    let beside = tempfile::tempdir()?;
    let room = SandboxPolicy {
        read: vec![beside.path().to_owned()],
        write: Some(work.path().to_owned()),
        ..SandboxPolicy::default()
    };
    let write = |path: &Path| {
        let output = shell(sandbox, &room, &format!("echo 1 > {}", path.display()))?;
        Ok::<_, Failed>(output.status.success())
    };
    assert!(write(&work.path().join("result"))?);
    assert_eq!(fs::read_to_string(work.path().join("result"))?, "1\n");
    for folder in [
        "/",
        "/usr",
        "/usr/bin",
        "/etc",
        "/dev",
        "/proc/sys/kernel",
        "/home",
    ] {
        assert!(!write(&Path::new(folder).join("wavetune"))?, "{folder}");
    }
    assert!(!write(&beside.path().join("result"))?);
    // Root could set it, and the kernel would start the named program outside.
    let pattern = "/proc/sys/kernel/core_pattern";
    let output = shell(sandbox, &room, &format!("cat {pattern} > {pattern}"))?;
    assert!(!output.status.success(), "{pattern} was written");
    // These folders are not the machine's.
    for folder in ["/tmp", "/dev/shm"] {
        let name = Path::new(folder).join(format!("wavetune-{}", std::process::id()));
        assert!(write(&name)?, "{folder}");
        assert!(!name.exists());
        let fill = format!("head -c 400000000 /dev/zero > {}", name.display());
        let output = shell(sandbox, &room, &fill)?;
        assert!(said(&output).contains("No space left"), "{}", said(&output));
    }
    Ok(())
}

fn others_files_are_not_seen(sandbox: &Sandbox) -> Result<(), Failed> {
    let secrets = tempfile::tempdir()?;
    let token = secrets.path().join("token");
    fs::write(&token, "wt_secret")?;
    let home = std::env::home_dir().ok_or("nobody is at home")?;
    let own = std::env::current_exe()?;
    for path in [
        &*token,
        Path::new("/etc/passwd"),
        Path::new("/etc/wavetune"),
        Path::new("/var"),
        Path::new("/sys"),
        Path::new("/run"),
        &own,
    ] {
        let output = shell(
            sandbox,
            &SandboxPolicy::default(),
            &format!("ls -d {}", path.display()),
        )?;
        assert!(
            said(&output).contains("No such file"),
            "{}: {}",
            path.display(),
            said(&output)
        );
    }
    // If the program was started in a home folder, there is a folder of that name, and it is
    // empty.
    let list = format!("ls -A {} /home", home.display());
    let seen = shell(sandbox, &SandboxPolicy::default(), &list)?;
    assert_eq!(
        String::from_utf8_lossy(&seen.stdout)
            .replace(&format!("{}:", home.display()), "")
            .trim(),
        ""
    );
    Ok(())
}

fn allowed_paths_are_visible(sandbox: &Sandbox) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let tools = folder.path().join("tools");
    fs::create_dir(&tools)?;
    fs::write(tools.join("tool"), "a tool\n")?;
    fs::write(tools.join("library"), "a library\n")?;
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("tools/tool", &link)?;
    let room = SandboxPolicy {
        read: vec![link.clone(), visible_path(&link)],
        ..SandboxPolicy::default()
    };
    let script = format!("cat {} {}/library", link.display(), tools.display());
    let output = shell(sandbox, &room, &script)?;
    assert_eq!(said(&output), "a tool\na library\n");
    // A child that did not start is distinguished from one that failed.
    let output = sandbox.command(&tools.join("none"), &room).output()?;
    assert!(failure_of(&said(&output)).is_some(), "{}", said(&output));
    let output = shell(sandbox, &room, "kill -ABRT $$")?;
    assert_eq!(signal_of(output.status), Some(6));
    Ok(())
}

fn others_variables_are_not_there(sandbox: &Sandbox) -> Result<(), Failed> {
    let script = "env; cat /proc/*/environ | tr '\\0' '\\n'";
    let output = said(&shell(sandbox, &SandboxPolicy::default(), script)?);
    assert!(!output.contains("wt_secret"), "{output}");
    assert!(output.contains("PATH=/usr/bin:/bin"), "{output}");
    assert!(!output.contains("HIP_VISIBLE_DEVICES"), "{output}");
    let room = SandboxPolicy {
        gpus: true,
        ..SandboxPolicy::default()
    };
    let output = said(&shell(sandbox, &room, script)?);
    assert!(!output.contains("wt_secret"), "{output}");
    assert!(output.contains("HIP_VISIBLE_DEVICES=0"), "{output}");
    Ok(())
}

fn there_is_no_privilege(sandbox: &Sandbox) -> Result<(), Failed> {
    let output = said(&shell(
        sandbox,
        &SandboxPolicy::default(),
        "cat /proc/self/status",
    )?);
    let value = |name: &str| {
        let line = output.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().trim().to_owned()
    };
    for set in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        assert_eq!(value(set), "0000000000000000", "{set}");
    }
    assert_eq!(value("NoNewPrivs:"), "1");
    for script in [
        "unshare --user true",
        "unshare --mount true",
        "mount -o remount,rw /usr",
    ] {
        let output = shell(sandbox, &SandboxPolicy::default(), script)?;
        assert!(!output.status.success(), "{script}");
    }
    // The session is its own, because a process that shares a terminal can type for others. The
    // session of others has no number here.
    let session = said(&shell(
        sandbox,
        &SandboxPolicy::default(),
        "cut -d ' ' -f 6 /proc/$$/stat",
    )?);
    assert!(session.trim().parse::<u32>()? > 0, "{session}");
    Ok(())
}

fn other_processes_are_not_there(sandbox: &Sandbox) -> Result<(), Failed> {
    let script = format!("ls -d /proc/[0-9]* | wc -l; kill -0 {}", std::process::id());
    let output = said(&shell(sandbox, &SandboxPolicy::default(), &script)?);
    let processes: usize = output.lines().next().unwrap_or_default().parse()?;
    assert!((2..10).contains(&processes), "{output}");
    assert!(output.contains("No such process"), "{output}");
    let name = said(&shell(
        sandbox,
        &SandboxPolicy::default(),
        "cat /proc/sys/kernel/hostname",
    )?);
    assert_eq!(name, "sandbox\n");
    Ok(())
}

fn there_are_no_devices(sandbox: &Sandbox) -> Result<(), Failed> {
    let list = "for file in /dev/* /dev/*/*; do [ -c $file ] || [ -b $file ] && [ ! -L $file ] && echo -n $file ''; done";
    let none = said(&shell(sandbox, &SandboxPolicy::default(), list)?);
    assert_eq!(
        none,
        "/dev/full /dev/null /dev/random /dev/tty /dev/urandom /dev/zero /dev/pts/ptmx "
    );
    // The machine's GPUs, and /sys, which describes them; all read-only.
    let room = SandboxPolicy {
        gpus: true,
        ..SandboxPolicy::default()
    };
    for path in ["/dev/kfd", "/dev/dri", "/sys/class"] {
        let seen = shell(sandbox, &room, &format!("ls -d {path}"))?;
        assert_eq!(seen.status.success(), Path::new(path).exists(), "{path}");
    }
    let value = "/sys/module/kernel/parameters/panic";
    let write = shell(sandbox, &room, &format!("cat {value} > {value}"))?;
    assert!(!write.status.success());
    Ok(())
}

fn memory_is_limited(sandbox: &Sandbox) -> Result<(), Failed> {
    for gpus in [false, true] {
        let takes = |megabytes: u64| {
            let room = SandboxPolicy {
                gpus,
                memory: 256 << 20,
                ..SandboxPolicy::default()
            };
            let script = format!("exec dd if=/dev/zero of=/dev/null count=1 bs={megabytes}M");
            shell(sandbox, &room, &script)
        };
        let enough = takes(128)?;
        assert!(enough.status.success(), "{}", said(&enough));
        let much = takes(512)?;
        assert!(!much.status.success());
        assert!(said(&much).contains("memory exhausted"), "{}", said(&much));
    }
    Ok(())
}

fn files_are_limited(sandbox: &Sandbox) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let room = SandboxPolicy {
        write: Some(folder.path().to_owned()),
        ..SandboxPolicy::default()
    };
    // Sparse files: only their length counts.
    let grows = |bytes: u64| {
        let script = format!("truncate -s {bytes} {}/file", folder.path().display());
        shell(sandbox, &room, &script)
    };
    let enough = grows(4 << 30)?;
    assert!(enough.status.success(), "{}", said(&enough));
    assert!(!grows((4 << 30) + 1)?.status.success());
    Ok(())
}

/// Returns a number of seconds that no other process sleeps for.
fn marker(test: u32) -> String {
    format!("60.{}{test}", std::process::id())
}

/// Counts the processes that sleep for this long.
fn sleepers(seconds: &str) -> usize {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.map(|entry| fs::read(entry.path().join("cmdline")).unwrap_or_default());
    let expected = format!("sleep\0{seconds}\0");
    lines.filter(|line| line == expected.as_bytes()).count()
}

fn wait_for(count: usize, seconds: &str) -> Result<(), Failed> {
    let began = Instant::now();
    while sleepers(seconds) != count {
        if began.elapsed() > Duration::from_secs(20) {
            return Err(format!("{} sleepers instead of {count}", sleepers(seconds)).into());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn parent(seconds: &str) -> ExitCode {
    let sandbox = Sandbox::find().expect("a sandbox");
    let mut child = sandbox.command(Path::new("bash"), &SandboxPolicy::default());
    let script = format!("setsid sleep {seconds} & sleep {seconds}");
    let ended = child.args(["-c", &script]).status();
    ExitCode::from(u8::from(ended.is_err()))
}

fn it_ends_with_its_parent(_: &Sandbox) -> Result<(), Failed> {
    let seconds = marker(1);
    let own: PathBuf = std::env::current_exe()?;
    let mut parent = Command::new(own)
        .args([OsStr::new(PARENT), OsStr::new(&seconds)])
        .spawn()?;
    let began = wait_for(2, &seconds);
    // SIGKILL.
    parent.kill()?;
    parent.wait()?;
    began?;
    wait_for(0, &seconds)
}

fn nothing_is_left_behind(sandbox: &Sandbox) -> Result<(), Failed> {
    let seconds = marker(2);
    // The call would wait for a process that holds the pipes.
    let script = format!(
        "setsid sleep {seconds} > /dev/null 2>&1 & while [ ! -e /proc/3 ]; do :; done; exit 7"
    );
    let output = shell(sandbox, &SandboxPolicy::default(), &script)?;
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    wait_for(0, &seconds)
}

/// Checks that a user who may not create namespaces learns the cause and the remedy.
fn there_is_none_in_another(sandbox: &Sandbox) -> Result<(), Failed> {
    let own = std::env::current_exe()?;
    let room = SandboxPolicy {
        read: vec![own.clone()],
        ..SandboxPolicy::default()
    };
    let output = sandbox.command(&own, &room).arg("--list").output()?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let expected = "because this user may not create namespaces";
    assert!(
        listed.contains(expected) && listed.contains("sudo sysctl user.max_user_namespaces="),
        "{}",
        said(&output)
    );
    Ok(())
}
