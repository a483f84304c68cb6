//! Generator of random regions and values that often meet each other's edges.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::opcode::{Opcode, OpcodeSignature};
use super::super::predicate::{FloatPredicate, IntegerPredicate};
use super::super::region::{Region, Value};
use super::super::scalar::ScalarType;

pub(super) struct Random(Pcg64Mcg);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(Pcg64Mcg::seed_from_u64(seed))
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        *list.choose(&mut self.0).unwrap()
    }

    /// Returns bits of this type: an edge, a small number, or any.
    pub(super) fn bits(&mut self, scalar: ScalarType) -> u64 {
        let mask = scalar.mask();
        let small = self.below(9) as f64 - 4.0;
        match self.below(4) {
            0 => self.0.next_u64() & mask,
            1 if scalar.is_float() => scalar.round(small),
            1 => small as i64 as u64 & mask,
            2 if scalar.is_float() => {
                let edges = [
                    0,
                    1,
                    scalar.least_normal(),
                    scalar.greatest_finite(),
                    scalar.greatest(),
                    scalar.canonical_nan(),
                    scalar.canonical_nan() | 1,
                ];
                let sign = self.pick(&[0, scalar.sign_bit()]);
                (self.pick(&edges) | sign) & mask
            }
            2 => {
                self.pick(&[
                    0,
                    1,
                    mask,
                    scalar.sign_bit(),
                    scalar.sign_bit().wrapping_sub(1),
                ]) & mask
            }
            _ => match scalar.is_float() {
                true => scalar.round(small / 8.0),
                false => self.below(70) as u64 & mask,
            },
        }
    }

    /// Creates a region of two arguments with about this many operations.
    pub(super) fn region(&mut self, element: ScalarType, operations: usize) -> Region {
        let mut region = Region::new(element, 2);
        for _ in 0..operations {
            self.append(&mut region);
        }
        self.truths(&mut region);
        region
    }

    /// Creates a region with arguments of these types and about this many operations, the last
    /// its result.
    pub(super) fn function(&mut self, arguments: &[ScalarType], operations: usize) -> Region {
        let mut region = Region::of(arguments.iter().copied());
        for _ in 0..operations {
            self.append(&mut region);
        }
        region.set_result(Value(region.values() as u32 - 1));
        region
    }

    /// Makes a truth value the result, and appends one if there is none.
    fn truths(&mut self, region: &mut Region) {
        loop {
            let truths: Vec<Value> = values(region)
                .filter(|&value| region.type_of(value) == ScalarType::I1)
                .collect();
            match truths.last() {
                Some(last) => return region.set_result(*last),
                None => self.append(region),
            }
        }
    }

    /// Appends an operation that fits, with later values preferred as operands.
    fn append(&mut self, region: &mut Region) {
        loop {
            let mut opcode = self.pick(&Opcode::all().collect::<Vec<_>>());
            let mut result = self.pick(&ScalarType::ALL);
            match opcode {
                // The rules concern compositions of few comparisons.
                _ if self.below(3) == 0 => {
                    opcode = self.pick(&[Opcode::Andi, Opcode::Ori, Opcode::Xori, Opcode::Select])
                }
                _ if self.below(3) == 0 => {
                    opcode = self.pick(&[
                        Opcode::Cmpf(FloatPredicate::Ogt),
                        Opcode::Cmpi(IntegerPredicate::Eq),
                        Opcode::Negf,
                        Opcode::Extf,
                    ])
                }
                Opcode::Constant(_) if self.below(2) == 0 => continue,
                _ => {}
            }
            let all: Vec<Value> = values(region).collect();
            let operands = (0..opcode.arity()).map(|_| match self.below(3) {
                0 => *all.last().unwrap(),
                1 => self.pick(&all[..all.len().min(2)]),
                _ => self.pick(&all),
            });
            let operands: arrayvec::ArrayVec<Value, 3> = operands.collect();
            match opcode {
                Opcode::Constant(_) => opcode = Opcode::Constant(self.bits(result)),
                Opcode::Cmpf(_) => opcode = Opcode::Cmpf(self.pick(&FloatPredicate::ALL).0),
                Opcode::Cmpi(_) => {
                    opcode = Opcode::Cmpi(self.pick(&IntegerPredicate::all().collect::<Vec<_>>()))
                }
                _ => {}
            }
            match opcode.signature() {
                OpcodeSignature::Compare(_) => result = ScalarType::I1,
                OpcodeSignature::Same(..) => result = region.type_of(operands[0]),
                OpcodeSignature::Select => result = region.type_of(operands[2]),
                OpcodeSignature::Constant | OpcodeSignature::Cast(..) => {}
            }
            if region.append(opcode, operands, result).is_ok() {
                return;
            }
        }
    }
}

fn values(region: &Region) -> impl Iterator<Item = Value> + use<> {
    (0..region.values() as u32).map(Value)
}
