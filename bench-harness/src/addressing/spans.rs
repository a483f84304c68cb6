//! Spans: the assignment of a gapless tensor's bytes to rows.
//!
//! Such a tensor consists of *blocks*. A block holds consecutive rows, each with equally many
//! bytes. If no reduced dimension precedes a parallel one, as in most problems, one block holds
//! all rows. The cost of a query is then independent of the rows' length.

use std::ops::Range;

use configgen::{IndexMap, Shape};

/// The blocks of a tensor.
#[derive(Debug)]
pub(super) struct Spans {
    /// The size of a row within a block, in bytes.
    row: u64,
    /// The number of rows in a block.
    rows: u64,
    blocks: u64,
    /// The number of all rows.
    count: u64,
    /// The dimensions that number the blocks, the innermost first.
    outer: Vec<Outer>,
}

#[derive(Debug, Clone, Copy)]
struct Outer {
    size: u64,
    /// The distance in rows between neighbouring blocks' first rows: 0 for a reduced dimension.
    rows: u64,
}

impl Spans {
    /// Creates the spans of a tensor with elements of `size` bytes. `map` has all parallel
    /// dimensions larger than 1.
    pub(super) fn new(shape: &Shape, size: u32, map: &IndexMap) -> Spans {
        let mut spans = Spans {
            row: size.into(),
            rows: 1,
            blocks: 1,
            count: 1,
            outer: Vec::new(),
        };
        for d in map.dimensions().rev() {
            let (size, is_reduced) = (u64::from(shape.sizes()[d]), shape.is_reduced(d));
            // A reduced dimension outside of a parallel one ends the block, and so all further
            // dimensions number blocks.
            let is_outer = !spans.outer.is_empty() || is_reduced && spans.rows > 1;
            match (is_outer, is_reduced) {
                _ if size == 1 => {}
                (false, true) => spans.row *= size,
                (false, false) => spans.rows *= size,
                (true, _) => {
                    spans.blocks *= size;
                    let rows = if is_reduced { 0 } else { spans.count };
                    spans.outer.push(Outer { size, rows });
                }
            }
            if !is_reduced {
                spans.count *= size;
            }
        }
        spans
    }

    /// Returns the first row of a block.
    fn first(&self, block: u64) -> u64 {
        let mut left = block;
        let along = self.outer.iter().map(|outer| {
            let at = left % outer.size;
            left /= outer.size;
            at * outer.rows
        });
        along.sum()
    }

    pub(super) fn row_at(&self, byte: u64) -> u64 {
        let place = byte / self.row;
        self.first(place / self.rows) + place % self.rows
    }

    pub(super) fn each<E>(
        &self,
        rows: &[Range<u64>],
        mut take: impl FnMut(Range<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        // The usual queries are for all rows or for none.
        match rows {
            [] => return Ok(()),
            [all] if *all == (0..self.count) => {
                return take(0..self.blocks * self.rows * self.row);
            }
            _ => {}
        }
        let mut open = 0..0;
        for block in 0..self.blocks {
            let (first, start) = (self.first(block), block * self.rows * self.row);
            let before = rows.partition_point(|range| range.end <= first);
            let here = rows[before..].iter();
            for range in here.take_while(|range| range.start < first + self.rows) {
                let from = range.start.max(first) - first;
                let to = range.end.min(first + self.rows) - first;
                let bytes = start + from * self.row..start + to * self.row;
                // Adjoining ranges merge, across blocks too, so that callers write fewer and
                // longer ranges.
                match bytes.start == open.end {
                    true => open.end = bytes.end,
                    false => {
                        let closed = std::mem::replace(&mut open, bytes);
                        if !closed.is_empty() {
                            take(closed)?;
                        }
                    }
                }
            }
        }
        match open.is_empty() {
            true => Ok(()),
            false => take(open),
        }
    }
}

#[cfg(test)]
mod tests {
    use configgen::Problem;

    use super::super::OutputAddressing;
    use super::*;

