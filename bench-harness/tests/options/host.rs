//! A device that folds on the host whatever kernel it is given, or does something wrong.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use bench_harness::timing::{Measurement, Mode};
use bench_harness::{Buffer, Clock, Device, DeviceError, Identity, Launch};
use codegen::{Argument, CompiledKernel, Compiler, Slot, Tiling};
use configgen::{IndexMode, Initial, Problem};

/// What the device does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    IgnoresIndexBase,
    TruncatesIndexBase,
    IgnoresInitialPair,
    InitialIndexIsPosition,
    AddsBaseToInitialIndex,
    ReturnsInitialPair,
    GathersNeighbour,
    ReturnsPosition,
    SkipsLastRow,
    SkipsLastRowLater,
    WritesNextRow,
    /// Some launches are right, some are not.
    Alternates,
    /// Every eighth element is another lane's, as if the comparator were an order.
    ReducesInPieces,
}

/// Runs any kernel of a problem as the fold that it should be.
pub(crate) struct Host {
    identity: Identity,
    problem: Problem,
    fault: Fault,
    buffers: HashMap<Buffer, Vec<u8>>,
    launches: usize,
}

impl Host {
    pub(crate) fn new(problem: &Problem, fault: Fault) -> Host {
        Host {
            identity: Identity {
                name: "host".to_owned(),
                row: configgen::Device::named("mi300x").unwrap(),
                driver: "none".to_owned(),
                clock: Clock::Modelled,
                timing_mode: "cold",
            },
            problem: problem.clone(),
            fault,
            buffers: HashMap::new(),
            launches: 0,
        }
    }

    /// The bits of an element of a tensor.
    fn get(&self, launch: &Launch<'_>, slot: Slot, number: u64, size: u32) -> u64 {
        let size = size as usize;
        let bytes = &self.buffers[&launch.buffers[slot.buffer]];
        let place = slot.offset as usize + number as usize * size;
        let mut padded = [0; 8];
        padded[..size].copy_from_slice(&bytes[place..][..size]);
        u64::from_le_bytes(padded)
    }

    fn put(&mut self, launch: &Launch<'_>, slot: Slot, number: u64, size: u32, bits: u64) {
        let bytes = self
            .buffers
            .get_mut(&launch.buffers[slot.buffer])
            .expect("a live buffer");
        let place = slot.offset as usize + number as usize * size as usize;
        bytes[place..][..size as usize].copy_from_slice(&bits.to_le_bytes()[..size as usize]);
    }

    fn fold(&mut self, launch: &Launch<'_>, row: u64) {
        let (kernel, problem) = (launch.kernel, self.problem.clone());
        let (size, index_size) = (problem.element.bytes(), problem.index.bytes());
        let n = problem.shape.reduced_size();
        let mut base = match kernel.arguments.last() {
            Some(Argument::IndexBase(_)) => launch.index_base as u64,
            _ => 0,
        };
        match self.fault {
            Fault::IgnoresIndexBase => base = 0,
            Fault::TruncatesIndexBase => base = u64::from(base as u16),
            _ => {}
        }
        let (mut value, mut index) = (problem.comparator.order().start, 0);
        if problem.initial == Initial::Outputs && self.fault != Fault::IgnoresInitialPair {
            value = self.get(launch, kernel.values, row, size);
            index = self.get(launch, kernel.indices, row, index_size);
            match self.fault {
                Fault::InitialIndexIsPosition => index = 0,
                Fault::AddsBaseToInitialIndex => index = index.wrapping_add(base),
                _ => {}
            }
        }
        let elements = if self.fault == Fault::ReturnsInitialPair {
            0
        } else {
            n
        };
        let read = |position| {
            let (element, _) = places(&problem, row, position);
            self.get(launch, kernel.input, element, size)
        };
        let is_in_pieces = self.fault == Fault::ReducesInPieces;
        let winner = is_in_pieces.then(|| best_of_pieces(&problem, value, n, &read));
        for position in 0..elements {
            let (element, dense) = places(&problem, row, position);
            let element = self.get(launch, kernel.input, element, size);
            let wins = match winner {
                Some(winner) => winner == Some(position),
                None => problem.comparator.evaluate(element, value),
            };
            if !wins {
                continue;
            }
            let position_index = position.wrapping_add(base);
            let wrong = u64::from(self.fault == Fault::GathersNeighbour);
            value = element;
            index = match kernel.explicit_indices {
                Some(_) if self.fault == Fault::ReturnsPosition => position,
                Some(slot) => {
                    let elements = problem.shape.elements();
                    self.get(launch, slot, (dense + wrong) % elements, index_size)
                }
                None => position_index,
            };
        }
        self.put(launch, kernel.values, row, size, value);
        self.put(launch, kernel.indices, row, index_size, index);
    }
}

