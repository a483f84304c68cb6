//! Tensor operands: the inputs whose elements are reduced, and the functions of these elements.

use std::fmt;
use std::ops::Range;

use configgen::comparator::{Region, Value};
use configgen::reduction::{Scalar, Tensor};
use configgen::view::ViewSource;
use configgen::{ElementType, Function, IndexMap, Problem, View};

use crate::native::ir::Parameter;

/// An input as a tensor with the problem's dimensions.
#[derive(Debug, Clone)]
pub(crate) struct TensorOperand {
    /// The kernel parameter of the tensor.
    pub(crate) parameter: Parameter,
    /// The element type.
    pub(crate) element: ElementType,
    /// The distance of neighbours along each dimension of the problem, in elements. 0 if the
    /// tensor lacks the dimension, and for a view.
    pub(crate) strides: Vec<u64>,
    /// Elements of the buffer, gaps between rows included.
    pub(crate) span: u64,
    /// The view, if the tensor has sizes of its own.
    pub(crate) view: Option<OperandView>,
    /// The dimension of the problem whose coordinate is the element, if the input is no tensor.
    pub(crate) place: Option<usize>,
    /// The dimensions of the tensor, as text; empty if it has all.
    map: String,
}

/// The mapping from coordinates of the problem to coordinates of a tensor.
#[derive(Debug, Clone)]
pub(crate) struct OperandView {
    /// The mapping of each dimension of the tensor.
    pub(crate) along: Vec<OperandDimension>,
    /// The bits of an element outside of the tensor.
    pub(crate) outside: u64,
}

/// The mapping of one dimension of a tensor.
#[derive(Debug, Clone)]
pub(crate) struct OperandDimension {
    /// The source of the coordinate.
    pub(crate) by: ViewSource,
    /// The dimensions of the problem on which the coordinate depends.
    pub(crate) dimensions: Vec<usize>,
    /// True if coordinates run backwards. The offset is added afterwards.
    pub(crate) is_reversed: bool,
    pub(crate) offset: i32,
    /// The tensor's size, and the distance of neighbours in elements.
    pub(crate) size: u32,
    pub(crate) stride: u64,
    /// The coordinates of the problem that are inside of the tensor. `leaves` is true if others
    /// occur.
    pub(crate) inside: Range<u32>,
    pub(crate) leaves: bool,
}

impl TensorOperand {
    /// Returns the inputs of a problem, its own input first.
    pub(crate) fn of(problem: &Problem) -> Vec<TensorOperand> {
        let shape = &problem.shape;
        let own = match problem.view() {
            None => TensorOperand {
                parameter: Parameter::Input,
                element: problem.element,
                strides: shape.strides().to_vec(),
                span: shape.span(),
                view: None,
                place: None,
                map: String::new(),
            },
            Some(view) => TensorOperand::viewed(problem, Parameter::Input, problem.element, view),
        };
        let mut sources = vec![own];
        let operands = problem.function.iter().flat_map(Function::operands);
        sources.extend(operands.zip(1..).map(|(operand, number)| {
            let parameter = Parameter::Operand(number);
            match &operand.view {
                _ if operand.is_place => {
                    TensorOperand::place(problem, parameter, operand.element, &operand.map)
                }
                None => TensorOperand::dense(problem, parameter, operand.element, &operand.map),
                Some(view) => TensorOperand::viewed(problem, parameter, operand.element, view),
            }
        }));
        // Operands that a row operation reads come after those of the function, in kernarg order.
        if problem.reduction.reads_operands() {
            let operands = problem.reduction.operands();
            sources.extend(operands.iter().map(|tensor| {
                let (map, name) = (tensor.extent.map(shape), Parameter::Named(tensor.name));
                TensorOperand::dense(problem, name, element_of(tensor), &map)
            }));
        }
        let indices = problem
            .reduction
            .indices()
            .iter()
            .zip(sources.len() as u8..);
        let indices = indices.map(|(&dimension, number)| {
            let map = IndexMap::new(&[dimension], shape.rank());
            let map = map.expect("the problem has the dimension");
            TensorOperand::place(problem, Parameter::Operand(number), ElementType::I32, &map)
        });
        sources.extend(indices);
        sources
    }

    /// Returns an input that is the coordinate along the dimension of `map`. It is no tensor.
    fn place(
        problem: &Problem,
        parameter: Parameter,
        element: ElementType,
        map: &IndexMap,
    ) -> TensorOperand {
        TensorOperand {
            place: map.dimensions().next(),
            span: 0,
            ..TensorOperand::dense(problem, parameter, element, map)
        }
    }

    /// Returns a result as a tensor that the kernel writes.
    pub(super) fn result(problem: &Problem, tensor: &Tensor) -> TensorOperand {
        let (map, name) = (
            tensor.extent.map(&problem.shape),
            Parameter::Output(tensor.name),
        );
        TensorOperand::dense(problem, name, element_of(tensor), &map)
    }

