//! Who builds the kernels, for the commands that try some.

use std::sync::Arc;
use std::time::Duration;

use ::sandbox::Sandbox;
use clap::Args;
use configgen::Generator;
use tuner::Builder;

use crate::sandbox;
use crate::value_parsers::generators;

/// Who builds the kernels.
#[derive(Args)]
pub(crate) struct BuilderArguments {
    /// Who builds the kernels [default: native; of a model both].
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    /// Limit of one compilation by iree-compile, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    compile_limit: u64,
}

impl BuilderArguments {
    /// Who builds them.
    pub(crate) fn generator(&self) -> Generator {
        self.generator.unwrap_or_default()
    }

    /// Who builds those of a model: both, where none is named.
    pub(crate) fn generators(&self) -> Vec<Generator> {
        match self.generator {
            Some(named) => vec![named],
            None => Generator::ALL.to_vec(),
        }
    }

    /// The builder, or what to install for it; its compilers are in the sandbox, where there is one. Who has another compiler
    /// than the generator's rules are of is told.
    pub(crate) fn builder(&self, sandbox: Option<Sandbox>) -> anyhow::Result<Arc<dyn Builder>> {
        self.builder_of(self.generator(), sandbox)
    }

    /// The same of one that is named.
    pub(crate) fn builder_of(
        &self,
        generator: Generator,
        sandbox: Option<Sandbox>,
    ) -> anyhow::Result<Arc<dyn Builder>> {
        let confined = sandbox.map(sandbox::compiler).transpose()?;
        let limit = Duration::from_secs(self.compile_limit);
        let builder = tuner::builder(generator, limit, confined)?;
        if let Some(doubt) = generator.doubt(&builder.compiler().version) {
            eprintln!("{generator}: {doubt}");
        }
        Ok(builder)
    }
}
