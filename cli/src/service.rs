//! The service that a command asks, and the connection to it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use server_client::{Authorities, Client, ClientSettings};

use crate::credentials::Credentials;

/// The service that a command asks.
#[derive(Args)]
pub(crate) struct ServiceArguments {
    /// Service to use instead of a local database.
    #[arg(long = "server", value_name = "URL", value_parser = url)]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    reach: ConnectionArguments,
}

impl ServiceArguments {
    /// Creates the client of the service, if one is named.
    pub(crate) fn client(&self) -> anyhow::Result<Option<Client>> {
        let url = self.url.as_deref();
        url.map(|url| self.reach.client(url)).transpose()
    }
}

/// The CA file and the token of a connection.
#[derive(Args)]
pub(crate) struct ConnectionArguments {
    /// PEM file with trusted CA certificates.
    ///
    /// The program verifies the service with them instead of the system's certificates.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    #[command(flatten)]
    credentials: Credentials,
}

impl ConnectionArguments {
    /// Creates a client of the service at this address.
    pub(crate) fn client(&self, server: &str) -> anyhow::Result<Client> {
        Ok(Client::new(self.settings(server, "wavetune")?))
    }

    /// Returns the settings of a connection to the service.
    pub(crate) fn settings(
        &self,
        server: &str,
        program: &'static str,
    ) -> anyhow::Result<ClientSettings> {
        Ok(ClientSettings {
            server: server.to_owned(),
            program,
            token: self.credentials.token()?,
            authorities: self.ca.as_deref().map(authorities).transpose()?,
        })
    }
}

fn authorities(path: &Path) -> anyhow::Result<Authorities> {
    let name = || path.display().to_string();
    let text = fs::read(path).with_context(name)?;
    Authorities::of(&text).with_context(name)
}

/// Parses the address of a service.
pub(crate) fn url(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("http://");
    let host = host.or_else(|| text.strip_prefix("https://"));
    match host.is_some_and(|host| !host.is_empty() && !host.starts_with('/')) {
        true => Ok(text.to_owned()),
        false => Err("an address is http://HOST:PORT or https://HOST:PORT".to_owned()),
    }
}
