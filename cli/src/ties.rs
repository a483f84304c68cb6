//! `--ties`: the wanted index among equal elements.

use clap::Args;
use store::Ties;

use crate::value_parsers::ties;

#[derive(Args)]
pub(crate) struct TiesArgument {
    /// Index among tied elements: fold (that of a loop over the row: of argmax the lowest), or
    /// any. Kernels that give another are taken if no other is correct, or if any will do.
    #[arg(long = "ties", value_name = "INDEX", default_value = "fold", value_parser = ties())]
    pub(crate) index: Ties,
}
