//! The questions that every generator answers.

use std::fmt;

use crate::space_contents::Contents;
use crate::{Configuration, Pipeline, Problem, Rejection, Target};

/// The rules of a generator. Every method is a pure function.
pub trait Rules: fmt::Debug + Sync {
    /// Returns its name on the command line, in JSON and in the store. Names are unique.
    fn name(&self) -> &'static str;

    /// Returns whether its kernels promise the exact bits of the fold.
    ///
    /// Otherwise, a kernel that returns another index for equal elements is no failure.
    fn promises_fold(&self) -> bool;

    /// Returns whether a `workgroup` tile larger than its dimension means the dimension's size.
    fn clamps_tiles(&self) -> bool;

    /// Returns whether every tile and step must divide its dimension, because the kernels mask
    /// nothing.
    fn tiles_divide(&self) -> bool {
        false
    }

    /// Returns whether several workgroups can share a row of `problem`.
    fn shares_rows(&self, _: &Problem) -> bool {
        true
    }

    /// Checks that it accepts `problem` on `target` at all; see [`crate::check_problem`].
    fn check_problem(&self, problem: &Problem, target: &Target) -> Result<(), Rejection>;

    /// Checks that it can build `configuration`; see [`crate::check`].
    fn check(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<(), Rejection>;

    /// Returns its choice without a configuration; see [`crate::default_configuration`].
    fn default_configuration(
        &self,
        problem: &Problem,
        target: &Target,
    ) -> Result<Pipeline, Rejection>;

    /// Returns the reason why its rules may not fit this version of its compiler.
    ///
    /// It is none if the rules were established with that version, or depend on no compiler.
    fn doubt(&self, _compiler_version: &str) -> Option<String> {
        None
    }

    /// Returns the reason why a compilation of `problem` cannot use its best configuration.
    ///
    /// It is none if it can. Kernels of the problem can be tried in either case.
    fn why_unreached(&self, _problem: &Problem) -> Option<&'static str> {
        None
    }

    /// Returns the contents of its space for `problem`, which it must accept.
    fn space(&self, problem: &Problem, target: &Target) -> Contents;
}
