//! The default of native kernels: every lane loads 16 bytes at a time, and the device is full.

use std::iter::successors;

use super::knobs::max_workgroups_per_row;
use super::lanes_on_rows::lanes_on_rows;
use super::legality;
use super::load_cost::load_cost;
use super::space::{configuration, has_columns, most_batches, units_of_row};
use crate::legality::Rejection;
use crate::space_contents::{SpaceCell, Split};
use crate::{Configuration, DEVICES, Knobs, Problem, Target};

/// The number of loads of a lane in flight.
const LOADS: u32 = 8;
/// The same for a row that is used again.
const REUSED_LOADS: u32 = 16;
/// The subgroups of a workgroup if the rows fill the device.
const FEW_SUBGROUPS: u32 = 4;
/// The largest number of loads of a subgroup for which workgroups share no row that is used again.
/// The exchange would cost more than the loads that it saves.
///
/// An RMS norm of 4,096 f16 numbers takes 4.82 µs, and 5.15 µs in two workgroups (modelled,
/// mi300x).
const UNSHARED_LOADS: u64 = 8;
/// The same for subgroups of 32 lanes.
///
/// An RMS norm of 16,384 f16 numbers takes 4.24 to 4.36 µs with 1 to 16 workgroups (modelled,
/// rx7900xtx).
const UNSHARED_LOADS_OF_32_LANES: u64 = 64;
/// The bytes that neighbouring lanes load side by side if lanes lie on rows: a cache line.
const LINE_BYTES: u32 = 128;
/// The same for rows that are used again.
const REUSED_LINE_BYTES: u32 = 32;
/// The lanes along the columns of a map.
///
/// These lanes load contiguous elements; the lanes along rows store contiguous ones.
const LANES_ACROSS: u32 = 8;

/// Returns the native configuration of an untuned problem; see [`crate::default_configuration`].
///
/// One rule serves every reduction and copy. Lanes lie on contiguous elements, and each loads 16
/// bytes:
///
/// - A row of contiguous elements has the lanes that it needs, and more subgroups if one does not
///   suffice. A subgroup takes several short rows.
/// - If neighbours belong to different rows, lanes lie on these rows. The remaining lanes and the
///   subgroups lie on the elements of the rows.
/// - If too few rows fill the device, workgroups share rows.
/// - A dimension of size 1 changes nothing.
/// - If several dimensions are reduced, another distribution with less than half of the loads in
///   sequence is better.
///
/// A serial reduction, which takes elements one by one, has one lane per row in workgroups of
/// IREE's size.
///
/// # Errors
///
/// Returns a [`Rejection`] if the generator does not accept the problem.
pub fn native_default(problem: &Problem, target: &Target) -> Result<Configuration, Rejection> {
    let rule = Rule::new(problem, target);
    let preferred = match problem.reduction.is_serial() {
        true => None,
        false => rule.chosen(),
    };
    // `lanes_on_rows` is the simplest legal configuration, so it follows all preferred ones.
    let chosen = preferred.unwrap_or_else(|| lanes_on_rows(problem, target));
    legality::check(problem, target, &chosen)?;
    Ok(chosen)
}

/// The inputs of the native rule.
struct Rule<'a> {
    problem: &'a Problem,
    target: &'a Target,
    subgroup_size: u32,
    /// The number of elements of a row, and the number of rows.
    columns: u64,
    rows: u64,
    /// The compute units of the target's largest device.
    room: u64,
}

/// The distribution of a workgroup's threads over rows (entry 0) and over columns (entry 1).
#[derive(Debug, Clone, Copy)]
struct Threads {
    thread: [u32; 2],
    lanes: [u32; 2],
    subgroups: [u32; 2],
    split: u32,
    /// The largest number of loads of a lane per step.
    loads: u32,
}

