//! What is written into a table: of each problem of a target the answer that goes first.

use std::collections::{BTreeMap, BTreeSet};

use configgen::{Generator, Problem, Target};
use lookup_table::{NewEntry, Status as Kept, TableWriter, WriteError};
use store::{Catalogue, Status, StoreError, Ties, Unreadable};

use super::{COMPILER, TARGET, TIES, family_of, key, sizes_of};
use crate::answer::{LookupAnswer, PrintedAnswer, found};
use crate::neighbour::family;
use crate::ranking::{Ranking, all_rankings};

/// What is to be in a table.
#[derive(Debug, Clone)]
pub struct TableSelection<'a> {
    /// The ISA.
    pub target: &'static Target,
    /// The problems; all where there are none.
    pub problems: &'a [Problem],
    /// Only what was tuned on the device with this name.
    pub device: Option<&'a str>,
    /// Only kernels of this generator.
    pub generator: Option<Generator>,
    /// Which index is wanted where elements tie.
    pub ties: Ties,
}

/// A table that was made.
#[derive(Debug)]
pub struct BuiltTable {
    /// It, to be written.
    pub writer: TableWriter,
    /// How many entries it has.
    pub entries: usize,
    /// The problems that are wanted by name and that nothing is known of.
    pub missing: Vec<Problem>,
    /// What could not be read and may belong to it.
    pub unreadable: Unreadable,
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What it says makes no table.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The table of what the catalogue knows.
///
/// # Errors
///
/// What reading the catalogue returns, or that what it says makes no table.
pub async fn table(
    catalogue: &dyn Catalogue,
    wanted: &TableSelection<'_>,
) -> Result<BuiltTable, TableError> {
    let known = all_rankings(catalogue, wanted.ties, 1).await?;
    // Those of a problem are in the order in which they are taken, but for measured ones, which all go first.
    let mut best: BTreeMap<&Problem, &Ranking> = BTreeMap::new();
    for ranking in known.rows.iter().filter(|ranking| wanted.means(ranking)) {
        let known = best.entry(&ranking.problem).or_insert(ranking);
        if ranking.compare_rankings(known, wanted.ties).is_lt() {
            *known = ranking;
        }
    }
    let mut writer = TableWriter::new();
    writer.metadatum(TARGET, wanted.target.name)?;
    writer.metadatum(TIES, wanted.ties.name())?;
    let compilers = best.values().map(|ranking| {
        let made = &ranking.provenance;
        format!("{} {}", made.compiler, made.compiler_version)
    });
    let compilers: BTreeSet<String> = compilers.collect();
    let compilers: Vec<String> = compilers.into_iter().collect();
    writer.metadatum(COMPILER, &compilers.join(", "))?;
    for ranking in best.values() {
        add(&mut writer, ranking, wanted.ties)?;
    }
    let missing = wanted.problems.iter();
    let missing = missing.filter(|problem| !best.contains_key(problem));
    Ok(BuiltTable {
        writer,
        entries: best.len(),
        missing: missing.cloned().collect(),
        unreadable: known.unreadable,
    })
}

impl TableSelection<'_> {
    fn means(&self, ranking: &Ranking) -> bool {
        let made = &ranking.provenance;
        !ranking.best.is_empty()
            && made.target == self.target
            && (self.problems.is_empty() || self.problems.contains(&ranking.problem))
            && self.device.is_none_or(|wanted| wanted == made.device)
            && (self.generator).is_none_or(|wanted| wanted == made.generator)
    }
}

/// The provenance of an entry that says only that no configuration is to be used.
fn unasked(provenance: &str) -> String {
    let open = provenance.strip_suffix('}').unwrap_or(provenance);
    format!("{open},\"is_best_unasked\":true}}")
}

fn add(writer: &mut TableWriter, ranking: &Ranking, ties: Ties) -> Result<(), WriteError> {
    let Some(best) = ranking.best.first() else {
        return Ok(());
    };
    let (problem, made) = (&ranking.problem, &ranking.provenance);
    let exact = found(ranking, best, Unreadable::default());
    let kept = PrintedAnswer::of(&LookupAnswer::Exact(Box::new(exact))).extract();
    let kept = kept.expect("an exact answer has a configuration");
    let provenance = match ranking.is_best_unasked(ties) {
        true => unasked(kept.provenance()),
        false => kept.provenance().to_owned(),
    };
    // Only iree-compile reads attributes, and of a row that is split none belongs to the operation itself.
    let is_whole = best.configuration.knobs.split == 1;
    let attributes = match made.generator == Generator::IREE && is_whole {
        true => best.configuration.to_string(),
        false => String::new(),
    };
    writer.add(&NewEntry {
        key: &key(problem, made.target),
        configuration: kept.configuration(),
        attributes: &attributes,
        generator: made.generator.name(),
        status: match best.trial.outcome.status() {
            Status::Tie => Kept::Tie,
            _ => Kept::Right,
        },
        time_us: best.timing.time_us,
        default_time_us: ranking.default_time_us(),
        bound_us: ranking.bound_us,
        study: best.study.0,
        ordinal: best.trial.ordinal,
        provenance: &provenance,
        family: &family_of(&family(problem), made.target),
        sizes: &sizes_of(problem),
    })
}
