//! The cache lines that a sample touches, and the sharing of lines.
//!
//! A line is *near* for an access if the same workgroup touched it before. It is *far* if an
//! earlier workgroup touched it long before. Otherwise it is *cold*. Workgroups that start
//! together do not profit from each other's loads: all wait as long as the first one, but memory
//! moves the line once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::execute::{AccessKind, MemoryAccess};

/// Bytes of a line: the unit of transfer between L2 and memory on the modelled parts.
pub(super) const LINE_BYTES: u64 = 128;
/// Bytes that the address path of a compute unit transfers per cycle.
pub(crate) const SECTOR_BYTES: u64 = 64;
/// Bytes that one bit of a line's coverage represents.
pub(super) const UNIT_BYTES: u64 = LINE_BYTES / 64;
/// The difference of IDs below which workgroups start together. Every modelled part has more
/// compute units.
const TOGETHER: u32 = 64;

/// The lines of one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct AccessLines {
    /// Sectors of 64 bytes.
    pub(crate) sectors: u16,
    pub(crate) cold: u16,
    pub(crate) near: u16,
    pub(crate) far: u16,
    /// Lines without earlier writes.
    pub(crate) dirtied: u16,
    /// The longest time since a near line was touched: the logarithm of the number of lines that
    /// the workgroup touched meanwhile, rounded up.
    pub(crate) distance: u8,
    /// The stream of its instruction.
    pub(crate) stream: u16,
}

/// The ratio of lines that memory moves to counted lines: less than 1 if workgroups share lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColdShares {
    /// The ratio for cold lines of reading accesses, and of accesses that only write.
    pub(crate) read: f64,
    pub(crate) written: f64,
    /// The ratio for dirtied lines.
    pub(crate) dirtied: f64,
}

impl ColdShares {
    /// Returns the ratio for a cold line of an access of this kind.
    pub(crate) fn of(&self, kind: AccessKind) -> f64 {
        match kind.reads() {
            true => self.read,
            false => self.written,
        }
    }
}

/// The weighted sums of counted and moved lines.
#[derive(Default)]
struct Share {
    counted: f64,
    moved: f64,
}

impl Share {
    fn add(&mut self, weight: f64, counted: f64, moved: f64) {
        self.counted += weight * counted;
        self.moved += weight * moved;
    }

    fn part(&self) -> f64 {
        if self.counted > 0.0 {
            self.moved / self.counted
        } else {
            1.0
        }
    }
}

/// The history of a line.
struct LineHistory {
    /// The first and the last workgroup that touched it.
    first: u32,
    last: u32,
    /// The last workgroup for which it was cold.
    neighbour: u32,
    /// The number of workgroups that touched it.
    touched: u32,
    /// The number of workgroups for which it was cold, and of those that first wrote to it.
    sharers: u32,
    writers: u32,
    /// The touched parts, one bit for each [`UNIT_BYTES`].
    covered: u64,
    /// Lines that the last workgroup had touched when it touched this one.
    moment: u32,
    dirty: bool,
    /// The number of lanes' atomic operations on it.
    atomics: u32,
}

impl LineHistory {
    /// Returns the number of times that memory moves it for its cold sharers. `workgroups` is the
    /// size of the launch, or None without workgroups outside the sample.
    fn moved(&self, workgroups: Option<u64>) -> f64 {
        match workgroups {
            Some(workgroups) if self.sharers > 1 => {
                let covered = f64::from(self.covered.count_ones()) / 64.0;
                covered.max(f64::from(self.sharers) / workgroups as f64)
            }
            _ => 1.0,
        }
    }
}

/// The history of every line that the sample has touched.
#[derive(Default)]
pub(super) struct LineTable {
    lines: HashMap<u64, LineHistory, Mixer>,
    /// The running workgroup, its number in the sample, and the lines that it has touched.
    workgroup: u32,
    begun: u32,
    moment: u32,
    /// The parts of lines that the current access touches: line and coverage.
    parts: Vec<(u64, u64)>,
}

