//! A rule in place of a table: a short decision list from a shape to the attributes of a kernel.
//!
//! [`ReductionRule::learn`] estimates the time of each [`Recipe`] on a grid of shapes. A tree then
//! splits the shapes by rows, columns and bits of an element, at the place that saves most time.
//! Each leaf has the recipe with the least total regret, and is a row of the list.
//!
//! The regret of a shape is its time over the shortest time of any configuration without a split
//! row. The five attributes cannot express a split. All times are estimates of the model.

mod cpp;
mod recipe;
#[cfg(test)]
mod tests;

use configgen::seeded_random::{self, below};
use configgen::{Configuration, Device, Generator, Problem, Space, native_default};

use crate::ranking::shortest_by;
use crate::time_model::TimeModel;
pub use recipe::Recipe;

/// The maximum number of rows of a list.
const LEAVES: usize = 16;
/// The number of held-out shapes.
const HELD_OUT: usize = 100;
/// The logarithm of the regret of an illegal configuration: worse than any legal one.
const ILLEGAL: f32 = 4.0;
/// The elements of the grid: the usual ones with 16 and 32 bits.
const ELEMENTS: [&str; 2] = ["bf16", "f32"];
/// The largest size of a grid's dimension, as a logarithm to base 2.
const LARGEST: u32 = 18;

/// A shape that a rule decides about.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleShape {
    /// The problem with this shape.
    pub problem: Problem,
    /// Rows, columns and bits of an element.
    values: [u64; 3],
    /// The template: a recipe replaces its attributes.
    template: Configuration,
}

/// The names of a shape's values.
pub(crate) const VALUES: [&str; 3] = ["rows", "columns", "bits"];

/// An upper or a lower limit of a shape's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleCondition {
    /// The place of the value in [`VALUES`].
    pub value: usize,
    /// The limit.
    pub limit: u64,
    /// True if the value may be at most the limit, false if it must exceed it.
    pub is_most: bool,
}

/// A row of a decision list: the recipe of the shapes that meet all conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleRow {
    /// The conditions.
    pub conditions: Vec<RuleCondition>,
    /// The recipe.
    pub recipe: Recipe,
}

/// A decision list for an operation on a device.
#[derive(Debug)]
pub struct ReductionRule {
    /// The name of the operation.
    pub operation: String,
    /// The device.
    pub device: &'static Device,
    /// The rows. Their conditions exclude each other.
    pub rows: Vec<RuleRow>,
    /// The number of shapes that it learnt from.
    pub shapes: usize,
    /// The held-out shapes with their regret: 0.1 is 10 % slower than the best.
    pub held_out: Vec<(RuleShape, f64)>,
}

/// An error of learning a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the time model knows no reduction of rows by {operation} on {device}; name an operation such as argmax or rms_norm"
)]
pub struct UnknownOperation {
    operation: String,
    device: &'static str,
}

/// A leaf that may grow.
struct OpenLeaf {
    conditions: Vec<RuleCondition>,
    shapes: Vec<usize>,
}

/// The regrets of recipes on shapes.
struct RegretTable {
    shapes: Vec<RuleShape>,
    recipes: Vec<Recipe>,
    /// The logarithm of regret, by shape and recipe.
    regrets: Vec<Vec<f32>>,
}

impl ReductionRule {
    /// Learns the rule of an operation on a device.
    ///
    /// # Errors
    ///
    /// The model knows no two-dimensional problem of the operation with reduced columns.
    pub fn learn(
        operation: &str,
        device: &'static Device,
    ) -> Result<ReductionRule, UnknownOperation> {
        let table = RegretTable::new(grid(operation, device), device);
        if table.shapes.is_empty() {
            return Err(UnknownOperation {
                operation: operation.to_owned(),
                device: device.name,
            });
        }
        let mut rule = ReductionRule {
            operation: operation.to_owned(),
            device,
            rows: table.learn(),
            shapes: table.shapes.len(),
            held_out: Vec::new(),
        };
        let others = held_out(operation, device);
        rule.held_out = others
            .into_iter()
            .map(|shape| {
                let regret = rule.regret(&shape);
                (shape, regret)
            })
            .collect();
        rule.held_out.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(rule)
    }