    /// Returns a tensor without gaps.
    fn dense(
        problem: &Problem,
        parameter: Parameter,
        element: ElementType,
        map: &IndexMap,
    ) -> TensorOperand {
        let shape = &problem.shape;
        let dimensions: Vec<String> = map.dimensions().map(|d| d.to_string()).collect();
        TensorOperand {
            parameter,
            element,
            strides: map.strides(shape).to_vec(),
            span: map.elements(shape),
            view: None,
            place: None,
            map: match (map.is_all(shape), dimensions.as_slice()) {
                (true, _) => String::new(),
                (false, []) => " of no dimension".to_owned(),
                (false, [one]) => format!(" of dimension {one}"),
                (false, several) => format!(" of dimensions {}", several.join(", ")),
            },
        }
    }

    /// Returns a view: a tensor with sizes of its own.
    fn viewed(
        problem: &Problem,
        parameter: Parameter,
        element: ElementType,
        view: &View,
    ) -> TensorOperand {
        let shape = &problem.shape;
        let along = view.along().iter().zip(view.strides(shape));
        let along = along.map(|(along, stride)| OperandDimension {
            by: along.by,
            dimensions: match along.by {
                ViewSource::Dimension(dimension) => vec![dimension],
                ViewSource::Gathered(input) => dimensions(problem, input),
            },
            is_reversed: along.is_reversed,
            offset: along.offset,
            size: along.size(shape),
            stride,
            inside: along.inside(shape),
            leaves: along.leaves(shape),
        });
        // A view's offsets come from its own dimensions, so its strides along the problem's are
        // 0.
        TensorOperand {
            parameter,
            element,
            strides: vec![0; shape.rank()],
            span: view.elements(shape),
            view: Some(OperandView {
                along: along.collect(),
                outside: view.outside(),
            }),
            place: None,
            map: format!(" {}", view.words(element, shape)),
        }
    }

    /// Returns the bytes of an element.
    pub(crate) fn bytes(&self) -> u64 {
        self.element.bytes().into()
    }

    /// Returns a description such as "f32 of dimension 1".
    pub(crate) fn words(&self) -> String {
        match self.place {
            Some(dimension) => format!("{} the place along dimension {dimension}", self.element),
            None => format!("{}{}", self.element, self.map),
        }
    }
}

/// Returns the dimensions of the problem on which an input that is not gathered depends.
fn dimensions(problem: &Problem, input: usize) -> Vec<usize> {
    let rank = problem.shape.rank();
    let function = problem.function.as_ref();
    let operand = |number| function.and_then(|it| it.operands().get::<usize>(number));
    match (input.checked_sub(1).and_then(operand), problem.view()) {
        (Some(operand), _) => operand.map.dimensions().collect(),
        (None, Some(view)) => view.dimensions(&problem.shape).dimensions().collect(),
        (None, None) => (0..rank).collect(),
    }
}

/// Returns the type of a tensor of elements.
fn element_of(tensor: &Tensor) -> ElementType {
    match tensor.scalar {
        Scalar::Element(element) => element,
        Scalar::Index(_) => unreachable!("{} is read or computed as elements", tensor.name),
    }
}

/// A function of the sources' elements at one coordinate and of values of the row.
#[derive(Debug, Clone)]
pub(crate) struct ElementFunction {
    /// The function's region; its first arguments are the elements.
    pub(crate) region: Region,
    /// The type of the result.
    pub(crate) result: ElementType,
    /// True for each source whose elements the function reads.
    pub(crate) reads: Vec<bool>,
}

impl ElementFunction {
    /// Creates the function of the first `sources` arguments.
    pub(super) fn new(region: Region, result: ElementType, sources: usize) -> ElementFunction {
        let is_read = |argument: Value| {
            let mut operations = region.operations().iter();
            operations.any(|operation| operation.operands.contains(&argument))
                || region.result() == argument
        };
        ElementFunction {
            reads: (0..sources as u32).map(|it| is_read(Value(it))).collect(),
            region,
            result,
        }
    }

    /// Returns the function that a problem reduces, or `None` if it reduces the elements
    /// themselves.
    pub(super) fn of(problem: &Problem) -> Option<ElementFunction> {
        let function = problem.function.as_ref()?;
        let sources = 1 + function.operands().len();
        Some(ElementFunction::new(
            function.region().clone(),
            function.result(),
            sources,
        ))
    }
}

/// Prints the region; the sources and then the values of the row are numbers from 0.
impl fmt::Display for ElementFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.region))
    }
}

/// Returns the text of a region; for a region that returns an argument, the argument's number.
pub(in crate::native) fn text(region: &Region) -> String {
    match region.operations().is_empty() {
        true => region.result().0.to_string(),
        false => region.compact(),
    }
}

