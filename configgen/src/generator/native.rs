//! `native`: wavetune's own code generator, in `codegen`'s module `native/`.

use super::Rules;
use crate::legality::native;
use crate::space::{self, Contents};
use crate::{Configuration, Pipeline, Problem, Rejection, Target, native_default};

#[derive(Debug)]
pub(super) struct Native;

impl Rules for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn promises_fold(&self) -> bool {
        true
    }

    fn clamps_tiles(&self) -> bool {
        false
    }

    /// Accepts every problem.
    fn check_problem(&self, _: &Problem, _: &Target) -> Result<(), Rejection> {
        Ok(())
    }

    fn check(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<(), Rejection> {
        native::check(problem, target, configuration)
    }

    /// Returns a configuration in every case, and a legal one.
    fn default_configuration(
        &self,
        problem: &Problem,
        target: &Target,
    ) -> Result<Pipeline, Rejection> {
        native_default(problem, target).map(Pipeline::VectorDistribute)
    }

    fn space(&self, problem: &Problem, target: &Target) -> Contents {
        space::native::contents(problem, target)
    }
}
