//! Differences between an expression and the definition of a row operation.

use super::candidate::FormCandidate;
use super::expression::Expressions;
use super::node::{Id, Node};
use crate::comparator::{ComparatorError, Cursor, Opcode};
use crate::reduction::Combining;

/// Returns the error at the innermost part of an expression that differs from `nearest`.
pub(super) fn difference<'a>(
    expressions: &Expressions<'a>,
    root: Id,
    nearest: &FormCandidate,
    place: Cursor<'a>,
) -> ComparatorError {
    let (mut found, mut expected) = (root, nearest.outputs[0]);
    let mut place = place;
    // Each step goes to an operand pair that differs, down to the innermost difference.
    while let Some(deeper) = pair(expressions, found, expected) {
        (found, expected) = deeper;
        place = expressions.place(found).unwrap_or(place);
    }
    let name = nearest.operation.name();
    // A missing operand explains the difference better than any place inside of the expression.
    let missing = nearest.inputs.iter().find(|(_, id)| {
        let is_within = |of: Id| expressions.within(of).contains(id);
        is_within(expected) && !is_within(root)
    });
    let what = match missing {
        Some((operand, _)) => {
            format!("its {operand} is missing; it must have the element type")
        }
        None => format!(
            "it has {} here, and this is {}",
            shown(expressions, expected, nearest),
            shown(expressions, found, nearest)
        ),
    };
    place.error(format!(
        "this is not part of a known row operation; the nearest one is {name}: {what}"
    ))
}

/// Returns the number of nested parts that an expression and a candidate share, down to a
/// difference.
pub(super) fn depth(expressions: &Expressions<'_>, root: Id, candidate: &FormCandidate) -> usize {
    let first = Some((root, candidate.outputs[0]));
    let pairs = std::iter::successors(first, |&(found, expected)| {
        pair(expressions, found, expected)
    });
    pairs.count()
}

/// Returns the operands in which two expressions of one kind differ.
///
/// If several differ, it returns the first computed one, because others are often made of it.
fn pair(expressions: &Expressions<'_>, found: Id, expected: Id) -> Option<(Id, Id)> {
    let first = |found: Vec<(Id, i32)>, expected: Vec<(Id, i32)>| {
        let (mut found, mut expected) = without(found, expected);
        found.sort_unstable();
        expected.sort_unstable();
        if found.len() != expected.len() {
            return None;
        }
        let alike = |one: Id, other: Id| {
            let kinds = [one, other].map(|it| std::mem::discriminant(expressions.node(it)));
            kinds[0] == kinds[1]
        };
        if let (&[(x, p)], &[(y, q)]) = (&found[..], &expected[..]) {
            return (p == q).then_some((x, y));
        }
        found.iter().find_map(|&(x, p)| {
            let mut all = expected.iter();
            let (y, _) = all.find(|&&(y, q)| p == q && alike(x, y))?;
            Some((x, *y))
        })
    };
    match (expressions.node(found), expressions.node(expected)) {
        (&Node::Sum(a, b), &Node::Sum(c, d)) => first(vec![(a, 1), (b, 1)], vec![(c, 1), (d, 1)]),
        // Different numbers keep the two operands of a difference from being exchanged.
        (&Node::Difference(a, b), &Node::Difference(c, d)) => {
            first(vec![(a, 1), (b, -1)], vec![(c, 1), (d, -1)])
        }
        (Node::Function(a, x, r), Node::Function(b, y, s)) if a == b && r == s => Some((*x, *y)),
        (Node::Fold(a, i, x, over), Node::Fold(b, j, y, too)) => {
            let is_same = a == b && i == j && over == too;
            is_same.then_some((*x, *y))
        }
        (Node::Product(a, x), Node::Product(b, y)) if a == b => first(x.clone(), y.clone()),
        _ => None,
    }
}

/// Returns the elements of each list without those of the other.
fn without<T: PartialEq + Copy>(
    one: impl IntoIterator<Item = T>,
    other: impl IntoIterator<Item = T>,
) -> (Vec<T>, Vec<T>) {
    let mut one: Vec<T> = one.into_iter().collect();
    let mut other: Vec<T> = other.into_iter().collect();
    one.retain(|it| match other.iter().position(|other| other == it) {
        Some(place) => {
            other.remove(place);
            false
        }
        None => true,
    });
    (one, other)
}

/// Returns a short description of an expression.
fn shown(expressions: &Expressions<'_>, id: Id, of: &FormCandidate) -> String {
    if let Some((name, _)) = of.inputs.iter().find(|it| it.1 == id) {
        return (*name).to_owned();
    }
    let again = |it: &Id| shown_briefly(expressions, *it, of);
    match expressions.node(id) {
        Node::Product(number, factors) => {
            let number = f64::from_bits(*number);
            let factors = factors.iter().map(|(factor, halves)| {
                let factor = again(factor);
                // The exponents count halves: 2 is the factor itself, 1 its root.
                match halves {
                    2 => factor,
                    -2 => format!("1 / {factor}"),
                    -1 => format!("1 / the root of {factor}"),
                    1 => format!("the root of {factor}"),
                    4 => format!("the square of {factor}"),
                    _ => format!("{factor} to the power {}", f64::from(*halves) / 2.0),
                }
            });
            let all: Vec<String> = match number == 1.0 {
                true => factors.collect(),
                false => [number.to_string()].into_iter().chain(factors).collect(),
            };
            match &all[..] {
                [one] => one.clone(),
                all => format!("the product of {}", all.join(", ")),
            }
        }
        Node::Sum(x, y) => format!("the sum of {} and {}", again(x), again(y)),
        Node::Difference(x, y) => format!("{} less {}", again(x), again(y)),
        Node::Function(Opcode::Select, x, _) => format!("{}, or 0 if that is infinite", again(x)),
        Node::Function(opcode, x, result) => {
            format!("{} of {} as {result}", opcode.name(), again(x))
        }
        Node::Fold(combining, initial, x, _) => {
            let what = match combining {
                Combining::Sum => "the sum of a row of",
                Combining::MaxNumber => "the maximum of a row of",
                _ => "another fold of a row of",
            };
            format!("{what} {} with the initial value 0x{initial:x}", again(x))
        }
        _ => shown_briefly(expressions, id, of),
    }
}

/// Returns a description without the operands.
fn shown_briefly(expressions: &Expressions<'_>, id: Id, of: &FormCandidate) -> String {
    if let Some((name, _)) = of.inputs.iter().find(|it| it.1 == id) {
        return (*name).to_owned();
    }
    match expressions.node(id) {
        Node::Constant(bits, scalar) => scalar.show(*bits),
        Node::Input(_) => "another input".to_owned(),
        Node::Product(..) => "a product".to_owned(),
        Node::Sum(..) => "a sum of two values".to_owned(),
        Node::Difference(..) => "a difference".to_owned(),
        Node::Function(Opcode::Select, ..) => "a number, or 0".to_owned(),
        Node::Function(opcode, ..) => opcode.name().to_owned(),
        Node::Fold(Combining::Sum, ..) => "the sum of a row".to_owned(),
        Node::Fold(Combining::MaxNumber, ..) => "the maximum of a row".to_owned(),
        Node::Fold(..) => "another fold".to_owned(),
        Node::Other(..) => "something else".to_owned(),
    }
}
