//! Who builds the kernels, for the commands that try some.

use std::sync::Arc;
use std::time::Duration;

use ::sandbox::Sandbox;
use clap::Args;
use configgen::Generator;
use tuner::Builder;

use crate::names::generators;
use crate::sandbox;

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
    /// The builder, or what to install for it; its compilers are in the sandbox, where there is one.
    pub(crate) fn builder(&self, sandbox: Option<Sandbox>) -> anyhow::Result<Arc<dyn Builder>> {
        let confined = sandbox.map(sandbox::compiler).transpose()?;
        let limit = Duration::from_secs(self.compile_limit);
        let builder = tuner::builder(self.generator, limit, confined)?;
        if let Some(doubt) = self.generator.doubt(&builder.compiler().version) {
            eprintln!("{}: {doubt}", self.generator);
        }
        Ok(builder)
    }
}
