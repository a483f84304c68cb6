//! The writing of a table: the preferred answer of each problem of a target.

use std::collections::{BTreeMap, BTreeSet};

use configgen::{Generator, Problem, Target};
use lookup_table::{NewEntry, Status as Kept, TableWriter, WriteError};
use store::{Catalogue, Status, StoreError, Ties, Unreadable};

use super::{COMPILER, TARGET, TIES, family_of, key, sizes_of};
use crate::answer::{LookupAnswer, PrintedAnswer, found};
use crate::neighbour::family;
use crate::ranking::{Ranking, all_rankings};

/// The selection of a table.
#[derive(Debug, Clone)]
pub struct TableSelection<'a> {
    /// The ISA.
    pub target: &'static Target,
    /// The problems; empty for all.
    pub problems: &'a [Problem],
    /// The name of the device of the trials.
    pub device: Option<&'a str>,
    /// The generator of the kernels.
    pub generator: Option<Generator>,
    /// The tie-break.
    pub ties: Ties,
}

/// A table in memory.
#[derive(Debug)]
pub struct BuiltTable {
    /// The writer of the table.
    pub writer: TableWriter,
    /// The number of entries.
    pub entries: usize,
    /// The problems of the selection without any trial to serve.
    pub missing: Vec<Problem>,
    /// The unreadable rows that may belong to the table.
    pub unreadable: Unreadable,
}

/// An error of making a table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entries make no table.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Returns the table of a selection of the catalogue.
///
/// # Errors
///
/// Any error of reading the catalogue, or entries that make no table.
pub async fn table(
    catalogue: &dyn Catalogue,
    wanted: &TableSelection<'_>,
) -> Result<BuiltTable, TableError> {
    let known = all_rankings(catalogue, wanted.ties, 1).await?;
    // The rankings of a problem are not adjacent, because all measured ones precede the modelled
    // ones.
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

/// Marks the provenance of an entry that says only that no configuration is to be used.
fn unasked(provenance: &str) -> String {
    // The provenance is a printed JSON object, so the field goes before its closing brace.
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
    // Only iree-compile reads attributes, and those of a split row do not belong to the operation
    // itself.
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
