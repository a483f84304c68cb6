//! The generic form of an operation: `"arith.cmpf"(%a, %b) <{predicate = 2 : i64}> : (f32, f32)
//! -> i1`.

use arrayvec::ArrayVec;

use super::super::error::ComparatorError;
use super::super::opcode::{Class, Opcode, OpcodeSignature};
use super::super::predicate::{FloatPredicate, IntegerPredicate};
use super::super::region::Value;
use super::super::scalar::ScalarType;
use super::block::{OperationName, Parser, UntypedOperation};
use super::cursor::{Cursor, MlirToken};
use super::flags::fastmath;
use super::literal::{constant, scalar_type};

/// Parses an operation in the generic form.
pub(super) fn operation(parser: &mut Parser<'_, '_>) -> Result<UntypedOperation, ComparatorError> {
    let start = parser.cursor;
    let MlirToken::Quoted(name) = parser.cursor.peek() else {
        return Err(start.expected("the name of an operation in quotes"));
    };
    let mut named = parser.named(name)?;
    parser.cursor.next();
    parser.cursor.expect("(", "before the operands")?;
    let mut operands: ArrayVec<Value, 3> = ArrayVec::new();
    while !parser.cursor.accept(")") {
        if !operands.is_empty() {
            parser.cursor.expect(",", "or \")\" after an operand")?;
        }
        if operands.is_full() {
            return Err(parser
                .cursor
                .error("no operation takes more than three operands"));
        }
        operands.push(parser.operand()?);
    }
    let constant_type = attributes(&mut parser.cursor, &mut named)?;
    let form = form(named);
    // A constant or a predicate stands in the attributes in this form.
    if constant_type.is_none()
        && matches!(
            form,
            Some(OpcodeSignature::Constant | OpcodeSignature::Compare(_))
        )
    {
        return Err(parser
            .cursor
            .expected("the operation's attributes, such as \"<{predicate = 2 : i64}>\""));
    }
    parser
        .cursor
        .expect(":", "and the type after the operation")?;
    let place = parser.cursor;
    let (from, result) = function_type(&mut parser.cursor)?;
    // The generic form repeats the types of all operands, so they must agree.
    let found = operands
        .iter()
        .map(|&operand| parser.region.type_of(operand));
    if !found.eq(from.iter().copied()) {
        return Err(place.error("these are not the types of the operands"));
    }
    match result {
        Some(result)
            if form != Some(OpcodeSignature::Constant) || constant_type == Some(result) =>
        {
            Ok(UntypedOperation {
                named,
                operands,
                result,
            })
        }
        Some(result) => Err(place.error(format!("the constant is not of type {result}"))),
        None => Err(place.error("the operation gives one value")),
    }
}

/// Parses an operation that stands for a whole body: `arith.addi {overflowFlags = …}`.
pub(crate) fn payload(cursor: &mut Cursor<'_>) -> Result<Opcode, ComparatorError> {
    let what = "an operation of two values, such as \"arith.addf\"";
    let start = *cursor;
    let opcode = Opcode::from_name(cursor.word(what)?);
    let opcode = opcode.filter(|it| matches!(it.signature(), OpcodeSignature::Same(_, 2)));
    let opcode = opcode.ok_or_else(|| start.expected(what))?;
    with_attributes(cursor, opcode)
}

/// Parses the attributes of an operation, and returns it with its predicate, if it has one.
///
/// # Errors
///
/// Returns an error for a comparison without a predicate, and for unknown attributes.
pub(crate) fn with_attributes(
    cursor: &mut Cursor<'_>,
    opcode: Opcode,
) -> Result<Opcode, ComparatorError> {
    let mut named = OperationName::Operation(opcode);
    let decided = attributes(cursor, &mut named)?;
    match named {
        OperationName::Operation(opcode)
            if decided.is_some() || !matches!(opcode.signature(), OpcodeSignature::Compare(_)) =>
        {
            Ok(opcode)
        }
        _ => Err(cursor.expected("the predicate of the comparison")),
    }
}

