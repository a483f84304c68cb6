//! Ranges: the shapes between two tuned ones for which a very configuration is legal, and samples of them.
//!
//! Of the [rules](crate::legality::iree) of a configuration that splits no row two alone ask for sizes: its workgroup tile divides
//! each parallel dimension (rule 3), and its step the reduced one (rule 1). All others are about the configuration itself. So what
//! is legal between two sizes are the multiples of a divisor, which is what a matcher of IREE's can say.
//!
//! That a shape is legal is a promise of the rules; who gives a range to others tries its [samples](Range::samples) before.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use arrayvec::ArrayVec;

use crate::legality::iree;
use crate::reduction::Reduction;
use crate::{
    Configuration, ElementType, Function, Knobs, MAX_ELEMENTS, MAX_RANK, Problem, Rejection, Shape,
    Target, seeded_random,
};

/// Shapes of one operation: in each dimension the multiples of a number between two bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    tuned: Problem,
    dimensions: ArrayVec<SizeRange, MAX_RANK>,
}

/// The sizes that a range has in a dimension: multiples of `divisor`, as the bounds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeRange {
    /// The least.
    pub least: u32,
    /// The largest.
    pub most: u32,
    /// What divides all of them.
    pub divisor: u32,
}

/// Samples that are drawn, beside the corners, and how often at most: a small range may have no more.
const DRAWN: usize = 3;
const DRAWS: usize = 32;

impl Range {
    /// The shapes between those of two problems for which `configuration`, which was tuned for the first, is legal; none where that
    /// is one shape at most, where the problems differ in more than known sizes, and where rows are split: what IREE makes of pieces
    /// is other operations, whose sizes no matcher divides. None of plain reductions, either.
    ///
    /// # Errors
    ///
    /// The rule that the configuration breaks for `tuned`.
    pub fn between(
        tuned: &Problem,
        other: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<Option<Range>, Rejection> {
        iree::check(tuned, target, configuration)?;
        // Of what is no arg_compare a step need not divide a row.
        let is_divided =
            tuned.arg_compare().is_some() && configuration.knobs.split == Knobs::DEFAULT.split;
        if !is_divided || !differ_in_sizes(tuned, other) {
            return Ok(None);
        }
        let lowering = &configuration.lowering;
        let sizes = tuned.shape.sizes().iter().zip(other.shape.sizes());
        let dimensions = sizes.enumerate().map(|(d, (&one, &other))| {
            // One of both is 0, and the configuration is legal: the other divides the tuned size.
            let divisor = lowering.workgroup[d].max(lowering.partial_reduction[d]);
            SizeRange {
                least: one.min(other).div_ceil(divisor) * divisor,
                most: one.max(other) / divisor * divisor,
                divisor,
            }
        });
        let range = Range {
            tuned: tuned.clone(),
            dimensions: dimensions.collect(),
        };
        let largest = range.dimensions.iter().map(|sizes| u64::from(sizes.most));
        let largest = largest.fold(1, u64::saturating_mul);
        let has_several = range.dimensions.iter().any(|sizes| sizes.vary());
        Ok((has_several && largest <= MAX_ELEMENTS).then_some(range))
    }

    /// The problem whose configuration is legal in the range, and which is in it.
    pub fn tuned(&self) -> &Problem {
        &self.tuned
    }

    /// The sizes of each dimension, outermost first.
    pub fn dimensions(&self) -> &[SizeRange] {
        &self.dimensions
    }

    /// Whether a problem is one of the range.
    pub fn has(&self, problem: &Problem) -> bool {
        let has = |(sizes, size): (&SizeRange, &u32)| sizes.have(*size);
        differ_in_sizes(&self.tuned, problem)
            && self.dimensions.iter().zip(problem.shape.sizes()).all(has)
    }

    /// Whether all problems of another range are of this one.
    pub fn covers(&self, other: &Range) -> bool {
        let covers = |(one, other): (&SizeRange, &SizeRange)| {
            let is_multiple = other.divisor.is_multiple_of(one.divisor);
            one.have(other.least) && one.have(other.most) && (is_multiple || !other.vary())
        };
        differ_in_sizes(&self.tuned, &other.tuned)
            && self.dimensions.iter().zip(&other.dimensions).all(covers)
    }

    /// Problems of the range by which it is tried: all its corners, and some drawn from all of it, always the same. In order, each once.
    pub fn samples(&self) -> Vec<Problem> {
        let mut samples: BTreeSet<ArrayVec<u32, MAX_RANK>> = BTreeSet::from([ArrayVec::new()]);
        for sizes in &self.dimensions {
            let both = samples.into_iter().flat_map(|corner| {
                [sizes.least, sizes.most].map(|size| corner.iter().copied().chain([size]).collect())
            });
            samples = both.collect();
        }
        let mut generator = seeded_random::generator(0, 0);
        let enough = samples.len() + DRAWN;
        for _ in 0..DRAWS {
            if samples.len() == enough {
                break;
            }
            let drawn = self.dimensions.iter().map(|sizes| {
                let steps = u64::from((sizes.most - sizes.least) / sizes.divisor);
                // Below the number of steps, and so a u32.
                let step = seeded_random::below(&mut generator, steps + 1) as u32;
                sizes.least + step * sizes.divisor
            });
            samples.insert(drawn.collect());
        }
        let problem = |sizes| Problem {
            shape: Shape {
                sizes,
                ..self.tuned.shape.clone()
            },
            ..self.tuned.clone()
        };
        samples.into_iter().map(problem).collect()
    }
}

/// Whether two problems are one but for sizes, all of which are known.
fn differ_in_sizes(one: &Problem, other: &Problem) -> bool {
    let [one_shape, other_shape] = [&one.shape, &other.shape];
    fn of(problem: &Problem) -> (&Reduction, ElementType, Option<&Function>) {
        (
            &problem.reduction,
            problem.element,
            problem.function.as_ref(),
        )
    }
    of(one) == of(other)
        && one_shape.reduced == other_shape.reduced
        && [one_shape, other_shape]
            .iter()
            .all(|it| it.counts().is_none() && it.is_dense())
}

impl SizeRange {
    /// Whether there are several.
    pub fn vary(&self) -> bool {
        self.least < self.most
    }

    fn have(&self, size: u32) -> bool {
        (self.least..=self.most).contains(&size) && size.is_multiple_of(self.divisor)
    }
}

/// As a problem's text, with bounds in the place of sizes: `argmax:4..6x[4096..8192 by 1024]xf32:i32`.
impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.tuned.name())?;
        for (d, sizes) in self.dimensions.iter().enumerate() {
            match self.tuned.shape.is_reduced(d) {
                true => write!(f, "[{sizes}]x")?,
                false => write!(f, "{sizes}x")?,
            }
        }
        write!(f, "{}{}", self.tuned.inputs(), self.tuned.options())
    }
}

impl Display for SizeRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let SizeRange {
            least,
            most,
            divisor,
        } = self;
        match (self.vary(), divisor) {
            (false, _) => write!(f, "{least}"),
            (true, 1) => write!(f, "{least}..{most}"),
            (true, _) => write!(f, "{least}..{most} by {divisor}"),
        }
    }
}
