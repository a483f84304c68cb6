//! `--ties`: the wanted index among equal elements.

use clap::Args;
use store::Ties;

use crate::value_parsers::ties;

#[derive(Args)]
pub(crate) struct TiesArgument {
    /// Index among ties.
    ///
    /// fold is the index of a loop over the row, such as the lowest of argmax. A kernel that gives
    /// another index serves if no other is correct, or with any.
    #[arg(long = "ties", value_name = "INDEX", default_value = "fold", value_parser = ties())]
    pub(crate) index: Ties,
}
