//! Settings of JetStream: address, credentials and timeouts.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use crate::{QueueError, QueueFault};

/// Settings of the queue. All replicas have the same.
#[derive(Clone)]
pub struct JetStreamSettings {
    /// `nats://HOST:PORT`, several with commas between them; `nats://USER:PASSWORD@…`, and
    /// `tls://…` if TLS is required.
    pub address: String,
    /// A file of credentials, as `nsc` makes them.
    pub credentials: Option<PathBuf>,
    /// A file of certificates that NATS may present, besides those of the system.
    pub root_certificates: Option<PathBuf>,
    /// Longest silence of a holder of a delivery.
    pub patience: Duration,
    /// The duplicate window: the time for which the stream remembers the name of an item.
    pub window: Duration,
    /// Time between two looks for items that come back by themselves, which have no notice.
    pub look: Duration,
    /// Longest time of the retries of one request.
    pub limit: Duration,
    /// Servers of a NATS cluster that store each item: 1, 3 or 5.
    pub copies: usize,
}

impl JetStreamSettings {
    /// Creates the settings of a single NATS at this address.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            credentials: None,
            root_certificates: None,
            patience: Duration::from_secs(30),
            window: Duration::from_secs(120),
            look: Duration::from_millis(500),
            limit: Duration::from_secs(10),
            copies: 1,
        }
    }

    /// Parses the addresses without secrets, and the connection options with the secrets.
    pub(super) async fn open(&self) -> Result<(Vec<ServerAddr>, ConnectOptions), QueueError> {
        let mut options = ConnectOptions::new();
        let mut addresses = Vec::new();
        for text in self.address.split(',') {
            let address: Result<ServerAddr, _> = text.trim().parse();
            // The parser's error may quote the address, with its password.
            let address = address.map_err(|_| self.error(NO_ADDRESS.to_owned()))?;
            let mut url = address.into_inner();
            if !url.username().is_empty() {
                let user = decoded(url.username());
                options =
                    options.user_and_password(user, decoded(url.password().unwrap_or_default()));
            }
            // The address appears in errors and logs, so it must have no secrets.
            let cleared = url.set_username("").and_then(|()| url.set_password(None));
            let address = ServerAddr::from_url(url).ok().filter(|_| cleared.is_ok());
            addresses.push(address.ok_or_else(|| self.error(NO_ADDRESS.to_owned()))?);
        }
        if let Some(file) = &self.credentials {
            let with = options.credentials_file(file).await;
            options = with.map_err(|error| {
                self.error(format!("credentials file {}: {error}", file.display()))
            })?;
        }
        if let Some(file) = &self.root_certificates {
            options = options.add_root_certificates(file.clone());
        }
        Ok((addresses, options))
    }

    /// Returns the queue's name for people: its addresses, without user and password.
    pub(super) fn name(&self) -> String {
        let hosts = self.address.split(',').map(|text| {
            let address: Result<ServerAddr, _> = text.trim().parse();
            address.map_or("?".to_owned(), |address| {
                format!(
                    "{}://{}:{}",
                    address.scheme(),
                    address.host(),
                    address.port()
                )
            })
        });
        hosts.collect::<Vec<_>>().join(",")
    }

    fn error(&self, what: String) -> QueueError {
        QueueError {
            queue: self.name(),
            fault: QueueFault::Settings(what),
        }
    }
}

const NO_ADDRESS: &str =
    "the address is not a NATS address; give nats://HOST:PORT or nats://USER:PASSWORD@HOST:PORT";

/// Decodes the percent-encoding of a URL part.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Prints everything except the secrets.
impl fmt::Debug for JetStreamSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStreamSettings")
            .field("address", &self.name())
            .field("patience", &self.patience)
            .field("window", &self.window)
            .field("limit", &self.limit)
            .field("copies", &self.copies)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::JetStreamSettings;

    #[track_caller]
    fn check(address: &str, name: &str) {
        let settings = JetStreamSettings::new(address);
        assert_eq!(settings.name(), name);
        assert!(!format!("{settings:?}").contains("secret"), "{settings:?}");
    }

    #[test]
    fn names_have_no_secrets() {
        check("nats://localhost:4222", "nats://localhost:4222");
        check("localhost", "nats://localhost:4222");
        check("nats://ann:secret@host:1", "nats://host:1");
        check(
            "tls://ann:secret@a,nats://secret@b:7",
            "tls://a:4222,nats://b:7",
        );
        check("nats://ann:secret@[::1]:5", "nats://::1:5");
        check("http://ann:secret@host", "?");
        check("nats://ann:secret@host:secret", "?");
    }

    #[tokio::test]
    async fn printed_addresses_have_no_secrets() {
        let settings = JetStreamSettings::new("nats://ann:s%40cret@host:1, tls://other");
        let (addresses, _) = settings.open().await.unwrap();
        let addresses: Vec<&str> = addresses
            .iter()
            .map(|address| address.as_url_str())
            .collect();
        assert_eq!(addresses, ["nats://host:1", "tls://other"]);
    }

    #[track_caller]
    fn refuse(change: impl FnOnce(&mut JetStreamSettings), expected: &str) {
        let mut settings = JetStreamSettings::new("nats://ann:secret@host");
        change(&mut settings);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let error = runtime.block_on(settings.open()).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn unusable_settings_are_refused() {
        refuse(|it| it.address = String::new(), "give nats://HOST:PORT");
        refuse(
            |it| it.address = "http://ann:secret@host".to_owned(),
            "give nats://HOST:PORT",
        );
        refuse(
            |it| it.credentials = Some("missing.creds".into()),
            "credentials file missing.creds: ",
        );
    }
}
