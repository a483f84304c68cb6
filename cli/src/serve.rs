//! `wavetune serve`: serves the HTTP API and the dashboard from one database.

mod book;
mod limits;

use std::future::pending;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use model_profile::{ConfinedTools, ModelTools};
use server::{Limits, ServerSettings, Tls, TokenLimits};
use server_fleet::Fleet;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::Exit;
use crate::database::{Database, ServedDatabase, block_on};
use crate::device_arguments::HipLibrary;
use crate::local_agent::LocalAgents;
use crate::queue::QueueArguments;
use crate::{devices, regressions, sandbox, signals, token};
use limits::LimitOptions;

/// Serve the HTTP API and the dashboard.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// Address to listen on.
    ///
    /// Port 0 selects a free port.
    #[arg(long, default_value = "127.0.0.1:8942", value_name = "ADDR:PORT")]
    listen: SocketAddr,
    /// Host name that clients may use.
    ///
    /// Clients may always use localhost and IP addresses. Repeat the option for several names.
    #[arg(long = "allowed-host", value_name = "NAME")]
    allowed_hosts: Vec<String>,
    /// Require a token from each client.
    ///
    /// The requirement also holds on loopback, for example behind a proxy.
    #[arg(long)]
    require_token: bool,
    /// PEM file with the TLS certificate.
    ///
    /// The certificate comes first, then its chain. The service reloads a replaced file.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// PEM file with the private key.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Directory of the book, served at /docs.
    ///
    /// The default is share/doc/wavetune/book beside the directory of the program, if it exists.
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,
    /// Lend no device of this machine.
    ///
    /// Studies then wait for other agents. Only a service on loopback without tokens and TLS lends
    /// a device.
    #[arg(long)]
    no_agent: bool,
    #[command(flatten)]
    library: HipLibrary,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    queue: QueueArguments,
    #[command(flatten)]
    limits: LimitOptions,
}

/// Bytes of answers that the system buffers for a client that does not read. The system's default
/// is megabytes: thousands of such clients would fill the memory.
const SEND_BUFFER: u32 = 64 << 10;

/// Length of the accept queue, as far as net.core.somaxconn allows. It is Linux's maximum,
/// because beyond it the system drops connections of all clients, and each retries after 1 s, 3 s
/// and 7 s.
const BACKLOG: u32 = 4096;

/// Pause before another attempt to open a replaced file's studies.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// The error of a service that could answer no client.
const NO_TOKEN: &str = "\
    each client of this service needs a token, and the database has no valid one; create one with \
    `wavetune token create NAME --scope read` and the same --db, or serve on 127.0.0.1 without --require-token";

const EXAMPLES: &str = "\
On loopback, the service answers every client. It lends the GPUs of its machine, or an emulated \
MI300X if there is none, as `wavetune agent` does. If other machines can reach it, each client \
needs a token; `wavetune token create` creates one.

On SIGTERM or SIGINT, the service accepts no more requests, ends event streams, answers current \
requests and hands its studies over. A second signal ends it at once.

The service refuses a request with another host name, or from a page of another site. Under \
overload, it serves clients in turn. It answers 503 with Retry-After to a request that waits too \
long.

The service logs failures to standard error, with a rate limit. WAVETUNE_LOG=server=info logs each \
request.

Examples:
  wavetune serve
  wavetune serve --listen 127.0.0.1:0 --db tuning.db --no-agent
  wavetune token create ann --scope read,submit
  wavetune serve --listen 0.0.0.0:8942 --allowed-host tuner.lan
  wavetune serve --db postgres://wavetune@db.lan/wavetune \\
    --queue nats://nats.lan:4222 --secret-file secret
  QUESTION='problem=argmax:4x%5B32000%5Dxf32&target=gfx942'
  curl \"http://127.0.0.1:8942/api/v1/configurations?$QUESTION\"";

