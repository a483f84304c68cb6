//! Tensors at the coordinates of a problem, by independent arithmetic.

use configgen::comparator::ScalarType;
use configgen::function::FunctionOperand;
use configgen::view::ViewSource;
use configgen::{ElementType, IndexMap, Problem, View};

/// A tensor, and the mapping of its dimensions to those of a problem.
pub(crate) struct Seen {
    kind: ScalarType,
    elements: Vec<u64>,
    along: Vec<Along>,
    outside: u64,
    /// The dimension whose coordinate is the element, if this is no tensor.
    place: Option<usize>,
}

/// A dimension of a tensor: its source, a factor and an offset; and its size, or the problem's.
struct Along {
    by: ViewSource,
    factor: i64,
    offset: i64,
    size: Option<u32>,
}

impl Seen {
    /// Creates the tensor of an input with these elements. Without a view, it has the dimensions
    /// of `map`.
    pub(crate) fn new(
        element: ElementType,
        map: &IndexMap,
        view: Option<&View>,
        elements: Vec<u64>,
    ) -> Seen {
        let along = match view {
            None => (map.dimensions())
                .map(|dimension| Along {
                    by: ViewSource::Dimension(dimension),
                    factor: 1,
                    offset: 0,
                    size: None,
                })
                .collect(),
            Some(view) => (view.along().iter())
                .map(|it| Along {
                    by: it.by,
                    factor: if it.is_reversed { -1 } else { 1 },
                    offset: it.offset.into(),
                    size: it.size,
                })
                .collect(),
        };
        Seen {
            kind: element.into(),
            elements,
            along,
            outside: view.map_or(0, View::outside),
            place: None,
        }
    }

    pub(crate) fn operand(operand: &FunctionOperand, elements: Vec<u64>) -> Seen {
        let place = operand.map.dimensions().next().filter(|_| operand.is_place);
        let (element, view) = (operand.element, operand.view.as_ref());
        Seen {
            place,
            ..Seen::new(element, &operand.map, view, elements)
        }
    }

    /// Writes the elements to a buffer, which may be larger.
    pub(crate) fn put(&self, buffer: &mut [u8], element: ElementType) {
        let size = element.bytes() as usize;
        for (place, bits) in buffer.chunks_exact_mut(size).zip(&self.elements) {
            place.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }

    /// Returns the element of input `number` at a column of a row.
    pub(crate) fn element(
        all: &[Seen],
        number: usize,
        problem: &Problem,
        [row, column]: [usize; 2],
    ) -> u64 {
        let (shape, seen) = (&problem.shape, &all[number]);
        let mut at = vec![0; shape.rank()];
        let mut left = [row, column].map(|it| it as u64);
        for d in (0..shape.rank()).rev() {
            let left = &mut left[usize::from(shape.is_reduced(d))];
            let size = u64::from(shape.sizes()[d]);
            at[d] = i128::from(*left % size);
            *left /= size;
        }
        if let Some(dimension) = seen.place {
            return at[dimension] as u64;
        }
        let mut number = 0;
        for along in &seen.along {
            let (place, size) = match along.by {
                ViewSource::Dimension(d) => (at[d], shape.sizes()[d]),
                ViewSource::Gathered(input) => {
                    let bits = Seen::element(all, input, problem, [row, column]);
                    (all[input].kind.signed(bits).into(), 0)
                }
            };
            let size = i128::from(along.size.unwrap_or(size));
            let place = i128::from(along.factor) * place + i128::from(along.offset);
            if place < 0 || place >= size {
                return seen.outside;
            }
            number = number * size + place;
        }
        seen.elements[number as usize]
    }
}
