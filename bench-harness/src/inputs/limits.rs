//! Limits: the number of checked rows and of launches, and the largest problem that the bench
//! verifies.

use std::sync::Arc;

use configgen::{Problem, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::operation::{Maker, OperandSubset, Slot, ViewAddressing};

/// The maximum number of checked elements of a launch, unless the fewest rows have more. A trial
/// has at least [`MIN_LAUNCHES`] launches.
const MAX_CHECKED_ELEMENTS: u64 = 3 << 18;

/// The maximum number of checked rows. Each costs at least a wave if a configuration distributes
/// rows one by one.
const MAX_CHECKED_ROWS: u64 = 768;

/// The maximum for maps, with one element per row. Such a row costs no more than its neighbours.
const MAX_CHECKED_PLACES: u64 = 1 << 15;

/// The number of windows of consecutive rows that are checked if not all are.
const WINDOWS: u64 = 3;

/// The number of rows at random places that are checked besides the windows. A workgroup of
/// several rows computes each of them with its neighbours.
const RANDOM_ROWS: usize = 4;

/// The number of rows on each side of the boundary of a batch.
const BOUNDARY_ROWS: u64 = 2;

/// The minimum number of launches. With two, the bench checks every row of a wide problem under
/// two patterns.
const MIN_LAUNCHES: usize = 2;

/// The number of rows that find skipped elements if they have at most [`CHEAP_ELEMENTS`] together.
/// Short rows have tails at many places.
const CHEAP_PLANTED_ROWS: usize = 128;
const CHEAP_ELEMENTS: u64 = 1 << 18;

/// The maximum size in bytes of the checked rows of all launches, with their operands. The host
/// holds them once, and every worker's device once more.
const MAX_CHECKED_BYTES: u64 = 5 << 28;

/// The maximum size in bytes of the input, of all operands, and of all outputs. Unchecked rows
/// cost no host memory.
const MAX_TENSOR_BYTES: u64 = 1 << 33;

/// The reason why the bench cannot verify a problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputsError {
    /// The problem is too large.
    #[error(
        "{problem} is too large to be verified: {what} take {bytes} bytes, the limit is {limit}"
    )]
    TooLarge {
        /// The problem.
        problem: Box<Problem>,
        /// The name of the part that is too large.
        what: Box<str>,
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

/// The checked rows of a problem and their launches.
pub(super) struct Plan {
    /// The checked rows, ascending.
    pub(super) rows: Vec<u64>,
    /// The number of patterns.
    patterns: usize,
    /// The number of launches in which rows have patterns. Later launches find skipped elements.
    patterned: usize,
    pub(super) launches: usize,
    /// The subsets of the operands that these rows need.
    pub(super) needed: Arc<[OperandSubset]>,
    /// The addressing of the rows in the problem's own input, if it is a view.
    pub(super) own: Option<ViewAddressing>,
    /// The size in bytes of all checked rows and operands.
    pub(super) bytes: u64,
}

impl Plan {
    /// Plans the rows that this maker fills.
    ///
    /// # Errors
    /// [`InputsError::TooLarge`] if a tensor or the checked rows exceed their limit.
    pub(super) fn new(problem: &Problem, maker: &dyn Maker) -> Result<Plan, InputsError> {
        let (patterns, sets) = (maker.patterns(), maker.sets());
        let rows = checked_rows(problem);
        let elements = rows.len() as u64 * problem.shape.reduced_size();
        let patterned = patterns.div_ceil(rows.len()).max(MIN_LAUNCHES);
        let planted = maker.planted();
        let affordable = (planted.elements / elements) as usize;
        let cheap = (CHEAP_ELEMENTS / problem.shape.reduced_size()) as usize;
        let planted = planted.rows.max(CHEAP_PLANTED_ROWS.min(cheap));
        let planted = planted.div_ceil(rows.len()).min(affordable);
        // Each operand set after the first adds one launch.
        let launches = patterned + planted + sets - 1;
        let (operands, results) = (problem.operands(), problem.results());
        let operand_names = names(operands.iter().map(|input| &*input.name));
        let element_bytes = u64::from(problem.element.bytes());
        let checked = elements.saturating_mul(element_bytes);
        let checked = checked.saturating_mul(launches as u64);
        let too_large = |what: &str, bytes: u64, limit: u64| InputsError::TooLarge {
            problem: Box::new(problem.clone()),
            what: what.into(),
            bytes,
            limit,
        };
        let rows_to_check = "the rows to check, under every pattern,";
        let is_viewed = problem.view().is_some() || operands.iter().any(|it| it.view.is_some());
        // A view lists an offset per row and column, so this limit comes before the allocation of
        // the subsets.
        if is_viewed && checked > MAX_CHECKED_BYTES {
            return Err(too_large(rows_to_check, checked, MAX_CHECKED_BYTES));
        }
        let own = problem
            .view()
            .map(|view| ViewAddressing::new(problem, view, &rows));
        let tensor = own.as_ref().map_or(0, |own| own.elements * element_bytes);
        let checked = checked.saturating_add(tensor.saturating_mul(launches as u64));
        let needed: Arc<[OperandSubset]> = (operands.into_iter())
            .map(|input| OperandSubset::new(problem, input, &rows))
            .collect();
        let beside = needed.iter().map(OperandSubset::bytes).sum::<u64>() * sets as u64;
        for (what, bytes, limit) in [
            (
                "the input's elements".to_owned(),
                problem.input_bytes(),
                MAX_TENSOR_BYTES,
            ),
            (operand_names, problem.operand_bytes(), MAX_TENSOR_BYTES),
            (
                names(results.iter().map(|tensor| tensor.name)),
                problem.output_bytes(),
                MAX_TENSOR_BYTES,
            ),
            (
                rows_to_check.to_owned(),
                checked + beside,
                MAX_CHECKED_BYTES,
            ),
        ] {
            if bytes > limit {
                return Err(too_large(&what, bytes, limit));
            }
        }
        Ok(Plan {
            own,
            rows,
            needed,
            patterns,
            patterned,
            launches,
            bytes: checked + beside,
        })
    }

    /// Returns the checked rows of launch `launch`.
    pub(super) fn slots(&self, launch: usize) -> Vec<Slot> {
        let rows = self.rows.iter().enumerate();
        let slots = rows.map(|(place, &row)| Slot {
            row,
            turn: launch * self.rows.len() + place,
            pattern: (launch < self.patterned).then(|| self.pattern(launch, place)),
        });
        slots.collect()
    }

    /// Returns the pattern of the checked row at `place` in launch `launch`.
    ///
    /// If rows are few, each launch continues with the next patterns. If rows are many, each
    /// launch has all patterns, and each row another pattern in each launch.
    fn pattern(&self, launch: usize, place: usize) -> usize {
        let (rows, patterns) = (self.rows.len(), self.patterns);
        let step = if rows < patterns { rows } else { 5 };
        (launch * step + place) % patterns
    }
}

/// Joins names to a text such as "values and indices".
fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| name.replace('_', " ")).collect();
    names.join(" and ")
}

