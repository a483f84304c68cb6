//! A device that folds on the host for any kernel, correctly or with a fault.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use bench_harness::timing::{Measurement, Mode};
use bench_harness::{
    Buffer, Clock, DeviceError, DeviceLaunch, Driver, Identity, KernelDevice, checked_rows,
};
use codegen::{Kernarg, Slot};
use configgen::{Initial, Problem};

use crate::options::kernel::INNOCENT;

/// A fault of the device, for all kernels but [`INNOCENT`] ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    IgnoresIndexBase,
    TruncatesIndexBase,
    IgnoresInitialPair,
    InitialIndexIsPosition,
    AddsBaseToInitialIndex,
    ReturnsInitialPair,
    GathersNeighbour,
    ReturnsPosition,
    /// It returns the best value with the index of an initial pair that lost.
    KeepsInitialIndex,
    /// It returns the last of equal elements, but the fold takes the first.
    TakesLastOfEquals,
    SkipsLastRow,
    SkipsLastRowLater,
    WritesNextRow,
    /// It alternates between correct and wrong launches.
    Alternates,
    /// It reduces every eighth element in another lane, as if the comparator were an order.
    ReducesInPieces,
    /// It returns another index for a launch on the same input as the one before.
    DiffersWhenRepeated,
    /// It skips a row in a launch on the same input as the one before.
    SkipsLastRowWhenRepeated,
    /// It returns another index, or another value, in every launch for rows that are not checked.
    CountsInUncheckedIndices,
    CountsInUncheckedValues,
    /// It begins folds with the contents that the first launch left in the workspace.
    FillsWorkspaceOnce,
    /// It overwrites its input.
    SpoilsInput,
    /// The first launch does not end.
    Fails,
    /// It computes all rows of the largest count for every count.
    IgnoresCount,
    /// It skips the last row of a count below the largest.
    SkipsLastOfCount,
    /// It treats a count below 4 as 4.
    CountIsTileAtLeast,
}

/// Returns the count of a launch, if the kernel takes one.
fn count_of(launch: &DeviceLaunch<'_>) -> Option<u32> {
    let of = |argument: &Kernarg| match argument {
        Kernarg::Count(count) => Some(*count),
        Kernarg::Buffer(_) | Kernarg::IndexBase(_) | Kernarg::Word(_) => None,
    };
    launch.kernel.arguments.iter().find_map(of)
}

/// A device that runs any kernel of a problem as the correct fold.
pub(crate) struct Host {
    identity: Identity,
    problem: Problem,
    faults: &'static [Fault],
    /// The counts of the timed launches.
    pub(crate) timed: Vec<Option<u32>>,
    buffers: HashMap<Buffer, Vec<u8>>,
    /// The rows that the bench compares.
    checked: HashSet<u64>,
    launches: u64,
    /// The input of the last launch.
    last_input: Option<Buffer>,
    /// True if the launch has the same input as the one before.
    is_repeated: bool,
}

impl Host {
    pub(crate) fn new(problem: &Problem, faults: &'static [Fault]) -> Host {
        Host {
            identity: Identity {
                name: "host".to_owned(),
                row: configgen::Device::named("mi300x").unwrap(),
                part: None,
                driver: Driver::default(),
                clock: Clock::Modelled,
                timing_mode: "cold",
            },
            problem: problem.clone(),
            faults,
            timed: Vec::new(),
            buffers: HashMap::new(),
            checked: checked_rows(problem).into_iter().collect(),
            launches: 0,
            last_input: None,
            is_repeated: false,
        }
    }

    /// Returns true if a launch has this fault.
    fn has(&self, launch: &DeviceLaunch<'_>, fault: Fault) -> bool {
        launch.kernel.symbol != INNOCENT && self.faults.contains(&fault)
    }

    /// Returns the bits of a tensor's element.
    fn get(&self, launch: &DeviceLaunch<'_>, slot: Slot, number: u64, size: u32) -> u64 {
        let size = size as usize;
        let bytes = &self.buffers[&launch.buffers[slot.buffer]];
        let place = slot.offset as usize + number as usize * size;
        let mut padded = [0; 8];
        padded[..size].copy_from_slice(&bytes[place..][..size]);
        u64::from_le_bytes(padded)
    }

    fn put(&mut self, launch: &DeviceLaunch<'_>, slot: Slot, number: u64, size: u32, bits: u64) {
        let bytes = self
            .buffers
            .get_mut(&launch.buffers[slot.buffer])
            .expect("a live buffer");
        let place = slot.offset as usize + number as usize * size as usize;
        bytes[place..][..size as usize].copy_from_slice(&bits.to_le_bytes()[..size as usize]);
    }

