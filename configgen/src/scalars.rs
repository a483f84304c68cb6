//! The scalars of a configuration: each of its numbers, words and switches, with a name.
//!
//! Charts use them as axes.
//!
//! ```text
//! workgroup[0] = 1, partial_reduction[1] = 1280, thread[1] = 4    one per dimension of the problem
//! lane_basis[1] = 64, subgroup_basis[1] = 1                       positions along a dimension
//! lane_order = [0, 1], subgroup_order = [0, 1]                    the digit of each dimension
//! subgroup_size = 64, workgroup_size = 64                         lanes and threads
//! split = 1, lazy_index = false, accumulators = vector            the knobs
//! ```
//!
//! The code destructures every configuration completely, so the compiler reports a new field.

use std::fmt;

use arrayvec::ArrayVec;
use serde::{Serialize, Serializer};

use crate::{Basis, Configuration, Knobs, LoweringConfig, MAX_RANK, Tiles};

/// The name of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarName {
    /// The attribute that contains the scalar, or that is the scalar.
    pub attribute: &'static str,
    /// The dimension of the problem, or none if the scalar concerns all.
    pub dimension: Option<usize>,
}

impl fmt::Display for ScalarName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dimension {
            Some(dimension) => write!(f, "{}[{dimension}]", self.attribute),
            None => f.write_str(self.attribute),
        }
    }
}

/// The value of a scalar. All values of one name have the same kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A size or a count.
    Number(u64),
    /// A flag of a feature.
    Switch(bool),
    /// One of several words.
    Word(&'static str),
    /// The mapping of a basis.
    Order(ArrayVec<u8, MAX_RANK>),
}

/// Serializes a number, true or false, or a text.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Number(number) => serializer.serialize_u64(*number),
            Value::Switch(is_on) => serializer.serialize_bool(*is_on),
            Value::Word(word) => serializer.serialize_str(word),
            Value::Order(mapping) => serializer.collect_str(&format_args!("{mapping:?}")),
        }
    }
}

/// Returns the scalars of a configuration, in a fixed order.
pub fn scalars(configuration: &Configuration) -> Vec<(ScalarName, Value)> {
    // No `..` here: a new field of a configuration must get a scalar.
    let Configuration {
        lowering:
            LoweringConfig {
                workgroup,
                partial_reduction,
                thread,
                lane_basis,
                subgroup_basis,
            },
        subgroup_size,
        workgroup_size,
        knobs:
            Knobs {
                split,
                lazy_index,
                accumulators,
            },
    } = configuration;
    let mut scalars = Scalars(Vec::with_capacity(32));
    scalars.tiles("workgroup", workgroup);
    scalars.tiles("partial_reduction", partial_reduction);
    scalars.tiles("thread", thread);
    scalars.basis("lane_basis", "lane_order", lane_basis);
    scalars.basis("subgroup_basis", "subgroup_order", subgroup_basis);
    scalars.number("subgroup_size", u64::from(*subgroup_size));
    // The shape of a workgroup is no choice: legal workgroups are one-dimensional.
    let threads = workgroup_size
        .iter()
        .fold(1, |all: u64, &size| all.saturating_mul(u64::from(size)));
    scalars.number("workgroup_size", threads);
    scalars.number("split", u64::from(*split));
    scalars.add("lazy_index", Value::Switch(*lazy_index));
    scalars.add("accumulators", Value::Word(accumulators.name()));
    scalars.0
}

struct Scalars(Vec<(ScalarName, Value)>);

impl Scalars {
    fn add(&mut self, attribute: &'static str, value: Value) {
        let name = ScalarName {
            attribute,
            dimension: None,
        };
        self.0.push((name, value));
    }

    fn number(&mut self, attribute: &'static str, number: u64) {
        self.add(attribute, Value::Number(number));
    }

    fn each(&mut self, attribute: &'static str, numbers: impl Iterator<Item = u32>) {
        let scalar = |(dimension, number)| {
            let name = ScalarName {
                attribute,
                dimension: Some(dimension),
            };
            (name, Value::Number(u64::from(number)))
        };
        self.0.extend(numbers.enumerate().map(scalar));
    }

    fn tiles(&mut self, attribute: &'static str, tiles: &Tiles) {
        self.each(attribute, tiles.iter().copied());
    }

    fn basis(&mut self, attribute: &'static str, order: &'static str, basis: &Basis) {
        let along = (0..basis.mapping.len()).map(|dimension| basis.count_along(dimension));
        self.each(attribute, along);
        self.add(order, Value::Order(basis.mapping.clone()));
    }
}
