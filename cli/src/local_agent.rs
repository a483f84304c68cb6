//! The agents that a service on loopback starts for its own machine's devices, so that studies
//! run without further setup.
//!
//! Each is a process of this program, `wavetune agent`: a kernel that crashes its agent leaves
//! the service alone. An agent ends with its standard input, and so with the service, even if
//! that is killed.

use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::Context;

use crate::device_arguments::HipLibrary;

/// The device of a machine without a GPU: an emulated one.
const EMULATED: &str = "emulated:mi300x";

/// Time for an agent to finish its kernel when the service ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time between two checks of an agent's end.
const LOOK: Duration = Duration::from_millis(20);

/// The agents of this machine.
#[derive(Default)]
pub(crate) struct LocalAgents(Vec<Child>);

impl LocalAgents {
    /// Starts an agent for each GPU of this machine, or for an emulated device if it has none.
    pub(crate) fn start(service: SocketAddr, library: &HipLibrary) -> anyhow::Result<LocalAgents> {
        let gpus = library.devices()?.map_or(0, |gpus| gpus.len());
        let devices: Vec<String> = match gpus {
            0 => vec![EMULATED.to_owned()],
            count => (0..count).map(|number| format!("hip:{number}")).collect(),
        };
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut agents = LocalAgents::default();
        for device in &devices {
            let child = Command::new(&program)
                .args(["agent", "--with-parent", "--server"])
                .arg(format!("http://{service}"))
                .args(["--device", device])
                // The pipe closes with the service, even if that is killed.
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .with_context(|| format!("cannot start an agent for {device}"))?;
            agents.0.push(child);
        }
        eprintln!(
            "lending {}; `wavetune serve --no-agent` lends nothing",
            devices.join(", ")
        );
        Ok(agents)
    }

    /// Takes the agents' standard inputs. An agent ends when its input is dropped.
    pub(crate) fn inputs(&mut self) -> Vec<ChildStdin> {
        let inputs = self.0.iter_mut().filter_map(|child| child.stdin.take());
        inputs.collect()
    }

    /// Waits for the agents to end. Kills those that take longer than [`PATIENCE`].
    pub(crate) async fn end(mut self) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while self
                .0
                .iter_mut()
                .any(|child| matches!(child.try_wait(), Ok(None)))
            {
                tokio::time::sleep(LOOK).await;
            }
        });
        if waited.await.is_err() {
            for child in &mut self.0 {
                // An agent that has ended meanwhile is no error.
                child.kill().ok();
            }
        }
        for child in &mut self.0 {
            child.wait().ok();
        }
    }
}
