//! Loads of neighbouring elements, and what becomes of them in registers.

use configgen::ElementType;

use crate::native::ir::{Ir, Value};

/// A loaded vector: its type, its length, its value.
pub(super) struct Loaded {
    kind: &'static str,
    length: u32,
    value: Value,
}

/// Prints one load of `count` elements, a power of two.
pub(super) fn load(ir: &mut Ir, element: ElementType, count: u32, address: &Value) -> Loaded {
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

/// The type as which `bytes` bytes are loaded. bf16 comes in pairs, to be taken apart with one instruction each.
fn register(element: ElementType, bytes: u32) -> (&'static str, u32) {
    match element {
        ElementType::F16 => ("half", bytes / 2),
        ElementType::Bf16 if bytes == 2 => ("i16", 1),
        ElementType::Bf16 | ElementType::I32 => ("i32", bytes / 4),
        _ => ("float", bytes / 4),
    }
}

impl Loaded {
    /// The elements in the type of the combiner's slots.
    pub(super) fn elements(&self, ir: &mut Ir, element: ElementType) -> Vec<Value> {
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
        if element != ElementType::Bf16 {
            return words;
        }
        // bf16 is the upper half of an f32.
        let mut elements = Vec::new();
        let as_float =
            |ir: &mut Ir, bits: &Value| ir.value(format_args!("bitcast i32 {bits} to float"));
        for word in words {
            let wide = match *kind {
                "i16" => ir.value(format_args!("zext i16 {word} to i32")),
                _ => word,
            };
            let first = ir.value(format_args!("shl i32 {wide}, 16"));
            elements.push(as_float(ir, &first));
            if *kind == "i32" {
                let second = ir.value(format_args!("and i32 {wide}, -65536"));
                elements.push(as_float(ir, &second));
            }
        }
        elements
    }
}
