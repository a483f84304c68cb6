//! Groups: dimensions of one kind that are distributed as if they were one.
//!
//! Counts along a group are powers of two and fill its dimensions from the inside. Each dimension
//! but the outermost takes counts up to its size, rounded up to a power of two. The thread tile
//! comes first, then lanes, then subgroups. Each subgroup must have an element (native rules N7
//! and N8). Thread tiles lie on the innermost dimension alone. Batches come from the first
//! dimension that is not full.

use arrayvec::ArrayVec;

use crate::{MAX_RANK, Problem, Shape};

/// The dimensions of a group, innermost first. It is empty if there is none of its kind.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    dimensions: ArrayVec<Member, MAX_RANK>,
}

/// A dimension of a group.
#[derive(Debug, Clone, Copy)]
struct Member {
    dimension: usize,
    size: u32,
    /// The limit of the product of the counts along it.
    room: u32,
}

/// One dimension's share of a group's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DimensionCounts {
    pub(crate) dimension: usize,
    pub(crate) size: u32,
    pub(crate) thread: u32,
    pub(crate) lanes: u32,
    pub(crate) subgroups: u32,
    /// Set if batches come from this dimension.
    pub(crate) is_cut: bool,
}

/// One entry per dimension of a group, innermost first.
pub(crate) type GroupCounts = ArrayVec<DimensionCounts, MAX_RANK>;

impl DimensionCounts {
    pub(crate) fn unit(&self) -> u32 {
        self.thread * self.lanes * self.subgroups
    }

    /// Returns the largest tile of a native kernel.
    ///
    /// It reaches beyond the size by less than a unit and leaves no subgroup without an element
    /// (native rules N7 and N8). Sizes are below 2^31, and units at most 2^14.
    pub(crate) fn largest_tile(&self) -> u32 {
        let rounded_up = self.size.next_multiple_of(self.unit());
        match self.subgroups - 1 {
            0 => rounded_up,
            others => rounded_up.min(((self.size - 1) / others).saturating_mul(self.subgroups)),
        }
    }
}

impl Member {
    /// Returns the largest power of two of subgroups with `elements` each that all begin inside
    /// the size.
    fn most_subgroups(&self, elements: u32) -> u32 {
        1 << ((self.size - 1) / elements + 1).ilog2()
    }
}

impl Group {
    /// Returns the innermost reduced (or parallel) dimension with several elements, else the
    /// innermost.
    pub(crate) fn innermost(shape: &Shape, reduced: bool) -> Group {
        Group::of(shape, shape.innermost(reduced).into_iter())
    }

    /// Returns all reduced (or parallel) dimensions with several elements, else the innermost.
    pub(crate) fn all(shape: &Shape, reduced: bool) -> Group {
        let dimensions = (0..shape.rank()).rev();
        let wide = |&d: &usize| shape.is_reduced(d) == reduced && shape.sizes()[d] > 1;
        let group = Group::of(shape, dimensions.filter(wide));
        match group.is_empty() {
            true => Group::innermost(shape, reduced),
            false => group,
        }
    }

    /// Returns one group per parallel dimension larger than 1, without the innermost, innermost
    /// first.
    ///
    /// A dimension with an open count has none.
    pub(crate) fn outer(shape: &Shape) -> ArrayVec<Group, MAX_RANK> {
        let dimensions = (0..shape.rank()).rev();
        let wide = dimensions.filter(|&d| !shape.is_reduced(d) && shape.sizes()[d] > 1);
        wide.skip(1)
            .filter(|&d| !shape.is_counted(d))
            .map(|d| Group::of(shape, std::iter::once(d)))
            .collect()
    }

    /// Returns the dimensions of a map as two groups.
    ///
    /// The first are those along which an input is contiguous and the output is not. The second
    /// are all others.
    pub(crate) fn across(problem: &Problem) -> (Group, Group) {
        let shape = &problem.shape;
        let all = Group::all(shape, false);
        let innermost = all.dimensions().next();
        let along = problem.input_neighbours();
        let is_across = |d: &usize| Some(*d) != innermost && along.contains(d);
        let [across, others] = [true, false]
            .map(|wanted| Group::of(shape, all.dimensions().filter(|d| is_across(d) == wanted)));
        (across, others)
    }

    fn of(shape: &Shape, dimensions: impl Iterator<Item = usize>) -> Group {
        let mut dimensions: ArrayVec<Member, MAX_RANK> = dimensions
            .map(|dimension| {
                let size = shape.sizes()[dimension];
                let room = size.next_power_of_two();
                Member {
                    dimension,
                    size,
                    room,
                }
            })
            .collect();
        // Nothing lies outside of the outermost dimension, so it takes all remaining counts.
        if let Some(outermost) = dimensions.last_mut() {
            outermost.room = u32::MAX;
        }
        Group { dimensions }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.dimensions.is_empty()
    }

    /// Returns the dimensions, innermost first.
    pub(crate) fn dimensions(&self) -> impl Iterator<Item = usize> + Clone {
        self.dimensions.iter().map(|member| member.dimension)
    }

    /// Returns the product of the sizes, each rounded up to a power of two; 1 of none.
    pub(crate) fn rounded_size(&self) -> u64 {
        let sizes = self.dimensions.iter();
        sizes
            .map(|member| u64::from(member.size.next_power_of_two()))
            .fold(1, u64::saturating_mul)
    }

    /// Returns the size of the innermost dimension; 1 of none.
    pub(crate) fn innermost_size(&self) -> u32 {
        self.dimensions.first().map_or(1, |member| member.size)
    }

    /// Returns whether it has a single dimension.
    pub(crate) fn is_one(&self) -> bool {
        self.dimensions.len() == 1
    }

    /// Returns the largest thread tile that fits the innermost dimension; 1 of none.
    pub(crate) fn largest_thread(&self) -> u32 {
        self.dimensions.first().map_or(1, |member| member.room)
    }

    /// Returns each dimension's share of these counts, innermost first.
    ///
    /// The counts are powers of two. The thread tile is at most
    /// [`largest_thread`](Group::largest_thread).
    pub(crate) fn fill(&self, thread: u32, lanes: u32, subgroups: u32) -> GroupCounts {
        let (mut left, mut is_cut) = ([thread, lanes, subgroups], false);
        let last = self.dimensions.len().saturating_sub(1);
        let part = |(number, member): (usize, &Member)| {
            let is_last = number == last;
            let mut room = member.room;
            let mut take = |kind: usize, most: u32| {
                let taken = if is_last {
                    left[kind]
                } else {
                    left[kind].min(most.min(room))
                };
                left[kind] /= taken;
                room /= taken;
                taken
            };
            let [thread, lanes] = [0, 1].map(|kind| take(kind, u32::MAX));
            let subgroups = take(2, member.most_subgroups(thread * lanes));
            let is_first_with_room = !is_cut && (room > 1 || is_last);
            is_cut |= is_first_with_room;
            DimensionCounts {
                dimension: member.dimension,
                size: member.size,
                thread,
                lanes,
                subgroups,
                is_cut: is_first_with_room,
            }
        };
        self.dimensions.iter().enumerate().map(part).collect()
    }
}
