//! The address streams of a kernel's instructions, and their movement over the grid.
//!
//! Most kernels are *affine*: from one workgroup to its neighbour in a dimension of the grid, an
//! instruction's addresses move by a constant. Then the lines of one workgroup and these moves
//! give the lines of all workgroups, and so the number of workgroups that share each line.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::cache_lines::{LINE_BYTES, SECTOR_BYTES, UNIT_BYTES};
use crate::address::offset_of;

/// The largest number of sectors that are kept of the base workgroup.
const SECTOR_LIMIT: usize = 1 << 18;
/// The largest number of sectors that are counted from several places within a line, and of these
/// places.
const SHIFTED_SECTORS: usize = 4096;
const PLACES: i64 = 16;
/// The largest relative difference of lines between workgroups with as much work.
const ALIKE: f64 = 0.25;
/// The stream number of an instruction that has none.
pub(crate) const NO_STREAM: u16 = u16::MAX;

/// The touched bytes of a sector: the first and the last one.
type Extent = (u8, u8);

/// The addresses of one instruction in one workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AddressReach {
    low: u64,
    high: u64,
}

/// The addresses of each instruction in each observed workgroup.
#[derive(Default)]
pub(super) struct StreamTable {
    /// The stream of each step, or [`NO_STREAM`].
    of_step: Vec<u16>,
    /// The observed workgroups with their streams.
    reaches: Vec<(u32, Vec<Option<AddressReach>>)>,
    /// The workgroup that `sectors` belong to, by stream.
    base: u32,
    sectors: Vec<HashMap<u64, Extent>>,
    kept: usize,
    /// The address and the bytes of each stream's allocation.
    allocations: Vec<(u64, u64)>,
}

impl StreamTable {
    pub(super) fn new(base: u32) -> StreamTable {
        StreamTable {
            base,
            ..StreamTable::default()
        }
    }

    /// Begins a workgroup.
    pub(super) fn begin(&mut self, workgroup: u32) {
        self.reaches.push((workgroup, Vec::new()));
    }

    /// Returns true if the workgroup was observed.
    pub(super) fn has(&self, workgroup: u32) -> bool {
        self.reaches.iter().any(|(id, _)| *id == workgroup)
    }

