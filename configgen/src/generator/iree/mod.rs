//! `iree`: iree-compile, which the crate `iree` runs.

mod default_rule;
pub mod legality;
mod range;
mod space;

pub(crate) use default_rule::tile_and_fuse;
pub use range::{Range, SizeRange};

use super::rules::Rules;
use crate::comparator::Region;
use crate::space_contents::Contents;
use crate::{Configuration, Pipeline, Problem, Rejection, Target};

#[derive(Debug)]
pub(super) struct Iree;

impl Rules for Iree {
    fn name(&self) -> &'static str {
        "iree"
    }

    /// Returns false: for equal elements its kernels return any index; see [`legality`].
    fn promises_fold(&self) -> bool {
        false
    }

    fn clamps_tiles(&self) -> bool {
        true
    }

    fn tiles_divide(&self) -> bool {
        true
    }

    fn shares_rows(&self, problem: &Problem) -> bool {
        problem.index_of_own().is_some()
    }

    fn check_problem(&self, problem: &Problem, target: &Target) -> Result<(), Rejection> {
        legality::check_problem(problem, target)
    }

    fn check(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<(), Rejection> {
        legality::check(problem, target, configuration)
    }

    /// Returns IREE's own choice, legal or not.
    fn default_configuration(
        &self,
        problem: &Problem,
        target: &Target,
    ) -> Result<Pipeline, Rejection> {
        default_rule::iree_default(problem, target)
    }

    fn doubt(&self, compiler_version: &str) -> Option<String> {
        (!legality::supports_version(compiler_version)).then(|| {
            let known = legality::RULES_OF.join(", ");
            format!(
                "the legality rules are those of iree-compile {known}, and this is {compiler_version}: legal \
                 configurations may fail to compile, and others that compile may be refused"
            )
        })
    }

    fn why_unreached(&self, problem: &Problem) -> Option<&'static str> {
        let comparator = problem.arg_compare().map(|it| it.comparator.region());
        let function = problem.function.as_ref().map(|it| it.region());
        // No reduction has both: `arg_compare` is none if a function computes the elements.
        let has_constants = comparator.or(function).is_some_and(Region::has_constants);
        has_constants.then_some(
            "iree-compile moves the constants out of an operation's block before it applies a tuning spec, so no \
             exported spec matches the operation",
        )
    }

    fn space(&self, problem: &Problem, target: &Target) -> Contents {
        space::contents(problem, target)
    }
}

#[cfg(test)]
mod tests {
    use crate::Generator;

    #[test]
    fn rules_are_those_of_a_version() {
        let is_doubted = |version: &str| Generator::IREE.doubt(version).is_some();
        assert!(!is_doubted("3.13.0") && !is_doubted("3.13.0rc20261016"));
        for other in [
            "3.12.0",
            "3.13.1",
            "3.13.01",
            "3.13.0.1",
            "3.14.0rc20261201",
            "",
        ] {
            assert!(is_doubted(other), "{other}");
        }
        assert_eq!(Generator::NATIVE.doubt("1"), None);
    }
}
