//! The comparison of a module's operation with a pattern, including the definitions of its
//! operands: exactly the match that a matcher of the spec finds.

use std::collections::HashMap;

use super::module_text::{Function, Statement, StatementToken, tokens};

/// Returns true if two operations differ only in the names of values. A value that the pattern
/// does not define matches any value.
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
                    // A known name must stand for the same result of the same operation.
                    (Some(known), _) => *known == (*other, *of_other),
                    (None, None) => names.insert(name, (other, of_other)).is_none(),
                    (None, Some(definition)) => {
                        let defined = found.0.definition(other);
                        // A pattern's definitions are compared recursively; its block arguments
                        // match any value.
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

/// Returns true if two words are the same number in a constant. Integers have up to 64 bits,
/// which an f64 cannot hold. The two zeros are different numbers.
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