    /// Records the parts of lines that an access of `step` touches, with the bytes of their
    /// allocation. Returns the stream.
    pub(super) fn touch(
        &mut self,
        workgroup: u32,
        step: usize,
        parts: &[(u64, u64)],
        allocation_bytes: impl FnOnce(u64) -> u64,
    ) -> u16 {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return NO_STREAM;
        };
        let low = first.0 * LINE_BYTES + u64::from(first.1.trailing_zeros()) * UNIT_BYTES;
        let high = last.0 * LINE_BYTES + u64::from(63 - last.1.leading_zeros()) * UNIT_BYTES;
        let stream = self.stream(step, low, allocation_bytes);
        // The running workgroup is the last one, unless the whole launch runs.
        let running = (self.reaches.iter_mut().rev()).find(|(id, _)| *id == workgroup);
        let Some((_, reaches)) = running.filter(|_| stream != NO_STREAM) else {
            return NO_STREAM;
        };
        let place = usize::from(stream);
        if reaches.len() <= place {
            reaches.resize(place + 1, None);
        }
        let reach = reaches[place].get_or_insert(AddressReach { low, high });
        reach.low = reach.low.min(low);
        reach.high = reach.high.max(high);
        if workgroup == self.base && self.kept < SECTOR_LIMIT {
            for &(line, covered) in parts {
                for half in 0..2 {
                    let covered = (covered >> (32 * half)) as u32;
                    if covered != 0 {
                        let from = (u64::from(covered.trailing_zeros()) * UNIT_BYTES) as u8;
                        let to = (u64::from(31 - covered.leading_zeros()) * UNIT_BYTES + 1) as u8;
                        self.keep(place, 2 * line + half, (from, to));
                    }
                }
            }
        }
        stream
    }

    fn keep(&mut self, stream: usize, sector: u64, (from, to): Extent) {
        match self.sectors[stream].entry(sector) {
            Entry::Occupied(mut known) => {
                let extent = known.get_mut();
                *extent = (extent.0.min(from), extent.1.max(to));
            }
            Entry::Vacant(place) => {
                place.insert((from, to));
                self.kept += 1;
            }
        }
    }

    fn stream(&mut self, step: usize, address: u64, bytes: impl FnOnce(u64) -> u64) -> u16 {
        if self.of_step.len() <= step {
            self.of_step.resize(step + 1, NO_STREAM);
        }
        if self.of_step[step] == NO_STREAM && self.sectors.len() < usize::from(NO_STREAM) {
            self.of_step[step] = self.sectors.len() as u16;
            self.sectors.push(HashMap::new());
            let start = address - offset_of(address) as u64;
            self.allocations.push((start, bytes(address)));
        }
        self.of_step[step]
    }

    /// Returns the neighbours of the base in a grid that show the moves in each dimension.
    pub(super) fn neighbours(&self, grid: [u32; 3]) -> Vec<u32> {
        let in_dimension = |dimension| Some(neighbour(self.base, grid, dimension)?.0);
        (0..3).filter_map(in_dimension).collect()
    }

    /// Returns the sharing of lines over the grid.
    pub(super) fn sharing(self, grid: [u32; 3]) -> LineSharing {
        let mut sharing = LineSharing {
            grid,
            groups: Vec::new(),
            of_stream: vec![None; self.sectors.len()],
            allocations: self.allocations.iter().copied().collect(),
        };
        let moves: Vec<_> = (0..self.sectors.len())
            .map(|it| self.moves(it, grid))
            .collect();
        for (stream, sectors) in self.sectors.into_iter().enumerate() {
            let (allocation, bytes) = self.allocations[stream];
            let Some(moves) = moves[stream].filter(|_| !sectors.is_empty()) else {
                continue;
            };
            let known = (sharing.groups.iter())
                .position(|group| (group.allocation, group.moves) == (allocation, moves));
            let place = known.unwrap_or_else(|| {
                sharing.groups.push(StreamGroup {
                    allocation,
                    bytes,
                    moves,
                    sectors: HashMap::new(),
                });
                sharing.groups.len() - 1
            });
            sharing.of_stream[stream] = Some(place as u16);
            for (sector, extent) in sectors {
                let all = sharing.groups[place]
                    .sectors
                    .entry(sector)
                    .or_insert(extent);
                *all = (all.0.min(extent.0), all.1.max(extent.1));
            }
        }
        sharing
    }

    fn reach(&self, workgroup: u32, stream: usize) -> Option<AddressReach> {
        let (_, reaches) = self.reaches.iter().find(|(id, _)| *id == workgroup)?;
        *reaches.get(stream)?
    }

    /// Returns the bytes by which a stream moves in each dimension; None if it is not affine.
    fn moves(&self, stream: usize, grid: [u32; 3]) -> Option<[i64; 3]> {
        let base = self.reach(self.base, stream)?;
        let mut moves = [0; 3];
        for (dimension, by) in moves.iter_mut().enumerate() {
            let Some((id, direction)) = neighbour(self.base, grid, dimension) else {
                continue;
            };
            let other = self.reach(id, stream)?;
            let low = other.low.wrapping_sub(base.low) as i64;
            let high = other.high.wrapping_sub(base.high) as i64;
            if low != high {
                return None;
            }
            *by = low.saturating_mul(direction);
        }
        // The other workgroups show whether the moves hold far away. A workgroup at the edge may
        // touch less. One elsewhere may show a tile that is moved into the tensor at its end.
        let [x, y, z] = place(self.base, grid);
        let is_moved = |(id, reaches): &(u32, Vec<Option<AddressReach>>)| {
            let Some(Some(reach)) = reaches.get(stream) else {
                return true;
            };
            let [a, b, c] = place(*id, grid);
            let apart = [a - x, b - y, c - z];
            // A hostile kernel may move by any number of bytes.
            let moved = (0..3).fold(0_i64, |sum, it| {
                sum.saturating_add(apart[it].saturating_mul(moves[it]))
            });
            let low = reach.low.wrapping_sub(base.low) as i64;
            let high = reach.high.wrapping_sub(base.high) as i64;
            if low == moved || high == moved {
                return true;
            }
            // The last tile of a dimension may be moved back into the tensor, and write only the
            // elements that its neighbour does not have.
            (0..3).any(|it| {
                [a, b, c][it] + 1 == i64::from(grid[it])
                    && low > moved.saturating_sub(moves[it])
                    && high < moved
            })
        };
        self.reaches.iter().all(is_moved).then_some(moves)
    }
}

