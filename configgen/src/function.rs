//! Element functions: what a reduction takes at each place of a problem, computed from the elements that its inputs have there.
//!
//! A function is a region of MLIR's `arith` and `math` with an argument for each input: the problem's own, and *operands*,
//! which have some of its dimensions ([`IndexMap`]) and are the same along the others. So a matrix-vector product is the sum of
//! products, `dot:4096x[11008]xbf16,bf16(1)`, whose operand has the reduced dimension alone. Each of them, the problem's own,
//! too, may be a [`View`] of a tensor with other sizes. The region is canonical, as a comparator's is, and defined for all bits;
//! where the problem's own input is a view, it may have no operations.
//!
//! This module knows no reduction; of one it holds the name alone.

use std::fmt;
use std::sync::Arc;

use crate::comparator::{Evaluator, MAX_ARGUMENTS, MAX_OPERATIONS, Region, Value};
use crate::{ElementType, IndexMap, Shape, View};

/// The most operands of a function.
pub const MAX_OPERANDS: usize = MAX_ARGUMENTS - 1;

/// An input behind the first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionOperand {
    /// Type of its elements.
    pub element: ElementType,
    /// Which of the problem's dimensions it has.
    pub map: IndexMap,
    /// How its places follow these dimensions, where it is not a tensor that has them as they are.
    pub view: Option<View>,
    /// Whether it is no tensor: an element is the place along its only dimension, as of MLIR's `linalg.index`.
    pub is_place: bool,
}

impl FunctionOperand {
    /// Elements of its tensor.
    pub fn elements(&self, shape: &Shape) -> u64 {
        match &self.view {
            None => self.map.elements(shape),
            Some(view) => view.elements(shape),
        }
    }

    /// Bytes of its elements that the problem has a place for, if inputs hold so many indices.
    fn bytes(&self, shape: &Shape, indices: impl Fn(usize) -> u64) -> u64 {
        let elements = match &self.view {
            _ if self.is_place => 0,
            None => self.map.elements(shape),
            Some(view) => view.reached(shape, indices),
        };
        elements * u64::from(self.element.bytes())
    }
}

/// What is computed of the elements at a place. Cheap to clone; equal are those of one canonical region and the same inputs.
#[derive(Clone)]
pub struct Function(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    region: Region,
    result: ElementType,
    /// Of the problem's own input.
    view: Option<View>,
    operands: Vec<FunctionOperand>,
    compact: String,
    /// What the reduction of it is called.
    name: Option<String>,
    /// The accumulator that the text says behind that name, as products are made in its type.
    accumulator: Option<ElementType>,
}

impl Function {
    /// The function that a region is, of an input of elements of its first argument's type, of which this is the view, and of
    /// these operands.
    ///
    /// # Errors
    /// Where an input is not used, or the canonical region is that of no function: what is wrong.
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
        let is_used = |argument: u32| {
            let mut operations = region.operations().iter();
            operations.any(|operation| operation.operands.contains(&Value(argument)))
                || may_be_view && region.result() == Value(argument)
                || views().any(|view| view.gather_inputs().any(|it| it == argument as usize))
        };
        if let Some(unused) = (0..region.arguments()).find(|&it| !is_used(it)) {
            let otherwise = match region.operations().is_empty() {
                true => "; without a function, the problem reduces the elements themselves",
                false => "",
            };
            return Err(format!(
                "the function does not use input {unused}{otherwise}"
            ));
        }
        let result = region.type_of(region.result());
        let result = ElementType::from_name(result.name())
            .ok_or_else(|| format!("the result has type {result}, which elements cannot have"))?;
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

    /// Returns the same function, with the name that its reduction has and the accumulator that
    /// stands behind that.
    pub(crate) fn named(mut self, name: String, accumulator: Option<ElementType>) -> Function {
        let inner = Arc::make_mut(&mut self.0);
        inner.name = Some(name);
        inner.accumulator = accumulator;
        self
    }

    /// Returns the accumulator that has to stand behind the [name](Self::name).
    pub(crate) fn accumulator(&self) -> Option<ElementType> {
        self.0.accumulator
    }

    /// Whether nothing is computed, and the elements of a view are reduced.
    pub fn is_view(&self) -> bool {
        self.0.region.operations().is_empty()
    }

    /// Whether an input is a view, or the place along a dimension.
    pub fn has_view(&self) -> bool {
        let mut operands = self.operands().iter();
        self.view().is_some() || operands.any(|it| it.view.is_some() || it.is_place)
    }

    /// The view of the problem's own input, where it is one of a tensor with other sizes.
    pub fn view(&self) -> Option<&View> {
        self.0.view.as_ref()
    }

    /// The operations, in canonical form. Argument 0 is an element of the problem's input, argument n one of operand n - 1.
    pub fn region(&self) -> &Region {
        &self.0.region
    }

    /// The inputs behind the first.
    pub fn operands(&self) -> &[FunctionOperand] {
        &self.0.operands
    }

    /// Type of what is reduced.
    pub fn result(&self) -> ElementType {
        self.0.result
    }

    /// The canonical form as one line without spaces.
    pub fn compact(&self) -> &str {
        &self.0.compact
    }

    /// The name of the reduction of it, such as `dot`, where there is one.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The function made ready to be evaluated many times.
    pub fn evaluator(&self) -> Evaluator {
        Evaluator::new(&self.0.region)
    }

    /// Elements of the problem's own input that it has a place for, where that is a view.
    pub(crate) fn reached(&self, shape: &Shape) -> Option<u64> {
        let view = self.view()?;
        Some(view.reached(shape, |input| self.indices(input, shape)))
    }

    /// How many indices an input holds.
    fn indices(&self, input: usize, shape: &Shape) -> u64 {
        match input.checked_sub(1) {
            Some(number) => self.operands()[number].elements(shape),
            None => shape.elements(),
        }
    }

    /// Bytes of all operands that the problem has a place for.
    pub fn bytes(&self, shape: &Shape) -> u64 {
        let bytes = self
            .0
            .operands
            .iter()
            .map(|operand| operand.bytes(shape, |input| self.indices(input, shape)));
        bytes.sum()
    }

    /// What stands behind the type of the elements in a problem's text: `,bf16(1)`.
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
