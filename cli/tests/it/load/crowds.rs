//! Crowds of 64, 512 and 4,096 connections, with one or many requests at a time, which read their
//! answers or not. A few steady clients ask beside each crowd. Measured are the answers that
//! someone reads per second of the service's CPU time, and the response time of another client.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};
use testing::Failed;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::load::Bed;
use crate::load::fill::problem;

/// The address of the crowd, and that of another client.
const CROWD: &str = "127.0.0.2:0";
const OTHER: &str = "127.0.0.3:0";

/// Connections of the steady clients, and their address.
const STEADY: usize = 16;
const STEADY_ADDRESS: &str = "127.0.0.4:0";

/// Limit of the service's CPU time until another client is answered; on an idle machine that is
/// the time itself.
const PROMPT: Duration = Duration::from_millis(100);

/// Duration of a crowd's measurement.
const TIME: Duration = Duration::from_secs(6);

/// Least part of the best goodput.
// One commit had 0.7 on one day and 0.63 on another: thousands of connections leave the caches.
const GOODPUT_SHARE: f64 = 0.5;

/// Least part of the steady clients' answers beside a crowd that reads, if one reads nothing.
const SHARE: f64 = 0.7;

/// Time that stands for an answer "busy", or none.
const NEVER: Duration = Duration::from_secs(60);

/// Requests sent at once.
const PIPELINE: usize = 30;

/// The behaviour of a crowd.
#[derive(Clone, Copy)]
struct Crowd {
    address: &'static str,
    connections: usize,
    is_pipelining: bool,
    is_reading: bool,
}

/// The result of a measurement.
struct Measured {
    /// Answers with status 200 that a client has read, per second of the service's CPU time.
    goodput: f64,
    /// Those that the steady clients have read, per second.
    steady: f64,
    /// Longest time until another client was connected.
    connect: Duration,
    /// Time until another client was answered: the 90th percentile, and the maximum.
    usual: Duration,
    most: Duration,
    /// The same for a calm client at the crowd's address.
    neighbours: (Duration, Duration),
    /// Clients without an answer of status 200.
    unanswered: usize,
    /// CPU time of the service until others were answered: the 90th percentile, and the maximum.
    /// It is independent of the machine's other load.
    cpu: (Duration, Duration),
    /// Connections that the system dropped from a listener's full queue.
    dropped: u64,
}

async fn connect(from: &str, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(from.parse().expect("an address"))?;
    socket.connect(to).await
}

/// Runs a client of the crowd: it asks without end, and reconnects when it is rejected.
async fn ask_on(crowd: Crowd, to: SocketAddr, request: Arc<str>, answered: Arc<AtomicU64>) {
    let at_once = if crowd.is_pipelining { PIPELINE } else { 1 };
    let requests = request.repeat(at_once);
    loop {
        let Ok(mut stream) = connect(crowd.address, to).await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let mut answers = vec![0; 1 << 14];
        let mut open = 0;
        loop {
            if open == 0 || !crowd.is_reading {
                if stream.write_all(requests.as_bytes()).await.is_err() {
                    break;
                }
                open = at_once;
            }
            if !crowd.is_reading {
                continue;
            }
            let Ok(bytes @ 1..) = stream.read(&mut answers).await else {
                break;
            };
            let begun = |status: &[u8]| {
                let heads = answers[..bytes].windows(status.len());
                heads.filter(|bytes| *bytes == status).count()
            };
            let good = begun(b"HTTP/1.1 200 ");
            answered.fetch_add(good as u64, Ordering::Relaxed);
            open = open.saturating_sub(good + begun(b"HTTP/1.1 503 "));
        }
    }
}

/// Returns the time until another client is connected, and the time until it is answered, on a
/// new connection.
fn answers_after(from: &str, to: SocketAddr, request: &str) -> Result<[Duration; 2], Failed> {
    let begun = Instant::now();
    let socket = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let stream = socket.block_on(connect(from, to))?;
    let connected = begun.elapsed();
    let mut stream = stream.into_std()?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    match answer.starts_with("HTTP/1.1 200 ") {
        true => Ok([connected, begun.elapsed()]),
        false => Err(answer.into()),
    }
}

/// Returns the number of connections that this machine has dropped from a listener's full queue.
fn dropped() -> Result<u64, Failed> {
    let netstat = fs::read_to_string("/proc/net/netstat")?;
    let mut lines = netstat.lines().filter(|line| line.starts_with("TcpExt:"));
    let (names, values) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    let mut all = names.split(' ').zip(values.split(' '));
    let dropped = all.find(|(name, _)| *name == "ListenDrops");
    Ok(dropped.ok_or("no ListenDrops")?.1.parse()?)
}

