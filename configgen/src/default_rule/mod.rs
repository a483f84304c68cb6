//! The default: the configuration that IREE 3.13.0 chooses when nobody says anything, and that of
//! native kernels, which have a rule of their own ([`native_default`]).
//!
//! A tuned configuration is worth what it gains over this one. IREE's rule needs a reduced size that is a multiple of
//! the subgroup size; otherwise IREE falls back to its TileAndFuse pipeline, where one thread computes one output. The
//! tests hold what iree-compile chose for 60 problems. The rule may well choose what IREE itself then cannot compile,
//! or what it compiles wrongly (rule 5 of [`crate::legality::iree`]).

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

/// One of IREE's ways to lower an operation, with its configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pipeline {
    /// The reduction is distributed over lanes as this configuration says. Native kernels have no other.
    VectorDistribute(Configuration),
    /// IREE's fallback: each thread computes whole outputs, one after the other.
    TileAndFuse(TileAndFuse),
}

/// IREE's fallback pipeline: each thread of a workgroup's tile computes one output; further threads do nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileAndFuse {
    /// Tile of one workgroup on the parallel dimensions; 0 on reduced ones.
    pub workgroup: Tiles,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Threads of a workgroup along x, y and z.
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
    /// `#iree_codegen.compilation_info<...>`: the attribute that makes IREE take it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pipeline::VectorDistribute(configuration) => configuration.fmt(f),
            Pipeline::TileAndFuse(TileAndFuse {
                workgroup,
                subgroup_size,
                workgroup_size,
            }) => {
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
    /// Tile of one workgroup on the parallel dimensions.
    pub fn workgroup(&self) -> &Tiles {
        match self {
            Pipeline::VectorDistribute(configuration) => &configuration.lowering.workgroup,
            Pipeline::TileAndFuse(fallback) => &fallback.workgroup,
        }
    }

    /// The configuration, where there is one.
    pub fn configuration(&self) -> Option<&Configuration> {
        match self {
            Pipeline::VectorDistribute(configuration) => Some(configuration),
            Pipeline::TileAndFuse(_) => None,
        }
    }
}

/// What `generator` does with `problem` on `target` when it is given no configuration.
///
/// For [`Generator::NATIVE`] the answer is a legal configuration; for [`Generator::IREE`] it is what IREE chooses, legal or
/// not. A problem that the generator does not take is rejected.
pub fn default_configuration(
    problem: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<Pipeline, Rejection> {
    generator.default_configuration(problem, target)
}
