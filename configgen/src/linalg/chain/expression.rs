//! Expressions: the computation of an element in a chain, in a canonical form.
//!
//! An expression has no indices. Each input has known *axes*, and every operation computes from
//! elements at one position. A fold reduces axes, and its value no longer has them. Equal
//! expressions have the same [`Id`], so a chain is a row operation if its expression has the id
//! of the operation's definition.
//!
//! Two expressions are equal if they are equal for real numbers and differ only in the rounding
//! of single results:
//!
//! - operands of a sum or a product in another order;
//! - factors in another grouping;
//! - x · x as a power;
//! - a division as a product with the inverse;
//! - the reciprocal of a root as a power.
//!
//! Sums keep their grouping, and nothing moves out of a fold or a root, because the place of a
//! cancellation matters.

use std::collections::HashMap;

use super::node::{Id, Node, operands};
use super::step::ChainRefusal;
use crate::comparator::{ComparatorError, Cursor, FloatPredicate, Opcode, ScalarType};
use crate::reduction::Combining;

/// The largest number of nodes for the expressions of a chain and of its candidate definitions.
pub(super) const MAX_NODES: usize = 4096;

/// The highest power, in halves.
const MAX_POWER: i32 = 64;

/// A node with its properties.
struct ExpressionNode<'a> {
    node: Node,
    scalar: Option<ScalarType>,
    /// The first place of its computation; none in a definition.
    place: Option<Cursor<'a>>,
    /// The reason for a [`Node::Other`].
    why: String,
    /// The same reason with a place of its own.
    error: Option<ChainRefusal<'a>>,
    /// The axes along which it varies.
    axes: u64,
    /// The axes of all folds inside of it.
    folded: u64,
    /// Set if something inside combines a row's fold with a value that varies along the row.
    uses_rows_again: bool,
}

/// The table of all expressions.
pub(super) struct Expressions<'a> {
    known: Vec<ExpressionNode<'a>>,
    ids: HashMap<Node, Id>,
    /// The number of elements of a row.
    count: Option<f64>,
    /// The place in the text of the next expressions.
    pub(super) place: Option<Cursor<'a>>,
}

impl<'a> Expressions<'a> {
    pub(super) fn new() -> Self {
        Expressions {
            known: Vec::new(),
            ids: HashMap::new(),
            count: None,
            place: None,
        }
    }

    /// Returns whether the chain has used its half of the table; the candidates need the other
    /// half.
    pub(super) fn is_half_full(&self) -> bool {
        self.known.len() >= MAX_NODES / 2
    }

    pub(super) fn is_full(&self) -> bool {
        self.known.len() >= MAX_NODES
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.known(id).node
    }

    pub(super) fn scalar(&self, id: Id) -> Option<ScalarType> {
        self.known(id).scalar
    }