    /// Returns the configuration of a shape; `None` if it is illegal there.
    pub fn configuration(&self, shape: &RuleShape) -> Option<Configuration> {
        let row = self.rows.iter().find(|row| row.applies_to(shape))?;
        row.recipe.configuration(shape, self.device.target())
    }

    /// Returns the mean regret over the held-out shapes.
    pub fn mean_regret(&self) -> f64 {
        let sum: f64 = self.held_out.iter().map(|(_, regret)| regret).sum();
        sum / self.held_out.len().max(1) as f64
    }

    fn regret(&self, shape: &RuleShape) -> f64 {
        let time =
            |it: &Configuration| TimeModel::stored().estimate(&shape.problem, self.device, it);
        let own = self.configuration(shape);
        let best = shortest_unsplit(&shape.problem, self.device);
        let regret = own.map_or(ILLEGAL, |own| (time(&own) - best).max(0.0));
        f64::from(regret).exp_m1()
    }
}

impl RuleShape {
    fn new(
        operation: &str,
        device: &'static Device,
        element: &str,
        sizes: [u64; 2],
    ) -> Option<RuleShape> {
        let [rows, columns] = sizes;
        let text = format!("{operation}:{rows}x[{columns}]x{element}");
        let problem: Problem = text.parse().ok()?;
        let bits = u64::from(problem.element.bytes()) * 8;
        if !TimeModel::has_similar(&problem, device) {
            return None;
        }
        Some(RuleShape {
            template: native_default(&problem, device.target()).ok()?,
            problem,
            values: [rows, columns, bits],
        })
    }
}

impl RuleRow {
    fn applies_to(&self, shape: &RuleShape) -> bool {
        let mut all = self.conditions.iter();
        all.all(|one| one.is_met_by(shape))
    }
}

impl RuleCondition {
    fn is_met_by(&self, shape: &RuleShape) -> bool {
        (shape.values[self.value] <= self.limit) == self.is_most
    }
}

impl RegretTable {
    fn new(shapes: Vec<RuleShape>, device: &'static Device) -> RegretTable {
        let recipes = Recipe::all(device.target());
        let regrets = shapes.iter().map(|shape| {
            let times = recipes.iter().map(|recipe| {
                let configuration = recipe.configuration(shape, device.target())?;
                Some(TimeModel::stored().estimate(&shape.problem, device, &configuration))
            });
            let times: Vec<Option<f32>> = times.collect();
            let best = times
                .iter()
                .flatten()
                .copied()
                .fold(f32::INFINITY, f32::min);
            let regret = |time: Option<f32>| time.map_or(ILLEGAL, |time| time - best);
            times.into_iter().map(regret).collect()
        });
        RegretTable {
            regrets: regrets.collect(),
            shapes,
            recipes,
        }
    }

    /// Returns the recipe with the least total regret on these shapes, and that regret.
    fn best(&self, shapes: &[usize]) -> (usize, f32) {
        let total = |recipe: usize| -> f32 {
            let regrets = shapes.iter().map(|&shape| self.regrets[shape][recipe]);
            regrets.sum()
        };
        let totals = (0..self.recipes.len()).map(|recipe| (recipe, total(recipe)));
        let least = totals.min_by(|a, b| a.1.total_cmp(&b.1));
        least.unwrap_or((0, f32::INFINITY))
    }

    fn learn(&self) -> Vec<RuleRow> {
        let mut leaves = vec![OpenLeaf {
            conditions: Vec::new(),
            shapes: (0..self.shapes.len()).collect(),
        }];
        while leaves.len() < LEAVES {
            let splits = leaves.iter().enumerate();
            let splits = splits.filter_map(|(place, leaf)| Some((place, self.best_split(leaf)?)));
            let Some((place, (condition, _))) = splits.max_by(|a, b| a.1.1.total_cmp(&b.1.1))
            else {
                break;
            };
            let leaf = leaves.swap_remove(place);
            for is_most in [true, false] {
                let condition = RuleCondition {
                    is_most,
                    ..condition
                };
                let meets = |&shape: &usize| condition.is_met_by(&self.shapes[shape]);
                leaves.push(OpenLeaf {
                    shapes: leaf.shapes.iter().copied().filter(meets).collect(),
                    conditions: tightened(&leaf.conditions, condition),
                });
            }
        }
        let rows = leaves.into_iter().map(|leaf| RuleRow {
            recipe: self.recipes[self.best(&leaf.shapes).0],
            conditions: leaf.conditions,
        });
        rows.collect()
    }

