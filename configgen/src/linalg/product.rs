//! Products that are reductions, and are said by their names: a matrix by a vector, and two vectors.
//!
//! ```text
//! %r = linalg.matvec ins(%m, %v : tensor<4x768xf16>, tensor<768xf16>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
//! ```
//!
//! Elements are made as wide as the output's before they are multiplied.

use arrayvec::ArrayVec;

use super::around::Around;
use super::body::split;
use super::map::Map;
use super::operands::{Operand, clause};
use super::reading::{Plain, Reduction};
use crate::comparator::{ComparatorError, Cursor, Opcode, Region, ScalarType, Token, Value};

/// A product: its name, the dimensions of its iteration that are reduced, and those that its inputs have.
struct Product {
    name: &'static str,
    reduced: &'static [bool],
    inputs: [&'static [usize]; 2],
}

const PRODUCTS: [Product; 4] = [
    Product {
        name: "linalg.matvec",
        reduced: &[false, true],
        inputs: [&[0, 1], &[1]],
    },
    Product {
        name: "linalg.vecmat",
        reduced: &[true, false],
        inputs: [&[0], &[0, 1]],
    },
    Product {
        name: "linalg.batch_matvec",
        reduced: &[false, false, true],
        inputs: [&[0, 1, 2], &[0, 2]],
    },
    Product {
        name: "linalg.dot",
        reduced: &[true],
        inputs: [&[0], &[0]],
    },
];

/// The name of a product, as it stands here for good.
pub(super) fn name(name: &str) -> Option<&'static str> {
    let product = PRODUCTS.iter().find(|it| it.name == name);
    product.map(|it| it.name)
}

/// The names of products whose inputs have these dimensions of an iteration, and whether the inputs stand there the other way about.
pub(super) fn named(
    inputs: [&[usize]; 2],
    reduced: &[bool],
) -> impl Iterator<Item = (&'static str, bool)> {
    let [one, other] = inputs;
    let products = PRODUCTS.iter().filter(move |it| it.reduced == reduced);
    products.filter_map(move |it| match it.inputs {
        [x, y] if [x, y] == [one, other] => Some((it.name, false)),
        [x, y] if [x, y] == [other, one] => Some((it.name, true)),
        _ => None,
    })
}

/// Reads what follows the name, which stands at `start`: the operands, the output last, and what it is.
pub(super) fn product<'a>(
    start: Cursor<'a>,
    cursor: &mut Cursor<'a>,
    name: &str,
    around: &Around<'a>,
) -> Result<(Plain, Vec<Operand<'a>>), ComparatorError> {
    if cursor.peek() == Token::Symbol("{") {
        return Err(cursor.error("a product without attributes is expected"));
    }
    cursor.expect("ins", "and the inputs")?;
    let inputs = clause(cursor)?;
    cursor.expect("outs", "and the output")?;
    let outputs = clause(cursor)?;
    let product = PRODUCTS.iter().find(|it| it.name == name);
    let (Some(product), [_, _], [output]) = (product, &inputs[..], &outputs[..]) else {
        return Err(start.error("a product has two inputs and one output"));
    };
    let types = inputs.iter().chain(&outputs).map(|it| it.element);
    let mut body = Region::of(types);
    let refused = |message: String| start.error(message);
    let wide = |body: &mut Region, argument: usize| {
        let (from, to) = (inputs[argument].element, output.element);
        let value = Value(argument as u32);
        match from == to {
            true => Ok(value),
            false => append(body, widening(from), &[value], to).map_err(refused),
        }
    };
    let factors = [wide(&mut body, 0)?, wide(&mut body, 1)?];
    let (times, plus) = match output.element.is_float() {
        true => (Opcode::Mulf, Opcode::Addf),
        false => (Opcode::Muli, Opcode::Addi),
    };
    let factor = append(&mut body, times, &factors, output.element).map_err(refused)?;
    let sum = append(&mut body, plus, &[Value(2), factor], output.element).map_err(refused)?;
    body.set_result(sum);
    let map = |operand: &Operand<'a>, dimensions: ArrayVec<usize, _>| Map {
        place: operand.type_place,
        dimensions,
    };
    let parallel = (0..product.reduced.len()).filter(|&d| !product.reduced[d]);
    let maps = vec![
        map(&inputs[0], product.inputs[0].iter().copied().collect()),
        map(&inputs[1], product.inputs[1].iter().copied().collect()),
        map(output, parallel.collect()),
    ];
    let reduction = Reduction {
        start,
        inputs: &inputs,
        output,
        body: split(start, &body)?,
        reduced: product.reduced.iter().copied().collect(),
        maps,
    };
    let plain = reduction.problem(&around.scopes)?;
    Ok((plain, inputs.into_iter().chain(outputs).collect()))
}

/// What makes an element wider, of integers with their sign.
fn widening(from: ScalarType) -> Opcode {
    match from.is_float() {
        true => Opcode::Extf,
        false => Opcode::Extsi,
    }
}

fn append(
    body: &mut Region,
    opcode: Opcode,
    operands: &[Value],
    result: ScalarType,
) -> Result<Value, String> {
    body.append(opcode, operands.iter().copied().collect(), result)
}
