//! Frontends write a matrix by a vector as a product of two matrices, one with a single row or
//! column. A product of matrices with several rows and columns is no reduction here.
//!
//! The product widens the elements to the output's type first.

use arrayvec::ArrayVec;

use super::body::split;
use super::map::{Iterators, OperandAccess, OperandMap, maps};
use super::operands::{LinalgOperand, clause};
use super::operation_context::OperationContext;
use super::reduction_reader::{PlainProblem, Reduction};
use crate::comparator::{ComparatorError, Cursor, MlirToken, Opcode, Region, ScalarType, Value};

/// A named product: the reduced dimensions of its iteration, and the dimensions of its inputs.
pub(super) struct Product {
    name: &'static str,
    reduced: &'static [bool],
    inputs: [&'static [usize]; 2],
    /// Set if it multiplies two matrices. Maps may then give other dimensions, as for a
    /// transposed matrix.
    is_of_matrices: bool,
}

const PRODUCTS: [Product; 6] = [
    Product {
        name: "linalg.matvec",
        reduced: &[false, true],
        inputs: [&[0, 1], &[1]],
        is_of_matrices: false,
    },
    Product {
        name: "linalg.vecmat",
        reduced: &[true, false],
        inputs: [&[0], &[0, 1]],
        is_of_matrices: false,
    },
    Product {
        name: "linalg.batch_matvec",
        reduced: &[false, false, true],
        inputs: [&[0, 1, 2], &[0, 2]],
        is_of_matrices: false,
    },
    Product {
        name: "linalg.dot",
        reduced: &[true],
        inputs: [&[0], &[0]],
        is_of_matrices: false,
    },
    Product {
        name: "linalg.matmul",
        reduced: &[false, false, true],
        inputs: [&[0, 2], &[2, 1]],
        is_of_matrices: true,
    },
    Product {
        name: "linalg.batch_matmul",
        reduced: &[false, false, false, true],
        inputs: [&[0, 1, 3], &[0, 3, 2]],
        is_of_matrices: true,
    },
];

/// The syntax of a product: its name, and the maps of a product of matrices.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::linalg) struct ProductSyntax {
    pub(in crate::linalg) name: &'static str,
    pub(in crate::linalg) maps: Option<Maps>,
}

/// The dimensions of the operands, and the rank of the iteration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::linalg) struct Maps {
    pub(in crate::linalg) accesses: Vec<OperandAccess>,
    pub(in crate::linalg) rank: usize,
}

/// A parsed product: the problem, the operands with the output last, and the syntax.
pub(super) struct ParsedProduct<'a> {
    pub(super) plain: PlainProblem,
    pub(super) operands: Vec<LinalgOperand<'a>>,
    pub(super) written: ProductSyntax,
}

impl ProductSyntax {
    /// Returns the accesses of the inputs and of the output, and the reduced dimensions.
    pub(super) fn iteration(&self) -> Option<(Vec<OperandAccess>, Iterators)> {
        let product = of(self.name)?;
        let accesses = match &self.maps {
            Some(maps) => maps.accesses.clone(),
            None => {
                let parallel: Vec<usize> = product.parallel().collect();
                let [one, other] = product.inputs;
                let of = |it: &[usize]| it.iter().copied().map(Some).collect();
                [one, other, &parallel].map(of).into()
            }
        };
        Some((accesses, product.reduced.iter().copied().collect()))
    }
}

/// Returns the product of this name.
pub(super) fn of(name: &str) -> Option<&'static Product> {
    PRODUCTS.iter().find(|it| it.name == name)
}

/// Returns the products with inputs of these dimensions; the flag is set if the inputs are
/// swapped.
pub(super) fn named(
    inputs: [&[usize]; 2],
    reduced: &[bool],
) -> impl Iterator<Item = (ProductSyntax, bool)> {
    let [one, other] = inputs;
    let products = PRODUCTS.iter().filter(move |it| it.reduced == reduced);
    products.filter_map(move |it| {
        let is_swapped = match it.inputs {
            [x, y] if [x, y] == [one, other] => false,
            [x, y] if [x, y] == [other, one] => true,
            _ => return None,
        };
        let written = ProductSyntax {
            name: it.name,
            maps: None,
        };
        // A product of matrices needs maps, which depend on its operands.
        (!it.is_of_matrices).then_some((written, is_swapped))
    })
}

/// Returns a vector-matrix product as a product of two matrices, with the vector as a single row.
///
/// The first value is the dimension of the row. The result is none if it is no such product.
pub(super) fn of_one_row(vector: &[usize], reduced: &[bool]) -> Option<(usize, ProductSyntax)> {
    let (name, batches) = match (vector, reduced) {
        (&[k], [_, _]) if reduced[k] => ("linalg.matmul", 0),
        (&[0, k], [false, _, _]) if reduced[k] => ("linalg.batch_matmul", 1),
        _ => return None,
    };
    if reduced.iter().filter(|it| **it).count() != 1 {
        return None;
    }
    let (row, column, length) = (batches, batches + 1, batches + 2);
    let with = |last: &[usize]| (0..batches).chain(last.iter().copied()).map(Some).collect();
    let matrix = match reduced[batches] {
        true => [length, column],
        false => [column, length],
    };
    // The vector becomes a matrix of one row, so its operands get the row's dimension in front.
    let accesses = vec![with(&[row, length]), with(&matrix), with(&[row, column])];
    let rank = reduced.len() + 1;
    let maps = Some(Maps { accesses, rank });
    Some((batches, ProductSyntax { name, maps }))
}

