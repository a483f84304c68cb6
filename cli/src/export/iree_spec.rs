//! `wavetune export iree-spec`: what is known, as the file that iree-compile takes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ::lookup::advice;
use ::lookup::spec::{Entry, F64_OPTION, Spec};
use ::lookup::{Ranking, all_rankings, is_behind, is_served};
use anyhow::{Context, bail};
use clap::Args;
use configgen::{ElementType, Generator, Problem, Target};
use store::{ANOTHER_INDEX, Status, Ties};

use crate::Exit;
use crate::comparator::ComparatorFile;
use crate::database::{Database, block_on};
use crate::inputs;
use crate::names::targets;
use crate::output::{print, tell_unreadable};
use crate::ties::TiesArgument;

/// Write a tuning spec for iree-compile (--iree-codegen-tuning-spec-path).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Problems to export [default: all that were tuned with --generator iree].
    problems: Vec<String>,
    #[command(flatten)]
    comparator: ComparatorFile,
    /// The ISA; a spec is for one.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    /// Only what was tuned on this device.
    #[arg(long)]
    device: Option<String>,
    /// Only what was tuned with this version of iree-compile; a spec is for one.
    #[arg(long)]
    compiler_version: Option<String>,
    #[command(flatten)]
    ties: TiesArgument,
    #[command(flatten)]
    database: Database,
    /// File to write [default: standard output].
    #[arg(long, short)]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Exit codes: 0 written, 1 nothing to write, 2 error.

Examples:
  wavetune tune 'argmax:4x[4096]xf32' --generator iree --budget 32
  wavetune export iree-spec --target gfx942 --output spec.mlir
  iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942 \\
    --iree-codegen-tuning-spec-path=spec.mlir in.mlir -o out.vmfb";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let target = arguments.target;
    let problems = inputs::problems(&arguments.problems, None, &arguments.comparator)?;
    let ties = arguments.ties.index;
    let known = block_on(async {
        let store = arguments.database.open_existing().await?;
        let rankings = all_rankings(&*store, ties, 1).await?;
        store.close().await;
        Ok(rankings)
    })?;
    tell_unreadable(&known.unreadable);
    let rankings: Vec<Ranking> = known
        .rows
        .into_iter()
        .filter(|ranking| {
            ranking.provenance.target == target && ranking.provenance.generator == Generator::IREE
        })
        .filter(|ranking| problems.is_empty() || problems.contains(&ranking.problem))
        .filter(|ranking| {
            arguments
                .device
                .as_ref()
                .is_none_or(|device| *device == ranking.provenance.device)
        })
        .filter(|ranking| {
            let version = &ranking.provenance.compiler_version;
            arguments
                .compiler_version
                .as_ref()
                .is_none_or(|wanted| wanted == version)
        })
        .collect();
    let missing = problems
        .iter()
        .find(|problem| !rankings.iter().any(|r| r.problem == **problem));
    if let Some(problem) = missing {
        eprintln!(
            "no iree configuration of {problem} is known for {target} with these options; {}",
            advice(arguments, target, problem)
        );
        return Ok(Exit::NotFound);
    }
    let known = rankings.len();
    let is_new = |ranking: &Ranking| gains(ranking, ties);
    let rankings: Vec<Ranking> = rankings.into_iter().filter(is_new).collect();
    if rankings.len() < known {
        eprintln!(
            "left out: {} that IREE's own default is as good as",
            known - rankings.len()
        );
    }
    let Some(compiler) = only_compiler(&rankings)? else {
        let advice = match known {
            0 => advice(arguments, target, &EXAMPLE.parse()?),
            _ => "IREE's own default is as fast as all that is known".to_owned(),
        };
        eprintln!("nothing to export for {target} with these options; {advice}");
        return Ok(Exit::NotFound);
    };
    let best = best_of_each(&rankings, ties);
    let provenances: Vec<String> = best.iter().map(|ranking| provenance(ranking)).collect();
    let entries: Vec<Entry<'_>> = best
        .iter()
        .zip(&provenances)
        .map(|(ranking, provenance)| Entry {
            problem: &ranking.problem,
            configuration: &ranking.best[0].configuration,
            provenance,
        })
        .collect();
    let spec = Spec::new(target, &compiler, &entries)?.to_string();
    match &arguments.output {
        None => print(&spec)?,
        Some(path) => {
            std::fs::write(path, spec)
                .with_context(|| format!("cannot write {}", path.display()))?;
            eprintln!(
                "{} configurations for {target} in {}",
                entries.len(),
                path.display()
            );
        }
    }
    let of_f64 = |entry: &&Entry<'_>| entry.problem.element == ElementType::F64;
    match entries.iter().filter(of_f64).count() {
        0 => {}
        count => eprintln!("{count} of f64, which matches with {F64_OPTION} only"),
    }
    Ok(Exit::Found)
}

