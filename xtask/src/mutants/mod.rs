//! `cargo xtask mutants [WORD]`: plants each mistake of a list, one at a time, and reports the
//! test that notices it.
//!
//! A *mutant* is a planted mistake, a patch with a header in `xtask/mutants/` ([`list`]). Its
//! *verdict* says if its test fails ([`verdict`]). The mutants are built in a git worktree of
//! HEAD, beside the user's own tree ([`worktree`]).

mod list;
mod verdict;
mod worktree;

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;

use crate::step;
use list::{Mutant, full_ratio};
use verdict::{Verdict, VerdictCache};
use worktree::Worktree;

/// Prints the mutants with this word in their name; all of them for an empty word.
pub(crate) fn list(word: &str) -> Result<()> {
    let mutants = list::read(word)?;
    for mutant in &mutants {
        let full = if mutant.is_full { " (--full)" } else { "" };
        println!("{}: {}", mutant.name, mutant.mistake);
        println!("    {} {}{full}", mutant.package, mutant.test);
    }
    println!("\n{}", full_ratio(&mutants));
    Ok(())
}

/// Plants each of these mutants, and reports the tests that notice them. The cache keeps verdicts
/// of the same tree and patch, so an interrupted run can continue.
///
/// # Errors
///
/// [`step::StepFailure`] if a mutant is not noticed.
pub(crate) fn run(word: &str) -> Result<()> {
    let mutants = list::read(word)?;
    let worktree = Worktree::of_head()?;
    println!("in {}, tree {}", worktree.folder(), worktree.tree());
    let mut decided = VerdictCache::read(worktree.tree())?;
    for (package, mutants) in by_package(&mutants) {
        let open: Vec<&Mutant> = mutants
            .into_iter()
            .filter(|mutant| decided.get(mutant).is_none())
            .collect();
        if open.is_empty() {
            continue;
        }
        // A test that fails without the mistake says nothing about it.
        let failing = worktree.failing_tests(package, &open)?;
        for mutant in open {
            let start = Instant::now();
            let verdict = match failing.iter().any(|test| test.contains(&mutant.test)) {
                true => Verdict::FailsAnyway,
                false => worktree.judge(mutant)?,
            };
            let seconds = start.elapsed().as_secs_f64();
            println!("{seconds:>7.1} s  {}: {verdict}", mutant.name);
            // At once, so that an interrupted run keeps it.
            decided.keep(mutant, verdict)?;
        }
    }
    println!("\n{}\n{}", table(&mutants, &decided), full_ratio(&mutants));
    let is_open = |mutant: &&Mutant| !matches!(decided.get(mutant), Some(Verdict::Noticed(_)));
    match mutants.iter().filter(is_open).count() {
        0 => Ok(()),
        count => Err(step::StepFailure(format!("{count} mistakes are not noticed")).into()),
    }
}

/// Groups the mutants by the package of their tests, since the next mutant of one package builds
/// less.
fn by_package(mutants: &[Mutant]) -> BTreeMap<&str, Vec<&Mutant>> {
    let mut groups: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        groups.entry(&mutant.package).or_default().push(mutant);
    }
    groups
}

/// Formats the number of noticed mutants of each area, and the verdicts of the others.
fn table(mutants: &[Mutant], decided: &VerdictCache) -> String {
    let mut areas: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut others = String::new();
    for mutant in mutants {
        let [noticed, all] = areas.entry(mutant.area()).or_default();
        *all += 1;
        match decided.get(mutant) {
            Some(Verdict::Noticed(_)) => *noticed += 1,
            Some(verdict) => others += &format!("{}: {verdict}\n", mutant.name),
            None => others += &format!("{}: not tried\n", mutant.name),
        }
    }
    let mut text = String::from("noticed  mutants  area\n");
    for (area, [noticed, all]) in areas {
        text += &format!("{noticed:>7}  {all:>7}  {area}\n");
    }
    text + &others
}
