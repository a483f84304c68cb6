//! Inputs: the rows that kernels are verified on, each with its pattern and its expected result.
//!
//! Rows are independent, so every row of a launch has a pattern of its own, and as many launches are made as it takes
//! for each pattern to occur. Launches with one winner a row follow, until enough places have been one. A kernel that mixes rows up then returns another pattern's result. Of a very large
//! input only some rows are filled and checked: windows at its beginning, middle and end.

use configgen::Problem;
use configgen::comparator::Evaluator;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::pattern::Pattern;
use crate::place::Places;
use crate::reference::fold;
use crate::values::Values;

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
    /// The elements, each in its own number of bytes.
    bytes: Vec<u8>,
    /// One for each checked row, in their order.
    pub(crate) expected: Vec<Expected>,
}

/// What a row should give.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub(crate) pattern: Pattern,
    /// Bits of the value.
    pub(crate) value: u64,
    /// Position of the winner; none if no element beat the initial value.
    pub(crate) position: Option<u64>,
}

impl Inputs {
    /// Changes whenever the same problem and seed give other inputs.
    pub const VERSION: u32 = 2;

    /// Makes the inputs of a problem. The same seed gives the same inputs.
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
        let values = Values::new(&problem.comparator);
        let launches = (0..launches)
            .map(|launch| {
                let pattern = |position| match launch < patterned {
                    true => Pattern::of(problem.element, rows.len(), launch, position),
                    false => Pattern::Planted,
                };
                let mut making = Rows {
                    problem,
                    values: &values,
                    compare: problem.comparator.evaluator(),
                    seed,
                };
                making.fill(launch, &rows, &pattern)
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
            .map(|launch| launch.bytes.len() as u64)
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
        let places = Places::new(&self.problem);
        let row = row_bytes(&self.problem);
        if !places.rows_are_contiguous() {
            let mut image = vec![0; self.problem.input_bytes() as usize];
            for (&number, bytes) in self
                .rows
                .iter()
                .zip(launch.bytes.chunks_exact(row as usize))
            {
                places.write_row(&mut image, number, bytes);
            }
            return write(0, &image);
        }
        let mut start = 0;
        // Neighbouring rows lie together on both sides.
        let offset = |number: &u64| places.offset(*number);
        for neighbours in self.rows.chunk_by(|a, b| offset(a) + row == offset(b)) {
            let length = neighbours.len() * row as usize;
            write(offset(&neighbours[0]), &launch.bytes[start..start + length]);
            start += length;
        }
    }
}

impl LaunchInput {
    /// The bits of each element of the checked rows, row by row in their order.
    pub(crate) fn rows(&self, problem: &Problem) -> impl Iterator<Item = Row<'_>> {
        let size = problem.element.bytes() as usize;
        self.bytes
            .chunks_exact(row_bytes(problem) as usize)
            .map(move |bytes| Row { bytes, size })
    }
}

/// The elements of one row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl Row<'_> {
    /// The bits of the element at a position, if there is one.
    pub(crate) fn get(&self, position: usize) -> Option<u64> {
        let bytes = self.bytes.chunks_exact(self.size).nth(position)?;
        Some(bits(bytes))
    }
}

/// An element, or an index, of at most eight bytes.
pub(crate) fn bits(bytes: &[u8]) -> u64 {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(padded)
}

/// Bytes of one row.
fn row_bytes(problem: &Problem) -> u64 {
    problem.shape.reduced_size() * u64::from(problem.element.bytes())
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

/// Makes rows and what they should give.
struct Rows<'a> {
    problem: &'a Problem,
    values: &'a Values,
    compare: Evaluator,
    seed: u64,
}

impl Rows<'_> {
    fn fill(
        &mut self,
        launch: usize,
        rows: &[u64],
        pattern: &dyn Fn(usize) -> Pattern,
    ) -> LaunchInput {
        let size = self.problem.element.bytes() as usize;
        let mut row = vec![0u64; self.problem.shape.reduced_size() as usize];
        let mut bytes = Vec::with_capacity(rows.len() * row.len() * size);
        let mut expected = Vec::with_capacity(rows.len());
        for (position, &number) in rows.iter().enumerate() {
            let pattern = pattern(position);
            let stream = u128::from(self.seed) << 64 | u128::from(number) << 8 | launch as u128;
            let mut rng = Pcg64Mcg::seed_from_u64(mix(stream));
            let turn = launch * rows.len() + position;
            pattern.fill(self.values, &mut row, turn, &mut rng);
            let found = fold(&mut self.compare, self.values.worst, row.iter().copied());
            expected.push(Expected {
                pattern,
                value: found.value,
                position: found.position.map(|position| position as u64),
            });
            for element in &row {
                bytes.extend_from_slice(&element.to_le_bytes()[..size]);
            }
        }
        LaunchInput { bytes, expected }
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
        let bytes = |seed| inputs("argmax:4x[100]xf32", seed).launches[0].bytes.clone();
        assert_eq!(bytes(1), bytes(1));
        assert_ne!(bytes(1), bytes(2));
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
        let image: &[u32] = bytemuck::cast_slice(&image);
        for (&number, row) in inputs.rows.iter().zip(launch.rows(&inputs.problem)) {
            for i in 0..inputs.problem.shape.reduced_size() {
                let found = image[element(number, i) as usize];
                let written = row.get(i as usize).unwrap();
                assert_eq!(u64::from(found), written, "{problem}: row {number}, {i}");
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
        check_written("argmax:[3]x4x[5]xi32", |row, i| {
            (i / 5 * 4 + row) * 5 + i % 5
        });
        check_written("argmax:6x[10]xi32:i32:pitch=16", |row, i| row * 16 + i);
        check_written("argmax:[6]x10xi32:i32:pitch=16", |row, i| i * 16 + row);
        check_written("argmax:6x[3]x[10]xi32:i32:pitch=16", |row, i| {
            (row * 3 + i / 10) * 16 + i % 10
        });
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
            .filter(|hole| results().any(|row| row.position.is_some_and(hole)));
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
