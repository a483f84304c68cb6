//! What a chain computes of an element and its row, as an expression in a form of its own for what is the same.
//!
//! An expression has no indices: of what each input has which *axes* is known, and everything is computed of the elements at one place.
//! A fold goes over axes, and its value has them no more. Two expressions that are the same have the same [`Id`], so that a chain is
//! an operation where its expression has the id that the operation's definition gets.
//!
//! The same is what is the same for real numbers and differs in the rounding of single results: operands of a sum and of a product
//! in any order, factors in any grouping, x · x as a power, a division as a product with the inverse, and one over a root as
//! a power. Sums are not grouped otherwise, nor is anything taken out of a fold or a root: what is cancelled before and what
//! after makes a difference.

use std::collections::HashMap;

use super::node::{Id, Node, operands};
use super::step::ChainRefusal;
use crate::comparator::{ComparatorError, Cursor, FloatPredicate, Opcode, ScalarType};
use crate::reduction::Combining;

/// The most nodes of the expressions of a chain and of the definitions that it is compared with.
pub(super) const MAX_NODES: usize = 4096;

/// The highest power, in halves.
const MAX_POWER: i32 = 64;

/// A node, and what is known of it.
struct ExpressionNode<'a> {
    node: Node,
    scalar: Option<ScalarType>,
    /// Where it is computed first; `None` of a definition.
    place: Option<Cursor<'a>>,
    /// Why it is a [`Node::Other`].
    why: String,
    /// The same where it has a place of its own.
    error: Option<ChainRefusal<'a>>,
    /// The axes along which it varies.
    axes: u64,
    /// The axes along which something in it was folded.
    folded: u64,
    /// Whether something was computed of a row's fold and of what varies along that row.
    uses_rows_again: bool,
}

/// All expressions that were made.
pub(super) struct Expressions<'a> {
    known: Vec<ExpressionNode<'a>>,
    ids: HashMap<Node, Id>,
    /// The number of elements of a row.
    count: Option<f64>,
    /// Where what is made next stands.
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

    /// Whether nothing more of a chain is taken in; what it is compared with has as much room.
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

    /// Why something is none of a row operation; `None` where it may be.
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

    /// Everything that an expression is made of, itself included, in ascending order: what is computed of another comes later.
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

    /// What is not known, at a place with this number.
    pub(super) fn other(
        &mut self,
        number: usize,
        operands: Vec<Id>,
        scalar: Option<ScalarType>,
        why: &str,
    ) -> Id {
        self.make(Node::Other(number, operands), scalar, 0, why)
    }

    /// What is made of all that there is along these axes, and not known.
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

    /// The value of a constant float.
    pub(super) fn number(&self, id: Id) -> Option<f64> {
        match *self.node(id) {
            Node::Constant(bits, scalar) if scalar.is_float() => Some(scalar.to_f64(bits)),
            Node::Constant(bits, scalar) => Some(scalar.signed(bits) as f64),
            _ => None,
        }
    }

    /// The fold of an expression over these axes, of so many elements; one of expressions of any type that may be a row's greatest.
    pub(super) fn fold(
        &mut self,
        combining: Combining,
        initial: u64,
        element: Id,
        axes: u64,
        count: f64,
    ) -> Id {
        let combining = match combining {
            // They differ where an element is a NaN, and all that is made of a row's greatest element has the row's sum of
            // exponentials in it, which is one then.
            Combining::Max => Combining::MaxNumber,
            other => other,
        };
        self.count.get_or_insert(count);
        let scalar = self.scalar(element);
        let zero = scalar.is_some_and(|it| it.is_float() && initial == it.sign_bit());
        let initial = match combining {
            // Of the two zeros it makes no difference but for the sign of a sum of nothing but zeros.
            Combining::Sum if zero => 0,
            _ => initial,
        };
        self.make(Node::Fold(combining, initial, element, axes), scalar, 0, "")
    }

    /// An operation on f32, or a conversion; `None` where the operation is none that row operations have.
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

    /// Whether a value is infinite (`oeq`) or finite (`one`), by a comparison of its magnitude with infinity.
    fn infinity_test(&mut self, predicate: FloatPredicate, x: Id, y: Id) -> Option<Id> {
        use FloatPredicate::{Oeq, Oge, Olt, One, Ueq, Uge, Ult, Une};
        let &Node::Function(Opcode::Absf, of, _) = self.node(x) else {
            return None;
        };
        if self.number(y) != Some(f64::INFINITY) {
            return None;
        }
        // They differ for NaN. `finite` says why that makes no difference.
        let predicate = match predicate {
            Oeq | Ueq | Oge | Uge => Oeq,
            One | Une | Olt | Ult => One,
            _ => return None,
        };
        let node = Node::Function(Opcode::Cmpf(predicate), of, ScalarType::I1);
        Some(self.make(node, Some(ScalarType::I1), 0, ""))
    }

    /// A row's greatest element, or 0 if that is infinite: how torch and JAX shift exponents.
    ///
    /// Nothing else is selected. If the greatest element is NaN, so is the sum of what is shifted, whatever is selected.
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
            // The greatest of narrow elements is the same when they are made wider first.
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

    /// What this is the negative of, where it has a minus before it.
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

    /// A value to a power that is a multiple of a half.
    pub(super) fn power(&mut self, x: Id, power: f64) -> Option<Id> {
        let halves = (power * 2.0) as i32;
        if f64::from(halves) != power * 2.0 || halves == 0 || halves.abs() > MAX_POWER {
            return None;
        }
        self.product(&[(x, halves)], 1.0)
    }

    /// A number times factors, each to a power in halves; `None` where powers are too high.
    fn product(&mut self, of: &[(Id, i32)], number: f64) -> Option<Id> {
        let mut number = number;
        let mut factors: Vec<(Id, i32)> = Vec::new();
        for &(x, halves) in of {
            let constant = self.number(x).filter(|_| halves % 2 == 0);
            match self.node(x) {
                _ if constant.is_some() => number *= constant?.powi(halves / 2),
                // The root of a product is one factor, and so is a root whose power would be whole: of a negative number there is none.
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
        // Equal factors, of which positive and negative powers are kept apart.
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
        // A product with a rounded inverse of the count is a division by it.
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
        if factors.is_empty() {
            return Some(self.constant(ScalarType::F32.round(number), ScalarType::F32));
        }
        let node = Node::Product(number.to_bits(), factors);
        Some(self.make(node, Some(ScalarType::F32), 0, ""))
    }
}
