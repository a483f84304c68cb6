//! The members of families that are near a problem, the nearest first.
//!
//! Of 100,000 problems of one family thousands are near one that is asked for, and the first of them will mostly do. So they are
//! not all looked at: in each dimension it goes from the asked size outwards, always on where the least distance may be. It asks for
//! nothing but the next size, so that it does for whatever has sizes in order: memory, and a table.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use configgen::Problem;

pub(crate) use crate::distance::ShapeSizes;
use crate::distance::{Distance, Extents, FACTOR, extents};

/// The members of a family in the order of their sizes.
pub(crate) trait SortedMembers<'a> {
    /// What a member is.
    type Of;

    /// How many sizes of each member are in order: the outermost.
    fn dimensions(&self) -> usize;

    /// The least size that is this one or larger, of those that stand behind these.
    fn upwards(&self, behind: &[u32], least: u32) -> Option<u32>;

    /// The largest size that is less than this one, of those that stand behind these.
    fn downwards(&self, behind: &[u32], than: u32) -> Option<u32>;

    /// The members that have these sizes.
    fn members(&self, sizes: &[u32]) -> Vec<Member<'a, Self::Of>>;
}

/// The size that follows these, where the sizes begin with them.
pub(crate) fn next_size(sizes: &[u32], behind: &[u32]) -> Option<u32> {
    sizes.strip_prefix(behind)?.first().copied()
}

/// A member of a family.
pub(crate) struct Member<'a, T> {
    /// All of its sizes, or those that are known without a look at it.
    pub(crate) extents: Extents,
    /// Tells it from others of the same sizes.
    pub(crate) text: &'a str,
    pub(crate) of: T,
}

/// A family, and whether the outermost size of its members is the largest of a range.
pub(crate) struct SearchFamily<S> {
    pub(crate) members: S,
    pub(crate) is_counted: bool,
}

/// All that is near, from the nearest on; equally near ones by their sizes and their texts.
pub(crate) struct NeighbourSearch<'a, S: SortedMembers<'a>> {
    asked: &'a Problem,
    extents: Extents,
    families: Vec<SearchFamily<S>>,
    ahead: BinaryHeap<Reverse<SearchStep<'a, S::Of>>>,
}

/// Where the search may go on: nothing behind it is nearer.
struct SearchStep<'a, T> {
    distance: Distance,
    next: SearchNode<'a, T>,
}

enum SearchNode<'a, T> {
    Size(SizeCursor),
    Found(Member<'a, T>),
}

/// A size on the way outwards.
struct SizeCursor {
    family: usize,
    /// Those before it, and it.
    sizes: ShapeSizes,
    /// The distance of those before it.
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
            if members.dimensions() > 0 && members.dimensions() <= asked.shape.rank() {
                outwards.begin(family, &ShapeSizes::new(), Distance::NONE);
            }
        }
        outwards
    }

    /// The next dimension behind these sizes.
    fn begin(&mut self, family: usize, behind: &ShapeSizes, before: Distance) {
        let asked = self.extents[behind.len()].clone();
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
        // Where it is the largest of a range, that begins too low.
        if !self.is_open(family, behind.len()) {
            self.push(family, behind, down, before, false);
        }
    }

    /// Whether a size of this dimension says only that the range goes no further.
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

    /// Goes on beyond a size, and to what stands behind it.
    fn follow(&mut self, distance: Distance, mut place: SizeCursor) {
        let members = &self.families[place.family].members;
        let is_last = place.sizes.len() == members.dimensions();
        if is_last {
            for member in members.members(&place.sizes) {
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
    /// What may hold something as near goes before what is found.
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
