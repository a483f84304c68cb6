//! Finals: which of the best few is the winner, and is it faster than the default?
//!
//! The times of a search were taken one kernel after another, minutes apart, and the best of many of them is best by luck
//! too. The best few are therefore timed again in turn: a *race*, which drops who is clearly behind. Its winner meets the
//! default in a [comparison](compare()) with samples of their own: in those of the race the winner has been lucky, or it might not
//! have won.

use configgen::draw::{Random, below};

use super::compare::{Comparison, Finding, Side, compare};
use super::median::median;
use super::sampler::{SampleError, check};
use super::signed_rank::centre;

/// Kernels in a race at most.
const ENTRANTS: usize = 8;
/// Time of a kernel over the best time, in the search, beyond which it is not in the race: ten times the interval's half
/// width that a search aims at.
const REACH: f64 = 1.05;
/// Numbers of rounds after which those that are behind are dropped. A round is two samples of each entrant.
const LOOKS: [usize; 4] = [12, 18, 24, 30];
/// Probability that a race drops an entrant that is not slower than the leader.
const ERROR: f64 = 0.05;
/// Entrants that are this near to the leader, in all of their intervals, need no more rounds.
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
#[derive(Debug, Clone, PartialEq)]
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

/// The places of the kernels that are worth a place in the finals, given the times of a search: the fastest first.
pub fn short_list(times_us: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times_us.len()).collect();
    order.sort_by(|a, b| times_us[*a].total_cmp(&times_us[*b]));
    order.truncate(ENTRANTS);
    let best = order.first().map_or(0.0, |place| times_us[*place]);
    order.retain(|place| times_us[*place] <= best * REACH);
    order
}

/// Holds the finals of a short list of `finalists` kernels, at least one, and the default. `sample` takes one sample of a kernel that is
/// warmed up, in microseconds of one launch.
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
            Side::A => Entrant::Finalist(first),
            Side::B => Entrant::Default,
        })
    })?;
    Ok(Finals {
        race,
        first,
        comparison,
    })
}

type Raced = (usize, Vec<(usize, f64)>);

/// Races kernels against each other: the fastest, and all samples.
fn race<E>(
    random: &mut Random,
    entrants: usize,
    mut sample: impl FnMut(usize) -> Result<f64, E>,
) -> Result<Raced, SampleError<E>> {
    let mut running: Vec<usize> = (0..entrants).collect();
    let mut samples = Vec::new();
    // Of each entrant, the mean logarithm of its samples of each round.
    let mut rounds: Vec<Vec<f64>> = vec![Vec::new(); entrants];
    for round in 1..=LOOKS[LOOKS.len() - 1] {
        if running.len() == 1 {
            break;
        }
        let order = shuffled(random, &running);
        for &entrant in &running {
            rounds[entrant].push(0.0);
        }
        // There and back: a steady drift is the same for all.
        for &entrant in order.iter().chain(order.iter().rev()) {
            let time = check(sample(entrant)?)?;
            samples.push((entrant, time));
            rounds[entrant][round - 1] += time.ln() / 2.0;
        }
        if LOOKS.contains(&round) {
            running = still_running(&running, &rounds);
        }
    }
    Ok((running[0], samples))
}

/// Those of the entrants that may be the fastest, with the one that leads first. If all may that are near to each other, the
/// leader alone.
fn still_running(running: &[usize], rounds: &[Vec<f64>]) -> Vec<usize> {
    let leader = leader(running, rounds);
    let error = ERROR / (rounds.len() * LOOKS.len()) as f64;
    let mut remaining = vec![leader];
    let mut is_open = false;
    for &entrant in running.iter().filter(|entrant| **entrant != leader) {
        let behind = differences(&rounds[entrant], &rounds[leader]);
        let Some(interval) = centre(&behind, error).1 else {
            remaining.push(entrant);
            is_open = true;
            continue;
        };
        if interval.low <= 0.0 {
            remaining.push(entrant);
            is_open |= interval.low < -NEAR;
        }
    }
    if !is_open {
        remaining.truncate(1);
    }
    remaining
}

/// The entrant whose samples are the least, each round's relative to the middle of the round.
fn leader(running: &[usize], rounds: &[Vec<f64>]) -> usize {
    let count = rounds[running[0]].len();
    let middle = |round| {
        let times: Vec<f64> = running.iter().map(|e| rounds[*e][round]).collect();
        median(&times)
    };
    let middles: Vec<f64> = (0..count).map(middle).collect();
    let level = |entrant: usize| centre(&differences(&rounds[entrant], &middles), 1.0).0;
    let levels = running.iter().map(|entrant| (*entrant, level(*entrant)));
    let least = levels.min_by(|(_, a), (_, b)| a.total_cmp(b));
    least.map_or(running[0], |(entrant, _)| entrant)
}

fn differences(of: &[f64], from: &[f64]) -> Vec<f64> {
    of.iter().zip(from).map(|(of, from)| of - from).collect()
}

/// In random order (Fisher and Yates).
fn shuffled(random: &mut Random, entrants: &[usize]) -> Vec<usize> {
    let mut order = entrants.to_vec();
    for end in (1..order.len()).rev() {
        order.swap(end, below(random, end as u64 + 1) as usize);
    }
    order
}
