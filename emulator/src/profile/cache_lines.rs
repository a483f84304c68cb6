//! The cache lines that a sample touches, and who shares them.
//!
//! A line is *near* for an access if the same workgroup touched it before, *far* if a workgroup did that has long
//! started, and *cold* otherwise. Workgroups that start together do not profit from each other's loads: they wait
//! for the same line as long as the first of them does, but memory moves it once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::execute::{AccessKind, MemoryAccess};

/// Bytes of a line: what L2 and memory exchange on the parts that are modelled.
const LINE_BYTES: u64 = 128;
/// Bytes that the address path of a compute unit takes per cycle.
pub(super) const SECTOR_BYTES: u64 = 64;
/// Bytes that one bit of a line's coverage stands for.
const UNIT_BYTES: u64 = LINE_BYTES / 64;
/// Workgroups whose ids differ by less start together: every part that is modelled has more compute units.
const TOGETHER: u32 = 64;

/// The lines of one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct AccessLines {
    /// Sectors of 64 bytes.
    pub(crate) sectors: u16,
    pub(crate) cold: u16,
    pub(crate) near: u16,
    pub(crate) far: u16,
    /// Lines that nobody wrote to before.
    pub(crate) dirtied: u16,
    /// Of the near lines, the longest time since they were touched: the logarithm of the lines that the workgroup
    /// touched meanwhile, rounded up.
    pub(crate) distance: u8,
}

/// Lines that memory moves for each that was counted: less than 1 where workgroups share lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColdShares {
    /// For each cold line of an access that reads, and of one that only writes.
    pub(crate) read: f64,
    pub(crate) written: f64,
    /// For each dirtied line.
    pub(crate) dirtied: f64,
}

impl ColdShares {
    /// For a cold line of an access of this kind.
    pub(crate) fn of(&self, kind: AccessKind) -> f64 {
        match kind.reads() {
            true => self.read,
            false => self.written,
        }
    }
}

/// A part of what was counted.
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

/// What is known of a line.
struct LineHistory {
    /// The workgroups that touched it first and last.
    first: u32,
    last: u32,
    /// The last one for which it was cold.
    neighbour: u32,
    /// Workgroups that touched it.
    touched: u32,
    /// Workgroups for which it was cold, and those among them that first wrote to it.
    sharers: u32,
    writers: u32,
    /// What they touched of it, a bit for each [`UNIT_BYTES`].
    covered: u64,
    /// Lines that the last workgroup had touched when it touched this one.
    moment: u32,
    dirty: bool,
    /// Lanes' atomic operations on it.
    atomics: u32,
}

impl LineHistory {
    /// How often memory moves it for those for whom it was cold, of so many workgroups, or of no others.
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

/// Every line that the sample has touched.
#[derive(Default)]
pub(super) struct LineTable {
    lines: HashMap<u64, LineHistory, Mixer>,
    /// The workgroup that runs, which one of the sample it is, and the lines that it has touched.
    workgroup: u32,
    begun: u32,
    moment: u32,
    /// The parts of lines that the current access touches: line and coverage.
    parts: Vec<(u64, u64)>,
}

impl LineTable {
    /// The workgroup with this id runs from now on.
    pub(super) fn begin(&mut self, workgroup: u32) {
        self.workgroup = workgroup;
        self.begun += 1;
        self.moment = 0;
    }

    /// What is known of the workgroup that runs and of no other.
    pub(super) fn suspend(&self) -> (u32, u32) {
        (self.workgroup, self.moment)
    }

    /// The workgroup that was set aside runs again.
    pub(super) fn resume(&mut self, (workgroup, moment): (u32, u32)) {
        (self.workgroup, self.moment) = (workgroup, moment);
    }

    /// The lines that a vector access touches.
    pub(super) fn touch(&mut self, access: &MemoryAccess, kind: AccessKind) -> AccessLines {
        self.collect(access);
        let mut lines = AccessLines::default();
        let workgroup = self.workgroup;
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

    /// Touches the lines of a scalar access; whether one of them was not touched before.
    ///
    /// Scalar loads have a cache of their own, and read few bytes that all workgroups share: they share no line with
    /// vector accesses.
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

    /// Lines that memory moves per cold line.
    ///
    /// A line that one workgroup touches is moved for it alone. One that several share is moved once for all of its
    /// sharers, of which the sample holds the part that its coverage shows: the rest of the line is for neighbours
    /// outside of the sample, as many as the launch has. One that each of the sample touches, and not two neighbours alone, is
    /// what all workgroups read, as the weights of a norm: it is moved once.
    ///
    /// `workgroups` is the number of workgroups of the launch, or None if all of them are in the sample. `lone` is a workgroup
    /// whose neighbours are not in the sample: what it shares is not known. `weight` is the part of the launch that a workgroup of
    /// the sample stands for: where the sample looked closer, a line counts less, and of two workgroups that stand for more and for
    /// less only as many share it as the one stands for that stands for less: the tile of a row's last workgroup is moved back over
    /// that of the one before, which no other neighbours do.
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
                    // Each of its sharers stands for so many.
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

    /// Atomic operations on the line that has most of them, if each workgroup of the sample stands for `times` ones.
    ///
    /// A line that one workgroup alone has touched is its own, and its like have others.
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

    /// Sets `parts` to what the access touches, each line once.
    fn collect(&mut self, access: &MemoryAccess) {
        let bytes = u64::from(access.bytes.max(1));
        self.parts.clear();
        for lane in (0..64).filter(|lane| (access.mask >> lane) & 1 != 0) {
            // An address whose access would wrap faults before it matters here.
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

/// A hash of line numbers: they differ in their low bits, which one multiplication spreads.
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
        // The odd number next to 2^64 divided by the golden ratio; the high half is as good as the low one.
        let product = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
