//! Layouts: the elements of the iteration space that each thread of a workgroup works on.
//!
//! Along each dimension, a workgroup's tile is a nest of five levels, from major to minor:
//! subgroups, batches, outer (always one here), lanes, elements. For L lanes, B batches and T
//! elements of one thread:
//!
//! ```text
//! position = ((subgroup * B + batch) * L + lane) * T + element    B = tile / (subgroups * L * T)
//! ```
//!
//! A batch is one round in which each lane takes T consecutive elements. The tile is
//! `partial_reduction` on a reduced dimension and `workgroup` on a parallel one. IREE clamps the
//! latter to the size of the dimension.
//!
//! This module only computes; [`crate::check`] decides if a generator can build a layout.

use std::fmt;

use arrayvec::ArrayVec;

use crate::{Basis, Configuration, Generator, MAX_RANK, Problem, Tiles};

/// One level of the nest: `count` parts, with their first elements `stride` elements apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TileLevel {
    /// The number of parts, at least 1.
    pub count: u32,
    /// The distance between the starts of neighbouring parts, in elements along the dimension.
    pub stride: u32,
}

/// A level with its part chosen by an id: part `(id / id_stride) % level.count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digit {
    /// The parts.
    pub level: TileLevel,
    /// The difference of the ids of neighbouring parts.
    pub id_stride: u32,
}

impl Digit {
    /// Returns the part that `id` belongs to.
    pub fn part(&self, id: u32) -> u32 {
        id / self.id_stride % self.level.count
    }

    /// Returns the first element, along the dimension, of the part that `id` belongs to.
    pub fn origin(&self, id: u32) -> u32 {
        self.part(id) * self.level.stride
    }
}

/// The nest of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DimensionLayout {
    /// The elements of the workgroup's tile; for a reduced dimension, of one step.
    pub tile: u32,
    /// The subgroups, by subgroup id; the outermost level.
    pub subgroup: Digit,
    /// The rounds of a subgroup over its part of the tile.
    pub batch: TileLevel,
    /// Always one part. IREE's nested layouts have this level, and no configuration here uses it.
    pub outer: TileLevel,
    /// The lanes, by lane id.
    pub lane: Digit,
    /// The consecutive elements of one thread; the innermost level, with stride 1.
    pub element: TileLevel,
}

impl DimensionLayout {
    /// Returns the position in the tile of a thread's first element.
    pub fn origin(&self, subgroup_id: u32, lane_id: u32) -> u32 {
        self.subgroup.origin(subgroup_id) + self.lane.origin(lane_id)
    }

    /// Returns the position in the tile of element `element` of batch `batch` of a thread.
    pub fn position(&self, subgroup_id: u32, batch: u32, lane_id: u32, element: u32) -> u32 {
        self.origin(subgroup_id, lane_id) + batch * self.batch.stride + element
    }
}

/// The nested layout of a configuration, one entry per dimension of the problem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The nests, outermost dimension first.
    pub dimensions: ArrayVec<DimensionLayout, MAX_RANK>,
    /// The lanes of a subgroup: thread `t` is lane `t % subgroup_size` of subgroup `t /
    /// subgroup_size`.
    pub subgroup_size: u32,
}

/// A reason why a configuration has no layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A list is shorter or longer than the problem's rank.
    #[error("{list} has {entries} entries; the problem has {rank} dimensions")]
    Rank {
        /// The name of the attribute.
        list: &'static str,
        /// Its length.
        entries: usize,
        /// The rank of the problem.
        rank: usize,
    },
    /// A basis does not name each dimension once.
    #[error("the mapping {mapping:?} of {basis} does not name each of the {rank} dimensions once")]
    Mapping {
        /// The name of the basis.
        basis: &'static str,
        /// Its mapping.
        mapping: ArrayVec<u8, MAX_RANK>,
        /// The rank of the problem.
        rank: usize,
    },
    /// A count is 0, or a subgroup has no lanes.
    #[error("{name} is 0")]
    Zero {
        /// The name of the attribute that is 0.
        name: &'static str,
    },
    /// The tile is 0 or no whole number of batches.
    #[error(
        "dimension {dimension}: the tile {tile} is not a positive multiple of {subgroups} subgroups x {lanes} lanes x \
         {thread} elements"
    )]
    Tile {
        /// The dimension.
        dimension: usize,
        /// Its tile.
        tile: u32,
        /// The subgroups along it.
        subgroups: u32,
        /// The lanes along it.
        lanes: u32,
        /// The elements of one thread along it.
        thread: u32,
    },
}

impl Layout {
    /// Returns the layout of `configuration`.
    ///
    /// Every configuration that [`crate::check`] accepts has one.
    ///
    /// # Errors
    ///
    /// Returns a [`LayoutError`] for a malformed list, and for a tile that is no multiple of its
    /// batch.
    pub fn new(
        problem: &Problem,
        generator: Generator,
        configuration: &Configuration,
    ) -> Result<Layout, LayoutError> {
        check_lists(problem.shape.rank(), configuration)?;
        let dimensions = (0..problem.shape.rank())
            .map(|d| dimension_layout(d, tile(problem, generator, configuration, d), configuration))
            .collect::<Result<_, _>>()?;
        Ok(Layout {
            dimensions,
            subgroup_size: configuration.subgroup_size,
        })
    }

    /// Returns the position in the workgroup's tile of a thread's first element, per dimension.
    ///
    /// `thread` is the linear id in the workgroup.
    pub fn origin(&self, thread: u32) -> Tiles {
        let (subgroup, lane) = (thread / self.subgroup_size, thread % self.subgroup_size);
        let origins = self.dimensions.iter().map(|d| d.origin(subgroup, lane));
        origins.collect()
    }
}

