//! The enumeration of a space's valid configurations, one parameter at a time.
//!
//! 1. A condition over one parameter removes values at once.
//! 2. The order of parameters keeps the number of partial configurations small: next comes the
//!    parameter that multiplies it least. Its factor is its number of values, times the fraction of
//!    combinations that each condition leaves.
//! 3. Each condition becomes tables of bit masks. A parameter's possible values are the
//!    intersection of the masks that the chosen values select.
//! 4. A condition over too many combinations is evaluated once its last parameter has a value.

use std::collections::HashMap;

use super::expression::{Expression, ExpressionStack};
use super::mask_table::{MaskTable, TruthTable, words};
use super::t1::ParameterSpace;
use super::value::{Parameter, ParameterValue};

/// A prepared enumeration of a space.
pub struct Enumeration<'a> {
    parameters: &'a [Parameter],
    /// The positions of the values that conditions over one parameter leave.
    domains: Vec<Vec<u32>>,
    levels: Vec<Level<'a>>,
}

/// A parameter's step of the construction.
struct Level<'a> {
    parameter: usize,
    /// The first word of its mask.
    first: usize,
    /// All values.
    full: Vec<u64>,
    tables: Vec<MaskTable>,
    /// Conditions without tables that can be evaluated at this level, but not before it.
    direct: Vec<&'a Expression>,
}

impl<'a> Enumeration<'a> {
    /// Chooses the order of the parameters, and computes the tables.
    pub fn new(space: &'a ParameterSpace) -> Enumeration<'a> {
        let parameters = &space.parameters;
        let mut domains: Vec<Vec<u32>> = parameters
            .iter()
            .map(|one| (0..one.values.len() as u32).collect())
            .collect();
        // Smaller domains make the tables of the other conditions smaller.
        let (single, several): (Vec<_>, Vec<_>) = space
            .conditions
            .iter()
            .partition(|one| one.parameters().len() == 1);
        for condition in single {
            // The values of one parameter are few enough for a table.
            if let Some(table) = TruthTable::new(condition, parameters, &domains) {
                let domain = &mut domains[condition.parameters()[0]];
                // `retain` visits in order, but passes no index.
                let mut place = 0..;
                domain.retain(|_| place.next().is_some_and(|place| table.holds_at(place)));
            }
        }
        let tables: Vec<Option<TruthTable>> = several
            .iter()
            .map(|condition| TruthTable::new(condition, parameters, &domains))
            .collect();
        let order = order(&domains, &tables);
        let mut first = 0;
        let mut levels: Vec<Level> = Vec::with_capacity(order.len());
        for &parameter in &order {
            let size = domains[parameter].len();
            let bits = |word: usize| match size - word * 64 {
                // A shift by 64 bits would overflow.
                rest if rest < 64 => (1 << rest) - 1,
                _ => u64::MAX,
            };
            levels.push(Level {
                parameter,
                first,
                full: (0..words(size)).map(bits).collect(),
                tables: Vec::new(),
                direct: Vec::new(),
            });
            first += words(size);
        }
        let depth = |parameter: usize| order.iter().position(|&one| one == parameter);
        for (condition, table) in several.into_iter().zip(&tables) {
            match table {
                Some(table) if !table.parameters().is_empty() => {
                    for (parameter, mask) in table.masks(&order) {
                        let level = depth(parameter).unwrap_or_default();
                        levels[level].tables.push(mask);
                    }
                }
                // Also a condition without a parameter, which decides about all or nothing.
                _ => {
                    let depths = condition.parameters().iter().filter_map(|&one| depth(one));
                    levels[depths.max().unwrap_or_default()]
                        .direct
                        .push(condition);
                }
            }
        }
        Enumeration {
            parameters,
            domains,
            levels,
        }
    }

    /// Returns the parameters in the order of construction; the last one varies fastest.
    pub fn order(&self) -> impl Iterator<Item = &'a Parameter> {
        let parameters = self.parameters;
        self.levels.iter().map(|level| &parameters[level.parameter])
    }

    /// Begins an enumeration. It needs memory for one configuration.
    pub fn configurations(&self) -> Configurations<'_> {
        let words = self.levels.iter().map(|level| level.full.len()).sum();
        Configurations {
            enumeration: self,
            masks: vec![0; words],
            places: vec![0; self.parameters.len()],
            values: vec![0; self.parameters.len()],
            depth: None,
            stack: ExpressionStack::default(),
        }
    }

    /// Counts the valid configurations. It adds the values of the last parameter together.
    pub fn count(&self) -> u64 {
        let mut all = self.configurations();
        let mut count = 0;
        while all.next().is_some() {
            count += 1 + all.take_run().1.count() as u64;
        }
        count
    }
}

