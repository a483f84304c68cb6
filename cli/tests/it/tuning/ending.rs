//! Agents and services that are told to end.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use testing::Failed;

use crate::tuning::lent::{agent, wait_for};
use crate::tuning::running::{Running, ask};
use crate::tuning::wavetune;

const WANTED: &str = r#"{"problems": ["argmax:4x[1000]xf32"], "target": "gfx942", "budget": 8}"#;

/// Checks that an ending agent starts no work, even if work comes at that moment. A service with
/// waiting agents ends at once, and the next one continues its studies.
pub(crate) fn ends_are_graceful() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("served.db");
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let first = agent(&db, &address)?;
    // The agent is waiting for work, and would for some seconds more.
    thread::sleep(Duration::from_secs(1));
    let ended = thread::spawn(move || first.end().map_err(|error| format!("{error:?}")));
    thread::sleep(Duration::from_millis(500));
    let studies = ask(&address, "POST /api/v1/studies", WANTED)?;
    let id = &studies["studies"][0]["id"];
    assert_eq!(ended.join().expect("it does not panic")?, Some(0));
    let study = ask(&address, &format!("GET /api/v1/studies/{id}"), "")?;
    assert_eq!(study["state"], "running", "{study}");
    assert_eq!(
        study["progress"]["done"].as_u64().unwrap_or(0),
        0,
        "{study}"
    );
    // Another agent gets the returned work at once.
    let begin = Instant::now();
    let second = agent(&db, &address)?;
    wait_for(&address, id, 8)?;
    let study = ask(&address, &format!("GET /api/v1/studies/{id}"), "")?;
    assert_eq!(study["progress"]["done"], 8, "{study}");
    println!("tried in {:?}", begin.elapsed());

    thread::sleep(Duration::from_secs(1));
    let begin = Instant::now();
    assert_eq!(service.end()?, Some(0));
    let elapsed = begin.elapsed();
    // An agent's long poll lasts eight seconds.
    assert!(elapsed < Duration::from_secs(7), "{elapsed:?}");
    let service = Running::service(wavetune(&db, &[]), &address)?;
    let studies = ask(
        &address,
        "POST /api/v1/studies",
        &WANTED.replace("4x[1000]", "4x[1001]"),
    )?;
    let id = &studies["studies"][0]["id"];
    wait_for(&address, id, 8)?;
    assert_eq!(second.end()?, Some(0));

    // The service waits for the rest of a request, but not after a second signal.
    let mut asking = TcpStream::connect(&address)?;
    write!(
        asking,
        "POST /api/v1/studies HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{{"
    )?;
    thread::sleep(Duration::from_millis(300));
    service.tell_to_end()?;
    thread::sleep(Duration::from_millis(500));
    // The code of SIGTERM: a service that had waited five seconds for the body would end with 0.
    assert_eq!(service.end()?, Some(143));
    Ok(())
}
