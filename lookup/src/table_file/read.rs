//! The ladder's answers from a table.

use configgen::{Generator, Problem, Target};
use lookup_table::{EntryRef, FamilyRef, MAX_SIZES, Status, Table};
use store::{Ties, Unreadable};

use super::{TARGET, family_of, found_configuration, is_best_unasked, key, ties};
use crate::answer::{FoundConfiguration, LookupAnswer, PrintedAnswer, Rung};
use crate::distance::{Extents, extents};
use crate::ladder::{FallbackLadder, LookupRequest, unasked};
use crate::neighbour::{BestOfDevice, RefusedConfigurations, families};
use crate::neighbour_search::{self, Member, NeighbourSearch, SortedMembers};

/// Returns the names of a table's targets, from its metadata.
pub fn of_targets(table: &Table) -> Vec<&str> {
    let names = table.metadatum(TARGET).unwrap_or_default().split(',');
    names
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

/// Answers `request` from a table.
///
/// The table was made for one tie-break, and has no incorrect trials. The answer counts the
/// entries that this build cannot read, and leaves them out.
pub fn answer_from_table(table: &Table, request: &LookupRequest) -> LookupAnswer {
    let problem = request.problem.to_string();
    let refused = RefusedConfigurations::default();
    let mut unreadable = Unreadable::default();
    let Some(target) = request.target else {
        let reason = format!("the lookup of {problem} has no target; name one with --target");
        return FallbackLadder::new(request, &refused, reason).end(unreadable);
    };
    // A table finds a key by 96 bits of its hash, so the key itself must be compared.
    let entry = entry(table, &request.problem, target);
    let entry = entry.filter(|entry| entry.key() == key(&request.problem, target));
    let known = entry.and_then(|entry| unreadable.note(found_configuration(entry)));
    let is_unasked = entry.is_some_and(is_best_unasked);
    let reason = match (&known, entry) {
        (Some(found), _)
            if is_unasked && request.admits(&found.provenance.device, found.generator) =>
        {
            let (time, device) = (found.default_time_us, &found.provenance.device);
            let unless = "a table that was exported with --ties any";
            let reason = unasked(found.generator, time, found.clock, device, unless);
            return FallbackLadder::new(request, &refused, reason).end(unreadable);
        }
        (Some(found), _) if request.admits(&found.provenance.device, found.generator) => {
            return LookupAnswer::Exact(Box::new(found.clone()));
        }
        (Some(found), _) => {
            let (device, generator) = (&found.provenance.device, found.generator);
            format!("{problem} is in this table for {target}, but only on {device} by {generator}")
        }
        (None, Some(_)) => {
            format!("{problem} is in this table for {target}, in an entry that cannot be read")
        }
        (None, None) => format!("{problem} is not in this table for {target}"),
    };
    let mut below = FallbackLadder::new(request, &refused, reason);
    if below.asks(Rung::Sibling) {
        let served = known.filter(|_| !is_unasked);
        below.sibling(served.into_iter().map(EntryAnswer));
    }
    if below.asks(Rung::Neighbour) {
        let near = |status| near(table, request, target, status);
        let all: Box<dyn Iterator<Item = EntryRef<'_>>> = match ties(table) {
            Ties::Any => Box::new(near(None)),
            // Entries with another tie-break come only after all others.
            Ties::Fold => Box::new(near(Some(Status::Right)).chain(near(Some(Status::Tie)))),
        };
        let all = all.filter_map(|entry| unreadable.note(found_configuration(entry)));
        below.neighbour(all.map(|found| (found.problem.clone(), vec![EntryAnswer(found)])));
    }
    below.untried();
    below.end(unreadable)
}

/// Returns the entry with the hash of a problem: see [`Table::lookup`].
pub fn entry<'t>(table: &'t Table, problem: &Problem, target: &Target) -> Option<EntryRef<'t>> {
    table.lookup(&key(problem, target))
}

/// The answer in an entry.
struct EntryAnswer(FoundConfiguration);

impl BestOfDevice for EntryAnswer {
    fn device(&self) -> &str {
        &self.0.provenance.device
    }

