//! `native`: wavetune's own code generator, in `codegen`'s module `native/`.

mod default_rule;
pub mod knobs;
mod lanes_on_rows;
pub mod legality;
mod load_cost;
mod serial;
mod space;
mod summation_limit;

pub use default_rule::native_default;

use super::rules::Rules;
use crate::space_contents::Contents;
use crate::{Configuration, Pipeline, Problem, Rejection, Target};

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
        legality::check(problem, target, configuration)
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
        space::contents(problem, target)
    }
}
