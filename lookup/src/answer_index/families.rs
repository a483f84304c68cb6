//! Families of problems that differ only in their sizes, searched from the nearest on.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use configgen::Problem;

use super::{IdentityHasher, ProblemHash};
use crate::distance::{Extents, ShapeSizes, extents};
use crate::neighbour::{families, family};
use crate::neighbour_search::{Member, NeighbourSearch, SearchFamily, SortedMembers, next_size};

/// The problems by family, and in each family by sizes.
#[derive(Debug, Default)]
pub(super) struct Families(HashMap<ProblemHash, Members, BuildHasherDefault<IdentityHasher>>);

/// The members of a family.
type Members = BTreeMap<ShapeSizes, Vec<FamilyMember>>;

/// A problem, with the least size of its outermost dimension. The largest is in the map's key.
#[derive(Debug)]
struct FamilyMember {
    name: ProblemHash,
    least: u32,
}

impl Families {
    /// Adds a problem that is not in a family yet.
    pub(super) fn add(&mut self, problem: &Problem, name: ProblemHash) {
        let family = self.0.entry(ProblemHash::of(&family(problem))).or_default();
        let sizes: ShapeSizes = problem.shape.sizes().iter().copied().collect();
        let least = extents(&problem.shape).first().map_or(1, |it| *it.start());
        let members = family.entry(sizes).or_default();
        members.push(FamilyMember { name, least });
    }

    /// Iterates over the near problems, the nearest first. Equally near ones are in the order of
    /// their sizes and texts.
    pub(super) fn near<'a>(
        &'a self,
        asked: &'a Problem,
        text: impl Fn(&ProblemHash) -> &'a str + Copy + 'a,
    ) -> impl Iterator<Item = ProblemHash> {
        let families = families(asked).filter_map(|(family, is_counted)| {
            let members = self.0.get(&ProblemHash::of(&family))?;
            let rank = asked.shape.rank();
            let members = IndexedMembers {
                members,
                rank,
                text,
            };
            Some(SearchFamily {
                members,
                is_counted,
            })
        });
        NeighbourSearch::new(asked, families.collect())
    }
}

/// The members of a family, with the texts of their hashes.
struct IndexedMembers<'a, F> {
    members: &'a Members,
    rank: usize,
    text: F,
}

impl<'a, F: Fn(&ProblemHash) -> &'a str> SortedMembers<'a> for IndexedMembers<'a, F> {
    type Of = ProblemHash;

    fn dimensions(&self) -> usize {
        self.rank
    }

    fn upwards(&self, behind: &[u32], least: u32) -> Option<u32> {
        // All members with the prefix `behind` are adjacent in the order of the map.
        let (sizes, _) = self.members.range(followed(behind, least)..).next()?;
        next_size(sizes, behind)
    }

    fn downwards(&self, behind: &[u32], than: u32) -> Option<u32> {
        let (sizes, _) = self.members.range(..followed(behind, than)).next_back()?;
        next_size(sizes, behind)
    }

    fn members(&self, sizes: &[u32]) -> Vec<Member<'a, ProblemHash>> {
        let sizes: ShapeSizes = sizes.iter().copied().collect();
        let known = self.members.get(&sizes).into_iter().flatten();
        let members = known.map(|known| {
            let mut extents: Extents = sizes.iter().map(|&size| size..=size).collect();
            // The key has only the largest size of an open dimension.
            if let Some(outermost) = extents.first_mut() {
                *outermost = known.least..=*outermost.end();
            }
            Member {
                extents,
                text: (self.text)(&known.name),
                of: known.name,
            }
        });
        members.collect()
    }
}

/// Returns these sizes with one more. The result precedes all longer lists that begin with it.
fn followed(behind: &[u32], size: u32) -> ShapeSizes {
    let mut sizes: ShapeSizes = behind.iter().copied().collect();
    sizes.push(size);
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{Distance, distance};

    /// Checks that the near problems of a grid come in the order of sorting.
    #[track_caller]
    fn check(asked: &str, text: impl Fn(u32, u32) -> String) {
        let mut families = Families::default();
        let mut all = Vec::new();
        for (one, other) in (1..24).flat_map(|one| (1..24).map(move |other| (one, other))) {
            let text = text(one, other);
            let problem: Problem = text.parse().unwrap();
            families.add(&problem, ProblemHash::of(&text));
            all.push((problem, text));
        }
        let asked: Problem = asked.parse().unwrap();
        let near = all.iter().filter_map(|(problem, text)| {
            let distance = distance(&asked, problem)?;
            Some((distance, problem.shape.sizes(), text.as_str()))
        });
        let mut expected: Vec<(Distance, &[u32], &str)> = near.collect();
        expected.sort();
        let expected: Vec<&str> = expected.iter().map(|(.., text)| *text).collect();
        let texts: HashMap<ProblemHash, &str> = (all.iter())
            .map(|(_, it)| (ProblemHash::of(it), &**it))
            .collect();
        let found = families.near(&asked, |name| texts[name]);
        let found: Vec<&str> = found.map(|name| texts[&name]).collect();
        assert!(found.len() > 20, "{}", found.len());
        assert_eq!(found, expected, "{asked}");
    }

    #[test]
    fn all_that_is_near_comes_in_order() {
        for asked in ["argmax:8x[8]xf32", "argmax:5x[17]xf32", "argmax:23x[7]xf32"] {
            check(asked, |rows, columns| {
                format!("argmax:{rows}x[{columns}]xf32")
            });
        }
        // Equal numbers of rows, and equal sizes.
        check("argmax:8x6x[8]xf32", |one, other| {
            format!("argmax:{one}x{other}x[8]xf32")
        });
        check("argmax:3x5x7x2x[9]xf32", |one, other| {
            format!(
                "argmax:3x{}x{}x2x[{}]xf32",
                one % 9 + 1,
                other % 9 + 1,
                one + 2
            )
        });
        // Some of them with open counts.
        for asked in ["argmax:8x[8]xf32", "argmax:?x[11]xf32:i32:count=5..7"] {
            check(asked, |one, other| match one % 3 {
                0 => format!("argmax:?x[{other}]xf32:i32:count={one}..{}", 2 * one),
                1 => format!("argmax:?x[{other}]xf32:i32:count=1..{}", one + 1),
                _ => format!("argmax:{one}x[{other}]xf32"),
            });
        }
        check("argmax:8x[9]xf32:i32:pitch=40", |one, other| {
            format!("argmax:8x[{}]xf32:i32:pitch={}", 8 + one % 3, 40 + other)
        });
    }
}
