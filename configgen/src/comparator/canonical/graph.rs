//! The graph: a region's operations, each once, in a structural order, with facts about their
//! values.

use std::cmp::Ordering;
use std::collections::HashMap;

use arrayvec::ArrayVec;

use super::super::opcode::Opcode;
use super::super::region::{Region, RegionOperation, Value};
use super::super::scalar::ScalarType;
use super::super::semantics::apply;
use super::relation::Relation;

/// A region under construction in which equal operations are one.
pub(in super::super) struct Graph {
    region: Region,
    known: HashMap<RegionOperation, Value>,
    facts: Vec<ValueFacts>,
}

/// The known properties of a value.
#[derive(Clone, Copy, Default)]
struct ValueFacts {
    never_nan: bool,
    relation: Option<Relation>,
}

impl Graph {
    /// Returns the graph of a region, and the value of its result.
    pub(in super::super) fn of(region: &Region) -> (Graph, Value) {
        let mut graph = Graph {
            region: Region::of(region.types().iter().copied()),
            known: HashMap::new(),
            facts: vec![ValueFacts::default(); region.arguments() as usize],
        };
        let mut places: Vec<Value> = (0..region.arguments()).map(Value).collect();
        for operation in region.operations() {
            let operands: Vec<Value> = operation
                .operands
                .iter()
                .map(|operand| places[operand.index()])
                .collect();
            places.push(graph.build(operation.opcode, &operands, operation.result));
        }
        (graph, places[region.result().index()])
    }

    pub(in super::super) fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the simplest known value that equals this operation's result.
    pub(super) fn build(
        &mut self,
        opcode: Opcode,
        operands: &[Value],
        result: ScalarType,
    ) -> Value {
        // Operations on constants are the first to go, so that later rules meet few of them.
        if let Some(bits) = self.fold(opcode, operands, result) {
            return self.constant(bits, result);
        }
        let mut operands: ArrayVec<Value, 3> = operands.iter().copied().collect();
        if opcode.commutes() && self.order(operands[0], operands[1]) == Ordering::Greater {
            operands.swap(0, 1);
        }
        match (opcode, &operands[..]) {
            (Opcode::Cmpf(predicate), &[x, y]) => self.compare_floats(predicate, x, y),
            (Opcode::Cmpi(predicate), &[x, y]) => self.compare_integers(predicate, x, y),
            (Opcode::Select, &[condition, x, y]) => self.select(condition, x, y),
            (_, &[x]) => self.unary(opcode, x, result),
            (_, &[x, y]) if result.is_integer() => self.integer(opcode, x, y),
            (Opcode::Copysign, &[x, y]) => self.copysign(x, y),
            // Float arithmetic stays: most rules would change a rounding or the bits of a NaN.
            _ => self.intern(opcode, &operands, result),
        }
    }

    /// Returns the bits of an operation on constants.
    fn fold(&self, opcode: Opcode, operands: &[Value], result: ScalarType) -> Option<u64> {
        let from = self.type_of(*operands.first()?);
        let mut bits = [0; 3];
        for (bits, operand) in bits.iter_mut().zip(operands) {
            *bits = self.region.constant(*operand)?;
        }
        Some(apply(opcode, from, result, bits))
    }

    /// Returns the value of an operation without simplification.
    pub(super) fn intern(
        &mut self,
        opcode: Opcode,
        operands: &[Value],
        result: ScalarType,
    ) -> Value {
        let operation = RegionOperation {
            opcode,
            operands: operands.iter().copied().collect(),
            result,
        };
        if let Some(value) = self.known.get(&operation) {
            return *value;
        }
        let facts = ValueFacts {
            never_nan: self.is_never_nan(&operation),
            relation: self.relate(&operation),
        };
        self.facts.push(facts);
        let value = self.region.push(operation.clone());
        self.known.insert(operation, value);
        value
    }

