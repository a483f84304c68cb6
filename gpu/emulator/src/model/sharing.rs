//! The number of workgroups that share a sector: of the launch, of those that run at the same time,
//! and of those on one die.
//!
//! The dispatcher deals workgroups to the dies in turn, so the IDs of one die have a fixed
//! remainder.

use super::Machine;
use super::sectors::{BYTES, Sectors, examined};
use crate::profile::{LineSharing, StreamGroup};

/// The smallest and the largest number of sectors of a large group that are examined, besides its
/// ends.
const EXAMINED: [u64; 2] = [32, 2048];
/// The number of steps through the grid for all of them, about 20 ms, and the limit for one sector.
const STEPS: u64 = 1 << 20;
const STEP_LIMIT: u64 = 1 << 14;

/// The parts of a group's sectors that are fetched: 1 if no workgroup shares a sector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FetchShares {
    /// By the first workgroup of the launch.
    pub(super) launch: f64,
    /// By the first of the workgroups that run at the same time.
    pub(super) together: f64,
    /// By the first workgroup of each die, of all and of those that run at the same time.
    pub(super) die: f64,
    pub(super) die_together: f64,
}

/// The bytes of one sector that workgroups touch, with the observed one: each byte counts once for
/// each workgroup. One that touches twice as many bytes causes two thirds of a fetch.
#[derive(Debug, Clone, Copy)]
struct Sharers {
    all: f64,
    together: f64,
    die: f64,
    die_together: f64,
}

/// A launch on a device, as the place of its workgroups.
struct Dispatch {
    grid: [i64; 3],
    dies: i64,
    /// Half of the workgroups that run at the same time.
    half: i64,
    /// The observed workgroup, in the middle of the grid.
    centre: [i64; 3],
    id: i64,
}

/// Returns the shares of a group, if `running` workgroups run at the same time.
pub(super) fn fetch_shares(
    group: &StreamGroup,
    sharing: &LineSharing,
    machine: &Machine,
    running: u64,
) -> FetchShares {
    let grid = sharing.grid.map(|extent| i64::from(extent.max(1)));
    let centre = grid.map(|extent| extent / 2);
    let dispatch = Dispatch {
        grid,
        dies: machine.dies.max(1).into(),
        half: (running / 2).max(1) as i64,
        centre,
        id: centre[0] + grid[0] * (centre[1] + grid[1] * centre[2]),
    };
    let sectors = Sectors::of(group);
    let mut sum = [0.0; 4];
    let mut count = 0.0;
    let numbers = &sectors.numbers;
    let middle = numbers.get(numbers.len() / 2).copied().unwrap_or(0);
    let (_, steps) = dispatch.sharers(&sectors, middle);
    let most = (STEPS / steps.max(1)).clamp(EXAMINED[0], EXAMINED[1]);
    for (sector, weight) in examined(numbers, most as usize) {
        let (sharers, _) = dispatch.sharers(&sectors, sector);
        let each = [
            sharers.all,
            sharers.together,
            sharers.die,
            sharers.die_together,
        ];
        let own = sectors.touched(sector, 0);
        for (sum, bytes) in sum.iter_mut().zip(each) {
            *sum += weight / (bytes / own).max(1.0);
        }
        count += weight;
    }
    let [launch, together, die, die_together] = sum.map(|sum| match count {
        0.0 => 1.0,
        _ => sum / count,
    });
    FetchShares {
        launch,
        together,
        die,
        die_together,
    }
}

impl Dispatch {
    /// Counts the bytes that workgroups touch in a sector of the observed workgroup. Returns the
    /// number of steps, too.
    fn sharers(&self, sectors: &Sectors, sector: i64) -> (Sharers, u64) {
        let mut sharers = Sharers {
            all: 0.0,
            together: 0.0,
            die: 0.0,
            die_together: 0.0,
        };
        let moving = |&dimension: &usize| sectors.moves[dimension] != 0;
        let mut order: Vec<usize> = (0..3).filter(moving).collect();
        // Large moves leave few possible offsets, so they come first.
        order.sort_by_key(|&dimension| std::cmp::Reverse(sectors.moves[dimension].unsigned_abs()));
        let mut steps = 0;
        let start = self.centre.map(|at| -at);
        self.visit(sectors, sector, &order, 0, start, &mut steps, &mut sharers);
        (sharers, steps)
    }

