//! Noise: the effects of a device on the times of kernels, sample after sample.

use std::f64::consts::TAU;

use configgen::seeded_random::{Random, below, generator};

use crate::timing::draws::{chance, normal, uniform};
use crate::timing::recorded::Series;

/// A kind of noise with its parameters. Fractions are relative to a kernel's time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Noise<'a> {
    /// Independent and normal.
    White(f64),
    /// A steady slowdown, by this fraction in 120 samples.
    Drift(f64),
    /// A random walk: each sample begins at the last level.
    Walk(f64),
    /// Correlated noise, autoregressive of order one with 0.9.
    Correlated(f64),
    /// Some samples take longer by an exponential part: probability, mean.
    Spikes(f64, f64),
    /// Each sample is fast or slow: probability, slowdown.
    Bimodal(f64, f64),
    /// The device is fast or slow, and changes with a probability of 0.05: slowdown.
    States(f64),
    /// A lasting slowdown from some sample on.
    Step(f64),
    /// Up and down with a period in samples.
    Wave(f64, f64),
    /// A coarse clock: times are rounded to this unit.
    Ticks(f64),
    /// The recorded samples of one configuration for any kernel. They come in stretches of eight
    /// on average (the stationary bootstrap of Politis and Romano), so that samples depend on
    /// each other as recorded.
    Recorded(&'a Series),
    /// The same with one configuration for kernel 0 and another for kernel 1.
    RecordedPair(&'a Series, &'a Series),
    /// The same with a configuration for each kernel.
    RecordedEach(&'a [&'a Series]),
}

/// The additional white noise of all but the recorded kinds.
const WHITE: f64 = 0.003;
/// The mean length of a stretch of recorded samples.
const STRETCH: u64 = 8;

/// A device with a noise.
pub(crate) struct Simulated<'a> {
    noise: Noise<'a>,
    random: Random,
    samples: usize,
    state: f64,
    /// The position of each kernel in its recorded series.
    places: Vec<usize>,
}

impl<'a> Simulated<'a> {
    pub(crate) fn new(noise: Noise<'a>, seed: u64) -> Simulated<'a> {
        let mut random = generator(seed, 17);
        let state = match noise {
            Noise::Step(_) => 120.0 * uniform(&mut random),
            Noise::Wave(..) => uniform(&mut random),
            _ => 0.0,
        };
        Simulated {
            noise,
            random,
            samples: 0,
            state,
            places: Vec::new(),
        }
    }

    /// Draws one sample of a kernel with the true time `time`.
    pub(crate) fn sample(&mut self, kernel: usize, time: f64) -> f64 {
        let number = self.samples as f64;
        self.samples += 1;
        let random = &mut self.random;
        let white = 1.0 + WHITE * normal(random);
        let factor = match self.noise {
            Noise::White(part) => 1.0 + part * normal(random),
            Noise::Drift(part) => white * (1.0 + part * number / 120.0),
            Noise::Walk(part) => {
                self.state += part * normal(random);
                white * self.state.exp()
            }
            Noise::Correlated(part) => {
                self.state = 0.9 * self.state + part * (1.0f64 - 0.81).sqrt() * normal(random);
                self.state.exp()
            }
            Noise::Spikes(probability, part) => match chance(random, probability) {
                true => white * (1.0 - part * (1.0 - uniform(random)).ln()),
                false => white,
            },
            Noise::Bimodal(probability, part) => match chance(random, probability) {
                true => white * (1.0 + part),
                false => white,
            },
            Noise::States(part) => {
                if chance(random, 0.05) {
                    self.state = 1.0 - self.state;
                }
                white * (1.0 + part * self.state)
            }
            Noise::Step(part) => match number < self.state {
                true => white,
                false => white * (1.0 + part),
            },
            Noise::Wave(part, period) => {
                white * (1.0 + part * (TAU * (self.state + number / period)).sin())
            }
            Noise::Ticks(part) => return (time * white / part).round() * part,
            Noise::Recorded(series) => self.next_of(series, 0),
            Noise::RecordedPair(first, _) if kernel == 0 => self.next_of(first, 0),
            Noise::RecordedPair(_, second) => self.next_of(second, 1),
            Noise::RecordedEach(each) => self.next_of(each[kernel], kernel),
        };
        time * factor
    }

    fn next_of(&mut self, series: &Series, kernel: usize) -> f64 {
        let length = series.factors.len();
        while self.places.len() <= kernel {
            self.places
                .push(below(&mut self.random, length as u64) as usize);
        }
        let place = &mut self.places[kernel];
        *place = match below(&mut self.random, STRETCH) {
            0 => below(&mut self.random, length as u64) as usize,
            _ => (*place + 1) % length,
        };
        series.factors[*place]
    }
}
