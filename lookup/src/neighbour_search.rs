//! The search for the members of families that are near a problem, the nearest first.
//!
//! With 100,000 problems in one family, thousands are near the requested one, and the first of
//! them mostly suffices. The search therefore does not visit all. In each dimension it goes from
//! the requested size upwards and downwards, and always continues at the least possible distance.
//! It needs only the next size, so it works on everything with sorted sizes: memory, and a table.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use configgen::Problem;

pub(crate) use crate::distance::ShapeSizes;
use crate::distance::{Distance, Extents, FACTOR, extents};

/// The members of a family in the order of their sizes.
pub(crate) trait SortedMembers<'a> {
    /// The type of a member.
    type Of;

    /// Returns the number of sorted sizes of each member, from the outermost on.
    fn dimensions(&self) -> usize;

    /// Returns the least size from `least` on, among the members that begin with `behind`.
    fn upwards(&self, behind: &[u32], least: u32) -> Option<u32>;

    /// Returns the largest size below `than`, among the members that begin with `behind`.
    fn downwards(&self, behind: &[u32], than: u32) -> Option<u32>;

    /// Returns the members with these sizes.
    fn members(&self, sizes: &[u32]) -> Vec<Member<'a, Self::Of>>;
}

/// Returns the size after `behind`, if the sizes begin with it.
pub(crate) fn next_size(sizes: &[u32], behind: &[u32]) -> Option<u32> {
    sizes.strip_prefix(behind)?.first().copied()
}

/// A member of a family.
pub(crate) struct Member<'a, T> {
    /// All of its sizes, or those that the index has.
    pub(crate) extents: Extents,
    /// The text that distinguishes members of the same sizes.
    pub(crate) text: &'a str,
    pub(crate) of: T,
}

/// A family, with a flag: true if the outermost size of its members is the largest of a range.
pub(crate) struct SearchFamily<S> {
    pub(crate) members: S,
    pub(crate) is_counted: bool,
}

/// The search, an iterator from the nearest member on. Equally near ones are in the order of
/// their sizes and texts.
pub(crate) struct NeighbourSearch<'a, S: SortedMembers<'a>> {
    asked: &'a Problem,
    extents: Extents,
    families: Vec<SearchFamily<S>>,
    ahead: BinaryHeap<Reverse<SearchStep<'a, S::Of>>>,
}

/// A step ahead of the search: nothing behind it is nearer.
struct SearchStep<'a, T> {
    distance: Distance,
    next: SearchNode<'a, T>,
}

enum SearchNode<'a, T> {
    Size(SizeCursor),
    Found(Member<'a, T>),
}

/// A size on the way up or down.
struct SizeCursor {
    family: usize,
    /// The sizes before it, and it.
    sizes: ShapeSizes,
    /// The distance of the sizes before it.
    before: Distance,
    is_upwards: bool,
}

impl<'a, S: SortedMembers<'a>> NeighbourSearch<'a, S> {
    pub(crate) fn new(
        asked: &'a Problem,
        families: Vec<SearchFamily<S>>,
    ) -> NeighbourSearch<'a, S> {
        let mut outwards = NeighbourSearch {
            asked,
            extents: extents(&asked.shape),
            families,
            ahead: BinaryHeap::new(),
        };
        for family in 0..outwards.families.len() {
            let members = &outwards.families[family].members;
            // A table of another program may have other dimensions; then its family is left out.
            if members.dimensions() > 0 && members.dimensions() <= asked.shape.rank() {
                outwards.begin(family, &ShapeSizes::new(), Distance::NONE);
            }
        }
        outwards
    }

    /// Starts in the dimension after the sizes `behind`.
    fn begin(&mut self, family: usize, behind: &ShapeSizes, before: Distance) {
        let asked = self.extents[behind.len()].clone();
        // A member with an open count is near if its range reaches half of the requested size.
        let least = match self.is_open(family, behind.len()) {
            true => (u64::from(*asked.start()).div_ceil(FACTOR)) as u32,
            false => *asked.start(),
        };
        let members = &self.families[family].members;
        let (up, down) = (
            members.upwards(behind, least),
            members.downwards(behind, least),
        );
        self.push(family, behind, up, before, true);
        // For the largest size of a range, a lesser one is out of reach.
        if !self.is_open(family, behind.len()) {
            self.push(family, behind, down, before, false);
        }
    }

    /// Returns whether a size of this dimension is only the end of a range.
    fn is_open(&self, family: usize, dimension: usize) -> bool {
        dimension == 0 && self.families[family].is_counted
    }

    fn push(
        &mut self,
        family: usize,
        behind: &ShapeSizes,
        size: Option<u32>,
        before: Distance,
        is_upwards: bool,
    ) {
        let Some(size) = size else { return };
        let d = behind.len();
        let distance = match self.is_open(family, d) {
            // The range may contain the requested size, so it adds no distance yet.
            true => Some(before),
            false => before.and(
                self.asked.shape.is_reduced(d),
                &self.extents[d],
                &(size..=size),
            ),
        };
        let Some(distance) = distance else { return };
        let mut sizes = behind.clone();
        sizes.push(size);
        let next = SearchNode::Size(SizeCursor {
            family,
            sizes,
            before,
            is_upwards,
        });
        self.ahead.push(Reverse(SearchStep { distance, next }));
    }

    /// Continues beyond a size, and in the dimension after it.
    fn follow(&mut self, distance: Distance, mut place: SizeCursor) {
        let members = &self.families[place.family].members;
        let is_last = place.sizes.len() == members.dimensions();
        if is_last {
            for member in members.members(&place.sizes) {
                // The member's range is known only now, and with it the true distance.
                if let Some(distance) = Distance::between(&self.asked.shape, &member.extents) {
                    let next = SearchNode::Found(member);
                    self.ahead.push(Reverse(SearchStep { distance, next }));
                }
            }
        } else {
            self.begin(place.family, &place.sizes, distance);
        }
        let members = &self.families[place.family].members;
        let Some(size) = place.sizes.pop() else {
            return;
        };
        let beyond = match place.is_upwards {
            true => size
                .checked_add(1)
                .and_then(|least| members.upwards(&place.sizes, least)),
            false => members.downwards(&place.sizes, size),
        };
        self.push(
            place.family,
            &place.sizes,
            beyond,
            place.before,
            place.is_upwards,
        );
    }
}

impl<'a, S: SortedMembers<'a>> Iterator for NeighbourSearch<'a, S> {
    type Item = S::Of;

    fn next(&mut self) -> Option<S::Of> {
        loop {
            let Reverse(step) = self.ahead.pop()?;
            match step.next {
                SearchNode::Found(member) => return Some(member.of),
                SearchNode::Size(place) => self.follow(step.distance, place),
            }
        }
    }
}

fn largest(extents: &Extents) -> impl Iterator<Item = u32> {
    extents.iter().map(|extent| *extent.end())
}

impl<T> Ord for SearchStep<'_, T> {
    /// Orders steps of equal distance: one that may lead to a member goes before a member.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_kind = || match (&self.next, &other.next) {
            (SearchNode::Found(one), SearchNode::Found(other)) => {
                let by_size = largest(&one.extents).cmp(largest(&other.extents));
                by_size.then_with(|| one.text.cmp(other.text))
            }
            (SearchNode::Found(..), _) => Ordering::Greater,
            (_, SearchNode::Found(..)) => Ordering::Less,
            _ => Ordering::Equal,
        };
        self.distance.cmp(&other.distance).then_with(by_kind)
    }
}

impl<T> PartialOrd for SearchStep<'_, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for SearchStep<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for SearchStep<'_, T> {}
