//! Elements in registers: constants, loads of neighbours, and the way back to memory, in any [`Form`].

use configgen::ElementType;

use super::ir::{Ir, Value};
use super::scalar::{Form, Scalar};

/// The constant with these bits.
pub(crate) fn constant(kind: Scalar, bits: u64) -> Value {
    let unused = 64 - kind.bits();
    let signed = ((bits << unused) as i64) >> unused;
    match kind {
        Scalar::F16 => Value::text(format!("0xH{bits:04X}")),
        // LLVM writes an f32 as the f64 of the same value, which a NaN need not have.
        Scalar::F32 => match f32::from_bits(bits as u32) {
            value if value.is_nan() => Value::text(format!("bitcast (i32 {signed} to float)")),
            value => Value::text(format!("0x{:016X}", f64::from(value).to_bits())),
        },
        Scalar::F64 => Value::text(format!("0x{bits:016X}")),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Value::Int(signed),
    }
}

/// LLVM's name of the type as which an element is stored.
pub(crate) fn memory_kind(element: ElementType) -> &'static str {
    match element {
        ElementType::Bf16 => "i16",
        _ => Form::Plain.scalar(element).llvm(),
    }
}

/// A value of this form as it lies in memory.
pub(crate) fn memory(ir: &mut Ir, form: Form, element: ElementType, value: &Value) -> Value {
    use ElementType::*;
    match (element, form) {
        (_, Form::Plain) | (F64 | F32 | F16 | I64 | I32 | I16, _) => value.clone(),
        (I8, _) => ir.value(format_args!("trunc i32 {value} to i8")),
        (Bf16, _) => {
            let bits = ir.value(format_args!("bitcast float {value} to i32"));
            let upper = ir.value(format_args!("lshr i32 {bits}, 16"));
            ir.value(format_args!("trunc i32 {upper} to i16"))
        }
        (F8E5M2, _) => {
            let bits = ir.value(format_args!("bitcast half {value} to i16"));
            let upper = ir.value(format_args!("lshr i16 {bits}, 8"));
            ir.value(format_args!("trunc i16 {upper} to i8"))
        }
        (F8E4M3FN | F8E4M3FNUZ | F8E5M2FNUZ, _) => {
            let bits = ir.value(format_args!("bitcast half {value} to i16"));
            let magnitude = ir.value(format_args!("lshr i16 {bits}, 7"));
            let sign = ir.value(format_args!("lshr i16 {bits}, 8"));
            let sign = ir.value(format_args!("and i16 {sign}, 128"));
            // The sign in bit 8 of the magnitude is cut off.
            let byte = ir.value(format_args!("or i16 {magnitude}, {sign}"));
            ir.value(format_args!("trunc i16 {byte} to i8"))
        }
    }
}

/// An element's plain value in the ordered form.
pub(crate) fn ordered(ir: &mut Ir, element: ElementType, is_signed: bool, plain: &Value) -> Value {
    use ElementType::*;
    match element {
        F64 | F32 | F16 | I64 | I32 | I16 => plain.clone(),
        I8 => extended(ir, "i8", "i32", is_signed, plain),
        Bf16 => {
            let wide = ir.value(format_args!("zext i16 {plain} to i32"));
            let upper = ir.value(format_args!("shl i32 {wide}, 16"));
            ir.value(format_args!("bitcast i32 {upper} to float"))
        }
        F8E5M2 | F8E4M3FN | F8E4M3FNUZ | F8E5M2FNUZ => {
            let wide = ir.value(format_args!("zext i8 {plain} to i16"));
            ordered_byte(ir, element, &wide)
        }
    }
}

/// A float of 8 bits, in the low bits of an i16 with anything above it, as a half in the same order.
///
/// A half orders the magnitudes of all kinds of floats as it does its own, wherever their exponent ends. One bit further
/// down they stay clear of the exponent that means infinity or NaN; only f8E5M2, whose exponent has a half's width, has
/// these where a half has them.
fn ordered_byte(ir: &mut Ir, element: ElementType, byte: &Value) -> Value {
    let top = ir.value(format_args!("shl i16 {byte}, 8"));
    if element == ElementType::F8E5M2 {
        return ir.value(format_args!("bitcast i16 {top} to half"));
    }
    let sign = ir.value(format_args!("and i16 {top}, -32768"));
    let magnitude = ir.value(format_args!("lshr i16 {top}, 1"));
    let magnitude = ir.value(format_args!("and i16 {magnitude}, 16256"));
    let both = ir.value(format_args!("or i16 {sign}, {magnitude}"));
    // The NaN: the greatest magnitude, or what would be the negative zero.
    let is_nan = match element {
        ElementType::F8E4M3FN => ir.value(format_args!("icmp eq i16 {magnitude}, 16256")),
        _ => ir.value(format_args!("icmp eq i16 {both}, -32768")),
    };
    let bits = ir.value(format_args!("select i1 {is_nan}, i16 32256, i16 {both}"));
    ir.value(format_args!("bitcast i16 {bits} to half"))
}