    /// Visits the offsets in the moving dimensions `order` at which a workgroup reaches the sector.
    /// The offsets in the others move it by `moved` bytes.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    fn visit(
        &self,
        sectors: &Sectors,
        sector: i64,
        order: &[usize],
        moved: i64,
        mut offset: [i64; 3],
        steps: &mut u64,
        sharers: &mut Sharers,
    ) {
        let Some((&dimension, rest)) = order.split_first() else {
            let bytes = sectors.touched(sector, moved);
            if bytes > 0.0 {
                self.add(sectors, offset, bytes, sharers);
            }
            return;
        };
        // The smallest and the largest sum of the other dimensions' moves.
        let mut others = [0_i64; 2];
        for &other in rest {
            let each = self.farthest(other, sectors.moves[other]);
            others = [0, 1].map(|it| others[it].saturating_add(each[it]));
        }
        let by = sectors.moves[dimension];
        let [first, last] = self.ends(dimension);
        let farthest = self.farthest(dimension, by);
        // The bytes of the observed workgroup that the other dimensions may move into a sector.
        let before =
            |byte: i64, most: usize| byte.saturating_sub(moved).saturating_sub(others[most]);
        let [begin, end] = [sector, sector + 1].map(|it| it * BYTES);
        let reached = [
            before(begin, 1).saturating_sub(farthest[1]),
            before(end, 0).saturating_sub(farthest[0]),
        ];
        let runs = sectors.runs_within(reached);
        // Only the innermost dimension can tell which run it moves into the sector.
        let each = match rest.is_empty() {
            true => 1,
            false => runs.len().max(1),
        };
        for runs in runs.chunks(each) {
            let [Some(low), Some(high)] = [
                runs.last().map(|run| (run.last + 1) * BYTES - 1),
                runs.first().map(|run| run.first * BYTES + 1),
            ] else {
                continue;
            };
            // No quotient of these overflows.
            let low = i128::from(before(begin, 1).saturating_sub(low));
            let high = i128::from(before(end, 0).saturating_sub(high));
            let by = i128::from(by);
            let bounds = match by > 0 {
                true => [-(-low).div_euclid(by), high.div_euclid(by)],
                false => [-high.div_euclid(-by), (-low).div_euclid(-by)],
            };
            for at in bounds[0].max(first.into())..=bounds[1].min(last.into()) {
                let at = at as i64;
                *steps += 1;
                if *steps > STEP_LIMIT {
                    return;
                }
                offset[dimension] = at;
                let moved = moved.saturating_add(sectors.moves[dimension].saturating_mul(at));
                self.visit(sectors, sector, rest, moved, offset, steps, sharers);
            }
        }
    }

    /// Returns the first and the last offset in a dimension.
    fn ends(&self, dimension: usize) -> [i64; 2] {
        let first = -self.centre[dimension];
        [first, first + self.grid[dimension] - 1]
    }

    /// Returns the smallest and the largest move of a dimension, in bytes.
    fn farthest(&self, dimension: usize, by: i64) -> [i64; 2] {
        let [one, other] = self.ends(dimension).map(|end| end.saturating_mul(by));
        [one.min(other), one.max(other)]
    }

    /// Adds the workgroups at an offset: all places of the dimensions in which nothing moves.
    fn add(&self, sectors: &Sectors, offset: [i64; 3], bytes: f64, sharers: &mut Sharers) {
        let strides = [1, self.grid[0], self.grid[0] * self.grid[1]];
        let parts = [0, 1, 2].map(|it| strides[it] * (self.centre[it] + offset[it]));
        let first: i64 = parts.iter().sum();
        let mut extents = [0, 1, 2].map(|it| match sectors.moves[it] {
            0 => self.grid[it],
            _ => 1,
        });
        // The innermost such dimension is a progression of IDs; the others are steps.
        let inner = (0..3).find(|&it| extents[it] > 1).unwrap_or(0);
        let count = std::mem::replace(&mut extents[inner], 1);
        let all = extents[0] * extents[1] * extents[2];
        let every = (all / 4096).max(1);
        let weight = bytes * all as f64 / (all as u64).div_ceil(every as u64) as f64;
        for number in (0..all).step_by(every as usize) {
            let [x, rest] = [number % extents[0], number / extents[0]];
            let [y, z] = [rest % extents[1], rest / extents[1]];
            let id = first + x + y * strides[1] + z * strides[2];
            self.add_progression(id, strides[inner], count, weight, sharers);
        }
    }

    /// Adds `weight` times the workgroups `id`, `id + stride` and so on, `count` of them.
    fn add_progression(
        &self,
        id: i64,
        stride: i64,
        count: i64,
        weight: f64,
        sharers: &mut Sharers,
    ) {
        sharers.all += weight * count as f64;
        let from = -(-(self.id - self.half - id)).div_euclid(stride);
        let to = (self.id + self.half - id).div_euclid(stride);
        let near = (to.min(count - 1) - from.max(0) + 1).max(0) as f64;
        sharers.together += weight * near;
        // A single workgroup is a progression whose stride changes nothing.
        let common = match count {
            1 => self.dies,
            _ => gcd(stride, self.dies),
        };
        if (self.id - id) % common == 0 {
            let part = common as f64 / self.dies as f64;
            sharers.die += weight * count as f64 * part;
            sharers.die_together += weight * near * part;
        }
    }
}

