//! Neighbours: problems that differ only in their sizes, and the choice of one of them.

use std::fmt::Write as _;

use answers::lookup::PrintedAnswer;
use configgen::{Configuration, Generator, Problem, Rejection, Target};
use store::Status;

/// Returns the family of a problem, which all problems share that differ only in their sizes. It
/// is the problem's text with `_` for each size, and with `?` for one that only the launch knows.
pub fn family(problem: &Problem) -> String {
    family_with(problem, problem.shape.counts().is_some())
}

/// Returns the families of a problem's neighbours, each with a flag: true if only the launch
/// knows the outermost size.
pub(crate) fn families(problem: &Problem) -> impl Iterator<Item = (String, bool)> {
    let counted = [false, true].into_iter();
    // A reduced dimension is never open.
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

/// The configurations that were tried for a problem on a target and may not be served for it.
#[derive(Debug, Default)]
pub(crate) struct RefusedConfigurations(Vec<(Generator, Configuration, Status)>);

impl RefusedConfigurations {
    pub(crate) fn add(&mut self, generator: Generator, of: Configuration, verdict: Status) {
        self.0.push((generator, of, verdict));
    }

    /// Returns the verdict on a configuration.
    pub(crate) fn verdict(&self, generator: Generator, of: &Configuration) -> Option<Status> {
        let mut all = self.0.iter();
        let found = all.find(|(its, refused, _)| *its == generator && refused == of);
        found.map(|(.., verdict)| *verdict)
    }
}

/// The best configuration of one device and generator for a problem.
pub(crate) trait BestOfDevice {
    fn device(&self) -> &str;
    fn generator(&self) -> Generator;
    /// Returns whether it has another tie-break than the requested one, and so ranks behind all
    /// that have that.
    fn is_behind(&self) -> bool;
    /// Returns the exact answer to its problem; `None` if it is unreadable.
    fn line(&self) -> Option<PrintedAnswer>;
}

/// The configuration of a neighbour, fitted to the problem.
#[derive(Debug)]
pub(crate) struct NeighbourConfiguration {
    pub(crate) configuration: Configuration,
    pub(crate) generator: Generator,
    pub(crate) line: PrintedAnswer,
}

/// The neighbours without a usable configuration.
#[derive(Debug, Default)]
pub(crate) struct NeighbourMisses {
    pub(crate) problems: usize,
    /// The nearest of them, with the reason.
    pub(crate) first: Option<(String, NeighbourRejection)>,
}

/// A reason that a neighbour's configuration is not used.
#[derive(Debug)]
pub(crate) enum NeighbourRejection {
    /// It is not legal for the problem.
    Illegal(Rejection),
    /// It was tried for the requested problem, with this verdict.
    Refused(Status),
}

/// Returns the configuration of the nearest problem that is legal for `asked`. For one problem,
/// that of this device goes first. All with another tie-break go last.
///
/// # Errors
///
/// The number of problems without a usable configuration, and the reason of the nearest.
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
        // A stable sort keeps the order of preference among the other devices.
        all.sort_by_key(|best| device.is_some_and(|device| device != best.device()));
        vain.problems += 1;
        for best in all {
            // A farther correct configuration is better than a nearer one with another tie-break,
            // so these wait.
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
            // The nearest problem's reason tells most, so later ones do not replace it.
            vain.first
                .get_or_insert_with(|| (problem.to_string(), reason));
            None
        }
    }
}

/// Returns the configuration in a printed exact answer.
pub(crate) fn configuration(line: &PrintedAnswer) -> Option<Configuration> {
    serde_json::from_str(line.extract()?.configuration()).ok()
}
