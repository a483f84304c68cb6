//! Element functions: compute each element that a reduction takes from the elements of its
//! inputs.
//!
//! A function is a region of MLIR's `arith` and `math` with one argument per input. The inputs
//! are the problem's own and *operands*. An operand has some of the problem's dimensions
//! ([`IndexMap`]) and repeats along the others. A matrix-vector product is therefore a sum of
//! products, `dot:4096x[11008]xbf16,bf16(1)`, and its operand has the reduced dimension alone.
//! Each input may be a [`View`] of a tensor with other sizes.
//!
//! The region is canonical, as a comparator's is, and defined for all bits. It may have no
//! operations if the problem's own input is a view.
//!
//! This module knows no reduction; it holds only a reduction's name.

use std::fmt;
use std::sync::Arc;

use crate::comparator::{Evaluator, MAX_ARGUMENTS, MAX_OPERATIONS, Region, Value};
use crate::{ElementType, IndexMap, Shape, View};

/// The largest number of operands of a function.
pub const MAX_OPERANDS: usize = MAX_ARGUMENTS - 1;

/// An input of a function behind the first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionOperand {
    /// The type of its elements.
    pub element: ElementType,
    /// The problem dimensions that it has.
    pub map: IndexMap,
    /// The mapping from these dimensions to its elements, if it differs from the dimensions
    /// themselves.
    pub view: Option<View>,
    /// Set if the operand is no tensor: each element is the index along its only dimension.
    ///
    /// MLIR's `linalg.index` gives such an operand.
    pub is_place: bool,
}

impl FunctionOperand {
    /// Returns the number of elements of its tensor.
    pub fn elements(&self, shape: &Shape) -> u64 {
        match &self.view {
            None => self.map.elements(shape),
            Some(view) => view.elements(shape),
        }
    }

    /// Returns the bytes of the elements that the problem can read.
    ///
    /// `indices` gives the number of indices in a gathering input.
    fn bytes(&self, shape: &Shape, indices: impl Fn(usize) -> u64) -> u64 {
        let elements = match &self.view {
            _ if self.is_place => 0,
            None => self.map.elements(shape),
            Some(view) => view.reached(shape, indices),
        };
        elements * u64::from(self.element.bytes())
    }
}

/// A computation from the elements of the inputs to one reduced element. Cheap to clone.
///
/// Two functions are equal if they have the same canonical region and the same inputs.
#[derive(Clone)]
pub struct Function(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    region: Region,
    result: ElementType,
    /// The view of the problem's own input.
    view: Option<View>,
    operands: Vec<FunctionOperand>,
    compact: String,
    /// The name of the reduction with this function.
    name: Option<String>,
    /// The accumulator behind that name in the text. Products are computed in its type.
    accumulator: Option<ElementType>,
}

impl Function {
    /// Creates a function from a region, the view of the problem's own input, and operands.
    ///
    /// The region's first argument has the type of the problem's own elements.
    ///
    /// # Errors
    /// Returns a message if an input is unused, or if the canonical region is no valid function.
    pub(crate) fn new(
        region: &Region,
        view: Option<View>,
        operands: Vec<FunctionOperand>,
    ) -> Result<Function, String> {
        let region = region.canonical();
        let count = region.operations().len();
        if count > MAX_OPERATIONS {
            return Err(format!(
                "the canonical form has {count} operations, more than {MAX_OPERATIONS}"
            ));
        }
        let views = || (view.iter()).chain(operands.iter().filter_map(|it| it.view.as_ref()));
        let may_be_view = views().next().is_some();
        // A gathering view uses an input as indices, even if the region does not read it.
        let is_used = |argument: u32| {
            let mut operations = region.operations().iter();
            operations.any(|operation| operation.operands.contains(&Value(argument)))
                || may_be_view && region.result() == Value(argument)
                || views().any(|view| view.gather_inputs().any(|it| it == argument as usize))
        };
        if let Some(unused) = (0..region.arguments()).find(|&it| !is_used(it)) {
            let otherwise = match region.operations().is_empty() {
                true => "; without a function the elements themselves are reduced",
                false => "",
            };
            return Err(format!("nothing is computed of input {unused}{otherwise}"));
        }
        let result = region.type_of(region.result());
        let result = ElementType::from_name(result.name())
            .ok_or_else(|| format!("the result is {result}, which is no type of elements"))?;
        Ok(Function(Arc::new(Inner {
            compact: region.compact(),
            result,
            view,
            operands,
            region,
            name: None,
            accumulator: None,
        })))
    }

