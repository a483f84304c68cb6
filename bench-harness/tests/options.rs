//! The options of problems on their way through the bench, with a device that folds on the host.
//!
//! What the device is given are the buffers and arguments of a kernel, nothing else: where an element lies, and what its
//! index is, is worked out here once more. A fault in what it does has to be found.

use std::collections::HashMap;
use std::sync::Arc;

use bench_harness::{Bench, Buffer, Clock, Device, DeviceError, Identity, Inputs, Launch, Outcome};
use codegen::{Argument, CompiledKernel, Compiler, Slot};
use configgen::{IndexMode, Initial, Problem};

/// What the device does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
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
    WritesNextRow,
}

/// Runs any kernel of a problem as the fold that it should be.
struct Host {
    identity: Identity,
    problem: Problem,
    fault: Fault,
    buffers: HashMap<Buffer, Vec<u8>>,
}

impl Host {
    fn new(problem: &Problem, fault: Fault) -> Host {
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
        for position in 0..elements {
            let (element, dense) = places(&problem, row, position);
            let element = self.get(launch, kernel.input, element, size);
            if !problem.comparator.evaluate(element, value) {
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

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) {
        let all = self.buffers.get_mut(&buffer).expect("a live buffer");
        all[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn read(&self, buffer: Buffer, offset: u64, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.buffers[&buffer][offset as usize..][..bytes.len()]);
    }

    fn launch(&mut self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let rows = self.problem.shape.rows();
        let all: Vec<u32> = (0..rows as u32).collect();
        for &row in launch.only.unwrap_or(&all) {
            let row = u64::from(row);
            match self.fault {
                Fault::SkipsLastRow if row == rows - 1 => {}
                Fault::WritesNextRow => {
                    self.fold(launch, row);
                    self.fold(launch, (row + 1).min(rows - 1));
                }
                _ => self.fold(launch, row),
            }
        }
        Ok(())
    }

    fn time(&mut self, launch: &Launch<'_>) -> Result<Vec<f64>, DeviceError> {
        self.launch(launch)?;
        Ok(vec![1.0])
    }
}

/// A kernel as the native generator makes them, or one whose outputs share a buffer, as IREE's do.
fn kernel(problem: &Problem, shared: bool) -> CompiledKernel {
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
    CompiledKernel {
        code_object: Arc::new([]),
        symbol: "fold".to_owned(),
        workgroups: [rows as u32, 1, 1],
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
        rows_per_workgroup: Some(1),
        compiler: Compiler {
            name: "none",
            version: String::new(),
        },
    }
}

fn outcome(problem: &str, fault: Fault, shared: bool) -> Outcome {
    let problem: Problem = problem.parse().unwrap();
    let inputs = Inputs::new(&problem, 1).unwrap();
    let device = Box::new(Host::new(&problem, fault));
    let mut bench = Bench::new(device, &inputs).unwrap();
    bench.evaluate(&kernel(&problem, shared))
}

#[track_caller]
fn check_right(problem: &str) {
    for shared in [false, true] {
        let outcome = outcome(problem, Fault::None, shared);
        assert!(
            matches!(outcome, Outcome::Right(_)),
            "{problem}: {outcome:?}"
        );
    }
}

/// What the device does wrong is found: it is wrong, or returns another index of a tie.
#[track_caller]
fn check_found(fault: Fault, problem: &str, expected: &str) {
    let found = match outcome(problem, fault, false) {
        Outcome::Wrong(difference) => format!("wrong: {difference}"),
        Outcome::Tie(_, difference) => format!("tie: {difference}"),
        other => panic!("{problem} {fault:?}: {other:?}"),
    };
    assert!(found.contains(expected), "{problem} {fault:?}: {found}");
}

/// The fold is right with all options, layouts and types, whatever the comparator is.
#[test]
fn folds_are_right() {
    for comparator in ["argmax", "argmin_last", "argmax_nan"] {
        for layout in [
            "4x[33]xf32",
            "[9]x5xbf16",
            "3x[4]x2x[5]xf64",
            "[70]xf8E5M2FNUZ",
        ] {
            for options in [
                "index_base",
                "explicit_index",
                "initial",
                "index_base:initial",
            ] {
                for index in ["i32", "i64"] {
                    check_right(&format!("{comparator}:{layout}:{index}:{options}"));
                }
            }
        }
    }
    check_right("argmax:6x[10]xi32:i64:explicit_index:initial:pitch=16");
    check_right("argmin.ult:[10]x6xi8:i32:explicit_index:initial:pitch=16");
    check_right("argmax:3000x[4]xi16:i64:explicit_index:initial");
    check_right("argmax:3000x[4]xi16:i32:index_base");
    let unordered = "unordered{arith.cmpi(ne,0,1)}:4x[33]xi32:i32:index_base:initial";
    check_right(unordered);
}

#[test]
fn index_bases_are_checked() {
    for problem in [
        "argmax:4x[33]xf32:i32:index_base",
        "argmin:3000x[4]xi64:i64:index_base:initial",
        "argmax:[5]xi8:i32:index_base",
    ] {
        check_found(Fault::IgnoresIndexBase, problem, "of no element");
        check_found(Fault::TruncatesIndexBase, problem, "of no element");
    }
    check_found(
        Fault::IgnoresIndexBase,
        "argmax:4x[33]xf32:i32:index_base",
        "wrong: row 0 (random, index base 2147483615): expected (",
    );
}

#[test]
fn initial_pairs_are_checked() {
    for problem in [
        "argmax:4x[33]xf32:i32:initial",
        "argmin_last:[9]x5xbf16:i64:initial",
        "argmax:[5]xi8:i32:explicit_index:initial",
        "argmax:3000x[4]xi16:i64:index_base:initial",
    ] {
        for fault in [
            Fault::IgnoresInitialPair,
            Fault::InitialIndexIsPosition,
            Fault::ReturnsInitialPair,
        ] {
            check_found(fault, problem, "initial pair (");
        }
    }
    let based = "argmax:4x[33]xf32:i64:index_base:initial";
    check_found(Fault::AddsBaseToInitialIndex, based, "of no element");
}

#[test]
fn explicit_indices_are_checked() {
    for problem in [
        "argmax:4x[33]xf32:i32:explicit_index",
        "argmin:[9]x5xbf16:i64:explicit_index",
        "argmax:6x[10]xi32:i64:explicit_index:initial:pitch=16",
    ] {
        check_found(Fault::GathersNeighbour, problem, "of ");
        check_found(Fault::ReturnsPosition, problem, "of no element");
    }
}

/// Also where the outputs held something before the launch.
#[test]
fn rows_that_are_not_computed_keep_their_poison() {
    for options in ["i32", "i64:initial"] {
        let few = format!("argmax:4x[33]xf32:{options}");
        let many = format!("argmax:3000x[4]xf32:{options}");
        check_found(Fault::SkipsLastRow, &few, "wrong: row 3");
        check_found(Fault::WritesNextRow, &many, "another workgroup's");
    }
}