/// Parses `(f32, f32) -> i1`; `()` means no result.
pub(crate) fn function_type(
    cursor: &mut Cursor<'_>,
) -> Result<(ArrayVec<ScalarType, 3>, Option<ScalarType>), ComparatorError> {
    let mut operands = ArrayVec::new();
    cursor.expect("(", "before the types of the operands")?;
    while !cursor.accept(")") {
        if !operands.is_empty() {
            cursor.expect(",", "or \")\" after a type")?;
        }
        if operands.is_full() {
            return Err(cursor.error("no operation takes more than three operands"));
        }
        operands.push(scalar_type(cursor)?);
    }
    cursor.expect("->", "and the type of the result")?;
    if cursor.accept("(") {
        cursor.expect(")", "where there is no result")?;
        return Ok((operands, None));
    }
    Ok((operands, Some(scalar_type(cursor)?)))
}

/// Parses `<{name = value, …}>` or `{…}`, and puts the constant or the predicate into the
/// operation.
///
/// It returns the type of the constant, or i1 for a predicate, or none without either.
fn attributes(
    cursor: &mut Cursor<'_>,
    named: &mut OperationName,
) -> Result<Option<ScalarType>, ComparatorError> {
    let angled = cursor.accept("<");
    if !cursor.accept("{") {
        return match angled {
            true => Err(cursor.expected("\"{\" and the attributes")),
            false => Ok(None),
        };
    }
    let mut decided = None;
    loop {
        let start = *cursor;
        match (cursor.word("the name of an attribute")?, form(*named)) {
            ("value", Some(OpcodeSignature::Constant)) => {
                cursor.expect("=", "and the constant")?;
                let (bits, scalar) = constant(cursor)?;
                *named = OperationName::Operation(Opcode::Constant(bits));
                decided = Some(scalar);
            }
            ("predicate", Some(OpcodeSignature::Compare(class))) => {
                cursor.expect("=", "and the number of the predicate")?;
                *named = OperationName::Operation(predicate(cursor, class)?);
                decided = Some(ScalarType::I1);
            }
            ("fastmath", _) => {
                cursor.expect("=", "and the flags")?;
                cursor.expect("#", "before the name of an attribute's type")?;
                cursor.expect("arith.fastmath", "as the type of the attribute")?;
                fastmath(start, cursor)?;
            }
            // As in the other form, the parser drops promises.
            ("overflowFlags", _) => {
                cursor.expect("=", "and the flags")?;
                cursor.expect("#", "before the name of an attribute's type")?;
                cursor.expect("arith.overflow", "as the type of the attribute")?;
                cursor.skip_brackets()?;
            }
            // An unknown attribute might change the result.
            _ => return Err(start.expected(
                "an attribute that this operation has: value, predicate, fastmath, overflowFlags",
            )),
        }
        if !cursor.accept(",") {
            break;
        }
    }
    cursor.expect("}", "after the attributes")?;
    if angled {
        cursor.expect(">", "after the attributes")?;
    }
    Ok(decided)
}

/// The float predicates by MLIR's number. LLVM's numbers differ: its unordered predicates come
/// earlier.
const FLOAT_PREDICATES: [FloatPredicate; 16] = [
    FloatPredicate::False,
    FloatPredicate::Oeq,
    FloatPredicate::Ogt,
    FloatPredicate::Oge,
    FloatPredicate::Olt,
    FloatPredicate::Ole,
    FloatPredicate::One,
    FloatPredicate::Ord,
    FloatPredicate::Ueq,
    FloatPredicate::Ugt,
    FloatPredicate::Uge,
    FloatPredicate::Ult,
    FloatPredicate::Ule,
    FloatPredicate::Une,
    FloatPredicate::Uno,
    FloatPredicate::True,
];

/// Returns the signature of an operation. A short form, with only flags as attributes, has none.
fn form(named: OperationName) -> Option<OpcodeSignature> {
    match named {
        OperationName::Operation(opcode) => Some(opcode.signature()),
        OperationName::Short(_) => None,
    }
}

fn predicate(cursor: &mut Cursor<'_>, compared: Class) -> Result<Opcode, ComparatorError> {
    let start = *cursor;
    let number = match cursor.next() {
        MlirToken::Number(digits) => digits.parse::<usize>().ok(),
        _ => None,
    };
    let found = number.and_then(|number| match compared {
        Class::Float => FLOAT_PREDICATES.get(number).copied().map(Opcode::Cmpf),
        _ => IntegerPredicate::all().nth(number).map(Opcode::Cmpi),
    });
    if cursor.accept(":") {
        cursor.expect("i64", "as the type of the predicate's number")?;
    }
    found.ok_or_else(|| start.expected("the number of a predicate"))
}