/// Whether the best configuration beats the default: IREE needs no spec for what it does anyway. One that is right beats one
/// that gives another index on ties, however fast that is, unless any index will do.
fn gains(ranking: &Ranking, ties: Ties) -> bool {
    let served = |status: &Status| is_served(*status, ranking.provenance.generator);
    let default = ranking.default.as_ref().map(|it| it.outcome.status());
    let best_is_behind = is_behind(ranking.best[0].trial.outcome.status(), ties);
    match default.filter(served).map(|it| is_behind(it, ties)) {
        Some(is_default_behind) if is_default_behind != best_is_behind => is_default_behind,
        _ => ranking.speedup().is_none_or(|factor| factor > 1.0),
    }
}

/// A problem that the generator takes, for advice where none is named.
const EXAMPLE: &str = "argmax:4x[4096]xf32";

/// What finds a configuration of a problem, or why nothing does.
fn advice(arguments: &Arguments, target: &Target, problem: &Problem) -> String {
    let device = arguments.device.as_deref();
    let compiler = match &arguments.compiler_version {
        Some(_) => ", with the iree-compile that `wavetune doctor` shows",
        None => "",
    };
    match advice::tune(problem, target, device, Generator::IREE) {
        Ok(command) => format!("`{command}` finds one{compiler}"),
        Err(reason) => reason,
    }
}

/// The compiler that all rankings were made with; none if there are no rankings.
fn only_compiler(rankings: &[Ranking]) -> anyhow::Result<Option<String>> {
    let versions: BTreeSet<&str> = rankings
        .iter()
        .map(|ranking| ranking.provenance.compiler_version.as_str())
        .collect();
    if versions.len() > 1 {
        let versions = versions.into_iter().collect::<Vec<_>>().join("\", \"");
        bail!(
            "configurations of several compilers are known; choose with --compiler-version: \"{versions}\""
        );
    }
    let first = rankings.first().map(|ranking| &ranking.provenance);
    Ok(first.map(|made| format!("{} {}", made.compiler, made.compiler_version)))
}

/// Of each problem the ranking to trust.
fn best_of_each(rankings: &[Ranking], ties: Ties) -> Vec<&Ranking> {
    let mut best: BTreeMap<&Problem, &Ranking> = BTreeMap::new();
    for ranking in rankings {
        let known = best.entry(&ranking.problem).or_insert(ranking);
        if ranking.is_taken_before(known, ties).is_lt() {
            *known = ranking;
        }
    }
    best.into_values().collect()
}

fn provenance(ranking: &Ranking) -> String {
    let best = &ranking.best[0];
    let on_ties = match best.trial.outcome.status() {
        Status::Tie => format!("; {ANOTHER_INDEX}"),
        _ => String::new(),
    };
    let default = match ranking.default_time_us() {
        Some(default) => format!("{default:.2} us by default"),
        None => "no time by default".to_owned(),
    };
    format!(
        "{:.2} us {} on {}, {default}{on_ties}",
        best.timing.time_us, ranking.provenance.clock, ranking.provenance.device
    )
}
