//! The happens-before order of workgroups: released stores, and the atomics that publish them.
//!
//! - The stores of a wave form *generations*.
//! - A generation has *arrived* after the wave has waited for its stores.
//! - It is *released* after it has arrived and was flushed. Only devices with several L2 caches
//!   need the flush. The wave itself or, after a barrier, another wave may flush.
//! - An atomic on global memory *publishes* the generations that its wave knows to be released.
//!   These are its own generations and, since the last barrier, those of the other waves. The
//!   address is the key.
//! - A wave *sees* the publications of an address if it gets the value of an atomic there. A load
//!   past the caches sees them too, if an atomic left the loaded value. The wave also sees
//!   everything that the publishers had acquired.
//! - A wave *acquires* everything that it has seen when it invalidates its caches.
//! - A barrier shares all of this among the waves of the workgroup.
//!
//! A plain load of another workgroup's store is therefore correct if its wave has acquired a
//! publication of the store's generation. This does not depend on the order of workgroups or
//! waves: the last one to count has seen the counts of all others.
//!
//! Flags are plain stores and loads. A load past the caches of such a store sees everything that
//! the storing workgroup had released when it was suspended or ended. The checker ignores
//! workgroups with atomics on very many addresses.

use std::collections::HashMap;

use super::Checker;
use super::access::accessed;
use super::finding::FindingKind;
use super::global_writes::StoreAuthor;
use super::lds::AccessMode;
use crate::effects::{ALL, CacheEffect, CacheMask, needs_flush};
use crate::execute::{Wave, WorkgroupContext, lanes};
use crate::instruction::Wait;
use crate::isa::{EncodingFamily, Isa};

/// The largest number of addresses that a wave may see; more end the tracking.
const MOST: usize = 64;
/// The bit of a key that names a workgroup with flags; addresses have fewer bits.
const WORKGROUP: u64 = 1 << 63;

/// The released generations, for each wave of a workgroup.
type ReleasedGenerations = Box<[u32]>;

/// Everything published under a key up to a time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ObservedRelease {
    key: u64,
    time: u32,
}

/// The order knowledge of one wave.
#[derive(Clone, Default)]
struct WaveOrder {
    /// The generation of its next store.
    generation: u32,
    /// True if it has stored since the generation began.
    stores: bool,
    /// The first generation that has not arrived, and the first that it has not flushed.
    arrived: u32,
    flushed: u32,
    /// For each wave of the workgroup, the first generation not known to have arrived, and the
    /// first not known to be released.
    others_arrived: Vec<u32>,
    released: Vec<u32>,
    /// The publications that it has seen and acquired.
    seen: Vec<ObservedRelease>,
    acquired: Vec<ObservedRelease>,
    /// The caches that it has invalidated since it saw something new.
    emptied: CacheMask,
}

/// The happens-before order of a launch.
pub(super) struct HappensBefore {
    /// True if no instruction can publish. Then any read of another workgroup's store is wrong.
    idle: bool,
    needs_flush: bool,
    /// True if one counter covers loads and stores.
    joint_counter: bool,
    waves: Vec<WaveOrder>,
    workgroup: u32,
    /// The number of publications so far.
    time: u32,
    /// The released generations by key and publishing workgroup, with their times in ascending
    /// order.
    published: HashMap<(u64, u32), Vec<(u32, ReleasedGenerations)>>,
    /// The releases that the publishers under a key had acquired.
    passed_on: HashMap<u64, Vec<ObservedRelease>>,
    /// True if the launch uses too many addresses to track.
    gave_up: bool,
}

/// The order knowledge of a suspended workgroup.
pub(super) struct SuspendedOrder {
    workgroup: u32,
    waves: Vec<WaveOrder>,
}

impl HappensBefore {
    pub(super) fn new(isa: Isa, hands_over: bool) -> HappensBefore {
        HappensBefore {
            idle: !hands_over,
            needs_flush: needs_flush(isa),
            joint_counter: isa.family() == EncodingFamily::Gfx9,
            waves: Vec::new(),
            workgroup: 0,
            time: 0,
            published: HashMap::new(),
            passed_on: HashMap::new(),
            gave_up: false,
        }
    }

