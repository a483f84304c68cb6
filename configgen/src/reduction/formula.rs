//! Regions of row operations under construction.

use crate::comparator::{FloatPredicate, Opcode, Region, RegionOperation, ScalarType, Value};

/// Returns the region that `write` computes from these inputs and `rows` values of the row.
///
/// The first type is that of the elements.
pub(super) fn formula(
    inputs: &[ScalarType],
    rows: usize,
    write: impl FnOnce(&mut Formula) -> Value,
) -> Region {
    // The row's values follow the inputs, and all are f32.
    let rows = std::iter::repeat_n(ScalarType::F32, rows);
    let mut formula = Formula {
        region: Region::of(inputs.iter().copied().chain(rows)),
        element: inputs.first().copied().unwrap_or(ScalarType::F32),
        inputs: inputs.len() as u32,
    };
    let result = write(&mut formula);
    formula.region.set_result(result);
    formula.region
}

/// A region under construction.
pub(super) struct Formula {
    region: Region,
    element: ScalarType,
    inputs: u32,
}

impl Formula {
    fn push(&mut self, opcode: Opcode, operands: &[Value], result: ScalarType) -> Value {
        let operation = RegionOperation {
            opcode,
            operands: operands.iter().copied().collect(),
            result,
        };
        self.region.push(operation)
    }

    /// Appends an operation on f32.
    pub(super) fn of(&mut self, opcode: Opcode, operands: &[Value]) -> Value {
        self.push(opcode, operands, ScalarType::F32)
    }

    /// Appends an f32 constant, by its bits.
    pub(super) fn constant(&mut self, bits: u64) -> Value {
        self.of(Opcode::Constant(bits), &[])
    }

    /// Returns value number `number` of the row.
    pub(super) fn row(&self, number: u32) -> Value {
        Value(self.inputs + number)
    }

    /// Appends the element of input number `input` as an f32.
    pub(super) fn wide(&mut self, input: u32) -> Value {
        self.widened(Value(input))
    }

    pub(super) fn widened(&mut self, value: Value) -> Value {
        match self.element {
            ScalarType::F32 => value,
            _ => self.of(Opcode::Extf, &[value]),
        }
    }

    /// Appends the conversion of an f32 to the element type.
    pub(super) fn narrow(&mut self, value: Value) -> Value {
        match self.element {
            ScalarType::F32 => value,
            narrow => self.push(Opcode::Truncf, &[value], narrow),
        }
    }

    /// Appends the element less value 0 of the row: its distance from the greatest one, or the
    /// mean.
    pub(super) fn less_first(&mut self) -> Value {
        let x = self.wide(0);
        self.of(Opcode::Subf, &[x, self.row(0)])
    }

    /// Appends the value, or 0 if it is infinite.
    pub(super) fn finite(&mut self, value: Value) -> Value {
        let magnitude = self.of(Opcode::Absf, &[value]);
        let infinity = self.constant(f32::INFINITY.to_bits().into());
        let equal = Opcode::Cmpf(FloatPredicate::Oeq);
        let is_infinite = self.push(equal, &[magnitude, infinity], ScalarType::I1);
        let zero = self.constant(0);
        self.of(Opcode::Select, &[is_infinite, zero, value])
    }

    /// Appends the deviation from the mean times value 1 of the row, the reciprocal standard
    /// deviation.
    pub(super) fn standardized(&mut self) -> Value {
        let deviation = self.less_first();
        self.of(Opcode::Mulf, &[deviation, self.row(1)])
    }
}