/// Returns the neighbour of a workgroup in a dimension, with the direction; None if the grid has
/// no extent there.
fn neighbour(id: u32, grid: [u32; 3], dimension: usize) -> Option<(u32, i64)> {
    // An empty launch has no neighbours.
    if grid.contains(&0) {
        return None;
    }
    let stride: u32 = grid[..dimension].iter().product();
    let at = id / stride % grid[dimension];
    match grid[dimension] {
        1 => None,
        extent if at + 1 < extent => Some((id + stride, 1)),
        _ => Some((id - stride, -1)),
    }
}

fn place(id: u32, grid: [u32; 3]) -> [i64; 3] {
    let [x, y, _] = grid.map(|extent| extent.max(1));
    [id % x, id / x % y, id / x / y].map(i64::from)
}

/// The lines of affine instructions, and their sharing over the grid.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineSharing {
    /// The workgroups in each dimension.
    pub(crate) grid: [u32; 3],
    pub(crate) groups: Vec<StreamGroup>,
    /// The group of each stream; None if the stream is not affine.
    pub(crate) of_stream: Vec<Option<u16>>,
    /// The address and the bytes of each touched allocation.
    pub(crate) allocations: BTreeMap<u64, u64>,
}

/// Instructions that move alike in one allocation.
#[derive(Debug, Clone)]
pub(crate) struct StreamGroup {
    /// The address of the allocation, and its size.
    pub(crate) allocation: u64,
    pub(crate) bytes: u64,
    /// The bytes by which the lines move in each dimension.
    pub(crate) moves: [i64; 3],
    /// The sectors of 64 bytes that one workgroup touches, which caches and memory exchange.
    pub(crate) sectors: HashMap<u64, Extent>,
}

impl StreamGroup {
    /// Returns the sectors that the workgroup touches, as a part of the lines of another one.
    /// `sampled` is the number of lines of an average workgroup of the sample.
    pub(crate) fn coverage(&self, sampled: f64) -> f64 {
        let average = self.lines();
        // Workgroups with as much work differ by their places within a line only, and the sample
        // has few of these places. In a long trace, not every sector is kept.
        let is_alike = (sampled / average - 1.0).abs() < ALIKE;
        let lines = match is_alike && self.sectors.len() <= SHIFTED_SECTORS {
            true => sampled,
            false => average,
        };
        self.sectors.len() as f64 / (2.0 * lines).max(1.0)
    }

    /// Returns the number of lines that a workgroup touches. It is an average, because workgroups
    /// that move by less than a line begin at different places within one.
    fn lines(&self) -> f64 {
        let line = LINE_BYTES as i64;
        // Powers of two, so places within a line are at equal distances.
        let apart = self.moves.iter().map(|by| by % line);
        let apart = apart.fold(line, |apart, by| match by {
            0 => apart,
            by => apart.min(1 << by.trailing_zeros()),
        });
        let places = match self.sectors.len() <= SHIFTED_SECTORS {
            true => (line / apart).min(PLACES),
            // A line more or less does not matter.
            false => 1,
        };
        let lines_from = |place: i64| {
            let moved = (place * line / places) as u64;
            let mut lines: Vec<u64> = Vec::with_capacity(self.sectors.len());
            for (&sector, &(first, last)) in &self.sectors {
                let bytes = [first, last].map(|byte| sector * SECTOR_BYTES + u64::from(byte));
                let [first, last] = bytes.map(|byte| (byte + moved) / LINE_BYTES);
                lines.extend(first..=last);
            }
            lines.sort_unstable();
            lines.dedup();
            lines.len()
        };
        let all: usize = (0..places).map(lines_from).sum();
        all as f64 / places as f64
    }
}

impl LineSharing {
    /// Returns the group of a stream.
    pub(crate) fn group(&self, stream: u16) -> Option<usize> {
        let group = self.of_stream.get(usize::from(stream))?;
        group.map(usize::from)
    }

