//! What workgroups hand over to each other: stores that were released, and an atomic that says so.
//!
//! The stores of a wave are counted in *generations*. A generation has *arrived* when the wave has waited for its stores,
//! and is *released* when it has arrived and, where dies have an L2 each, was flushed: by the wave itself, or by another
//! that a barrier told of its arrival. An atomic on global memory *publishes*, under its address, what its wave knows to
//! be released: its own generations, and at the last barrier those of the other waves. A wave that gets the value of an
//! atomic, or of a load past the caches of what an atomic left, has *seen* what was published under that address until
//! then, and what those who published had acquired; it *acquires* what it has seen when it empties its caches. A barrier
//! tells the workgroup what each wave has seen and acquired.
//!
//! So a plain load of what another workgroup stored is right if its wave has acquired what was published when the store's
//! generation was released. That depends on neither the order of workgroups nor that of waves: who counts last has seen
//! the others' counts, whoever they are.
//!
//! Flags are stores and loads that look like others; a load that goes past the caches is taken to see all that the
//! workgroup has released, when it was set aside or ended, which stored what it reads. Whoever uses atomics on very many addresses is not looked at.

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

/// Addresses under which a workgroup publishes and sees, at most.
const MOST: usize = 64;
/// Bit of a key that is a workgroup's, whose stores are flags; addresses have fewer bits.
const WORKGROUP: u64 = 1 << 63;

/// Generations that are released, for each wave of a workgroup.
type ReleasedGenerations = Box<[u32]>;

/// What was published under a key, before a time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ObservedRelease {
    key: u64,
    time: u32,
}

/// What a wave knows.
#[derive(Clone, Default)]
struct WaveOrder {
    /// Of its next store.
    generation: u32,
    /// It has stored since the generation began.
    stores: bool,
    /// Its generations before these have arrived, and were flushed by itself.
    arrived: u32,
    flushed: u32,
    /// For each wave of the workgroup, the generations before which have arrived and are released, as far as it knows.
    others_arrived: Vec<u32>,
    released: Vec<u32>,
    /// What it has seen and acquired.
    seen: Vec<ObservedRelease>,
    acquired: Vec<ObservedRelease>,
    /// Caches that it emptied since it saw something new.
    emptied: CacheMask,
}

/// The hand-overs of a launch.
pub(super) struct HappensBefore {
    /// No instruction hands anything over: nothing is kept, and any read of another workgroup's store is wrong.
    idle: bool,
    needs_flush: bool,
    /// Loads and stores are waited for together.
    joint_counter: bool,
    waves: Vec<WaveOrder>,
    workgroup: u32,
    /// Times that somebody has published.
    time: u32,
    /// What was released, by the key and the workgroup that published; and when, the last at the end.
    published: HashMap<(u64, u32), Vec<(u32, ReleasedGenerations)>>,
    /// What those had acquired who published under a key.
    passed_on: HashMap<u64, Vec<ObservedRelease>>,
    /// Too much to look at.
    gave_up: bool,
}

