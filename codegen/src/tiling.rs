//! Tilings: the assignment of rows to the workgroups of a launch.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The distribution of rows over workgroups. Every parallel dimension is cut into tiles from its
/// beginning; its last tile may be shorter. A workgroup computes the rows of one box of tiles.
/// Boxes are numbered row-major, with the last dimension fastest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tiling {
    /// The parallel dimensions, outermost first.
    cuts: Vec<TiledDimension>,
}

/// A dimension cut into tiles; both numbers are positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct TiledDimension {
    size: u64,
    tile: u64,
}

impl TiledDimension {
    fn tiles(self) -> u64 {
        self.size.div_ceil(self.tile)
    }
}

impl Tiling {
    /// Creates the tiling of parallel dimensions from `(size, tile)` pairs, outermost first.
    /// Returns `None` if one of the numbers is 0.
    pub fn new(dimensions: impl IntoIterator<Item = (u32, u32)>) -> Option<Tiling> {
        let cut = |(size, tile): (u32, u32)| {
            let [size, tile] = [size, tile].map(u64::from);
            (size > 0 && tile > 0).then_some(TiledDimension { size, tile })
        };
        let cuts = dimensions.into_iter().map(cut).collect::<Option<_>>()?;
        Some(Tiling { cuts })
    }

    /// Returns the same tiles for another size of the outermost dimension. Returns `None` if
    /// `count` is 0 or there is no dimension.
    pub fn at_count(&self, count: u32) -> Option<Tiling> {
        let mut cuts = self.cuts.clone();
        cuts.first_mut().filter(|_| count > 0)?.size = count.into();
        Some(Tiling { cuts })
    }

    /// Returns the tile of the outermost dimension, or `None` if there is no dimension.
    pub fn outermost(&self) -> Option<u64> {
        self.cuts.first().map(|cut| cut.tile)
    }

    /// Returns the number of boxes.
    pub fn boxes(&self) -> u64 {
        self.cuts.iter().map(|cut| cut.tiles()).product()
    }

    /// Returns the number of the box that contains a row. Rows are numbered row-major, too.
    pub fn box_of(&self, row: u64) -> u64 {
        let (mut row, mut number, mut weight) = (row, 0, 1);
        for cut in self.cuts.iter().rev() {
            number += row % cut.size / cut.tile * weight;
            weight *= cut.tiles();
            row /= cut.size;
        }
        number
    }

