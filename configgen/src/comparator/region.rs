//! Regions: operations over arguments, each behind its operands.
//!
//! A parser makes regions; [`canonical`](super::canonical) and the generators read them.

use arrayvec::ArrayVec;

use super::opcode::{Opcode, OpcodeSignature, Width};
use super::scalar::ScalarType;

/// The largest number of operations of a region from outside.
pub const MAX_OPERATIONS: usize = 256;

/// The largest number of arguments of a region from outside.
pub const MAX_ARGUMENTS: usize = 8;

/// The largest number of arguments of a reduction's body: the function's, and the accumulator.
pub(super) const MAX_BODY_ARGUMENTS: usize = MAX_ARGUMENTS + 1;

/// The largest number of arguments of any region: the inputs of a row program, its elements at
/// positions, and its folds.
pub(crate) const MAX_ROW_ARGUMENTS: usize = 16;

/// The number of a value of a region, from 0: first the arguments, then the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// The candidate element.
    pub const A: Value = Value(0);
    /// The value of the accumulator.
    pub const B: Value = Value(1);

    /// Returns its index in a list with an entry per value.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation of a region.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegionOperation {
    /// The opcode.
    pub opcode: Opcode,
    /// The operands, in MLIR's order.
    pub operands: ArrayVec<Value, 3>,
    /// The type of the result.
    pub result: ScalarType,
}

/// A function as a list of operations. A comparator has two arguments of one type, and a key one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Region {
    arguments: ArrayVec<ScalarType, MAX_ROW_ARGUMENTS>,
    operations: Vec<RegionOperation>,
    result: Value,
}

impl Region {
    /// Creates a region without operations; its first argument is its result.
    ///
    /// All arguments have the same type.
    pub(crate) fn new(element: ScalarType, arguments: u32) -> Self {
        Region::of((0..arguments).map(|_| element))
    }

    /// Creates a region without operations and with arguments of these types.
    ///
    /// There must be one at least and [`MAX_ROW_ARGUMENTS`] at most.
    pub fn of(arguments: impl IntoIterator<Item = ScalarType>) -> Self {
        Region {
            arguments: arguments.into_iter().collect(),
            operations: Vec::new(),
            result: Value::A,
        }
    }

    /// Returns the type of the first argument, which is that of all in comparators and keys.
    pub fn element(&self) -> ScalarType {
        self.arguments[0]
    }

    /// Returns the types of the arguments.
    pub fn types(&self) -> &[ScalarType] {
        &self.arguments
    }

    /// Returns the number of arguments: 2 for a comparator, 1 for a key.
    pub fn arguments(&self) -> u32 {
        self.arguments.len() as u32
    }

    /// Returns whether it has constants.
    ///
    /// iree-compile 3.13.0 hoists them out of an operation's block before it asks a spec. No
    /// matcher finds an operation with outer values in its block.
    pub fn has_constants(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| matches!(operation.opcode, Opcode::Constant(_)))
    }

    /// Returns the operations; the first one's result is the value after the arguments.
    pub fn operations(&self) -> &[RegionOperation] {
        &self.operations
    }

    /// Returns the operations with the values that they define.
    pub fn definitions(&self) -> impl Iterator<Item = (Value, &RegionOperation)> {
        (self.arguments()..).map(Value).zip(&self.operations)
    }

    /// Returns the value that the region yields.
    pub fn result(&self) -> Value {
        self.result
    }

    /// Returns the operation that defines a value, or none for an argument.
    pub fn definition(&self, value: Value) -> Option<&RegionOperation> {
        let place = value.0.checked_sub(self.arguments())?;
        self.operations.get(place as usize)
    }

    /// Returns the type of a value.
    pub fn type_of(&self, value: Value) -> ScalarType {
        match self.definition(value) {
            Some(operation) => operation.result,
            None => self.arguments[value.index()],
        }
    }

    /// Returns the bits of a constant, or none for any other value.
    pub fn constant(&self, value: Value) -> Option<u64> {
        match self.definition(value)?.opcode {
            Opcode::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// Returns the number of values: arguments and operations.
    pub fn values(&self) -> usize {
        self.arguments.len() + self.operations.len()
    }

    /// Appends an operation that is known to fit.
    pub(crate) fn push(&mut self, operation: RegionOperation) -> Value {
        self.operations.push(operation);
        Value(self.values() as u32 - 1)
    }

    /// Appends an operation from outside. The operands must be values of this region.
    ///
    /// # Errors
    /// Returns the expected form, if there are too many operations or the types do not fit.
    pub(crate) fn append(
        &mut self,
        opcode: Opcode,
        operands: ArrayVec<Value, 3>,
        result: ScalarType,
    ) -> Result<Value, String> {
        if self.operations.len() >= MAX_OPERATIONS {
            return Err(format!("a region has at most {MAX_OPERATIONS} operations"));
        }
        let types = operands.iter().map(|&it| self.type_of(it));
        let types: ArrayVec<ScalarType, 3> = types.collect();
        Region::fits(opcode, &types, result)?;
        Ok(self.push(RegionOperation {
            opcode,
            operands,
            result,
        }))
    }

    /// Reverses the operands of the last operation, which must take both in one type.
    pub fn turn(&mut self) {
        if let Some(last) = self.operations.last_mut() {
            last.operands.reverse();
        }
    }

    pub(crate) fn set_result(&mut self, result: Value) {
        self.result = result;
    }

    /// Checks that an operation takes operands of these types and gives this result.
    ///
    /// # Errors
    /// Returns the expected form.
    pub(crate) fn fits(
        opcode: Opcode,
        operands: &[ScalarType],
        result: ScalarType,
    ) -> Result<(), String> {
        let name = opcode.name();
        if operands.len() != opcode.arity() {
            let arity = opcode.arity();
            return Err(format!(
                "{name} takes {arity} operands, not {}",
                operands.len()
            ));
        }
        let expect = |operand: usize, expected: ScalarType| {
            let found = operands[operand];
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
                let compared = operands[0];
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
                let operand = operands[0];
                if !from.holds(operand) || !to.holds(result) {
                    return Err(format!(
                        "{name} is from {} to {}, not from {operand} to {result}",
                        from.noun(),
                        to.noun()
                    ));
                }
                // The message compares the bits, because the names alone do not show the
                // relation.
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
