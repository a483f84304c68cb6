//! What is known, in memory: for who is asked thousands of times a second.
//!
//! The database is read once, and then what is written to it, whenever [`Known::follow`] is called. An answer is made when
//! the problem is read, not when it is asked for. What memory cannot tell is left to the database: problems of which a row
//! cannot be read, or that were tried without anything to serve.
//!
//! Of 100,000 problems most of what an answer takes is waiting for memory. So a problem is found by a hash of its text, and
//! nothing lies between it and the line of an answer but the list of its rows.
//!
//! `rows` is what is known of a problem and how it is read, `filter` which of all that is tuned is meant, `tuned` lists it, and `map` says
//! it in short.

mod filter;
mod map;
mod rows;
mod tuned;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use answers::lookup::Line;
use store::{Catalogue, Mark, Readable, StoreError, Ties, Unreadable};

use crate::answer::{Answer, Miss};
use crate::ladder::{Place, Request, missing};
use crate::listing::{Like, Page, Tried};
use rows::{Rows, read_at_once};

pub use filter::{Both, TunedFilter};
pub use map::{Cell, Counted, Map, Spread};
pub use tuned::{After, Sort, SortBy, Tuned, TunedPage};

/// Problems that are read at a time: no other question waits long for its turn.
const CHUNK: usize = 100;

/// The answers of a catalogue, in memory.
#[derive(Debug, Default)]
pub struct Known {
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How far the catalogue was read; none where it was not read to its end.
    mark: Option<Mark>,
    problems: HashMap<Name, Rows, BuildHasherDefault<AsItIs>>,
    /// The problems that cannot be read: where there are such, no problem is known to be new.
    unreadable: Unreadable,
}

/// A problem's name: the beginning of the BLAKE3 hash of its canonical text, so long that no two texts have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Name(u128);

impl Name {
    fn of(text: &str) -> Name {
        let hash = blake3::hash(text.as_bytes());
        let half = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        Name(u128::from_le_bytes(*half))
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0 as u64);
    }
}

/// Takes a hash for a hash.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
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

/// What is answered: a configuration is printed already.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// The configuration to use: the line of the [`Answer`].
    Found(Line),
    /// Nothing is known.
    Miss(Answer),
}

impl From<Answer> for Told {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Exact(_) => Told::Found(Line::of(&answer)),
            Answer::None(_) => Told::Miss(answer),
        }
    }
}

impl Known {
    /// Reads what was written to the catalogue since the last time; at first, and after an error, everything.
    ///
    /// # Errors
    ///
    /// What reading the catalogue returns. Where it is gone for long, nothing is answered any more.
    pub async fn follow(&self, catalogue: &dyn Catalogue) -> Result<(), StoreError> {
        let read = self.read(catalogue).await;
        if let Err(error) = &read
            && !error.fault.passes()
        {
            *self.write() = State::default();
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
            *self.write() = State::default();
        }
        for chunk in changes.problems.rows.chunks(CHUNK) {
            let read = read_at_once(catalogue, chunk, changes.mark).await?;
            let named = read.into_iter().map(|(text, rows)| (Name::of(&text), rows));
            self.write().problems.extend(named);
        }
        let mut state = self.write();
        state.unreadable.join(changes.problems.unreadable);
        state.mark = Some(changes.mark);
        Ok(())
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        // Whoever panicked had not begun to change anything.
        self.state.write().unwrap_or_else(PoisonError::into_inner)
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
    pub fn problems(&self, like: &Like, after: Option<&str>, limit: usize) -> Option<Page> {
        let state = self.state();
        state.mark?;
        let is_after = |rows: &&Rows| after.is_none_or(|after| &*rows.tried.problem > after);
        let mut meant: Vec<&Rows> = (state.problems.values())
            .filter(is_after)
            .filter(|rows| like.means(&rows.tried))
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
        let rows: Vec<Tried> = meant.into_iter().map(|rows| rows.tried.clone()).collect();
        let last = rows.last().map(|tried| tried.problem.clone());
        Some(Page {
            next: last.filter(|_| has_more),
            rows,
            unreadable,
        })
    }

    /// What [`look`](crate::look) answers, where memory tells it: none where the catalogue is to be asked. `written` is how
    /// whoever asks wrote the problem: mostly as its canonical text, which then need not be made.
    pub fn answer(&self, request: &Request, written: &str) -> Option<Told> {
        let target = request.target?;
        let state = self.state();
        let find = |text: &str| state.problems.get(&Name::of(text));
        let Some(rows) = find(written).or_else(|| find(&request.problem.to_string())) else {
            let is_new = state.mark.is_some() && state.unreadable.is_none();
            return is_new.then(|| missed(request, &[])).flatten();
        };
        let ties = Ties::ALL.iter().position(|ties| *ties == request.ties)?;
        let answers = &rows.answers[ties];
        let mut admitted = answers
            .iter()
            .filter(|row| row.target == target && request.admits(&row.device, row.generator));
        match admitted.next() {
            Some(row) => Some(Told::Found(row.answer.clone())),
            None if rows.is_whole => {
                let places: Vec<Place<'_>> = answers.iter().map(rows::Row::place).collect();
                missed(request, &places)
            }
            None => None,
        }
    }
}

/// The answer to a request of a problem that was tried in these places alone.
fn missed(request: &Request, places: &[Place<'_>]) -> Option<Told> {
    let miss = Answer::None(Miss {
        problem: request.problem.clone(),
        target: request.target,
        reason: missing(request, places)?,
        wished: false,
        unreadable: Unreadable::default(),
    });
    Some(Told::Miss(miss))
}
