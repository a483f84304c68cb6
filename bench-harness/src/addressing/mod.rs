//! Addressing: the positions of a row's elements in a tensor with a problem's dimensions.

mod output;
mod spans;

use std::borrow::Cow;

use configgen::{IndexMap, Problem, ProblemInput, Shape};

pub(crate) use output::OutputAddressing;
use spans::Spans;

/// The addressing of rows in one tensor.
#[derive(Debug)]
pub(crate) struct RowAddressing {
    /// The size of an element in bytes.
    size: u64,
    /// The size of a row in bytes.
    row: u64,
    /// The size in bytes of a contiguous piece of a row. It divides the row's size.
    piece: u64,
    /// The dimensions that number the rows, and those that number a row's elements.
    parallel: Vec<Dimension>,
    reduced: Vec<Dimension>,
}

/// A dimension of the tensor. Lists begin with the innermost.
#[derive(Debug, Clone, Copy)]
struct Dimension {
    size: u64,
    /// The distance between neighbours in bytes.
    stride: u64,
}

impl RowAddressing {
    /// Creates the addressing of the problem's own input, which may have gaps between rows.
    pub(crate) fn of_elements(problem: &Problem) -> RowAddressing {
        let (shape, bytes) = (&problem.shape, problem.element.bytes());
        RowAddressing::new(shape, bytes, &shape.strides(), |_| true)
    }

    /// Creates the addressing of an input after the first.
    pub(crate) fn of_input(problem: &Problem, input: &ProblemInput) -> RowAddressing {
        RowAddressing::dense(&problem.shape, input.scalar.bytes(), &input.map)
    }

    /// Creates the addressing of a tensor without gaps that has the dimensions of `map`.
    fn dense(shape: &Shape, size: u32, map: &IndexMap) -> RowAddressing {
        RowAddressing::new(shape, size, &map.strides(shape), |d| {
            map.dimensions().any(|it| it == d)
        })
    }

    /// Creates the addressing of the dimensions that `has` accepts. `strides` are in elements.
    fn new(
        shape: &Shape,
        size: u32,
        strides: &[u64],
        has: impl Fn(usize) -> bool,
    ) -> RowAddressing {
        let size = u64::from(size);
        let mut places = RowAddressing {
            size,
            row: size,
            piece: size,
            parallel: Vec::new(),
            reduced: Vec::new(),
        };
        for d in (0..shape.rank()).rev().filter(|&d| has(d)) {
            let (along, stride) = (u64::from(shape.sizes()[d]), strides[d] * size);
            let dimension = Dimension {
                size: along,
                stride,
            };
            match shape.is_reduced(d) {
                true => {
                    places.row *= along;
                    if stride == places.piece {
                        places.piece *= along;
                    }
                    places.reduced.push(dimension);
                }
                false => places.parallel.push(dimension),
            }
        }
        places
    }

    /// Passes rows to `write`, in parts with their byte offsets into the tensor. `rows` are
    /// numbers over the parallel dimensions, ascending. `bytes` holds their elements, one row
    /// after the other.
    ///
    /// # Errors
    /// The first error of `write`.
    pub(crate) fn write<E>(
        &self,
        rows: &[u64],
        bytes: &[u8],
        mut write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let starts: Vec<u64> = rows
            .iter()
            .map(|&row| offset(&self.parallel, row))
            .collect();
        // Pieces of neighbouring rows often adjoin on the device. One write for all of them is
        // much faster than many small ones.
        let adjoin = |a: &u64, b: &u64| a + self.piece == *b;
        let mut together = Vec::new();
        for within in (0..self.row).step_by(self.piece as usize) {
            let piece = offset(&self.reduced, within / self.size);
            let mut row = within as usize;
            for neighbours in starts.chunk_by(adjoin) {
                together.clear();
                for _ in neighbours {
                    together.extend_from_slice(&bytes[row..][..self.piece as usize]);
                    row += self.row as usize;
                }
                write(neighbours[0] + piece, &together)?;
            }
        }
        Ok(())
    }

    /// Returns the bytes of a row's elements. It is a copy if they are not contiguous.
    fn read<'a>(&self, tensor: &'a [u8], row: u64) -> Cow<'a, [u8]> {
        let start = offset(&self.parallel, row);
        let piece = |at: u64| &tensor[at as usize..(at + self.piece) as usize];
        if self.piece == self.row {
            return Cow::Borrowed(piece(start));
        }
        let mut bytes = Vec::with_capacity(self.row as usize);
        for within in (0..self.row).step_by(self.piece as usize) {
            bytes.extend_from_slice(piece(start + offset(&self.reduced, within / self.size)));
        }
        Cow::Owned(bytes)
    }
}

/// Returns the byte offset of element `number` over some dimensions.
fn offset(dimensions: &[Dimension], number: u64) -> u64 {
    let mut left = number;
    let along = dimensions.iter().map(|dimension| {
        let at = left % dimension.size;
        left /= dimension.size;
        at * dimension.stride
    });
    along.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Checks the parts in which two rows of bytes are written: offset and content. The second
    /// row's elements follow the first's.
    #[track_caller]
    fn check(problem: &str, rows: [u64; 2], expected: &[(u64, &[u8])]) {
        let problem: Problem = problem.parse().unwrap();
        let mut parts = Vec::new();
        let elements: Vec<u8> = (0..2 * problem.shape.reduced_size() as u8).collect();
        let Ok(()) = RowAddressing::of_elements(&problem).write(&rows, &elements, |at, bytes| {
            parts.push((at, bytes.to_vec()));
            Ok::<(), Infallible>(())
        });
        let parts: Vec<(u64, &[u8])> = parts.iter().map(|(at, part)| (*at, &part[..])).collect();
        assert_eq!(parts, expected, "{problem}");
    }

    #[test]
    fn contiguous_elements_are_written_at_once() {
        check("argmax:9x[3]xi8", [4, 5], &[(12, &[0, 1, 2, 3, 4, 5])]);
        check(
            "argmax:9x[3]xi8",
            [4, 6],
            &[(12, &[0, 1, 2]), (18, &[3, 4, 5])],
        );
        check("argmax:[2]x9xi8", [4, 5], &[(4, &[0, 2]), (13, &[1, 3])]);
        check("argmax:9x[3]x1xi8", [4, 5], &[(12, &[0, 1, 2, 3, 4, 5])]);
        check("argmax:[1]x9x[2]xi8", [0, 1], &[(0, &[0, 1, 2, 3])]);
        check(
            "argmax:[2]x4x[2]xi8",
            [1, 2],
            &[(2, &[0, 1, 4, 5]), (10, &[2, 3, 6, 7])],
        );
        check(
            "argmax:4x[2]x[2]xi8",
            [1, 2],
            &[(4, &[0, 1, 2, 3, 4, 5, 6, 7])],
        );
        check(
            "argmax:4x[2]x[2]xi8:i32:pitch=3",
            [1, 2],
            &[(6, &[0, 1]), (12, &[4, 5]), (9, &[2, 3]), (15, &[6, 7])],
        );
        check(
            "argmax:4x[3]xi8:i32:pitch=4",
            [0, 1],
            &[(0, &[0, 1, 2]), (4, &[3, 4, 5])],
        );
    }
}
