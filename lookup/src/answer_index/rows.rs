//! The answers of a problem, and their reading from the catalogue.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use answers::lookup::PrintedAnswer;
use configgen::{Clock, Generator, Problem, Target};
use futures_util::FutureExt as _;
use store::{
    Catalogue, Mark, ProblemSelection, Readable, Status, StoreError, StoreFault, Ties, Unreadable,
    UnreadableRow,
};

use crate::answer::{LookupAnswer, found};
use crate::ladder::ContextRef;
use crate::merit::is_behind;
use crate::neighbour::BestOfDevice;
use crate::problem_list::TriedProblem;
use crate::ranking::{Ranking, rank};

/// The limit of readings of problems that change meanwhile.
const TRIES: u32 = 5;

/// The answers of a problem.
#[derive(Debug)]
pub(super) struct Rows {
    /// The rows of each tie-break in [`Ties::ALL`], best first. Mostly both are the same, and
    /// share memory.
    pub(super) answers: [Arc<[IndexRow]>; Ties::ALL.len()],
    /// True if the rows are all that the database can answer about the problem.
    pub(super) is_whole: bool,
    /// The contexts with trials, also those without a configuration to serve.
    pub(super) tried: TriedProblem,
    /// The unreadable rows.
    pub(super) unreadable: Unreadable,
}

/// The best configuration of a device and generator for a target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IndexRow {
    pub(super) target: &'static Target,
    pub(super) device: Arc<str>,
    pub(super) generator: Generator,
    pub(super) answer: PrintedAnswer,
    pub(super) figures: Figures,
}

/// A row for a demanded tie-break.
#[derive(Debug, Clone, Copy)]
pub(super) struct TieBreakRow<'a> {
    row: &'a IndexRow,
    ties: Ties,
}

impl BestOfDevice for TieBreakRow<'_> {
    fn device(&self) -> &str {
        &self.row.device
    }

    fn generator(&self) -> Generator {
        self.row.generator
    }

    fn is_behind(&self) -> bool {
        is_behind(self.row.figures.status, self.ties)
    }

    fn line(&self) -> Option<PrintedAnswer> {
        Some(self.row.answer.clone())
    }
}

/// The numbers by which lists are sorted and filtered, and others that a printed answer lacks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub(super) time_us: f64,
    pub(super) default_time_us: Option<f64>,
    pub(super) bound_us: Option<f64>,
    pub(super) study: i64,
    pub(super) ordinal: u32,
    pub(super) clock: Clock,
    pub(super) status: Status,
    pub(super) default_status: Option<Status>,
    /// True if [`Ranking::is_best_unasked`] says so for the fold's tie-break.
    pub(super) is_best_unasked: bool,
}

impl Figures {
    pub(super) fn speedup(&self) -> Option<f64> {
        Some(self.default_time_us? / self.time_us)
    }

    /// Returns the time as a multiple of the least time that any kernel needs.
    pub(super) fn distance(&self) -> Option<f64> {
        Some(self.time_us / self.bound_us?)
    }
}

impl IndexRow {
    /// Returns whether the row may be served to a client with this tie-break.
    pub(super) fn is_served(&self, ties: Ties) -> bool {
        !self.figures.is_best_unasked || ties == Ties::Any
    }

    /// Returns the row for this tie-break, or `None` if it may not be served.
    pub(super) fn wanted(&self, ties: Ties) -> Option<TieBreakRow<'_>> {
        self.is_served(ties)
            .then_some(TieBreakRow { row: self, ties })
    }

    pub(super) fn place(&self) -> ContextRef<'_> {
        ContextRef {
            target: self.target,
            device: &self.device,
            generator: self.generator,
        }
    }
}

/// Reads the answers of these problems, which may have changed since `since`.
///
/// One reading takes several queries. If a problem changes between them, it is read again:
/// otherwise the index could have the later of two trials and lack the earlier.
pub(super) async fn read_at_once(
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
        // A problem that changes all the time is complete after the next refresh.
        if !is_torn || tries >= TRIES {
            return Ok(read);
        }
        (since, tries) = (meanwhile.mark, tries + 1);
    }
}

/// Reads the answers of these problems. A problem with an unreadable row has no answers.
async fn rows_of(
    catalogue: &dyn Catalogue,
    problems: &[Problem],
) -> Result<Vec<(String, Rows)>, StoreError> {
    if let Ok((rows, unreadable)) = whole(ranked(catalogue, problems)).await?
        && unreadable.is_none()
    {
        return Ok(rows);
    }
    // The error does not name the problem of those rows, so each problem is read alone.
    let mut all = Vec::new();
    for problem in problems {
        all.extend(alone(catalogue, problem).await?);
    }
    Ok(all)
}

/// Reads the answers of one problem.
async fn alone(
    catalogue: &dyn Catalogue,
    problem: &Problem,
) -> Result<Vec<(String, Rows)>, StoreError> {
    let problems = std::slice::from_ref(problem);
    let (mut rows, unreadable) = match whole(ranked(catalogue, problems)).await? {
        Ok(read) => read,
        Err(row) => (Vec::new(), unread(catalogue, problems, row).await?),
    };
    if unreadable.is_none() {
        return Ok(rows);
    }
    let tried = rows.pop().map(|(_, rows)| rows.tried);
    let tried = tried.unwrap_or_else(|| TriedProblem::untried(problem));
    let unsaid = Rows {
        unreadable,
        ..Rows::unsaid(tried)
    };
    Ok(vec![(problem.to_string(), unsaid)])
}