    /// Begins a workgroup of `waves` waves, after the end of the previous one.
    pub(super) fn begin(&mut self, workgroup: u32, waves: usize) {
        if self.idle {
            return;
        }
        self.end();
        self.workgroup = workgroup;
        self.waves.resize_with(waves, WaveOrder::default);
        for wave in &mut self.waves {
            wave.generation = 0;
            wave.stores = false;
            (wave.arrived, wave.flushed, wave.emptied) = (0, 0, 0);
            for of_waves in [&mut wave.others_arrived, &mut wave.released] {
                of_waves.clear();
                of_waves.resize(waves, 0);
            }
            wave.seen.clear();
            wave.acquired.clear();
        }
    }

    /// Suspends the workgroup.
    pub(super) fn suspend(&mut self) -> SuspendedOrder {
        self.end();
        SuspendedOrder {
            workgroup: self.workgroup,
            waves: std::mem::take(&mut self.waves),
        }
    }

    /// Resumes a suspended workgroup, after the previous one ended or was suspended.
    pub(super) fn resume(&mut self, kept: SuspendedOrder) {
        self.end();
        (self.workgroup, self.waves) = (kept.workgroup, kept.waves);
    }

    /// Publishes all releases of the workgroup, for readers of its flags.
    fn end(&mut self) {
        let key = WORKGROUP | u64::from(self.workgroup);
        let stored = self.waves.iter().any(|wave| wave.generation > 0);
        for wave in 0..if stored { self.waves.len() } else { 0 } {
            self.publish(key, wave);
        }
    }

    /// Records a store of the wave and returns its generation.
    pub(super) fn store(&mut self, wave: usize) -> u32 {
        self.waves.get_mut(wave).map_or(0, |wave| {
            wave.stores = true;
            wave.generation
        })
    }

    /// Records a wait of the wave; it matters only if it covers all stores.
    pub(super) fn wait(&mut self, index: usize, wait: Wait) {
        // On gfx9, `vmcnt` counts stores too, so a wait for all loads also covers them.
        let all = wait.store == 0 || self.joint_counter && wait.load == 0;
        let Some(wave) = self.waves.get_mut(index).filter(|_| all) else {
            return;
        };
        wave.arrived = wave.next();
        wave.release(index, self.needs_flush);
    }

    /// Records a flush or an invalidation of the wave.
    pub(super) fn scope(&mut self, index: usize, scope: CacheEffect) {
        let Some(wave) = self.waves.get_mut(index) else {
            return;
        };
        match scope {
            CacheEffect::None | CacheEffect::Bypass => {}
            CacheEffect::Flush => {
                wave.flushed = wave.next();
                // A flush writes back the whole L2, including data of other waves.
                for (released, arrived) in wave.released.iter_mut().zip(&wave.others_arrived) {
                    *released = (*released).max(*arrived);
                }
                wave.release(index, self.needs_flush);
            }
            CacheEffect::Invalidate(caches) => {
                wave.emptied |= caches;
                // The caches may be emptied by several instructions, in any order.
                if wave.emptied == ALL {
                    wave.acquired.clone_from(&wave.seen);
                }
            }
        }
    }

    /// Shares the knowledge of all waves at a barrier.
    pub(super) fn barrier(&mut self) {
        let mut all = WaveOrder {
            others_arrived: self.waves.iter().map(|wave| wave.arrived).collect(),
            released: vec![0; self.waves.len()],
            ..WaveOrder::default()
        };
        for wave in &self.waves {
            for (most, released) in all.released.iter_mut().zip(&wave.released) {
                *most = (*most).max(*released);
            }
            add(&mut all.seen, &wave.seen);
            add(&mut all.acquired, &wave.acquired);
        }
        for wave in &mut self.waves {
            wave.others_arrived.clone_from(&all.others_arrived);
            wave.released.clone_from(&all.released);
            // Earlier invalidations do not cover publications that the wave sees only now.
            if add(&mut wave.seen, &all.seen) {
                wave.emptied = 0;
            }
            wave.acquired.clone_from(&all.acquired);
        }
    }

