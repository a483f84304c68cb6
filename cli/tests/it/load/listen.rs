//! Two thousand clients follow a study for a minute: each receives every trial once.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use testing::Failed;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::load::running::Running;
use crate::load::{ask, wavetune};

const LISTENERS: usize = 2000;

/// Trials of the study: on an emulated device, for about a minute.
const BUDGET: usize = 3500;

/// The fields of an event that the test reads.
#[derive(Deserialize)]
struct Event {
    state: String,
    trials: Vec<Heard>,
}

#[derive(Deserialize)]
struct Heard {
    ordinal: u32,
}

/// A client that follows a study. When it is disconnected, it reconnects with the last event's
/// ID, as browsers do.
#[derive(Default)]
struct Listener {
    trials: BTreeSet<u32>,
    events: usize,
    /// Number of its reconnections.
    returns: usize,
    last: String,
    is_over: bool,
}

type Error = Box<dyn std::error::Error + Send + Sync>;

impl Listener {
    async fn listen(address: String, study: String) -> Result<Listener, String> {
        let mut listener = Listener::default();
        loop {
            let heard = listener.hear(&address, &study).await;
            if listener.is_over {
                return Ok(listener);
            }
            listener.returns += 1;
            if listener.returns > 100 {
                return Err(format!("it is sent away again and again: {heard:?}"));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn hear(&mut self, address: &str, study: &str) -> Result<(), Error> {
        let mut stream = TcpStream::connect(address).await?;
        let last = &self.last;
        let head = format!(
            "GET /api/v1/studies/{study}/events HTTP/1.1\r\nHost: {address}\r\nLast-Event-ID: {last}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        let mut lines = BufReader::new(stream).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some(id) = line.strip_prefix("id: ") {
                id.clone_into(&mut self.last);
            } else if let Some(data) = line.strip_prefix("data: ") {
                let event: Event = serde_json::from_str(data)?;
                self.events += 1;
                self.is_over |= event.state != "running";
                for heard in event.trials {
                    assert!(self.trials.insert(heard.ordinal), "{data} came twice");
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn many_listen() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("listen.db");
    let service = Running::service(wavetune(&db), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let _agent = Running::agent(wavetune(&db), &address)?;
    let wanted =
        json!({ "problems": ["argmax:64x[4096]xf32"], "target": "gfx942", "budget": BUDGET });
    let study = ask(&address, "POST /api/v1/studies", &wanted.to_string())?;
    let study = study["studies"][0]["id"].to_string();
    let begun = Instant::now();
    let runtime = tokio::runtime::Runtime::new()?;
    let all = runtime.block_on(async {
        let mut listeners = JoinSet::new();
        for _ in 0..LISTENERS {
            listeners.spawn(Listener::listen(address.clone(), study.clone()));
        }
        let all = listeners.join_all().await;
        all.into_iter().collect::<Result<Vec<_>, String>>()
    })?;
    let count = |of: fn(&Listener) -> usize| all.iter().map(of).sum::<usize>();
    let (events, returns) = (count(|it| it.events), count(|it| it.returns));
    println!(
        "{LISTENERS} clients, {events} events of {BUDGET} trials in {:?}, {returns} returns; {} kB",
        begun.elapsed(),
        service.memory()?
    );
    let whole: BTreeSet<u32> = (0..BUDGET as u32).collect();
    assert!(all.iter().all(|one| one.trials == whole));
    assert_eq!(service.end()?, Some(0));
    Ok(())
}
