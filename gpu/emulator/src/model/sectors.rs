//! The sectors of a stream group, in order, and those that are examined.

use std::f64::consts::GOLDEN_RATIO;

use crate::profile::{SECTOR_BYTES, StreamGroup};

/// The bytes of a sector.
pub(super) const BYTES: i64 = SECTOR_BYTES as i64;

/// The sectors of a group.
pub(super) struct Sectors {
    /// The bytes by which a workgroup of the next place in each dimension moves them.
    pub(super) moves: [i64; 3],
    /// The sectors in order, and the first and the last touched byte of each.
    pub(super) numbers: Vec<i64>,
    extents: Vec<(u8, u8)>,
    runs: Vec<SectorRun>,
}

/// Sectors that follow each other.
pub(super) struct SectorRun {
    pub(super) first: i64,
    pub(super) last: i64,
    /// The place of the first one among all sectors.
    place: usize,
}

impl Sectors {
    pub(super) fn of(group: &StreamGroup) -> Sectors {
        let sectors = group.sectors.iter();
        let mut all: Vec<_> = sectors.map(|(&it, &extent)| (it as i64, extent)).collect();
        all.sort_unstable();
        let (numbers, extents): (Vec<i64>, _) = all.into_iter().unzip();
        let mut runs: Vec<SectorRun> = Vec::new();
        for (place, &number) in numbers.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.last + 1 == number => run.last = number,
                _ => runs.push(SectorRun {
                    first: number,
                    last: number,
                    place,
                }),
            }
        }
        Sectors {
            moves: group.moves,
            numbers,
            extents,
            runs,
        }
    }

    /// Returns the runs with bytes in a range.
    pub(super) fn runs_within(&self, [begin, end]: [i64; 2]) -> &[SectorRun] {
        let first = (self.runs).partition_point(|run| (run.last + 1) * BYTES <= begin);
        let after = (self.runs).partition_point(|run| run.first * BYTES < end);
        &self.runs[first..after.max(first)]
    }

    /// Returns the number of bytes of a sector that a workgroup touches. Its own sectors are moved
    /// by these bytes.
    pub(super) fn touched(&self, sector: i64, moved: i64) -> f64 {
        // The bytes of the observed workgroup that the move takes into the sector.
        let from = (sector * BYTES).saturating_sub(moved);
        let first = from.div_euclid(BYTES);
        let runs = self.runs_within([from, from.saturating_add(BYTES)]);
        let within = |sector: i64| {
            let run = (runs.iter()).find(|run| (run.first..=run.last).contains(&sector))?;
            let extent = self.extents[run.place + (sector - run.first) as usize];
            let [start, last] = [extent.0, extent.1].map(|byte| sector * BYTES + i64::from(byte));
            let end = (last + 1).min(from.saturating_add(BYTES));
            Some((end - start.max(from)).max(0))
        };
        let both = [first, first + 1].map(|it| within(it).unwrap_or(0));
        (both[0] + both[1]) as f64
    }
}

/// Returns at most `most` of these sectors and their ends, each with the number of sectors that it
/// stands for.
///
/// Neighbours share the first and the last sector of a row that begins within a sector. Each of
/// the two therefore stands for itself alone.
pub(super) fn examined(sectors: &[i64], most: usize) -> Vec<(i64, f64)> {
    let [first, inner @ .., last] = sectors else {
        return sectors.iter().map(|it| (*it, 1.0)).collect();
    };
    let mut all = vec![(*first, 1.0), (*last, 1.0)];
    if inner.len() <= most {
        all.extend(inner.iter().map(|it| (*it, 1.0)));
        return all;
    }
    // One of each stretch. Rows repeat with some period, so its place in the stretch varies.
    let stretch = inner.len() as f64 / most as f64;
    let places = (0..most).map(|it| it as f64 + (it as f64 * GOLDEN_RATIO).fract());
    all.extend(places.map(|place| (inner[(place * stretch) as usize], stretch)));
    all
}
