//! `wavetune studies cancel`: cancels studies of a service.

use clap::Args;

use crate::Exit;
use crate::output::print;
use crate::service::{ConnectionArguments, url};

#[derive(Args)]
pub(super) struct StudyCancelArguments {
    /// The studies' numbers.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<i64>,
    /// The service.
    #[arg(long, value_name = "URL", value_parser = url)]
    server: String,
    #[command(flatten)]
    reach: ConnectionArguments,
}

pub(super) fn run(arguments: &StudyCancelArguments) -> anyhow::Result<Exit> {
    let client = arguments.reach.client(&arguments.server)?;
    for &id in &arguments.ids {
        client.cancel(id)?;
        print(&format!("study {id} is cancelled\n"))?;
    }
    Ok(Exit::Found)
}