impl<'a> Rule<'a> {
    fn new(problem: &'a Problem, target: &'a Target) -> Rule<'a> {
        let devices = DEVICES.iter().filter(|it| it.target() == target);
        let units = devices.map(|it| it.compute_units).max();
        Rule {
            problem,
            target,
            subgroup_size: target.subgroup_sizes[0],
            columns: problem.shape.reduced_size(),
            rows: problem.shape.rows(),
            room: units.unwrap_or(target.least_compute_units).into(),
        }
    }

    /// Returns the first legal configuration, or one with much less work for a thread if several
    /// dimensions are reduced.
    fn chosen(&self) -> Option<Configuration> {
        let wanted = match self.problem.shape.reduces() {
            true if self.are_columns_neighbours() => self.on_columns(),
            true => self.on_rows(),
            false => self.of_elements(),
        };
        let first_of = |threads| self.weakened(threads).find(|it| self.is_legal(it));
        let first = self.spread(wanted).find_map(first_of)?;
        if self.wide_reduced() < 2 {
            return Some(first);
        }
        let cost = |it: &Configuration| load_cost(self.problem, self.room, it);
        let both = [self.on_columns(), self.on_rows()].into_iter();
        // With more loads a row may stay in registers.
        let both = both.flat_map(|wanted| {
            [1, 2].map(|more| Threads {
                loads: more * wanted.loads,
                ..wanted
            })
        });
        let others = both.flat_map(|wanted| self.spread(wanted));
        let best = others.filter_map(first_of).min_by_key(cost)?;
        // A guess of the same size is no reason to leave the rule.
        match 2 * cost(&best) <= cost(&first) {
            true => Some(best),
            false => Some(first),
        }
    }

    fn is_legal(&self, configuration: &Configuration) -> bool {
        legality::check(self.problem, self.target, configuration).is_ok()
    }

    /// Returns the number of reduced dimensions with several elements.
    fn wide_reduced(&self) -> usize {
        let shape = &self.problem.shape;
        shape.reduced().filter(|&d| shape.sizes()[d] > 1).count()
    }

    /// Returns distributions with ever fewer lanes on rows, and with ever fewer workgroups per row
    /// for each.
    fn spread(&self, wanted: Threads) -> impl Iterator<Item = Threads> {
        // Why: rows may leave so few lanes that each lane has more additions of floats than rule
        // N18 allows.
        let fewest = match self.problem.shape.reduces() {
            true => 1,
            false => wanted.lanes[0],
        };
        let on_rows = halves(wanted.lanes[0]).take_while(move |rows| *rows >= fewest);
        let lanes = on_rows.map(|rows| [rows, self.subgroup_size / rows]);
        let shared = move |lanes| halves(wanted.split).map(move |split| (lanes, split));
        lanes.flat_map(shared).map(move |(lanes, split)| Threads {
            lanes,
            split,
            ..wanted
        })
    }

    /// Returns the configurations of a distribution, best first, legal or not.
    ///
    /// The rule weakens its preference in this order:
    ///
    /// - fewer batches, if several dimensions are reduced;
    /// - fewer subgroups;
    /// - shorter loads.
    fn weakened(&self, wanted: Threads) -> impl Iterator<Item = Configuration> {
        let loads = halves(wanted.thread[0].max(wanted.thread[1]));
        let shorter = loads.map(move |most| Threads {
            thread: wanted.thread.map(|it| it.min(most)),
            ..wanted
        });
        let fewer = shorter.flat_map(|wanted| {
            let [beside, most] = wanted.subgroups;
            halves(most).map(move |subgroups| Threads {
                subgroups: [beside, subgroups],
                ..wanted
            })
        });
        fewer.flat_map(move |threads| self.configurations(threads))
    }

    /// Returns whether the elements of a row are contiguous in memory.
    fn are_columns_neighbours(&self) -> bool {
        let shape = &self.problem.shape;
        let mut inner = (0..shape.rank()).rev().filter(|&d| shape.sizes()[d] > 1);
        inner.next().is_none_or(|d| shape.is_reduced(d))
    }

    /// Returns the elements of a load along the innermost dimension of a kind.
    fn load(&self, reduced: bool) -> u32 {
        let shape = &self.problem.shape;
        let widest = self.problem.element.most_of_a_load();
        match shape.innermost(reduced) {
            Some(d) if !shape.is_counted(d) => widest.min(shape.sizes()[d].next_power_of_two()),
            // Rule N16 allows no thread tile along an open count.
            _ => 1,
        }
    }

    /// Returns the largest number of subgroups of a workgroup.
    fn most_subgroups(&self) -> u32 {
        self.target.max_workgroup_threads / self.subgroup_size
    }

    /// Returns the largest number of loads of a lane per step. A row that is used again stays in
    /// registers.
    fn most_batches(&self) -> u32 {
        match self.problem.reduction.uses_rows_again() {
            true => legality::max_elements_per_thread(self.problem).min(REUSED_LOADS),
            false => LOADS,
        }
    }

    /// Returns the largest number of loads of a subgroup that are no reason to share a row.
    fn unshared_loads(&self) -> u64 {
        match (self.problem.reduction.uses_rows_again(), self.subgroup_size) {
            (false, _) => 0,
            (true, 32) => UNSHARED_LOADS_OF_32_LANES,
            (true, _) => UNSHARED_LOADS,
        }
    }

    /// Returns whether `workgroups` fill the device several times.
    fn are_many(&self, workgroups: u64) -> bool {
        workgroups >= self.room * u64::from(FEW_SUBGROUPS)
    }

    /// Returns the number of workgroups per row that fills the device.
    ///
    /// Each has at least `least` elements of the row.
    fn split(&self, workgroups: u64, least: u64) -> u32 {
        let most = self
            .subgroup_size
            .min(max_workgroups_per_row(self.problem, self.target));
        let wanted = (self.room / workgroups).min(self.columns / least.max(1));
        below(wanted.min(most.into()))
    }

    /// Returns the distribution with lanes on the elements of a row.
    fn on_columns(&self) -> Threads {
        let size = self.subgroup_size;
        let load = self.load(true).min(legality::MAX_THREAD_REDUCED);
        let loads = self.columns.div_ceil(load.into());
        let own = loads.next_power_of_two().min(size.into()) as u32;
        // If a lane takes several rows, it has fewer elements of each.
        let rows = (size / own).min(self.rows.next_power_of_two().min(size.into()) as u32);
        let lanes = [rows, size / rows];
        let thread = above(self.columns.div_ceil(lanes[1].into())).min(load);
        let of_subgroup = u64::from(size * thread);
        let split = match rows {
            1 if self.columns > of_subgroup * self.unshared_loads() => {
                self.split(self.rows, of_subgroup * u64::from(FEW_SUBGROUPS))
            }
            _ => 1,
        };
        let piece = self.columns.div_ceil(split.into());
        let loads = piece.div_ceil(of_subgroup);
        let are_many = self.are_many(self.rows / u64::from(rows));
        let subgroups = match are_many {
            // If the rows fill the device, a lane has several loads in flight.
            true => above(loads.div_ceil(u64::from(LOADS / 2))),
            false => above(loads),
        };
        // A row that is used again stays in registers if all lanes together hold it. Otherwise it
        // is loaded again: 1.11 times the time for a layer norm of 8,192 f16 numbers (modelled,
        // mi300x).
        let holding = match self.problem.reduction.uses_rows_again() {
            true => {
                let held = legality::max_elements_per_thread(self.problem) * lanes[1];
                above(piece.div_ceil(held.into()))
            }
            false => 1,
        };
        let subgroups = subgroups.max(holding).min(self.most_subgroups());
        let beside = if are_many && subgroups == 1 {
            FEW_SUBGROUPS
        } else {
            1
        };
        Threads {
            thread: [1, thread],
            lanes,
            subgroups: [beside, subgroups],
            split,
            loads: self.most_batches(),
        }
    }

    /// Returns the distribution with lanes on neighbouring rows.
    ///
    /// At least a cache line of lanes lies on rows, and all of them if enough workgroups remain.
    fn on_rows(&self) -> Threads {
        let size = self.subgroup_size;
        // Why: a row that is used again stays in registers, and is stored. Lanes of one row each,
        // in more workgroups, were 1.4 to 2.5 times as fast as wide loads (modelled, mi300x).
        let (load, line, each) = match self.problem.reduction.uses_rows_again() {
            true => (1, REUSED_LINE_BYTES, self.most_batches()),
            false => {
                let most = legality::max_thread_parallel(self.problem);
                (self.load(false).min(most), LINE_BYTES, LOADS / 2)
            }
        };
        let bytes = load * self.problem.element.bytes();
        let columns = self.columns.next_power_of_two().min(size.into()) as u32;
        let least = (line / bytes).clamp(size / columns, size);
        let most = self
            .rows
            .next_power_of_two()
            .div_ceil(load.into())
            .min(size.into()) as u32;
        let is_filling = |lanes: &u32| self.rows >= self.room * u64::from(lanes * load);
        let rows = halves(most)
            .find(|it| *it <= least || is_filling(it))
            .unwrap_or(1);
        let lanes = [rows, size / rows];
        let tiles = self.rows.div_ceil(u64::from(rows * load));
        let of_subgroup = u64::from(lanes[1]);
        let split = self.split(tiles, of_subgroup * u64::from(FEW_SUBGROUPS * LOADS / 2));
        let loads = self.columns.div_ceil(u64::from(split) * of_subgroup);
        let subgroups = above(loads.div_ceil(each.into())).min(self.most_subgroups());
        let beside = match self.are_many(tiles) && subgroups == 1 {
            true => FEW_SUBGROUPS,
            false => 1,
        };
        Threads {
            thread: [load, 1],
            lanes,
            subgroups: [beside, subgroups],
            split,
            loads: self.most_batches(),
        }
    }

    /// Returns the distribution of a map, with lanes on elements.
    ///
    /// If another input has other contiguous dimensions, some lanes lie on those.
    fn of_elements(&self) -> Threads {
        let load = self.load(false);
        let is_across = has_columns(self.problem);
        let across = if is_across { LANES_ACROSS } else { 1 };
        Threads {
            thread: [load, if is_across { load } else { 1 }],
            lanes: [self.subgroup_size / across, across],
            subgroups: [FEW_SUBGROUPS, 1],
            split: 1,
            loads: 1,
        }
    }

    /// Returns the configurations with a step that covers a workgroup's part of a row.
    ///
    /// A lane's number of loads limits the step. If several dimensions are reduced,
    /// configurations with fewer loads follow. The reason is that the subgroups of one dimension
    /// bound its batches, and fewer subgroups alone do not suffice.
    fn configurations(&self, threads: Threads) -> impl Iterator<Item = Configuration> {
        let Threads {
            thread,
            lanes,
            subgroups,
            split,
            loads: most_loads,
        } = threads;
        let [rows, columns] = [0, 1].map(|kind| (lanes[kind], subgroups[kind]));
        let cell = SpaceCell {
            outer: None,
            subgroup_size: self.subgroup_size,
            lanes: Split::new(rows.0, columns.0),
            subgroups: Split::new(rows.1, columns.1),
            thread_rows: thread[0],
            thread_columns: thread[1],
            knobs: Knobs {
                split,
                ..Knobs::DEFAULT
            },
        };
        let most = legality::max_elements_per_thread(self.problem) / (thread[0] * thread[1]);
        let loads = units_of_row(self.problem, &cell).div_ceil(split.into());
        let batches = match self.problem.shape.reduces() {
            true => {
                let loads = loads.min(most_batches(self.problem, &cell).into());
                loads.min(most.min(most_loads).max(1).into()) as u32
            }
            false => 1,
        };
        // With one wide reduced dimension the first number of batches is legal already.
        let tried = match self.wide_reduced() {
            ..=1 => 1,
            _ => usize::MAX,
        };
        let batches = halves(batches).take(tried);
        batches.map(move |batches| configuration(self.problem, &cell, [1, batches]))
    }
}

/// Returns a power of two and all smaller ones, descending.
fn halves(most: u32) -> impl Iterator<Item = u32> + Clone {
    successors(Some(most), |it| (*it > 1).then_some(it / 2))
}

/// Returns the next power of two from a small number on.
fn above(number: u64) -> u32 {
    number.next_power_of_two().min(1 << 16) as u32
}

/// Returns the largest power of two up to a number, or 1.
fn below(number: u64) -> u32 {
    1 << number.max(1).ilog2().min(16)
}