impl LineTable {
    /// Begins the workgroup with this ID.
    pub(super) fn begin(&mut self, workgroup: u32) {
        self.workgroup = workgroup;
        self.begun += 1;
        self.moment = 0;
    }

    /// Returns the state of the running workgroup, for a suspension.
    pub(super) fn suspend(&self) -> (u32, u32) {
        (self.workgroup, self.moment)
    }

    /// Resumes a suspended workgroup.
    pub(super) fn resume(&mut self, (workgroup, moment): (u32, u32)) {
        (self.workgroup, self.moment) = (workgroup, moment);
    }

    /// Records a vector access and returns its lines.
    pub(super) fn touch(&mut self, access: &MemoryAccess, kind: AccessKind) -> AccessLines {
        self.collect(access);
        let mut lines = AccessLines::default();
        let workgroup = self.workgroup;
        // The lanes of an atomic are assumed to be evenly spread over its lines.
        let lanes = access.mask.count_ones() / (self.parts.len() as u32).max(1);
        let atomics = match kind {
            AccessKind::Atomic { .. } => lanes.max(1),
            _ => 0,
        };
        for &(number, covered) in &self.parts {
            let half = |shift: u32| u16::from((covered >> shift) as u32 != 0);
            lines.sectors += half(0) + half(32);
            self.moment = self.moment.saturating_add(1);
            let line = match self.lines.entry(number) {
                Entry::Vacant(place) => {
                    lines.cold += 1;
                    place.insert(LineHistory {
                        first: workgroup,
                        last: workgroup,
                        neighbour: workgroup,
                        touched: 1,
                        sharers: 1,
                        writers: u32::from(!kind.reads()),
                        covered,
                        moment: self.moment,
                        dirty: false,
                        atomics: 0,
                    })
                }
                Entry::Occupied(place) => {
                    let line = place.into_mut();
                    // `sharers` is 0 for a line that only scalar loads have touched.
                    let before = line.last == workgroup && line.sharers > 0;
                    line.last = workgroup;
                    line.touched += u32::from(!before);
                    let together = workgroup.abs_diff(line.first) < TOGETHER;
                    if together {
                        line.covered |= covered;
                    }
                    if before {
                        lines.near += 1;
                        let since = self.moment - line.moment;
                        let logarithm = since.next_power_of_two().trailing_zeros() as u8;
                        lines.distance = lines.distance.max(logarithm);
                    } else if together {
                        line.neighbour = workgroup;
                        line.sharers += 1;
                        line.writers += u32::from(!kind.reads());
                        lines.cold += 1;
                    } else {
                        lines.far += 1;
                    }
                    line.moment = self.moment;
                    line
                }
            };
            line.atomics = line.atomics.saturating_add(atomics);
            if kind.writes() && !line.dirty {
                line.dirty = true;
                lines.dirtied += 1;
            }
        }
        lines
    }

    /// Returns the parts of lines that the last access touched: line and coverage.
    pub(super) fn parts(&self) -> &[(u64, u64)] {
        &self.parts
    }

    /// Records a scalar access; returns true if one of its lines was not touched before.
    ///
    /// Scalar loads have their own cache and read few bytes that all workgroups share, so they
    /// share no line with vector accesses.
    pub(super) fn touch_scalar(&mut self, access: &MemoryAccess) -> bool {
        self.collect(access);
        let mut cold = false;
        for &(number, _) in &self.parts {
            if let Entry::Vacant(place) = self.lines.entry(number) {
                place.insert(LineHistory {
                    first: self.workgroup,
                    last: self.workgroup,
                    neighbour: self.workgroup,
                    touched: 0,
                    sharers: 0,
                    writers: 0,
                    covered: 0,
                    moment: 0,
                    dirty: false,
                    atomics: 0,
                });
                cold = true;
            }
        }
        cold
    }

