//! A service that is asked, and what is shown to it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use client::{Authorities, Client, ClientSettings};

use crate::credentials::Credentials;

/// Which service.
#[derive(Args)]
pub(crate) struct ServiceArguments {
    /// Ask this service, and no database of this machine.
    #[arg(long = "server", value_name = "URL", value_parser = url)]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    reach: ConnectionArguments,
}

impl ServiceArguments {
    /// Who asks it, if one is named.
    pub(crate) fn client(&self) -> anyhow::Result<Option<Client>> {
        let url = self.url.as_deref();
        url.map(|url| self.reach.client(url)).transpose()
    }
}

/// What a service is shown, and by what it is known.
#[derive(Args)]
pub(crate) struct ConnectionArguments {
    /// PEM file with the certificates that vouch for the service's, in place of those that everybody knows.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    #[command(flatten)]
    credentials: Credentials,
}

impl ConnectionArguments {
    /// Who asks the service at this address.
    pub(crate) fn client(&self, server: &str) -> anyhow::Result<Client> {
        Ok(Client::new(self.settings(server, "wavetune")?))
    }

    /// How this program asks it.
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

/// The address of a service.
pub(crate) fn url(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("http://");
    let host = host.or_else(|| text.strip_prefix("https://"));
    match host.is_some_and(|host| !host.is_empty() && !host.starts_with('/')) {
        true => Ok(text.to_owned()),
        false => Err("an address is http://HOST:PORT or https://HOST:PORT".to_owned()),
    }
}