/// Returns the order of the parameters, by number.
fn order(domains: &[Vec<u32>], tables: &[Option<TruthTable>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(domains.len());
    // The density of each condition over the parameters in `order`.
    let mut densities = vec![1.0f64; tables.len()];
    // Densities by condition and bound parameters: most steps ask for the same ones again.
    let mut known: HashMap<(usize, Vec<bool>), f64> = HashMap::new();
    let mut density = |number: usize, table: &TruthTable, order: &[usize], next: usize| {
        let is_bound = |one: usize| one == next || order.contains(&one);
        let bound = table
            .parameters()
            .iter()
            .map(|&one| is_bound(one))
            .collect();
        *known
            .entry((number, bound))
            .or_insert_with(|| table.density(is_bound))
    };
    while order.len() < domains.len() {
        let mut best: Option<(f64, usize)> = None;
        for next in (0..domains.len()).filter(|one| !order.contains(one)) {
            let mut growth = domains[next].len() as f64;
            for (number, table) in tables.iter().enumerate() {
                if let Some(table) = table.as_ref().filter(|it| it.parameters().contains(&next)) {
                    // If nothing satisfies a condition, its density is 0, and 0 / 0 is no number.
                    growth *= density(number, table, &order, next) / densities[number].max(1e-12);
                }
            }
            // The first parameter wins a tie, so that the order is deterministic.
            if best.is_none_or(|best| growth < best.0) {
                best = Some((growth, next));
            }
        }
        let Some((_, next)) = best else { break };
        for (number, table) in tables.iter().enumerate() {
            if let Some(table) = table.as_ref().filter(|it| it.parameters().contains(&next)) {
                densities[number] = density(number, table, &order, next);
            }
        }
        order.push(next);
    }
    order
}

/// An enumeration of valid configurations. It lends each, so that none is allocated.
pub struct Configurations<'a> {
    enumeration: &'a Enumeration<'a>,
    /// The untried values of each level.
    masks: Vec<u64>,
    /// The position of each parameter's value in its domain.
    places: Vec<u32>,
    /// The position of each parameter's value in its list of values.
    values: Vec<u32>,
    /// The level that continues; none before the first configuration.
    depth: Option<usize>,
    stack: ExpressionStack<'a>,
}

impl<'a> Configurations<'a> {
    /// Returns the next configuration: for each parameter the position of its value.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend")]
    pub fn next(&mut self) -> Option<&[u32]> {
        let enumeration = self.enumeration;
        let mut depth = match self.depth {
            Some(depth) => depth,
            None => {
                self.open(0);
                0
            }
        };
        loop {
            let level = &enumeration.levels[depth];
            let mask = &mut self.masks[level.first..level.first + level.full.len()];
            let Some(word) = mask.iter().position(|word| *word != 0) else {
                // An ended enumeration stays at the first level, which is empty.
                self.depth = Some(depth.saturating_sub(1));
                match depth.checked_sub(1) {
                    Some(above) => depth = above,
                    None => return None,
                }
                continue;
            };
            let place = word * 64 + mask[word].trailing_zeros() as usize;
            mask[word] &= mask[word] - 1;
            self.places[level.parameter] = place as u32;
            self.values[level.parameter] = enumeration.domains[level.parameter][place];
            if !level.direct.is_empty() && !self.holds(level) {
                continue;
            }
            if depth + 1 == enumeration.levels.len() {
                self.depth = Some(depth);
                return Some(&self.values);
            }
            depth += 1;
            self.open(depth);
        }
    }

    /// Computes the possible values of a level.
    fn open(&mut self, depth: usize) {
        let level = &self.enumeration.levels[depth];
        let mask = &mut self.masks[level.first..level.first + level.full.len()];
        mask.copy_from_slice(&level.full);
        for table in &level.tables {
            table.restrict(&self.places, mask);
        }
    }

    fn holds(&mut self, level: &'a Level<'a>) -> bool {
        let (enumeration, places) = (self.enumeration, &self.values);
        let value = |&parameter: &usize| -> &'a ParameterValue {
            &enumeration.parameters[parameter].values[places[parameter] as usize]
        };
        level.direct.iter().all(|condition| {
            let values: Vec<&ParameterValue> = condition.parameters().iter().map(value).collect();
            condition.holds(&values, &mut self.stack)
        })
    }

    /// Takes the further configurations that differ from the last one in one parameter only.
    /// Returns the parameter's number and the positions of its values. Takes nothing if conditions
    /// must still be evaluated for each.
    pub fn take_run(&mut self) -> (usize, impl Iterator<Item = u32>) {
        let enumeration = self.enumeration;
        let (parameter, mut mask): (usize, Vec<u64>) = match enumeration.levels.last() {
            // Only without direct conditions are all values of the last mask valid.
            Some(level) if level.direct.is_empty() => {
                let mask = &mut self.masks[level.first..];
                let taken = mask.to_vec();
                mask.fill(0);
                (level.parameter, taken)
            }
            _ => (0, Vec::new()),
        };
        let mut word = 0;
        let positions = std::iter::from_fn(move || {
            while *mask.get(word)? == 0 {
                word += 1;
            }
            let place = word * 64 + mask[word].trailing_zeros() as usize;
            mask[word] &= mask[word] - 1;
            Some(enumeration.domains[parameter][place])
        });
        (parameter, positions)
    }
}
