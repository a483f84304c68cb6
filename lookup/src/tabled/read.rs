//! What the ladder finds in a table.

use configgen::{Generator, MAX_RANK, Problem, Target};
use lookup_table::{Entry, MAX_SIZES, Table};
use store::Unreadable;

use super::{TARGET, Unread, family_of, found, key};
use crate::alike::{Best, FACTOR, Near, Sizes};
use crate::answer::{Answer, Found, Line, Rung};
use crate::ladder::{Below, Request};

/// The targets that a table says it is for.
pub fn of_targets(table: &Table) -> Vec<&str> {
    let names = table.metadatum(TARGET).unwrap_or_default().split(',');
    names
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

/// Answers `request`, which names a target, from a table. Which index is wanted on ties was said when the table was made.
///
/// # Errors
///
/// That an entry is none of wavetune's.
pub fn look_in(table: &Table, request: &Request) -> Result<Answer, Unread> {
    let problem = request.problem.to_string();
    let Some(target) = request.target else {
        let reason = format!("{problem} is asked of a table for no target; name one with --target");
        return Ok(Below::new(request, reason).end(Unreadable::default()));
    };
    // 96 bits of a hash are no proof.
    let known = entry(table, &request.problem, target);
    let known = known.filter(|entry| entry.key() == key(&request.problem, target));
    let known = known.map(found).transpose()?;
    let reason = match known {
        Some(found) if request.admits(&found.provenance.device, found.generator) => {
            return Ok(Answer::Exact(Box::new(found)));
        }
        Some(ref found) => {
            let (device, generator) = (&found.provenance.device, found.generator);
            format!("{problem} is in this table for {target}, but only on {device} by {generator}")
        }
        None => format!("{problem} is not in this table for {target}"),
    };
    let mut below = Below::new(request, reason);
    if below.asks(Rung::Sibling) {
        below.sibling(known.into_iter().map(Kept));
    }
    if below.asks(Rung::Neighbour) {
        let near = near(table, request, target)?;
        below.neighbour(near.into_iter());
    }
    if below.asks(Rung::Default) {
        below.default();
    }
    Ok(below.end(Unreadable::default()))
}

/// The entry of a problem, told by its hash: see [`Table::lookup`].
pub fn entry<'t>(table: &'t Table, problem: &Problem, target: &Target) -> Option<Entry<'t>> {
    table.lookup(&key(problem, target))
}

/// What an entry says.
struct Kept(Found);

impl Best for Kept {
    fn device(&self) -> &str {
        &self.0.provenance.device
    }

    fn generator(&self) -> Generator {
        self.0.generator
    }

    /// What gives another index is in the table where nothing else was known, or any will do.
    fn is_behind(&self) -> bool {
        false
    }

    fn line(&self) -> Line {
        Line::of(&Answer::Exact(Box::new(self.0.clone())))
    }
}

/// The entries that are near, the nearest first.
fn near(
    table: &Table,
    request: &Request,
    target: &Target,
) -> Result<Vec<(Problem, Vec<Kept>)>, Unread> {
    let asked = &request.problem;
    let Some(family) = table.family(&family_of(asked, target)) else {
        return Ok(Vec::new());
    };
    // Entries stand in the order of their sizes, of which the outermost goes first.
    let outermost = u64::from(asked.shape.sizes()[0]);
    let mut near: Vec<Near<Entry<'_>>> = Vec::new();
    for place in family.place_of(&[outermost.div_ceil(FACTOR)])..family.len() {
        let (Some(sizes), Some(entry)) = (family.sizes(place), family.get(place)) else {
            break;
        };
        if sizes.first().is_none_or(|&size| size > outermost * FACTOR) {
            break;
        }
        let all = match asked.shape.rank() <= MAX_SIZES {
            true => sizes
                .iter()
                .filter_map(|&size| u32::try_from(size).ok())
                .collect(),
            false => found(entry)?
                .problem
                .shape
                .sizes()
                .iter()
                .copied()
                .collect(),
        };
        near.extend(same_rank(asked, all).and_then(|sizes| Near::new(asked, sizes, entry)));
    }
    near.sort_by(|one, other| {
        one.compare(other)
            .then_with(|| one.of.key().cmp(other.of.key()))
    });
    let mut found_near = Vec::new();
    for near in near {
        let found = found(near.of)?;
        if found.problem != *asked && request.takes(found.generator) {
            found_near.push((found.problem.clone(), vec![Kept(found)]));
        }
    }
    Ok(found_near)
}

/// These sizes, if the shape has as many.
fn same_rank(asked: &Problem, sizes: arrayvec::ArrayVec<u32, MAX_RANK>) -> Option<Sizes> {
    (sizes.len() == asked.shape.rank()).then_some(sizes)
}
