//! Steps: single operations of a chain with the sources of their operands.

mod reshape;

use std::collections::HashMap;

use super::super::header::{LinalgName, Operands, OperationHeader};
use super::super::map::{Iterators, OperandAccess, accesses, dimensions, iterators};
use super::super::operands::{LinalgOperand, operands_of};
use super::super::operation_context::OperationContext;
use super::super::product::ProductSyntax;
use super::super::slice::SliceOperation;
use super::body::{BodyOperation, ChainBody, Instruction, MAX_OPERANDS};
use super::product_origin::{is_behind_product, is_product, operation_name};
use crate::comparator::{
    ComparatorError, Cursor, MlirToken, Opcode, Region, ScalarType, Scopes, constant,
};

pub(in crate::linalg) use reshape::reshape;

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::linalg) enum ValueSource<'a> {
    /// The byte offset of the defining operation, and the number of its result.
    Defined(usize, usize),
    /// An argument of a function.
    Argument(&'a str),
}

impl<'a> ValueSource<'a> {
    pub(in crate::linalg) fn of(name: &'a str, scopes: &Scopes<'a>) -> ValueSource<'a> {
        let (base, number) = name.split_once('#').unwrap_or((name, "0"));
        match (scopes.find(base), number.parse()) {
            (Some(cursor), Ok(number)) => ValueSource::Defined(cursor.offset(), number),
            // A name without a number means the first result.
            _ => ValueSource::Argument(name),
        }
    }
}

/// An operand: its source and its type.
pub(in crate::linalg) struct ChainOperand<'a> {
    pub(in crate::linalg) source: ValueSource<'a>,
    pub(in crate::linalg) name: &'a str,
    pub(in crate::linalg) place: Cursor<'a>,
    pub(in crate::linalg) sizes: Vec<Option<u64>>,
    pub(in crate::linalg) element: ScalarType,
    /// Set for a `tensor.empty`.
    pub(in crate::linalg) is_empty: bool,
    /// Set for a product, a convolution or another named operation that sums.
    pub(in crate::linalg) is_product: bool,
    /// Set for such an operation with reshapes behind it, too.
    pub(in crate::linalg) is_behind_product: bool,
}

/// A reason why an operation belongs to no row operation.
#[derive(Debug, Clone)]
pub(in crate::linalg) enum ChainRefusal<'a> {
    /// A message at a place. Its line is counted on demand, because a text may have many of
    /// these.
    At(Cursor<'a>, String),
    Error(ComparatorError),
}

impl<'a> ChainRefusal<'a> {
    pub(in crate::linalg) fn new(
        place: Cursor<'a>,
        message: impl Into<String>,
    ) -> ChainRefusal<'a> {
        ChainRefusal::At(place, message.into())
    }

    pub(in crate::linalg) fn error(self) -> ComparatorError {
        match self {
            ChainRefusal::At(place, message) => place.error(message),
            ChainRefusal::Error(error) => error,
        }
    }
}

/// The kind of an operation.
pub(in crate::linalg) enum ChainStepKind<'a> {
    /// A tensor filled with a constant.
    Fill(u64, ScalarType),
    /// A constant tensor with these bits in all elements.
    Splat(u64, ScalarType, Vec<Option<u64>>),
    /// A tensor with the same elements and the same dimensions, except those of size 1.
    Reshape {
        to: Vec<Option<u64>>,
        /// The dimensions of the longer type that form each dimension of the shorter one, if
        /// parsed.
        groups: Option<Vec<Vec<usize>>>,
    },
    /// A `linalg.generic` or `linalg.reduce`. The first `inputs` operands are inputs, the last of
    /// them tensors around its body.
    Generic {
        name: LinalgName,
        inputs: usize,
        accesses: Vec<OperandAccess>,
        reduced: Iterators,
        /// The body, or the part of it that was not understood.
        body: Result<ChainBody<'a>, ChainRefusal<'a>>,
    },
    /// A named operation, with inputs and outputs only. It belongs to no chain.
    Named(NamedOperation),
    /// Another operation, with the part that was not understood.
    Refused(ChainRefusal<'a>),
}

/// A named operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::linalg) enum NamedOperation {
    /// `linalg.softmax` along a dimension.
    Softmax(usize),
    /// A product.
    Product(ProductSyntax),
    /// `iree_linalg_ext.arg_compare` along a dimension, with its comparator as written.
    ArgCompare(usize, Region),
    /// An operation that copies elements to other positions, with the sizes of its result.
    Slice(SliceOperation, Vec<u64>),
}

