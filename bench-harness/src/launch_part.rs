//! Launch parts: for a very large problem, only the workgroups that compute the checked rows run.

use std::collections::BTreeSet;
use std::ops::Range;

use codegen::{CompiledKernel, Tiling};

use crate::inputs::Inputs;

/// The part of a launch that computes the checked rows.
pub(crate) struct LaunchPart {
    /// The linear ids of its workgroups. `None` is the whole launch.
    pub(crate) workgroups: Option<Vec<u32>>,
    /// The linear ids of the merge's workgroups, if a merge follows. `None` is the whole launch.
    pub(crate) merging: Option<Vec<u32>>,
    /// The rows that these workgroups compute and store, ascending. No range begins at the end of
    /// another.
    pub(crate) rows: Vec<Range<u64>>,
}

impl LaunchPart {
    /// Returns the whole launch, which computes `rows` rows.
    pub(crate) fn whole(rows: u64) -> LaunchPart {
        LaunchPart {
            workgroups: None,
            merging: None,
            rows: std::iter::once(0..rows).collect(),
        }
    }

    /// Returns the smallest part for the checked rows below `rows`. It is the whole launch if the
    /// device runs no parts or the kernel has no tiling.
    pub(crate) fn of(
        kernel: &CompiledKernel,
        inputs: &Inputs,
        rows: u64,
        runs_parts: bool,
    ) -> LaunchPart {
        let checked = inputs.rows().partition_point(|&row| row < rows);
        let checked = &inputs.rows()[..checked];
        match kernel.tiling.as_ref() {
            Some(tiling) if runs_parts && (checked.len() as u64) < rows => {
                let part = LaunchPart::with_rows(checked, tiling, kernel.sharers);
                match &kernel.merge {
                    Some(merge) => part.in_pieces(tiling.boxes(), merge.pieces),
                    None => part,
                }
            }
            _ => LaunchPart::whole(rows),
        }
    }

    /// Returns the tiles that contain these rows. `sharers` neighbouring workgroups compute each
    /// tile.
    fn with_rows(rows: &[u64], tiling: &Tiling, sharers: u32) -> LaunchPart {
        let boxes: BTreeSet<u64> = rows.iter().map(|&row| tiling.box_of(row)).collect();
        let sharers = u64::from(sharers);
        let workgroups = |&number: &u64| number * sharers..(number + 1) * sharers;
        let rows = boxes.iter().flat_map(|&number| tiling.rows_of(number));
        let mut rows: Vec<Range<u64>> = rows.collect();
        rows.sort_unstable_by_key(|range| range.start);
        // Adjoining ranges merge: callers poison and check the gaps between ranges.
        let adjoining = rows.chunk_by(|one, next| one.end == next.start);
        LaunchPart {
            workgroups: Some(
                boxes
                    .iter()
                    .flat_map(workgroups)
                    .map(|id| id as u32)
                    .collect(),
            ),
            merging: None,
            rows: adjoining
                .map(|ranges| ranges[0].start..ranges[ranges.len() - 1].end)
                .collect(),
        }
    }

    /// Returns the same tiles in each of the `pieces` pieces of a row, with the workgroups of the
    /// merge for these rows.
    fn in_pieces(self, boxes: u64, pieces: u32) -> LaunchPart {
        let of_one = self.workgroups.unwrap_or_default();
        let of_piece = |piece: u32| of_one.iter().map(move |id| piece * boxes as u32 + id);
        let rows = self.rows.iter().cloned().flatten();
        LaunchPart {
            workgroups: Some((0..pieces).flat_map(of_piece).collect()),
            merging: Some(rows.map(|row| row as u32).collect()),
            rows: self.rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    #[track_caller]
    fn check(
        dimensions: &[(u32, u32)],
        sharers: u32,
        checked: &[u64],
        workgroups: &[u32],
        rows: &[(u64, u64)],
    ) {
        let tiling = Tiling::new(dimensions.iter().copied()).unwrap();
        let part = LaunchPart::with_rows(checked, &tiling, sharers);
        assert_eq!(part.workgroups.as_deref(), Some(workgroups));
        let found: Vec<_> = part
            .rows
            .iter()
            .map(|rows| (rows.start, rows.end))
            .collect();
        assert_eq!(found, rows);
    }

    #[test]
    fn workgroups_of_checked_rows() {
        check(&[(10, 4)], 1, &[0, 3], &[0], &[(0, 4)]);
        check(&[(10, 4)], 1, &[1, 9], &[0, 2], &[(0, 4), (8, 10)]);
        check(&[(10, 4)], 3, &[9], &[6, 7, 8], &[(8, 10)]);
        check(&[(4, 2), (6, 4)], 1, &[0, 1], &[0], &[(0, 4), (6, 10)]);
        check(&[(4, 2), (6, 4)], 1, &[0, 5], &[0, 1], &[(0, 12)]);
        check(
            &[(4, 2), (6, 4)],
            2,
            &[5, 12],
            &[2, 3, 4, 5],
            &[(4, 6), (10, 16), (18, 22)],
        );
    }

    /// Checks that the workgroups of a piece follow those of the piece before, and that each row
    /// has a workgroup of the merge.
    #[test]
    fn workgroups_of_pieces() {
        let tiling = Tiling::new([(10, 4)]).unwrap();
        let part = LaunchPart::with_rows(&[1, 9], &tiling, 1).in_pieces(3, 3);
        assert_eq!(part.workgroups.unwrap(), [0, 2, 3, 5, 6, 8]);
        assert_eq!(part.merging.unwrap(), [0, 1, 2, 3, 8, 9]);
        assert_eq!(part.rows, [0..4, 8..10]);
    }

    /// Checks the ranges row by row: a row is in one if a checked row has the same tile.
    #[test]
    fn ranges_are_the_rows_of_the_boxes() {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        for _ in 0..300 {
            let rank = rng.random_range(1..5);
            let dimensions: Vec<(u32, u32)> = (0..rank)
                .map(|_| (rng.random_range(1..8), rng.random_range(1..9)))
                .collect();
            let tiling = Tiling::new(dimensions.iter().copied()).unwrap();
            let sizes = dimensions.iter().map(|&(size, _)| u64::from(size));
            let rows: u64 = sizes.product();
            let mut checked: Vec<u64> = (0..5).map(|_| rng.random_range(0..rows)).collect();
            checked.sort_unstable();
            let part = LaunchPart::with_rows(&checked, &tiling, 1);
            let ids = part.workgroups.unwrap();
            assert!(ids.is_sorted_by(|a, b| a < b));
            let of_boxes = (0..rows).filter(|&row| ids.contains(&(tiling.box_of(row) as u32)));
            let found: Vec<u64> = part.rows.iter().cloned().flatten().collect();
            assert_eq!(found, of_boxes.collect::<Vec<u64>>(), "{dimensions:?}");
            assert!(part.rows.is_sorted_by(|a, b| a.end < b.start));
            assert!(checked.iter().all(|row| found.contains(row)));
        }
    }
}
