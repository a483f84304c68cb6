//! The checksum of a space: it does not depend on the order of its configurations.
//!
//! The checksum is the wrapping sum of a hash of each configuration. The hash is FNV-1a with 64
//! bits, taken over whole values in place of bytes, in the order of the parameters in the file.

use super::enumeration::Configurations;
use super::value::{Parameter, ParameterValue};

const BASIS: u64 = 1_469_598_103_934_665_603;
// The prime of 64-bit FNV-1a: 2^40 + 2^8 + 0xb3.
const PRIME: u64 = 1_099_511_628_211;

/// A sum of hashes of configurations.
#[derive(Debug, Clone)]
pub struct Checksum {
    /// The bits of each parameter's values.
    values: Vec<Vec<u64>>,
    sum: u64,
}

impl Checksum {
    /// Begins the checksum of a space, or returns none if a value is no integer.
    pub fn new(parameters: &[Parameter]) -> Option<Checksum> {
        let bits = |value: &ParameterValue| match value {
            ParameterValue::Integer(integer) => Some(*integer as u64),
            ParameterValue::Boolean(is_true) => Some(u64::from(*is_true)),
            // The hash is defined over integers only.
            ParameterValue::Real(_) | ParameterValue::Text(_) => None,
        };
        let of = |one: &Parameter| one.values.iter().map(bits).collect::<Option<_>>();
        let values = parameters.iter().map(of).collect::<Option<_>>()?;
        Some(Checksum { values, sum: 0 })
    }

    /// Adds all configurations that `all` has left, and returns their number.
    pub fn add_all(&mut self, all: &mut Configurations<'_>) -> u64 {
        let mut count = 0;
        let mut bits = vec![0; self.values.len()];
        while let Some(configuration) = all.next() {
            let values = self.values.iter().zip(configuration);
            for (bits, (values, &place)) in bits.iter_mut().zip(values) {
                *bits = values[place as usize];
            }
            // The hash of the parameters before the one that varies is the same in the run.
            let (varying, places) = all.take_run();
            let (before, rest) = bits.split_at(varying);
            let before = hash(BASIS, before);
            let mut add = |value| {
                let whole = hash(hash(before, &[value]), &rest[1..]);
                // A sum commutes, so the order of the enumeration does not matter.
                self.sum = self.sum.wrapping_add(whole);
                count += 1;
            };
            add(rest[0]);
            places.for_each(|place| add(self.values[varying][place as usize]));
        }
        count
    }

    /// Returns the sum.
    pub fn sum(&self) -> u64 {
        self.sum
    }
}

fn hash(state: u64, values: &[u64]) -> u64 {
    let step = |state: u64, value: &u64| (state ^ value).wrapping_mul(PRIME);
    values.iter().fold(state, step)
}
