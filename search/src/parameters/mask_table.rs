//! Tables of a condition: for each choice of its earlier parameters, the values that its next
//! parameter may have.

use super::expression::{Expression, ExpressionStack};
use super::value::{Parameter, ParameterValue};

/// The maximum number of evaluations for the tables of one condition. A condition over more
/// combinations is evaluated at each configuration instead.
// A truth table takes one byte for each combination, so 1 MiB at most.
const MAX_COMBINATIONS: usize = 1 << 20;

/// A condition's truth for all combinations of its parameters' values.
pub(super) struct TruthTable {
    /// The parameters by number; the last one varies fastest.
    parameters: Vec<usize>,
    sizes: Vec<usize>,
    truth: Vec<bool>,
}

/// The values that a parameter may have, by the positions of earlier parameters.
pub(super) struct MaskTable {
    /// The earlier parameters, each with its stride in `masks`.
    strides: Vec<(usize, usize)>,
    masks: Vec<u64>,
}

/// Returns the number of words of a mask over `values` values.
pub(super) fn words(values: usize) -> usize {
    values.div_ceil(64)
}

impl TruthTable {
    /// Evaluates a condition, or returns none if it has too many combinations. `domains` are the
    /// possible positions of each parameter's values.
    pub(super) fn new<'a>(
        condition: &'a Expression,
        parameters: &'a [Parameter],
        domains: &[Vec<u32>],
    ) -> Option<TruthTable> {
        let used = condition.parameters().to_vec();
        let sizes: Vec<usize> = used.iter().map(|&one| domains[one].len()).collect();
        let combinations = sizes
            .iter()
            // 256 parameters with 65,536 values each exceed 64 bits.
            .try_fold(1usize, |all, &size| all.checked_mul(size));
        let combinations = combinations.filter(|&all| all <= MAX_COMBINATIONS)?;
        let mut stack = ExpressionStack::default();
        let value = |slot: usize, place: usize| -> &'a ParameterValue {
            let parameter = used[slot];
            &parameters[parameter].values[domains[parameter][place] as usize]
        };
        let mut places = vec![0; used.len()];
        let mut truth = Vec::with_capacity(combinations);
        let mut values: Vec<&ParameterValue> = match combinations {
            // An empty domain has no first value.
            0 => Vec::new(),
            _ => (0..used.len()).map(|slot| value(slot, 0)).collect(),
        };
        for _ in 0..combinations {
            truth.push(condition.holds(&values, &mut stack));
            // `each_holding` reads the table in this order: the last slot varies fastest.
            for slot in (0..used.len()).rev() {
                places[slot] += 1;
                if places[slot] < sizes[slot] {
                    values[slot] = value(slot, places[slot]);
                    break;
                }
                places[slot] = 0;
                values[slot] = value(slot, 0);
            }
        }
        Some(TruthTable {
            parameters: used,
            sizes,
            truth,
        })
    }

    pub(super) fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    /// Returns the fraction of combinations of the parameters in `is_bound` that some values of the
    /// others complete.
    pub(super) fn density(&self, is_bound: impl Fn(usize) -> bool) -> f64 {
        let mut strides = vec![0; self.parameters.len()];
        let mut combinations = 1;
        for (slot, &parameter) in self.parameters.iter().enumerate() {
            if is_bound(parameter) {
                strides[slot] = combinations;
                combinations *= self.sizes[slot];
            }
        }
        let mut is_possible = vec![false; combinations];
        self.each_holding(|places| {
            let row: usize = places.iter().zip(&strides).map(|(at, by)| at * by).sum();
            is_possible[row] = true;
        });
        let possible = is_possible.iter().filter(|it| **it).count();
        // An empty domain leaves no combination, and 0 / 0 is no number.
        possible as f64 / combinations.max(1) as f64
    }

    /// Calls `visit` with the places of each combination that holds.
    fn each_holding(&self, mut visit: impl FnMut(&[usize])) {
        let mut places = vec![0; self.parameters.len()];
        for holds in &self.truth {
            if *holds {
                visit(&places);
            }
            for slot in (0..places.len()).rev() {
                places[slot] += 1;
                if places[slot] < self.sizes[slot] {
                    break;
                }
                places[slot] = 0;
            }
        }
    }

    /// Returns whether the condition holds for any combination with this place of its only
    /// parameter.
    pub(super) fn holds_at(&self, place: usize) -> bool {
        self.truth[place]
    }

    /// Returns a table for each parameter, with its number: which of its values have a completion,
    /// given the parameters before it in `order`. Omits tables that exclude nothing new.
    pub(super) fn masks(&self, order: &[usize]) -> Vec<(usize, MaskTable)> {
        let mut sorted: Vec<usize> = (0..self.parameters.len()).collect();
        let depth = |slot: &usize| order.iter().position(|&one| one == self.parameters[*slot]);
        // When the enumeration reads a table, only the values of earlier parameters are known.
        sorted.sort_by_key(depth);
        let mut tables = Vec::new();
        for end in 1..=sorted.len() {
            let (last, earlier) = (sorted[end - 1], &sorted[..end - 1]);
            let width = words(self.sizes[last]);
            let mut strides = vec![0; self.parameters.len()];
            let mut rows = 1;
            for &slot in earlier {
                strides[slot] = rows * width;
                rows *= self.sizes[slot];
            }
            let mut masks = vec![0u64; rows * width];
            self.each_holding(|places| {
                let row: usize = places.iter().zip(&strides).map(|(at, by)| at * by).sum();
                masks[row + places[last] / 64] |= 1 << (places[last] % 64);
            });
            let set: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
            // A table with all bits set excludes nothing and costs time.
            if (set as usize) < rows * self.sizes[last] {
                let strides = earlier
                    .iter()
                    .map(|&slot| (self.parameters[slot], strides[slot]));
                let strides = strides.collect();
                tables.push((self.parameters[last], MaskTable { strides, masks }));
            }
        }
        tables
    }
}

impl MaskTable {
    /// Removes the values from `mask` that the condition excludes.
    pub(super) fn restrict(&self, places: &[u32], mask: &mut [u64]) {
        let offsets = self.strides.iter();
        let row: usize = offsets
            .map(|&(parameter, stride)| places[parameter] as usize * stride)
            .sum();
        let allowed = &self.masks[row..row + mask.len()];
        for (word, allowed) in mask.iter_mut().zip(allowed) {
            *word &= allowed;
        }
    }
}