/// The loads of the elements of a thread tile, which are adjacent along the vector dimension of
/// the problem's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loads {
    /// Elements of each load; they are adjacent in memory.
    pub(crate) counts: Vec<u32>,
    /// The distance from one load to the next, in elements of the source, for each element of the
    /// earlier load.
    pub(crate) stride: u64,
    /// The number of times that each element occurs in the thread tile: once, or in all places if
    /// there is only one element.
    pub(crate) repeats: u32,
    /// The loads of several thread tiles at once, if a lane's elements are adjacent along another
    /// dimension.
    pub(crate) across: Option<TileTranspose>,
}

/// The loads of neighbouring thread tiles whose elements are adjacent across them, followed by a
/// transposition in registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TileTranspose {
    /// The dimension of the problem along which elements are adjacent.
    pub(crate) dimension: usize,
    /// Elements of each load.
    pub(crate) counts: Vec<u32>,
}

impl Loads {
    /// Returns the loads of a view, each of at most `bytes` bytes. Either all elements of a load
    /// are in the tensor, or none is. `thread` has a lane's adjacent elements along each
    /// dimension. The thread tiles lie along dimension `vector`, which has `places` elements.
    pub(crate) fn of_view(
        thread: &[u32],
        (vector, places): (usize, u32),
        (view, element): (&OperandView, ElementType),
        bytes: u32,
    ) -> Loads {
        let count = thread[vector];
        let mut all = view
            .along
            .iter()
            .filter(|it| it.dimensions.contains(&vector));
        let (follows, others) = (all.next(), all.next());
        let loads = match (follows, others) {
            (None, _) => Loads::new(count, 0, element, bytes),
            (
                Some(OperandDimension {
                    by: ViewSource::Dimension(_),
                    stride,
                    ..
                }),
                None,
            ) => Loads::new(count, *stride, element, bytes),
            // Each element is gathered by itself, so no two loads are known to be adjacent.
            _ => Loads::new(count, u64::MAX, element, bytes),
        };
        let Some(follows) = follows.filter(|_| loads.stride == 1) else {
            let across = TileTranspose::of(thread, view, bytes / element.bytes());
            // Gathered elements have no neighbours, and an element that is common to a thread
            // tile is loaded once.
            let across = across.filter(|_| loads.stride > 1 && loads.stride < u64::MAX);
            return Loads { across, ..loads };
        };
        if !follows.leaves {
            return loads;
        }
        // A lane starts at a multiple of the common divisor of its thread tile and the dimension,
        // and a load at a multiple of its own size.
        let edges = places | follows.inside.start | follows.inside.end;
        let widest = (bytes / element.bytes()).min(1 << edges.trailing_zeros());
        Loads {
            counts: powers(count, widest),
            ..loads
        }
    }

    /// Returns the loads of `count` elements, `stride` elements of the source apart, each load of
    /// at most `bytes` bytes.
    pub(crate) fn new(count: u32, stride: u64, element: ElementType, bytes: u32) -> Loads {
        let (loaded, widest, repeats) = match stride {
            0 => (1, 1, count),
            1 => (count, bytes / element.bytes(), 1),
            _ => (count, 1, 1),
        };
        Loads {
            counts: powers(loaded, widest),
            stride,
            repeats,
            across: None,
        }
    }

    /// Returns a description such as "4 + 2 elements".
    pub(crate) fn words(&self) -> String {
        let words = |counts: &[u32]| {
            let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
            format!("{} elements", counts.join(" + "))
        };
        match &self.across {
            None => words(&self.counts),
            Some(across) => {
                let dimension = across.dimension;
                format!(
                    "{} along dimension {dimension}, across thread tiles",
                    words(&across.counts)
                )
            }
        }
    }
}

impl TileTranspose {
    /// Returns the transposed loads of a view, if the lane has several adjacent elements along
    /// its innermost dimension and none is outside of the tensor.
    fn of(thread: &[u32], view: &OperandView, widest: u32) -> Option<TileTranspose> {
        // A dimension of size 1 has no neighbours and does not count as innermost.
        let innermost = view.along.iter().rfind(|it| it.size > 1)?;
        let ViewSource::Dimension(dimension) = innermost.by else {
            return None;
        };
        let is_whole =
            (view.along.iter()).all(|it| !it.leaves && matches!(it.by, ViewSource::Dimension(_)));
        let is_alone = (view.along.iter())
            .all(|it| std::ptr::eq(it, innermost) || !it.dimensions.contains(&dimension));
        let has_several = thread[dimension] > 1 && !innermost.is_reversed;
        (is_whole && is_alone && has_several).then(|| TileTranspose {
            dimension,
            counts: powers(thread[dimension], widest),
        })
    }
}

/// Splits `count` into descending powers of two, each at most `widest`.
fn powers(mut count: u32, widest: u32) -> Vec<u32> {
    let mut powers = Vec::new();
    while count > 0 {
        let power = (1 << count.ilog2()).min(widest);
        powers.push(power);
        count -= power;
    }
    powers
}
