//! Lease batch source: batches come from a service as leases, and results go back in few
//! messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use server_client::ClientError;
use server_fleet::wire::{Lease, LeaseReport};
use tracing::{debug, warn};
use tuner::{
    AssignedBatch, BatchEvent, BatchEventKind, BatchSource, Builder, DriftStatus, Offer, StudySetup,
};

use crate::health::Health;
use crate::heartbeat::{HeldLeases, lease_reference};
use crate::retry::{IdleBackoff, RetryingClient};
use crate::service::ServiceClient;
use crate::trust::Trust;

/// Time for which results wait for others, so that one report has several. If the agent dies,
/// another one repeats them.
const GATHER: Duration = Duration::from_secs(1);

/// Time between two requests of a quarantined device: the service forgets a silent agent after a
/// minute.
const ALONE: Duration = Duration::from_secs(15);

/// The source of batches for one device.
pub(crate) struct LeaseBatchSource<'a> {
    way: RetryingClient<'a>,
    held: &'a HeldLeases,
    trust: &'a Trust,
    builder: &'a dyn Builder,
    offer: Offer,
    device: usize,
    health: Health,
    idle: IdleBackoff,
    at: Option<ActiveLease>,
    trials: u64,
    refused: Option<ClientError>,
}

/// The lease at hand.
struct ActiveLease {
    lease: Lease,
    is_wanted: Arc<AtomicBool>,
    news: Vec<BatchEventKind>,
    /// Time of the last report.
    told: Instant,
}

impl<'a> LeaseBatchSource<'a> {
    pub(crate) fn new(
        way: RetryingClient<'a>,
        held: &'a HeldLeases,
        trust: &'a Trust,
        builder: &'a dyn Builder,
        offer: Offer,
        device: usize,
    ) -> Self {
        LeaseBatchSource {
            way,
            held,
            trust,
            builder,
            offer,
            device,
            health: Health::new(device),
            idle: IdleBackoff::default(),
            at: None,
            trials: 0,
            refused: None,
        }
    }

    /// Returns the number of reported trials, or the error that ended the device.
    pub(crate) fn ended(mut self) -> Result<u64, ClientError> {
        match self.refused.take() {
            Some(refused) => Err(refused),
            None => Ok(self.trials),
        }
    }

    /// Repeats a request until the service answers; returns none if there will be no answer.
    fn insist<T>(&mut self, ask: impl Fn(&ServiceClient) -> Result<T, ClientError>) -> Option<T> {
        self.way.retry(ask).unwrap_or_else(|refused| {
            self.refused = Some(refused);
            None
        })
    }

    /// Reports the gathered results. Returns true if the service wants more.
    fn flush(&mut self) -> bool {
        let Some(at) = &mut self.at else {
            return false;
        };
        let news = std::mem::take(&mut at.news);
        at.told = Instant::now();
        if news.is_empty() {
            return at.is_wanted.load(Ordering::Relaxed);
        }
        let is_trial = |news: &&BatchEventKind| matches!(news, BatchEventKind::Trial(_));
        let trials = news.iter().filter(is_trial).count() as u64;
        let tell = told(at.lease.clone(), news);
        let heard = self.insist(|service| service.tell(&tell));
        if heard.is_some() {
            self.trials += trials;
        }
        heard.is_some_and(|heard| heard.is_wanted)
    }

    /// Reports the quarantine of the device to the user, if one begins.
    fn left_alone(&mut self, pause: Option<Duration>) {
        if let (Some(pause), Some((_, reason))) = (pause, self.health.left()) {
            let seconds = pause.as_secs();
            warn!(
                device = self.device,
                seconds, reason, "a device gets no more batches for now"
            );
            self.way.observer.quarantined(self.device, pause, reason);
        }
    }

    /// Ends the lease; another agent gets the rest of its batch.
    fn leave(&mut self) {
        self.held.end(self.device);
        let Some(ActiveLease { lease, news, .. }) = self.at.take() else {
            return;
        };
        let hold = lease_reference(&lease);
        let has_end = news.iter().any(is_end);
        let told = match news.is_empty() {
            true => Ok(()),
            false => self.way.service.tell(&told(lease, news)).map(drop),
        };
        let ended = match has_end {
            true => told,
            false => told.and_then(|()| self.way.service.give_back(&hold)),
        };
        if let Err(error) = ended {
            debug!(%error, "a batch could not be given back");
        }
    }
}

