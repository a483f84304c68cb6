//! `wavetune replay`: searches recorded spaces, to compare strategies without a device.

use std::fs::File;
use std::path::{Path, PathBuf};

use answers::replay::{Checkpoint, Reach, Replay};
use anyhow::Context as _;
use clap::Args;
use search::recorded_space::RecordedSpace;
use search::replay::{ReplayPlan, replay};
use tuner::Strategy;

use crate::Exit;
use crate::output::{OutputFormat, print, print_json};
use crate::text_table;
use crate::value_parsers::strategies;

/// Compare strategies on recorded spaces, without a device.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ReplayArguments {
    /// Cache files of Kernel Tuner, or T4 results.
    ///
    /// A file may be compressed by gzip. A cache file may lack its end.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Strategies, separated by commas.
    #[arg(long = "strategy", value_name = "STRATEGY", value_delimiter = ',', default_value = "auto", value_parser = strategies())]
    strategies: Vec<Strategy>,
    /// Maximum evaluations of a run.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    budget: u32,
    /// Number of runs.
    ///
    /// Their seeds are 0, 1, 2 and so on.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Proposals of a batch.
    ///
    /// The strategy learns the results after each batch. A study uses 8. evolution has its own
    /// generations.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    batch: u32,
    /// Show recorded samples in place of times.
    ///
    /// The strategy sees one sample of each trial. The result still counts the recorded time of
    /// the configuration that seems best.
    #[arg(long)]
    noise: bool,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
Each run starts cold. The columns @25 to @200 have the best time so far as a multiple of the \
optimum, the geometric mean over the runs. The columns 5 % and 1 % have the share of runs within \
that distance of the optimum. The score P is 0 for random search and 1 for the optimum at once; \
docs/replay.md has its formula.

Exit codes: 0 done, 2 error.

Examples:
  wavetune replay MI250X.json.gz
  wavetune replay MI250X.json W6600.json --strategy auto,random --seeds 9
  wavetune replay results.json --noise --batch 8 --output-format json";

pub(crate) fn run(arguments: &ReplayArguments) -> anyhow::Result<Exit> {
    let mut answers: Vec<Replay> = Vec::new();
    for path in &arguments.files {
        let place = || path.display().to_string();
        let file = File::open(path).with_context(place)?;
        let recorded = RecordedSpace::read(file).with_context(place)?;
        for &strategy in &arguments.strategies {
            let answer = answer(arguments, path, &recorded, strategy);
            // A table needs all rows for its widths, but a line of JSON can be read at once.
            match arguments.output_format {
                OutputFormat::Json => print_json(&answer)?,
                OutputFormat::Text => answers.push(answer),
            }
        }
    }
    if arguments.output_format == OutputFormat::Text {
        print(&text(&answers))?;
    }
    Ok(Exit::Found)
}

fn answer(
    arguments: &ReplayArguments,
    path: &Path,
    recorded: &RecordedSpace,
    strategy: Strategy,
) -> Replay {
    let plan = ReplayPlan {
        strategy,
        budget: arguments.budget as usize,
        seeds: u64::from(arguments.seeds),
        batch: arguments.batch as usize,
        has_noise: arguments.noise,
    };
    let result = replay(recorded, &plan);
    let reach = |reach: search::replay::Reach| Reach {
        share: reach.share,
        median_evaluations: reach.median.map(|count| count as u64),
    };
    let checkpoint = |(evaluations, ratio): (usize, Option<f64>)| Checkpoint {
        evaluations: evaluations as u64,
        ratio,
    };
    Replay {
        file: path.display().to_string(),
        strategy: strategy.name(),
        configurations: recorded.trials.len() as u64,
        optimum_ms: recorded.optimum_ms(),
        budget: u64::from(arguments.budget),
        seeds: plan.seeds,
        batch: u64::from(arguments.batch),
        has_noise: arguments.noise,
        best: result.best.into_iter().map(checkpoint).collect(),
        within_5_percent: reach(result.within_5_percent),
        within_1_percent: reach(result.within_1_percent),
        score_by_evaluations: result.score_by_evaluations,
        score_by_time: result.score_by_time,
    }
}

/// Returns a table of all replays, then of the geometric means over the files.
fn text(answers: &[Replay]) -> String {
    let checkpoints: Vec<String> = answers.first().map_or(Vec::new(), |answer| {
        answer
            .best
            .iter()
            .map(|one| format!(">@{}", one.evaluations))
            .collect()
    });
    let mut columns = vec!["FILE", "STRATEGY"];
    columns.extend(checkpoints.iter().map(String::as_str));
    columns.extend([">5 %", ">1 %", ">P BY EVALUATIONS", ">P BY TIME"]);
    let mut table = text_table::table(&columns);
    let number = |number: Option<f64>| number.map_or("-".to_owned(), |it| format!("{it:.3}"));
    let row = |file: String,
               strategy: &str,
               best: Vec<Option<f64>>,
               shares: [f64; 2],
               scores: [Option<f64>; 2]| {
        let mut cells = vec![file, strategy.to_owned()];
        cells.extend(best.into_iter().map(number));
        cells.extend(shares.map(|share| format!("{:.0} %", share * 100.0)));
        cells.extend(scores.map(number));
        cells
    };
    let shares = |one: &Replay| [one.within_5_percent.share, one.within_1_percent.share];
    for one in answers {
        let name = Path::new(&one.file)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let best = one.best.iter().map(|checkpoint| checkpoint.ratio).collect();
        let scores = [one.score_by_evaluations, one.score_by_time];
        table.add_row(row(
            name.unwrap_or_default(),
            one.strategy,
            best,
            shares(one),
            scores,
        ));
    }
    // A list in place of a set: the rows keep the order of the command line.
    let mut names: Vec<&str> = Vec::new();
    for one in answers {
        if !names.contains(&one.strategy) {
            names.push(one.strategy);
        }
    }
    // With a single file, the means would repeat its rows.
    if answers.len() > names.len() {
        for name in names {
            let own: Vec<&Replay> = answers.iter().filter(|one| one.strategy == name).collect();
            let mean = |of: &dyn Fn(&Replay) -> Option<f64>| {
                // Without one of the files, a mean would compare different sets of files.
                let values: Option<Vec<f64>> = own.iter().map(|one| of(one)).collect();
                values.map(|values| values.iter().sum::<f64>() / own.len() as f64)
            };
            // Ratios have a geometric mean, shares and scores an arithmetic one.
            let best = (0..checkpoints.len())
                .map(|place| mean(&|one| one.best[place].ratio.map(f64::ln)).map(f64::exp));
            let share = |at: usize| mean(&|one| Some(shares(one)[at])).unwrap_or_default();
            let scores = [
                mean(&|one| one.score_by_evaluations),
                mean(&|one| one.score_by_time),
            ];
            table.add_row(row(
                "(all)".to_owned(),
                name,
                best.collect(),
                [share(0), share(1)],
                scores,
            ));
        }
    }
    text_table::text(&table)
}