    /// Returns the same function, with the name of its reduction and the accumulator behind the
    /// name.
    pub(crate) fn named(mut self, name: String, accumulator: Option<ElementType>) -> Function {
        let inner = Arc::make_mut(&mut self.0);
        inner.name = Some(name);
        inner.accumulator = accumulator;
        self
    }

    /// Returns the accumulator that must stand behind the [name](Self::name).
    pub(crate) fn accumulator(&self) -> Option<ElementType> {
        self.0.accumulator
    }

    /// Returns whether the function computes nothing, so that the reduction takes a view's
    /// elements.
    pub fn is_view(&self) -> bool {
        self.0.region.operations().is_empty()
    }

    /// Returns whether an input is a view, or the index along a dimension.
    pub fn has_view(&self) -> bool {
        let mut operands = self.operands().iter();
        self.view().is_some() || operands.any(|it| it.view.is_some() || it.is_place)
    }

    /// Returns the view of the problem's own input, if its tensor has other sizes than the
    /// problem.
    pub fn view(&self) -> Option<&View> {
        self.0.view.as_ref()
    }

    /// Returns the operations, in canonical form.
    ///
    /// Argument 0 is an element of the problem's input, and argument n one of operand n - 1.
    pub fn region(&self) -> &Region {
        &self.0.region
    }

    /// Returns the inputs behind the first.
    pub fn operands(&self) -> &[FunctionOperand] {
        &self.0.operands
    }

    /// Returns the type of the reduced elements.
    pub fn result(&self) -> ElementType {
        self.0.result
    }

    /// Returns the canonical form as one line without spaces.
    pub fn compact(&self) -> &str {
        &self.0.compact
    }

    /// Returns the name of the reduction with this function, such as `dot`, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Returns an evaluator, prepared for many evaluations.
    pub fn evaluator(&self) -> Evaluator {
        Evaluator::new(&self.0.region)
    }

    /// Returns the number of elements of the problem's own input that it can read, if that is a
    /// view.
    pub(crate) fn reached(&self, shape: &Shape) -> Option<u64> {
        let view = self.view()?;
        Some(view.reached(shape, |input| self.indices(input, shape)))
    }

    /// Returns the number of indices that an input holds.
    fn indices(&self, input: usize, shape: &Shape) -> u64 {
        match input.checked_sub(1) {
            Some(number) => self.operands()[number].elements(shape),
            None => shape.elements(),
        }
    }

    /// Returns the bytes of all operands that the problem can read.
    pub fn bytes(&self, shape: &Shape) -> u64 {
        let bytes = self
            .0
            .operands
            .iter()
            .map(|operand| operand.bytes(shape, |input| self.indices(input, shape)));
        bytes.sum()
    }

    /// Returns the text behind the element type in a problem's text, such as `,bf16(1)`.
    pub(crate) fn inputs<'a>(&'a self, shape: &'a Shape) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            self.operands().iter().try_for_each(|operand| {
                let FunctionOperand {
                    element, map, view, ..
                } = operand;
                if operand.is_place {
                    return write!(f, ",index({map})");
                }
                write!(f, ",{element}")?;
                match view {
                    Some(view) => write!(f, "({})", view.text(*element)),
                    // The text omits the dimensions of an operand that has all of them.
                    None if map.is_all(shape) => Ok(()),
                    None => write!(f, "({map})"),
                }
            })
        })
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            compact,
            view,
            operands,
            ..
        } = &*self.0;
        write!(f, "Function({compact}: {view:?} {operands:?})")
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        // The name and the accumulator only choose the spelling, so equality and hash ignore
        // them.
        self.0.region == other.0.region
            && self.0.view == other.0.view
            && self.0.operands == other.0.operands
    }
}

impl Eq for Function {}

impl std::hash::Hash for Function {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.region.hash(state);
        self.0.view.hash(state);
        self.0.operands.hash(state);
    }
}
