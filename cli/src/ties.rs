//! `--ties`: which index is wanted where elements tie.

use clap::Args;
use store::Ties;

use crate::value_parsers::ties;

#[derive(Args)]
pub(crate) struct TiesArgument {
    /// Index where elements tie: fold (the one that a loop over the row gives: of argmax the lowest), or any. Kernels that
    /// give another than the fold's are taken where no other is right, or where any will do.
    #[arg(long = "ties", value_name = "INDEX", default_value = "fold", value_parser = ties())]
    pub(crate) index: Ties,
}
