//! Sources: the inputs of which the elements that are reduced come, and what is computed of theirs.

use std::fmt;
use std::ops::Range;

use configgen::comparator::{Region, Value};
use configgen::reduction::{Extent, Rowwise, Scalar, Tensor};
use configgen::view::ViewSource;
use configgen::{ElementType, Function, IndexMap, Problem, View};

use crate::native::ir::Parameter;

/// An input as a tensor with the problem's dimensions.
#[derive(Debug, Clone)]
pub(crate) struct TensorOperand {
    /// Where it is.
    pub(crate) parameter: Parameter,
    /// Type of its elements.
    pub(crate) element: ElementType,
    /// Of each dimension of the problem, elements from a place to its neighbour; 0 where that is the same one, and of a view.
    pub(crate) strides: Vec<u64>,
    /// Elements of the buffer, gaps between rows included.
    pub(crate) span: u64,
    /// How its places follow the problem's, where it is a view of a tensor with other sizes.
    pub(crate) view: Option<OperandView>,
    /// The dimension of the problem along which an element is the place, where it is no tensor.
    pub(crate) place: Option<usize>,
    /// Which dimensions it has, as text; nothing where it has all.
    map: String,
}

/// How the places of a tensor follow the problem's.
#[derive(Debug, Clone)]
pub(crate) struct OperandView {
    /// Of each dimension of the tensor.
    pub(crate) along: Vec<OperandDimension>,
    /// The bits of an element outside of the tensor.
    pub(crate) outside: u64,
}

/// How a dimension of a tensor follows a place.
#[derive(Debug, Clone)]
pub(crate) struct OperandDimension {
    /// The place.
    pub(crate) by: ViewSource,
    /// The dimensions of the problem on which it depends.
    pub(crate) dimensions: Vec<usize>,
    /// Whether places come backwards, and what is added then.
    pub(crate) is_reversed: bool,
    pub(crate) offset: i32,
    /// The tensor's size, and elements from a place to its neighbour.
    pub(crate) size: u32,
    pub(crate) stride: u64,
    /// The places of the problem that are inside of the tensor, and whether others may be there.
    pub(crate) inside: Range<u32>,
    pub(crate) leaves: bool,
}

impl TensorOperand {
    /// Those of a problem, its own input first.
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
        if problem.reduction.reads_operands() {
            let operands = problem.reduction.operands();
            sources.extend(operands.iter().map(|tensor| {
                let (map, name) = (tensor.extent.map(shape), Parameter::Named(tensor.name));
                TensorOperand::dense(problem, name, element_of(tensor), &map)
            }));
        }
        if problem
            .reduction
            .rowwise()
            .and_then(Rowwise::place)
            .is_some()
        {
            let (map, name) = (Extent::Columns.map(shape), Parameter::Named("place"));
            sources.push(TensorOperand::place(problem, name, ElementType::I32, &map));
        }
        sources
    }

    /// The places along the dimension that a map has, which are no tensor.
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

    /// A result: a tensor that is written.
    pub(super) fn result(problem: &Problem, tensor: &Tensor) -> TensorOperand {
        let (map, name) = (
            tensor.extent.map(&problem.shape),
            Parameter::Output(tensor.name),
        );
        TensorOperand::dense(problem, name, element_of(tensor), &map)
    }

    /// A tensor without gaps.
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

    /// A tensor with sizes of its own.
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

    /// Bytes of an element.
    pub(crate) fn bytes(&self) -> u64 {
        self.element.bytes().into()
    }

    /// "f32 of dimension 1".
    pub(crate) fn words(&self) -> String {
        match self.place {
            Some(dimension) => format!("{} the place along dimension {dimension}", self.element),
            None => format!("{}{}", self.element, self.map),
        }
    }
}

/// The dimensions of the problem on which it depends what an input that is not gathered holds.
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

/// The type of a tensor of elements.
fn element_of(tensor: &Tensor) -> ElementType {
    match tensor.scalar {
        Scalar::Element(element) => element,
        Scalar::Index(_) => unreachable!("{} is read or computed as elements", tensor.name),
    }
}

/// What is computed of the elements of the sources at a place, and of values of the row.
#[derive(Debug, Clone)]
pub(crate) struct ElementFunction {
    /// Its first arguments are the elements.
    pub(crate) region: Region,
    /// The type of what it gives.
    pub(crate) result: ElementType,
    /// Of which sources it reads elements.
    pub(crate) reads: Vec<bool>,
}

impl ElementFunction {
    /// Of so many sources.
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

    /// What a problem reduces, where that is not the elements themselves.
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

/// As text, of which the sources and then the values of the row are numbers from 0 on.
impl fmt::Display for ElementFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.region))
    }
}

/// The text of a region; of one that gives an argument, its number.
pub(in crate::native) fn text(region: &Region) -> String {
    match region.operations().is_empty() {
        true => region.result().0.to_string(),
        false => region.compact(),
    }
}

/// How the elements of a thread tile are loaded, which lie side by side along the vector dimension of the problem's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loads {
    /// Elements of each load, all of them neighbours in memory.
    pub(crate) counts: Vec<u32>,
    /// Elements of the source from one load to the next, for each element of the load before.
    pub(crate) stride: u64,
    /// How often each element stands in the thread tile: once, or throughout where it is the only one.
    pub(crate) repeats: u32,
    /// Where a lane's elements are neighbours along another dimension, how they are loaded instead: several thread tiles at once.
    pub(crate) across: Option<TileTranspose>,
}

/// How the elements of neighbouring thread tiles are loaded, which lie side by side across them: a transposition in registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TileTranspose {
    /// The dimension of the problem.
    pub(crate) dimension: usize,
    /// Elements of each load.
    pub(crate) counts: Vec<u32>,
}

impl Loads {
    /// Of a view, by loads of at most `bytes` bytes: all elements of a load are in the tensor, or none is. A lane has so many elements
    /// side by side along each dimension; its thread tiles are along dimension `vector`, of so many places.
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
            // Each element is gathered by itself.
            _ => Loads::new(count, u64::MAX, element, bytes),
        };
        let Some(follows) = follows.filter(|_| loads.stride == 1) else {
            let across = TileTranspose::of(thread, view, bytes / element.bytes());
            // What is gathered has neighbours nowhere, and what is one element for all of a thread tile is loaded once.
            let across = across.filter(|_| loads.stride > 1 && loads.stride < u64::MAX);
            return Loads { across, ..loads };
        };
        if !follows.leaves {
            return loads;
        }
        // A lane begins at a multiple of what divides its thread tile and the dimension, and a load at one of its own size.
        let edges = places | follows.inside.start | follows.inside.end;
        let widest = (bytes / element.bytes()).min(1 << edges.trailing_zeros());
        Loads {
            counts: powers(count, widest),
            ..loads
        }
    }

    /// Of `count` elements that are `stride` elements of the source apart, by loads of at most `bytes` bytes.
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

    /// Such as "4 + 2 elements".
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
    /// Where a view has neighbours and a lane several of them, all of which are there.
    fn of(thread: &[u32], view: &OperandView, widest: u32) -> Option<TileTranspose> {
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

/// `count` as powers of two of at most `widest`.
fn powers(mut count: u32, widest: u32) -> Vec<u32> {
    let mut powers = Vec::new();
    while count > 0 {
        let power = (1 << count.ilog2()).min(widest);
        powers.push(power);
        count -= power;
    }
    powers
}
