//! The builder of IR blocks, statement by statement. It computes trivial operations on constants,
//! so that callers need not know which values are constant.

use std::collections::HashMap;

use super::kernel_part::KernelPart;
use super::operation::{
    Binary, Block, Conversion, If, IrOperation, Loop, Predicate, Statement, Unary,
};
use super::types::Type;
use super::value::{Value, ValueOrigin};

/// The blocks under construction.
#[derive(Debug)]
pub(crate) struct Builder {
    /// The blocks, the innermost last.
    blocks: Vec<Block>,
    values: u32,
    statements: u32,
    part: KernelPart,
    names: HashMap<u32, &'static str>,
    /// The remembered operations of each open block, while [`Self::remembering`] runs.
    remembered: Option<Vec<HashMap<(Type, IrOperation), Value>>>,
}

impl Builder {
    /// Creates a builder with an empty block.
    pub(crate) fn new() -> Builder {
        Builder {
            blocks: vec![Block::default()],
            values: 0,
            statements: 0,
            part: KernelPart::Place,
            names: HashMap::new(),
            remembered: None,
        }
    }

    /// Returns the block and the names of its values.
    pub(crate) fn finish(mut self) -> (Block, HashMap<u32, &'static str>) {
        (self.blocks.pop().unwrap_or_default(), self.names)
    }

    /// Returns the statements that `build` adds, as a block of its own that yields the result of
    /// `build`.
    fn block(&mut self, build: impl FnOnce(&mut Builder) -> Vec<Value>) -> Block {
        self.blocks.push(Block::default());
        self.remembered
            .iter_mut()
            .for_each(|it| it.push(HashMap::new()));
        let yields = build(self);
        // Values of this block are not visible after it, so they must not be reused there.
        self.remembered.iter_mut().for_each(|it| drop(it.pop()));
        let block = self.blocks.pop().unwrap_or_default();
        Block { yields, ..block }
    }

    /// Runs `build` without repeating an operation on the same values in the same or an enclosing
    /// block. Meant for values that stay in registers anyway, because a value that is reused late
    /// occupies a register until then.
    pub(crate) fn remembering<R>(&mut self, build: impl FnOnce(&mut Builder) -> R) -> R {
        let outer = self.remembered.replace(vec![HashMap::new()]);
        let built = build(self);
        self.remembered = outer;
        built
    }

    /// Returns whether a value of an open block is a product, or one with another sign.
    pub(crate) fn is_product(&self, value: &Value) -> bool {
        let blocks = self.blocks.iter().rev();
        // The latest first: most values are used soon after their definition.
        let mut statements = blocks.flat_map(|block| block.statements.iter().rev());
        let definition = statements.find(|it| it.results.contains(value));
        match definition.map(|it| &it.operation) {
            Some(IrOperation::Binary(Binary::MulFloat, ..)) => true,
            Some(IrOperation::Unary(Unary::Negate | Unary::AbsFloat, of)) => self.is_product(of),
            _ => false,
        }
    }

    fn fresh(&mut self, kind: Type) -> Value {
        self.values += 1;
        Value {
            kind,
            origin: ValueOrigin::Defined(self.values),
        }
    }

    /// Returns a value that stands for an argument of the block.
    #[cfg(test)]
    pub(crate) fn argument(&mut self, kind: Type, name: &'static str) -> Value {
        let argument = self.fresh(kind);
        self.named(argument, name)
    }

    fn push(&mut self, kinds: &[Type], operation: IrOperation) -> Vec<Value> {
        let results: Vec<Value> = kinds.iter().map(|&kind| self.fresh(kind)).collect();
        // Numbers start at 1, because 0 marks a line of no statement.
        self.statements += 1;
        let statement = Statement {
            number: self.statements,
            part: self.part,
            results: results.clone(),
            operation,
        };
        if let Some(block) = self.blocks.last_mut() {
            block.statements.push(statement);
        }
        results
    }

    /// Runs `build` and assigns its statements to `part`.
    pub(crate) fn part<R>(&mut self, part: KernelPart, build: impl FnOnce(&mut Builder) -> R) -> R {
        let outer = std::mem::replace(&mut self.part, part);
        let built = build(self);
        self.part = outer;
        built
    }

    /// Adds an operation with one result.
    pub(crate) fn value(&mut self, kind: impl Into<Type>, operation: IrOperation) -> Value {
        let kind = kind.into();
        if self.remembered.is_none() || !operation.is_of_operands() {
            return self.push(&[kind], operation)[0];
        }
        let key = (kind, operation);
        // Values of enclosing blocks are visible here, too.
        let mut blocks = self.remembered.iter().flatten().rev();
        if let Some(&known) = blocks.find_map(|block| block.get(&key)) {
            return known;
        }
        // Loads, moves and fences never get here: only pure operations may be shared.
        let value = self.push(&[kind], key.1.clone())[0];
        if let Some(block) = self.remembered.iter_mut().flatten().last() {
            block.insert(key, value);
        }
        value
    }

