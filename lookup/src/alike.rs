//! Alike: problems that differ in their sizes alone, how far apart they are, and which of them is taken for another.
//!
//! Kernels of a family run the same instructions; what differs is how many workgroups there are, and how many elements a
//! thread takes. All that a configuration counts (lanes, subgroups, loads of a thread, pieces of a row) is a power of two. So
//! within a factor of two of the rows and of the columns the best counts are those of the tuned shape, or one step from them;
//! beyond it they are others for certain. That is the bound.

use std::cmp::Ordering;
use std::fmt::Write as _;

use answers::lookup::Line;
use arrayvec::ArrayVec;
use configgen::{Configuration, Generator, MAX_RANK, Problem, Rejection, Shape, Target};

/// Sizes of a shape, outermost first.
pub(crate) type Sizes = ArrayVec<u32, MAX_RANK>;

/// How many times as many rows, and columns, one of two problems has at most that are near each other.
pub const FACTOR: u64 = 2;

/// What all problems have in common that differ in their sizes alone: the problem's text with `_` for each size.
pub fn family(problem: &Problem) -> String {
    let (name, options) = problem.reduction.text();
    let mut text = format!("{name}:");
    for d in 0..problem.shape.rank() {
        text.push_str(match problem.shape.is_reduced(d) {
            true => "[_]x",
            false => "_x",
        });
    }
    let pitch = match problem.shape.is_dense() {
        true => "",
        false => ":pitch=_",
    };
    write!(text, "{}{options}{pitch}", problem.element).expect("a string takes all");
    text
}

/// How far these sizes are from those of the shape: how often one has to be doubled to be the other, summed over the dimensions. None
/// where it is more than once over the parallel dimensions, or over the reduced ones.
pub fn distance(shape: &Shape, sizes: &[u32]) -> Option<f64> {
    let most = (FACTOR as f64).log2();
    let doubled = |is_reduced: bool| {
        let sizes = sizes.iter().zip(shape.sizes()).enumerate();
        let sizes = sizes.filter(|(d, _)| shape.is_reduced(*d) == is_reduced);
        let doubled =
            sizes.map(|(_, (&one, &other))| (f64::from(one) / f64::from(other)).log2().abs());
        Some(doubled.sum::<f64>()).filter(|doubled| *doubled <= most)
    };
    Some(doubled(false)? + doubled(true)?)
}

/// Sizes of another problem of the family, and how far they are from those that are asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Near<T> {
    pub(crate) distance: f64,
    pub(crate) sizes: Sizes,
    pub(crate) of: T,
}

impl<T> Near<T> {
    /// None where they are too far.
    pub(crate) fn new(asked: &Problem, sizes: Sizes, of: T) -> Option<Near<T>> {
        Some(Near {
            distance: distance(&asked.shape, &sizes)?,
            sizes,
            of,
        })
    }

    /// The nearest first; of equally near ones the smaller.
    pub(crate) fn compare(&self, other: &Near<T>) -> Ordering {
        let by_distance = self.distance.total_cmp(&other.distance);
        by_distance.then_with(|| self.sizes.cmp(&other.sizes))
    }
}

/// The best of one device and generator for a problem.
pub(crate) trait Best {
    fn device(&self) -> &str;
    fn generator(&self) -> Generator;
    /// Whether it gives another index on ties than is wanted, and so is behind all that do not.
    fn is_behind(&self) -> bool;
    /// The exact answer to its problem.
    fn line(&self) -> Line;
}

/// Whose configuration is taken for a problem that was not tuned.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) configuration: Configuration,
    pub(crate) generator: Generator,
    pub(crate) line: Line,
}

/// Those that were looked at in vain.
#[derive(Debug, Default)]
pub(crate) struct Vain {
    pub(crate) problems: usize,
    /// The nearest that is not legal for the problem, and why.
    pub(crate) first: Option<(String, Rejection)>,
}

/// The nearest whose configuration is legal for `asked`; of one problem what is tuned on this device goes first. What gives
/// another index on ties is behind all that does not.
///
/// # Errors
///
/// What was looked at, where none is.
pub(crate) fn nearest<B: Best>(
    asked: &Problem,
    target: &Target,
    device: Option<&str>,
    near: impl Iterator<Item = (Problem, Vec<B>)>,
) -> Result<Taken, Vain> {
    let mut vain = Vain::default();
    let mut behind = Vec::new();
    for (problem, mut all) in near {
        all.sort_by_key(|best| device.is_some_and(|device| device != best.device()));
        vain.problems += 1;
        for best in all {
            if best.is_behind() {
                behind.push((problem.clone(), best));
                continue;
            }
            if let Some(taken) = take(asked, target, &problem, &best, &mut vain) {
                return Ok(taken);
            }
        }
    }
    let taken =
        (behind.iter()).find_map(|(problem, best)| take(asked, target, problem, best, &mut vain));
    taken.ok_or(vain)
}

fn take(
    asked: &Problem,
    target: &Target,
    problem: &Problem,
    best: &impl Best,
    vain: &mut Vain,
) -> Option<Taken> {
    let (line, generator) = (best.line(), best.generator());
    let configuration = configuration(&line)?;
    match configgen::fit(&configuration, problem, asked, target, generator) {
        Ok(configuration) => Some(Taken {
            configuration,
            generator,
            line,
        }),
        Err(rejection) => {
            vain.first
                .get_or_insert_with(|| (problem.to_string(), rejection));
            None
        }
    }
}

/// The configuration that a line of an exact answer has.
pub(crate) fn configuration(line: &Line) -> Option<Configuration> {
    serde_json::from_str(line.kept()?.configuration()).ok()
}

/// The problem of such a line.
pub(crate) fn problem(line: &Line) -> Option<Problem> {
    #[derive(serde::Deserialize)]
    struct Asked {
        problem: String,
    }
    let asked: Asked = serde_json::from_str(line.as_str()).ok()?;
    asked.problem.parse().ok()
}
