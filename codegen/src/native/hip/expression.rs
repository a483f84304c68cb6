//! Expressions of C++: sums whose terms may be missing, and the digits of a number.

use std::fmt;

/// A sum; without terms it is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sum(Vec<String>);

impl Sum {
    /// The sum of one term.
    pub(super) fn of(term: impl Into<String>) -> Sum {
        Sum(vec![term.into()])
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// With the terms of another.
    pub(super) fn plus(mut self, other: Sum) -> Sum {
        self.0.extend(other.0);
        self
    }

    /// Times a constant with a name and this value, as one term.
    pub(super) fn times(self, name: &str, value: u64) -> Sum {
        match self.0.as_slice() {
            [] => self,
            _ if value == 1 => self,
            [term] => Sum::of(format!("{term} * {name}")),
            _ => Sum::of(format!("({self}) * {name}")),
        }
    }

    /// The terms behind a plus sign each.
    pub(super) fn added(&self) -> String {
        self.0.iter().map(|term| format!(" + {term}")).collect()
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [] => f.write_str("0"),
            terms => f.write_str(&terms.join(" + ")),
        }
    }
}

/// The digits of `number`, one for each count above 1, given with its name; the last is the fastest. The number is below
/// the product of the counts.
pub(super) fn digits(number: &str, counts: &[(u64, String)]) -> Vec<Option<String>> {
    let mut digits = vec![None; counts.len()];
    let mut rest = number.to_owned();
    let larger: Vec<usize> = (0..counts.len()).filter(|&d| counts[d].0 > 1).collect();
    for (place, &d) in larger.iter().enumerate().rev() {
        let name = &counts[d].1;
        digits[d] = Some(match place {
            0 => rest.clone(),
            _ => format!("{rest} % {name}"),
        });
        rest = format!("{rest} / {name}");
    }
    digits
}

/// The number with these digits, of which each is given with its count's name; the last is the fastest.
pub(super) fn number(digits: &[(String, String)]) -> String {
    let mut number = String::new();
    for (digit, count) in digits {
        number = match number.is_empty() {
            true => digit.clone(),
            false if number.contains(" + ") => format!("({number}) * {count} + {digit}"),
            false => format!("{number} * {count} + {digit}"),
        };
    }
    match number.is_empty() {
        true => "0".to_owned(),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_written_as_a_person_would() {
        let check = |sum: Sum, expected: &str| assert_eq!(sum.to_string(), expected);
        let two = || Sum::of("a").plus(Sum::of("b"));
        check(Sum::default(), "0");
        check(Sum::default().times("n", 2), "0");
        check(two().times("n", 1), "a + b");
        check(two().times("n", 2), "(a + b) * n");
        check(Sum::of("a").times("n", 2).plus(two()), "a * n + a + b");
    }

    #[test]
    fn digits_of_count_one_are_missing() {
        let counts = [(3, "x"), (1, "y"), (4, "z")].map(|(n, name)| (n, name.to_owned()));
        let expected = [Some("n / z"), None, Some("n % z")];
        assert_eq!(digits("n", &counts), expected.map(|d| d.map(str::to_owned)));
        let three = [("a", "p"), ("b", "q"), ("c", "r")];
        let three = three.map(|(digit, count)| (digit.to_owned(), count.to_owned()));
        assert_eq!(number(&three), "(a * q + b) * r + c");
    }
}
