//! The generator and its compilers, as arguments of the commands that build kernels.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use codegen_sandbox::Sandbox;
use configgen::Generator;
use tuner::Builder;

use crate::sandbox;
use crate::value_parsers::generators;

/// The generator and its limits.
#[derive(Args)]
pub(crate) struct BuilderArguments {
    /// Kernel generator [default: native].
    ///
    /// For a model, the default is both generators.
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    /// Time limit per iree-compile run.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    compile_limit: u64,
}

impl BuilderArguments {
    /// Returns the generator, or the default one.
    pub(crate) fn generator(&self) -> Generator {
        self.generator.unwrap_or_default()
    }

    /// Returns the generators of a model's kernels: the named one, or both.
    pub(crate) fn generators(&self) -> Vec<Generator> {
        match self.generator {
            Some(named) => vec![named],
            None => Generator::ALL.to_vec(),
        }
    }

    /// Creates the builder of the generator, in the sandbox if there is one. Warns if the
    /// compiler's version differs from that of the generator's rules.
    ///
    /// # Errors
    ///
    /// A missing compiler; the message says how to install it.
    pub(crate) fn builder(&self, sandbox: Option<Sandbox>) -> anyhow::Result<Arc<dyn Builder>> {
        self.builder_of(self.generator(), sandbox)
    }

    /// Creates the builder of the given generator, as [`BuilderArguments::builder`] does.
    pub(crate) fn builder_of(
        &self,
        generator: Generator,
        sandbox: Option<Sandbox>,
    ) -> anyhow::Result<Arc<dyn Builder>> {
        let process = sandbox::compiler(sandbox)?;
        let limit = Duration::from_secs(self.compile_limit);
        let builder = tuner::builder(generator, limit, process)?;
        // The rules of legality hold for certain versions of the compiler.
        if let Some(doubt) = generator.doubt(&builder.compiler().version) {
            eprintln!("{generator}: {doubt}");
        }
        Ok(builder)
    }
}
