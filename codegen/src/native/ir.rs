//! LLVM IR as text: a builder of one function body, block by block.
//!
//! It knows the syntax and folds trivial constants so that the text stays readable; it knows nothing of reductions or of
//! targets.

use std::fmt::{self, Write};

/// An operand: a constant or the result of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// An integer constant of the type that the instruction names.
    Int(i64),
    /// Another constant or a name, as LLVM writes it.
    Text(String),
}

impl Value {
    /// A constant that is not an integer, or a parameter.
    pub(crate) fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == Value::Int(0)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Value {
        Value::Int(n.into())
    }
}

impl From<u64> for Value {
    fn from(n: u64) -> Value {
        Value::Int(n as i64)
    }
}

/// A place in the text at which the phis of a block are inserted once their operands are known.
#[derive(Debug)]
pub(crate) struct PhiPlace(usize);

/// The body under construction.
#[derive(Debug)]
pub(crate) struct Ir {
    text: String,
    values: u32,
    blocks: u32,
    block: String,
}

impl Ir {
    /// An empty body, in its entry block.
    pub(crate) fn new() -> Ir {
        Ir {
            text: "entry:\n".to_owned(),
            values: 0,
            blocks: 0,
            block: "entry".to_owned(),
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// A fresh name.
    pub(crate) fn name(&mut self) -> Value {
        self.values += 1;
        Value::Text(format!("%v{}", self.values))
    }

    /// Appends `instruction` and names its result.
    pub(crate) fn value(&mut self, instruction: fmt::Arguments<'_>) -> Value {
        let name = self.name();
        self.line(format_args!("{name} = {instruction}"));
        name
    }

    /// Appends an instruction without a result.
    pub(crate) fn line(&mut self, instruction: fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "  {instruction}");
    }

    /// A fresh label that begins with `stem`.
    pub(crate) fn label(&mut self, stem: &str) -> String {
        self.blocks += 1;
        format!("{stem}{}", self.blocks)
    }

    /// Ends the block with a jump to `label`.
    pub(crate) fn jump(&mut self, label: &str) {
        self.line(format_args!("br label %{label}"));
    }

    /// Ends the block with a conditional jump.
    pub(crate) fn branch(&mut self, condition: &Value, yes: &str, no: &str) {
        self.line(format_args!("br i1 {condition}, label %{yes}, label %{no}"));
    }

    /// Starts block `label`.
    pub(crate) fn start(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
        self.block = label.to_owned();
    }

    /// The label of the current block.
    pub(crate) fn block(&self) -> &str {
        &self.block
    }

    /// The beginning of the current block, which has been started and is still empty.
    pub(crate) fn phi_place(&self) -> PhiPlace {
        PhiPlace(self.text.len())
    }

    /// Inserts phis: name, type, and the value from each predecessor.
    pub(crate) fn phis(&mut self, place: PhiPlace, phis: &[Phi<'_>]) {
        let mut lines = String::new();
        for Phi { name, kind, from } in phis {
            let from: Vec<String> = from
                .iter()
                .map(|(value, block)| format!("[ {value}, %{block} ]"))
                .collect();
            let _ = writeln!(lines, "  {name} = phi {kind} {}", from.join(", "));
        }
        self.text.insert_str(place.0, &lines);
    }

    /// Prints `body` for the threads in which all conditions (i1) hold.
    pub(crate) fn guarded(&mut self, conditions: &[Value], body: impl FnOnce(&mut Ir)) {
        let Some(condition) = self.all(conditions) else {
            return body(self);
        };
        let (label, after) = (self.label("guarded"), self.label("after"));
        self.branch(&condition, &label, &after);
        self.start(&label);
        body(self);
        self.jump(&after);
        self.start(&after);
    }

    /// The value of type `kind` that `body` prints for the threads in which all conditions (i1) hold; in the others
    /// `otherwise`.
    pub(crate) fn guarded_value(
        &mut self,
        conditions: &[Value],
        kind: &str,
        otherwise: &Value,
        body: impl FnOnce(&mut Ir) -> Value,
    ) -> Value {
        let Some(condition) = self.all(conditions) else {
            return body(self);
        };
        let (before, label, after) = (
            self.block.clone(),
            self.label("guarded"),
            self.label("after"),
        );
        self.branch(&condition, &label, &after);
        self.start(&label);
        let value = body(self);
        let end = self.block.clone();
        self.jump(&after);
        self.start(&after);
        let (place, name) = (self.phi_place(), self.name());
        let phi = Phi {
            name: &name,
            kind,
            from: [(otherwise, before.as_str()), (&value, end.as_str())],
        };
        self.phis(place, &[phi]);
        name
    }

    /// The conjunction of conditions (i1), if there are any.
    fn all(&mut self, conditions: &[Value]) -> Option<Value> {
        let conditions = conditions.iter().cloned();
        conditions.reduce(|a, b| self.value(format_args!("and i1 {a}, {b}")))
    }

    /// `a + b` of the integer type `kind`.
    pub(crate) fn add(&mut self, kind: &str, a: &Value, b: &Value) -> Value {
        match (a, b) {
            _ if a.is_zero() => b.clone(),
            _ if b.is_zero() => a.clone(),
            (Value::Int(a), Value::Int(b)) => Value::Int(a + b),
            _ => self.value(format_args!("add {kind} {a}, {b}")),
        }
    }

    /// `a * factor`; a shift where it can be one.
    pub(crate) fn mul(&mut self, kind: &str, a: &Value, factor: u64) -> Value {
        match a {
            _ if factor == 1 || a.is_zero() => a.clone(),
            Value::Int(n) => Value::Int(n * factor as i64),
            _ if factor == 0 => Value::Int(0),
            _ if factor.is_power_of_two() => {
                self.value(format_args!("shl {kind} {a}, {}", factor.trailing_zeros()))
            }
            _ => self.value(format_args!("mul {kind} {a}, {factor}")),
        }
    }

    /// `a / divisor` of the integer type `kind`, unsigned; a shift where it can be one.
    pub(crate) fn div(&mut self, kind: &str, a: &Value, divisor: u64) -> Value {
        match a {
            _ if divisor == 1 || a.is_zero() => a.clone(),
            Value::Int(n) => Value::Int(n / divisor as i64),
            _ if divisor.is_power_of_two() => {
                let bits = divisor.trailing_zeros();
                self.value(format_args!("lshr {kind} {a}, {bits}"))
            }
            _ => self.value(format_args!("udiv {kind} {a}, {divisor}")),
        }
    }

    /// `a % divisor` of the integer type `kind`, unsigned; a mask where it can be one.
    pub(crate) fn rem(&mut self, kind: &str, a: &Value, divisor: u64) -> Value {
        match a {
            _ if divisor == 1 => Value::Int(0),
            Value::Int(n) => Value::Int(n % divisor as i64),
            _ if divisor.is_power_of_two() => {
                self.value(format_args!("and {kind} {a}, {}", divisor - 1))
            }
            _ => self.value(format_args!("urem {kind} {a}, {divisor}")),
        }
    }

    /// `a` of type i64 as i32.
    pub(crate) fn narrow(&mut self, a: &Value) -> Value {
        match a {
            Value::Int(_) => a.clone(),
            _ => self.value(format_args!("trunc i64 {a} to i32")),
        }
    }

    /// `a` of type i32, unsigned, as i64.
    pub(crate) fn widen(&mut self, a: &Value) -> Value {
        match a {
            Value::Int(_) => a.clone(),
            _ => self.value(format_args!("zext i32 {a} to i64")),
        }
    }

    /// `pointer` in address space `space` moved by `bytes` of type i64.
    pub(crate) fn offset(&mut self, space: u32, pointer: &Value, bytes: &Value) -> Value {
        match bytes.is_zero() {
            true => pointer.clone(),
            false => self.value(format_args!(
                "getelementptr i8, ptr addrspace({space}) {pointer}, i64 {bytes}"
            )),
        }
    }
}

/// One phi.
#[derive(Debug)]
pub(crate) struct Phi<'a> {
    pub(crate) name: &'a Value,
    pub(crate) kind: &'a str,
    pub(crate) from: [(&'a Value, &'a str); 2],
}
