//! What is known, in memory: for who is asked thousands of times a second.
//!
//! The database is read once, and then what is written to it, whenever [`Known::follow`] is called. An answer is made when
//! the problem is read, not when it is asked for. What memory cannot tell is left to the database: problems of which a row
//! cannot be read, or that were tried without anything to serve.
//!
//! Of 100,000 problems most of what an answer takes is waiting for memory. So a problem is found by a hash of its text, and
//! nothing lies between it and the line of an answer but the list of its rows.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use answers::lookup::Line;
use configgen::{Generator, Problem, Target};
use store::{Catalogue, Mark, Readable, StoreError, Ties, Unreadable, Which};

use crate::answer::{Answer, Miss, found};
use crate::ladder::{Place, Request, missing};
use crate::listing::{Like, Page, Tried};
use crate::ranking::{Ranking, rank};

/// Problems that are read at a time: no other question waits long for its turn.
const CHUNK: usize = 100;

/// Times that problems are read at most which are written meanwhile.
const TRIES: u32 = 5;

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

/// What is known of a problem.
#[derive(Debug)]
struct Rows {
    /// For [`Ties::ALL`] each, in the order in which they are taken. Most lines are the same for both, and in memory once.
    answers: [Vec<Row>; Ties::ALL.len()],
    /// Whether this is all there is to say of the problem.
    is_whole: bool,
    /// Where it was tried, also without anything to serve.
    tried: Tried,
    /// What of it cannot be read.
    unreadable: Unreadable,
}

/// The best that a device and generator have for a target.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    target: &'static Target,
    device: Arc<str>,
    generator: Generator,
    answer: Line,
}

impl Row {
    fn place(&self) -> Place<'_> {
        Place {
            target: self.target,
            device: &self.device,
            generator: self.generator,
        }
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
        let since = self
            .state
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .mark;
        let changes = catalogue.changes(since).await?;
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

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        // Whoever panicked had not begun to change anything.
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of problems that are known.
    pub fn len(&self) -> usize {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.problems.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first problems that are meant, `limit` at most, in the order of their text and after this one; none where the
    /// catalogue was not read yet.
    pub fn problems(&self, like: &Like, after: Option<&str>, limit: usize) -> Option<Page> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
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
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
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
                let places: Vec<Place<'_>> = answers.iter().map(|row| row.place()).collect();
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

/// What is known of these problems, of which something may have been written since. It takes several questions; where
/// something is written between them they are asked again, or of two trials the later could be known and the earlier not.
async fn read_at_once(
    catalogue: &dyn Catalogue,
    problems: &[Problem],
    mut since: Mark,
) -> Result<Vec<(String, Rows)>, StoreError> {
    let mut tries = 1;
    loop {
        let read = rows_of(catalogue, problems).await?;
        let meanwhile = catalogue.changes(Some(since)).await?;
        let mut written = meanwhile.problems.rows.iter();
        let is_torn = written.any(|problem| problems.contains(problem));
        // Of what is written all the time the next reading gets what this one misses.
        if !is_torn || tries >= TRIES {
            return Ok(read);
        }
        (since, tries) = (meanwhile.mark, tries + 1);
    }
}

/// What is known of these problems; nothing is said of one that has a row that cannot be read.
async fn rows_of(
    catalogue: &dyn Catalogue,
    problems: &[Problem],
) -> Result<Vec<(String, Rows)>, StoreError> {
    let (rows, unreadable) = ranked(catalogue, problems).await?;
    if unreadable.is_none() {
        return Ok(rows);
    }
    // Whose rows those are is not told.
    let mut all = Vec::new();
    for problem in problems {
        let (mut rows, unreadable) = ranked(catalogue, std::slice::from_ref(problem)).await?;
        if !unreadable.is_none() {
            let tried = rows.pop().map(|(_, rows)| rows.tried);
            let tried = tried.unwrap_or_else(|| Tried::nowhere(problem));
            let unsaid = Rows {
                unreadable,
                ..Rows::unsaid(tried)
            };
            rows = vec![(problem.to_string(), unsaid)];
        }
        all.extend(rows);
    }
    Ok(all)
}

/// The same, and what of it could not be read.
async fn ranked(
    catalogue: &dyn Catalogue,
    problems: &[Problem],
) -> Result<(Vec<(String, Rows)>, Unreadable), StoreError> {
    let studies = catalogue.studies(Which::These(problems), None).await?;
    let mut unreadable = studies.unreadable;
    let mut rows: HashMap<String, Rows> = HashMap::new();
    for study in &studies.rows {
        let known = rows.entry(study.problem.to_string());
        let known = known.or_insert_with(|| Rows::unsaid(Tried::nowhere(&study.problem)));
        known.tried.add(study);
    }
    for (number, ties) in Ties::ALL.into_iter().enumerate() {
        let studies = Readable {
            rows: studies.rows.clone(),
            unreadable: Unreadable::default(),
        };
        let mut rankings = rank(catalogue, studies, ties, 1).await?;
        unreadable.join(rankings.unreadable);
        (rankings.rows).sort_by(|one, other| one.is_taken_before(other, ties));
        for ranking in &rankings.rows {
            let known = rows.get_mut(&ranking.problem.to_string());
            if let (Some(known), Some(row)) = (known, Row::new(ranking)) {
                let mut others = known.answers.iter().flatten();
                let same = others.find(|other| **other == row).cloned();
                known.answers[number].push(same.unwrap_or(row));
            }
        }
    }
    for known in rows.values_mut() {
        let served = known.answers[0].iter();
        let served = served.map(|row| (row.target.name, &row.device[..], row.generator.name()));
        known.is_whole = known.tried.is_only(served);
    }
    Ok((rows.into_iter().collect(), unreadable))
}

impl Rows {
    /// Of which nothing is said.
    fn unsaid(tried: Tried) -> Rows {
        Rows {
            answers: [const { Vec::new() }; Ties::ALL.len()],
            is_whole: false,
            tried,
            unreadable: Unreadable::default(),
        }
    }
}

impl Row {
    fn new(ranking: &Ranking) -> Option<Row> {
        let best = found(ranking, ranking.best.first()?, Unreadable::default());
        Some(Row {
            target: ranking.provenance.target,
            device: ranking.provenance.device.as_str().into(),
            generator: ranking.provenance.generator,
            answer: Line::of(&Answer::Exact(Box::new(best))),
        })
    }
}