    fn generator(&self) -> Generator {
        self.0.generator
    }

    /// Returns false, because the entries come in the order of preference.
    fn is_behind(&self) -> bool {
        false
    }

    fn line(&self) -> Option<PrintedAnswer> {
        Some(PrintedAnswer::of(&LookupAnswer::Exact(Box::new(
            self.0.clone(),
        ))))
    }
}

/// Iterates over the near entries with this status, or with any, of the requested generator, the
/// nearest first.
fn near<'t>(
    table: &'t Table,
    request: &'t LookupRequest,
    target: &'t Target,
    status: Option<Status>,
) -> impl Iterator<Item = EntryRef<'t>> {
    let asked = &request.problem;
    let families = families(asked).filter_map(|(family, is_counted)| {
        let family = table.family(&family_of(&family, target))?;
        let dimensions = asked.shape.rank().min(MAX_SIZES);
        let members = TableMembers {
            family,
            // A table of another program may have another number of dimensions.
            dimensions: (family.dimensions() == dimensions).then_some(dimensions),
            is_told: !is_counted && asked.shape.rank() <= MAX_SIZES,
        };
        Some(neighbour_search::SearchFamily {
            members,
            is_counted,
        })
    });
    let own = key(asked, target);
    let near = NeighbourSearch::new(asked, families.collect());
    near.filter(move |entry| {
        status.is_none_or(|status| entry.status() == status)
            && entry.key() != own
            && !is_best_unasked(*entry)
            && (request.generator).is_none_or(|wanted| wanted.name() == entry.generator())
    })
}

/// The members of a family in a table, found by their sizes.
struct TableMembers<'t> {
    family: FamilyRef<'t>,
    dimensions: Option<usize>,
    /// True if the sizes determine an entry's distance.
    is_told: bool,
}

impl TableMembers<'_> {
    /// Returns the sizes of the entry at `place`, up to the first that is no size of a problem.
    fn at(&self, place: usize) -> Option<neighbour_search::ShapeSizes> {
        let sizes = self.family.sizes(place)?;
        // Another program may have written sizes beyond 32 bits.
        let sizes = sizes.iter().map_while(|&size| u32::try_from(size).ok());
        Some(sizes.collect())
    }

    fn place_of(&self, behind: &[u32], size: u32) -> usize {
        let sizes = behind.iter().chain([&size]).copied().map(u64::from);
        self.family.place_of(&sizes.collect::<Vec<u64>>())
    }
}

impl<'t> SortedMembers<'t> for TableMembers<'t> {
    type Of = EntryRef<'t>;

    fn dimensions(&self) -> usize {
        self.dimensions.unwrap_or_default()
    }

    fn upwards(&self, behind: &[u32], least: u32) -> Option<u32> {
        neighbour_search::next_size(&self.at(self.place_of(behind, least))?, behind)
    }

    fn downwards(&self, behind: &[u32], than: u32) -> Option<u32> {
        let place = self.place_of(behind, than).checked_sub(1)?;
        neighbour_search::next_size(&self.at(place)?, behind)
    }

    fn members(&self, sizes: &[u32]) -> Vec<Member<'t, EntryRef<'t>>> {
        let Some((last, behind)) = sizes.split_last() else {
            return Vec::new();
        };
        let begin = self.place_of(behind, *last);
        let places = (begin..self.family.len()).map_while(|place| {
            let is_one = self.at(place)?.as_slice() == sizes;
            self.family.get(place).filter(|_| is_one)
        });
        let members = places.map(|entry| Member {
            extents: match self.is_told {
                true => known(sizes),
                false => problem(entry).map_or_else(|| known(sizes), |it| extents(&it.shape)),
            },
            text: entry.key(),
            of: entry,
        });
        members.collect()
    }
}

fn known(sizes: &[u32]) -> Extents {
    sizes.iter().map(|&size| size..=size).collect()
}

/// Returns the problem of an entry; `None` if this build cannot read it.
fn problem(entry: EntryRef<'_>) -> Option<Problem> {
    let (problem, _) = entry.key().split_once('\0')?;
    problem.parse().ok()
}