    /// Returns the condition that saves most regret in a leaf, and the saved regret.
    fn best_split(&self, leaf: &OpenLeaf) -> Option<(RuleCondition, f32)> {
        let whole = self.best(&leaf.shapes).1;
        let mut best: Option<(RuleCondition, f32)> = None;
        for value in 0..VALUES.len() {
            let values = leaf.shapes.iter().map(|&it| self.shapes[it].values[value]);
            let mut limits: Vec<u64> = values.collect();
            limits.sort_unstable();
            limits.dedup();
            // The largest value separates nothing.
            limits.pop();
            for limit in limits {
                let condition = RuleCondition {
                    value,
                    limit,
                    is_most: true,
                };
                let (below, above): (Vec<usize>, Vec<usize>) = (leaf.shapes.iter())
                    .partition(|&&shape| condition.is_met_by(&self.shapes[shape]));
                let saved = whole - self.best(&below).1 - self.best(&above).1;
                if saved > best.map_or(1e-3, |it| it.1) {
                    best = Some((condition, saved));
                }
            }
        }
        best
    }
}

/// Adds a condition, in place of a wider one of the same kind.
fn tightened(conditions: &[RuleCondition], new: RuleCondition) -> Vec<RuleCondition> {
    let is_other = |one: &&RuleCondition| one.value != new.value || one.is_most != new.is_most;
    let mut all: Vec<RuleCondition> = conditions.iter().filter(is_other).copied().collect();
    all.push(new);
    all.sort_by_key(|one| (one.value, one.is_most));
    all
}

/// Returns the shortest estimated logarithm of time of the configurations without a split row.
fn shortest_unsplit(problem: &Problem, device: &'static Device) -> f32 {
    let time = |it: &Configuration| match it.knobs.split {
        1 => TimeModel::stored().estimate(problem, device, it),
        _ => f32::INFINITY,
    };
    let space = Space::new(problem, device.target(), Generator::NATIVE);
    let ranks = shortest_by(&space, time).into_iter();
    let times = ranks.filter_map(|rank| Some(time(&space.nth(rank)?)));
    times.fold(f32::INFINITY, f32::min)
}

/// Returns the known shapes of a grid. Rows are powers of two; columns have also their successors
/// and their multiples by 1.25 and 1.5.
fn grid(operation: &str, device: &'static Device) -> Vec<RuleShape> {
    let rows = (0..LARGEST).step_by(2).map(|power| 1 << power);
    let columns = (2..LARGEST).flat_map(|power| {
        let size = 1 << power;
        [size, size + 1, size / 4 * 5, size / 2 * 3]
    });
    let columns: Vec<u64> = columns.collect();
    let sizes = rows.flat_map(|rows| columns.iter().map(move |&columns| [rows, columns]));
    let shapes = sizes.flat_map(|sizes| {
        let shape = move |element| RuleShape::new(operation, device, element, sizes);
        ELEMENTS.into_iter().filter_map(shape)
    });
    shapes.collect()
}

/// Returns random known shapes, of a logarithmic distribution of sizes.
fn held_out(operation: &str, device: &'static Device) -> Vec<RuleShape> {
    let mut random = seeded_random::generator(1, 0);
    let mut shapes = Vec::new();
    // Most draws lie outside of the known shapes of a narrow family.
    for _ in 0..1000 * HELD_OUT {
        if shapes.len() == HELD_OUT {
            break;
        }
        let mut size = || {
            let size = 1_u64 << below(&mut random, u64::from(LARGEST));
            size + below(&mut random, size)
        };
        let sizes = [size(), size()];
        let element = ELEMENTS[below(&mut random, ELEMENTS.len() as u64) as usize];
        shapes.extend(RuleShape::new(operation, device, element, sizes));
    }
    shapes
}
