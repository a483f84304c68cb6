//! `wavetune agent`: lends the devices or the compilers of this machine to a service.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use agent::{AgentObserver, AgentSettings, StopSignal};
use anyhow::Context;
use clap::Args;
use client::ClientError;

use crate::Exit;
use crate::builder::BuilderArguments;
use crate::device_arguments::WorkerArguments;
use crate::sandbox::SandboxArgument;
use crate::service::{ConnectionArguments, url};
use crate::signals;

/// Lend the devices of this machine to a service, which tunes on them, or its compilers.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AgentArguments {
    /// Address of the service.
    #[arg(long, default_value = "http://127.0.0.1:8942", value_name = "URL", value_parser = url)]
    server: String,
    /// Name in the service's list [default: the machine's name and the device, or "compiler"].
    #[arg(long)]
    name: Option<String>,
    /// Lend no device: build kernels for the devices of other agents, with the same compiler and
    /// versions as theirs.
    #[arg(long, conflicts_with_all = ["device", "caches", "wait"])]
    compile_only: bool,
    /// End when standard input ends: a service starts its own agents so.
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
Asks the service for work until it is ended by SIGTERM or SIGINT; then the kernel at hand is brought to its end, and the
rest is given back. Where the service is not heard of it goes on asking. What an agent has and does not bring to its end
is another's after some seconds. A device that fails, or on which the default configuration takes another time whenever it
is measured, is left alone for 10 s, then for twice as long, up to 10 minutes; GET /api/v1/agents says why. A service on another machine answers who shows a token with the scope agent.

With --compile-only a machine without a GPU builds what waits for the devices of others. These run what was built elsewhere
when the service has signed it for them, count it when it is right, and build all else themselves; so they want the compiler, too.

With --sandbox bubblewrap confines compilers and the process that uses a GPU. They have no network and not the agent's token, see
the files of the system, of ROCm and of their own alone, write to one folder, and have a limit of memory. Kernels of an emulated device
are interpreted by the agent itself. Where bubblewrap is missing or may not do it the agent says so, and ends.

Examples:
  wavetune agent
  wavetune agent --server http://tuner.lan:8942 --token-file rack-7.token --device hip:0
  wavetune agent --device emulated:mi300x --generator iree --jobs 4
  wavetune agent --device hip:0 --sandbox
  wavetune agent --server http://tuner.lan:8942 --token-file rack-8.token --compile-only --jobs 16";

/// Prints the agent's events to standard error.
struct StderrObserver;

impl AgentObserver for StderrObserver {
    fn connected(&self) {
        eprintln!("connected");
    }

    fn lost(&self, reason: &ClientError) {
        eprintln!("not connected, trying again: {reason}");
    }

    fn quarantined(&self, device: usize, pause: Duration, reason: &str) {
        let seconds = pause.as_secs();
        eprintln!("device {device} is left alone for {seconds} s: {reason}");
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
    let mut signals = signals::listen().context("signals cannot be caught")?;
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
        let batches = agent::compile(workers, builder.as_ref(), &settings, &StderrObserver, &stop)?;
        eprintln!("ended; batches built: {batches}");
        return Ok(Exit::Found);
    }
    let workers = rigs.len();
    eprintln!(
        "{} lends {lent} with {generator} kernels to {}, workers: {workers}",
        settings.name, arguments.server
    );
    let trials = agent::work(rigs, builder.as_ref(), &settings, &StderrObserver, &stop)?;
    eprintln!("ended; trials told: {trials}");
    Ok(Exit::Found)
}
