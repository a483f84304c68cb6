//! Who builds the kernels, for the commands that try some.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use configgen::Generator;
use tuner::{Builder, NoBuilder};

use crate::names::generators;

/// Who builds the kernels.
#[derive(Args)]
pub(crate) struct BuilderArguments {
    /// Who builds the kernels.
    #[arg(long, default_value_t, value_parser = generators())]
    pub(crate) generator: Generator,
    /// Limit of one compilation by iree-compile, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    compile_limit: u64,
}

impl BuilderArguments {
    /// The builder, or what to install for it.
    pub(crate) fn builder(&self) -> Result<Arc<dyn Builder>, NoBuilder> {
        tuner::builder(self.generator, Duration::from_secs(self.compile_limit))
    }
}
