//! Finals: the choice of the best finalist, and its comparison with the default.
//!
//! A search measures one kernel after another, minutes apart, and the best of many is best partly
//! by luck. The finals therefore time the best few again in turn: a *race*, which drops those
//! that are clearly slower. Its winner meets the default in a [comparison](compare()) with new
//! samples, because the winner's samples of the race are biased by luck.

use std::fmt;

use configgen::seeded_random::{Random, below};
use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Finding, KernelSide, LOOKS, compare};
use super::median::Interval;
use super::paired_samples::factor;
use super::sampler::{SampleError, check};

/// The maximum number of kernels in a race.
const ENTRANTS: usize = 8;
/// The largest time of a finalist over the best time of the search. It is ten times the half
/// width of the interval that a search aims at.
const REACH: f64 = 1.05;
/// The time of an entrant over that of the leader, less 1, below which the order does not matter.
const NEAR: f64 = 0.001;

/// A participant of the finals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entrant {
    /// The default configuration.
    Default,
    /// A kernel of the short list, by its position there.
    Finalist(usize),
}

/// The result of the finals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finals {
    /// Every sample of the race, in order: the position on the short list, and microseconds of
    /// one launch.
    pub race: Vec<(usize, f64)>,
    /// The winner of the race, by its position on the short list.
    pub first: usize,
    /// The comparison of the race's winner (A) with the default (B).
    pub comparison: Comparison,
}

impl Finals {
    /// Returns the configuration to use: the race's winner if it is significantly faster than the
    /// default.
    pub fn winner(&self) -> Entrant {
        match self.comparison.finding {
            Finding::Faster => Entrant::Finalist(self.first),
            Finding::Slower | Finding::NotSignificant => Entrant::Default,
        }
    }
}

impl fmt::Display for Finals {
    /// Formats the result for the user.
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

/// Returns the positions of the kernels for the finals, given the times of a search: the fastest
/// first.
pub fn short_list(times_us: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times_us.len()).collect();
    order.sort_by(|a, b| times_us[*a].total_cmp(&times_us[*b]));
    order.truncate(ENTRANTS);
    let best = order.first().map_or(0.0, |place| times_us[*place]);
    order.retain(|place| times_us[*place] <= best * REACH);
    order
}

/// Runs the finals of a short list of `finalists` kernels, at least one, and the default.
/// `sample` takes one sample of a warmed-up kernel, in microseconds of one launch.
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

/// Races kernels against each other, with one sample of each per round. After some rounds it
/// drops the slower ones. Returns the fastest and all samples.
fn race<E>(
    random: &mut Random,
    entrants: usize,
    mut sample: impl FnMut(usize) -> Result<f64, E>,
) -> Result<RaceResult, SampleError<E>> {
    let mut running: Vec<usize> = (0..entrants).collect();
    let mut samples = Vec::new();
    // For each entrant, its sample of each round.
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); entrants];
    for rounds in 1..=LOOKS[LOOKS.len() - 1] {
        if running.len() <= 1 {
            break;
        }
        // A fixed order would give each kernel the caches and clocks that the same predecessor
        // left.
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

/// Returns the entrants that may be the fastest, with the leader first. It is the leader alone if
/// no other can be faster by more than [`NEAR`].
fn still_running(running: &[usize], times: &[Vec<f64>]) -> Vec<usize> {
    // The pairing with one common entrant ranks all of them.
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

/// Shuffles the entrants (Fisher and Yates).
fn shuffled(random: &mut Random, entrants: &[usize]) -> Vec<usize> {
    let mut order = entrants.to_vec();
    for end in (1..order.len()).rev() {
        order.swap(end, below(random, end as u64 + 1) as usize);
    }
    order
}
