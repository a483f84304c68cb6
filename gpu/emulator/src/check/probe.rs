//! Trial executions that find the undefined result bits of an instruction.
//!
//! The instruction runs several times on a stand-in for the wave, each time with other values in
//! the undefined bits. Result bits that differ are undefined. Every instruction that computes
//! registers from registers thus propagates undefined bits exactly, without rules here.
//!
//! A dependence may escape if no trial shows it. The trials therefore include the values of the
//! other sources and of constants, because comparisons react to them.

use super::undefined_registers::{UndefinedLanes, UndefinedRegisters};
use crate::effects::{SCALAR, SCC};
use crate::execute::{NoObserver, PreparedProgram, Wave, WorkgroupContext, run};
use crate::operation::Lanes;

/// The largest number of values of other sources and of constants to try.
const OTHERS: usize = 4;
/// The values of every probe: special cases of floats and integers, and the largest floats.
/// Random values follow.
const ALWAYS: [u32; 6] = [
    0,
    u32::MAX,
    0x7fff_ffff,
    0x8000_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
];
const RANDOM: usize = 3;

/// The replacement of undefined bits in a trial.
#[derive(Clone, Copy)]
enum Fill {
    Word(u32),
    /// The value of the source at this distance from the own one.
    Source(usize),
    Random(u64),
}

/// The stand-in wave for trials, with its buffers.
pub(super) struct Probe {
    wave: Wave,
    /// The registers that the instruction reads, then those that it writes.
    registers: Vec<ProbedRegister>,
    /// For each written register, the result of the first trial, and the bits that differ in
    /// others.
    results: Vec<[Lanes; 2]>,
}

/// A register of the wave.
struct ProbedRegister {
    register: u16,
    value: Lanes,
    /// Its undefined bits; None if it has none.
    undefined: Option<Lanes>,
}

impl Probe {
    pub(super) fn new(stand_in: Wave) -> Probe {
        Probe {
            wave: stand_in,
            registers: Vec::new(),
            results: Vec::new(),
        }
    }

    /// Sets the undefined bits of the registers `writes` after the wave's current instruction.
    pub(super) fn run(
        &mut self,
        code: &PreparedProgram,
        wave: &Wave,
        device: &mut WorkgroupContext<'_>,
        registers: &mut UndefinedRegisters,
        (reads, writes): (&[u16], &[u16]),
        constants: &[u64],
    ) {
        // The limit makes the run loop stop after one instruction.
        let limit = std::mem::replace(&mut device.instruction_limit, 1);
        let held = |&register: &u16| ProbedRegister {
            register,
            value: value(wave, register),
            undefined: (registers.is_dirty(register)).then(|| undefined(registers, register)),
        };
        self.registers.clear();
        self.registers.extend(reads.iter().chain(writes).map(held));
        self.results.clear();
        self.results.resize(writes.len(), [Lanes([0; 64]); 2]);
        // A comparison with a source or constant changes only near that value, so trials include
        // both.
        let fills = (ALWAYS.map(Fill::Word).into_iter())
            .chain((1..reads.len().min(OTHERS)).map(Fill::Source))
            .chain(
                (constants.iter())
                    .flat_map(|&one| [one as u32, (one >> 32) as u32])
                    .map(Fill::Word),
            )
            .chain((0..RANDOM as u64).map(|index| Fill::Random(index + 1)));
        for (trial, fill) in fills.enumerate() {
            self.wave.stand_in(wave);
            for index in 0..self.registers.len() {
                self.fill(index, reads.len(), fill);
            }
            // The limit stops the wave before a second instruction.
            let _ = run(code, &mut self.wave, device, &mut NoObserver);
            for ([first, differing], &register) in self.results.iter_mut().zip(writes) {
                let result = value(&self.wave, register);
                if trial == 0 {
                    *first = result;
                    continue;
                }
                let pairs = first.0.iter().zip(&result.0);
                for (bits, (one, other)) in differing.0.iter_mut().zip(pairs) {
                    *bits |= one ^ other;
                }
            }
        }
        device.instruction_limit = limit;
        for (&register, [_, differing]) in writes.iter().zip(&self.results) {
            match register {
                0..SCALAR => registers.set_vector(register, u64::MAX, bytes(differing)),
                SCC => registers.set_scc(differing.0[0] != 0),
                _ => registers.set_scalar(usize::from(register - SCALAR), differing.0[0]),
            }
        }
    }

    /// Gives the stand-in a register with its undefined bits filled.
    fn fill(&mut self, index: usize, reads: usize, fill: Fill) {
        let held = &self.registers[index];
        let mut all = held.value;
        if let Some(undefined) = &held.undefined {
            let filling = match fill {
                Fill::Word(word) => Lanes([word; 64]),
                Fill::Source(by) => self.registers[(index + by) % reads].value,
                Fill::Random(seed) => random(seed, held.register),
            };
            for ((value, fill), mask) in all.0.iter_mut().zip(filling.0).zip(undefined.0) {
                *value = (*value & !mask) | (fill & mask);
            }
        }
        match held.register {
            vector @ 0..SCALAR => self.wave.vector[usize::from(vector)] = all,
            SCC => self.wave.scc = all.0[0] & 1 != 0,
            scalar => (self.wave).set_scalar_at(0, usize::from(scalar - SCALAR), all.0[0]),
        }
    }
}

/// Returns the value of any register; a scalar value is in every lane.
fn value(wave: &Wave, register: u16) -> Lanes {
    match register {
        0..SCALAR => wave.vector[usize::from(register)],
        SCC => Lanes([u32::from(wave.scc); 64]),
        _ => Lanes([wave.scalar_at(usize::from(register - SCALAR)); 64]),
    }
}

/// Returns one bit for each undefined bit of the register.
fn undefined(registers: &UndefinedRegisters, register: u16) -> Lanes {
    match register {
        0..SCALAR => {
            let bytes = registers.vector(register);
            Lanes(std::array::from_fn(|lane| {
                (0..4).fold(0, |word, byte| {
                    word | (((bytes[byte] >> lane) as u32 & 1) * (0xff << (8 * byte)))
                })
            }))
        }
        SCC => Lanes([u32::from(registers.scc()); 64]),
        _ => Lanes([registers.scalar(usize::from(register - SCALAR)); 64]),
    }
}

/// Returns the bytes that have any of the bits.
fn bytes(bits: &Lanes) -> UndefinedLanes {
    std::array::from_fn(|byte| {
        bits.0.iter().enumerate().fold(0, |mask, (lane, word)| {
            mask | (u64::from((word >> (8 * byte)) & 0xff != 0) << lane)
        })
    })
}

fn random(seed: u64, register: u16) -> Lanes {
    let mut state = (seed << 32) ^ (u64::from(register) << 16) ^ 0x9e37_79b9_7f4a_7c15;
    Lanes(std::array::from_fn(|_| {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    }))
}
