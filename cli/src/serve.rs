//! `wavetune serve`: the HTTP API and the page, from one database.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use server::Settings;
use store::Catalogue;
use store_sqlite::Followed;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::Exit;
use crate::database::{Database, block_on};
use crate::devices;

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
        let store = arguments.database.open_to_read().await?;
        let listener = TcpListener::bind(arguments.listen)
            .await
            .with_context(|| format!("cannot listen on {}", arguments.listen))?;
        eprintln!("listening on http://{}", listener.local_addr()?);
        let shutdown = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        let settings = Settings {
            names: arguments.allowed_hosts,
            devices: devices::table(),
        };
        let followed = Arc::new(Followed::new(store));
        let catalogue = Arc::clone(&followed) as Arc<dyn Catalogue>;
        server::serve(listener, catalogue, settings, shutdown).await;
        followed.close().await;
        Ok(Exit::Found)
    })
}