    /// Adds an operation with two results.
    pub(crate) fn pair(&mut self, kinds: [Type; 2], operation: IrOperation) -> [Value; 2] {
        let results = self.push(&kinds, operation);
        [results[0], results[1]]
    }

    /// Adds an operation without a result.
    pub(crate) fn act(&mut self, operation: IrOperation) {
        self.push(&[], operation);
    }

    /// Adds a comment that says what begins here.
    pub(crate) fn comment(&mut self, text: &'static str) {
        self.act(IrOperation::Comment(text));
    }

    /// Gives a value a name for people, if it has none.
    pub(crate) fn named(&mut self, value: Value, name: &'static str) -> Value {
        if let ValueOrigin::Defined(id) = value.origin {
            // A value that is passed on keeps its first name.
            self.names.entry(id).or_insert(name);
        }
        value
    }

    pub(crate) fn unary(&mut self, operation: Unary, a: Value) -> Value {
        self.value(a.kind, IrOperation::Unary(operation, a))
    }

    pub(crate) fn binary(&mut self, operation: Binary, a: Value, b: Value) -> Value {
        self.value(a.kind, IrOperation::Binary(operation, a, b))
    }

    /// Adds a comparison; the result is an `i1`.
    pub(crate) fn compare(&mut self, predicate: impl Into<Predicate>, a: Value, b: Value) -> Value {
        self.value(Type::I1, IrOperation::Compare(predicate.into(), a, b))
    }