/// Returns the rows of a problem that the bench checks, ascending. These are all rows, or a sample
/// of them if the problem is large:
///
/// - windows at the beginning, in the middle and at the end, for the tiles and their tail
/// - the rows around a boundary of each parallel dimension
/// - rows at random places, always the same ones
pub fn checked_rows(problem: &Problem) -> Vec<u64> {
    let shape = &problem.shape;
    let (rows, row) = (shape.rows(), shape.reduced_size());
    let most = match shape.reduces() {
        true => (MAX_CHECKED_ELEMENTS / row).min(MAX_CHECKED_ROWS),
        false => MAX_CHECKED_PLACES,
    };
    if rows <= most {
        return (0..rows).collect();
    }
    let window = (most / WINDOWS).max(1);
    // The first, middle and last rows cover the start, the steady state and the tail of a tiling.
    let starts = [
        0,
        rows.saturating_sub(window) / 2,
        rows.saturating_sub(window),
    ];
    let mut chosen: Vec<u64> = starts
        .into_iter()
        .flat_map(|start| start..(start + window).min(rows))
        .collect();
    // Long rows are few, and the windows of one row each meet a boundary in the middle.
    if window > BOUNDARY_ROWS {
        for boundary in boundaries(shape) {
            chosen.extend(boundary.saturating_sub(BOUNDARY_ROWS)..boundary + BOUNDARY_ROWS);
        }
        let mut rng = Pcg64Mcg::seed_from_u64(rows);
        chosen.extend((0..RANDOM_ROWS).map(|_| rng.random_range(0..rows)));
        chosen.retain(|&row| row < rows);
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Returns a row for each parallel dimension with others inside. It begins a new coordinate of the
/// dimension, near a third of the rows.
fn boundaries(shape: &Shape) -> Vec<u64> {
    let rows = shape.rows();
    let mut inner = 1;
    let mut boundaries = Vec::new();
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        if inner > 1 && inner < rows {
            boundaries.push((rows / 3 / inner).max(1) * inner);
        }
        inner *= u64::from(shape.sizes()[d]);
    }
    boundaries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::maker;

    fn plan(problem: &str) -> Result<Plan, InputsError> {
        let problem: Problem = problem.parse().unwrap();
        Plan::new(&problem, &*maker(&problem, 1))
    }

    #[test]
    fn of_a_large_input_both_ends_and_the_middle_are_checked() {
        let wide = plan("argmax:163840x[384]xf32").unwrap().rows;
        assert_eq!((wide[0], wide.last()), (0, Some(&163_839)));
        assert!(wide.len() as u64 <= MAX_CHECKED_ROWS + RANDOM_ROWS as u64);
        assert!(wide.contains(&81_919) && wide.contains(&81_920));
        assert_eq!(plan("argmax:2x[5000000]xf32").unwrap().rows, [0, 1]);
    }

    /// Checks that the rows on both sides of a batch's boundary are checked, for each dimension.
    #[test]
    fn boundaries_of_batches_are_checked() {
        let rows = plan("sum:50x7x1000x[64]xf32").unwrap().rows;
        for boundary in [116_000, 112_000] {
            let both = [boundary - 1, boundary];
            assert!(both.iter().all(|row| rows.contains(row)), "{boundary}");
        }
    }

    #[track_caller]
    fn check_too_large(problem: &str, part: &str) {
        let error = plan(problem).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn too_large_inputs_are_refused_at_once() {
        check_too_large(
            "argmax:1024x[1073741824]xf32",
            "elements take 4398046511104 bytes",
        );
        check_too_large(
            "argmax:2000000000x[1]xf32",
            "values and indices take 16000000000",
        );
        check_too_large(
            "add_rms_norm:4000000x[1000]xf16",
            "values and sums take 16000000000",
        );
        assert!(plan("softmax:400000x[1000]xf16").is_ok());
        assert!(plan("softmax:8192x[131072]xf32").is_ok());
        check_too_large("argmax:[2147483647]xi8", "under every pattern");
        // Four long rows under 18 patterns, with 64 MiB each.
        assert!(plan("argmax:4x[16777216]xf32").is_ok());
        check_too_large(
            "argmax:2000000x[1000]xi8:i64:explicit_index",
            "explicit indices take 16000000000",
        );
        assert!(plan("argmax:[70000000]xi8:i64").is_ok());
        // The embeddings of Llama 3 8B, of which 32 rows are read.
        let table = plan("copy:32x4096xbf16(@1:128256,1),i32(0)").unwrap();
        assert!(table.bytes < 64 << 20, "{} bytes", table.bytes);
        check_too_large(
            "argmax:[70000000]xi8:i64:explicit_index",
            "every pattern, take 1470000000",
        );
    }
}
