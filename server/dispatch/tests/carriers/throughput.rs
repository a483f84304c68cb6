//! Leases per second of a fleet: three replicas and 40 takers, on one nats-server beside them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use libtest_mimic::Failed;
use server_dispatch::{Queue, QueueItem};
use tokio::time::Instant;

use crate::bed::{connect, line, work};
use testing_nats::Nats;

const WORK: usize = 20_000;
/// The size of a lease of 50 configurations.
const BYTES: usize = 10_000;
const TAKERS: usize = 40;
/// 5,000 results per second, in leases of 50.
const WANTED: f64 = 100.0;

/// The leases of one taker, and its waits.
#[derive(Default)]
struct Had {
    leases: usize,
    next: Vec<Duration>,
    done: Vec<Duration>,
}

pub(crate) async fn of_a_fleet(program: PathBuf) -> Result<(), Failed> {
    let nats = Nats::start(&program, &["--jetstream"])?;
    let replicas = [
        connect(&nats).await?,
        connect(&nats).await?,
        connect(&nats).await?,
    ];
    let payload = Bytes::from((0..BYTES).map(|at| at as u8).collect::<Vec<u8>>());

    let (begun, before) = (Instant::now(), cpu_seconds(nats.id()));
    let putters: Vec<_> = (0..TAKERS)
        .map(|putter| {
            let (queue, payload) = (replicas[putter % replicas.len()].clone(), payload.clone());
            tokio::spawn(async move {
                for number in (putter..WORK).step_by(TAKERS) {
                    let payload = payload.clone();
                    let work = QueueItem {
                        payload,
                        ..work(&number.to_string())
                    };
                    queue.put(work).await.unwrap();
                }
            })
        })
        .collect();
    for putter in putters {
        putter.await?;
    }
    report("put", begun, before, nats.id());

    let (begun, before) = (Instant::now(), cpu_seconds(nats.id()));
    let takers: Vec<_> = (0..TAKERS)
        .map(|taker| tokio::spawn(take(replicas[taker % replicas.len()].clone())))
        .collect();
    let (mut leases, mut next, mut done) = (0, Vec::new(), Vec::new());
    for taker in takers {
        let had = taker.await?;
        leases += had.leases;
        next.extend(had.next);
        done.extend(had.done);
    }
    report("next and done", begun, before, nats.id());
    tell("next", next);
    tell("done", done);
    assert_eq!(leases, WORK);
    let rate = WORK as f64 / begun.elapsed().as_secs_f64();
    assert!(rate > WANTED, "{rate:.0} leases/s");
    Ok(())
}

async fn take(queue: Arc<dyn Queue>) -> Had {
    let mut had = Had::default();
    loop {
        let asked = Instant::now();
        let Some(delivery) = queue.next(&[line("a")], Duration::ZERO).await.unwrap() else {
            return had;
        };
        had.next.push(asked.elapsed());
        let told = Instant::now();
        queue.acknowledge(&delivery.ack_handle).await.unwrap();
        had.done.push(told.elapsed());
        had.leases += 1;
    }
}

/// Prints the rate, and the processor time of nats-server and of this process with all replicas
/// and takers.
fn report(what: &str, begun: Instant, before: (f64, f64), nats: u32) {
    let (seconds, after) = (begun.elapsed().as_secs_f64(), cpu_seconds(nats));
    println!(
        "{what}: {:.0}/s; nats-server {:.2} cores, replicas and takers {:.2} cores",
        WORK as f64 / seconds,
        (after.0 - before.0) / seconds,
        (after.1 - before.1) / seconds,
    );
}

fn tell(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!("{what}: median {:?}, p99 {:?}", at(50), at(99));
}

/// Returns the processor seconds of nats-server and of this process.
fn cpu_seconds(nats: u32) -> (f64, f64) {
    let of = |process: &str| -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // After the name, which may contain blanks, utime and stime are the 12th and 13th field,
        // in 0.01 s.
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let ticks = fields
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<f64>().ok());
        ticks.sum::<f64>() / 100.0
    };
    (of(&nats.to_string()), of("self"))
}
