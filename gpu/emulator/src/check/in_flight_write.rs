//! Writes to LDS that may not have arrived at the time of another access.
//!
//! LDS instructions of one wave execute in order, so only other waves can be too early. This
//! happens after a barrier that the writer reached without a wait: barriers wait for no counter
//! (CDNA 3 manual, S_BARRIER). Loads that bypass the registers to LDS count as loads, so their
//! own wave can be too early as well.

use super::Checker;
use super::access::{accessed, verb};
use super::finding::FindingKind;
use super::lds::AccessMode;
use super::wait_counters::WaitCounters;
use crate::effects::Counter;
use crate::execute::{Wave, WorkgroupContext, lanes};
use crate::instruction::Action;

/// A write to LDS in flight.
#[derive(Clone)]
pub(super) struct InFlightWrite {
    counter: Counter,
    /// The number of the operation: see [`WaitCounters::next`].
    number: u64,
    /// Index of its instruction.
    step: u32,
    wave: u32,
    mask: u64,
    bytes: u32,
    addresses: [u32; 64],
}

impl InFlightWrite {
    fn is_over(&self, waits: &WaitCounters) -> bool {
        !waits.is_outstanding(self.counter, self.number)
    }

    /// Returns true if it writes some of the bytes.
    fn meets(&self, start: u64, bytes: u32) -> bool {
        let end = start + u64::from(bytes);
        lanes(self.mask).any(|lane| {
            let own = u64::from(self.addresses[lane]);
            own < end && start < own + u64::from(self.bytes)
        })
    }
}

impl Checker<'_> {
    /// Records a write to LDS before it happens.
    pub(super) fn depart(&mut self, wave: &Wave, device: &WorkgroupContext<'_>, mask: u64) {
        let direct = matches!(self.action(wave), Some(Action::LoadLds(_)));
        // A single wave has no other wave that could be too early.
        if !direct && self.waves.len() == 1 {
            return;
        }
        let counter = if direct { Counter::Load } else { Counter::Lds };
        let state = &mut self.waves[wave.number as usize];
        let access = &device.access;
        state.flights.push_back(InFlightWrite {
            counter,
            number: state.waits.next(counter),
            step: wave.current as u32,
            wave: wave.number,
            mask,
            bytes: access.bytes,
            // LDS offsets have 32 bits.
            addresses: access.addresses.map(|address| address as u32),
        });
    }

    /// Collects at a barrier the writes that their waves have not waited for. Other waves are too
    /// early for them until the next barrier.
    pub(super) fn note_unsettled(&mut self) {
        self.unsettled.clear();
        for state in &mut self.waves {
            let waits = &state.waits;
            state.flights.retain(|flight| !flight.is_over(waits));
            self.unsettled.extend(state.flights.iter().cloned());
        }
    }

    /// Checks an access to LDS against writes in flight.
    pub(super) fn check_arrived(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        mask: u64,
        how: AccessMode,
    ) {
        let state = &mut self.waves[wave.number as usize];
        // Writes of a wave end in order, so the finished ones are at the front.
        while state
            .flights
            .front()
            .is_some_and(|flight| flight.is_over(&state.waits))
        {
            state.flights.pop_front();
        }
        if state.flights.is_empty() && self.unsettled.is_empty() {
            return;
        }
        let access = &device.access;
        // LDS instructions of the same wave stay in order; only direct loads do not.
        let own = |flight: &&InFlightWrite| {
            flight.counter == Counter::Load && !flight.is_over(&state.waits)
        };
        let others = self
            .unsettled
            .iter()
            .filter(|flight| flight.wave != wave.number);
        let found = state
            .flights
            .iter()
            .filter(own)
            .chain(others)
            .find_map(|flight| {
                let meets = |lane: &usize| flight.meets(access.addresses[*lane], access.bytes);
                lanes(mask).find(meets).map(|lane| (lane, flight))
            });
        let Some((
            lane,
            &InFlightWrite {
                step,
                wave: writer,
                counter,
                ..
            },
        )) = found
        else {
            return;
        };
        let (what, accesses) = (self.describe(step), verb(how));
        let accessed = accessed(device, lane as u32);
        self.report(FindingKind::MissingWait, wave, Some(lane as u32), Some(accessed), || {
            let (bytes, address, counter) = (accessed.bytes, accessed.address, counter.name());
            let who = match writer == wave.number {
                true => "it has not waited".to_owned(),
                false => format!("wave {writer} came to the last barrier without a wait"),
            };
            format!(
                "{accesses} {bytes} bytes at LDS offset {address} while {what} may be outstanding: {who} for {counter}"
            )
        });
    }
}
