//! Gather indices: the indices by which the checked rows gather elements of a tensor.

use std::ops::Range;

use configgen::Problem;
use configgen::comparator::ScalarType;
use configgen::view::ViewSource;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use crate::numbers::random;

/// The number of elements above which a tensor is large. The bench then holds only the parts that
/// can be read, and the gather indices are few.
pub(crate) const LARGE_TENSOR: u64 = 1 << 22;

/// The number of valid indices among which the rows choose, if a tensor is large.
const FEW: i64 = 48;

/// The indices in an input that gathers.
#[derive(Debug, Clone)]
pub(crate) struct GatherIndices {
    kind: ScalarType,
    /// The valid ones.
    range: Range<i64>,
    /// All indices that occur, ascending, if a tensor that they gather from is large. `None` if
    /// any index may occur.
    few: Option<Vec<i64>>,
}

impl GatherIndices {
    /// Returns the indices in an input. `None` if nothing is gathered by it.
    pub(crate) fn of(problem: &Problem, input: usize) -> Option<GatherIndices> {
        let operands = problem.function.as_ref()?.operands();
        let views = operands.iter().filter_map(|operand| operand.view.as_ref());
        let mut range = None;
        let mut is_large = false;
        for view in problem.view().into_iter().chain(views) {
            let all = view.along().iter();
            for along in all.filter(|along| along.by == ViewSource::Gathered(input)) {
                let (size, offset) = (along.size(&problem.shape), i64::from(along.offset));
                // A view's coordinate is index plus offset, or offset minus index if it is
                // reversed. The range holds all indices whose coordinate lies in the tensor.
                let first = match along.is_reversed {
                    false => -offset,
                    true => offset - i64::from(size) + 1,
                };
                range = Some(first..first + i64::from(size));
                is_large |= view.elements(&problem.shape) > LARGE_TENSOR;
            }
        }
        let range = range?;
        let kind = ScalarType::from(match input.checked_sub(1) {
            None => problem.element,
            Some(number) => operands[number].element,
        });
        let few = is_large.then(|| few(kind, &range));
        Some(GatherIndices { kind, range, few })
    }

    /// Returns the bits of an index, mostly a valid one. With `is_any` it is arbitrary.
    pub(super) fn draw(&self, is_any: bool, rng: &mut impl Rng) -> u64 {
        let bits = index(self.kind, &self.range, is_any, rng);
        let Some(few) = &self.few else { return bits };
        let place = few.partition_point(|&it| it < self.kind.signed(bits));
        few[place.min(few.len() - 1)] as u64 & self.kind.mask()
    }

    /// Returns all indices that occur, if they are few.
    pub(super) fn few(&self) -> Option<&[i64]> {
        self.few.as_deref()
    }
}

/// Returns an index, mostly in the range. One in 16 is just outside of the range, -1 or an
/// extreme. With `is_any` it is arbitrary.
pub(crate) fn index(kind: ScalarType, range: &Range<i64>, is_any: bool, rng: &mut impl Rng) -> u64 {
    if is_any {
        return random(kind, rng);
    }
    let index = match rng.random_range(0..16) {
        0 => *[range.start - 1, range.end, -1, i64::MIN, i64::MAX]
            .choose(rng)
            .expect("there are some"),
        1 => range.start,
        2 => range.end - 1,
        _ => rng.random_range(range.clone()),
    };
    index as u64 & kind.mask()
}

/// Returns indices all over the range, those beside it, and extreme ones.
fn few(kind: ScalarType, range: &Range<i64>) -> Vec<i64> {
    let last = range.end - range.start - 1;
    let within = (0..FEW).map(|number| range.start + last * number / (FEW - 1));
    let beside = [range.start - 1, range.end, -1, 0, i64::MIN, i64::MAX];
    let as_read = |index: i64| kind.signed(index as u64 & kind.mask());
    let lowest = as_read(1 << (kind.bits() - 1));
    let all = within.chain(beside).map(as_read);
    let mut all: Vec<i64> = all.chain([lowest, -(lowest + 1)]).collect();
    all.sort_unstable();
    all.dedup();
    all
}
