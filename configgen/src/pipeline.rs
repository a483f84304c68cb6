//! The pipelines of IREE, with their configurations. Native kernels have the first one.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Configuration, Tiles};

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