    fn outputs(problem: &str) -> (Problem, Vec<OutputAddressing>) {
        let problem: Problem = problem.parse().unwrap();
        let outputs = OutputAddressing::all(&problem);
        (problem, outputs)
    }

    /// Checks the spans of rows in the first result.
    #[track_caller]
    fn check(problem: &str, rows: &[(u64, u64)], expected: &[(u64, u64)]) {
        let (_, outputs) = outputs(problem);
        let rows: Vec<Range<u64>> = rows.iter().map(|&(start, end)| start..end).collect();
        let mut found = Vec::new();
        let taken = outputs[0].spans(&rows, |span| {
            found.push((span.start, span.end));
            Ok::<(), ()>(())
        });
        assert_eq!((taken, &found[..]), (Ok(()), expected), "{problem}");
    }

    #[test]
    fn spans_of_rows() {
        check("sum:9x[3]xi8:i32", &[(1, 3), (8, 9)], &[(4, 12), (32, 36)]);
        check("sum:[3]x9xi8:i32", &[(1, 3)], &[(4, 12)]);
        check("softmax:4x[3]xf16", &[(1, 3)], &[(6, 18)]);
        check("softmax:4x[3]x1xf16", &[(1, 3)], &[(6, 18)]);
        check("softmax:4x[3]xf32:pitch=5", &[(3, 4)], &[(36, 48)]);
        check(
            "softmax:[3]x4xf16",
            &[(1, 3)],
            &[(2, 6), (10, 14), (18, 22)],
        );
        check(
            "softmax:[3]x4xf16",
            &[(0, 2), (3, 4)],
            &[(0, 4), (6, 12), (14, 20), (22, 24)],
        );
        check("softmax:[3]x4xf16", &[(0, 4)], &[(0, 24)]);
        check("softmax:2x[3]x2xf16", &[(0, 2)], &[(0, 12)]);
        check(
            "softmax:2x[3]x2xf16",
            &[(1, 3)],
            &[(2, 4), (6, 8), (10, 14), (16, 18), (20, 22)],
        );
        check("softmax:2x[3]x2xf16", &[], &[]);
        check("softmax:[2]x2x[2]xf32", &[(1, 2)], &[(8, 16), (24, 32)]);
    }

    /// Checks that each byte belongs to the row of its coordinates, and that a row's bytes are
    /// those of its elements in order.
    #[test]
    fn bytes_are_of_the_row_that_they_lie_in() {
        let problems = [
            "softmax:2x[3]x4xf16",
            "softmax:[3]x2x[2]x3xf32",
            "softmax:2x3x[4]x[2]xbf16",
            "softmax:[5]xf32",
            "softmax:3x[2]x2x[3]x2xf16:pitch=9",
            "softmax:1x[2]x1x3x[1]xf32",
            "log_sum_exp:3x[2]x4xf32",
        ];
        for text in problems {
            let (problem, outputs) = outputs(text);
            let output = &outputs[0];
            let (shape, size) = (&problem.shape, u64::from(output.size));
            let map = problem.results()[0].extent.map(shape);
            let mut of_rows = vec![Vec::new(); shape.rows() as usize];
            for element in 0..output.bytes / size {
                let (mut left, mut row, mut weight) = (element, 0, 1);
                for d in map.dimensions().rev() {
                    let along = u64::from(shape.sizes()[d]);
                    if !shape.is_reduced(d) {
                        row += left % along * weight;
                        weight *= along;
                    }
                    left /= along;
                }
                for byte in element * size..(element + 1) * size {
                    assert_eq!(output.row_at(byte), row, "{text} {byte}");
                    of_rows[row as usize].push(byte as u8);
                }
            }
            let tensor: Vec<u8> = (0..output.bytes).map(|byte| byte as u8).collect();
            for (row, bytes) in (0..).zip(&of_rows) {
                assert_eq!(&*output.row(&tensor, row), bytes, "{text} {row}");
            }
        }
    }
}