/// Prints `#iree_vector_ext.nested_layout<...>`: IREE's attribute of the nest, for one step's
/// tile.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |of: fn(&DimensionLayout) -> u32| -> Tiles { self.dimensions.iter().map(of).collect() };
        let stride = |digit: &Digit| match digit.level.count {
            // IREE writes id stride 0 for a level that is not distributed.
            1 => 0,
            _ => digit.id_stride,
        };
        let strides = |of: fn(&DimensionLayout) -> &Digit| -> Tiles {
            self.dimensions.iter().map(|d| stride(of(d))).collect()
        };
        write!(
            f,
            "#iree_vector_ext.nested_layout<subgroup_tile = {:?}, batch_tile = {:?}, outer_tile = {:?}, thread_tile = {:?}, \
             element_tile = {:?}, subgroup_strides = {:?}, thread_strides = {:?}>",
            list(|d| d.subgroup.level.count),
            list(|d| d.batch.count),
            list(|d| d.outer.count),
            list(|d| d.lane.level.count),
            list(|d| d.element.count),
            strides(|d| &d.subgroup),
            strides(|d| &d.lane),
        )
    }
}

/// Returns the tile of a workgroup along dimension `d`.
///
/// `d` must be below the length of the lists.
fn tile(problem: &Problem, generator: Generator, configuration: &Configuration, d: usize) -> u32 {
    let lowering = &configuration.lowering;
    match (problem.shape.is_reduced(d), generator.clamps_tiles()) {
        (true, _) => lowering.partial_reduction[d],
        (false, false) => lowering.workgroup[d],
        (false, true) => lowering.workgroup[d].min(problem.shape.sizes()[d]),
    }
}

fn check_lists(rank: usize, configuration: &Configuration) -> Result<(), LayoutError> {
    let lowering = &configuration.lowering;
    let lists = [
        // Every list must be as long as the rank before `tile` and `dimension_layout` index it.
        ("workgroup", lowering.workgroup.len()),
        ("partial_reduction", lowering.partial_reduction.len()),
        ("thread", lowering.thread.len()),
        ("lane_basis", lowering.lane_basis.counts.len()),
        ("subgroup_basis", lowering.subgroup_basis.counts.len()),
    ];
    if let Some(&(list, entries)) = lists.iter().find(|(_, entries)| *entries != rank) {
        return Err(LayoutError::Rank {
            list,
            entries,
            rank,
        });
    }
    // `Layout::origin` divides by the subgroup size.
    if configuration.subgroup_size == 0 {
        return Err(LayoutError::Zero {
            name: "subgroup_size",
        });
    }
    let bases = [
        ("lane_basis", &lowering.lane_basis),
        ("subgroup_basis", &lowering.subgroup_basis),
    ];
    for (name, basis) in bases {
        if !basis.is_permutation(rank) {
            return Err(LayoutError::Mapping {
                basis: name,
                mapping: basis.mapping.clone(),
                rank,
            });
        }
        if basis.counts.contains(&0) {
            return Err(LayoutError::Zero { name });
        }
    }
    Ok(())
}

fn dimension_layout(
    dimension: usize,
    tile: u32,
    configuration: &Configuration,
) -> Result<DimensionLayout, LayoutError> {
    let lowering = &configuration.lowering;
    let thread = lowering.thread[dimension].max(1);
    let lanes = lowering.lane_basis.count_along(dimension);
    let subgroups = lowering.subgroup_basis.count_along(dimension);
    // Three factors below 2^32 can overflow u64, and no tile is a multiple of such a product.
    let divides = (u64::from(subgroups) * u64::from(lanes))
        .checked_mul(u64::from(thread))
        .is_some_and(|unit| u64::from(tile).is_multiple_of(unit));
    if tile == 0 || !divides {
        return Err(LayoutError::Tile {
            dimension,
            tile,
            subgroups,
            lanes,
            thread,
        });
    }
    let part = tile / subgroups;
    let round = lanes * thread;
    let level = |count, stride| TileLevel { count, stride };
    Ok(DimensionLayout {
        tile,
        subgroup: Digit {
            level: level(subgroups, part),
            id_stride: lowering.subgroup_basis.id_stride(dimension),
        },
        batch: level(part / round, round),
        outer: level(1, round),
        lane: Digit {
            level: level(lanes, thread),
            id_stride: lowering.lane_basis.id_stride(dimension),
        },
        element: level(thread, 1),
    })
}

impl Basis {
    /// Returns the position of `id` along each of `rank` dimensions.
    ///
    /// A dimension without a digit has position 0, and a count of 0 counts as 1. An id beyond the
    /// product of the counts starts again at 0.
    pub fn position(&self, id: u32, rank: usize) -> Tiles {
        let position = |d| (id / self.id_stride(d)) % self.count_along(d).max(1);
        (0..rank.min(MAX_RANK)).map(position).collect()
    }

    /// Returns the difference between the ids of neighbours along `dimension`, saturating.
    ///
    /// It is the product of the counts behind the dimension's digit, or 1 without a digit.
    pub fn id_stride(&self, dimension: usize) -> u32 {
        let digit = self.mapping.get(dimension).map(|&digit| usize::from(digit));
        let after = digit.map_or(0, |digit| self.counts.len().saturating_sub(digit + 1));
        let counts = self.counts.iter().rev().take(after);
        counts.fold(1u32, |stride, &count| stride.saturating_mul(count.max(1)))
    }

    /// Returns whether the basis has one count per dimension and maps each of `rank` dimensions
    /// once.
    pub fn is_permutation(&self, rank: usize) -> bool {
        self.counts.len() == rank
            && self.mapping.len() == rank
            && (0..rank).all(|d| self.mapping.iter().any(|&m| usize::from(m) == d))
    }
}
