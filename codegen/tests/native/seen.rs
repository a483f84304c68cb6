//! Tensors as the places of a problem see them, by arithmetic of their own.

use configgen::{ElementType, IndexMap, Problem, View};

/// A tensor, and how its dimensions follow those of a problem.
pub(crate) struct Seen {
    elements: Vec<u64>,
    along: Vec<Along>,
    outside: u64,
}

/// A dimension of a tensor: of the problem's dimension, which is multiplied by a factor and moved; and its size, or the problem's.
struct Along {
    dimension: usize,
    factor: i64,
    offset: i64,
    size: Option<u32>,
}

impl Seen {
    /// One that has these dimensions as they are.
    pub(crate) fn dense(problem: &Problem, map: &IndexMap, elements: Vec<u64>) -> Seen {
        assert_eq!(elements.len() as u64, map.elements(&problem.shape));
        let along = map.dimensions().map(|dimension| Along {
            dimension,
            factor: 1,
            offset: 0,
            size: None,
        });
        Seen {
            elements,
            along: along.collect(),
            outside: 0,
        }
    }

    pub(crate) fn view(view: &View, elements: Vec<u64>) -> Seen {
        let along = view.along().iter().map(|it| Along {
            dimension: it.dimension,
            factor: if it.is_reversed { -1 } else { 1 },
            offset: it.offset.into(),
            size: it.size,
        });
        Seen {
            elements,
            along: along.collect(),
            outside: view.outside(),
        }
    }

    /// Writes its elements to a buffer, which may be larger.
    pub(crate) fn put(&self, buffer: &mut [u8], element: ElementType) {
        let size = element.bytes() as usize;
        for (place, bits) in buffer.chunks_exact_mut(size).zip(&self.elements) {
            place.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }

    /// What is seen at a column of a row.
    pub(crate) fn element(&self, problem: &Problem, row: usize, column: usize) -> u64 {
        let shape = &problem.shape;
        let mut at = vec![0; shape.rank()];
        let [mut row, mut column] = [row, column].map(|it| it as u64);
        for d in (0..shape.rank()).rev() {
            let left = if shape.is_reduced(d) {
                &mut column
            } else {
                &mut row
            };
            let size = u64::from(shape.sizes()[d]);
            at[d] = (*left % size) as i64;
            *left /= size;
        }
        let mut number = 0;
        for along in &self.along {
            let size = i64::from(along.size.unwrap_or(shape.sizes()[along.dimension]));
            let place = along.factor * at[along.dimension] + along.offset;
            if place < 0 || place >= size {
                return self.outside;
            }
            number = number * size + place;
        }
        self.elements[number as usize]
    }
}