pub(crate) fn run(arguments: ServeArguments) -> anyhow::Result<Exit> {
    block_on(async {
        // Signals are caught before a client can know of the server.
        let mut signals = signals::listen().context("cannot catch signals")?;
        let files = arguments.tls_certificate.zip(arguments.tls_key);
        let tls = files.map(|(certificate, key)| Tls::read(&certificate, &key));
        let tls = tls.transpose()?;
        let book = book::read(arguments.docs.as_deref())?;
        let served = arguments.database.open_to_serve().await?;
        let wants_tokens = arguments.require_token || server::wants_tokens(arguments.listen);
        // A service that could answer no client is a mistake of its operator.
        if wants_tokens && !token::is_any_good(&*served.tokens).await? {
            served.catalogue.close().await;
            bail!(NO_TOKEN);
        }
        // Before the fleet: a service that cannot listen takes over no studies.
        let listener = listen(arguments.listen)?;
        let probes = match arguments.limits.probe_listen {
            Some(address) => Some(listen(address)?),
            None => None,
        };
        let fleet = fleet(&served, &arguments.queue).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = listener.local_addr()?;
        eprintln!("listening on {scheme}://{address}");
        if let Some(probes) = &probes {
            eprintln!("probes: http://{}", probes.local_addr()?);
        }
        // A loopback agent has neither a token nor the certificate's authority.
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
        let (fleets, fleet) = watch::channel(fleet);
        let settings = ServerSettings {
            fleet: fleet.clone(),
            names: arguments.allowed_hosts,
            wants_tokens,
            allowed: arguments.limits.allowed(),
            limits: arguments.limits.limits(),
            tls,
            probes,
            book,
            ..settings(&served)?
        };
        let catalogue = Arc::clone(&served.catalogue);
        // `follow` never ends; it stops when the server does.
        tokio::select! {
            () = server::serve(listener, catalogue, settings, shutdown) => {}
            () = follow(&served, &arguments.queue, &fleets) => {}
        }
        agents.end().await;
        let fleet = fleet.borrow().clone();
        if let Some(fleet) = fleet
            && let Err(error) = fleet.close().await
        {
            eprintln!("error: {error}");
        }
        served.catalogue.close().await;
        Ok(Exit::Found)
    })
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let listener = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // A restarted service need not wait for old connections in TIME_WAIT.
        socket.set_reuseaddr(true)?;
        // Accepted connections inherit the buffer size.
        socket.set_send_buffer_size(SEND_BUFFER)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listener().with_context(|| format!("cannot listen on {address}"))
}

/// Returns the settings of a service without options.
pub(crate) fn settings(served: &ServedDatabase) -> anyhow::Result<ServerSettings> {
    Ok(ServerSettings {
        records: Arc::clone(&served.records),
        fleet: watch::channel(None).1,
        names: Vec::new(),
        devices: devices::table(),
        median: regressions::median,
        toolchain: sandbox::toolchain(None)?,
        models: Arc::clone(&served.models),
        model_tools: ModelTools::new(ConfinedTools::find),
        tokens: Arc::clone(&served.tokens),
        wants_tokens: false,
        allowed: TokenLimits::default(),
        limits: Limits::default(),
        tls: None,
        probes: None,
        book: None,
    })
}

/// Opens the fleet, which continues the studies of the last service. Returns `None` for a
/// read-only database.
async fn fleet(
    served: &ServedDatabase,
    queue: &QueueArguments,
) -> anyhow::Result<Option<Arc<Fleet>>> {
    if !served.can_write {
        let name = served.store.name();
        eprintln!("{name} is read-only; the service runs no studies");
        return Ok(None);
    }
    if queue.is_shared() && served.file.is_some() {
        bail!(
            "services that share a queue must share a PostgreSQL database; name it with --db postgres://…"
        );
    }
    let (fleet, under_way) = fleet_of(Arc::clone(&served.store), queue).await?;
    if under_way > 0 {
        eprintln!("continued studies: {under_way}");
    }
    Ok(Some(fleet))
}

/// Continues the studies of another file whenever one replaces the database's file. The studies
/// of the replaced file stay as they are. Never returns.
async fn follow(
    served: &ServedDatabase,
    queue: &QueueArguments,
    fleets: &watch::Sender<Option<Arc<Fleet>>>,
) {
    let (Some(file), true) = (&served.file, served.can_write) else {
        // Never ready, so that `select!` waits for the server alone.
        return pending().await;
    };
    let mut store = file.store.clone();
    loop {
        let next = file.followed.replaced(&store).await;
        let name = next.path().display().to_string();
        // Leases of the replaced file are invalid in this one, so it gets new keys and a new
        // queue.
        let opened = fleet_of(Arc::new(next.clone()), queue).await;
        match opened {
            Ok((fleet, under_way)) => {
                eprintln!("{name} was replaced; continued studies: {under_way}");
                if let Some(before) = fleets.send_replace(Some(fleet)) {
                    before.dismiss();
                    // The old fleet writes to a file that is no longer at the path; its errors do
                    // not matter.
                    before.close().await.ok();
                }
                store = next;
            }
            Err(error) => {
                eprintln!("{name} was replaced; its studies wait: {error}");
                sleep(RETRY_PAUSE).await;
            }
        }
    }
}

async fn fleet_of(
    store: Arc<dyn server_fleet::FleetStore>,
    queue: &QueueArguments,
) -> anyhow::Result<(Arc<Fleet>, usize)> {
    let (carrier, keys) = (queue.open().await?, queue.keys()?);
    Ok(Fleet::open(store, carrier, keys).await?)
}