pub(in crate::linalg) struct ChainStep<'a> {
    /// The position of its name.
    pub(in crate::linalg) place: Cursor<'a>,
    pub(in crate::linalg) operands: Vec<ChainOperand<'a>>,
    /// The output of a fill, which reads nothing of it.
    pub(in crate::linalg) filled: Option<ChainOperand<'a>>,
    pub(in crate::linalg) kind: ChainStepKind<'a>,
    /// Set if it computes elements from their indices alone, as for a causal mask.
    pub(in crate::linalg) is_of_indices: bool,
}

impl ChainStep<'_> {
    /// Returns whether it has a reduced dimension, perhaps of size 1 only.
    pub(in crate::linalg) fn is_reduction(&self) -> bool {
        matches!(&self.kind, ChainStepKind::Generic { reduced, .. } if reduced.contains(&true))
    }

    /// Returns whether it combines several elements. A reduction along dimensions of size 1 is
    /// one operation on the element and the initial value.
    pub(in crate::linalg) fn reduces(&self) -> bool {
        let ChainStepKind::Generic { reduced, .. } = &self.kind else {
            return false;
        };
        let mut reduced = (0..reduced.len()).filter(|&d| reduced[d]);
        reduced.any(|d| !self.iterates_over(Some(d), Some(1)))
    }

    /// Returns the operation that copies elements to other positions, if it is one, with the sizes
    /// of its result.
    pub(in crate::linalg) fn slice(&self) -> Option<(&SliceOperation, &[u64])> {
        match &self.kind {
            ChainStepKind::Named(NamedOperation::Slice(operation, sizes)) => {
                Some((operation, sizes))
            }
            _ => None,
        }
    }

    /// Returns whether it costs nothing.
    pub(in crate::linalg) fn is_free(&self) -> bool {
        matches!(
            self.kind,
            ChainStepKind::Fill(..) | ChainStepKind::Splat(..) | ChainStepKind::Reshape { .. }
        )
    }

    /// Returns the numbers of the operands that are tensors around its body.
    pub(in crate::linalg) fn tables(&self) -> std::ops::Range<usize> {
        match &self.kind {
            ChainStepKind::Generic {
                inputs,
                body: Ok(body),
                ..
            } => inputs - body.tables..*inputs,
            _ => 0..0,
        }
    }

    /// Returns whether dimension `at` of the iteration is known to have this size. A tensor around
    /// the body does not tell, because an index may pass over its end.
    pub(in crate::linalg) fn iterates_over(&self, at: Option<usize>, size: Option<u64>) -> bool {
        let ChainStepKind::Generic { accesses, .. } = &self.kind else {
            return false;
        };
        let own = self.operands.iter().zip(accesses).enumerate();
        let mut own = own.filter(|it| !self.tables().contains(&it.0));
        let has = |sizes: &[Option<u64>], access: &OperandAccess| {
            let mut all = access.iter().zip(sizes);
            all.any(|(own, own_size)| own.is_some() && *own == at && *own_size == size)
        };
        size.is_some() && own.any(|(_, (operand, access))| has(&operand.sizes, access))
    }

    /// Returns the number of its results.
    pub(in crate::linalg) fn results(&self) -> usize {
        match &self.kind {
            ChainStepKind::Generic { inputs, .. } => self.operands.len() - inputs,
            _ => 1,
        }
    }

    /// Returns whether it adds floats of 16 bits in their own type.
    pub(in crate::linalg) fn is_narrow_sum(&self) -> bool {
        let ChainStepKind::Generic { inputs, .. } = &self.kind else {
            return false;
        };
        let mut outputs = self.operands.iter().skip(*inputs);
        self.reduces() && outputs.any(|it| it.element.is_float() && it.element.bits() == 16)
    }

    /// Returns whether it only widens each element to another type.
    pub(in crate::linalg) fn is_widening(&self) -> bool {
        let ChainStepKind::Generic { body: Ok(body), .. } = &self.kind else {
            return false;
        };
        let is_widening = |it: &Instruction<'_>| {
            matches!(
                it.what,
                BodyOperation::Operation(Opcode::Extf | Opcode::Extsi)
                    | BodyOperation::Known(Opcode::Extf | Opcode::Extsi)
            )
        };
        self.is_pointwise() && matches!(&body.instructions[..], [one] if is_widening(one))
    }

    /// Returns whether it only copies elements to other positions, as a broadcast does.
    fn broadcasts(&self) -> bool {
        let ChainStepKind::Generic { body: Ok(body), .. } = &self.kind else {
            return false;
        };
        self.is_pointwise() && body.instructions.is_empty() && body.yields[..] == [0]
    }

    /// Returns whether each of its users repeats it. A kernel then reads narrow elements once, and
    /// no function of indices.
    pub(in crate::linalg) fn is_repeated(&self) -> bool {
        self.is_widening() || self.broadcasts() || self.is_of_indices
    }

    /// Returns whether it only negates each element.
    pub(in crate::linalg) fn negates(&self) -> bool {
        let ChainStepKind::Generic { body: Ok(body), .. } = &self.kind else {
            return false;
        };
        let is_negation = |it: &Instruction<'_>| {
            let (BodyOperation::Operation(opcode) | BodyOperation::Known(opcode)) = it.what else {
                return false;
            };
            opcode == Opcode::Negf
        };
        self.is_pointwise() && matches!(&body.instructions[..], [one] if is_negation(one))
    }

    /// Returns whether it computes a function that implementations round differently.
    pub(in crate::linalg) fn rounds_functions(&self) -> bool {
        let ChainStepKind::Generic { body: Ok(body), .. } = &self.kind else {
            return false;
        };
        let mut all = body.instructions.iter();
        all.any(|it| match it.what {
            BodyOperation::Operation(opcode) | BodyOperation::Known(opcode) => {
                opcode.rounded().is_some()
            }
            _ => false,
        })
    }

    /// Returns whether a part of it was not understood.
    pub(in crate::linalg) fn is_refused(&self) -> bool {
        matches!(
            self.kind,
            ChainStepKind::Refused(_) | ChainStepKind::Generic { body: Err(_), .. }
        )
    }

    /// Returns whether it iterates over tensors and reduces nothing.
    pub(in crate::linalg) fn is_pointwise(&self) -> bool {
        matches!(self.kind, ChainStepKind::Generic { .. }) && !self.reduces()
    }
}