    /// Returns the value of a constant.
    pub(super) fn constant(&mut self, bits: u64, scalar: ScalarType) -> Value {
        self.intern(Opcode::Constant(bits), &[], scalar)
    }

    pub(super) fn truth(&mut self, truth: bool) -> Value {
        self.constant(u64::from(truth), ScalarType::I1)
    }

    pub(super) fn type_of(&self, value: Value) -> ScalarType {
        self.region.type_of(value)
    }

    /// Returns the operation of a value and its operands.
    pub(super) fn definition(&self, value: Value) -> Option<(Opcode, &[Value])> {
        let operation = self.region.definition(value)?;
        Some((operation.opcode, &operation.operands))
    }

    /// Returns the first operand of a value, if this operation defines it.
    pub(super) fn operand_of(&self, opcode: Opcode, value: Value) -> Option<Value> {
        self.definition(value)
            .filter(|definition| definition.0 == opcode)
            .map(|definition| definition.1[0])
    }

    pub(super) fn bits(&self, value: Value) -> Option<u64> {
        self.region.constant(value)
    }

    /// Returns whether a value is never NaN, for any arguments.
    pub(super) fn never_nan(&self, value: Value) -> bool {
        self.facts[value.index()].never_nan
    }

    /// Returns the relation of two other values that a truth value depends on, if that is all.
    pub(in super::super) fn relation(&self, value: Value) -> Option<Relation> {
        self.facts[value.index()].relation
    }

    fn is_never_nan(&self, operation: &RegionOperation) -> bool {
        let never = |operand: usize| self.never_nan(operation.operands[operand]);
        match operation.opcode {
            Opcode::Constant(bits) => !operation.result.is_nan(bits),
            // In a type without infinity, an overflow is NaN.
            Opcode::Sitofp | Opcode::Uitofp => operation.result.has_infinity(),
            Opcode::Negf | Opcode::Absf | Opcode::Copysign | Opcode::Extf => never(0),
            opcode if opcode.rounds() => never(0),
            Opcode::Select => never(1) && never(2),
            Opcode::Maxnumf | Opcode::Minnumf => never(0) || never(1),
            Opcode::Maximumf | Opcode::Minimumf => never(0) && never(1),
            _ => operation.result.is_integer(),
        }
    }

    /// Returns the innermost value that is NaN exactly if this one is.
    pub(super) fn nan_root(&self, mut value: Value) -> Value {
        use Opcode::{Absf, Copysign, Extf, Negf};
        // Each of these operations returns NaN exactly for a NaN operand.
        while let Some((opcode, operands)) = self.definition(value) {
            if !matches!(opcode, Negf | Absf | Copysign | Extf) && !opcode.rounds() {
                break;
            }
            value = operands[0];
        }
        value
    }

    /// Compares values by structure, not by age: arguments, operations, constants.
    pub(super) fn order(&self, x: Value, y: Value) -> Ordering {
        let (mut x, mut y) = (x, y);
        // If the operations are equal, the first pair of different operands decides.
        while x != y {
            let (left, right) = match (self.region.definition(x), self.region.definition(y)) {
                (None, None) => return x.cmp(&y),
                (None, _) => return Ordering::Less,
                (_, None) => return Ordering::Greater,
                (Some(left), Some(right)) => (left, right),
            };
            let rank = |operation: &RegionOperation| {
                let is_constant = matches!(operation.opcode, Opcode::Constant(_));
                (is_constant, operation.opcode, operation.result)
            };
            // The opcode decides first, so that the order does not depend on the spelling.
            let order = rank(left).cmp(&rank(right));
            if order != Ordering::Equal {
                return order;
            }
            let mut operands = left.operands.iter().zip(&right.operands);
            match operands.find(|(x, y)| x != y) {
                Some((next_x, next_y)) => (x, y) = (*next_x, *next_y),
                None => return Ordering::Equal,
            }
        }
        Ordering::Equal
    }
}