    pub(crate) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.value(yes.kind, IrOperation::Select(condition, yes, no))
    }

    pub(crate) fn convert(
        &mut self,
        conversion: Conversion,
        a: Value,
        kind: impl Into<Type>,
    ) -> Value {
        self.value(kind, IrOperation::Convert(conversion, a))
    }

    /// Reinterprets the bits of `a` as another type, if the type differs.
    pub(crate) fn bits(&mut self, a: Value, kind: impl Into<Type>) -> Value {
        let kind = kind.into();
        match a.kind == kind {
            true => a,
            false => self.convert(Conversion::Bits, a, kind),
        }
    }

    pub(crate) fn not(&mut self, a: Value) -> Value {
        self.binary(Binary::Xor, a, Value::truth(true))
    }

    pub(crate) fn and(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::And, a, b)
    }

    pub(crate) fn or(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Or, a, b)
    }

    /// Returns the bits of `a` that are in `mask`.
    pub(crate) fn masked(&mut self, a: Value, mask: u64) -> Value {
        self.and(a, Value::bits(a.kind, mask))
    }

    pub(crate) fn shifted_left(&mut self, a: Value, bits: u32) -> Value {
        self.binary(Binary::ShiftLeft, a, Value::bits(a.kind, bits.into()))
    }

    pub(crate) fn shifted_right(&mut self, a: Value, bits: u32) -> Value {
        let bits = Value::bits(a.kind, bits.into());
        self.binary(Binary::ShiftRightUnsigned, a, bits)
    }

    /// Returns `a + b`.
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        match (a.constant(), b.constant()) {
            // Zero is tested first, so that an address without an offset costs no instruction.
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), Some(y)) => Value::bits(a.kind, x.wrapping_add(y)),
            _ => self.binary(Binary::Add, a, b),
        }
    }

    /// Returns `a * factor`, as a shift if possible.
    pub(crate) fn mul(&mut self, a: Value, factor: u64) -> Value {
        match a.constant() {
            _ if factor == 1 => a,
            Some(n) => Value::bits(a.kind, n.wrapping_mul(factor)),
            None if factor == 0 => Value::bits(a.kind, 0),
            None if factor.is_power_of_two() => self.shifted_left(a, factor.trailing_zeros()),
            None => self.binary(Binary::Mul, a, Value::bits(a.kind, factor)),
        }
    }

    /// Returns `a / divisor`, unsigned, as a shift if possible.
    pub(crate) fn div(&mut self, a: Value, divisor: u64) -> Value {
        match a.constant() {
            _ if divisor == 1 => a,
            Some(n) => Value::bits(a.kind, n / divisor),
            None if divisor.is_power_of_two() => self.shifted_right(a, divisor.trailing_zeros()),
            None => self.binary(Binary::DivUnsigned, a, Value::bits(a.kind, divisor)),
        }
    }

    /// Returns `a % divisor`, unsigned, as a mask if possible.
    pub(crate) fn rem(&mut self, a: Value, divisor: u64) -> Value {
        match a.constant() {
            Some(n) => Value::bits(a.kind, n % divisor),
            None if divisor == 1 => Value::bits(a.kind, 0),
            None if divisor.is_power_of_two() => self.masked(a, divisor - 1),
            None => self.binary(Binary::RemUnsigned, a, Value::bits(a.kind, divisor)),
        }
    }

    /// Returns the smaller of `a` and a constant, unsigned.
    pub(crate) fn at_most(&mut self, a: Value, limit: u64) -> Value {
        match a.constant() {
            Some(n) => Value::bits(a.kind, n.min(limit)),
            None => self.binary(Binary::MinUnsigned, a, Value::bits(a.kind, limit)),
        }
    }

    /// Returns the smaller of both, unsigned.
    pub(crate) fn smaller(&mut self, a: Value, b: Value) -> Value {
        match b.constant() {
            Some(limit) => self.at_most(a, limit),
            None => self.binary(Binary::MinUnsigned, a, b),
        }
    }

    /// Converts an unsigned integer to another width.
    pub(crate) fn resized(&mut self, a: Value, kind: impl Into<Type>) -> Value {
        let kind = kind.into();
        match (a.constant(), kind.bits().cmp(&a.kind.bits())) {
            // `Value::bits` cuts a constant to the type.
            (Some(n), _) => Value::bits(kind, n),
            (None, std::cmp::Ordering::Equal) => a,
            (None, std::cmp::Ordering::Less) => self.convert(Conversion::Truncate, a, kind),
            (None, std::cmp::Ordering::Greater) => self.convert(Conversion::ZeroExtend, a, kind),
        }
    }

    /// Moves `pointer` by `bytes` (i64).
    pub(crate) fn offset(&mut self, pointer: Value, bytes: Value) -> Value {
        match bytes.is_zero() {
            true => pointer,
            false => self.value(pointer.kind, IrOperation::Offset(pointer, bytes, 1)),
        }
    }

    pub(crate) fn load(&mut self, kind: impl Into<Type>, pointer: Value, align: u32) -> Value {
        self.value(kind, IrOperation::Load(pointer, align))
    }

    pub(crate) fn store(&mut self, value: Value, pointer: Value, align: u32) {
        self.act(IrOperation::Store(value, pointer, align));
    }

    /// Returns the scalars of a loaded value.
    pub(crate) fn elements(&mut self, value: Value) -> Vec<Value> {
        match value.kind {
            Type::Vector(scalar, count) => (0..count)
                .map(|number| self.value(scalar, IrOperation::Element(value, number)))
                .collect(),
            Type::Scalar(_) | Type::Pointer(_) => vec![value],
        }
    }

    /// Returns the conjunction of conditions (i1), if there are any.
    fn all(&mut self, conditions: &[Value]) -> Option<Value> {
        let conditions = conditions.iter().copied();
        conditions.reduce(|a, b| self.and(a, b))
    }

    /// Runs `body` in the threads for which all conditions (i1) hold.
    pub(crate) fn guarded(&mut self, conditions: &[Value], body: impl FnOnce(&mut Builder)) {
        match self.all(conditions) {
            None => body(self),
            Some(condition) => {
                let then = |ir: &mut Builder| {
                    body(ir);
                    vec![]
                };
                self.if_else(condition, then, |_| vec![]);
            }
        }
    }

    /// Returns the result of `body` in the threads for which all conditions (i1) hold, and
    /// `otherwise` in the others.
    pub(crate) fn guarded_value(
        &mut self,
        conditions: &[Value],
        otherwise: Value,
        body: impl FnOnce(&mut Builder) -> Value,
    ) -> Value {
        match self.all(conditions) {
            None => body(self),
            Some(condition) => self.if_else(condition, |ir| vec![body(ir)], |_| vec![otherwise])[0],
        }
    }

    /// Returns the values that one of two blocks yields.
    pub(crate) fn if_else(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Builder) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Builder) -> Vec<Value>,
    ) -> Vec<Value> {
        let then = self.block(then);
        let otherwise = self.block(otherwise);
        let kinds: Vec<Type> = then.yields.iter().map(|value| value.kind).collect();
        let choice = If {
            condition,
            then,
            otherwise,
        };
        self.push(&kinds, IrOperation::If(choice))
    }

    /// Adds a loop over `turn`, which takes the carried values. The loop ends after the turn
    /// whose first result, "again" (i1), is false. Returns the values of the last turn.
    pub(crate) fn repeat_while(
        &mut self,
        initial: Vec<Value>,
        turn: impl FnOnce(&mut Builder, &[Value]) -> (Value, Vec<Value>),
    ) -> Vec<Value> {
        self.tested_turns(initial, turn, |_, _, next| next.to_vec())
    }

    /// Adds a loop like [`Self::repeat_while`] with a `body` after each turn but the last. `body`
    /// takes the carried values and the results of the turn, and returns the next carried values.
    pub(crate) fn tested_turns(
        &mut self,
        initial: Vec<Value>,
        turn: impl FnOnce(&mut Builder, &[Value]) -> (Value, Vec<Value>),
        body: impl FnOnce(&mut Builder, &[Value], &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let carried: Vec<Value> = initial.iter().map(|value| self.fresh(value.kind)).collect();
        let mut again = Value::truth(false);
        let head = self.block(|ir| {
            let (condition, yields) = turn(ir, &carried);
            again = condition;
            yields
        });
        // The body is built after the head and sees its values.
        let body = self.block(|ir| body(ir, &carried, &head.yields));
        let kinds: Vec<Type> = head.yields.iter().map(|value| value.kind).collect();
        let turns = Loop {
            carried,
            initial,
            head,
            again,
            body,
        };
        self.push(&kinds, IrOperation::Loop(turns))
    }
}
