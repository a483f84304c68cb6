//! The element in C++: its type in memory and as it is compared, and how one becomes the other.
//!
//! What is compared by one comparison is held as a type that the hardware compares: bf16 as the f32 whose upper half it is,
//! small integers as 32 bits; all of it is exact, so that a result is stored with the bits that were loaded. For any other
//! comparator elements stay what they are, types that C++ lacks as their bits.

use configgen::ElementType;

use super::meaning::{Meaning, Test};
use super::source::Source;

/// The C++ types of an element, and how one becomes the other.
pub(super) struct Cpp {
    /// In memory.
    pub(super) memory: &'static str,
    /// As it is compared.
    pub(super) value: &'static str,
    /// The body of a function from `element` to its value.
    decode: String,
    /// The body of a function from `value`, which is no NaN unless the types are the same, to the element.
    encode: String,
}

/// The types of the elements of a problem.
pub(super) fn cpp(meaning: &Meaning<'_>) -> Cpp {
    use ElementType::*;
    let element = meaning.element();
    let is_signed = matches!(
        meaning.test,
        Test::Ordered {
            is_signed: true,
            ..
        }
    );
    match (element, meaning.test) {
        (F64, _) => plain("double"),
        (F32, _) => plain("float"),
        (F16, _) => plain("_Float16"),
        (I64, _) if is_signed => plain("long long"),
        (I32, _) if is_signed => plain("int"),
        (I64, _) => plain("Size"),
        (I32, _) => plain("unsigned"),
        (Bf16 | I16, Test::Region) => plain("unsigned short"),
        (_, Test::Region) => plain("unsigned char"),
        (I16, _) if is_signed => widened("short", "int"),
        (I8, _) if is_signed => widened("signed char", "int"),
        (I16, _) => widened("unsigned short", "unsigned"),
        (I8, _) => widened("unsigned char", "unsigned"),
        (Bf16, _) => Cpp {
            memory: "unsigned short",
            value: "float",
            decode: "return __builtin_bit_cast(float, unsigned(element) << 16);".to_owned(),
            encode: "return Element(__builtin_bit_cast(unsigned, value) >> 16);".to_owned(),
        },
        // The upper byte of an f16.
        (F8E5M2, _) => Cpp {
            memory: "unsigned char",
            value: "_Float16",
            decode: "return __builtin_bit_cast(_Float16, (unsigned short)(element << 8));"
                .to_owned(),
            encode: "return Element(__builtin_bit_cast(unsigned short, value) >> 8);".to_owned(),
        },
        (F8E4M3FN, _) => byte("(element & 0x7f) == 0x7f", 20, 120),
        (F8E4M3FNUZ, _) => byte("element == 0x80", 20, 119),
        (F8E5M2FNUZ, _) => byte("element == 0x80", 21, 111),
    }
}

/// An element that is compared as it is.
fn plain(memory: &'static str) -> Cpp {
    widened(memory, memory)
}

fn widened(memory: &'static str, value: &'static str) -> Cpp {
    Cpp {
        memory,
        value,
        decode: "return element;".to_owned(),
        encode: "return Element(value);".to_owned(),
    }
}

/// A byte with a sign, an exponent and a mantissa, of which NaN are told by a condition. At `shift` they are a float whose
/// exponent is too small; a product, which is exact, puts it right.
fn byte(is_nan: &str, shift: u32, exponent: u32) -> Cpp {
    Cpp {
        memory: "unsigned char",
        value: "float",
        decode: format!(
            "if ({is_nan}) return __builtin_nanf(\"\");\n  \
             const float magnitude = __builtin_bit_cast(float, (element & 0x7fu) << {shift}) * 0x1p{exponent}f;\n  \
             return element & 0x80 ? -magnitude : magnitude;"
        ),
        encode: format!(
            "const unsigned bits = __builtin_bit_cast(unsigned, value * 0x1p-{exponent}f);\n  \
             return Element((__builtin_bit_cast(unsigned, value) >> 24 & 0x80) | (bits >> {shift} & 0x7f));"
        ),
    }
}

/// Prints the types, and the functions between them.
pub(super) fn print(source: &mut Source, meaning: &Meaning<'_>) {
    let Cpp {
        memory,
        value,
        decode,
        encode,
    } = cpp(meaning);
    let index = meaning.index();
    source.define("Element", format!("using Element = {memory};"));
    source.define(
        "Value",
        format!("using Value = {value};  // an element as it is compared"),
    );
    source.define("Index", format!("using Index = {index};"));
    source.blank();
    source.define(
        "value_of",
        format!("static __device__ inline Value value_of(Element element) {{\n  {decode}\n}}"),
    );
    source.blank();
    source.define(
        "element_of",
        format!("static __device__ inline Element element_of(Value value) {{\n  {encode}\n}}"),
    );
    source.blank();
}
