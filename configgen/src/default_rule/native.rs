//! The default of native kernels: every lane loads 16 bytes at a time, and the device is full.

use std::iter::successors;

use super::iree::tile_and_fuse;
use crate::legality::knobs::max_workgroups_per_row;
use crate::legality::{self, Rejection, check_problem};
use crate::space::native::{configuration, has_columns, most_batches};
use crate::space::{SpaceCell, Split};
use crate::{
    Basis, Configuration, DEVICES, Generator, Knobs, LoweringConfig, Problem, Target, Tiles,
};

/// Loads that a lane has on its way at once.
const LOADS: u32 = 8;
/// The same where the row is used again.
const REUSED_LOADS: u32 = 16;
/// Subgroups of a workgroup where there are so many rows that they fill the device.
const FEW_SUBGROUPS: u32 = 4;
/// Bytes of neighbouring lanes' loads side by side, where lanes lie on rows: a line of the caches.
const LINE_BYTES: u32 = 128;
/// The same where rows are used again.
const REUSED_LINE_BYTES: u32 = 32;
/// Lanes along the columns of what reduces nothing: they load what is side by side, and those along
/// rows store it so.
const LANES_ACROSS: u32 = 8;

/// The native configuration of a problem that nobody has tuned; see
/// [`crate::default_configuration`].
///
/// One rule for every reduction and copy: lanes lie on what is side by side in memory, and each
/// loads 16 bytes of it. A row of neighbours has as many lanes as that takes, and subgroups where
/// one is not enough; of short rows a subgroup has several. Where neighbours are of different rows,
/// lanes lie on these, and those that are left, with the subgroups, on the elements of the rows. If
/// there are too few rows for the device, workgroups share them. A dimension of size 1 changes
/// nothing.
///
/// Where elements have to be taken one by one, a row has one lane, in workgroups of IREE's size.
pub fn native_default(problem: &Problem, target: &Target) -> Result<Configuration, Rejection> {
    check_problem(problem, target, Generator::NATIVE)?;
    let is_legal =
        |it: &Configuration| legality::check(problem, target, Generator::NATIVE, it).is_ok();
    let rule = Rule::new(problem, target);
    let preferred = match problem.reduction.is_serial() {
        true => None,
        false => rule.preferred().find(is_legal),
    };
    let chosen = preferred.unwrap_or_else(|| lanes_on_rows(problem, target));
    legality::check(problem, target, Generator::NATIVE, &chosen)?;
    Ok(chosen)
}

/// What the rule works with.
struct Rule<'a> {
    problem: &'a Problem,
    target: &'a Target,
    subgroup_size: u32,
    /// Elements of a row, and how many rows there are.
    columns: u64,
    rows: u64,
    /// Workgroups for which the largest device of the target has room.
    room: u64,
}

/// What the threads of a workgroup have of rows, and of the columns of each.
#[derive(Debug, Clone, Copy)]
struct Threads {
    thread: [u32; 2],
    lanes: [u32; 2],
    subgroups: [u32; 2],
    split: u32,
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