/// Awaits a reading, and turns an undecodable row or a panic into an unreadable row. One broken
/// row must neither end the process nor hide all others.
///
/// # Errors
///
/// Any fault of the database that no row causes.
async fn whole<T>(
    reading: impl Future<Output = Result<T, StoreError>>,
) -> Result<Result<T, UnreadableRow>, StoreError> {
    match AssertUnwindSafe(reading).catch_unwind().await {
        Ok(Ok(read)) => Ok(Ok(read)),
        Ok(Err(error)) => match error.fault {
            StoreFault::Undecodable(reason) => Ok(Err(UnreadableRow {
                table: "study".into(),
                id: 0,
                column: "row".into(),
                reason,
            })),
            _ => Err(error),
        },
        Err(panic) => Ok(Err(UnreadableRow::panicked("study", 0, panic.as_ref()))),
    }
}

/// Attributes an unreadable row to the first study of this problem.
async fn unread(
    catalogue: &dyn Catalogue,
    problem: &[Problem],
    row: UnreadableRow,
) -> Result<Unreadable, StoreError> {
    let studies = whole(catalogue.studies(ProblemSelection::These(problem), None)).await?;
    let first = studies
        .ok()
        .and_then(|studies| Some(studies.rows.first()?.id.0));
    let mut unreadable = Unreadable::default();
    unreadable.note::<()>(Err(UnreadableRow {
        id: first.unwrap_or_default(),
        ..row
    }));
    Ok(unreadable)
}

/// Ranks the trials of these problems, and returns the answers with the unreadable rows.
async fn ranked(
    catalogue: &dyn Catalogue,
    problems: &[Problem],
) -> Result<(Vec<(String, Rows)>, Unreadable), StoreError> {
    let studies = catalogue
        .studies(ProblemSelection::These(problems), None)
        .await?;
    let mut unreadable = studies.unreadable;
    let mut tried: HashMap<String, TriedProblem> = HashMap::new();
    let mut devices: HashMap<&str, Arc<str>> = HashMap::new();
    // Few devices occur in many studies, so all rows share one copy of each name.
    for study in &studies.rows {
        let name = study.provenance.device.as_str();
        let device = devices.entry(name).or_insert_with(|| name.into());
        let known = tried.entry(study.problem.to_string());
        let known = known.or_insert_with(|| TriedProblem::untried(&study.problem));
        known.add(study, device);
    }
    let mut answers: HashMap<String, [Vec<IndexRow>; Ties::ALL.len()]> = HashMap::new();
    for (number, ties) in Ties::ALL.into_iter().enumerate() {
        let studies = Readable {
            rows: studies.rows.clone(),
            unreadable: Unreadable::default(),
        };
        let mut rankings = rank(catalogue, studies, ties, 1).await?;
        unreadable.join(rankings.unreadable);
        (rankings.rows).sort_by(|one, other| one.compare_rankings(other, ties));
        for ranking in &rankings.rows {
            let device = devices.get(ranking.provenance.device.as_str());
            if let Some(row) = device.and_then(|device| IndexRow::new(ranking, device)) {
                // Both tie-breaks mostly share a row, so the second copy shares the memory of the
                // first.
                let known = answers.entry(ranking.problem.to_string()).or_default();
                let mut others = known.iter().flatten();
                let same = others.find(|other| **other == row).cloned();
                known[number].push(same.unwrap_or(row));
            }
        }
    }
    let rows = tried.into_iter().map(|(problem, tried)| {
        let answers = answers.remove(&problem).unwrap_or_default();
        (problem, Rows::new(tried, answers))
    });
    Ok((rows.collect(), unreadable))
}

impl Rows {
    fn new(mut tried: TriedProblem, answers: [Vec<IndexRow>; Ties::ALL.len()]) -> Rows {
        let served = answers[0].iter();
        let served = served.map(|row| (row.target.name, &row.device[..], row.generator.name()));
        let is_whole = tried.is_only(served);
        // With 100,000 problems in memory, spare capacity adds up.
        tried.places.shrink_to_fit();
        let is_same = answers.iter().all(|rows| *rows == answers[0]);
        let answers = answers.map(Arc::<[IndexRow]>::from);
        Rows {
            answers: match is_same {
                true => std::array::from_fn(|_| Arc::clone(&answers[0])),
                false => answers,
            },
            is_whole,
            tried,
            unreadable: Unreadable::default(),
        }
    }

    /// Returns rows without any answer.
    fn unsaid(tried: TriedProblem) -> Rows {
        Rows {
            is_whole: false,
            ..Rows::new(tried, Default::default())
        }
    }
}

impl IndexRow {
    fn new(ranking: &Ranking, device: &Arc<str>) -> Option<IndexRow> {
        let first = ranking.best.first()?;
        let best = found(ranking, first, Unreadable::default());
        Some(IndexRow {
            target: ranking.provenance.target,
            device: Arc::clone(device),
            generator: ranking.provenance.generator,
            figures: Figures {
                time_us: first.timing.time_us,
                default_time_us: ranking.default_time_us(),
                bound_us: ranking.bound_us,
                study: first.study.0,
                ordinal: first.trial.ordinal,
                clock: ranking.provenance.clock,
                status: first.trial.outcome.status(),
                default_status: ranking.default.as_ref().map(|trial| trial.outcome.status()),
                // Stored for the fold; `is_served` accepts every row if any index is acceptable.
                is_best_unasked: ranking.is_best_unasked(Ties::Fold),
            },
            answer: PrintedAnswer::of(&LookupAnswer::Exact(Box::new(best))),
        })
    }
}