/// Returns the CPU time of the service's answering thread.
fn cpu(bed: &Bed) -> Result<Duration, Failed> {
    let stat = fs::read_to_string(format!("/proc/{}/schedstat", bed.service.id()))?;
    let nanoseconds = stat.split(' ').next().unwrap_or_default();
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

/// Waits for a number of connections, for at most 10 s. Returns true if it came.
fn wait_for(bed: &Bed, is_expected: impl Fn(usize) -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        // During the connecting, the service may answer that it is busy.
        let metrics = bed.service.metrics().unwrap_or_default();
        let mut lines = metrics.lines();
        let open = lines.find_map(|line| line.strip_prefix("wavetune_http_connections "));
        if open
            .and_then(|open| open.parse().ok())
            .is_some_and(&is_expected)
        {
            return true;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    false
}

/// Returns the 90th percentile and the maximum.
fn usual_and_most(mut all: Vec<Duration>) -> (Duration, Duration) {
    all.sort();
    (all[all.len() * 9 / 10], all[all.len() - 1])
}

fn measure(bed: &Bed, crowd: Crowd) -> Result<Measured, Failed> {
    let to: SocketAddr = bed.service.address().parse()?;
    let target = format!(
        "/api/v1/configurations?problem={}&target=gfx942",
        problem(0)
    );
    let asks = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let last = asks.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    let (answered, steady) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let thread = || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
    };
    // Thousands of clients that only write keep their thread from all others.
    let threads = [thread()?, thread()?];
    let mut all = JoinSet::new();
    let dropped_before = dropped()?;
    let few = Crowd {
        address: STEADY_ADDRESS,
        connections: STEADY,
        is_pipelining: false,
        is_reading: true,
    };
    for ((crowd, answered), thread) in [(few, &steady), (crowd, &answered)]
        .into_iter()
        .zip(&threads)
    {
        for _ in 0..crowd.connections {
            let client = ask_on(crowd, to, asks.as_str().into(), Arc::clone(answered));
            all.spawn_on(client, thread.handle());
        }
    }
    wait_for(bed, |open| open >= crowd.connections + STEADY);
    let count = || [&answered, &steady].map(|it| it.load(Ordering::Relaxed));
    let (begun, before, had) = (Instant::now(), count(), cpu(bed)?);
    let (mut connects, mut others, mut neighbours, mut cpus) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while begun.elapsed() < TIME {
        let worked = cpu(bed)?;
        let [connected, after] = answers_after(OTHER, to, &last).unwrap_or([NEVER; 2]);
        connects.push(connected);
        others.push(after);
        cpus.push(cpu(bed)? - worked);
        neighbours.push(answers_after(CROWD, to, &last).map_or(NEVER, |[_, after]| after));
        std::thread::sleep(Duration::from_millis(20));
    }
    let (after, worked) = (count(), (cpu(bed)? - had).as_secs_f64());
    let lasted = begun.elapsed().as_secs_f64();
    let steady = (after[1] - before[1]) as f64;
    let goodput = ((after[0] - before[0]) as f64 + steady) / worked;
    let steady = steady / lasted;
    // The next crowd begins when this one's connections have ended.
    drop(all);
    for thread in threads {
        thread.shutdown_timeout(TIME);
    }
    // The last connection is this request's.
    assert!(wait_for(bed, |open| open <= 1), "the crowd stays");
    let (_, connect) = usual_and_most(connects);
    let unanswered = others.iter().filter(|after| **after == NEVER).count();
    let (usual, most) = usual_and_most(others);
    Ok(Measured {
        goodput,
        steady,
        connect,
        usual,
        most,
        neighbours: usual_and_most(neighbours),
        unanswered,
        cpu: usual_and_most(cpus),
        dropped: dropped()? - dropped_before,
    })
}

pub(crate) fn crowds() -> Result<(), Failed> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let bed = Bed::new(64, 4)?;
    let mut slow = Vec::new();
    // Each kind by itself: an answer that has a packet of its own costs more of the system's time.
    // A crowd that reads nothing also sends without a pause, so it is compared with the second.
    let kinds = [(true, false), (true, true), (false, false), (false, true)];
    let mut beside_readers = Vec::new();
    for (is_reading, is_pipelining) in kinds {
        let (mut goodputs, mut steadies) = (Vec::new(), Vec::new());
        for connections in [64, 512, 4096] {
            let crowd = Crowd {
                address: CROWD,
                connections,
                is_pipelining,
                is_reading,
            };
            let Measured {
                goodput,
                steady,
                connect,
                usual,
                most,
                neighbours,
                unanswered,
                cpu,
                dropped,
            } = measure(&bed, crowd)?;
            let what = format!(
                "{connections} connections, {}, {}",
                if is_pipelining {
                    "pipelining"
                } else {
                    "one at a time"
                },
                if is_reading { "reading" } else { "not reading" }
            );
            let memory = bed.service.memory()?;
            println!(
                "{what}: {goodput:.0} answers per CPU second, {steady:.0} per second to steady clients; others connected within {connect:.1?}, \
                     answered within {usual:.1?} (most {most:.1?}; CPU {cpu:.1?}), \
                     the crowd's address within {neighbours:.1?}; {unanswered} unanswered; {dropped} dropped; {memory} kB"
            );
            goodputs.push(goodput);
            steadies.push(steady);
            if cpu.1 > PROMPT || unanswered > 0 {
                slow.push(format!(
                    "{what}: {:?} of CPU, {unanswered} unanswered",
                    cpu.1
                ));
            }
        }
        if is_reading {
            let best = goodputs.iter().copied().fold(0.0, f64::max);
            let worst = goodputs.iter().copied().fold(f64::MAX, f64::min);
            println!("worst goodput: {:.2} of the best", worst / best);
            if worst < GOODPUT_SHARE * best {
                slow.push(format!("goodput {worst:.0} of {best:.0}"));
            }
            beside_readers = steadies;
            continue;
        }
        // The service cannot tell such a crowd from one that reads until the system's buffers
        // are full, so its first answers are unread ones.
        for (steady, beside_reader) in steadies.iter().zip(&beside_readers) {
            if *steady < SHARE * beside_reader {
                slow.push(format!(
                    "{steady:.0} answers per second, {beside_reader:.0} beside readers"
                ));
            }
        }
    }
    assert_eq!(slow, Vec::<String>::new());
    assert_eq!(bed.service.end()?, Some(0));
    Ok(())
}