    fn fold(&mut self, launch: &DeviceLaunch<'_>, row: u64) {
        let (kernel, problem) = (launch.kernel, self.problem.clone());
        let (size, index_size) = (
            problem.element.bytes(),
            problem.arg_compare().unwrap().index.bytes(),
        );
        let takes_base = |argument: &Kernarg| matches!(argument, Kernarg::IndexBase(_));
        let mut base = match kernel.arguments.iter().any(takes_base) {
            true => launch.index_base as u64,
            false => 0,
        };
        if self.has(launch, Fault::IgnoresIndexBase) {
            base = 0;
        }
        if self.has(launch, Fault::TruncatesIndexBase) {
            base = u64::from(base as u16);
        }
        let (mut value, mut index) = (self.start(launch), 0);
        if problem.arg_compare().unwrap().initial == Initial::Outputs
            && !self.has(launch, Fault::IgnoresInitialPair)
        {
            value = self.get(launch, kernel.results[0], row, size);
            index = self.get(launch, kernel.results[1], row, index_size);
            if self.has(launch, Fault::InitialIndexIsPosition) {
                index = 0;
            }
            if self.has(launch, Fault::AddsBaseToInitialIndex) {
                index = index.wrapping_add(base);
            }
        }
        let elements = match self.has(launch, Fault::ReturnsInitialPair) {
            true => 0,
            false => problem.shape.reduced_size(),
        };
        let read = |position| {
            let (element, _) = places(&problem, row, position);
            self.get(launch, kernel.input, element, size)
        };
        let is_in_pieces = self.has(launch, Fault::ReducesInPieces);
        let winner = is_in_pieces.then(|| best_of_pieces(&problem, value, elements, &read));
        let takes_equals = self.has(launch, Fault::TakesLastOfEquals);
        for position in 0..elements {
            let (_, dense) = places(&problem, row, position);
            let element = read(position);
            let wins = match winner {
                Some(winner) => winner == Some(position),
                None => {
                    problem
                        .arg_compare()
                        .unwrap()
                        .comparator
                        .evaluate(element, value)
                        || takes_equals && element == value
                }
            };
            if !wins {
                continue;
            }
            value = element;
            if self.has(launch, Fault::KeepsInitialIndex) {
                continue;
            }
            index = match kernel.operands.first().copied() {
                Some(_) if self.has(launch, Fault::ReturnsPosition) => position,
                Some(slot) => {
                    let elements = problem.shape.elements();
                    let wrong = u64::from(self.has(launch, Fault::GathersNeighbour));
                    self.get(launch, slot, (dense + wrong) % elements, index_size)
                }
                None => position.wrapping_add(base),
            };
        }
        if self.is_repeated && self.has(launch, Fault::DiffersWhenRepeated) {
            index = index.wrapping_add(1);
        }
        let is_checked = self.checked.contains(&row);
        if !is_checked && self.has(launch, Fault::CountsInUncheckedIndices) {
            index = self.launches;
        }
        if !is_checked && self.has(launch, Fault::CountsInUncheckedValues) {
            value = self.launches;
        }
        self.put(launch, kernel.results[0], row, size, value);
        self.put(launch, kernel.results[1], row, index_size, index);
    }

    /// Returns the initial value of folds.
    fn start(&mut self, launch: &DeviceLaunch<'_>) -> u64 {
        let start = self.problem.arg_compare().unwrap().comparator.order().start;
        let Some(workspace) = launch.kernel.workspace else {
            return start;
        };
        let left = Slot {
            buffer: workspace.buffer,
            offset: 0,
        };
        if self.launches == 1 || !self.has(launch, Fault::FillsWorkspaceOnce) {
            self.put(launch, left, 0, 8, start);
        }
        self.get(launch, left, 0, self.problem.element.bytes())
    }

    /// Counts a workgroup among those that share its rows. Returns true for the last one.
    fn is_last(&mut self, launch: &DeviceLaunch<'_>, number: u64) -> bool {
        let Some(workspace) = launch.kernel.workspace else {
            return true;
        };
        let counters = Slot {
            buffer: workspace.buffer,
            offset: workspace.counters,
        };
        let counted = self.get(launch, counters, number, 4) + 1;
        let is_last = counted == u64::from(launch.kernel.sharers);
        self.put(
            launch,
            counters,
            number,
            4,
            if is_last { 0 } else { counted },
        );
        is_last
    }
}

/// Returns the position of a row's best element, if eight lanes fold their own elements from the
/// initial value. A tie goes to the first. `None` if no lane replaced the initial value.
fn best_of_pieces(
    problem: &Problem,
    initial: u64,
    n: u64,
    read: &impl Fn(u64) -> u64,
) -> Option<u64> {
    let mut compare = problem.arg_compare().unwrap().comparator.evaluator();
    let mut best: Option<(u64, u64)> = None;
    for lane in 0..8 {
        let mut own: Option<(u64, u64)> = None;
        for position in (lane..n).step_by(8) {
            let element = read(position);
            if compare.compare(element, own.map_or(initial, |own| own.0)) {
                own = Some((element, position));
            }
        }
        best = match (best, own) {
            (Some(best), Some(own)) => {
                let (better, worse) = (
                    compare.compare(own.0, best.0),
                    compare.compare(best.0, own.0),
                );
                let takes = better || !worse && own.1 < best.1;
                Some(if takes { own } else { best })
            }
            (best, own) => best.or(own),
        };
    }
    best.map(|best| best.1)
}

