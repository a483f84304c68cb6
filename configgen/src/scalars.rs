//! The scalars of a configuration: each number, word and switch that it has, under a name. What charts have axes for.
//!
//! ```text
//! workgroup[0] = 1, partial_reduction[1] = 1280, thread[1] = 4        one for each dimension of the problem
//! lane_basis[1] = 64, subgroup_basis[1] = 1                          positions along a dimension
//! lane_order = [0, 1], subgroup_order = [0, 1]                       the digit of each dimension
//! subgroup_size = 64, workgroup_size = 64                            lanes of a subgroup, threads of a workgroup
//! split = 1, lazy_index = false, accumulators = vector               the knobs
//! ```
//!
//! Every field of a configuration is taken apart here without a rest, so that one that is new gets its scalars.

use std::fmt;

use arrayvec::ArrayVec;
use serde::{Serialize, Serializer};

use crate::{Basis, Configuration, Knobs, LoweringConfig, MAX_RANK, Tiles};

/// The name of a scalar. Its order is that of the attributes and, within one, of the dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarName {
    /// The attribute that it is of, or is.
    pub attribute: &'static str,
    /// The dimension of the problem that it is for; none where it is for all.
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

/// The value of a scalar. Those of one name are of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A size or a count.
    Number(u64),
    /// Whether something is done.
    Switch(bool),
    /// One of several words.
    Word(&'static str),
    /// The mapping of a basis.
    Order(ArrayVec<u8, MAX_RANK>),
}

/// A number, true or false, or a text.
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

/// The scalars of a configuration, in a fixed order.
pub fn scalars(configuration: &Configuration) -> Vec<(ScalarName, Value)> {
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
