//! A service that is asked in place of a database.

use clap::Args;
use client::Client;

/// Which service.
#[derive(Args)]
pub(crate) struct Service {
    /// Ask this service, and no database of this machine.
    #[arg(long = "server", value_name = "URL", value_parser = url)]
    pub(crate) url: Option<String>,
}

impl Service {
    /// Who asks it, if one is named.
    pub(crate) fn client(&self) -> Option<Client> {
        let url = self.url.as_deref();
        url.map(|url| Client::new(url, "wavetune"))
    }
}

/// The address of a service.
pub(crate) fn url(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("http://");
    let host = host.or_else(|| text.strip_prefix("https://"));
    match host.is_some_and(|host| !host.is_empty() && !host.starts_with('/')) {
        true => Ok(text.to_owned()),
        false => Err("an address is http://HOST:PORT or https://HOST:PORT".to_owned()),
    }
}
