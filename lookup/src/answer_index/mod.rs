//! What is known, in memory: for who is asked thousands of times a second.
//!
//! The database is read once, and then what is written to it, whenever [`Known::follow`] is called. An answer is made when
//! the problem is read, not when it is asked for. What memory cannot tell is left to the database: problems of which a row
//! cannot be read, or that were tried without anything to serve; and what is to be had below an exact answer where the problem was
//! tried for the target, since the trials that were wrong are not in memory.
//!
//! Of 100,000 problems most of what an answer takes is waiting for memory. So a problem is found by a hash of its text, and
//! nothing lies between it and the line of an answer but the list of its rows.
//!
//! `rows` is what is known of a problem and how it is read, `families` which problems differ in their sizes alone, `filter` which of all that is tuned is meant, `tuned` lists it, and `map` says
//! it in short.

mod families;
mod filter;
mod rows;
mod tuned_list;
mod tuning_map;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use answers::lookup::{PrintedAnswer, Rung};
use configgen::{Problem, Target};
use store::{Catalogue, Mark, Readable, StoreError, Ties, Unreadable, UnreadableRow};

use crate::answer::LookupAnswer;
use crate::ladder::{ContextRef, FallbackLadder, LookupRequest, missing};
use crate::neighbour::RefusedConfigurations;
use crate::problem_list::{ProblemFilter, ProblemPage, TriedProblem};
use families::Families;
use rows::{IndexRow, Rows, TieBreakRow, read_at_once};

pub use filter::{ClockCounts, TunedFilter};
pub use tuned_list::{PageCursor, Sort, SortBy, TunedEntry, TunedPage};
pub use tuning_map::{NameCount, Spread, TuningMap, TuningMapCell};

/// Problems that are read at a time: no other question waits long for its turn.
const CHUNK: usize = 100;

/// The answers of a catalogue, in memory.
#[derive(Debug, Default)]
pub struct AnswerIndex {
    state: RwLock<IndexState>,
}

#[derive(Debug, Default)]
struct IndexState {
    /// How far the catalogue was read; none where it was not read to its end.
    mark: Option<Mark>,
    problems: HashMap<ProblemHash, Rows, BuildHasherDefault<IdentityHasher>>,
    families: Families,
    /// The problems of which a row cannot be read. What is near others may be one of these.
    incomplete: HashSet<ProblemHash, BuildHasherDefault<IdentityHasher>>,
    /// The problems that cannot be read: where there are such, no problem is known to be new.
    unreadable: Unreadable,
}

/// A problem's name: the beginning of the BLAKE3 hash of its canonical text, so long that no two texts have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProblemHash(u128);

impl ProblemHash {
    fn of(text: &str) -> ProblemHash {
        let hash = blake3::hash(text.as_bytes());
        let half = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        ProblemHash(u128::from_le_bytes(*half))
    }
}

impl Hash for ProblemHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0 as u64);
    }
}

/// Takes a hash for a hash.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("names are hashes already")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// What is answered: an exact answer is printed already.
#[derive(Debug, Clone, PartialEq)]
pub enum CachedAnswer {
    /// This very problem was tuned: the line of the [`Answer`].
    Exact(PrintedAnswer),
    /// It was not.
    Other(LookupAnswer),
}

impl From<LookupAnswer> for CachedAnswer {
    fn from(answer: LookupAnswer) -> Self {
        match answer {
            LookupAnswer::Exact(_) => CachedAnswer::Exact(PrintedAnswer::of(&answer)),
            other => CachedAnswer::Other(other),
        }
    }
}

impl AnswerIndex {
    /// Reads what was written to the catalogue since the last time; at first, and after an error, everything.
    ///
    /// # Errors
    ///
    /// What reading the catalogue returns. Where it is gone for long, nothing is answered any more.
    pub async fn refresh(&self, catalogue: &dyn Catalogue) -> Result<(), StoreError> {
        let read = self.read(catalogue).await;
        if let Err(error) = &read
            && !error.fault.passes()
        {
            *self.write() = IndexState::default();
        }
        read
    }

    async fn read(&self, catalogue: &dyn Catalogue) -> Result<(), StoreError> {
        let since = self.state().mark;
        let changes = catalogue.changes(since).await?;
        // Who asks for a list looks at all of memory, and whoever comes to write has all others wait for that.
        if since == Some(changes.mark) && changes.problems == Readable::default() {
            return Ok(());
        }
        if changes.is_all {
            *self.write() = IndexState::default();
        }
        for chunk in changes.problems.rows.chunks(CHUNK) {
            let read = read_at_once(catalogue, chunk, changes.mark).await?;
            let named = read
                .into_iter()
                .map(|(text, rows)| (ProblemHash::of(&text), rows));
            let named: Vec<(ProblemHash, Rows)> = named.collect();
            let names = chunk
                .iter()
                .map(|problem| ProblemHash::of(&problem.to_string()));
            let names: Vec<ProblemHash> = names.collect();
            self.write().take(chunk, &names, named);
        }
        let mut state = self.write();
        state.unreadable.join(changes.problems.unreadable);
        state.mark = Some(changes.mark);
        Ok(())
    }

    fn state(&self) -> RwLockReadGuard<'_, IndexState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, IndexState> {
        // Whoever panicked had not begun to change anything.
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What could not be read, of each problem the first few rows.
    pub fn unreadable(&self) -> Vec<UnreadableRow> {
        let state = self.state();
        let of_problems = state.problems.values().map(|rows| &rows.unreadable);
        let all = std::iter::once(&state.unreadable).chain(of_problems);
        all.flat_map(|unreadable| unreadable.first.iter().cloned())
            .collect()
    }

