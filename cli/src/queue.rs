//! The queue that the replicas of a service share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, value_parser};
use server_dispatch::{Broker, JetStream, JetStreamSettings, MemoryBroker};
use server_fleet::Keys;

/// Silence after which an agent loses its work. A live agent sends four messages in this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Window in which a repeated message enters the queue only once.
const WINDOW: Duration = Duration::from_secs(120);

/// Least bytes of a secret.
const SECRET: usize = 32;

/// The queue and the secret of the replicas.
#[derive(Args)]
pub(crate) struct QueueArguments {
    /// NATS server for services on one database.
    ///
    /// Services that share a PostgreSQL database share a queue in NATS with JetStream. Without this
    /// option, the queue is in memory.
    #[arg(
        long,
        value_name = "URL",
        env = "WAVETUNE_QUEUE",
        hide_env_values = true,
        requires = "secret_file"
    )]
    queue: Option<String>,
    /// Number of copies of the queue.
    ///
    /// Each copy is on another server of the NATS cluster. Use 1, 3 or 5, the same for all
    /// services.
    #[arg(
        long,
        value_name = "COUNT",
        env = "WAVETUNE_QUEUE_COPIES",
        default_value_t = 1,
        value_parser = value_parser!(u8).range(1..=5),
        requires = "queue"
    )]
    queue_copies: u8,
    /// Credentials file for NATS.
    ///
    /// The tool nsc creates this file.
    #[arg(long, value_name = "FILE", requires = "queue")]
    queue_credentials: Option<PathBuf>,
    /// PEM file with CA certificates for NATS.
    ///
    /// The service also trusts the certificates of the system.
    #[arg(long, value_name = "FILE", requires = "queue")]
    queue_ca: Option<PathBuf>,
    /// File with a secret of all services.
    ///
    /// The file has at least 32 random bytes. Keep it private.
    #[arg(
        long,
        value_name = "FILE",
        env = "WAVETUNE_SECRET_FILE",
        requires = "queue"
    )]
    secret_file: Option<PathBuf>,
}

impl QueueArguments {
    /// Connects to the queue, or creates one in memory.
    pub(crate) async fn open(&self) -> anyhow::Result<Arc<dyn Broker>> {
        let Some(address) = &self.queue else {
            return Ok(Arc::new(MemoryBroker::new(PATIENCE, WINDOW)));
        };
        let settings = JetStreamSettings {
            credentials: self.queue_credentials.clone(),
            root_certificates: self.queue_ca.clone(),
            copies: self.queue_copies.into(),
            patience: PATIENCE,
            window: WINDOW,
            ..JetStreamSettings::new(address)
        };
        Ok(Arc::new(JetStream::connect(&settings).await?))
    }

    /// Returns whether other services may use the queue, too.
    pub(crate) fn is_shared(&self) -> bool {
        self.queue.is_some()
    }

    /// Returns the keys that seal leases and sign kernels. Without other services, a random
    /// secret serves.
    pub(crate) fn keys(&self) -> anyhow::Result<Keys> {
        let Some(file) = &self.secret_file else {
            return Ok(Keys::from_secret(&rand::random::<[u8; SECRET]>()));
        };
        let path = file.display();
        let secret = std::fs::read(file).with_context(|| format!("secret file {path}"))?;
        if secret.len() < SECRET {
            bail!(
                "secret file {path}: {} bytes; create one with `head -c {SECRET} /dev/urandom > {path}`",
                secret.len()
            );
        }
        Ok(Keys::from_secret(&secret))
    }
}
