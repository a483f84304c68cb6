//! Ranges: the shapes between two tuned ones for which one configuration is legal.
//!
//! Consider the [rules](super::legality) of a configuration that splits no row. Only two
//! depend on sizes: the workgroup tile divides each parallel dimension (rule 3), and the step
//! divides the reduced one (rule 1). The legal sizes between two bounds are therefore the
//! multiples of a divisor, which an IREE matcher can express.
//!
//! Legality here is a promise of the rules. A caller that publishes a range first tries its
//! [samples](Range::samples).

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use arrayvec::ArrayVec;

use super::legality;
use crate::reduction::Reduction;
use crate::{
    Configuration, ElementType, Function, Knobs, MAX_ELEMENTS, MAX_RANK, Problem, Rejection, Shape,
    Target, seeded_random,
};

/// Shapes of one operation: in each dimension, the multiples of a divisor between two bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    tuned: Problem,
    dimensions: ArrayVec<SizeRange, MAX_RANK>,
}

/// The sizes of a range in one dimension: multiples of `divisor`, as both bounds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeRange {
    /// The smallest size.
    pub least: u32,
    /// The largest size.
    pub most: u32,
    /// A common divisor of all sizes.
    pub divisor: u32,
}

/// The number of random samples beside the corners, and the limit of draws for them.
///
/// A small range may have fewer distinct members.
const DRAWN: usize = 3;
const DRAWS: usize = 32;

impl Range {
    /// Returns the shapes between two problems for which `configuration` is legal.
    ///
    /// `configuration` was tuned for `tuned`. The result is none in these cases:
    ///
    /// - The range has one shape at most, or a shape with more than [`MAX_ELEMENTS`] elements.
    /// - The problems differ in more than known sizes.
    /// - The configuration splits rows. IREE then makes other operations, and no matcher can
    ///   divide their sizes.
    /// - The problem is no `arg_compare`.
    ///
    /// # Errors
    ///
    /// Returns the rule that the configuration breaks for `tuned`.
    pub fn between(
        tuned: &Problem,
        other: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<Option<Range>, Rejection> {
        legality::check(tuned, target, configuration)?;
        // Only the step of an `arg_compare` must divide a row.
        let is_divided =
            tuned.index_of_own().is_some() && configuration.knobs.split == Knobs::DEFAULT.split;
        if !is_divided || !differ_in_sizes(tuned, other) {
            return Ok(None);
        }
        let lowering = &configuration.lowering;
        let sizes = tuned.shape.sizes().iter().zip(other.shape.sizes());
        let dimensions = sizes.enumerate().map(|(d, (&one, &other))| {
            // One of the two tiles is 0 in each dimension. The other is legal, so it divides the
            // tuned size.
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
        // A matcher takes each size on its own, so the largest shape combines all the largest
        // sizes.
        let largest = range.dimensions.iter().map(|sizes| u64::from(sizes.most));
        let largest = largest.fold(1, u64::saturating_mul);
        let has_several = range.dimensions.iter().any(|sizes| sizes.vary());
        Ok((has_several && largest <= MAX_ELEMENTS).then_some(range))
    }

    /// Returns the problem that the configuration was tuned for. It is in the range.
    pub fn tuned(&self) -> &Problem {
        &self.tuned
    }

    /// Returns the sizes of each dimension, outermost first.
    pub fn dimensions(&self) -> &[SizeRange] {
        &self.dimensions
    }

    /// Returns whether a problem is in the range.
    pub fn has(&self, problem: &Problem) -> bool {
        let has = |(sizes, size): (&SizeRange, &u32)| sizes.have(*size);
        differ_in_sizes(&self.tuned, problem)
            && self.dimensions.iter().zip(problem.shape.sizes()).all(has)
    }

    /// Returns whether this range contains all problems of another.
    pub fn covers(&self, other: &Range) -> bool {
        let covers = |(one, other): (&SizeRange, &SizeRange)| {
            let is_multiple = other.divisor.is_multiple_of(one.divisor);
            one.have(other.least) && one.have(other.most) && (is_multiple || !other.vary())
        };
        differ_in_sizes(&self.tuned, &other.tuned)
            && self.dimensions.iter().zip(&other.dimensions).all(covers)
    }

    /// Returns problems of the range to try: all corners and some random ones, in order, each
    /// once.
    ///
    /// The random ones are the same in every call.
    pub fn samples(&self) -> Vec<Problem> {
        let mut samples: BTreeSet<ArrayVec<u32, MAX_RANK>> = BTreeSet::from([ArrayVec::new()]);
        for sizes in &self.dimensions {
            let both = samples.into_iter().flat_map(|corner| {
                [sizes.least, sizes.most].map(|size| corner.iter().copied().chain([size]).collect())
            });
            samples = both.collect();
        }
        // A constant seed gives every caller the same samples.
        let mut generator = seeded_random::generator(0, 0);
        let enough = samples.len() + DRAWN;
        for _ in 0..DRAWS {
            if samples.len() == enough {
                break;
            }
            let drawn = self.dimensions.iter().map(|sizes| {
                let steps = u64::from((sizes.most - sizes.least) / sizes.divisor);
                // The step is below the number of steps, which fits u32.
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

/// Returns whether two problems differ only in their sizes, without an open one.
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
            // A range bounds sizes only, so it excludes pitches and open counts.
            .all(|it| it.counts().is_none() && it.is_dense())
}

impl SizeRange {
    /// Returns whether the dimension has several sizes.
    pub fn vary(&self) -> bool {
        self.least < self.most
    }

    fn have(&self, size: u32) -> bool {
        (self.least..=self.most).contains(&size) && size.is_multiple_of(self.divisor)
    }
}

/// Prints a problem's text with bounds as sizes: `argmax:4..6x[4096..8192 by 1024]xf32:i32`.
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
