//! Comparators: decide if an element replaces the accumulator's value.
//!
//! The fold is `acc = initial; for x in index order: if compare(x, acc) then acc = x`. A
//! comparator is the region of IREE's `iree_linalg_ext.arg_compare`. Its operations are those of
//! MLIR's `arith` and `math`, and it yields an `i1`. Its two arguments have the element type: `a`
//! is the candidate, and `b` the accumulator.
//!
//! ```text
//! MLIR text ─mlir─▶ Region ─canonical─▶ Comparator ──▶ order: a generator's freedom
//!                                         │  ▲     └──▶ evaluator: results on the host
//!                                         ▼  │
//!                                 compact text, name
//! ```
//!
//! A [`Comparator`] is always in canonical form. Two spellings that reduce to the same form are
//! equal and have the same text, name and hash. Canonicalisation changes no result, for any bits.
//! [`semantics`] defines every operation completely; nothing is undefined.
//!
//! This module knows no problems, targets or kernels; of the rest of the crate it uses only
//! [`ElementType`](crate::ElementType).

mod canonical;
mod compact;
mod error;
mod evaluator;
mod float;
mod mlir;
mod named_comparator;
mod opcode;
pub mod order;
mod predicate;
mod region;
mod rounded_function;
mod scalar;
pub mod semantics;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use error::ComparatorError;
pub use evaluator::Evaluator;
pub(crate) use mlir::{
    ARG_COMPARE, BlockKind, Cursor, MlirToken, OTHER_ROUNDING, Scopes, body_with_arguments, braced,
    constant, function_type, natural, payload, scalar_type, skip_flags, skip_location, splat,
    tensor_type, with_attributes,
};
pub use mlir::{
    Block, Constant, MAX_FILE_BYTES, OperandType, ParsedOperation, TensorType, parse_operations,
};
pub use opcode::Opcode;
pub(crate) use opcode::OpcodeSignature;
pub use predicate::{FloatPredicate, IntegerPredicate};
pub(crate) use region::MAX_ROW_ARGUMENTS;
pub use region::{MAX_ARGUMENTS, MAX_OPERATIONS, Region, RegionOperation, Value};
pub(crate) use rounded_function::MAX_ANGLE;
pub use rounded_function::RoundedFunction;
pub use scalar::ScalarType;

use compact::Compact;
pub use order::ComparatorOrder;

/// A comparator in canonical form: decides if candidate `a` replaces the accumulator `b`.
///
/// It is cheap to clone. Equality uses the element type and the canonical form. The order uses
/// the printed text and the element type.
///
/// ```
/// use configgen::{ElementType, comparator::Comparator};
///
/// let text = "^bb0(%x: f32, %best: f32):
///   %wins = arith.cmpf olt, %best, %x : f32
///   iree_linalg_ext.yield %wins : i1";
/// let comparator = Comparator::from_block(text)?;
/// assert_eq!(comparator.name(), Some("argmax"));
/// assert_eq!(comparator.compact(), "arith.cmpf(ogt,0,1)");
/// assert!(comparator.evaluate(u64::from(2f32.to_bits()), u64::from(1f32.to_bits())));
/// assert_eq!(Some(comparator), Comparator::named("argmax", ElementType::F32));
/// # Ok::<(), configgen::comparator::ComparatorError>(())
/// ```
#[derive(Clone)]
pub struct Comparator(Arc<Inner>);

struct Inner {
    region: Region,
    compact: String,
    name: OnceLock<Option<&'static str>>,
    order: OnceLock<ComparatorOrder>,
}

impl Comparator {
    /// Creates the comparator of a region with two arguments.
    ///
    /// # Errors
    /// Returns an error if the canonical form has more than [`MAX_OPERATIONS`] operations.
    pub fn new(region: &Region) -> Result<Self, ComparatorError> {
        let comparator = Self::canonical(region);
        match comparator.region().operations().len() {
            ..=MAX_OPERATIONS => Ok(comparator),
            count => Err(ComparatorError {
                line: 1,
                column: 1,
                message: format!(
                    "the canonical form has {count} operations, more than {MAX_OPERATIONS}"
                ),
            }),
        }
    }

    fn canonical(region: &Region) -> Self {
        let region = canonical::canonical(region);
        let compact = Compact(&region).to_string();
        Comparator(Arc::new(Inner {
            region,
            compact,
            name: OnceLock::new(),
            order: OnceLock::new(),
        }))
    }

    /// Parses a block of MLIR, with or without braces around it.
    ///
    /// # Errors
    /// Returns an error with its position and the expected text, if the text is no comparator.
    pub fn from_block(text: &str) -> Result<Self, ComparatorError> {
        Self::new(&Region::from_block(text)?)
    }

    /// Parses the compact text of a comparator for elements of this type, canonical or not.
    ///
    /// # Errors
    /// Returns an error with its column in line 1 and the expected text, if the text is no
    /// comparator.
    pub fn from_compact(
        text: &str,
        element: impl Into<ScalarType>,
    ) -> Result<Self, ComparatorError> {
        Self::new(&compact::comparator(text, element.into())?)
    }

    /// Returns the comparator with this name, or none if elements of this type have none.
    ///
    /// Examples are `argmax`, `argmin_nan`, `argmax_last` and `argmin.ult`.
    pub fn named(name: &str, element: impl Into<ScalarType>) -> Option<Self> {
        let mut all = Self::all_named(element.into()).iter();
        all.find(|named| named.0 == name)
            .map(|named| named.1.clone())
    }