/// The text behind the name of a product.
struct ProductOperands<'a> {
    /// The dimensions of the inputs, then of the output.
    maps: Vec<OperandMap<'a>>,
    inputs: Vec<LinalgOperand<'a>>,
    output: LinalgOperand<'a>,
}

impl Product {
    /// Returns the dimensions of the output.
    fn parallel(&self) -> impl Iterator<Item = usize> {
        (0..self.reduced.len()).filter(|&d| !self.reduced[d])
    }

    /// Parses a product behind its name at `start`.
    ///
    /// It returns none for a product of two matrices with several rows and columns, and for other
    /// forms of it. Models contain many of these, and none is a reduction.
    pub(super) fn read<'a>(
        &self,
        start: Cursor<'a>,
        cursor: &mut Cursor<'a>,
        around: &OperationContext<'a>,
    ) -> Result<Option<ParsedProduct<'a>>, ComparatorError> {
        let parts = self.parts(start, cursor, around);
        // An unreadable product of matrices is most likely no reduction, so it is no error.
        if self.is_of_matrices && !parts.as_ref().is_ok_and(ProductOperands::are_by_vector) {
            return Ok(None);
        }
        let ProductOperands {
            maps: all,
            inputs,
            output,
        } = parts?;
        let written = ProductSyntax {
            name: self.name,
            maps: self.is_of_matrices.then(|| Maps {
                accesses: all
                    .iter()
                    .map(|it| it.dimensions.iter().copied().map(Some).collect())
                    .collect(),
                rank: self.reduced.len(),
            }),
        };
        let reduction = Reduction {
            start,
            inputs: &inputs,
            output: &output,
            body: split(start, &body(start, &inputs, &output)?)?,
            reduced: Iterators::from_iter(self.reduced.iter().copied()),
            maps: all,
        };
        let plain = reduction.problem(&around.scopes)?;
        Ok(Some(ParsedProduct {
            plain,
            operands: inputs.into_iter().chain([output]).collect(),
            written,
        }))
    }

    fn parts<'a>(
        &self,
        start: Cursor<'a>,
        cursor: &mut Cursor<'a>,
        around: &OperationContext<'a>,
    ) -> Result<ProductOperands<'a>, ComparatorError> {
        let maps = self.maps(start, cursor, around)?;
        // Attributes such as `cast = #linalg.type_fn<cast_unsigned>` change the product.
        if cursor.peek() == MlirToken::Symbol("{") {
            return Err(cursor.error("expected a product without attributes"));
        }
        cursor.expect("ins", "and the inputs")?;
        let inputs = clause(cursor)?;
        cursor.expect("outs", "and the output")?;
        let mut outputs = clause(cursor)?.into_iter();
        match (inputs.len(), outputs.next(), outputs.next()) {
            (2, Some(output), None) => Ok(ProductOperands {
                maps,
                inputs,
                output,
            }),
            _ => Err(start.error("a product must have two inputs and one output")),
        }
    }

    /// Returns the dimensions of the operands, from the maps if there are some.
    fn maps<'a>(
        &self,
        start: Cursor<'a>,
        cursor: &mut Cursor<'a>,
        around: &OperationContext<'a>,
    ) -> Result<Vec<OperandMap<'a>>, ComparatorError> {
        if self.is_of_matrices && cursor.accept("indexing_maps") {
            cursor.expect("=", "and the maps")?;
            let all = maps(*cursor, 3, self.reduced.len(), &around.maps, false)?;
            cursor.skip_brackets()?;
            return Ok(all);
        }
        let parallel: Vec<usize> = self.parallel().collect();
        let [one, other] = self.inputs;
        let all = [one, other, &parallel].map(|dimensions| OperandMap {
            place: start,
            dimensions: dimensions.iter().copied().collect(),
            zeros: ArrayVec::new(),
        });
        Ok(all.into())
    }
}

impl ProductOperands<'_> {
    /// Returns whether one input has every dimension of the output that is longer than 1.
    fn are_by_vector(&self) -> bool {
        let Some((to, inputs)) = self.maps.split_last() else {
            return false;
        };
        // Dimensions of size 1 do not matter: they make a vector of a matrix.
        let sizes = to.dimensions.iter().zip(&self.output.sizes);
        let long = sizes.filter(|(_, size)| **size != Some(1));
        let long: Vec<usize> = long.map(|(&d, _)| d).collect();
        let has = |map: &OperandMap<'_>| long.iter().all(|d| map.dimensions.contains(d));
        inputs.iter().any(has)
    }
}

/// Returns the body: the combination of an element of each input with the accumulator.
fn body(
    start: Cursor<'_>,
    inputs: &[LinalgOperand<'_>],
    output: &LinalgOperand<'_>,
) -> Result<Region, ComparatorError> {
    let types = inputs.iter().chain([output]).map(|it| it.element);
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
    // Named products of linalg widen by sign extension; unsigned ones have a cast attribute.
    let factors = [wide(&mut body, 0)?, wide(&mut body, 1)?];
    let [times, plus] = operations(output.element);
    let factor = append(&mut body, times, &factors, output.element).map_err(refused)?;
    let sum = append(&mut body, plus, &[Value(2), factor], output.element).map_err(refused)?;
    body.set_result(sum);
    Ok(body)
}

/// Returns the multiplication and the addition of a product that accumulates in this type.
pub(super) fn operations(accumulator: ScalarType) -> [Opcode; 2] {
    match accumulator.is_float() {
        true => [Opcode::Mulf, Opcode::Addf],
        false => [Opcode::Muli, Opcode::Addi],
    }
}

/// Returns the conversion to a wider type; integers keep their sign.
pub(super) fn widening(from: ScalarType) -> Opcode {
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
