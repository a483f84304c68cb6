//! `wavetune studies cancel`: studies of a service are ended before their time.

use clap::Args;
use client::Client;

use crate::Exit;
use crate::output::print;
use crate::service::url;

#[derive(Args)]
pub(super) struct Cancel {
    /// The studies' numbers.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<i64>,
    /// The service.
    #[arg(long, value_name = "URL", value_parser = url)]
    server: String,
}

pub(super) fn run(arguments: &Cancel) -> anyhow::Result<Exit> {
    let client = Client::new(&arguments.server, "wavetune");
    for &id in &arguments.ids {
        client.cancel(id)?;
        print(&format!("study {id} is cancelled\n"))?;
    }
    Ok(Exit::Found)
}
