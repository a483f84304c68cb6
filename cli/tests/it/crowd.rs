//! A service in a crowd of hostile clients: it stays within its memory, and answers other clients
//! promptly.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use running::{Running, wavetune};

use crate::support::running;

/// Time limit of an answer to another client.
const PROMPT: Duration = Duration::from_millis(100);

/// Limit of the service's memory, in kilobytes.
const MEMORY: u64 = 300_000;

/// A service with its own database.
struct Service {
    running: Running,
    _directory: tempfile::TempDir,
}

impl Service {
    fn start() -> Service {
        let directory = tempfile::tempdir().unwrap();
        let command = wavetune(directory.path().join("test.db"));
        Service {
            running: Running::service(command, "127.0.0.1:0").unwrap(),
            _directory: directory,
        }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.running.address()).unwrap()
    }

    /// Returns the time until a harmless client has its answer.
    fn answers_after(&self) -> Duration {
        let begin = Instant::now();
        let mut stream = self.connect();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer:?}");
        begin.elapsed()
    }

    /// Checks that others are answered in time during an attack. The slowest tenth does not
    /// count, because on a busy machine one may wait for its turn.
    #[track_caller]
    fn check(&self, what: &str) {
        let mut times: Vec<Duration> = (0..50)
            .map(|_| {
                thread::sleep(Duration::from_millis(20));
                self.answers_after()
            })
            .collect();
        times.sort();
        let (usual, most) = (times[44], times[49]);
        println!("{what}: {usual:?}, at most {most:?}; {} kB", self.memory());
        assert!(usual <= PROMPT, "{what}: {times:?}");
        assert!(self.memory() <= MEMORY, "{what}: {} kB", self.memory());
    }

    /// Returns the service's peak memory in kilobytes.
    fn memory(&self) -> u64 {
        self.running.memory().unwrap()
    }
}

const BATCH: &str = "POST /api/v1/configurations:batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

/// Sends `piece` repeatedly until the service hangs up, or `most` bytes are sent. Returns the
/// number of accepted bytes.
fn pour(mut stream: TcpStream, head: &str, piece: &[u8], most: usize) -> usize {
    let mut sent = 0;
    if stream.write_all(head.as_bytes()).is_err() {
        return sent;
    }
    while sent < most && stream.write_all(piece).is_ok() {
        sent += piece.len();
    }
    sent
}

#[test]
#[ignore = "full: 10,000 connections and gigabytes, for half a minute"]
fn others_are_answered_in_a_crowd() {
    let service = Service::start();
    service.check("nobody else");

    let idle: Vec<TcpStream> = (0..10_000).map(|_| service.connect()).collect();
    service.check("10,000 who ask nothing");
    drop(idle);

    let deaf: Vec<TcpStream> = (0..256)
        .map(|_| {
            let mut stream = service.connect();
            // A small file, and not the page: a debug build reads the page from disk each time.
            let many = "GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(400);
            // As much as the buffers take, because nobody reads the answers.
            stream.set_nonblocking(true).unwrap();
            stream.write_all(many.as_bytes()).ok();
            stream
        })
        .collect();
    service.check("256 who ask and never read");
    drop(deaf);

    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = service.connect();
            write!(stream, "{BATCH}Content-Length: 1000\r\n\r\n[").unwrap();
            stream
        })
        .collect();
    service.check("200 bodies that do not come");
    drop(slow);

    let flood = |what: &str, head: &str, piece: &[u8], limit: usize| {
        thread::scope(|scope| {
            let pouring: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| pour(service.connect(), head, piece, 1 << 30)))
                .collect();
            service.check(what);
            for taken in pouring {
                let taken = taken.join().unwrap();
                assert!(taken < limit, "{what}: {taken} bytes were taken");
            }
        });
    };
    let spaces = [b' '; 1 << 16];
    let chunk = [b"10000\r\n", &spaces[..], b"\r\n"].concat();
    let sized = format!("{BATCH}Content-Length: {}\r\n\r\n", 1 << 30);
    let chunked = format!("{BATCH}Transfer-Encoding: chunked\r\n\r\n");
    // The buffers of both systems' sockets are not the service's memory.
    let buffers = 64 << 20;
    flood("8 bodies of a gigabyte", &sized, &spaces, buffers);
    flood("8 bodies of unknown size", &chunked, &chunk, buffers);
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
    flood(
        "8 heads without end",
        request,
        b"X-A: bcdefghijklmno\r\n",
        buffers,
    );
}