/// Returns true for the last event of a batch. If results are missing then, the service gives the
/// rest to another agent.
fn is_end(news: &BatchEventKind) -> bool {
    matches!(news, BatchEventKind::Done | BatchEventKind::Failed(_))
}

fn told(lease: Lease, news: Vec<BatchEventKind>) -> LeaseReport {
    LeaseReport {
        token: lease.token,
        batch: lease.batch,
        news,
    }
}

impl BatchSource for LeaseBatchSource<'_> {
    fn next(&mut self, _: Option<&StudySetup>) -> Option<AssignedBatch> {
        // The lease at hand is finished, or no director wants it.
        self.leave();
        loop {
            let (offer, device) = (self.offer.clone(), self.health.condition());
            let asked = Instant::now();
            let lease: Option<Lease> = self.insist(|service| service.lease(&offer, &device))?;
            let Some(lease) = lease else {
                match self.health.left() {
                    Some((left, _)) => self.way.stop.wait(left.min(ALONE)),
                    None => self.way.back_off(&mut self.idle, asked),
                }
                continue;
            };
            self.idle.end();
            // Heartbeats begin before the verification, which may ask the service for its key.
            let is_wanted = self
                .held
                .begin(self.device, lease_reference(&lease), lease.patience_s);
            let batch = lease.batch.clone();
            let signed = lease.kernels.as_ref();
            let built = signed.and_then(|kernels| {
                let ask = || self.way.service.key();
                self.trust
                    .built(ask, &self.offer, self.builder, &batch, kernels)
            });
            self.at = Some(ActiveLease {
                is_wanted,
                lease,
                news: Vec::new(),
                told: Instant::now(),
            });
            // The lease came during the stop.
            if self.way.stop.is_set() {
                self.leave();
                return None;
            }
            return Some(AssignedBatch { batch, built });
        }
    }

    fn tell(&mut self, event: BatchEvent) -> bool {
        match &event.news {
            BatchEventKind::Failed(failure) => {
                let pause = self.health.failed(failure);
                self.left_alone(pause);
            }
            BatchEventKind::Done => self.health.done(),
            _ => {}
        }
        let Some(at) = &mut self.at else {
            return false;
        };
        let is_end = is_end(&event.news);
        at.news.push(event.news);
        // A stopping agent does not retry: `leave` sends the results once, before it gives the
        // lease back.
        if self.way.stop.is_set() {
            return false;
        }
        if is_end {
            self.flush();
            // The batch is over: no heartbeat may renew it now.
            self.held.end(self.device);
            self.at = None;
            return true;
        }
        match at.told.elapsed() >= GATHER {
            true => self.flush(),
            false => at.is_wanted.load(Ordering::Relaxed),
        }
    }

    fn report_drift(&mut self, watched: DriftStatus) {
        let pause = self.health.watched(watched);
        self.left_alone(pause);
    }
}

