//! Inputs: the rows that kernels are verified on, each with its pattern and its expected result.
//!
//! Rows are independent, so every row of a launch has a pattern of its own, and as many launches are made as it takes
//! for each pattern to occur. A kernel that mixes rows up then returns another pattern's result. Of a very large
//! input only some rows are filled and checked: windows at its beginning, middle and end.

use configgen::Problem;
use ndarray::{ArrayView, ArrayViewMut, Axis, IxDyn};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::element::{Element, with_element};
use crate::pattern::Pattern;
use crate::reference::fold;

/// Elements of an input that are filled and checked at most, unless a single row has more.
const MAX_CHECKED_ELEMENTS: u64 = 1 << 22;

/// Windows of consecutive rows that are checked where not all are.
const WINDOWS: u64 = 3;

/// Fewest launches: with two, every row of a wide problem is checked under two patterns.
const MIN_LAUNCHES: usize = 2;

/// The inputs of one problem and seed.
#[derive(Debug)]
pub struct Inputs {
    problem: Problem,
    seed: u64,
    rows: Vec<u64>,
    launches: Vec<LaunchInput>,
}

/// The input of one launch.
#[derive(Debug)]
pub(crate) struct LaunchInput {
    words: Vec<u64>,
    bytes: usize,
    /// One for each checked row, in their order.
    pub(crate) expected: Vec<Expected>,
}

/// What a row should give.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub(crate) pattern: Pattern,
    /// The value's bytes, padded with zeros.
    pub(crate) value: [u8; 8],
    pub(crate) index: u64,
    /// Whether an element beat the initial value; if none did, the index names no element.
    pub(crate) replaced: bool,
}

impl Inputs {
    /// Makes the inputs of a problem with exactly one reduced dimension. The same seed gives the same inputs.
    ///
    /// Host memory: the checked rows once for every launch, at most about 13 times.
    pub fn new(problem: &Problem, seed: u64) -> Inputs {
        let rows = checked_rows(problem);
        let patterns = Pattern::all(problem.element).len();
        let launches = patterns.div_ceil(rows.len()).max(MIN_LAUNCHES);
        let launches = (0..launches)
            .map(|launch| with_element!(problem.element, make::<_>(problem, seed, launch, &rows)))
            .collect();
        Inputs {
            problem: problem.clone(),
            seed,
            rows,
            launches,
        }
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The rows that are filled and checked, ascending: linear indices over the parallel dimensions.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    pub(crate) fn launches(&self) -> &[LaunchInput] {
        &self.launches
    }
}

impl LaunchInput {
    /// The input's bytes, row major.
    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }

    /// The input as an array of the problem's shape.
    pub(crate) fn array<T: Element>(&self, problem: &Problem) -> ArrayView<'_, T, IxDyn> {
        let elements = &bytemuck::cast_slice(&self.words)[..problem.shape.elements() as usize];
        ArrayView::from_shape(shape(problem), elements).expect("the buffer was made for this shape")
    }
}

/// The axis that is reduced.
pub(crate) fn reduced_axis(problem: &Problem) -> Axis {
    Axis(
        problem
            .shape
            .reduced()
            .next()
            .expect("a problem reduces a dimension"),
    )
}

fn shape(problem: &Problem) -> IxDyn {
    let sizes: Vec<usize> = problem
        .shape
        .sizes()
        .iter()
        .map(|&size| size as usize)
        .collect();
    IxDyn(&sizes)
}

