//! `wavetune studies cancel`: cancels studies of a service.

use clap::Args;

use crate::Exit;
use crate::output::print;
use crate::service::{ConnectionArguments, url};

#[derive(Args)]
#[command(
    after_long_help = "Examples:\n  wavetune studies cancel 12 --server http://tuner.lan:8942"
)]
pub(super) struct StudyCancelArguments {
    /// Numbers of the studies.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<i64>,
    /// URL of the service.
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
