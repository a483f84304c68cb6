//! The lookup cache: an index of answers in memory, for clients that ask thousands of times per
//! second.
//!
//! [`AnswerIndex::refresh`] reads the database once, and later only its changes. It prints each
//! answer when it reads the problem, not when a client asks. The database still answers three
//! kinds of questions:
//!
//! - about problems with an unreadable row;
//! - about problems with trials but without a configuration to serve;
//! - below an exact answer, if the problem has trials on the target: the incorrect trials are not
//!   in memory.
//!
//! With 100,000 problems, waiting for memory takes most of the time of an answer. The index
//! therefore finds a problem by a hash of its text. Only a list of rows lies between the hash and
//! the printed answer.
//!
//! `rows` reads a problem's answers, and `families` finds problems that differ only in sizes.
//! `filter` selects tuned problems, `tuned_list` lists them, and `tuning_map` summarizes them.

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

/// The number of problems in one read, so that other queries do not wait long for a permit.
const CHUNK: usize = 100;

/// The answers of a catalogue, in memory.
#[derive(Debug, Default)]
pub struct AnswerIndex {
    state: RwLock<IndexState>,
}

#[derive(Debug, Default)]
struct IndexState {
    /// The position in the catalogue; `None` until it has been read to its end.
    mark: Option<Mark>,
    problems: HashMap<ProblemHash, Rows, BuildHasherDefault<IdentityHasher>>,
    families: Families,
    /// The problems with an unreadable row. One of them may be the nearest to another problem.
    incomplete: HashSet<ProblemHash, BuildHasherDefault<IdentityHasher>>,
    /// The unreadable problems. If there are any, no problem is known to be new.
    unreadable: Unreadable,
}

/// The hash of a problem: the first 128 bits of the BLAKE3 hash of its canonical text, enough to
/// exclude collisions.
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
        // Half of the hash suffices to choose a bucket; equality compares all of it.
        state.write_u64(self.0 as u64);
    }
}

/// A hasher that returns the given hash.
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

/// An answer of the index. An exact one is printed already.
#[derive(Debug, Clone, PartialEq)]
pub enum CachedAnswer {
    /// The answer for a tuned problem: the line of the [`LookupAnswer`].
    Exact(PrintedAnswer),
    /// An answer below `exact`, or none.
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
    /// Reads the changes of the catalogue since the last call. The first call, and one after an
    /// error, reads everything.
    ///
    /// # Errors
    ///
    /// Any error of reading the catalogue. Unless it is temporary, it also clears the index.
    pub async fn refresh(&self, catalogue: &dyn Catalogue) -> Result<(), StoreError> {
        let read = self.read(catalogue).await;
        // A temporary fault says nothing about the known answers, so they stay.
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
        // A list holds the read lock for long, and a waiting writer would block all readers that
        // come after it.
        if since == Some(changes.mark) && changes.problems == Readable::default() {
            return Ok(());
        }
        // Deleted rows are in no list of changes, so the index starts anew.
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
            // Printing and ranking run before the write lock is taken, so that readers wait only
            // for the insertion.
            self.write().take(chunk, &names, named);
        }
        let mut state = self.write();
        state.unreadable.join(changes.problems.unreadable);
        // Set last: after an error in between, the next call reads the same changes again.
        state.mark = Some(changes.mark);
        Ok(())
    }

    fn state(&self) -> RwLockReadGuard<'_, IndexState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, IndexState> {
        // A thread that panicked with the lock had not begun to change anything.
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the unreadable rows, the first few of each problem.
    pub fn unreadable(&self) -> Vec<UnreadableRow> {
        let state = self.state();
        let of_problems = state.problems.values().map(|rows| &rows.unreadable);
        let all = std::iter::once(&state.unreadable).chain(of_problems);
        all.flat_map(|unreadable| unreadable.first.iter().cloned())
            .collect()
    }

    /// Returns the number of problems in the index.
    pub fn len(&self) -> usize {
        let state = self.state();
        state.problems.len()
    }

    /// Returns whether the index has no problem.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns up to `limit` matching problems in the order of their texts, after `after`.
    /// Returns `None` before the catalogue has been read.
    pub fn problems(
        &self,
        like: &ProblemFilter,
        after: Option<&str>,
        limit: usize,
    ) -> Option<ProblemPage> {
        let state = self.state();
        // Before the first reading, an empty list would look complete.
        state.mark?;
        let is_after = |rows: &&Rows| after.is_none_or(|after| &*rows.tried.problem > after);
        let mut meant: Vec<&Rows> = (state.problems.values())
            .filter(is_after)
            .filter(|rows| like.matches(&rows.tried))
            .collect();
        let order = |one: &&Rows, other: &&Rows| one.tried.problem.cmp(&other.tried.problem);
        // Selecting before sorting takes linear time in the matches, and sorts only one page.
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

    /// Returns the answer of [`look`](crate::look) from memory, or `None` if only the database
    /// can tell. `written` is the client's text of the problem, mostly the canonical text.
    pub fn answer(&self, request: &LookupRequest, written: &str) -> Option<CachedAnswer> {
        let target = request.target?;
        let state = self.state();
        let find = |text: &str| state.problems.get(&ProblemHash::of(text));
        let ties = Ties::ALL.iter().position(|ties| *ties == request.ties)?;
        // The canonical text takes time to print, and is mostly what the client wrote.
        let rows = find(written).or_else(|| find(&request.problem.to_string()));
        let answers = rows.map_or(&[][..], |rows| &rows.answers[ties]);
        let here = || answers.iter().filter(|row| row.target == target);
        let mut admitted = here().filter(|row| request.admits(&row.device, row.generator));
        if let Some(row) = admitted.next() {
            // The database explains why no configuration is to be used.
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
        // A lower rung may return a configuration that was tried here and is incorrect; memory
        // does not have such trials.
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
            // An unreadable problem might be nearer than all that are in memory.
            if !state.unreadable.is_none() || !state.incomplete.is_empty() {
                return None;
            }
            below.neighbour(state.near(request, target, ties));
        }
        below.untried();
        Some(CachedAnswer::Other(below.end(Unreadable::default())))
    }
}

impl IndexState {
    /// Stores the rows read for these problems, with their hashes. Some of the problems may have
    /// no rows.
    fn take(
        &mut self,
        problems: &[Problem],
        names: &[ProblemHash],
        read: Vec<(ProblemHash, Rows)>,
    ) {
        // Decided before the insertion below, because a problem enters its family only once.
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

    /// Iterates over the near problems that have a configuration to serve on this target, the
    /// nearest first.
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