    /// Returns the rows in box `number`, in ascending order.
    pub fn rows_of(&self, number: u64) -> Vec<Range<u64>> {
        let mut left = number;
        let mut spans: Vec<(TiledDimension, Range<u64>)> = Vec::with_capacity(self.cuts.len());
        for &cut in self.cuts.iter().rev() {
            let first = left % cut.tiles() * cut.tile;
            spans.push((cut, first..(first + cut.tile).min(cut.size)));
            left /= cut.tiles();
        }
        // From the outermost dimension inwards: each dimension replaces a row by its span of
        // rows. If the span is the whole dimension, neighbouring rows stay one range.
        let mut rows: Vec<Range<u64>> = std::iter::once(0..1).collect();
        for (TiledDimension { size, .. }, span) in spans.into_iter().rev() {
            let rows_before = rows.into_iter();
            rows = match span == (0..size) {
                true => rows_before
                    .map(|range| range.start * size..range.end * size)
                    .collect(),
                false => rows_before
                    .flatten()
                    .map(|row| row * size + span.start..row * size + span.end)
                    .collect(),
            };
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the begin and the end of the ranges of rows of each box.
    #[track_caller]
    fn check(dimensions: &[(u32, u32)], expected: &[&[(u64, u64)]]) {
        let tiling = Tiling::new(dimensions.iter().copied()).unwrap();
        let ends = |rows: Range<u64>| (rows.start, rows.end);
        let rows = |number| tiling.rows_of(number).into_iter().map(ends).collect();
        let boxes: Vec<Vec<_>> = (0..tiling.boxes()).map(rows).collect();
        assert_eq!(boxes, expected, "{dimensions:?}");
    }

    #[test]
    fn rows_of_boxes() {
        check(&[], &[&[(0, 1)]]);
        check(&[(5, 2)], &[&[(0, 2)], &[(2, 4)], &[(4, 5)]]);
        check(&[(5, 8)], &[&[(0, 5)]]);
        check(&[(2, 1), (3, 3)], &[&[(0, 3)], &[(3, 6)]]);
        check(&[(4, 2), (3, 3)], &[&[(0, 6)], &[(6, 12)]]);
        check(
            &[(3, 2), (3, 2)],
            &[&[(0, 2), (3, 5)], &[(2, 3), (5, 6)], &[(6, 8)], &[(8, 9)]],
        );
        check(
            &[(2, 2), (3, 1), (2, 2)],
            &[&[(0, 2), (6, 8)], &[(2, 4), (8, 10)], &[(4, 6), (10, 12)]],
        );
        check(
            &[(2, 2), (2, 2), (4, 2)],
            &[
                &[(0, 2), (4, 6), (8, 10), (12, 14)],
                &[(2, 4), (6, 8), (10, 12), (14, 16)],
            ],
        );
    }

    #[test]
    fn the_outermost_dimension_may_have_another_size() {
        let tiling = Tiling::new([(512, 4), (3, 2)]).unwrap();
        assert_eq!(tiling.at_count(5), Tiling::new([(5, 4), (3, 2)]));
        assert_eq!(tiling.at_count(0), None);
        assert_eq!(Tiling::new([]).unwrap().at_count(1), None);
    }

    #[test]
    fn nothing_is_cut_into_nothing() {
        assert_eq!(Tiling::new([(4, 0)]), None);
        assert_eq!(Tiling::new([(4, 2), (0, 1)]), None);
    }

    /// The box of a row, coordinate by coordinate.
    fn box_of(dimensions: &[(u32, u32)], row: u64) -> u64 {
        let mut coordinates = Vec::new();
        let mut left = row;
        for &(size, _) in dimensions.iter().rev() {
            coordinates.insert(0, left % u64::from(size));
            left /= u64::from(size);
        }
        let places = coordinates.iter().zip(dimensions);
        places.fold(0, |number, (at, &(size, tile))| {
            number * u64::from(size.div_ceil(tile)) + at / u64::from(tile)
        })
    }

    /// Checks up to three dimensions. Tiles have one element, fit, do not fit, or are larger.
    #[test]
    fn every_row_is_in_one_box() {
        let cuts = || {
            [1, 2, 3, 5]
                .into_iter()
                .flat_map(|size| (1..7).map(move |tile| (size, tile)))
        };
        check_boxes(&[]);
        for outer in cuts() {
            check_boxes(&[outer]);
            for inner in cuts() {
                check_boxes(&[outer, inner]);
                for innermost in cuts() {
                    check_boxes(&[outer, inner, innermost]);
                }
            }
        }
    }

    #[track_caller]
    fn check_boxes(dimensions: &[(u32, u32)]) {
        let tiling = Tiling::new(dimensions.iter().copied()).unwrap();
        let rows: u64 = dimensions
            .iter()
            .map(|(size, _)| u64::from(*size))
            .product();
        let mut boxes = vec![Vec::new(); tiling.boxes() as usize];
        for row in 0..rows {
            let number = box_of(dimensions, row);
            assert_eq!(tiling.box_of(row), number, "row {row} of {dimensions:?}");
            boxes[number as usize].push(row);
        }
        for (number, expected) in boxes.iter().enumerate() {
            let found: Vec<u64> = tiling
                .rows_of(number as u64)
                .into_iter()
                .flatten()
                .collect();
            assert_eq!(&found, expected, "box {number} of {dimensions:?}");
        }
    }
}
