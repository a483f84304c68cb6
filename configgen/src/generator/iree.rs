//! `iree`: iree-compile, as codegen runs it in `iree/`.

use super::Rules;
use crate::default_rule::iree_default;
use crate::legality::iree;
use crate::space::{self, Contents};
use crate::{Configuration, DefaultConfiguration, Problem, Rejection, Target};

#[derive(Debug)]
pub(super) struct Iree;

impl Rules for Iree {
    fn name(&self) -> &'static str {
        "iree"
    }

    /// Of equal elements its kernels give some index: see [`iree`].
    fn promises_fold(&self) -> bool {
        false
    }

    fn clamps_tiles(&self) -> bool {
        true
    }

    fn check_problem(&self, problem: &Problem, target: &Target) -> Result<(), Rejection> {
        iree::check_problem(problem, target)
    }

    fn check(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<(), Rejection> {
        iree::check(problem, target, configuration)
    }

    /// What IREE chooses, legal or not.
    fn default_configuration(
        &self,
        problem: &Problem,
        target: &Target,
    ) -> Result<DefaultConfiguration, Rejection> {
        iree_default(problem, target)
    }

    fn space(&self, problem: &Problem, target: &Target) -> Contents {
        space::iree::contents(problem, target)
    }
}
