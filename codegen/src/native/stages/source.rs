//! Sources: the inputs of which the elements that are reduced come, and what is computed of theirs.

use configgen::{ElementType, Function, Problem};

use crate::native::ir::Parameter;

/// An input as a tensor with the problem's dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Where it is.
    pub(crate) parameter: Parameter,
    /// Type of its elements.
    pub(crate) element: ElementType,
    /// Of each dimension of the problem, elements from a place to its neighbour; 0 where that is the same one.
    pub(crate) strides: Vec<u64>,
    /// Elements of the buffer, gaps between rows included.
    pub(crate) span: u64,
    /// Which dimensions it has, as text; nothing where it has all.
    map: String,
}

impl Source {
    /// Those of a problem, its own input first.
    pub(crate) fn of(problem: &Problem) -> Vec<Source> {
        let shape = &problem.shape;
        let mut sources = vec![Source {
            parameter: Parameter::Input,
            element: problem.element,
            strides: shape.strides().to_vec(),
            span: shape.span(),
            map: String::new(),
        }];
        let operands = problem.function.iter().flat_map(Function::operands);
        sources.extend(operands.zip(1..).map(|(operand, number)| {
            let dimensions: Vec<String> = operand.map.dimensions().map(|d| d.to_string()).collect();
            Source {
                parameter: Parameter::Operand(number),
                element: operand.element,
                strides: operand.map.strides(shape).to_vec(),
                span: operand.map.elements(shape),
                map: match (operand.map.is_all(shape), dimensions.as_slice()) {
                    (true, _) => String::new(),
                    (false, []) => " of no dimension".to_owned(),
                    (false, [one]) => format!(" of dimension {one}"),
                    (false, several) => format!(" of dimensions {}", several.join(", ")),
                },
            }
        }));
        sources
    }

    /// Bytes of an element.
    pub(crate) fn bytes(&self) -> u64 {
        self.element.bytes().into()
    }

    /// "f32 of dimension 1".
    pub(crate) fn words(&self) -> String {
        format!("{}{}", self.element, self.map)
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
}

impl Loads {
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
        }
    }

    /// Such as "4 + 2 elements".
    pub(crate) fn words(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(u32::to_string).collect();
        format!("{} elements", counts.join(" + "))
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
