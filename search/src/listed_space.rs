//! Listed spaces: explicit configurations over parameters, such as those of a recorded space.
//!
//! A neighbour differs in one parameter. The values of a number have an order, and those of a text
//! have none. If all texts of a parameter contain the same letters, they are permutations. A
//! permutation's neighbours in that parameter swap two letters.
//!
//! The features of a configuration are its parameters:
//!
//! - the logarithm of a positive number,
//! - the position of each letter of a permutation,
//! - one flag for each other text,
//! - products of two numbers as sums of logarithms, since limits of a GPU concern products.

use std::collections::HashMap;

use configgen::seeded_random;
use ndarray::Array2;

use crate::parameters::{Parameter, ParameterValue};
use crate::space::SearchSpace;

/// The maximum number of texts of a parameter that become one flag each.
// More texts share one column, since a flag for each would crowd out the other features.
const MAX_FLAGS: usize = 16;
/// The maximum number of parameters that form products.
// 8 factors give at most 28 products; their number grows with the square.
const MAX_FACTORS: usize = 8;

/// A list of configurations over parameters.
#[derive(Debug, Clone)]
pub struct ListedSpace {
    parameters: Vec<Parameter>,
    /// The position of each parameter's value.
    configurations: Vec<Vec<u32>>,
    ranks: HashMap<Vec<u32>, u64>,
    features: Array2<f32>,
    is_permutation: Vec<bool>,
}

impl ListedSpace {
    /// Creates a space. Drops repeated configurations.
    pub fn new(parameters: Vec<Parameter>, configurations: Vec<Vec<u32>>) -> ListedSpace {
        let mut ranks = HashMap::with_capacity(configurations.len());
        let mut unique = Vec::with_capacity(configurations.len());
        for configuration in configurations {
            // The first one keeps its rank: callers list trials by first appearance.
            if !ranks.contains_key(&configuration) {
                ranks.insert(configuration.clone(), unique.len() as u64);
                unique.push(configuration);
            }
        }
        let is_permutation: Vec<bool> = parameters.iter().map(is_permutation).collect();
        let columns = columns(&parameters, &is_permutation);
        let value = |(row, column): (usize, usize)| columns[column].value(&unique[row]);
        ListedSpace {
            // Computed once, because strategies ask for the same rows many times.
            features: Array2::from_shape_fn((unique.len(), columns.len()), value),
            parameters,
            configurations: unique,
            ranks,
            is_permutation,
        }
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the configuration with this rank: the position of each parameter's value.
    pub fn configuration(&self, rank: u64) -> &[u32] {
        &self.configurations[rank as usize]
    }

    /// Returns the rank of a configuration.
    pub fn rank_of(&self, configuration: &[u32]) -> Option<u64> {
        self.ranks.get(configuration).copied()
    }
}

impl SearchSpace for ListedSpace {
    fn len(&self) -> u64 {
        self.configurations.len() as u64
    }

    fn starts(&self) -> Vec<u64> {
        Vec::new()
    }

    fn neighbours(&self, rank: u64) -> Vec<u64> {
        let mut other = self.configurations[rank as usize].clone();
        let mut found = Vec::new();
        for (number, parameter) in self.parameters.iter().enumerate() {
            let own = other[number];
            for place in 0..parameter.values.len() as u32 {
                let values = (
                    &parameter.values[own as usize],
                    &parameter.values[place as usize],
                );
                if place == own || self.is_permutation[number] && !is_swap(values.0, values.1) {
                    continue;
                }
                other[number] = place;
                // The list may lack it: a condition excludes it, or nobody tried it.
                found.extend(self.rank_of(&other));
            }
            other[number] = own;
        }
        found
    }

    fn sample_ranks(&self, seed: u64) -> Box<dyn Iterator<Item = u64> + Send> {
        let mut ranks: Vec<u64> = (0..self.len()).collect();
        let mut random = seeded_random::generator(seed, 0);
        // Fisher-Yates: all orders are equally likely, and only the seed decides.
        for place in 0..ranks.len() {
            let rest = (ranks.len() - place) as u64;
            ranks.swap(
                place,
                place + seeded_random::below(&mut random, rest) as usize,
            );
        }
        Box::new(ranks.into_iter())
    }

    fn features(&self, rank: u64) -> Vec<f32> {
        self.features.row(rank as usize).to_vec()
    }
}

/// Returns the letters of a text in alphabetical order.
fn letters(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

fn text(value: &ParameterValue) -> Option<&str> {
    match value {
        ParameterValue::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns whether all values are permutations of the same different letters.
fn is_permutation(parameter: &Parameter) -> bool {
    let Some(first) = parameter.values.first().and_then(text).map(letters) else {
        return false;
    };
    // With a repeated letter, a position would not be unique.
    let is_distinct = first.windows(2).all(|pair| pair[0] != pair[1]);
    let is_same = |value: &ParameterValue| text(value).is_some_and(|text| letters(text) == first);
    first.len() > 1 && is_distinct && parameter.values.iter().all(is_same)
}

fn is_swap(a: &ParameterValue, b: &ParameterValue) -> bool {
    let (a, b) = (text(a).unwrap_or_default(), text(b).unwrap_or_default());
    // Two permutations of the same letters differ in two places exactly after one swap.
    a.chars().zip(b.chars()).filter(|(a, b)| a != b).count() == 2
}

/// A feature: the sum of one parameter's entries, or of two.
struct Column(Vec<(usize, Vec<f32>)>);

impl Column {
    fn value(&self, configuration: &[u32]) -> f32 {
        let parts = self.0.iter();
        parts
            .map(|(number, entries)| entries[configuration[*number] as usize])
            .sum()
    }
}

fn columns(parameters: &[Parameter], is_permutation: &[bool]) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut factors: Vec<(usize, Vec<f32>)> = Vec::new();
    for (number, parameter) in parameters.iter().enumerate() {
        let values = &parameter.values;
        // A feature that never varies cannot split a node.
        if values.len() < 2 {
            continue;
        }
        let mut add = |entry: &dyn Fn(&ParameterValue) -> f32| {
            columns.push(Column(vec![(number, values.iter().map(entry).collect())]));
        };
        let numbers: Option<Vec<f64>> = values.iter().map(ParameterValue::number).collect();
        match numbers {
            Some(numbers) if numbers.iter().all(|&number| number > 0.0) => {
                // Sizes matter by their ratios.
                add(&|value| value.number().unwrap_or(1.0).log2() as f32);
                // A threshold on one parameter already separates two values.
                if values.len() > 2 && factors.len() < MAX_FACTORS {
                    factors.push((number, numbers.iter().map(|it| it.log2() as f32).collect()));
                }
            }
            // Zero and negative numbers have no logarithm.
            Some(_) => add(&|value| value.number().unwrap_or(0.0) as f32),
            None if is_permutation[number] => {
                for letter in letters(text(&values[0]).unwrap_or_default()) {
                    add(&|value| {
                        let place =
                            text(value).and_then(|text| text.chars().position(|it| it == letter));
                        place.unwrap_or(0) as f32
                    });
                }
            }
            None if values.len() <= MAX_FLAGS => {
                values
                    .iter()
                    .for_each(|one| add(&|value| f32::from(u8::from(value == one))));
            }
            None => {
                let place = |value: &ParameterValue| values.iter().position(|one| one == value);
                add(&|value| place(value).unwrap_or(0) as f32);
            }
        }
    }
    for (number, first) in factors.iter().enumerate() {
        columns.extend(
            factors[number + 1..]
                .iter()
                .map(|second| Column(vec![first.clone(), second.clone()])),
        );
    }
    columns
}
