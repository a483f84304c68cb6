//! Default configurations: IREE 3.13.0's own choice, and the native rule ([`native_default`]).
//!
//! The gain of a tuned configuration is relative to this one. IREE's rule needs a reduced size
//! that is a multiple of the subgroup size. Otherwise IREE falls back to its TileAndFuse
//! pipeline, in which one thread computes one output. The tests contain iree-compile's choices
//! for 60 problems. IREE's rule may choose a configuration that IREE cannot compile, or that it
//! miscompiles (rule 5 of [`crate::legality::iree`]).

mod generic;
mod iree;
mod native;
mod product;

pub(crate) use iree::iree_default;
pub use native::native_default;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::legality::Rejection;
use crate::{Configuration, Generator, Problem, Target, Tiles};

/// One of IREE's pipelines, with its configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pipeline {
    /// The pipeline that distributes a reduction over lanes. Native kernels use only this one.
    VectorDistribute(Configuration),
    /// IREE's fallback: each thread computes whole outputs, one after the other.
    TileAndFuse(TileAndFuse),
}

/// The configuration of IREE's fallback: each thread of a workgroup's tile computes one output.
///
/// Threads beyond the tile do nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileAndFuse {
    /// The tile of one workgroup on the parallel dimensions; 0 on reduced ones.
    pub workgroup: Tiles,
    /// The lanes of a subgroup.
    pub subgroup_size: u32,
    /// The threads of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
}

impl fmt::Display for TileAndFuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "TileAndFuse: one thread per output, workgroup = {:?}, workgroup_size = {:?}",
            self.workgroup, self.workgroup_size
        )
    }
}

impl fmt::Display for Pipeline {
    /// Prints `#iree_codegen.compilation_info<...>`: the attribute that selects this pipeline.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pipeline::VectorDistribute(configuration) => configuration.fmt(f),
            Pipeline::TileAndFuse(TileAndFuse {
                workgroup,
                subgroup_size,
                workgroup_size,
            }) => {
                // IREE's fallback takes one element per thread along each tiled dimension.
                let thread: Tiles = workgroup.iter().map(|&tile| tile.min(1)).collect();
                write!(
                    f,
                    "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{{workgroup = {workgroup:?}, \
                     thread = {thread:?}}}>, translation_info = <pipeline = #iree_gpu.pipeline<TileAndFuse> \
                     workgroup_size = {workgroup_size:?} subgroup_size = {subgroup_size}>>"
                )
            }
        }
    }
}

impl Pipeline {
    /// Returns the tile of one workgroup on the parallel dimensions.
    pub fn workgroup(&self) -> &Tiles {
        match self {
            Pipeline::VectorDistribute(configuration) => &configuration.lowering.workgroup,
            Pipeline::TileAndFuse(fallback) => &fallback.workgroup,
        }
    }

    /// Returns the configuration, unless this is the fallback.
    pub fn configuration(&self) -> Option<&Configuration> {
        match self {
            Pipeline::VectorDistribute(configuration) => Some(configuration),
            Pipeline::TileAndFuse(_) => None,
        }
    }
}

/// Returns the choice of `generator` for `problem` on `target` without a configuration.
///
/// [`Generator::NATIVE`] returns a legal configuration. [`Generator::IREE`] returns IREE's own
/// choice, legal or not.
///
/// # Errors
///
/// Returns a [`Rejection`] if the generator does not accept the problem.
pub fn default_configuration(
    problem: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<Pipeline, Rejection> {
    generator.default_configuration(problem, target)
}
