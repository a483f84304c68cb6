//! Which problems differ in their sizes alone, found from the nearest on.
//!
//! Of 100,000 problems of one family thousands are near one that is asked for, and the first of them will mostly do. So they are
//! not all looked at: columns are gone through from the asked ones outwards, of each the rows, always on where the least
//! distance may be.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;

use configgen::Problem;

use super::{AsItIs, Name};
use crate::alike::{FACTOR, Near, Sizes, family};

/// Problems by what they have in common and then by their size.
#[derive(Debug, Default)]
pub(super) struct Families(HashMap<Name, BTreeMap<u64, Rows>, BuildHasherDefault<AsItIs>>);

/// The members of a family with so many columns, by their rows.
type Rows = BTreeMap<u64, Vec<Member>>;

type Member = (Sizes, Name);

/// What the sum of a few logarithms is off at most: a bound is no larger than the distance of what is behind it.
const ROUNDING: f64 = 1e-9;

impl Families {
    /// A problem that was not here yet.
    pub(super) fn add(&mut self, problem: &Problem, name: Name) {
        let shape = &problem.shape;
        let family = self.0.entry(Name::of(&family(problem))).or_default();
        let rows = family.entry(shape.reduced_size()).or_default();
        let members = rows.entry(shape.rows()).or_default();
        members.push((shape.sizes().iter().copied().collect(), name));
    }

    /// The problems that are near this one, the nearest first and equally near ones by their sizes and their texts.
    pub(super) fn near<'a>(
        &'a self,
        asked: &'a Problem,
        text: impl Fn(&Name) -> &'a str,
    ) -> impl Iterator<Item = Near<Name>> {
        let (rows, columns) = (asked.shape.rows(), asked.shape.reduced_size());
        let mut ahead = BinaryHeap::new();
        if let Some(family) = self.0.get(&Name::of(&family(asked))) {
            let [up, down] = outwards(family, columns);
            ahead.extend(step(columns, 0.0, up, Next::Columns));
            ahead.extend(step(columns, 0.0, down, Next::Columns));
        }
        std::iter::from_fn(move || {
            loop {
                match ahead.pop()?.0.next {
                    Next::Columns(at, rest) => {
                        ahead.extend(step(columns, 0.0, rest, Next::Columns));
                        let [up, down] = outwards(at.of, rows);
                        ahead.extend(step(rows, at.bound, up, Next::Rows));
                        ahead.extend(step(rows, at.bound, down, Next::Rows));
                    }
                    Next::Rows(at, rest) => {
                        ahead.extend(step(rows, at.before, rest, Next::Rows));
                        let near = |(sizes, name): &Member| Near::new(asked, sizes.clone(), *name);
                        ahead.extend(at.of.iter().filter_map(near).map(|near| {
                            let text = text(&near.of);
                            Reverse(Step {
                                bound: near.distance,
                                next: Next::Found(near, text),
                            })
                        }));
                    }
                    Next::Found(near, _) => return Some(near),
                }
            }
        })
    }
}

/// Where the search may go on: nothing behind it is nearer than its bound.
struct Step<'a> {
    bound: f64,
    next: Next<'a>,
}

enum Next<'a> {
    Columns(At<&'a Rows>, Sizewise<'a, Rows>),
    Rows(At<&'a Vec<Member>>, Sizewise<'a, Vec<Member>>),
    Found(Near<Name>, &'a str),
}

/// A place on the way outwards, and its bound; the bound of what it is in.
struct At<T> {
    of: T,
    bound: f64,
    before: f64,
}

type Sizewise<'a, T> = Box<dyn Iterator<Item = (&'a u64, &'a T)> + 'a>;

/// The sizes from this one upwards, and those below it downwards, as far as they are near.
fn outwards<T>(of: &BTreeMap<u64, T>, size: u64) -> [Sizewise<'_, T>; 2] {
    let (least, most) = (size.div_ceil(FACTOR), size.saturating_mul(FACTOR));
    [
        Box::new(of.range(size..=most)),
        Box::new(of.range(least..size).rev()),
    ]
}

/// A step to the next of these sizes.
fn step<'a, T>(
    asked: u64,
    before: f64,
    mut sizes: Sizewise<'a, T>,
    next: impl Fn(At<&'a T>, Sizewise<'a, T>) -> Next<'a>,
) -> Option<Reverse<Step<'a>>> {
    let (&size, of) = sizes.next()?;
    let doubled = (size as f64 / asked as f64).log2().abs();
    let bound = before + (doubled - ROUNDING).max(0.0);
    let at = At { of, bound, before };
    Some(Reverse(Step {
        bound,
        next: next(at, sizes),
    }))
}

impl Ord for Step<'_> {
    /// What may hold something as near goes before what is found.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_kind = || match (&self.next, &other.next) {
            (Next::Found(one, text), Next::Found(other, others)) => {
                one.compare(other).then_with(|| text.cmp(others))
            }
            (Next::Found(..), _) => Ordering::Greater,
            (_, Next::Found(..)) => Ordering::Less,
            _ => Ordering::Equal,
        };
        self.bound.total_cmp(&other.bound).then_with(by_kind)
    }
}

impl PartialOrd for Step<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Step<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Step<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of a grid that are near, in the order that sorting gives.
    #[track_caller]
    fn check(asked: &str, text: impl Fn(u32, u32) -> String) {
        let mut families = Families::default();
        let mut all = Vec::new();
        for (one, other) in (1..24).flat_map(|one| (1..24).map(move |other| (one, other))) {
            let text = text(one, other);
            let problem: Problem = text.parse().unwrap();
            families.add(&problem, Name::of(&text));
            all.push((problem, text));
        }
        let asked: Problem = asked.parse().unwrap();
        let near = all.iter().filter_map(|(problem, text)| {
            let sizes: Sizes = problem.shape.sizes().iter().copied().collect();
            Near::new(&asked, sizes, text.as_str())
        });
        let mut expected: Vec<Near<&str>> = near.collect();
        expected.sort_by(|one, other| one.compare(other).then_with(|| one.of.cmp(other.of)));
        let texts: HashMap<Name, &str> =
            (all.iter()).map(|(_, it)| (Name::of(it), &**it)).collect();
        let found = families.near(&asked, |name| texts[name]);
        let found: Vec<Near<&str>> = found
            .map(|near| Near {
                distance: near.distance,
                sizes: near.sizes,
                of: texts[&near.of],
            })
            .collect();
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
        // Of as many rows, and of the same sizes.
        check("argmax:8x6x[8]xf32", |one, other| {
            format!("argmax:{one}x{other}x[8]xf32")
        });
        check("argmax:8x[9]xf32:i32:pitch=40", |one, other| {
            format!("argmax:8x[{}]xf32:i32:pitch={}", 8 + one % 3, 40 + other)
        });
    }
}