/// The position of the best of a row, each of eight lanes having folded its own elements from the initial value; a tie goes
/// to the first. None where no lane took any.
fn best_of_pieces(
    problem: &Problem,
    initial: u64,
    n: u64,
    read: &impl Fn(u64) -> u64,
) -> Option<u64> {
    let mut compare = problem.comparator.evaluator();
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

/// Numbers of an element in the input, with its gaps, and in the explicit indices.
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

impl Device for Host {
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

    fn launch(&mut self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        self.launches += 1;
        let skips = match self.fault {
            Fault::SkipsLastRow => true,
            Fault::SkipsLastRowLater => self.launches > 1,
            Fault::Alternates => self.launches.is_multiple_of(3),
            _ => false,
        };
        let last = self.problem.shape.rows() - 1;
        let tiling = launch.kernel.tiling.as_ref().expect("the test's kernel");
        let all: Vec<u32> = (0..tiling.boxes() as u32).collect();
        for &number in launch.only.unwrap_or(&all) {
            let rows = tiling.rows_of(number.into());
            let next = rows.last().map_or(0, |range| range.end).min(last);
            for row in rows
                .into_iter()
                .flatten()
                .filter(|row| !(skips && *row == last))
            {
                self.fold(launch, row);
            }
            if self.fault == Fault::WritesNextRow {
                self.fold(launch, next);
            }
        }
        Ok(())
    }

    fn time(&mut self, launch: &Launch<'_>) -> Result<Measurement, DeviceError> {
        self.launch(launch)?;
        Ok(Measurement::exact(Mode::Cold, 1.0))
    }
}

/// Rows of a tile along each parallel dimension.
const TILE: u32 = 3;

/// A kernel as the native generator makes them, or one whose outputs share a buffer, as IREE's do.
pub(crate) fn kernel(problem: &Problem, shared: bool) -> CompiledKernel {
    let rows = problem.shape.rows();
    let (values, indices) = (
        rows * u64::from(problem.element.bytes()),
        rows * u64::from(problem.index.bytes()),
    );
    let slot = |buffer, offset| Slot { buffer, offset };
    let indices_at = values.next_multiple_of(64);
    let mut buffers = match shared {
        true => vec![problem.input_bytes(), indices_at + indices],
        false => vec![problem.input_bytes(), values, indices],
    };
    let explicit_indices = (problem.index_mode == IndexMode::Explicit).then(|| {
        buffers.push(problem.explicit_index_bytes());
        slot(buffers.len() - 1, 0)
    });
    let mut arguments: Vec<Argument> = (0..buffers.len()).map(Argument::Buffer).collect();
    if problem.index_mode == IndexMode::Based {
        arguments.push(Argument::IndexBase(problem.index));
    }
    let parallel = problem
        .shape
        .parallel()
        .map(|d| (problem.shape.sizes()[d], TILE));
    let tiling = Tiling::new(parallel).expect("tiles of some rows");
    CompiledKernel {
        code_object: Arc::new([]),
        symbol: "fold".to_owned(),
        workgroups: [tiling.boxes() as u32, 1, 1],
        workgroup_size: [64, 1, 1],
        arguments,
        buffers,
        input: slot(0, 0),
        explicit_indices,
        workspace: None,
        values: slot(1, 0),
        indices: if shared {
            slot(1, indices_at)
        } else {
            slot(2, 0)
        },
        tiling: Some(tiling),
        compiler: Compiler {
            name: "none".into(),
            version: String::new(),
        },
    }
}