/// The parsed constants, by position. Each is parsed once, however often it is used.
pub(in crate::linalg) type Constants = HashMap<usize, Option<(u64, ScalarType)>>;

/// Parses a `linalg.generic` or `linalg.reduce`.
pub(in crate::linalg) fn generic<'a>(
    header: &OperationHeader<'a>,
    around: &mut OperationContext<'a>,
    constants: &mut Constants,
) -> ChainStep<'a> {
    let place = header.start;
    let (mut operands, mut kind) = match parts(header, around, constants) {
        Ok((operands, kind)) => (operands, kind),
        Err(error) => (
            Vec::new(),
            ChainStepKind::Refused(ChainRefusal::Error(error)),
        ),
    };
    let mut filled = None;
    if let Some((bits, scalar)) = single_constant(&kind) {
        kind = ChainStepKind::Fill(bits, scalar);
        filled = operands.pop();
    }
    ChainStep {
        place,
        operands,
        filled,
        kind,
        is_of_indices: false,
    }
}

/// Returns the constant that an operation without dimensions gives, as StableHLO's `clamp` has for
/// its limits. The export's spec makes a `linalg.fill` of it.
fn single_constant(kind: &ChainStepKind<'_>) -> Option<(u64, ScalarType)> {
    let ChainStepKind::Generic {
        inputs: 0,
        reduced,
        body: Ok(body),
        ..
    } = kind
    else {
        return None;
    };
    let &[yielded] = &body.yields[..] else {
        return None;
    };
    let given = yielded.checked_sub(body.arguments.len())?;
    match body.instructions.get(given).map(|it| (it.what, it.result)) {
        Some((BodyOperation::Constant(bits), Some(scalar))) if reduced.is_empty() => {
            (body.arguments == [scalar]).then_some((bits, scalar))
        }
        _ => None,
    }
}

impl<'a> ChainOperand<'a> {
    pub(in crate::linalg) fn of(
        operand: LinalgOperand<'a>,
        scopes: &Scopes<'a>,
    ) -> ChainOperand<'a> {
        let (base, _) = operand.name.split_once('#').unwrap_or((operand.name, ""));
        let maker = scopes.find(base).map_or("", operation_name);
        ChainOperand {
            source: ValueSource::of(operand.name, scopes),
            name: operand.name,
            place: operand.place,
            sizes: operand.sizes,
            element: operand.element,
            is_empty: maker == "tensor.empty",
            is_product: is_product(maker),
            is_behind_product: is_behind_product(operand.name, scopes),
        }
    }
}