    /// Records an atomic on `address`, with or without its old value as a result.
    pub(super) fn atomic(&mut self, wave: usize, address: u64, returns: bool) {
        if self.gave_up || self.idle {
            return;
        }
        // The wave publishes first: its own atomic must be visible to later readers of the
        // address.
        self.publish(address, wave);
        if returns {
            self.see(wave, address);
        }
    }

    /// Records a load past the caches of a value that an atomic left at `address`.
    pub(super) fn look(&mut self, wave: usize, address: u64) {
        if self.gave_up || self.idle {
            return;
        }
        self.see(wave, address);
    }

    /// Records a read of a flag that a workgroup stored.
    pub(super) fn flag(&mut self, wave: usize, workgroup: u32) {
        if self.idle {
            return;
        }
        self.see(wave, WORKGROUP | u64::from(workgroup));
    }

    fn see(&mut self, index: usize, key: u64) {
        let wave = &mut self.waves[index];
        let time = self.time;
        let mut newer = add(&mut wave.seen, &[ObservedRelease { key, time }]);
        if let Some(more) = self.passed_on.get(&key) {
            newer |= add(&mut wave.seen, more);
        }
        // The new publication may be newer than the last invalidation.
        if newer {
            wave.emptied = 0;
        }
        // The lists are searched linearly, so their length must stay small.
        self.gave_up |= wave.seen.len() > MOST;
    }

    fn publish(&mut self, key: u64, index: usize) {
        let wave = &self.waves[index];
        // The address itself needs no forwarding, because readers of the key see it anyway.
        if wave.acquired.iter().any(|acquired| acquired.key != key) {
            add(self.passed_on.entry(key).or_default(), &wave.acquired);
        }
        let all = self.published.entry((key, self.workgroup)).or_default();
        let last = all.last().map(|(_, released)| released);
        let mut released: ReleasedGenerations = match last {
            Some(last) => last.clone(),
            None => vec![0; self.waves.len()].into(),
        };
        for (most, released) in released.iter_mut().zip(&wave.released) {
            *most = (*most).max(*released);
        }
        if last != Some(&released) {
            self.time += 1;
            all.push((self.time, released));
        }
    }

    /// Returns the released generations of a workgroup as of the publication `seen`; None if it
    /// had published nothing by then.
    fn released(&self, seen: &ObservedRelease, workgroup: u32) -> Option<&ReleasedGenerations> {
        let published = self.published.get(&(seen.key, workgroup))?;
        let until = published.partition_point(|(time, _)| *time <= seen.time);
        published[..until].last().map(|(_, released)| released)
    }

    /// Returns the ordering that a read of another workgroup's store lacks.
    pub(super) fn check(
        &self,
        wave: usize,
        (workgroup, author): (u32, usize),
        generation: u32,
    ) -> MissingOrdering {
        let has = |seen: &ObservedRelease| {
            let released = self.released(seen, workgroup);
            released
                .and_then(|released| released.get(author))
                .is_some_and(|before| generation < *before)
        };
        let Some(wave) = self.waves.get(wave) else {
            return MissingOrdering::Order;
        };
        // Without full knowledge, silence is better than a false finding.
        if self.gave_up || wave.acquired.iter().any(has) {
            MissingOrdering::Nothing
        } else if wave.seen.iter().any(has) {
            MissingOrdering::Acquire
        } else if wave
            .seen
            .iter()
            .any(|seen| self.released(seen, workgroup).is_some())
        {
            MissingOrdering::Release
        } else {
            MissingOrdering::Order
        }
    }
}

/// The missing part of the order between a store and a read of another workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MissingOrdering {
    Nothing,
    /// The store was not released before the atomic that the reader saw.
    Release,
    /// The reader has not invalidated its caches since.
    Acquire,
    /// No atomic connects the two.
    Order,
}

impl WaveOrder {
    /// Ends the generation if it has stores; returns the number of the next one.
    fn next(&mut self) -> u32 {
        self.generation += u32::from(std::mem::take(&mut self.stores));
        self.generation
    }

