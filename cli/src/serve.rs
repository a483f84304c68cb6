//! `wavetune serve`: the HTTP API and the page, from one database.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use dispatch::{Memory, SealingKey};
use fleet::Fleet;
use server::Settings;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::Exit;
use crate::database::{Database, Served, block_on};
use crate::{devices, regressions};

/// Serve the HTTP API and the dashboard.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Address to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8942", value_name = "ADDR:PORT")]
    listen: SocketAddr,
    /// Name by which clients may call it, beside localhost and addresses; may be given several times.
    #[arg(long = "allowed-host", value_name = "NAME")]
    allowed_hosts: Vec<String>,
    #[command(flatten)]
    database: Database,
}

/// Time for which an agent that has work may be silent. One that lives says four words within it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time within which the same work is put into the queue once.
const WINDOW: Duration = Duration::from_secs(120);

const EXAMPLES: &str = "\
Ends on SIGTERM or SIGINT, when the requests under way are answered. A request that comes by another name, or from a
page of another site, is refused. Failures of the service are told on standard error, of very many only
some; WAVETUNE_LOG=server=info tells every request there.

Examples:
  wavetune serve
  wavetune serve --listen 127.0.0.1:0 --db tuning.db
  wavetune serve --listen 0.0.0.0:8942 --allowed-host tuner.lan
  curl 'http://127.0.0.1:8942/api/v1/configurations?problem=argmax:4x%5B32000%5Dxf32&target=gfx942'";

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    block_on(async {
        // Signals are caught before anyone can know that the server is there.
        let (mut terminate, mut interrupt) = (
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        );
        let served = arguments.database.open_to_serve().await?;
        let listener = TcpListener::bind(arguments.listen)
            .await
            .with_context(|| format!("cannot listen on {}", arguments.listen))?;
        let fleet = fleet(&served).await?;
        eprintln!("listening on http://{}", listener.local_addr()?);
        let shutdown = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        let settings = Settings {
            records: Arc::clone(&served.records),
            fleet: fleet.clone(),
            names: arguments.allowed_hosts,
            devices: devices::table(),
            median: regressions::median,
        };
        let catalogue = Arc::clone(&served.catalogue);
        server::serve(listener, catalogue, settings, shutdown).await;
        if let Some(fleet) = fleet
            && let Err(error) = fleet.close().await
        {
            eprintln!("error: {error}");
        }
        served.catalogue.close().await;
        Ok(Exit::Found)
    })
}

/// The studies that the service carries on, which go on where the last service ended.
async fn fleet(served: &Served) -> anyhow::Result<Option<Arc<Fleet>>> {
    if !served.can_write {
        let name = served.store.name();
        eprintln!("{name}: cannot be written; no studies are run");
        return Ok(None);
    }
    let queue = Arc::new(Memory::new(PATIENCE, WINDOW));
    let key = SealingKey::from_secret(&rand::random::<[u8; 32]>());
    let fleet = Fleet::new(Arc::clone(&served.store), queue, key);
    match fleet.resume_all().await? {
        0 => {}
        studies => eprintln!("studies that go on: {studies}"),
    }
    Ok(Some(fleet))
}