    pub(super) fn place(&self, id: Id) -> Option<Cursor<'a>> {
        self.known(id).place
    }

    /// Returns the reason why no row operation has this node, or none if one may.
    pub(super) fn refusal(&self, id: Id) -> Option<ComparatorError> {
        let ExpressionNode {
            node,
            place,
            why,
            error,
            ..
        } = self.known(id);
        match (node, error, place) {
            (Node::Other(..), Some(error), _) => Some(error.clone().error()),
            (Node::Other(..), None, Some(place)) => Some(place.error(why.clone())),
            _ => None,
        }
    }

    /// Gives the reason a place of its own.
    pub(super) fn explain(&mut self, id: Id, error: ChainRefusal<'a>) {
        self.known[id.0 as usize].error = Some(error);
    }

    pub(super) fn uses_rows_again(&self, id: Id) -> bool {
        self.known(id).uses_rows_again
    }

    fn known(&self, id: Id) -> &ExpressionNode<'a> {
        &self.known[id.0 as usize]
    }

    /// Returns all parts of an expression, itself included, in ascending order: operands come
    /// first.
    pub(super) fn within(&self, id: Id) -> Vec<Id> {
        let mut is_within = vec![false; id.0 as usize + 1];
        is_within[id.0 as usize] = true;
        let mut all = Vec::new();
        for number in (0..=id.0).rev() {
            if is_within[number as usize] {
                all.push(Id(number));
                for operand in operands(self.node(Id(number))) {
                    is_within[operand.0 as usize] = true;
                }
            }
        }
        all.reverse();
        all
    }

    fn make(&mut self, node: Node, scalar: Option<ScalarType>, axes: u64, why: &str) -> Id {
        // Equal nodes share an id, which makes the comparison of expressions trivial.
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let operands = operands(&node);
        let of = |part: fn(&ExpressionNode<'a>) -> u64| {
            let parts = operands.iter().map(|&it| part(self.known(it)));
            parts.fold(0, |all, it| all | it)
        };
        let mut axes = axes | of(|it| it.axes);
        let mut folded = of(|it| it.folded);
        let mut again = operands.iter().any(|&it| self.known(it).uses_rows_again);
        match node {
            Node::Fold(_, _, _, over) => {
                axes &= !over;
                // A fold removes its axes from the value; only a later combination along them
                // uses the row again.
                folded |= over;
            }
            _ => again |= axes & folded != 0,
        }
        let id = Id(self.known.len() as u32);
        self.known.push(ExpressionNode {
            node: node.clone(),
            scalar,
            place: self.place,
            why: why.to_owned(),
            error: None,
            axes,
            folded,
            uses_rows_again: again,
        });
        self.ids.insert(node, id);
        id
    }

    pub(super) fn input(&mut self, number: usize, scalar: ScalarType, axes: u64) -> Id {
        self.make(Node::Input(number), Some(scalar), axes, "")
    }

    pub(super) fn constant(&mut self, bits: u64, scalar: ScalarType) -> Id {
        self.make(Node::Constant(bits, scalar), Some(scalar), 0, "")
    }

    /// Creates an unknown value, identified by the place `number` in the text.
    pub(super) fn other(
        &mut self,
        number: usize,
        operands: Vec<Id>,
        scalar: Option<ScalarType>,
        why: &str,
    ) -> Id {
        self.make(Node::Other(number, operands), scalar, 0, why)
    }

    /// Creates an unknown value that reduces these axes.
    pub(super) fn other_fold(
        &mut self,
        number: usize,
        operands: Vec<Id>,
        scalar: Option<ScalarType>,
        why: &str,
        axes: u64,
    ) -> Id {
        let id = self.other(number, operands, scalar, why);
        let known = &mut self.known[id.0 as usize];
        known.axes &= !axes;
        known.folded |= axes;
        id
    }

    /// Returns the value of a numeric constant.
    pub(super) fn number(&self, id: Id) -> Option<f64> {
        match *self.node(id) {
            Node::Constant(bits, scalar) if scalar.is_float() => Some(scalar.to_f64(bits)),
            Node::Constant(bits, scalar) => Some(scalar.signed(bits) as f64),
            _ => None,
        }
    }

    /// Creates the fold of an expression over these axes, with `count` elements per row.
    ///
    /// The expression may have any type, since the greatest element of a row has the elements'
    /// type.
    pub(super) fn fold(
        &mut self,
        combining: Combining,
        initial: u64,
        element: Id,
        axes: u64,
        count: f64,
    ) -> Id {
        let combining = match combining {
            // `max` and `maxnum` differ for NaN elements. All users of a row's greatest element
            // also contain the row's sum of exponentials, which is then NaN.
            Combining::Max => Combining::MaxNumber,
            other => other,
        };
        self.count.get_or_insert(count);
        let scalar = self.scalar(element);
        let zero = scalar.is_some_and(|it| it.is_float() && initial == it.sign_bit());
        let initial = match combining {
            // The sign of the initial zero matters only for a sum of nothing but zeros.
            Combining::Sum if zero => 0,
            _ => initial,
        };
        self.make(Node::Fold(combining, initial, element, axes), scalar, 0, "")
    }

    /// Creates an operation on f32, or a conversion; returns none if no row operation has it.
    pub(super) fn operation(
        &mut self,
        opcode: Opcode,
        operands: &[Id],
        result: ScalarType,
    ) -> Option<Id> {
        match (opcode, operands) {
            (Opcode::Extf | Opcode::Truncf, &[x]) => Some(self.cast(opcode, x, result)),
            (Opcode::Cmpf(predicate), &[x, y]) => self.infinity_test(predicate, x, y),
            _ if result != ScalarType::F32 => None,
            (Opcode::Absf, &[x]) => Some(self.magnitude(x)),
            (Opcode::Select, &[test, x, y]) => self.finite(test, x, y),
            (Opcode::Addf, &[x, y]) => Some(self.sum(x, y)),
            (Opcode::Subf, &[x, y]) => Some(self.difference(x, y)),
            (Opcode::Negf, &[x]) => self.product(&[(x, 2)], -1.0),
            (Opcode::Mulf, &[x, y]) => self.product(&[(x, 2), (y, 2)], 1.0),
            (Opcode::Divf, &[x, y]) => self.product(&[(x, 2), (y, -2)], 1.0),
            (Opcode::Sqrt, &[x]) => self.power(x, 0.5),
            (Opcode::Rsqrt, &[x]) => self.power(x, -0.5),
            (Opcode::Fma, &[x, y, z]) => {
                let product = self.product(&[(x, 2), (y, 2)], 1.0)?;
                Some(self.sum(product, z))
            }
            (Opcode::Exp | Opcode::Log, &[x]) => {
                Some(self.make(Node::Function(opcode, x, result), Some(result), 0, ""))
            }
            _ => None,
        }
    }

    fn magnitude(&mut self, x: Id) -> Id {
        match *self.node(x) {
            // JAX takes the magnitude of a sum of exponentials, which is not negative.
            Node::Fold(Combining::Sum, 0, of, _)
                if matches!(self.node(of), Node::Function(Opcode::Exp, ..)) =>
            {
                x
            }
            _ => self.make(
                Node::Function(Opcode::Absf, x, ScalarType::F32),
                Some(ScalarType::F32),
                0,
                "",
            ),
        }
    }

    /// Creates a test for an infinite (`oeq`) or a finite (`one`) value: its magnitude against
    /// infinity.
    fn infinity_test(&mut self, predicate: FloatPredicate, x: Id, y: Id) -> Option<Id> {
        use FloatPredicate::{Oeq, Oge, Olt, One, Ueq, Uge, Ult, Une};
        // Row operations compare only magnitudes, and only with infinity.
        let &Node::Function(Opcode::Absf, of, _) = self.node(x) else {
            return None;
        };
        if self.number(y) != Some(f64::INFINITY) {
            return None;
        }
        // The predicates differ for NaN, which does not matter; see `finite`.
        let predicate = match predicate {
            Oeq | Ueq | Oge | Uge => Oeq,
            One | Une | Olt | Ult => One,
            _ => return None,
        };
        let node = Node::Function(Opcode::Cmpf(predicate), of, ScalarType::I1);
        Some(self.make(node, Some(ScalarType::I1), 0, ""))
    }

    /// Creates the selection of a row's greatest element, or 0 if that is infinite.
    ///
    /// torch and JAX shift exponents by this value. If the greatest element is NaN, the sum of
    /// the shifted exponentials is NaN for either choice.
    fn finite(&mut self, test: Id, x: Id, y: Id) -> Option<Id> {
        let &Node::Function(Opcode::Cmpf(predicate), of, _) = self.node(test) else {
            return None;
        };
        let (if_infinite, else_) = match predicate {
            FloatPredicate::Oeq => (x, y),
            _ => (y, x),
        };
        let is_greatest = matches!(self.node(of), Node::Fold(Combining::MaxNumber, ..));
        if !is_greatest || else_ != of || self.number(if_infinite) != Some(0.0) {
            return None;
        }
        let node = Node::Function(Opcode::Select, of, ScalarType::F32);
        Some(self.make(node, Some(ScalarType::F32), 0, ""))
    }

    fn cast(&mut self, opcode: Opcode, x: Id, result: ScalarType) -> Id {
        match self.node(x).clone() {
            Node::Constant(bits, scalar) if scalar.is_float() => {
                self.constant(result.round(scalar.to_f64(bits)), result)
            }
            // Widening is monotonic, so the greatest of narrow elements is the same if they are
            // widened first.
            Node::Fold(Combining::MaxNumber, initial, element, axes) if opcode == Opcode::Extf => {
                let from = self.scalar(x).filter(|it| it.is_float());
                let initial = from.map_or(initial, |from| result.round(from.to_f64(initial)));
                let element = self.cast(opcode, element, result);
                let fold = Node::Fold(Combining::MaxNumber, initial, element, axes);
                self.make(fold, Some(result), 0, "")
            }
            _ => self.make(Node::Function(opcode, x, result), Some(result), 0, ""),
        }
    }

    fn sum(&mut self, x: Id, y: Id) -> Id {
        // One form for negatives: a sum of a negative is a difference.
        if let Some(y) = self.negative(y) {
            return self.difference(x, y);
        }
        if let Some(x) = self.negative(x) {
            return self.difference(y, x);
        }
        let node = Node::Sum(x.min(y), x.max(y));
        self.make(node, Some(ScalarType::F32), 0, "")
    }

    fn difference(&mut self, x: Id, y: Id) -> Id {
        match self.negative(y) {
            Some(y) => self.sum(x, y),
            None => self.make(Node::Difference(x, y), Some(ScalarType::F32), 0, ""),
        }
    }

    /// Returns the negation of a value with a minus sign.
    fn negative(&mut self, x: Id) -> Option<Id> {
        match *self.node(x) {
            Node::Product(number, _) if f64::from_bits(number) < 0.0 => {
                self.product(&[(x, 2)], -1.0)
            }
            Node::Constant(bits, ScalarType::F32) if ScalarType::F32.to_f64(bits) < 0.0 => {
                Some(self.constant(bits ^ ScalarType::F32.sign_bit(), ScalarType::F32))
            }
            _ => None,
        }
    }

    /// Creates a power that is a multiple of a half.
    pub(super) fn power(&mut self, x: Id, power: f64) -> Option<Id> {
        // Recognised formulas have whole powers and roots only.
        let halves = (power * 2.0) as i32;
        if f64::from(halves) != power * 2.0 || halves == 0 || halves.abs() > MAX_POWER {
            return None;
        }
        self.product(&[(x, halves)], 1.0)
    }

    /// Creates a number times factors, each to a power in halves; returns none if a power is too
    /// high.
    fn product(&mut self, of: &[(Id, i32)], number: f64) -> Option<Id> {
        let mut number = number;
        let mut factors: Vec<(Id, i32)> = Vec::new();
        for &(x, halves) in of {
            let constant = self.number(x).filter(|_| halves % 2 == 0);
            match self.node(x) {
                _ if constant.is_some() => number *= constant?.powi(halves / 2),
                // The root of a product stays one factor, and so does a root that a power would
                // cancel: negative numbers have no root.
                Node::Product(own, inner)
                    if halves % 2 == 0
                        && inner.iter().all(|it| it.1 % 2 == 0 || halves.abs() == 2) =>
                {
                    number *= f64::from_bits(*own).powi(halves / 2);
                    factors.extend(inner.iter().map(|&(x, own)| (x, own * (halves / 2))));
                }
                _ => factors.push((x, halves)),
            }
        }
        // Positive and negative powers of equal factors stay apart, because 0 / 0 is not 1.
        factors.sort_by_key(|&(x, halves)| (x, halves < 0));
        factors.dedup_by(|next, kept| {
            let is_whole = next.1 % 2 == 0 && kept.1 % 2 == 0;
            let is_same = is_whole && next.0 == kept.0 && (next.1 < 0) == (kept.1 < 0);
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        if factors.iter().any(|it| it.1.abs() > MAX_POWER) || !number.is_finite() {
            return None;
        }
        // A product with a rounded inverse of the count is a division by the count. 1.2e-7 is the
        // relative rounding error of an f32.
        if let Some(count) = self.count {
            for exact in [count, 1.0 / count] {
                if ((number.abs() / exact) - 1.0).abs() < 1.2e-7 {
                    number = exact.copysign(number);
                }
            }
        }
        if let (1.0, &[(x, 2)]) = (number, &factors[..]) {
            return Some(x);
        }
        // A product without factors is a number, and numbers are constants.
        if factors.is_empty() {
            return Some(self.constant(ScalarType::F32.round(number), ScalarType::F32));
        }
        let node = Node::Product(number.to_bits(), factors);
        Some(self.make(node, Some(ScalarType::F32), 0, ""))
    }
}
