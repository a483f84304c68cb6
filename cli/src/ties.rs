//! `--ties`: the wanted index among equal elements.

use clap::Args;
use store::Ties;

use crate::value_parsers::ties;

#[derive(Args)]
pub(crate) struct TiesArgument {
    /// Accepted tie-break.
    ///
    /// fold prefers the index that a loop over the row returns, such as the lowest index for
    /// argmax. A kernel with another tie-break serves only if no kernel is correct. any ranks by
    /// time alone.
    #[arg(long = "ties", value_name = "INDEX", default_value = "fold", value_parser = ties())]
    pub(crate) index: Ties,
}
