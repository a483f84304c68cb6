//! Finals: which of the best few is the winner, and is it faster than the default?
//!
//! The times of a search were taken one kernel after another, minutes apart, and the best of many of them is best by
//! luck too. The best few are therefore timed again in turn: a *race*, which drops who is clearly behind. Its winner
//! meets the default in a [comparison](compare()) with samples of their own: in those of the race the winner has been
//! lucky, or it might not have won.

use std::fmt;

use configgen::seeded_random::{Random, below};
use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Finding, KernelSide, LOOKS, compare};
use super::median::Interval;
use super::paired_samples::factor;
use super::sampler::{SampleError, check};

/// Kernels in a race at most.
const ENTRANTS: usize = 8;
/// Time of a kernel over the best time, in the search, beyond which it is not in the race: ten times the interval's
/// half width that a search aims at.
const REACH: f64 = 1.05;
/// Time of an entrant over that of the leader, less 1, below which it does not matter which of them wins.
const NEAR: f64 = 0.001;

/// Who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entrant {
    /// The default configuration.
    Default,
    /// One of the short list, by its place there.
    Finalist(usize),
}

/// What came of the finals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finals {
    /// Every sample of the race, in order: place on the short list, microseconds of one launch.
    pub race: Vec<(usize, f64)>,
    /// Who won the race: a place on the short list.
    pub first: usize,
    /// The winner of the race (A) and the default (B).
    pub comparison: Comparison,
}

impl Finals {
    /// The configuration to take: the race's winner if it is significantly faster than the default.
    pub fn winner(&self) -> Entrant {
        match self.comparison.finding {
            Finding::Faster => Entrant::Finalist(self.first),
            Finding::Slower | Finding::NotSignificant => Entrant::Default,
        }
    }
}

impl fmt::Display for Finals {
    /// What a user is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison {
            speedup, interval, ..
        } = &self.comparison;
        match self.comparison.finding {
            Finding::Faster => write!(f, "{speedup:.3}x over the default")?,
            Finding::Slower => write!(f, "the default stays: the best is {speedup:.3}x")?,
            Finding::NotSignificant => f.write_str("not significant: the default stays")?,
        }
        let (Interval { low, high }, pairs) = (interval, self.comparison.pairs());
        write!(f, " ({low:.3} to {high:.3}, {pairs} pairs)")
    }
}

/// The places of the kernels that are worth a place in the finals, given the times of a search: the fastest first.
pub fn short_list(times_us: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times_us.len()).collect();
    order.sort_by(|a, b| times_us[*a].total_cmp(&times_us[*b]));
    order.truncate(ENTRANTS);
    let best = order.first().map_or(0.0, |place| times_us[*place]);
    order.retain(|place| times_us[*place] <= best * REACH);
    order
}

/// Holds the finals of a short list of `finalists` kernels, at least one, and the default. `sample` takes one sample of
/// a kernel that is warmed up, in microseconds of one launch.
///
/// # Errors
/// [`SampleError`].
pub fn finals<E>(
    random: &mut Random,
    finalists: usize,
    mut sample: impl FnMut(Entrant) -> Result<f64, E>,
) -> Result<Finals, SampleError<E>> {
    let (first, race) = race(random, finalists, |place| sample(Entrant::Finalist(place)))?;
    let comparison = compare(random, |side| {
        sample(match side {
            KernelSide::A => Entrant::Finalist(first),
            KernelSide::B => Entrant::Default,
        })
    })?;
    Ok(Finals {
        race,
        first,
        comparison,
    })
}

type RaceResult = (usize, Vec<(usize, f64)>);

/// Races kernels against each other, a sample of each in every round, and after some rounds drops those that are
/// behind: the fastest, and all samples.
fn race<E>(
    random: &mut Random,
    entrants: usize,
    mut sample: impl FnMut(usize) -> Result<f64, E>,
) -> Result<RaceResult, SampleError<E>> {
    let mut running: Vec<usize> = (0..entrants).collect();
    let mut samples = Vec::new();
    // Of each entrant, its sample of each round.
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); entrants];
    for rounds in 1..=LOOKS[LOOKS.len() - 1] {
        if running.len() <= 1 {
            break;
        }
        for entrant in shuffled(random, &running) {
            let time = check(sample(entrant)?)?;
            samples.push((entrant, time));
            times[entrant].push(time);
        }
        if LOOKS.contains(&rounds) {
            running = still_running(&running, &times);
        }
    }
    Ok((running.first().copied().unwrap_or_default(), samples))
}

/// Those of the entrants that may be the fastest, the one that leads first. The leader alone if none of them can be
/// ahead of it by more than matters.
fn still_running(running: &[usize], times: &[Vec<f64>]) -> Vec<usize> {
    let of_first = |entrant: &usize| factor(&times[running[0]], &times[*entrant]).0;
    let levels = running.iter().map(|entrant| (*entrant, of_first(entrant)));
    let least = levels.min_by(|(_, one), (_, other)| one.total_cmp(other));
    let leader = least.map_or(running[0], |(entrant, _)| entrant);
    let mut remaining = vec![leader];
    let mut is_open = false;
    for &entrant in running.iter().filter(|entrant| **entrant != leader) {
        let behind = factor(&times[leader], &times[entrant]).1;
        if behind.low <= 1.0 {
            remaining.push(entrant);
            is_open |= behind.low < 1.0 - NEAR;
        }
    }
    if !is_open {
        remaining.truncate(1);
    }
    remaining
}

/// In random order (Fisher and Yates).
fn shuffled(random: &mut Random, entrants: &[usize]) -> Vec<usize> {
    let mut order = entrants.to_vec();
    for end in (1..order.len()).rev() {
        order.swap(end, below(random, end as u64 + 1) as usize);
    }
    order
}