    /// Returns the ratios of moved lines.
    ///
    /// - Memory moves a line of one workgroup for that workgroup alone.
    /// - Memory moves a shared line once for all its sharers. The coverage shows the fraction of
    ///   the sharers in the sample: neighbours outside the sample touch the rest of the line.
    /// - All workgroups of the launch read a line that each of the sample touches, if the sample
    ///   has more than two. An example is the weights of a norm. Memory moves it once.
    ///
    /// `workgroups` is the number of workgroups of the launch, or None if all are in the sample.
    /// `lone` is a workgroup without neighbours in the sample, so its sharing is unknown.
    ///
    /// `weight` is the fraction of the launch that a workgroup of the sample represents. Lines of
    /// a denser sample thus count less. Two workgroups of different weight share only in
    /// proportion to the smaller one. Example: the tile of a row's last workgroup overlaps the
    /// tile before it, but no other neighbours overlap.
    pub(super) fn cold_shares(
        &self,
        workgroups: Option<u64>,
        lone: Option<u32>,
        weight: impl Fn(u32) -> f64,
    ) -> ColdShares {
        let (mut read, mut written, mut dirtied) = <(Share, Share, Share)>::default();
        for line in self.lines.values().filter(|line| line.sharers > 0) {
            if line.first == line.last && Some(line.first) == lone {
                continue;
            }
            let sharers = f64::from(line.sharers);
            let weights = [weight(line.first), weight(line.neighbour)];
            let weight = (weights[0] + weights[1]) / 2.0;
            let moved = match workgroups {
                Some(workgroups) if line.touched == self.begun && self.begun > 2 => {
                    // Each of its sharers represents this many workgroups.
                    let times = weight * workgroups as f64;
                    sharers.min(1.0 / times)
                }
                _ => {
                    let sharing = weights[0].min(weights[1]) / weight.max(f64::MIN_POSITIVE);
                    sharing * line.moved(workgroups) + (1.0 - sharing) * sharers
                }
            };
            let writing = f64::from(line.writers) / sharers;
            let dirty = f64::from(u8::from(line.dirty));
            written.add(weight * writing, sharers, moved);
            read.add(weight * (1.0 - writing), sharers, moved);
            dirtied.add(weight * dirty, 1.0, moved);
        }
        ColdShares {
            read: read.part(),
            written: written.part(),
            dirtied: dirtied.part(),
        }
    }

    /// Returns the number of atomic operations on the line that has most. Each workgroup of the
    /// sample represents `times` workgroups.
    ///
    /// A line of a single workgroup is private, and other workgroups have their own.
    pub(super) fn hottest(&self, times: f64) -> f64 {
        let counts = self.lines.values().map(|line| {
            let times = if line.sharers > 1 || line.first != line.last {
                times
            } else {
                1.0
            };
            f64::from(line.atomics) * times
        });
        counts.fold(0.0, f64::max)
    }

    /// Sets `parts` to the parts that the access touches, each line once.
    pub(super) fn collect(&mut self, access: &MemoryAccess) {
        let bytes = u64::from(access.bytes.max(1));
        self.parts.clear();
        for lane in (0..64).filter(|lane| (access.mask >> lane) & 1 != 0) {
            // An address with a wrapping access faults before this point.
            let first = access.addresses[lane] / UNIT_BYTES;
            let last = access.addresses[lane].saturating_add(bytes - 1) / UNIT_BYTES;
            for number in first / 64..=last / 64 {
                let from = first.max(number * 64) % 64;
                let to = last.min(number * 64 + 63) % 64;
                let covered = (u64::MAX >> (63 - to)) & (u64::MAX << from);
                match self.parts.last_mut() {
                    Some(part) if part.0 == number => part.1 |= covered,
                    _ => self.parts.push((number, covered)),
                }
            }
        }
        // Addresses usually ascend with the lanes, so the check saves a sort.
        if !self.parts.is_sorted() {
            self.parts.sort_unstable();
        }
        self.parts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
    }
}

/// A hash of line numbers. They differ in the low bits, and one multiplication spreads these.
#[derive(Clone, Copy, Default)]
struct Mixer;

impl std::hash::BuildHasher for Mixer {
    type Hasher = LineHasher;
    fn build_hasher(&self) -> LineHasher {
        LineHasher(0)
    }
}

struct LineHasher(u64);

impl std::hash::Hasher for LineHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        // The odd number next to 2^64 divided by the golden ratio. The fold mixes the high half
        // into the low one.
        let product = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