    /// Returns all names of comparators of this type, preferred names first.
    pub fn names(element: impl Into<ScalarType>) -> impl Iterator<Item = &'static str> {
        Self::all_named(element.into()).iter().map(|named| named.0)
    }

    /// Returns the preferred name of this comparator, if it has one.
    pub fn name(&self) -> Option<&'static str> {
        *self.0.name.get_or_init(|| {
            let mut all = Self::all_named(self.element()).iter();
            all.find(|named| named.1 == *self).map(|named| named.0)
        })
    }

    /// Returns all named comparators of this type, preferred names first.
    ///
    /// They are made once, with their order proofs. Callers parse problems by the thousand, and
    /// most have one of these.
    fn all_named(element: ScalarType) -> &'static [(&'static str, Comparator)] {
        type Named = OnceLock<Vec<(&'static str, Comparator)>>;
        // One static per type, because the order proof of some types takes milliseconds.
        static ALL: [Named; ScalarType::ALL.len()] =
            [const { Named::new() }; ScalarType::ALL.len()];
        ALL[element as usize].get_or_init(|| {
            let regions = named_comparator::regions(element);
            regions
                .map(|(name, region)| (name, Self::canonical(&region)))
                .collect()
        })
    }

    /// Returns the type of the elements.
    pub fn element(&self) -> ScalarType {
        self.0.region.element()
    }

    /// Returns the operations, in canonical form; the last one is the result.
    pub fn region(&self) -> &Region {
        &self.0.region
    }

    /// Returns the canonical form as one line without spaces; see
    /// [`from_compact`](Self::from_compact).
    pub fn compact(&self) -> &str {
        &self.0.compact
    }

    /// Returns the BLAKE3 hash of element type and canonical form.
    pub fn digest(&self) -> blake3::Hash {
        // The hash covers the type too, since the compact text omits it.
        blake3::hash(format!("{}:{}", self.element(), self.compact()).as_bytes())
    }

    /// Returns a name for symbols: letters, digits and underscores, unique per element type.
    pub fn symbol(&self) -> String {
        match self.name() {
            Some(name) => name.replace('.', "_"),
            None => format!("arg_compare_{}", &self.digest().to_hex()[..16]),
        }
    }

    /// Returns the operation for the better of two elements, if the comparator is one strict
    /// comparison.
    ///
    /// For floats, the operation's result differs for NaN and may differ for two zeros.
    pub fn extreme(&self) -> Option<Opcode> {
        let [comparison] = self.region().operations() else {
            return None;
        };
        if comparison.operands[..] != [Value::A, Value::B] {
            return None;
        }
        Some(match comparison.opcode {
            Opcode::Cmpf(FloatPredicate::Ogt) => Opcode::Maximumf,
            Opcode::Cmpf(FloatPredicate::Olt) => Opcode::Minimumf,
            Opcode::Cmpi(IntegerPredicate::Sgt) => Opcode::Maxsi,
            Opcode::Cmpi(IntegerPredicate::Slt) => Opcode::Minsi,
            Opcode::Cmpi(IntegerPredicate::Ugt) => Opcode::Maxui,
            Opcode::Cmpi(IntegerPredicate::Ult) => Opcode::Minui,
            _ => return None,
        })
    }

    /// Returns the MLIR block of this comparator.
    pub fn block(&self) -> Block<'_> {
        Block::new(&self.0.region)
    }

    /// Returns whether an element with the bits `a` replaces an accumulator with the bits `b`.
    ///
    /// In a loop, an [`evaluator`](Self::evaluator) is faster.
    pub fn evaluate(&self, a: u64, b: u64) -> bool {
        self.evaluator().compare(a, b)
    }

    /// Returns an evaluator, prepared for many evaluations.
    pub fn evaluator(&self) -> Evaluator {
        Evaluator::new(&self.0.region)
    }

    /// Returns the proof or refutation of the comparator as an order.
    ///
    /// The first call computes it: in microseconds if the form proves an order, else in some
    /// milliseconds.
    pub fn order(&self) -> &ComparatorOrder {
        self.0
            .order
            .get_or_init(|| ComparatorOrder::of(&self.0.region))
    }

    fn key(&self) -> (ScalarType, &str) {
        (self.element(), self.compact())
    }
}

impl Region {
    /// Parses the compact text of a function with arguments of these types.
    ///
    /// # Errors
    /// Returns an error with its column in line 1 and the expected text, if the text is no
    /// function.
    pub(crate) fn from_compact(
        text: &str,
        arguments: impl IntoIterator<Item = ScalarType>,
    ) -> Result<Region, ComparatorError> {
        compact::function(text, arguments)
    }

    /// Returns the canonical form of regions that compute the same.
    ///
    /// Its result is its last operation, unless that is an argument.
    pub(crate) fn canonical(&self) -> Region {
        canonical::canonical(self)
    }

    /// Returns a canonical region as one line without spaces.
    pub fn compact(&self) -> String {
        Compact(self).to_string()
    }
}

/// Prints the name, or the compact text without one.
impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or(self.compact()))
    }
}

impl fmt::Debug for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Comparator({}: {})", self.element(), self.compact())
    }
}

impl PartialEq for Comparator {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Comparator {}

impl std::hash::Hash for Comparator {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for Comparator {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Comparator {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // The printed order, for lists.
        let printed = |one: &Self| {
            (
                one.name().unwrap_or(one.compact()).to_owned(),
                one.element(),
            )
        };
        printed(self).cmp(&printed(other))
    }
}
