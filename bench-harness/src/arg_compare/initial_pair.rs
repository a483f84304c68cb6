//! Initial pairs: the outputs' contents before a launch. They find a kernel that begins with
//! another pair.

use configgen::ElementType;
use configgen::comparator::Evaluator;
use ndarray::aview1;
use rand::Rng;
use rand::seq::IndexedRandom;

use super::pattern::ArgComparePattern;
use super::reference::fold;
use super::values::ComparatorValues;

/// The relation of an initial value to its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InitialPair {
    /// The result of the row itself. A comparator that keeps the first of equal values keeps the
    /// initial pair.
    Best,
    /// A value that beats every element, if one exists.
    Better,
    /// Any finite value.
    Random,
    /// The initial value of a fold without initial pairs.
    Usual,
    /// A NaN of some kind, for floats only.
    Nan,
}

impl InitialPair {
    const INTEGER: [InitialPair; 4] = [Self::Best, Self::Better, Self::Random, Self::Usual];
    const FLOAT: [InitialPair; 5] = [
        Self::Best,
        Self::Better,
        Self::Nan,
        Self::Random,
        Self::Usual,
    ];

    fn all(element: ElementType) -> &'static [InitialPair] {
        match element.is_float() {
            true => &Self::FLOAT,
            false => &Self::INTEGER,
        }
    }

    /// Returns the initial pair's kind for row `turn` among the rows of all launches, with this
    /// pattern.
    pub(super) fn of(pattern: ArgComparePattern, element: ElementType, turn: usize) -> InitialPair {
        if pattern == ArgComparePattern::Planted {
            // These rows find elements that a kernel skips. A better initial value would hide the
            // skipped element.
            return Self::Usual;
        }
        // When patterns repeat in later rows, each then meets the next kind.
        let patterns = ArgComparePattern::all(element).len();
        let (round, place) = (turn / patterns, turn % patterns);
        let starts = Self::all(element);
        starts[(round + place) % starts.len()]
    }

    /// Returns the initial value of a row.
    pub(super) fn value(
        self,
        values: &ComparatorValues,
        row: &[u64],
        compare: &mut Evaluator,
        rng: &mut impl Rng,
    ) -> u64 {
        let mut best = || fold(compare, values.start, aview1(row)).value;
        match self {
            Self::Best => best(),
            Self::Better => {
                let best = best();
                // The winner of these values depends on the comparator, so both directions are
                // tried.
                let mut candidates = values.extremes.iter().chain([&values.winner]).copied();
                let better = candidates
                    .find(|&value| compare.compare(value, best) && !compare.compare(best, value));
                better.unwrap_or(best)
            }
            Self::Random => values.random(rng),
            Self::Usual => values.start,
            Self::Nan => values.nans.choose(rng).copied().unwrap_or(values.start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use configgen::Problem;
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    #[track_caller]
    fn check(comparator: &str, start: InitialPair, row: &[f32], expected: f32) {
        let problem: Problem = format!("{comparator}:[1]xf32").parse().unwrap();
        let values = ComparatorValues::new(&problem.arg_compare().unwrap().comparator);
        let row: Vec<u64> = row.iter().map(|value| value.to_bits().into()).collect();
        let mut compare = problem.arg_compare().unwrap().comparator.evaluator();
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let value = start.value(&values, &row, &mut compare, &mut rng);
        assert_eq!(
            f32::from_bits(value as u32),
            expected,
            "{comparator} {start:?}"
        );
    }

    #[test]
    fn initial_values_of_a_row() {
        let inf = f32::INFINITY;
        check("argmax", InitialPair::Best, &[1.0, 3.0, 2.0], 3.0);
        check("argmin", InitialPair::Best, &[1.0, 3.0, 2.0], 1.0);
        check("argmax", InitialPair::Better, &[1.0, 3.0], inf);
        check("argmin", InitialPair::Better, &[1.0, 3.0], -inf);
        check("argmin", InitialPair::Better, &[1.0, -inf], -inf);
        check("argmax", InitialPair::Usual, &[1.0, 3.0], -inf);
        check("argmax", InitialPair::Best, &[f32::NAN], -inf);
    }

    #[test]
    fn every_start_occurs_and_none_hides_a_planted_winner() {
        for problem in ["argmax:[9]xf32", "argmin:[9]xi64"] {
            let problem: Problem = problem.parse().unwrap();
            let patterns = ArgComparePattern::all(problem.element);
            let starts = |turns: std::ops::Range<usize>| -> Vec<InitialPair> {
                let of =
                    |turn| InitialPair::of(patterns[turn % patterns.len()], problem.element, turn);
                turns.map(of).collect()
            };
            let once = starts(0..patterns.len());
            let all = InitialPair::all(problem.element);
            assert!(all.iter().all(|start| once.contains(start)), "{problem}");
            let again = starts(patterns.len()..2 * patterns.len());
            for ((first, second), pattern) in once.iter().zip(&again).zip(patterns) {
                match pattern {
                    ArgComparePattern::Planted => {
                        assert_eq!((first, second), (&InitialPair::Usual, &InitialPair::Usual))
                    }
                    _ => assert_ne!(first, second, "{problem}: {pattern}"),
                }
            }
        }
    }
}
