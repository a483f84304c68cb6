//! `wavetune serve`: the HTTP API and the page, from one database.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use fleet::Fleet;
use kernel_export::Toolchain;
use server::{Allowed, Settings, Tls};
use tokio::net::TcpListener;

use crate::Exit;
use crate::database::{Database, Served, block_on};
use crate::device::HipLibrary;
use crate::local_agent::LocalAgents;
use crate::queue::Queue;
use crate::{devices, regressions, stop, token};

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
    /// Answer who shows a token, and nobody else, also on loopback: such as behind a proxy.
    #[arg(long)]
    require_token: bool,
    /// Speak TLS, with the certificate in this PEM file, followed by those that vouch for it. A new one is read when it is there.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// PEM file with the certificate's private key.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Lend no device: studies wait for agents that others start. Only a service on loopback without tokens and TLS lends any.
    #[arg(long)]
    no_agent: bool,
    /// Studies that one token may have open: waiting, running or paused.
    #[arg(long, default_value_t = Allowed::default().open_studies, value_name = "N")]
    open_studies: u64,
    #[command(flatten)]
    library: HipLibrary,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    queue: Queue,
}

/// Why a service is not started that would answer nobody.
const NO_TOKEN: &str = "\
    who asks this service has to show a token, and the database has none that is good; `wavetune token create NAME --scope read` \
    with the same --db makes one, and a service on 127.0.0.1 without --require-token wants none";

const EXAMPLES: &str = "\
On loopback it answers everybody, and lends the GPUs of its machine, or an emulated MI300X where there is none, as
`wavetune agent` does: it ends with the service. Where other machines reach it, it answers who shows a token, which
`wavetune token create` makes. On SIGTERM or SIGINT it takes no more requests, ends streams of events, answers what is
under way and hands on its studies; a second one ends it at once. A request that comes by another name, or from a
page of another site, is refused. Failures of the service are told on standard error, of very many only
some; WAVETUNE_LOG=server=info tells every request there.

Examples:
  wavetune serve
  wavetune serve --listen 127.0.0.1:0 --db tuning.db --no-agent
  wavetune token create ann --scope read,submit
  wavetune serve --listen 0.0.0.0:8942 --allowed-host tuner.lan
  wavetune serve --db postgres://wavetune@db.lan/wavetune --queue nats://nats.lan:4222 --secret-file secret
  curl 'http://127.0.0.1:8942/api/v1/configurations?problem=argmax:4x%5B32000%5Dxf32&target=gfx942'";

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    block_on(async {
        // Signals are caught before anyone can know that the server is there.
        let mut signals = stop::listen().context("signals cannot be caught")?;
        let files = arguments.tls_certificate.zip(arguments.tls_key);
        let tls = files.map(|(certificate, key)| Tls::read(&certificate, &key));
        let tls = tls.transpose()?;
        let served = arguments.database.open_to_serve().await?;
        let wants_tokens = arguments.require_token || server::wants_tokens(arguments.listen);
        if wants_tokens && !token::is_any_good(&*served.tokens).await? {
            served.catalogue.close().await;
            bail!(NO_TOKEN);
        }
        let listener = TcpListener::bind(arguments.listen)
            .await
            .with_context(|| format!("cannot listen on {}", arguments.listen))?;
        let fleet = fleet(&served, &arguments.queue).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = listener.local_addr()?;
        eprintln!("listening on {scheme}://{address}");
        let lends = fleet.is_some() && !wants_tokens && tls.is_none() && !arguments.no_agent;
        let mut agents = match lends {
            true => LocalAgents::start(address, &arguments.library)?,
            false => LocalAgents::default(),
        };
        let inputs = agents.inputs();
        let shutdown = async move {
            signals.recv().await;
            drop(inputs);
        };
        let settings = Settings {
            fleet: fleet.clone(),
            names: arguments.allowed_hosts,
            wants_tokens,
            allowed: Allowed {
                open_studies: arguments.open_studies,
                ..Allowed::default()
            },
            tls,
            ..settings(&served)
        };
        let catalogue = Arc::clone(&served.catalogue);
        server::serve(listener, catalogue, settings, shutdown).await;
        agents.end().await;
        if let Some(fleet) = fleet
            && let Err(error) = fleet.close().await
        {
            eprintln!("error: {error}");
        }
        served.catalogue.close().await;
        Ok(Exit::Found)
    })
}

/// How a database is served that nothing more is said of.
pub(crate) fn settings(served: &Served) -> Settings {
    Settings {
        records: Arc::clone(&served.records),
        fleet: None,
        names: Vec::new(),
        devices: devices::table(),
        median: regressions::median,
        toolchain: Toolchain::of_user(),
        tokens: Arc::clone(&served.tokens),
        wants_tokens: false,
        allowed: Allowed::default(),
        tls: None,
    }
}

/// The studies that the service carries on, which go on where the last service ended.
async fn fleet(served: &Served, queue: &Queue) -> anyhow::Result<Option<Arc<Fleet>>> {
    if !served.can_write {
        let name = served.store.name();
        eprintln!("{name}: cannot be written; no studies are run");
        return Ok(None);
    }
    if queue.is_shared() && served.is_file {
        bail!("services that share a queue share a server's database, too; give --db postgres://…");
    }
    let (carrier, keys) = (queue.open().await?, queue.keys()?);
    let (fleet, under_way) = Fleet::open(Arc::clone(&served.store), carrier, keys).await?;
    if under_way > 0 {
        eprintln!("studies that go on: {under_way}");
    }
    Ok(Some(fleet))
}
