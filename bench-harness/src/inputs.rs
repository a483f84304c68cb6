//! Inputs: the rows that kernels are verified on, each with its pattern and its expected result.
//!
//! Rows are independent, so every row of a launch has a pattern of its own, and as many launches are made as it takes
//! for each pattern to occur. Launches with one winner a row follow, until enough places have been one. A kernel that mixes rows up then returns another pattern's result. Of a very large
//! input only some rows are filled and checked: windows at its beginning, middle and end.

use configgen::Problem;
use ndarray::{ArrayView1, ArrayViewMut, ArrayViewMut1, Axis, IxDyn};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::element::{Element, with_element};
use crate::pattern::Pattern;
use crate::reference::fold;

/// Elements of an input that are filled and checked at most, unless a single row has more.
const MAX_CHECKED_ELEMENTS: u64 = 1 << 22;

/// Rows that are filled and checked at most. Each costs a wave at least where a configuration deals rows out one by one.
const MAX_CHECKED_ROWS: u64 = 2048;

/// Windows of consecutive rows that are checked where not all are.
const WINDOWS: u64 = 3;

/// Fewest launches: with two, every row of a wide problem is checked under two patterns.
const MIN_LAUNCHES: usize = 2;

/// Rows with one winner, as far as [`MAX_CHECKED_ELEMENTS`] allows. A kernel that leaves out a lane's elements, 1 of 64,
/// is found by such a row with probability 1/64.
const PLANTED_ROWS: usize = 128;

/// Bytes of the checked rows of all launches at most. The host holds them once, and every worker's device once more.
const MAX_CHECKED_BYTES: u64 = 1 << 30;

/// Bytes of the outputs at most: they are poisoned whole.
const MAX_OUTPUT_BYTES: u64 = 1 << 30;

/// Bytes of the input at most. Where rows are contiguous, those that are not checked cost no memory.
const MAX_INPUT_BYTES: u64 = 1 << 33;

/// The inputs of one problem and seed.
#[derive(Debug)]
pub struct Inputs {
    problem: Problem,
    seed: u64,
    rows: Vec<u64>,
    launches: Vec<LaunchInput>,
}

/// A problem too large to be verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem} is too large to be verified: {what} take {bytes} bytes, the limit is {limit}")]
pub struct TooLarge {
    /// The problem.
    pub problem: Problem,
    /// What is too large.
    pub what: &'static str,
    /// Its size.
    pub bytes: u64,
    /// The largest size.
    pub limit: u64,
}

/// The input of one launch: its checked rows, one after the other.
#[derive(Debug)]
pub(crate) struct LaunchInput {
    /// Eight bytes a word, so that rows of every element type are aligned.
    words: Vec<u64>,
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
    /// Changes whenever the same problem and seed give other inputs.
    pub const VERSION: u32 = 1;