    /// Returns the bytes of the touched allocations, without a limit if they are unknown.
    pub(crate) fn allocated(&self) -> f64 {
        match self.allocations.is_empty() {
            true => f64::INFINITY,
            false => self.allocations.values().map(|&bytes| bytes as f64).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the moves of one stream. Each workgroup touches 128 bytes from `start(id)` on.
    fn moves(grid: [u32; 3], ids: &[u32], start: impl Fn(u64) -> u64) -> Option<[i64; 3]> {
        let mut table = StreamTable::new(ids[0]);
        for &id in ids {
            table.begin(id);
            let line = (1 << 40) / LINE_BYTES + start(id.into()) / LINE_BYTES;
            table.touch(id, 5, &[(line, u64::MAX)], |_| 1 << 30);
        }
        let sharing = table.sharing(grid);
        let group = sharing.group(0)?;
        assert_eq!(sharing.groups[group].sectors.len(), 2);
        Some(sharing.groups[group].moves)
    }

    #[test]
    fn addresses_move_with_the_place_in_the_grid() {
        let rows = |id: u64| id % 16 * 128 + id / 16 * 65536;
        assert_eq!(
            moves([16, 16, 1], &[36, 37, 52, 255], rows),
            Some([128, 65536, 0])
        );
        // At the end of a row the neighbour is the one before.
        assert_eq!(
            moves([16, 16, 1], &[47, 46, 63, 2], rows),
            Some([128, 65536, 0])
        );
        assert_eq!(moves([256, 1, 1], &[36, 37, 200], |_| 0), Some([0, 0, 0]));
    }

    #[test]
    fn the_last_tile_may_be_moved_back() {
        let back = |id: u64| id * 4096 - if id == 255 { 3968 } else { 0 };
        let known = Some([4096, 0, 0]);
        assert_eq!(moves([256, 1, 1], &[36, 37, 255], back), known);
        assert_eq!(moves([512, 1, 1], &[36, 37, 255], back), None);
        // A tile back, it is the one before.
        let repeated = |id: u64| id.min(254) * 4096;
        assert_eq!(moves([256, 1, 1], &[36, 37, 255], repeated), None);
    }

    #[test]
    fn addresses_that_jump_have_no_moves() {
        // The neighbour moves by 128 bytes, and the others by nothing of that kind.
        let permuted = |id: u64| id.wrapping_mul(0x9e37_79b9) % 1024 * 128;
        assert_eq!(moves([256, 1, 1], &[36, 37, 100, 200, 255], permuted), None);
        // Without a neighbour in a dimension, nothing is known.
        assert_eq!(moves([16, 16, 1], &[36, 37, 255], |id| id * 128), None);
    }

    #[test]
    fn lines_are_those_of_an_average_workgroup() {
        #[track_caller]
        fn check(begin: u64, bytes: u64, by: i64, expected: f64) {
            let sectors = (begin / 64..=(begin + bytes - 1) / 64).map(|sector| {
                let first = begin.max(sector * 64) - sector * 64;
                let last = (begin + bytes).min(sector * 64 + 64) - 1 - sector * 64;
                (sector, (first as u8, last as u8))
            });
            let group = StreamGroup {
                allocation: 0,
                bytes: 1 << 30,
                moves: [by, 0, 0],
                sectors: sectors.collect(),
            };
            assert_eq!(group.lines(), expected);
        }
        // 20.375 lines touch 21 of them from six of eight places, and else 22.
        for begin in [0, 16, 80, 96, 112] {
            check(begin, 2608, 2608, 21.25);
        }
        check(96, 2608, 2688, 22.0);
        check(0, 64, 64, 1.0);
        check(0, 40, 40, 1.25);
    }

    #[test]
    fn neighbours_are_in_the_grid() {
        let found = |base, grid| StreamTable::new(base).neighbours(grid);
        assert_eq!(found(36, [16, 16, 1]), [37, 52]);
        assert_eq!(found(255, [16, 16, 1]), [254, 239]);
        assert_eq!(found(0, [1, 1, 4]), [1]);
        assert!(found(0, [1, 1, 1]).is_empty());
        assert!(found(0, [0, 4, 1]).is_empty());
    }
}