/// A register of `kind` as a key of 32 or 64 bits.
pub(crate) fn widened(ir: &mut Ir, kind: Scalar, is_signed: bool, value: &Value) -> Value {
    match kind {
        Scalar::F16 => ir.value(format_args!("fpext half {value} to float")),
        Scalar::I8 | Scalar::I16 => extended(ir, kind.llvm(), "i32", is_signed, value),
        Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64 => value.clone(),
    }
}

/// An integer with more bits.
pub(crate) fn extended(ir: &mut Ir, from: &str, to: &str, is_signed: bool, value: &Value) -> Value {
    let instruction = if is_signed { "sext" } else { "zext" };
    ir.value(format_args!("{instruction} {from} {value} to {to}"))
}

/// A loaded vector: its type, its length, its value.
pub(crate) struct Loaded {
    kind: &'static str,
    length: u32,
    value: Value,
}

/// Prints one load of `count` elements, a power of two.
pub(crate) fn load(ir: &mut Ir, element: ElementType, count: u32, address: &Value) -> Loaded {
    let align = element.bytes();
    let (kind, length) = register(element, count * align);
    let vector = match length {
        1 => kind.to_owned(),
        _ => format!("<{length} x {kind}>"),
    };
    let value = ir.value(format_args!(
        "load {vector}, ptr addrspace(1) {address}, align {align}"
    ));
    Loaded {
        kind,
        length,
        value,
    }
}

/// The type as which `bytes` bytes are loaded. Elements that are taken out of a register by shifts come in whole registers.
fn register(element: ElementType, bytes: u32) -> (&'static str, u32) {
    let plain = Form::Plain.scalar(element);
    let packed = plain == Scalar::I8 || element == ElementType::Bf16;
    match (packed, bytes) {
        (true, 1) => ("i8", 1),
        (true, 2) => ("i16", 1),
        (true, _) => ("i32", bytes / 4),
        (false, _) => (plain.llvm(), bytes / element.bytes()),
    }
}

impl Loaded {
    /// The one element, in this form.
    pub(crate) fn only(&self, ir: &mut Ir, element: ElementType, form: Form) -> Value {
        self.elements(ir, element, form).swap_remove(0)
    }

    /// The elements in this form.
    pub(crate) fn elements(&self, ir: &mut Ir, element: ElementType, form: Form) -> Vec<Value> {
        let Loaded {
            kind,
            length,
            value,
        } = self;
        let words: Vec<Value> = match length {
            1 => vec![value.clone()],
            _ => (0..*length)
                .map(|n| {
                    ir.value(format_args!(
                        "extractelement <{length} x {kind}> {value}, i32 {n}"
                    ))
                })
                .collect(),
        };
        let of_word = |word: &Value| match (element, form) {
            (ElementType::Bf16, Form::Ordered { .. }) => upper_halves(ir, kind, word),
            (ElementType::Bf16, Form::Plain) => parts(ir, kind, "i16", word),
            _ if Form::Plain.scalar(element) == Scalar::I8 => bytes(ir, kind, element, form, word),
            _ => vec![word.clone()],
        };
        words.iter().flat_map(of_word).collect()
    }
}

/// The bf16 of a word of type `kind`, each as the f32 whose upper half it is.
fn upper_halves(ir: &mut Ir, kind: &str, word: &Value) -> Vec<Value> {
    let as_float =
        |ir: &mut Ir, bits: &Value| ir.value(format_args!("bitcast i32 {bits} to float"));
    let wide = match kind {
        "i16" => ir.value(format_args!("zext i16 {word} to i32")),
        _ => word.clone(),
    };
    let first = ir.value(format_args!("shl i32 {wide}, 16"));
    let mut halves = vec![as_float(ir, &first)];
    if kind == "i32" {
        let second = ir.value(format_args!("and i32 {wide}, -65536"));
        halves.push(as_float(ir, &second));
    }
    halves
}

/// The integers of type `part` that a word of type `kind` is made of, the lowest first.
fn parts(ir: &mut Ir, kind: &'static str, part: &str, word: &Value) -> Vec<Value> {
    let bits = |kind: &str| match kind {
        "i8" => 8,
        "i16" => 16,
        _ => 32,
    };
    let shifts = (0..bits(kind)).step_by(bits(part));
    shifts
        .map(|shift| {
            let shifted = match shift {
                0 => word.clone(),
                _ => ir.value(format_args!("lshr {kind} {word}, {shift}")),
            };
            match kind == part {
                true => shifted,
                false => ir.value(format_args!("trunc {kind} {shifted} to {part}")),
            }
        })
        .collect()
}

/// The elements of one byte of a word of type `kind`.
fn bytes(
    ir: &mut Ir,
    kind: &'static str,
    element: ElementType,
    form: Form,
    word: &Value,
) -> Vec<Value> {
    let parts = parts(ir, kind, "i8", word);
    match form {
        Form::Plain => parts,
        Form::Ordered { is_signed } => parts
            .iter()
            .map(|part| ordered(ir, element, is_signed, part))
            .collect(),
    }
}
