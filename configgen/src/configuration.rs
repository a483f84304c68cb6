//! Configurations: the distribution of an iteration space over workgroups, subgroups, lanes and
//! time.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use crate::{Accumulators, Knobs, MAX_RANK};

/// One tile size per dimension of the problem, outermost first. 0 leaves the dimension
/// undistributed.
pub type Tiles = ArrayVec<u32, MAX_RANK>;

/// A distribution of ids over dimensions. Its JSON is `[[counts], [mapping]]`.
///
/// The ids are the lanes of a subgroup or the subgroups of a workgroup.
///
/// An id is delinearised over `counts`, the last count fastest, into digits. The position along
/// dimension `d` is digit `mapping[d]`. Lane 42 of `[[16, 4], [1, 0]]` has the digits (10, 2):
/// position 2 in dimension 0, position 10 in dimension 1.
///
/// IREE's documentation describes the inverse mapping: digit `j` belongs to dimension
/// `mapping[j]`. Both agree for up to two dimensions. For a cycle of three dimensions,
/// iree-compile 3.13.0 compiles only the form described above.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(
    from = "(Tiles, ArrayVec<u8, MAX_RANK>)",
    into = "(Tiles, ArrayVec<u8, MAX_RANK>)"
)]
pub struct Basis {
    /// The number of positions of each digit.
    pub counts: Tiles,
    /// The digit of each dimension.
    pub mapping: ArrayVec<u8, MAX_RANK>,
}

impl Basis {
    /// Returns a basis with one digit per dimension, in the order of the dimensions.
    pub(crate) fn in_order(counts: Tiles) -> Basis {
        let mapping = (0u8..).take(counts.len()).collect();
        Basis { counts, mapping }
    }

    /// Returns the number of positions along `dimension`, or 1 if the basis has no digit for it.
    pub fn count_along(&self, dimension: usize) -> u32 {
        let digit = self.mapping.get(dimension);
        digit
            .and_then(|&digit| self.counts.get(usize::from(digit)))
            .copied()
            .unwrap_or(1)
    }

    /// Returns the product of the counts, saturating: the number of ids with a position of their
    /// own.
    pub fn ids(&self) -> u64 {
        self.counts
            .iter()
            .fold(1, |n, &count| n.saturating_mul(u64::from(count)))
    }
}

impl From<(Tiles, ArrayVec<u8, MAX_RANK>)> for Basis {
    fn from((counts, mapping): (Tiles, ArrayVec<u8, MAX_RANK>)) -> Self {
        Basis { counts, mapping }
    }
}

impl From<Basis> for (Tiles, ArrayVec<u8, MAX_RANK>) {
    fn from(basis: Basis) -> Self {
        (basis.counts, basis.mapping)
    }
}

/// The five attributes of IREE's `#iree_gpu.lowering_config` that wavetune tunes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoweringConfig {
    /// The tile of one workgroup on the parallel dimensions; 0 on reduced ones.
    pub workgroup: Tiles,
    /// The elements of the reduced dimensions that a workgroup takes per step; 0 on parallel
    /// ones.
    pub partial_reduction: Tiles,
    /// The consecutive elements of one thread; 0 counts as 1.
    pub thread: Tiles,
    /// The lanes of a subgroup over the dimensions.
    pub lane_basis: Basis,
    /// The subgroups of a workgroup over the dimensions.
    pub subgroup_basis: Basis,
}

/// A complete configuration: lowering configuration, subgroup and workgroup sizes, and knobs.
///
/// Its JSON is one flat object; an unknown key is an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Flat", into = "Flat")]
pub struct Configuration {
    /// The five attributes.
    pub lowering: LoweringConfig,
    /// The lanes of a subgroup: 32 or 64.
    pub subgroup_size: u32,
    /// The threads of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// The options that IREE's attribute cannot express.
    pub knobs: Knobs,
}

/// The JSON form of [`Configuration`]. The order of the fields is the printed order.
#[derive(Clone, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with the keys of a configuration"
)]
struct Flat {
    workgroup: Tiles,
    partial_reduction: Tiles,
    thread: Tiles,
    lane_basis: Basis,
    subgroup_basis: Basis,
    subgroup_size: u32,
    workgroup_size: [u32; 3],
    // JSON omits default knobs, so that JSON without knobs stays valid.
    #[serde(default = "default_split", skip_serializing_if = "is_default_split")]
    split: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lazy_index: bool,
    #[serde(default, skip_serializing_if = "is_default_accumulators")]
    accumulators: Accumulators,
}

fn default_split() -> u32 {
    Knobs::DEFAULT.split
}

fn is_default_accumulators(accumulators: &Accumulators) -> bool {
    *accumulators == Knobs::DEFAULT.accumulators
}

fn is_default_split(split: &u32) -> bool {
    *split == Knobs::DEFAULT.split
}

impl From<Flat> for Configuration {
    fn from(flat: Flat) -> Self {
        Configuration {
            lowering: LoweringConfig {
                workgroup: flat.workgroup,
                partial_reduction: flat.partial_reduction,
                thread: flat.thread,
                lane_basis: flat.lane_basis,
                subgroup_basis: flat.subgroup_basis,
            },
            subgroup_size: flat.subgroup_size,
            workgroup_size: flat.workgroup_size,
            knobs: Knobs {
                split: flat.split,
                lazy_index: flat.lazy_index,
                accumulators: flat.accumulators,
            },
        }
    }
}

impl From<Configuration> for Flat {
    fn from(configuration: Configuration) -> Self {
        let lowering = configuration.lowering;
        Flat {
            workgroup: lowering.workgroup,
            partial_reduction: lowering.partial_reduction,
            thread: lowering.thread,
            lane_basis: lowering.lane_basis,
            subgroup_basis: lowering.subgroup_basis,
            subgroup_size: configuration.subgroup_size,
            workgroup_size: configuration.workgroup_size,
            split: configuration.knobs.split,
            lazy_index: configuration.knobs.lazy_index,
            accumulators: configuration.knobs.accumulators,
        }
    }
}
