//! Patterns: long lists of points, written as few sums.
//!
//! The algorithm cuts a list of points (lane, row, column, …) into runs with equal distances.
//! Runs of the same form with equal distances become one longer pattern, and so on. The patterns
//! stand for the same points in the same order.

use std::fmt::Write as _;

/// Points with equal distances at every level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PointPattern<const N: usize> {
    first: [i64; N],
    /// The number of repetitions and the distance of each level, outermost first.
    levels: Vec<(u32, [i64; N])>,
}

/// Returns the patterns of a list.
pub(super) fn patterns<const N: usize>(
    points: impl Iterator<Item = [i64; N]>,
) -> Vec<PointPattern<N>> {
    let mut patterns: Vec<PointPattern<N>> = points
        .map(|first| PointPattern {
            first,
            levels: Vec::new(),
        })
        .collect();
    // Each round adds one level; it ends when no two neighbours merge.
    loop {
        let merged = merged(&patterns);
        if merged.len() == patterns.len() {
            return patterns;
        }
        patterns = merged;
    }
}

/// Merges neighbours of the same form with equal distances.
fn merged<const N: usize>(patterns: &[PointPattern<N>]) -> Vec<PointPattern<N>> {
    let distance = |pair: &[PointPattern<N>]| -> [i64; N] {
        std::array::from_fn(|n| pair[1].first[n] - pair[0].first[n])
    };
    let mut merged = Vec::new();
    let mut rest = patterns;
    while let [first, others @ ..] = rest {
        let alike = others
            .iter()
            .take_while(|other| other.levels == first.levels)
            .count();
        let pairs = rest[..=alike].windows(2).map(distance);
        // The run goes on while the distance is that of the first pair.
        let step = pairs.clone().next();
        let more = pairs.take_while(|distance| Some(*distance) == step).count();
        let mut pattern = first.clone();
        if let Some(step) = step.filter(|_| more > 0) {
            pattern.levels.insert(0, (more as u32 + 1, step));
        }
        merged.push(pattern);
        rest = &rest[more + 1..];
    }
    merged
}

impl<const N: usize> PointPattern<N> {
    /// Returns coordinate `n` as a sum such as `12 + 4a + b`.
    pub(super) fn sum(&self, n: usize) -> String {
        let mut text = String::new();
        for (letter, (_, step)) in ('a'..).zip(&self.levels) {
            let (sign, factor) = (step[n].signum(), step[n].unsigned_abs());
            let joint = match (text.is_empty(), sign) {
                (_, 0) => continue,
                (true, 1) => "",
                (true, _) => "-",
                (false, 1) => " + ",
                (false, _) => " - ",
            };
            let _ = match factor {
                1 => write!(text, "{joint}{letter}"),
                _ => write!(text, "{joint}{factor}{letter}"),
            };
        }
        match (self.first[n], text.is_empty(), text.starts_with('-')) {
            (first, true, _) => first.to_string(),
            (0, false, _) => text,
            (first, false, true) => format!("{first} - {}", &text[1..]),
            (first, false, false) => format!("{first} + {text}"),
        }
    }

    /// Returns the range of each letter, such as ` (a < 16, b < 4)`, or nothing if there is none.
    pub(super) fn ranges(&self) -> String {
        let letters = ('a'..).zip(&self.levels);
        let ranges: Vec<String> = letters
            .map(|(letter, (count, _))| format!("{letter} < {count}"))
            .collect();
        match ranges.is_empty() {
            true => String::new(),
            false => format!(" ({})", ranges.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All points again.
    fn points<const N: usize>(pattern: &PointPattern<N>) -> Vec<[i64; N]> {
        let mut points = vec![pattern.first];
        for (count, step) in &pattern.levels {
            let along = |point: &[i64; N]| {
                let point = *point;
                (0..i64::from(*count)).map(move |k| std::array::from_fn(|n| point[n] + k * step[n]))
            };
            points = points.iter().flat_map(along).collect();
        }
        points
    }

    #[track_caller]
    fn check(list: &[[i64; 2]], expected: &[&str]) {
        let patterns = patterns(list.iter().copied());
        let again: Vec<[i64; 2]> = patterns.iter().flat_map(points).collect();
        assert_eq!(again, list);
        let text = patterns
            .iter()
            .map(|p| format!("{}: {}{}", p.sum(0), p.sum(1), p.ranges()));
        assert_eq!(text.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lists_as_sums() {
        check(&[], &[]);
        check(&[[3, 7]], &["3: 7"]);
        check(&[[0, 5], [1, 9], [2, 13]], &["a: 5 + 4a (a < 3)"]);
        check(
            &[[0, 1], [1, 0], [2, 3], [3, 2]],
            &["2a + b: 1 + 2a - b (a < 2, b < 2)"],
        );
        check(
            &[[0, 4], [1, 4], [2, 3], [3, 3], [4, 9]],
            &["2a + b: 4 - a (a < 2, b < 2)", "4: 9"],
        );
        check(&[[5, -1], [4, -1]], &["5 - a: -1 (a < 2)"]);
    }
}