/// Returns the numbers of an element in the input, with its gaps, and in the explicit indices.
fn places(problem: &Problem, mut row: u64, mut position: u64) -> (u64, u64) {
    let shape = &problem.shape;
    let (mut element, mut dense, mut stride) = (0, 0, 1);
    for d in (0..shape.rank()).rev() {
        let size = u64::from(shape.sizes()[d]);
        let number = if shape.is_reduced(d) {
            &mut position
        } else {
            &mut row
        };
        let at = *number % size;
        *number /= size;
        element += at * shape.strides()[d];
        dense += at * stride;
        stride *= size;
    }
    (element, dense)
}

impl KernelDevice for Host {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn runs_parts(&self) -> bool {
        true
    }

    fn repeats(&self) -> u32 {
        3
    }

    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceError> {
        let buffer = Buffer(
            (0..)
                .find(|&n| !self.buffers.contains_key(&Buffer(n)))
                .unwrap(),
        );
        self.buffers.insert(buffer, vec![0; bytes as usize]);
        Ok(buffer)
    }

    fn free(&mut self, buffer: Buffer) {
        self.buffers.remove(&buffer).expect("a live buffer");
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let all = self.buffers.get_mut(&buffer).expect("a live buffer");
        all[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, buffer: Buffer, bytes: Range<u64>) -> Result<Cow<'_, [u8]>, DeviceError> {
        Ok(Cow::Borrowed(
            &self.buffers[&buffer][bytes.start as usize..bytes.end as usize],
        ))
    }

    fn launch(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError> {
        self.launches += 1;
        let input = launch.buffers[launch.kernel.input.buffer];
        self.is_repeated = self.last_input.replace(input) == Some(input);
        let skips = self.has(launch, Fault::SkipsLastRow)
            || self.has(launch, Fault::SkipsLastRowLater) && self.launches > 1
            || self.has(launch, Fault::Alternates) && self.launches.is_multiple_of(3)
            || self.has(launch, Fault::SkipsLastRowWhenRepeated) && self.is_repeated;
        let last = self.problem.shape.rows() - 1;
        let own = launch.kernel.tiling.as_ref().expect("the test's kernel");
        let largest = self.problem.shape.sizes()[0];
        let count = count_of(launch).unwrap_or(largest);
        let taken = match () {
            () if self.has(launch, Fault::IgnoresCount) => largest,
            () if self.has(launch, Fault::CountIsTileAtLeast) => count.max(4),
            () => count,
        };
        let counted = own.at_count(taken).filter(|_| count != taken);
        let tiling = counted.as_ref().unwrap_or(own);
        let end = self.problem.at_count(count).shape.rows();
        let cuts = count < largest && self.has(launch, Fault::SkipsLastOfCount);
        let sharers = launch.kernel.sharers;
        let all: Vec<u32> = (0..tiling.boxes() as u32 * sharers).collect();
        for &workgroup in launch.only.unwrap_or(&all) {
            let number = u64::from(workgroup / sharers);
            if !self.is_last(launch, number) {
                continue;
            }
            let rows = tiling.rows_of(number);
            let next = rows.last().map_or(0, |range| range.end).min(last);
            for row in rows
                .into_iter()
                .flatten()
                .filter(|row| !(skips && *row == last || cuts && row + 1 == end))
            {
                self.fold(launch, row);
            }
            if self.has(launch, Fault::WritesNextRow) {
                self.fold(launch, next);
            }
        }
        if self.has(launch, Fault::SpoilsInput) {
            let read = [
                Some(launch.kernel.input),
                launch.kernel.operands.first().copied(),
            ];
            for slot in read.into_iter().flatten() {
                let bytes = self.buffers.get_mut(&launch.buffers[slot.buffer]);
                bytes.expect("a live buffer").fill(0);
            }
        }
        match self.has(launch, Fault::Fails) {
            true => Err(DeviceError::Fault("planted".to_owned())),
            false => Ok(()),
        }
    }

    fn time(&mut self, launches: &[DeviceLaunch<'_>]) -> Result<Measurement, DeviceError> {
        for launch in launches {
            assert_eq!(
                launch.only, None,
                "the time of a part is none of the kernel's"
            );
            self.timed.push(count_of(launch));
            self.launch(launch)?;
        }
        Ok(Measurement::exact(Mode::Cold, 1.0))
    }
}
