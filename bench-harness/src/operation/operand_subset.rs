//! Operand subsets: the part of an input that the checked rows need.

use configgen::reduction::Scalar;
use configgen::{IndexMap, Problem, ProblemInput, Shape};

use super::ViewAddressing;

/// The part of an operand that the checked rows need.
///
/// It consists of rows, numbered over the operand's parallel dimensions. Each row has an element
/// for each coordinate of the operand's reduced dimensions. For a view, it is the held elements of
/// the tensor as one row.
#[derive(Debug)]
pub(crate) struct OperandSubset {
    pub(crate) input: ProblemInput,
    /// The numbers of the rows, ascending.
    pub(crate) rows: Vec<u64>,
    /// The number of elements in a row.
    pub(crate) length: usize,
    /// For each checked row, the position of its own row in `rows`.
    of_row: Vec<usize>,
    shape: Shape,
    columns: Columns,
    /// The addressing, if the operand is a view.
    seen: Option<ViewAddressing>,
}

/// The reduced dimensions that an operand has.
#[derive(Debug, Clone, Copy)]
enum Columns {
    All,
    Some,
    None,
}

impl OperandSubset {
    /// Creates the subset of an input for the checked rows, which ascend.
    pub(crate) fn new(problem: &Problem, input: ProblemInput, checked: &[u64]) -> OperandSubset {
        let shape = problem.shape.clone();
        if let Some(view) = &input.view {
            let seen = ViewAddressing::new(problem, view, checked);
            return OperandSubset {
                rows: vec![0],
                length: seen.elements as usize,
                of_row: Vec::new(),
                columns: Columns::None,
                seen: Some(seen),
                input,
                shape,
            };
        }
        let own: Vec<u64> = (checked.iter())
            .map(|&row| projected(&shape, &input.map, false, row))
            .collect();
        // Checked rows that differ only in a dimension that the operand lacks share a row.
        let mut rows = own.clone();
        rows.sort_unstable();
        rows.dedup();
        let has = |d: &usize| input.map.dimensions().any(|it| it == *d);
        let sizes = shape.reduced().filter(has).map(|d| shape.sizes()[d]);
        let length = sizes.map(|size| size as usize).product();
        let columns = match shape.reduced().filter(has).count() {
            0 => Columns::None,
            count if count == shape.reduced().count() => Columns::All,
            _ => Columns::Some,
        };
        OperandSubset {
            length,
            of_row: (own.iter())
                .map(|row| rows.partition_point(|it| it < row))
                .collect(),
            rows,
            input,
            shape,
            columns,
            seen: None,
        }
    }

    pub(crate) fn scalar(&self) -> Scalar {
        self.input.scalar
    }

    /// Returns true if the operand has an element for each element of the problem.
    pub(crate) fn has_all(&self) -> bool {
        self.seen.is_none() && self.input.map.elements(&self.shape) == self.shape.elements()
    }

    /// Returns the size of the subset in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows.len() as u64 * self.length as u64 * u64::from(self.scalar().bytes())
    }

    /// Returns the addressing, if the operand is a view.
    pub(crate) fn view(&self) -> Option<&ViewAddressing> {
        self.seen.as_ref()
    }

    /// Returns the bits that a view reads outside of its tensor.
    pub(crate) fn outside(&self) -> u64 {
        self.seen.as_ref().map_or(0, |seen| seen.outside)
    }

    /// Returns the number, within the subset, of the element at a column of the checked row at
    /// `place`. `held` returns the gather index of an input. `None` if the view lies outside of
    /// its tensor.
    pub(crate) fn element(
        &self,
        place: usize,
        column: usize,
        held: impl Fn(usize) -> i64,
    ) -> Option<usize> {
        if let Some(seen) = &self.seen {
            return seen.element(place, column, held);
        }
        let column = match self.columns {
            // Most operands have all reduced dimensions or none, which needs no division.
            Columns::All => column,
            Columns::None => 0,
            Columns::Some => projected(&self.shape, &self.input.map, true, column as u64) as usize,
        };
        Some(self.of_row[place] * self.length + column)
    }
}

/// Projects a number over all reduced (or all parallel) dimensions to those that an input has.
fn projected(shape: &Shape, map: &IndexMap, reduced: bool, number: u64) -> u64 {
    let (mut left, mut projected, mut weight) = (number, 0, 1);
    for d in (0..shape.rank())
        .rev()
        .filter(|&d| shape.is_reduced(d) == reduced)
    {
        let size = u64::from(shape.sizes()[d]);
        if map.dimensions().any(|it| it == d) {
            projected += left % size * weight;
            weight *= size;
        }
        left /= size;
    }
    projected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the subset of the only operand: its rows, and the elements of the second checked
    /// row.
    #[track_caller]
    fn check(problem: &str, checked: &[u64], rows: &[u64], second: &[usize]) {
        let problem: Problem = problem.parse().unwrap();
        let input = problem.operands().remove(0);
        let needed = OperandSubset::new(&problem, input, checked);
        assert_eq!(needed.rows, rows);
        let columns = 0..problem.shape.reduced_size() as usize;
        let found: Vec<usize> = columns
            .map(|column| needed.element(1, column, |_| 0).unwrap())
            .collect();
        assert_eq!(found, second);
    }

    #[test]
    fn only_rows_that_differ_are_needed() {
        check("dot:9x[3]xf32,f32", &[4, 7], &[4, 7], &[3, 4, 5]);
        check("dot:9x[3]xf32,f32(1)", &[4, 7], &[0], &[0, 1, 2]);
        check("dot:9x[3]xf32,f32(0)", &[4, 7], &[4, 7], &[1, 1, 1]);
        check("dot:9x[3]xf32,f32()", &[4, 7], &[0], &[0, 0, 0]);
        check("dot:3x[2]x3xf32,f32(1,2)", &[4, 7], &[1], &[0, 1]);
        check("dot:3x[2]x3xf32,f32(2,0)", &[4, 7], &[4, 7], &[1, 1]);
        check("dot:3x[2]x[2]xf32,f32(2)", &[0, 2], &[0], &[0, 1, 0, 1]);
        check(
            "dot:3x[2]x[2]xf32,f32(0,1)",
            &[0, 2],
            &[0, 2],
            &[2, 2, 3, 3],
        );
    }
}
