//! Alike: problems that differ in their sizes alone, and which of them is taken for another.

use std::fmt::Write as _;

use answers::lookup::PrintedAnswer;
use configgen::{Configuration, Generator, Problem, Rejection, Target};
use store::Status;

/// What all problems have in common that differ in their sizes alone: the problem's text with `_` for each size, and with `?` for one
/// that is known at launch only.
pub fn family(problem: &Problem) -> String {
    family_with(problem, problem.shape.counts().is_some())
}

/// The families that a problem's neighbours are in, and whether their outermost size is known at launch only.
pub(crate) fn families(problem: &Problem) -> impl Iterator<Item = (String, bool)> {
    let counted = [false, true].into_iter();
    let counted = counted.filter(|counted| !counted || !problem.shape.is_reduced(0));
    counted.map(|is_counted| (family_with(problem, is_counted), is_counted))
}

fn family_with(problem: &Problem, is_counted: bool) -> String {
    let mut text = format!("{}:", problem.name());
    for d in 0..problem.shape.rank() {
        text.push_str(match problem.shape.is_reduced(d) {
            true => "[_]x",
            false if d == 0 && is_counted => "?x",
            false => "_x",
        });
    }
    let pitch = match problem.shape.is_dense() {
        true => "",
        false => ":pitch=_",
    };
    let (inputs, options) = (problem.inputs(), problem.options());
    write!(text, "{inputs}{options}{pitch}").expect("a string takes all");
    text
}

/// What was tried of a problem on a target and may not be served for it.
#[derive(Debug, Default)]
pub(crate) struct RefusedConfigurations(Vec<(Generator, Configuration, Status)>);

impl RefusedConfigurations {
    pub(crate) fn add(&mut self, generator: Generator, of: Configuration, verdict: Status) {
        self.0.push((generator, of, verdict));
    }

    /// The verdict on this one.
    pub(crate) fn verdict(&self, generator: Generator, of: &Configuration) -> Option<Status> {
        let mut all = self.0.iter();
        let found = all.find(|(its, refused, _)| *its == generator && refused == of);
        found.map(|(.., verdict)| *verdict)
    }
}

/// The best of one device and generator for a problem.
pub(crate) trait BestOfDevice {
    fn device(&self) -> &str;
    fn generator(&self) -> Generator;
    /// Whether it gives another index on ties than is wanted, and so is behind all that do not.
    fn is_behind(&self) -> bool;
    /// The exact answer to its problem; none where it cannot be read.
    fn line(&self) -> Option<PrintedAnswer>;
}

/// Whose configuration is taken for a problem that was not tuned.
#[derive(Debug)]
pub(crate) struct NeighbourConfiguration {
    pub(crate) configuration: Configuration,
    pub(crate) generator: Generator,
    pub(crate) line: PrintedAnswer,
}

/// Those that were looked at in vain.
#[derive(Debug, Default)]
pub(crate) struct NeighbourMisses {
    pub(crate) problems: usize,
    /// The nearest that is not taken for the problem, and why.
    pub(crate) first: Option<(String, NeighbourRejection)>,
}

/// Why a configuration of a neighbour is not taken.
#[derive(Debug)]
pub(crate) enum NeighbourRejection {
    /// It is not legal for the problem.
    Illegal(Rejection),
    /// It was tried for this very problem, with this verdict.
    Refused(Status),
}

/// The nearest whose configuration is legal for `asked`; of one problem what is tuned on this device goes first. What gives
/// another index on ties is behind all that does not.
///
/// # Errors
///
/// What was looked at, where none is.
pub(crate) fn nearest<B: BestOfDevice>(
    asked: &Problem,
    target: &Target,
    device: Option<&str>,
    near: impl Iterator<Item = (Problem, Vec<B>)>,
    refused: &RefusedConfigurations,
) -> Result<NeighbourConfiguration, NeighbourMisses> {
    let take = |problem: &Problem, best: &B, vain: &mut NeighbourMisses| {
        take(asked, target, problem, best, refused, vain)
    };
    let mut vain = NeighbourMisses::default();
    let mut behind = Vec::new();
    for (problem, mut all) in near {
        all.sort_by_key(|best| device.is_some_and(|device| device != best.device()));
        vain.problems += 1;
        for best in all {
            if best.is_behind() {
                behind.push((problem.clone(), best));
                continue;
            }
            if let Some(taken) = take(&problem, &best, &mut vain) {
                return Ok(taken);
            }
        }
    }
    let taken = (behind.iter()).find_map(|(problem, best)| take(problem, best, &mut vain));
    taken.ok_or(vain)
}

fn take(
    asked: &Problem,
    target: &Target,
    problem: &Problem,
    best: &impl BestOfDevice,
    refused: &RefusedConfigurations,
    vain: &mut NeighbourMisses,
) -> Option<NeighbourConfiguration> {
    let (line, generator) = (best.line()?, best.generator());
    let configuration = configuration(&line)?;
    let fitted = configgen::fit(&configuration, problem, asked, target, generator);
    let fitted = fitted
        .map_err(NeighbourRejection::Illegal)
        .and_then(|fitted| match refused.verdict(generator, &fitted) {
            Some(verdict) => Err(NeighbourRejection::Refused(verdict)),
            None => Ok(fitted),
        });
    match fitted {
        Ok(configuration) => Some(NeighbourConfiguration {
            configuration,
            generator,
            line,
        }),
        Err(reason) => {
            vain.first
                .get_or_insert_with(|| (problem.to_string(), reason));
            None
        }
    }
}

/// The configuration that a line of an exact answer has.
pub(crate) fn configuration(line: &PrintedAnswer) -> Option<Configuration> {
    serde_json::from_str(line.extract()?.configuration()).ok()
}

/// The problem of such a line.
pub(crate) fn problem(line: &PrintedAnswer) -> Option<Problem> {
    #[derive(serde::Deserialize)]
    struct ProblemField {
        problem: String,
    }
    let asked: ProblemField = serde_json::from_str(line.as_str()).ok()?;
    asked.problem.parse().ok()
}
