//! Whether an operation of a module is that of a pattern, with all that it is made of: what a matcher of the spec finds.

use std::collections::HashMap;

use super::module_text::{Function, Statement, StatementToken, tokens};

/// Whether two operations are the same but for the names of values. What the pattern does not define is any value.
pub(super) fn is_same(
    pattern: (&Function<'_>, Statement<'_>),
    found: (&Function<'_>, Statement<'_>),
) -> bool {
    let (of_pattern, of_found) = (tokens(pattern.1.text), tokens(found.1.text));
    let mut names: HashMap<&str, (&str, &str)> = HashMap::new();
    of_pattern.len() == of_found.len()
        && of_pattern.iter().zip(&of_found).all(|pair| match pair {
            (StatementToken::Value(name, number), StatementToken::Value(other, of_other)) => {
                match (names.get(name), pattern.0.definition(name)) {
                    // One of several results of an operation is a value like any other.
                    (Some(known), _) => *known == (*other, *of_other),
                    (None, None) => names.insert(name, (other, of_other)).is_none(),
                    (None, Some(definition)) => {
                        let defined = found.0.definition(other);
                        number == of_other
                            && defined
                                .is_some_and(|it| is_same((pattern.0, definition), (found.0, it)))
                    }
                }
            }
            (StatementToken::Other(one), StatementToken::Other(other)) => {
                one == other || is_same_number(pattern.1, one, other)
            }
            _ => false,
        })
}

/// Whether two words are one number in a constant. Integers have up to 64 bits, of which an f64 has not all; and the two zeros
/// are two numbers.
fn is_same_number(constant: Statement<'_>, one: &str, other: &str) -> bool {
    if constant.name() != "arith.constant" {
        return false;
    }
    let integer = |word: &str| word.parse::<i128>().ok();
    let float = |word: &str| word.parse::<f64>().ok().map(f64::to_bits);
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one == other,
        _ => float(one).is_some() && float(one) == float(other),
    }
}
