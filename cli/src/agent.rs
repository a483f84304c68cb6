//! `wavetune agent`: lends the devices or the compilers of this machine to a service.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use server_agent::{AgentObserver, AgentSettings, StopSignal};
use server_client::ClientError;

use crate::Exit;
use crate::builder::BuilderArguments;
use crate::device_arguments::WorkerArguments;
use crate::sandbox::SandboxArgument;
use crate::service::{ConnectionArguments, url};
use crate::signals;
use crate::verbosity::note;

/// Lend this machine's devices or compilers to a service.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct AgentArguments {
    /// Service URL.
    #[arg(long, default_value = "http://127.0.0.1:8942", value_name = "URL", value_parser = url)]
    server: String,
    /// Name of the agent in the service's list.
    ///
    /// The default is the name of the machine, followed by the device or by "compiler".
    #[arg(long)]
    name: Option<String>,
    /// Build kernels for the devices of other agents.
    ///
    /// The agent lends no device. Its compiler must have the same version as the compilers of the
    /// other agents.
    #[arg(long, conflicts_with_all = ["device", "caches", "wait"])]
    compile_only: bool,
    /// End when standard input ends. A service starts its own agents with this option.
    #[arg(long, hide = true)]
    with_parent: bool,
    #[command(flatten)]
    reach: ConnectionArguments,
    #[command(flatten)]
    device: WorkerArguments,
    #[command(flatten)]
    builder: BuilderArguments,
    #[command(flatten)]
    sandbox: SandboxArgument,
}

const EXAMPLES: &str = "\
The agent requests work from the service until SIGTERM or SIGINT. It then completes the current \
kernel, and returns the rest. If it cannot reach the service, it retries. If the agent disappears, \
another agent takes over its work after some seconds.

After a failure, a device pauses for 10 s, then for twice as long each time, up to 10 minutes. The \
same holds for a device with unstable times of the default configuration. GET /api/v1/agents gives \
the reason. A service on another machine requires a token with the scope agent.

With --compile-only, a machine without a GPU builds kernels for the devices of other agents. The \
service signs these kernels, and the other agents check the signature. They build all other \
kernels themselves, so they also need the compiler.

With --sandbox, bubblewrap confines compilers and the process that uses a GPU. They have no \
network, no access to the agent's token, and a memory limit. They read the files of the system, of \
ROCm and their own, and write to one directory. The agent itself interprets the kernels of an \
emulated device. If bubblewrap does not work, the agent prints the reason and ends.

Examples:
  wavetune agent
  wavetune agent --server http://tuner.lan:8942 --token-file rack-7.token \\
    --device hip:0
  wavetune agent --device emulated:mi300x --generator iree --jobs 4
  wavetune agent --device hip:0 --sandbox
  wavetune agent --server http://tuner.lan:8942 --token-file rack-8.token \\
    --compile-only --jobs 16";

/// Prints the agent's events to standard error.
struct StderrObserver;

impl AgentObserver for StderrObserver {
    fn connected(&self) {
        note!("connected");
    }

    fn lost(&self, reason: &ClientError) {
        note!("no connection, retrying: {reason}");
    }

    fn quarantined(&self, device: usize, pause: Duration, reason: &str) {
        let seconds = pause.as_secs();
        eprintln!("device {device} pauses for {seconds} s: {reason}");
    }
}

pub(crate) fn run(arguments: &AgentArguments) -> anyhow::Result<Exit> {
    let service = arguments
        .reach
        .settings(&arguments.server, "wavetune-agent")?;
    let sandbox = arguments.sandbox.sandbox()?;
    let rigs = match arguments.compile_only {
        // A machine that only compiles may have no GPU.
        true => Vec::new(),
        false => arguments.device.rigs(sandbox.clone())?,
    };
    let generator = arguments.builder.generator();
    let builder = arguments.builder.builder(sandbox)?;
    let stop = Arc::new(StopSignal::default());
    let mut signals = signals::listen().context("cannot catch signals")?;
    let stopped = Arc::clone(&stop);
    // A thread, because the agent's own loop blocks while a kernel is compiled or timed.
    thread::spawn(move || {
        if signals.blocking_recv().is_some() {
            stopped.set();
        }
    });
    if arguments.with_parent {
        let stopped = Arc::clone(&stop);
        thread::spawn(move || {
            // The parent never writes to the pipe, so the copy ends when the parent does.
            io::copy(&mut io::stdin(), &mut io::sink()).ok();
            stopped.set();
        });
    }
    let device = rigs.first().map(|rig| rig.identity().name.clone());
    let lent = device.as_deref().unwrap_or("compiler");
    let settings = AgentSettings {
        service,
        name: match &arguments.name {
            Some(name) => name.clone(),
            None => format!("{}/{lent}", tuner::machine()),
        },
    };
    if arguments.compile_only {
        let workers = arguments.device.jobs();
        eprintln!(
            "{} builds {generator} kernels for {}, workers: {workers}",
            settings.name, arguments.server
        );
        let batches =
            server_agent::compile(workers, builder.as_ref(), &settings, &StderrObserver, &stop)?;
        note!("ended; batches built: {batches}");
        return Ok(Exit::Found);
    }
    let workers = rigs.len();
    eprintln!(
        "{} lends {lent} with {generator} kernels to {}, workers: {workers}",
        settings.name, arguments.server
    );
    let trials = server_agent::work(rigs, builder.as_ref(), &settings, &StderrObserver, &stop)?;
    note!("ended; trials reported: {trials}");
    Ok(Exit::Found)
}