/// Gives the lease back if the thread of a device dies, so that another agent gets it at once.
impl Drop for LeaseBatchSource<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;

    use server_fleet::wire::{Condition, LeaseReply, LeaseRequest};
    use tuner::{BatchId, ControlMeasurement};

    use super::*;
    use crate::tests::{Idle as Builds, batch, offer};
    use crate::{AgentObserver, AgentSettings, StopSignal};

    struct Deaf;

    impl AgentObserver for Deaf {
        fn connected(&self) {}
        fn lost(&self, reason: &ClientError) {
            panic!("{reason}");
        }
        fn quarantined(&self, device: usize, pause: Duration, _: &str) {
            assert_eq!((device, pause.as_secs()), (5, 10));
        }
    }

    /// Reads a request to its end. Returns its address and its body.
    fn request(stream: &mut impl std::io::Read) -> (String, String) {
        let mut heard = Vec::new();
        let mut byte = [0];
        while !heard.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            heard.push(byte[0]);
        }
        let head = String::from_utf8(heard).unwrap().to_lowercase();
        let length = |line: &str| line.strip_prefix("content-length: ")?.parse().ok();
        let length: usize = head.lines().find_map(length).unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        let address = head.split(' ').nth(1).unwrap_or_default().to_owned();
        (address, String::from_utf8(body).unwrap())
    }

    /// Serves so many leases, and ends when one comes back. Returns the condition of the device
    /// in each request.
    fn serve(listener: &TcpListener, stop: &StopSignal, mut leases: u64) -> Vec<Condition> {
        let mut told = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().unwrap();
            let (address, body) = request(&mut stream);
            let answer = match address.as_str() {
                "/api/v1/leases" => {
                    let ask: LeaseRequest = serde_json::from_str(&body).unwrap();
                    let [device] = ask.devices.try_into().unwrap();
                    if device.is_left_alone() {
                        stop.set();
                    }
                    told.push(device);
                    leases = leases.checked_sub(1).unwrap();
                    serde_json::to_string(&Lease {
                        token: "token".to_owned(),
                        batch: batch(leases),
                        kernels: None,
                        patience_s: 30,
                    })
                }
                "/api/v1/leases:tell" => serde_json::to_string(&LeaseReply { is_wanted: false }),
                _ => {
                    let end = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
                    stream.write_all(end.as_bytes()).unwrap();
                    return told;
                }
            };
            let answer = answer.unwrap();
            let length = answer.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{answer}"
            )
            .unwrap();
        }
    }

    /// An agent asks a service that answers at once without a batch a few times per second, not
    /// thousands of times.
    #[test]
    fn a_service_that_does_not_wait_is_not_flooded() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let settings = AgentSettings {
            service: server_client::ClientSettings {
                server: format!("http://{}", listener.local_addr().unwrap()),
                program: "test",
                ..server_client::ClientSettings::default()
            },
            name: "one".to_owned(),
        };
        let (service, stop) = (ServiceClient::new(&settings), StopSignal::default());
        let way = RetryingClient {
            service: &service,
            observer: &Deaf,
            stop: &stop,
        };
        let (held, trust, idle) = (HeldLeases::default(), Trust::default(), Builds("1"));
        let begun = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for count in 0..5 {
                    let (mut stream, _) = listener.accept().unwrap();
                    request(&mut stream);
                    if count == 4 {
                        stop.set();
                    }
                    let end = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
                    stream.write_all(end.as_bytes()).unwrap();
                }
            });
            let mut remote = LeaseBatchSource::new(way, &held, &trust, &idle, offer("1"), 5);
            assert!(remote.next(None).is_none());
        });
        // 0, 200, 400 and 800 ms, at least half of each.
        assert!(begun.elapsed() >= Duration::from_millis(700));
    }

    /// The service learns of a failing device, and the device gets no batches.
    #[test]
    fn the_service_hears_how_the_device_is() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let settings = AgentSettings {
            service: server_client::ClientSettings {
                server: format!("http://{}", listener.local_addr().unwrap()),
                program: "test",
                ..server_client::ClientSettings::default()
            },
            name: "one".to_owned(),
        };
        let (service, stop) = (ServiceClient::new(&settings), StopSignal::default());
        let way = RetryingClient {
            service: &service,
            observer: &Deaf,
            stop: &stop,
        };
        let (held, trust, idle) = (HeldLeases::default(), Trust::default(), Builds("1"));
        let unsteady = DriftStatus::Unsteady(ControlMeasurement {
            noise: 0.01,
            slowdown: 1.1,
        });
        let told = std::thread::scope(|scope| {
            let told = scope.spawn(|| serve(&listener, &stop, 3));
            let mut remote = LeaseBatchSource::new(way, &held, &trust, &idle, offer("1"), 5);
            let mut batches = 0;
            while let Some(given) = remote.next(None) {
                batches += 1;
                remote.report_drift(unsteady);
                let batch: BatchId = given.batch.id;
                let news = BatchEventKind::Done;
                remote.tell(BatchEvent { batch, news });
            }
            assert_eq!(batches, 2);
            told.join().unwrap()
        });
        let watched: Vec<_> = told.iter().map(|device| device.watched).collect();
        assert_eq!(watched, [None, Some(unsteady), Some(unsteady)]);
        let left_alone: Vec<_> = told.iter().map(Condition::is_left_alone).collect();
        assert_eq!(left_alone, [false, false, true]);
    }
}
