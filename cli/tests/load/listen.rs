//! Two thousand clients follow a study for a minute: none misses a trial, and none hears one twice.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::running::Running;
use crate::{ask, wavetune};

const LISTENERS: usize = 2000;
const LASTS: Duration = Duration::from_secs(60);

/// What the test reads of an event.
#[derive(Deserialize)]
struct Event {
    trials: Vec<Heard>,
}

#[derive(Deserialize)]
struct Heard {
    ordinal: u32,
}

/// What a client heard until the stream ended: the trials, and how many events they came in.
async fn listen(address: String, study: String) -> Result<(BTreeSet<u32>, usize), String> {
    let listened = async {
        let mut stream = TcpStream::connect(&address).await?;
        let head = format!(
            "GET /api/v1/studies/{study}/events HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        let mut lines = BufReader::new(stream).lines();
        let (mut trials, mut events) = (BTreeSet::new(), 0);
        while let Some(line) = lines.next_line().await? {
            let Some(data) = line.strip_prefix("data: ") else {
                continue;
            };
            events += 1;
            let event: Event = serde_json::from_str(data)?;
            for heard in event.trials {
                if !trials.insert(heard.ordinal) {
                    return Err(format!("trial {} came twice", heard.ordinal).into());
                }
            }
        }
        Ok((trials, events))
    };
    let listened: Result<_, Box<dyn std::error::Error + Send + Sync>> = listened.await;
    listened.map_err(|error| error.to_string())
}

pub(crate) fn many_listen() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("listen.db");
    let service = Running::service(wavetune(&db), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let _agent = Running::agent(wavetune(&db), &address)?;
    let wanted =
        json!({ "problems": ["argmax:64x[4096]xf32"], "target": "gfx942", "budget": 50_000 });
    let study = ask(&address, "POST /api/v1/studies", &wanted.to_string())?;
    let study = study["studies"][0]["id"].to_string();
    let runtime = tokio::runtime::Runtime::new()?;
    let all = runtime.block_on(async {
        let mut listeners = JoinSet::new();
        for _ in 0..LISTENERS {
            listeners.spawn(listen(address.clone(), study.clone()));
        }
        tokio::time::sleep(LASTS).await;
        let (address, study) = (address.clone(), study.clone());
        let cancel = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let cancelled = ask(
                &address,
                &format!("POST /api/v1/studies/{study}/cancel"),
                "{}",
            );
            cancelled
                .map(|_| begun.elapsed())
                .map_err(|error| format!("{error:?}"))
        });
        let took = cancel.await.map_err(|error| error.to_string())??;
        println!("cancelled in {took:?}");
        listeners
            .join_all()
            .await
            .into_iter()
            .collect::<Result<Vec<_>, String>>()
    })?;
    let studies = wavetune(&db)
        .args(["studies", "show", &study, "--output-format", "json"])
        .output()?;
    let said: serde_json::Value = serde_json::from_slice(&studies.stdout)?;
    let events: usize = all.iter().map(|(_, events)| events).sum();
    let trials = all[0].0.len();
    println!(
        "{LISTENERS} clients, {trials} trials, {events} events in {LASTS:?}; {} kB",
        service.memory()?
    );
    assert!(trials > 100 && all.iter().all(|(heard, _)| heard.len() == trials));
    assert_eq!(said["trials"]["total"], trials, "{said}");
    assert_eq!(service.end()?, Some(0));
    Ok(())
}
