//! A client that does not read: the system holds few of its answers.

use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use socket2::SockRef;
use testing::Failed;

use crate::support::running::{Running, wavetune};

/// The receive buffer of the client. The system keeps half of it for its own bookkeeping.
const BUFFER: usize = 64 << 10;

/// Most bytes of answers for the client: its buffer, the unsent ones of the system, and those of
/// the service. Without a limit for the second, it was 165 to 176 kB.
const MOST: usize = BUFFER + (64 << 10) + (8 << 10);

#[test]
fn answers_that_no_one_reads_take_little_memory() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let service = Running::service(wavetune(directory.path().join("test.db")), "127.0.0.1:0")?;
    let url = format!("http://{}", service.address());
    let page = ureq::get(&url).call()?.body_mut().read_to_string()?;
    let answered = || -> Result<usize, Failed> {
        let metrics = service.metrics()?;
        let requests = metrics
            .lines()
            .filter(|line| line.starts_with("wavetune_http_requests_total"));
        let counts = requests.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok());
        Ok(counts.sum())
    };
    let mut client = TcpStream::connect(service.address())?;
    SockRef::from(&client).set_recv_buffer_size(BUFFER)?;
    client.set_nonblocking(true)?;
    let before = answered()?;
    let asks = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    // The service reads no further request while an answer waits.
    let (mut last, mut polls) = (before, 0);
    loop {
        match client.write(asks.as_bytes()) {
            Ok(_) => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        let (now, had) = (answered()?, last);
        polls += 1;
        last = now;
        // Only this test's own question has been answered since.
        if now == had + 1 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let bytes = (last - before - polls) * page.len();
    assert!(bytes < MOST, "{bytes} bytes of answers");
    assert!(bytes > 0, "no answers");
    Ok(())
}