    fn release(&mut self, index: usize, needs_flush: bool) {
        let released = match needs_flush {
            true => self.arrived.min(self.flushed),
            false => self.arrived,
        };
        self.released[index] = self.released[index].max(released);
    }
}

/// Adds new or newer releases to `all`; returns true if it changed.
fn add(all: &mut Vec<ObservedRelease>, more: &[ObservedRelease]) -> bool {
    let mut any = false;
    for one in more {
        match all.iter_mut().find(|known| known.key == one.key) {
            Some(known) if known.time >= one.time => continue,
            Some(known) => known.time = one.time,
            None => all.push(*one),
        }
        any = true;
    }
    any
}

impl Checker<'_> {
    /// Records loads past the caches: they see atomics of other workgroups at their addresses.
    pub(super) fn look(&mut self, wave: &Wave, device: &WorkgroupContext<'_>, mask: u64) {
        let access = &device.access;
        for lane in lanes(mask) {
            let (address, mut any) = (access.addresses[lane], false);
            // The last author may be the wave itself, after those of other workgroups.
            self.writes.authors(address, access.bytes.into(), |author| {
                any |= author.by.is_atomic();
            });
            if any {
                self.handover.look(wave.number as usize, address);
                self.acquired = true;
            }
        }
    }

    /// Checks the order of reads and atomics after the stores of other workgroups. `whole` is the
    /// range of the lanes, if they access one.
    pub(super) fn handed_over(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        (mask, whole): (u64, Option<(u64, u64)>),
        own: &StoreAuthor,
    ) {
        if own.by == AccessMode::Write {
            return;
        }
        let access = &device.access;
        let number = wave.number as usize;
        let past = own.by.is_atomic() || self.effects.scope(wave.current) == CacheEffect::Bypass;
        // Lanes read the stores of few authors, and each author needs one look.
        let mut others: Vec<StoreAuthor> = Vec::new();
        let mut meet = |author: &StoreAuthor| {
            let other = author.workgroup != own.workgroup && author.by == AccessMode::Write;
            if other && !others.contains(author) {
                others.push(*author);
            }
        };
        let bytes = access.bytes;
        match whole {
            Some((start, length)) => self.writes.authors(start, length, &mut meet),
            None => lanes(mask).for_each(|lane| {
                let address = access.addresses[lane];
                self.writes.authors(address, bytes.into(), &mut meet);
            }),
        }
        for author in others {
            // A read past the caches is a flag: it establishes an order and needs none.
            if past {
                self.handover.flag(number, author.workgroup);
                continue;
            }
            let by = (author.workgroup, usize::from(author.wave));
            let missing = self.handover.check(number, by, author.generation);
            if let Some(lacks) = missing.explain() {
                let is_of_author = |lane: &usize| {
                    let mut any = false;
                    let visit = |it: &StoreAuthor| any |= *it == author;
                    self.writes
                        .authors(access.addresses[*lane], bytes.into(), visit);
                    any
                };
                let lane = lanes(mask).find(is_of_author).unwrap_or_default();
                let what = self.describe(author.step);
                let [x, y, z] = self.position(author.workgroup);
                let address = access.addresses[lane];
                let accessed = accessed(device, lane as u32);
                self.report(FindingKind::MissingFence, wave, Some(lane as u32), Some(accessed), || {
                    format!(
                        "reads {bytes} bytes at {address:#x}, some of which workgroup ({x}, {y}, {z}) wrote \
                         ({what}, wave {}): {lacks}",
                        author.wave
                    )
                });
                return;
            }
        }
    }
}

impl MissingOrdering {
    fn explain(self) -> Option<&'static str> {
        match self {
            MissingOrdering::Nothing => None,
            MissingOrdering::Release => Some(
                "the store was not released to the device before the atomic that connects the two (it needs a wait, \
                 a flush if dies have caches, and a barrier if another wave executes the atomic)",
            ),
            MissingOrdering::Acquire => Some(
                "the caches were not invalidated for the device between the atomic that connects the two and the load",
            ),
            MissingOrdering::Order => Some("no atomic connects the two"),
        }
    }
}

#[cfg(test)]
mod tests;