/// What a workgroup knows that is set aside.
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

    /// A workgroup of so many waves begins, and the one before has ended.
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

    /// The workgroup is set aside.
    pub(super) fn suspend(&mut self) -> SuspendedOrder {
        self.end();
        SuspendedOrder {
            workgroup: self.workgroup,
            waves: std::mem::take(&mut self.waves),
        }
    }

    /// A workgroup goes on that was set aside; the one before has ended, or is.
    pub(super) fn resume(&mut self, kept: SuspendedOrder) {
        self.end();
        (self.workgroup, self.waves) = (kept.workgroup, kept.waves);
    }

    /// All that the workgroup released, for those that read its flags.
    fn end(&mut self) {
        let key = WORKGROUP | u64::from(self.workgroup);
        let stored = self.waves.iter().any(|wave| wave.generation > 0);
        for wave in 0..if stored { self.waves.len() } else { 0 } {
            self.publish(key, wave);
        }
    }

    /// The generation of the wave's next store, which it makes.
    pub(super) fn store(&mut self, wave: usize) -> u32 {
        self.waves.get_mut(wave).map_or(0, |wave| {
            wave.stores = true;
            wave.generation
        })
    }

    /// The wave waits: for all of its stores, or it does not matter.
    pub(super) fn wait(&mut self, index: usize, wait: Wait) {
        let all = wait.store == 0 || self.joint_counter && wait.load == 0;
        let Some(wave) = self.waves.get_mut(index).filter(|_| all) else {
            return;
        };
        wave.arrived = wave.next();
        wave.release(index, self.needs_flush);
    }

    /// The wave executes an instruction that others see.
    pub(super) fn scope(&mut self, index: usize, scope: CacheEffect) {
        let Some(wave) = self.waves.get_mut(index) else {
            return;
        };
        match scope {
            CacheEffect::None | CacheEffect::Bypass => {}
            CacheEffect::Flush => {
                wave.flushed = wave.next();
                // The whole L2 is written back, whoever wrote to it.
                for (released, arrived) in wave.released.iter_mut().zip(&wave.others_arrived) {
                    *released = (*released).max(*arrived);
                }
                wave.release(index, self.needs_flush);
            }
            CacheEffect::Invalidate(caches) => {
                wave.emptied |= caches;
                if wave.emptied == ALL {
                    wave.acquired.clone_from(&wave.seen);
                }
            }
        }
    }

    /// All waves of the workgroup meet.
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
            if add(&mut wave.seen, &all.seen) {
                wave.emptied = 0;
            }
            wave.acquired.clone_from(&all.acquired);
        }
    }

    /// The wave changes `address` by an atomic, and gets its value or does not.
    pub(super) fn atomic(&mut self, wave: usize, address: u64, returns: bool) {
        if self.gave_up || self.idle {
            return;
        }
        self.publish(address, wave);
        if returns {
            self.see(wave, address);
        }
    }

    /// The wave reads what an atomic has left at `address`, past the caches.
    pub(super) fn look(&mut self, wave: usize, address: u64) {
        if self.gave_up || self.idle {
            return;
        }
        self.see(wave, address);
    }

    /// The wave reads a flag that a workgroup stored.
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
        // What is behind it may be newer than what the caches were emptied for.
        if newer {
            wave.emptied = 0;
        }
        self.gave_up |= wave.seen.len() > MOST;
    }

    fn publish(&mut self, key: u64, index: usize) {
        let wave = &self.waves[index];
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

    /// What a workgroup had released when it had published what somebody has seen; None if it had not.
    fn released(&self, seen: &ObservedRelease, workgroup: u32) -> Option<&ReleasedGenerations> {
        let published = self.published.get(&(seen.key, workgroup))?;
        let until = published.partition_point(|(time, _)| *time <= seen.time);
        published[..until].last().map(|(_, released)| released)
    }

    /// Whether the wave may read what a wave of another workgroup stored in a generation; if not, who failed.
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

/// What a read of another workgroup's store lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MissingOrdering {
    Nothing,
    /// The store was not released before the atomic that the reader saw.
    Release,
    /// The reader has not emptied its caches since.
    Acquire,
    /// No atomic connects the two.
    Order,
}

impl WaveOrder {
    /// Ends the generation, if it has stores; the next one's number.
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

/// Adds what is not there, or was there before; returns whether there was something to add.
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
    /// The lanes load past the caches: they see what others published by atomics there.
    pub(super) fn look(&mut self, wave: &Wave, device: &WorkgroupContext<'_>, mask: u64) {
        let access = &device.access;
        for lane in lanes(mask) {
            let (address, mut any) = (access.addresses[lane], false);
            // The last one may be its own; it comes after those of others.
            self.writes.authors(address, access.bytes.into(), |author| {
                any |= author.by.is_atomic();
            });
            if any {
                self.handover.look(wave.number as usize, address);
                self.acquired = true;
            }
        }
    }

    /// What the lanes read or change that another workgroup stored is looked at: whether it was handed over.
    pub(super) fn handed_over(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        mask: u64,
        own: &StoreAuthor,
    ) {
        let access = &device.access;
        let number = wave.number as usize;
        let past = own.by.is_atomic() || self.effects.scope(wave.current) == CacheEffect::Bypass;
        for lane in lanes(mask) {
            let mut others: Vec<StoreAuthor> = Vec::new();
            let (address, bytes) = (access.addresses[lane], access.bytes);
            self.writes.authors(address, bytes.into(), |author| {
                let other = author.workgroup != own.workgroup && author.by == AccessMode::Write;
                if other && own.by != AccessMode::Write && !others.contains(author) {
                    others.push(*author);
                }
            });
            for author in others {
                if past {
                    self.handover.flag(number, author.workgroup);
                    continue;
                }
                let by = (author.workgroup, usize::from(author.wave));
                let missing = self.handover.check(number, by, author.generation);
                if let Some(lacks) = missing.explain() {
                    let what = self.describe(author.step);
                    let [x, y, z] = self.position(author.workgroup);
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
}

impl MissingOrdering {
    fn explain(self) -> Option<&'static str> {
        match self {
            MissingOrdering::Nothing => None,
            MissingOrdering::Release => Some(
                "the store was not released to the device before the atomic that connects the two (a wait for it, a flush \
                 where dies have caches, and a barrier where another wave counts)",
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
