//! A region: operations in an order in which each comes after what it uses, over its arguments.
//!
//! It is what a parser makes and what [`canonical`](super::canonical) and the generators read. It knows no text.

use arrayvec::ArrayVec;

use super::opcode::{Opcode, OpcodeSignature, Width};
use super::scalar::ScalarType;

/// The most operations that a region from outside may have.
pub const MAX_OPERATIONS: usize = 256;

/// The most arguments of a region.
pub const MAX_ARGUMENTS: usize = 8;

/// The most arguments of the body of a reduction: those of the function in it, and the accumulator.
pub(crate) const MAX_BODY_ARGUMENTS: usize = MAX_ARGUMENTS + 1;

/// A value of a region: first the arguments, then one for each operation, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// The candidate element.
    pub const A: Value = Value(0);
    /// The value of the accumulator.
    pub const B: Value = Value(1);

    /// Its place in a list that has an entry for each value.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegionOperation {
    /// What it computes.
    pub opcode: Opcode,
    /// What of, in MLIR's order.
    pub operands: ArrayVec<Value, 3>,
    /// The type of the result.
    pub result: ScalarType,
}

/// A function as a list of operations: a comparator has two arguments of one type, a key one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Region {
    arguments: ArrayVec<ScalarType, MAX_BODY_ARGUMENTS>,
    operations: Vec<RegionOperation>,
    result: Value,
}

impl Region {
    /// A region of so many arguments of one type, without operations, whose result is its first argument.
    pub(crate) fn new(element: ScalarType, arguments: u32) -> Self {
        Region::of((0..arguments).map(|_| element))
    }

    /// The same of arguments of these types, of which there are one at least and [`MAX_BODY_ARGUMENTS`] at most.
    pub fn of(arguments: impl IntoIterator<Item = ScalarType>) -> Self {
        Region {
            arguments: arguments.into_iter().collect(),
            operations: Vec::new(),
            result: Value::A,
        }
    }

    /// The type of the first argument; of comparators and keys, of all.
    pub fn element(&self) -> ScalarType {
        self.arguments[0]
    }

    /// The types of the arguments.
    pub fn types(&self) -> &[ScalarType] {
        &self.arguments
    }

    /// The number of arguments: 2 of a comparator, 1 of a key.
    pub fn arguments(&self) -> u32 {
        self.arguments.len() as u32
    }

    /// Whether constants are among the operations. iree-compile 3.13.0 takes them out of the block of an operation before it asks a spec,
    /// and no matcher finds an operation whose block has values from outside.
    pub fn has_constants(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| matches!(operation.opcode, Opcode::Constant(_)))
    }

    /// The operations; the result of the first is the value after the arguments.
    pub fn operations(&self) -> &[RegionOperation] {
        &self.operations
    }

    /// The operations with the values that they define.
    pub fn definitions(&self) -> impl Iterator<Item = (Value, &RegionOperation)> {
        (self.arguments()..).map(Value).zip(&self.operations)
    }

    /// The value that the region yields.
    pub fn result(&self) -> Value {
        self.result
    }

    /// The operation that defines a value; `None` of an argument.
    pub fn definition(&self, value: Value) -> Option<&RegionOperation> {
        let place = value.0.checked_sub(self.arguments())?;
        self.operations.get(place as usize)
    }

    /// The type of a value of this region.
    pub fn type_of(&self, value: Value) -> ScalarType {
        match self.definition(value) {
            Some(operation) => operation.result,
            None => self.arguments[value.index()],
        }
    }

    /// The bits of a constant; `None` of any other value.
    pub fn constant(&self, value: Value) -> Option<u64> {
        match self.definition(value)?.opcode {
            Opcode::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The number of values: arguments and operations.
    pub fn values(&self) -> usize {
        self.arguments.len() + self.operations.len()
    }

    /// Appends an operation that is known to fit.
    pub(crate) fn push(&mut self, operation: RegionOperation) -> Value {
        self.operations.push(operation);
        Value(self.values() as u32 - 1)
    }

    /// Appends an operation from outside. The operands are values of this region.
    ///
    /// # Errors
    /// When there are too many operations, or the types do not fit: what was expected.
    pub(crate) fn append(
        &mut self,
        opcode: Opcode,
        operands: ArrayVec<Value, 3>,
        result: ScalarType,
    ) -> Result<Value, String> {
        if self.operations.len() >= MAX_OPERATIONS {
            return Err(format!("a region has at most {MAX_OPERATIONS} operations"));
        }
        self.fits(opcode, &operands, result)?;
        Ok(self.push(RegionOperation {
            opcode,
            operands,
            result,
        }))
    }

    /// Turns the operands of the last operation around.
    pub(crate) fn turn(&mut self) {
        if let Some(last) = self.operations.last_mut() {
            last.operands.reverse();
        }
    }

    pub(crate) fn set_result(&mut self, result: Value) {
        self.result = result;
    }

    fn fits(&self, opcode: Opcode, operands: &[Value], result: ScalarType) -> Result<(), String> {
        let name = opcode.name();
        if operands.len() != opcode.arity() {
            let arity = opcode.arity();
            return Err(format!(
                "{name} takes {arity} operands, not {}",
                operands.len()
            ));
        }
        let expect = |operand: usize, expected: ScalarType| {
            let found = self.type_of(operands[operand]);
            let ordinal = ["first", "second", "third"][operand];
            match found == expected {
                true => Ok(()),
                false => Err(format!(
                    "the {ordinal} operand of {name} is {expected} here, but the value is {found}"
                )),
            }
        };
        match opcode.signature() {
            OpcodeSignature::Constant => Ok(()),
            OpcodeSignature::Same(class, count) => {
                if !class.holds(result) {
                    return Err(format!("{name} takes {}, not {result}", class.noun()));
                }
                (0..count).try_for_each(|operand| expect(operand, result))
            }
            OpcodeSignature::Compare(class) => {
                let compared = self.type_of(operands[0]);
                if !class.holds(compared) {
                    return Err(format!("{name} compares {}, not {compared}", class.noun()));
                }
                expect(1, compared)?;
                match result {
                    ScalarType::I1 => Ok(()),
                    _ => Err(format!("{name} gives an i1, not {result}")),
                }
            }
            OpcodeSignature::Select => {
                expect(0, ScalarType::I1)?;
                expect(1, result)?;
                expect(2, result)
            }
            OpcodeSignature::Cast(from, to, width) => {
                let operand = self.type_of(operands[0]);
                if !from.holds(operand) || !to.holds(result) {
                    return Err(format!(
                        "{name} is from {} to {}, not from {operand} to {result}",
                        from.noun(),
                        to.noun()
                    ));
                }
                let (right, relation) = match width {
                    Width::Wider => (result.bits() > operand.bits(), "more bits than"),
                    Width::Narrower => (result.bits() < operand.bits(), "fewer bits than"),
                    Width::Equal => (result.bits() == operand.bits(), "as many bits as"),
                    Width::Free => (true, ""),
                };
                match right {
                    true => Ok(()),
                    false => Err(format!(
                        "the result of {name} has {relation} its operand, but {result} has {} and {operand} has {}",
                        result.bits(),
                        operand.bits()
                    )),
                }
            }
        }
    }
}