fn parts<'a>(
    header: &OperationHeader<'a>,
    around: &mut OperationContext<'a>,
    constants: &mut Constants,
) -> Result<(Vec<ChainOperand<'a>>, ChainStepKind<'a>), ComparatorError> {
    let (inputs, outputs) = match header.operands {
        Operands::Clauses { .. } => operands_of(header.start, header.operands)?,
        // `operands_of` takes the last operand as the only output; the number of results corrects
        // that.
        Operands::List { .. } => {
            let (mut all, last) = operands_of(header.start, header.operands)?;
            all.extend(last);
            let inputs = all.len().saturating_sub(header.results()?);
            let outputs = all.split_off(inputs);
            (all, outputs)
        }
    };
    let count = inputs.len() + outputs.len();
    if count > MAX_OPERANDS {
        let message = format!("an operation of a chain may have at most {MAX_OPERANDS} operands");
        return Err(header.start.error(message));
    }
    let (reduced, mut accesses) = iteration(header, &inputs, &outputs, around)?;
    let types = inputs.iter().chain(&outputs).map(|it| it.element).collect();
    let scopes = &around.scopes;
    let mut known = |name: &str| {
        let place = scopes.constant(name)?;
        let read = || constant(&mut { place }).ok();
        // A refused constant is remembered too, because its error counts lines.
        let of_element = *constants.entry(place.offset()).or_insert_with(read);
        let of_element = of_element.map(|(bits, scalar)| (bits, Some(scalar)));
        of_element.or_else(|| Some((index(place)?, None)))
    };
    let body = ChainBody::read(header.body, inputs.len(), types, &mut known);
    let (body, tables) = match body {
        Ok((body, tables)) => (Ok(body), tables),
        Err(error) => (Err(error), Vec::new()),
    };
    let places = inputs.len()..inputs.len();
    let of_tables = tables.iter().map(|it| it.access.clone());
    accesses.splice(places, of_tables).for_each(drop);
    let mut inputs = inputs;
    inputs.extend(tables.into_iter().map(|it| it.operand));
    let body = body.and_then(|body| match body.yields.len() == outputs.len() {
        true => Ok(body),
        false => Err(header
            .start
            .error("the body must yield one value per output")),
    });
    let body = body.map_err(ChainRefusal::Error);
    let number = inputs.len();
    let operands = inputs.into_iter().chain(outputs);
    let operands: Vec<ChainOperand<'a>> = operands.map(|it| ChainOperand::of(it, scopes)).collect();
    for (operand, access) in operands.iter().zip(&accesses) {
        if operand.sizes.len() != access.len() {
            let message = "this operand and its map have different ranks";
            return Err(operand.place.error(message));
        }
    }
    let kind = ChainStepKind::Generic {
        name: header.name,
        inputs: number,
        accesses,
        reduced,
        body,
    };
    Ok((operands, kind))
}

/// Returns the constant index at this position.
fn index(mut place: Cursor<'_>) -> Option<u64> {
    let MlirToken::Number(number) = place.next() else {
        return None;
    };
    let number = number.parse().ok()?;
    (place.accept(":") && place.accept("index")).then_some(number)
}

type Iteration = (Iterators, Vec<OperandAccess>);

fn iteration<'a>(
    header: &OperationHeader<'a>,
    inputs: &[LinalgOperand<'a>],
    outputs: &[LinalgOperand<'a>],
    around: &mut OperationContext<'a>,
) -> Result<Iteration, ComparatorError> {
    match header.name {
        LinalgName::Generic => {
            let attributes = &header.attributes;
            let (Some(all), Some(list)) = (attributes.maps, attributes.iterators) else {
                let message = "the operation has no indexing_maps or no iterator_types";
                return Err(header.start.error(message));
            };
            let read = || match is_empty(list) {
                true => Ok(Iterators::new()),
                false => iterators(list),
            };
            let known = around.iterators.entry(list.offset());
            let reduced = known.or_insert_with(read).clone()?;
            let count = inputs.len() + outputs.len();
            let accesses = accesses(all, count, reduced.len(), &around.maps, &mut around.read)?;
            Ok((reduced, accesses))
        }
        LinalgName::Reduce => {
            let (Some(list), [input], [_]) = (header.attributes.dimensions, inputs, outputs) else {
                let message = "expected a linalg.reduce with dimensions, one input and one output";
                return Err(header.start.error(message));
            };
            let reduced = dimensions(list, input.sizes.len())?;
            let all = (0..reduced.len()).map(Some).collect();
            let kept = (0..reduced.len()).filter(|&d| !reduced[d]);
            let kept = kept.map(Some).collect();
            Ok((reduced, vec![all, kept]))
        }
    }
}

/// Returns whether this is `[]`.
fn is_empty(mut list: Cursor<'_>) -> bool {
    list.accept("[") && list.accept("]")
}

/// Returns the names of the values in the brackets at this position.
pub(in crate::linalg) fn names<'a>(mut cursor: Cursor<'a>) -> Vec<&'a str> {
    let mut ahead = cursor;
    let end = match ahead.skip_brackets() {
        Ok(()) => ahead.offset(),
        Err(_) => return Vec::new(),
    };
    let mut names = Vec::new();
    while cursor.offset() < end {
        match cursor.next() {
            MlirToken::Value(name) => names.push(name),
            MlirToken::Symbol(":") | MlirToken::End => break,
            _ => {}
        }
    }
    names
}