    /// The configurations that the rule prefers, best first, legal or not: of several reduced
    /// dimensions with fewer batches, then with fewer subgroups, then with shorter loads, then with
    /// fewer workgroups of a row, then with fewer lanes on rows and more on a row.
    fn preferred(&self) -> impl Iterator<Item = Configuration> {
        let wanted = match self.problem.shape.reduces() {
            true if self.are_columns_neighbours() => self.on_columns(),
            true => self.on_rows(),
            false => self.of_elements(),
        };
        let loads = halves(wanted.thread[0].max(wanted.thread[1]));
        // Why: additions of floats may be too many for the few lanes that rows leave (rule N18).
        let fewest = match self.problem.shape.reduces() {
            true => 1,
            false => wanted.lanes[0],
        };
        let on_rows = halves(wanted.lanes[0]).take_while(move |rows| *rows >= fewest);
        let spread = on_rows.map(move |rows| Threads {
            lanes: [rows, self.subgroup_size / rows],
            ..wanted
        });
        let shared = spread
            .flat_map(|wanted| halves(wanted.split).map(move |split| Threads { split, ..wanted }));
        let shorter = shared.flat_map(move |wanted| {
            let thread = move |most: u32| wanted.thread.map(|it| it.min(most));
            let loads = loads.clone();
            loads.map(move |most| Threads {
                thread: thread(most),
                ..wanted
            })
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

    /// Whether the elements of a row are neighbours in memory.
    fn are_columns_neighbours(&self) -> bool {
        let shape = &self.problem.shape;
        let mut inner = (0..shape.rank()).rev().filter(|&d| shape.sizes()[d] > 1);
        inner.next().is_none_or(|d| shape.is_reduced(d))
    }

    /// The elements of a load along the innermost dimension of a kind.
    fn load(&self, reduced: bool) -> u32 {
        let shape = &self.problem.shape;
        let widest = self.problem.element.most_of_a_load();
        match shape.innermost(reduced) {
            Some(d) if !shape.is_counted(d) => widest.min(shape.sizes()[d].next_power_of_two()),
            _ => 1,
        }
    }

    /// The most subgroups of a workgroup.
    fn most_subgroups(&self) -> u32 {
        self.target.max_workgroup_threads / self.subgroup_size
    }

    /// The most loads of a lane in a step: a row that is used again stays in registers.
    fn most_batches(&self) -> u32 {
        match self.problem.reduction.rowwise() {
            Some(_) => legality::native::max_elements_per_thread(self.problem).min(REUSED_LOADS),
            None => LOADS,
        }
    }

    /// Whether so many workgroups fill the device several times.
    fn are_many(&self, workgroups: u64) -> bool {
        workgroups >= self.room * u64::from(FEW_SUBGROUPS)
    }

    /// Workgroups of a row, of which each has so many elements at least: as many as fill the
    /// device.
    fn split(&self, workgroups: u64, least: u64) -> u32 {
        let most = self
            .subgroup_size
            .min(max_workgroups_per_row(self.problem, self.target));
        let wanted = (self.room / workgroups).min(self.columns / least.max(1));
        below(wanted.min(most.into()))
    }

    /// Lanes on the elements of a row.
    fn on_columns(&self) -> Threads {
        let size = self.subgroup_size;
        let load = self.load(true).min(legality::native::MAX_THREAD_REDUCED);
        let loads = self.columns.div_ceil(load.into());
        let own = loads.next_power_of_two().min(size.into()) as u32;
        // A lane of a few rows has less of each.
        let rows = (size / own).min(self.rows.next_power_of_two().min(size.into()) as u32);
        let lanes = [rows, size / rows];
        let thread = above(self.columns.div_ceil(lanes[1].into())).min(load);
        let of_subgroup = u64::from(size * thread);
        let split = match rows {
            1 => self.split(self.rows, of_subgroup * u64::from(FEW_SUBGROUPS)),
            _ => 1,
        };
        let piece = self.columns.div_ceil(split.into());
        let loads = piece.div_ceil(of_subgroup);
        let are_many = self.are_many(self.rows / u64::from(rows));
        let subgroups = match are_many {
            // Where rows fill the device, a lane has several loads on its way.
            true => above(loads.div_ceil(u64::from(LOADS / 2))),
            false => above(loads),
        };
        let subgroups = subgroups.min(self.most_subgroups());
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
        }
    }

    /// Lanes on rows that are neighbours: a line of the caches at least, and all where that leaves
    /// enough workgroups.
    fn on_rows(&self) -> Threads {
        let size = self.subgroup_size;
        // Why: what is used again stays in registers, and is stored. Lanes of one row each, in more
        // workgroups, were 1.4 to 2.5 times as fast as wide loads (modelled, mi300x).
        let (load, line, each) = match self.problem.reduction.rowwise() {
            Some(_) => (1, REUSED_LINE_BYTES, self.most_batches()),
            None => {
                let most = legality::native::max_thread_parallel(self.problem);
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
        }
    }

    /// Of what reduces nothing, lanes on elements: some of them on those that are neighbours in
    /// another input.
    fn of_elements(&self) -> Threads {
        let load = self.load(false);
        let is_across = has_columns(self.problem);
        let across = if is_across { LANES_ACROSS } else { 1 };
        Threads {
            thread: [load, if is_across { load } else { 1 }],
            lanes: [self.subgroup_size / across, across],
            subgroups: [FEW_SUBGROUPS, 1],
            split: 1,
        }
    }

    /// The configuration in which a step takes what a workgroup has of a row, as far as a lane has
    /// so many loads. Of several reduced dimensions those with fewer loads follow: the subgroups of
    /// one dimension bound its batches, and are too few alone.
    fn configurations(&self, threads: Threads) -> impl Iterator<Item = Configuration> {
        let Threads {
            thread,
            lanes,
            subgroups,
            split,
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
        let piece = self.columns.div_ceil(u64::from(split));
        let most =
            legality::native::max_elements_per_thread(self.problem) / (thread[0] * thread[1]);
        let loads = piece.div_ceil(cell.column_unit().into());
        let batches = match self.problem.shape.reduces() {
            true => {
                let loads = loads.min(most_batches(self.problem, &cell).into());
                loads.min(most.min(self.most_batches()).max(1).into()) as u32
            }
            false => 1,
        };
        let wide = |&d: &usize| self.problem.shape.sizes()[d] > 1;
        let tried = match self.problem.shape.reduced().filter(wide).count() {
            ..=1 => 1,
            _ => usize::MAX,
        };
        let batches = halves(batches).take(tried);
        batches.map(move |batches| configuration(self.problem, &cell, [1, batches]))
    }
}

/// A power of two and all below it, falling.
fn halves(most: u32) -> impl Iterator<Item = u32> + Clone {
    successors(Some(most), |it| (*it > 1).then_some(it / 2))
}

/// The next power of two from a number on, which is small.
fn above(number: u64) -> u32 {
    number.next_power_of_two().min(1 << 16) as u32
}

/// The power of two up to a number, or 1.
fn below(number: u64) -> u32 {
    1 << number.max(1).ilog2().min(16)
}

/// One lane per row, in workgroups of as many threads as IREE's fallback has, but for subgroups without a row. Without a
/// parallel dimension all lanes have the only row.
fn lanes_on_rows(problem: &Problem, target: &Target) -> Configuration {
    let shape = &problem.shape;
    let subgroup_size = target.subgroup_sizes[0];
    let fallback = tile_and_fuse(problem, target);
    let [threads, ..] = fallback.workgroup_size;
    let outputs: u32 = fallback
        .workgroup
        .iter()
        .filter(|&&tile| tile > 0)
        .product();
    // Where the outputs do not fill the threads, the innermost rows are repeated.
    let mut repeats = threads / outputs;
    let mut left = subgroup_size;
    let ones: Tiles = (0..shape.rank()).map(|_| 1).collect();
    let zeros: Tiles = (0..shape.rank()).map(|_| 0).collect();
    let (mut lanes, mut subgroups) = (ones.clone(), ones);
    let (mut workgroup, mut partial_reduction, mut thread) = (zeros.clone(), zeros.clone(), zeros);
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        let tile = fallback.workgroup[d] * repeats;
        repeats = 1;
        lanes[d] = tile.min(left);
        left /= lanes[d];
        // A subgroup has a row to begin with.
        let rows = shape.sizes()[d].div_ceil(lanes[d]);
        subgroups[d] = (tile / lanes[d]).min(1 << rows.ilog2());
        workgroup[d] = lanes[d] * subgroups[d];
    }
    let columns = shape.innermost(true);
    for d in shape.reduced() {
        partial_reduction[d] = match Some(d) == columns {
            true => shape.sizes()[d].min(legality::native::max_elements_per_thread(problem)),
            false => 1,
        };
        thread[d] = 1;
    }
    let threads = subgroup_size * subgroups.iter().product::<u32>();
    Configuration {
        lowering: LoweringConfig {
            workgroup,
            partial_reduction,
            thread,
            lane_basis: Basis::in_order(lanes),
            subgroup_basis: Basis::in_order(subgroups),
        },
        subgroup_size,
        workgroup_size: [threads, 1, 1],
        knobs: Knobs::DEFAULT,
    }
}