    /// Makes the inputs of a problem with exactly one reduced dimension. The same seed gives the same inputs.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] where input, outputs or checked rows do not fit a machine of ordinary size.
    pub fn new(problem: &Problem, seed: u64) -> Result<Inputs, TooLarge> {
        let rows = checked_rows(problem);
        let patterns = Pattern::all(problem.element).len();
        let patterned = patterns.div_ceil(rows.len()).max(MIN_LAUNCHES);
        let affordable = MAX_CHECKED_ELEMENTS / (rows.len() as u64 * problem.shape.reduced_size());
        let planted = PLANTED_ROWS.div_ceil(rows.len());
        let launches = patterned + planted.min((affordable as usize).saturating_sub(patterned));
        let checked = rows.len() as u64 * row_bytes(problem) * launches as u64;
        let outputs = problem.output_bytes();
        for (what, bytes, limit) in [
            (
                "the input's elements",
                problem.input_bytes(),
                MAX_INPUT_BYTES,
            ),
            ("values and indices", outputs, MAX_OUTPUT_BYTES),
            (
                "the rows to check, under every pattern,",
                checked,
                MAX_CHECKED_BYTES,
            ),
        ] {
            if bytes > limit {
                return Err(TooLarge {
                    problem: problem.clone(),
                    what,
                    bytes,
                    limit,
                });
            }
        }
        let launches = (0..launches)
            .map(|launch| {
                let pattern = |position| match launch < patterned {
                    true => Pattern::of(problem.element, rows.len(), launch, position),
                    false => Pattern::Planted,
                };
                with_element!(
                    problem.element,
                    make::<_>(problem, seed, launch, &rows, &pattern)
                )
            })
            .collect();
        Ok(Inputs {
            problem: problem.clone(),
            seed,
            rows,
            launches,
        })
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Bytes of the checked rows of all launches: what each device holds.
    pub fn bytes(&self) -> u64 {
        self.launches
            .iter()
            .map(|launch| launch.words.len() as u64 * 8)
            .sum()
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

    /// Passes the parts of a launch's input to `write`, each with its byte offset into the whole. What is left out is 0.
    pub(crate) fn write(&self, launch: &LaunchInput, mut write: impl FnMut(u64, &[u8])) {
        let (problem, row) = (&self.problem, row_bytes(&self.problem));
        if !problem.shape.is_reduced(problem.shape.rank() - 1) {
            return with_element!(
                problem.element,
                write_strided::<_>(self, launch, &mut write)
            );
        }
        let bytes: &[u8] = bytemuck::cast_slice(&launch.words);
        let mut start = 0;
        // Neighbouring rows lie together on both sides.
        for neighbours in self.rows.chunk_by(|a, b| a + 1 == *b) {
            let length = neighbours.len() * row as usize;
            write(neighbours[0] * row, &bytes[start..start + length]);
            start += length;
        }
    }
}

impl LaunchInput {
    /// The checked rows in their order.
    pub(crate) fn rows<T: Element>(
        &self,
        problem: &Problem,
    ) -> impl Iterator<Item = ArrayView1<'_, T>> {
        let row = problem.shape.reduced_size() as usize;
        let elements = &bytemuck::cast_slice(&self.words)[..self.expected.len() * row];
        elements.chunks_exact(row).map(ArrayView1::from)
    }
}

/// Bytes of one row.
fn row_bytes(problem: &Problem) -> u64 {
    problem.shape.reduced_size() * u64::from(problem.element.bytes())
}

/// Writes rows that are not contiguous in the input: as one image of the whole.
fn write_strided<T: Element>(
    inputs: &Inputs,
    launch: &LaunchInput,
    write: &mut impl FnMut(u64, &[u8]),
) {
    let problem = &inputs.problem;
    let sizes: Vec<usize> = problem
        .shape
        .sizes()
        .iter()
        .map(|&size| size as usize)
        .collect();
    let mut image = vec![T::zeroed(); problem.shape.elements() as usize];
    let array = ArrayViewMut::from_shape(IxDyn(&sizes), &mut image);
    let mut array = array.expect("the image has the shape's elements");
    let axis = Axis(
        problem
            .shape
            .reduced()
            .next()
            .expect("a problem reduces a dimension"),
    );
    let mut lanes = array.lanes_mut(axis).into_iter();
    let mut next = 0;
    for (&number, row) in inputs.rows.iter().zip(launch.rows::<T>(problem)) {
        let lane = lanes.nth((number - next) as usize);
        lane.expect("a checked row is a row").assign(&row);
        next = number + 1;
    }
    write(0, bytemuck::cast_slice(&image));
}

/// The rows of a problem that are checked, ascending; all of them unless there are very many.
pub fn checked_rows(problem: &Problem) -> Vec<u64> {
    let (rows, row) = (problem.shape.rows(), problem.shape.reduced_size());
    let most = (MAX_CHECKED_ELEMENTS / row).min(MAX_CHECKED_ROWS);
    if rows <= most {
        return (0..rows).collect();
    }
    let window = (most / WINDOWS).max(1);
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

fn make<T: Element>(
    problem: &Problem,
    seed: u64,
    launch: usize,
    rows: &[u64],
    pattern: &dyn Fn(usize) -> Pattern,
) -> LaunchInput {
    let row_elements = problem.shape.reduced_size() as usize;
    let elements = rows.len() * row_elements;
    let mut words = vec![0u64; (elements * size_of::<T>()).div_ceil(8)];
    let typed: &mut [T] = &mut bytemuck::cast_slice_mut(&mut words)[..elements];
    let mut expected = Vec::with_capacity(rows.len());
    for (position, (&row, elements)) in rows
        .iter()
        .zip(typed.chunks_exact_mut(row_elements))
        .enumerate()
    {
        let mut lane = ArrayViewMut1::from(elements);
        let pattern = pattern(position);
        let stream = u128::from(seed) << 64 | u128::from(row) << 8 | launch as u128;
        let mut rng = Pcg64Mcg::seed_from_u64(mix(stream));
        let turn = launch * rows.len() + position;
        pattern.fill(problem.operation, lane.view_mut(), turn, &mut rng);
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
    LaunchInput { words, expected }
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

    fn inputs(problem: &str, seed: u64) -> Inputs {
        Inputs::new(&problem.parse().unwrap(), seed).unwrap()
    }

    #[track_caller]
    fn check_patterns(problem: &str) {
        let inputs = inputs(problem, 1);
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
        let wide = inputs("argmax:163840x[384]xf32", 1);
        assert_eq!((wide.rows[0], wide.rows.last()), (0, Some(&163_839)));
        assert!(wide.rows.len() as u64 * 384 <= MAX_CHECKED_ELEMENTS);
        assert_eq!(inputs("argmax:2x[5000000]xf32", 1).rows, [0, 1]);
    }

    #[track_caller]
    fn check_too_large(problem: &str, part: &str) {
        let error = Inputs::new(&problem.parse().unwrap(), 1)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused_at_once() {
        check_too_large(
            "argmax:1024x[1073741824]xf32",
            "elements take 4398046511104 bytes",
        );
        check_too_large(
            "argmax:1000000000x[1]xf32",
            "values and indices take 8000000000",
        );
        check_too_large("argmax:[2147483647]xi8", "under every pattern");
    }

    #[test]
    fn a_seed_is_reproducible_and_seeds_differ() {
        let words = |seed| inputs("argmax:4x[100]xf32", seed).launches[0].words.clone();
        assert_eq!(words(1), words(1));
        assert_ne!(words(1), words(2));
    }

    /// Writing and reading back by index gives each row, wherever the reduced dimension is.
    #[track_caller]
    fn check_written(problem: &str, element: impl Fn(u64, u64) -> u64) {
        let inputs = inputs(problem, 1);
        let mut image = vec![0u8; inputs.problem.input_bytes() as usize];
        let launch = &inputs.launches[1];
        inputs.write(launch, |offset, bytes| {
            image[offset as usize..][..bytes.len()].copy_from_slice(bytes)
        });
        let image: &[i32] = bytemuck::cast_slice(&image);
        for (&number, row) in inputs.rows.iter().zip(launch.rows::<i32>(&inputs.problem)) {
            for (i, &x) in row.iter().enumerate() {
                assert_eq!(
                    image[element(number, i as u64) as usize],
                    x,
                    "{problem}: row {number}, {i}"
                );
            }
        }
    }

    #[test]
    fn rows_are_written_where_they_belong() {
        check_written("argmax:6x[10]xi32", |row, i| row * 10 + i);
        check_written("argmax:[10]x6xi32", |row, i| i * 6 + row);
        check_written("argmax:3x[10]x2xi32", |row, i| {
            (row / 2 * 10 + i) * 2 + row % 2
        });
        check_written("argmax:50000x[101]xi32", |row, i| row * 101 + i);
    }

    /// How many of `holes` (sets of elements that a kernel leaves out of every row) change some row's result.
    fn found(
        problem: &str,
        holes: impl Iterator<Item = Box<dyn Fn(u64) -> bool>>,
    ) -> (usize, usize) {
        let inputs = inputs(problem, 0);
        let results = || inputs.launches.iter().flat_map(|launch| &launch.expected);
        let holes: Vec<_> = holes.collect();
        let found = holes
            .iter()
            .filter(|hole| results().any(|row| row.replaced && hole(row.index)));
        (found.count(), holes.len())
    }

    /// The elements of part `part` of `parts`, dealt out `grain` at a time.
    fn dealt(grain: u64, parts: u64) -> impl Iterator<Item = Box<dyn Fn(u64) -> bool>> {
        (0..parts).map(move |part| {
            Box::new(move |index| index / grain % parts == part) as Box<dyn Fn(u64) -> bool>
        })
    }

    #[test]
    fn elements_that_a_kernel_leaves_out_are_missed() {
        for problem in [
            "argmax:4x[32000]xf32",
            "argmin:[50257]xbf16",
            "argmax:64x[8192]xi32",
        ] {
            // A vector element, a lane of 16, a subgroup of 16, a step of 8.
            for (grain, parts) in [(1, 4), (1, 16), (4, 16), (256, 16), (1024, 8)] {
                let (found, all) = found(problem, dealt(grain, parts));
                assert_eq!(found, all, "{problem}: {parts} parts of {grain}");
            }
            // A single lane of 64; the fixed inputs cannot meet every one.
            let (found, all) = found(problem, dealt(4, 64));
            assert!(found * 5 >= all * 4, "{problem}: {found} of {all} lanes");
        }
    }
}