    /// The number of problems that are known.
    pub fn len(&self) -> usize {
        let state = self.state();
        state.problems.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first problems that are meant, `limit` at most, in the order of their text and after this one; none where the
    /// catalogue was not read yet.
    pub fn problems(
        &self,
        like: &ProblemFilter,
        after: Option<&str>,
        limit: usize,
    ) -> Option<ProblemPage> {
        let state = self.state();
        state.mark?;
        let is_after = |rows: &&Rows| after.is_none_or(|after| &*rows.tried.problem > after);
        let mut meant: Vec<&Rows> = (state.problems.values())
            .filter(is_after)
            .filter(|rows| like.matches(&rows.tried))
            .collect();
        let order = |one: &&Rows, other: &&Rows| one.tried.problem.cmp(&other.tried.problem);
        let has_more = meant.len() > limit;
        if has_more {
            meant.select_nth_unstable_by(limit, order);
            meant.truncate(limit);
        }
        meant.sort_unstable_by(order);
        let mut unreadable = state.unreadable.clone();
        for rows in &meant {
            unreadable.join(rows.unreadable.clone());
        }
        let rows: Vec<TriedProblem> = meant.into_iter().map(|rows| rows.tried.clone()).collect();
        let last = rows.last().map(|tried| tried.problem.clone());
        Some(ProblemPage {
            next: last.filter(|_| has_more),
            rows,
            unreadable,
        })
    }

    /// What [`look`](crate::look) answers, where memory tells it: none where the catalogue is to be asked. `written` is how
    /// whoever asks wrote the problem: mostly as its canonical text, which then need not be made.
    pub fn answer(&self, request: &LookupRequest, written: &str) -> Option<CachedAnswer> {
        let target = request.target?;
        let state = self.state();
        let find = |text: &str| state.problems.get(&ProblemHash::of(text));
        let ties = Ties::ALL.iter().position(|ties| *ties == request.ties)?;
        let rows = find(written).or_else(|| find(&request.problem.to_string()));
        let answers = rows.map_or(&[][..], |rows| &rows.answers[ties]);
        let here = || answers.iter().filter(|row| row.target == target);
        let mut admitted = here().filter(|row| request.admits(&row.device, row.generator));
        if let Some(row) = admitted.next() {
            // That nothing is to be used is told by the database.
            let is_served = row.is_served(request.ties);
            return is_served.then(|| CachedAnswer::Exact(row.answer.clone()));
        }
        let is_known = match rows {
            Some(rows) => rows.is_whole,
            None => state.mark.is_some() && state.unreadable.is_none(),
        };
        if !is_known {
            return None;
        }
        // A rung below may have a configuration that was tried here, and is wrong.
        let is_here = |rows: &Rows| rows.tried.places.iter().any(|it| it.target == target);
        if request.at_least > Rung::Exact && rows.is_some_and(is_here) {
            return None;
        }
        let places: Vec<ContextRef<'_>> = answers.iter().map(IndexRow::place).collect();
        let refused = RefusedConfigurations::default();
        let mut below = FallbackLadder::new(request, &refused, missing(request, &places)?);
        if below.asks(Rung::Sibling) {
            below.sibling(here().filter_map(|row| row.wanted(request.ties)));
        }
        if below.asks(Rung::Neighbour) {
            if !state.unreadable.is_none() || !state.incomplete.is_empty() {
                return None;
            }
            below.neighbour(state.near(request, target, ties));
        }
        if below.asks(Rung::Default) {
            below.default();
        }
        Some(CachedAnswer::Other(below.end(Unreadable::default())))
    }
}

impl IndexState {
    /// What was read of these problems, whose names these are. Of some of them nothing may be known.
    fn take(
        &mut self,
        problems: &[Problem],
        names: &[ProblemHash],
        read: Vec<(ProblemHash, Rows)>,
    ) {
        let is_new = |name: &ProblemHash| !self.problems.contains_key(name);
        let new: Vec<bool> = names.iter().map(is_new).collect();
        for (name, rows) in read {
            match rows.unreadable.is_none() {
                true => self.incomplete.remove(&name),
                false => self.incomplete.insert(name),
            };
            self.problems.insert(name, rows);
        }
        for ((problem, name), is_new) in problems.iter().zip(names).zip(new) {
            if is_new && self.problems.contains_key(name) {
                self.families.add(problem, *name);
            }
        }
    }

    /// The problems near the one that is asked for that have something to serve on this target, the nearest first.
    fn near<'a>(
        &'a self,
        request: &'a LookupRequest,
        target: &'a Target,
        ties: usize,
    ) -> impl Iterator<Item = (Problem, Vec<TieBreakRow<'a>>)> {
        let text = |name: &ProblemHash| {
            let rows = self.problems.get(name);
            rows.map_or("", |rows| &rows.tried.problem)
        };
        let near = self.families.near(&request.problem, text);
        near.filter_map(move |near| {
            let rows = self.problems.get(&near)?;
            let answers = rows.answers[ties].iter();
            let here = answers.filter(|row| row.target == target && request.takes(row.generator));
            let here: Vec<TieBreakRow<'_>> =
                here.filter_map(|row| row.wanted(request.ties)).collect();
            let problem: Problem = rows.tried.problem.parse().ok()?;
            (problem != request.problem && !here.is_empty()).then_some((problem, here))
        })
    }
}