fn checked_rows(problem: &Problem) -> Vec<u64> {
    let (rows, row) = (problem.shape.rows(), problem.shape.reduced_size());
    if problem.shape.elements() <= MAX_CHECKED_ELEMENTS {
        return (0..rows).collect();
    }
    let window = (MAX_CHECKED_ELEMENTS / row / WINDOWS).max(1);
    let starts = [
        0,
        rows.saturating_sub(window) / 2,
        rows.saturating_sub(window),
    ];
    let mut chosen: Vec<u64> = starts
        .into_iter()
        .flat_map(|start| start..(start + window).min(rows))
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn make<T: Element>(problem: &Problem, seed: u64, launch: usize, rows: &[u64]) -> LaunchInput {
    let elements = problem.shape.elements() as usize;
    let bytes = elements * size_of::<T>();
    let mut words = vec![0u64; bytes.div_ceil(8)];
    let typed: &mut [T] = &mut bytemuck::cast_slice_mut(&mut words)[..elements];
    let mut array = ArrayViewMut::from_shape(shape(problem), typed)
        .expect("the buffer was made for this shape");
    let patterns = Pattern::all(problem.element);
    // Few rows go through the patterns launch by launch; many have them all, and others in the next launch.
    let step = if rows.len() < patterns.len() {
        rows.len()
    } else {
        5
    };
    let mut lanes = array.lanes_mut(reduced_axis(problem)).into_iter();
    let (mut expected, mut next) = (Vec::with_capacity(rows.len()), 0);
    for (position, &row) in rows.iter().enumerate() {
        let mut lane = lanes
            .nth((row - next) as usize)
            .expect("a checked row is a row");
        next = row + 1;
        let pattern = patterns[(launch * step + position) % patterns.len()];
        let stream = u128::from(seed) << 64 | u128::from(row) << 8 | launch as u128;
        let mut rng = Pcg64Mcg::seed_from_u64(mix(stream));
        pattern.fill(problem.operation, lane.view_mut(), &mut rng);
        let result = fold(problem.operation, lane.view());
        let mut value = [0; 8];
        value[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&result.value));
        expected.push(Expected {
            pattern,
            value,
            index: result.index as u64,
            replaced: result.replaced,
        });
    }
    LaunchInput {
        words,
        bytes,
        expected,
    }
}

/// Folds a seed and a position into one word, so that neighbouring rows get unrelated streams.
fn mix(stream: u128) -> u64 {
    let (high, low) = ((stream >> 64) as u64, stream as u64);
    (high ^ 0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .rotate_left(31)
        ^ low.wrapping_mul(0x94d0_49bb_1331_11eb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_patterns(problem: &str) {
        let inputs = Inputs::new(&problem.parse().unwrap(), 1);
        for pattern in Pattern::all(inputs.problem.element) {
            let seen = inputs.launches.iter().flat_map(|launch| &launch.expected);
            assert!(
                seen.into_iter().any(|row| row.pattern == *pattern),
                "{problem}: no {pattern}"
            );
        }
    }

    #[test]
    fn every_pattern_occurs() {
        for problem in [
            "argmax:[1]xf32",
            "argmax:[1000]xi32",
            "argmin:4x[31]xf16",
            "argmax:7x[64]xbf16",
            "argmax:12x[5]xf32",
            "argmax:13x[5]xf32",
            "argmax:300x[17]xi8",
            "argmax:3x[5]x4xf64",
            "argmax:163840x[384]xf32",
        ] {
            check_patterns(problem);
        }
    }

    #[test]
    fn of_a_large_input_both_ends_are_checked() {
        let inputs = Inputs::new(&"argmax:163840x[384]xf32".parse().unwrap(), 1);
        assert_eq!((inputs.rows[0], inputs.rows.last()), (0, Some(&163_839)));
        assert!(inputs.rows.len() as u64 * 384 <= MAX_CHECKED_ELEMENTS);
        let inputs = Inputs::new(&"argmax:2x[5000000]xf32".parse().unwrap(), 1);
        assert_eq!(inputs.rows, [0, 1]);
    }

    #[test]
    fn a_seed_is_reproducible_and_seeds_differ() {
        let problem = "argmax:4x[100]xf32".parse().unwrap();
        let bytes = |seed| Inputs::new(&problem, seed).launches[0].bytes().to_vec();
        assert_eq!(bytes(1), bytes(1));
        assert_ne!(bytes(1), bytes(2));
    }
}