fn gcd(one: i64, other: i64) -> i64 {
    match other {
        0 => one,
        _ => gcd(other, one % other),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::version::MACHINE;

    /// Returns the fetch shares in a grid on four dies, of a workgroup that touches these sectors.
    fn shares(grid: [u32; 3], moves: [i64; 3], sectors: &[u64], running: u64) -> FetchShares {
        let group = StreamGroup {
            allocation: 0,
            bytes: u64::MAX,
            moves,
            sectors: sectors.iter().map(|&it| (1000 + it, (0, 63))).collect(),
        };
        let sharing = LineSharing {
            grid,
            ..LineSharing::default()
        };
        let machine = Machine { dies: 4, ..MACHINE };
        fetch_shares(&group, &sharing, &machine, running)
    }

    #[track_caller]
    fn check(found: FetchShares, launch: f64, together: f64, die: f64, die_together: f64) {
        let found = [found.launch, found.together, found.die, found.die_together];
        let expected = [launch, together, die, die_together];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
        }
    }

    #[test]
    fn private_sectors_are_fetched_by_each_workgroup() {
        let alone = shares([1024, 1, 1], [128, 0, 0], &[0, 1], 256);
        check(alone, 1.0, 1.0, 1.0, 1.0);
    }

    #[test]
    fn all_workgroups_share_what_does_not_move() {
        let weights = shares([1024, 1, 1], [0, 0, 0], &[0, 1], 16);
        check(weights, 1.0 / 1024.0, 1.0 / 17.0, 1.0 / 256.0, 4.0 / 17.0);
    }

    #[test]
    fn a_column_of_the_grid_shares_what_moves_along_rows() {
        // Every row of eight workgroups begins on the same die, so a column is on one die.
        let column = shares([8, 32, 1], [64, 0, 0], &[0], 1 << 20);
        check(column, 1.0 / 32.0, 1.0 / 32.0, 1.0 / 32.0, 1.0 / 32.0);
        // Rows of nine are dealt to the dies in turn.
        let column = shares([9, 32, 1], [64, 0, 0], &[0], 1 << 20);
        check(column, 1.0 / 32.0, 1.0 / 32.0, 1.0 / 8.0, 1.0 / 8.0);
        // A row of the grid shares what moves along columns.
        let row = shares([8, 32, 1], [0, 64, 0], &[0], 1 << 20);
        check(row, 1.0 / 8.0, 1.0 / 8.0, 1.0 / 2.0, 1.0 / 2.0);
    }

    #[test]
    fn moves_beyond_all_addresses_reach_nothing() {
        for far in [1 << 40, -(1 << 40), i64::MAX, i64::MIN + 64] {
            let grid = [60_000, 60_000, 1];
            let alone = shares(grid, [far, far - 64, 0], &[0], 256);
            check(alone, 1.0, 1.0, 1.0, 1.0);
        }
    }

    #[test]
    fn neighbours_share_a_halo() {
        // Each workgroup touches three sectors and moves by two.
        let halo = shares([1024, 1, 1], [128, 0, 0], &[0, 1, 2], 1 << 20);
        check(halo, 2.0 / 3.0, 2.0 / 3.0, 1.0, 1.0);
        let backwards = shares([1024, 1, 1], [-128, 0, 0], &[0, 1, 2], 1 << 20);
        check(backwards, 2.0 / 3.0, 2.0 / 3.0, 1.0, 1.0);
    }

    #[test]
    fn long_rows_share_only_their_ends() {
        /// Checks rows that follow each other. One begins and ends at these bytes of sectors.
        #[track_caller]
        fn check_rows(full: u64, (begin, end): (u8, u8), launch: f64) {
            let ends = [(1000, (begin, 63)), (1001 + full, (0, end - 1))];
            let full_ones = (1001..1001 + full).map(|it| (it, (0, 63)));
            let group = StreamGroup {
                allocation: 0,
                bytes: 1 << 30,
                moves: [
                    i64::from(64 - begin) + 64 * full as i64 + i64::from(end),
                    0,
                    0,
                ],
                sectors: full_ones.chain(ends).collect(),
            };
            let sharing = LineSharing {
                grid: [1024, 1, 1],
                ..LineSharing::default()
            };
            let found = fetch_shares(&group, &sharing, &MACHINE, 1 << 20);
            check(found, launch, launch, 1.0, 1.0);
        }
        check_rows(98, (32, 32), 99.0 / 100.0);
        // Each fetches the part of a sector that it reads.
        check_rows(40, (48, 32), 40.75 / 42.0);
        check_rows(2, (48, 32), 2.75 / 4.0);
    }

    /// Each byte is fetched once if each is touched once, whatever the period of the rows.
    #[test]
    fn pieces_of_many_rows_are_fetched_once() {
        #[track_caller]
        fn check_pieces(rows: u64, piece: u64, workgroups: u32) {
            let pitch = piece * u64::from(workgroups);
            // The observed workgroup is the middle one.
            let own = u64::from(workgroups / 2) * piece;
            let mut sectors = HashMap::new();
            for byte in (0..rows).flat_map(|row| row * pitch + own..row * pitch + own + piece) {
                let within = (byte % 64) as u8;
                let extent = sectors.entry(byte / 64).or_insert((within, within));
                *extent = (extent.0.min(within), extent.1.max(within));
            }
            let fetched = (rows * piece) as f64 / (sectors.len() * 64) as f64;
            let group = StreamGroup {
                allocation: 0,
                bytes: 1 << 30,
                moves: [piece as i64, 0, 0],
                sectors,
            };
            let sharing = LineSharing {
                grid: [workgroups, 1, 1],
                ..LineSharing::default()
            };
            let found = fetch_shares(&group, &sharing, &MACHINE, 1 << 20).launch;
            assert!(
                (found / fetched - 1.0).abs() < 0.01,
                "{found} for {fetched}"
            );
        }
        for (piece, workgroups) in [(76, 2), (40, 3), (72, 5), (100, 4), (1000, 2)] {
            check_pieces(5000, piece, workgroups);
        }
        // Eight rows have 17 sectors, and one of 17 is examined.
        check_pieces(8 * 2048, 76, 2);
    }

    #[test]
    fn workgroups_share_a_sector_in_parts() {
        let group = StreamGroup {
            allocation: 0,
            bytes: 4096,
            moves: [4, 0, 0],
            sectors: HashMap::from([(7, (32, 35))]),
        };
        let sharing = LineSharing {
            grid: [1024, 1, 1],
            ..LineSharing::default()
        };
        let found = fetch_shares(&group, &sharing, &MACHINE, 1 << 20);
        // Sixteen words of four bytes; each die has two of them.
        check(found, 1.0 / 16.0, 1.0 / 16.0, 1.0 / 2.0, 1.0 / 2.0);
    }
}
