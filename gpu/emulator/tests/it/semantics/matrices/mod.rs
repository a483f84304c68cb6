//! Products of matrices: every instruction with its modifiers, against a plain product of the
//! elements that the layouts of AMD's documents name. Integers and small whole numbers must agree
//! exactly, and random numbers within the bound of [`bound`].

mod case;
mod place;
mod shape;

use case::{ProductCase, cases};
use emulator::CodeObject;
use testing::Failed;

use crate::semantics::dialect::Dialect;
use crate::semantics::program::{execute, load, present};
use crate::semantics::support::Random;
use place::{ElementPlace, index, result_registers, source, source_bits};

/// The first registers of A, B, the indices, C, and D. D may be C.
const A: usize = 2;
const B: usize = 10;
const INDEX: usize = 26;
const C: usize = 28;
const D: usize = 64;

/// Registers of all lanes of a wave: `[register][lane]`.
type Registers = Vec<Vec<u32>>;

/// Numbers to multiply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbers {
    /// Whole numbers whose sums every format holds exactly.
    Small,
    Random,
}

/// The number of registers that a case loads: A, B, indices, C; each rounded to pairs.
fn loaded(dialect: Dialect, case: &ProductCase) -> [(usize, usize); 4] {
    let shape = &case.shape;
    let even = |count: usize| count.next_multiple_of(2);
    [
        (A, even(source_bits(dialect, shape, 0) / 32)),
        (B, even(source_bits(dialect, shape, 1) / 32)),
        (INDEX, 2),
        (C, even(result_registers(dialect, shape))),
    ]
}

fn block(dialect: Dialect, case: &ProductCase) -> String {
    let mut text = String::new();
    for (first, count) in loaded(dialect, case) {
        for register in (first..first + count).step_by(2) {
            text += &dialect.load_two(register as u32, 1, 4, 0);
            text += &dialect.advance(4, "512");
        }
    }
    text += dialect.wait();
    let results = result_registers(dialect, &case.shape);
    let copies = |from: usize, to: usize, count: usize, name: &str, prefixes: [char; 2]| {
        let one = |index: usize| {
            format!(
                "{name} {}{}, {}{}\n",
                prefixes[0],
                to + index,
                prefixes[1],
                from + index
            )
        };
        (0..count).map(one).collect::<String>()
    };
    if case.accumulation {
        let sources = source_bits(dialect, &case.shape, 0) / 32;
        text += &copies(A, A, sources, "v_accvgpr_write_b32", ['a', 'v']);
        text += &copies(C, C, results, "v_accvgpr_write_b32", ['a', 'v']);
        // Products use all lanes, whatever EXEC is.
        text += "s_mov_b64 exec, 3\n";
    }
    text += "s_nop 7\ns_nop 7\n";
    text += &case.text;
    text += "\ns_nop 7\ns_nop 7\ns_nop 7\n";
    let mut results_from = case.to;
    if case.accumulation {
        text += "s_mov_b64 exec, -1\n";
        text += &copies(case.to, D, results, "v_accvgpr_read_b32", ['v', 'a']);
        results_from = D;
    }
    for register in (0..results.next_multiple_of(2)).step_by(2) {
        text += &dialect.store(2, (results_from + register) as u32, 1, 6, 0);
        text += &dialect.advance(6, "512");
    }
    text
}

fn input_bytes(dialect: Dialect, case: &ProductCase) -> usize {
    loaded(dialect, case)
        .iter()
        .map(|(_, count)| 256 * count)
        .sum()
}

fn output_bytes(dialect: Dialect, case: &ProductCase) -> usize {
    256 * result_registers(dialect, &case.shape).next_multiple_of(2)
}

/// Returns the kernel of all cases, with the cases; None if the instruction set has no product.
pub(crate) fn kernel(dialect: Dialect) -> Result<Option<(CodeObject, Vec<ProductCase>)>, Failed> {
    let all = cases(dialect);
    if all.is_empty() {
        return Ok(None);
    }
    let present = present(dialect, all, |case| &case.text, 12)?;
    let body: String = present.iter().map(|case| block(dialect, case)).collect();
    let sum = |bytes: fn(Dialect, &ProductCase) -> usize| {
        present
            .iter()
            .map(|case| bytes(dialect, case))
            .sum::<usize>()
    };
    let text = dialect.kernel(sum(input_bytes), sum(output_bytes), 0, &body);
    Ok(Some((load(dialect, &text)?, present)))
}

/// The values of a case's sources in one wave.
struct Values {
    a: Registers,
    b: Registers,
    index: Registers,
    c: Registers,
}

fn put(registers: &mut Registers, place: &ElementPlace, bits: usize, value: u64) {
    // Bit by bit, because an element of 6 bits may span two registers.
    for &lane in &place.lanes {
        for (number, bit) in (place.bit..place.bit + bits).enumerate() {
            let word = &mut registers[bit / 32][lane];
            let one = (value >> number & 1) as u32;
            *word = (*word & !(1 << (bit % 32))) | (one << (bit % 32));
        }
    }
}

fn get(registers: &Registers, place: &ElementPlace, bits: usize) -> u64 {
    let lane = place.lanes[0];
    let bit = |bit: usize| u64::from(registers[bit / 32][lane] >> (bit % 32) & 1);
    (0..bits).fold(0, |value, number| {
        value | (bit(place.bit + number) << number)
    })
}

impl Values {
    /// Returns values for one wave.
    fn new(dialect: Dialect, case: &ProductCase, numbers: Numbers, random: &mut Random) -> Values {
        let lanes = if dialect.wave32 { 32 } else { 64 };
        let [a, b, mut index_registers, c] = loaded(dialect, case).map(|(_, count)| {
            (0..count)
                .map(|_| (0..lanes).map(|_| random.next() as u32).collect())
                .collect::<Registers>()
        });
        let shape = &case.shape;
        let mut sides = [a, b];
        for (side, registers) in sides.iter_mut().enumerate() {
            let format = shape.from[side];
            for block in 0..shape.blocks {
                for i in 0..shape.rows {
                    for k in 0..shape.stored(side) {
                        let place = source(dialect, shape, side, [i, k, block]);
                        let value = case.value(format, numbers, random);
                        put(registers, &place, format.bits(), value);
                    }
                }
            }
        }
        let mut c = c;
        for block in 0..shape.blocks {
            for i in 0..shape.rows {
                for j in 0..shape.rows {
                    let place = case.result_place(dialect, [i, j, block]);
                    let value = case.addend(numbers, random);
                    put(&mut c, &place, shape.to.bits(), value);
                }
            }
        }
        if shape.is_sparse() {
            for i in 0..shape.rows {
                for pair in 0..shape.inner / 4 {
                    // Two different columns, the lower one first.
                    let first = random.below(3);
                    let second = first + 1 + random.below(3 - first);
                    for (half, value) in [first, second].into_iter().enumerate() {
                        let place = index(dialect, shape, [i, 2 * pair + half], case.index_set);
                        put(&mut index_registers, &place, 2, value);
                    }
                }
            }
        }
        let [a, b] = sides;
        Values {
            a,
            b,
            index: index_registers,
            c,
        }
    }

    /// Returns a row of A, as elements of all columns, and the magnitude of their absence.
    fn row_of_a(&self, dialect: Dialect, case: &ProductCase, i: usize, block: usize) -> Vec<f64> {
        let shape = &case.shape;
        let mut row = vec![0.0; shape.inner];
        let shared = block >> case.broadcast << case.broadcast;
        let block = if case.broadcast == 0 {
            block
        } else {
            shared + case.broadcast_block
        };
        for k in 0..shape.stored(0) {
            let place = source(dialect, shape, 0, [i, k, block]);
            let bits = get(&self.a, &place, shape.from[0].bits());
            let value = case.signed(
                0,
                place.bit,
                shape.from[0].decode(bits, case.negate & 1 != 0),
            );
            let column = if shape.is_sparse() {
                let place = index(dialect, shape, [i, k], case.index_set);
                k / 2 * 4 + get(&self.index, &place, 2) as usize
            } else {
                k
            };
            row[column] = value;
        }
        row
    }

    /// Returns a column of B.
    fn column_of_b(
        &self,
        dialect: Dialect,
        case: &ProductCase,
        j: usize,
        block: usize,
    ) -> Vec<f64> {
        let shape = &case.shape;
        (0..shape.inner)
            .map(|k| {
                let mut place = source(dialect, shape, 1, [j, k, block]);
                place.lanes = vec![case.lane_of_b(place.lanes[0])];
                let bits = get(&self.b, &place, shape.from[1].bits());
                let value = shape.from[1].decode(bits, case.negate & 2 != 0);
                case.signed(1, place.bit, value)
            })
            .collect()
    }
}

/// Returns the largest error of a sum of `count` products with these magnitudes: each addition may
/// round in another order, and the result rounds to its format.
fn bound(case: &ProductCase, count: usize, magnitudes: f64, result: f64) -> f64 {
    let (sums, end) = match case.shape.to.bits() {
        64 => (2f64.powi(-52), 0.0),
        32 => (2f64.powi(-23), 0.0),
        // A half has 10 bits of fraction, a bfloat16 7.
        _ => (
            2f64.powi(-23),
            2f64.powi(if case.shape.to == shape::HALF {
                -11
            } else {
                -8
            }),
        ),
    };
    count as f64 * sums * magnitudes + end * result.abs()
}

pub(crate) fn check(dialect: Dialect) -> Result<(), Failed> {
    let Some((code, present)) = kernel(dialect)? else {
        return Ok(());
    };
    let mut wrong = Vec::new();
    let mut elements = 0;
    for numbers in [Numbers::Small, Numbers::Random] {
        let mut random = Random(7);
        let lanes = if dialect.wave32 { 32 } else { 64 };
        let mut inputs: Vec<u8> = Vec::new();
        let mut all = Vec::new();
        for case in &present {
            let waves: Vec<Values> = (0..64 / lanes)
                .map(|_| Values::new(dialect, case, numbers, &mut random))
                .collect();
            for part in 0..4 {
                let of = |wave: &Values| match part {
                    0 => wave.a.clone(),
                    1 => wave.b.clone(),
                    2 => wave.index.clone(),
                    _ => wave.c.clone(),
                };
                let parts: Vec<Registers> = waves.iter().map(of).collect();
                for pair in 0..parts[0].len() / 2 {
                    for wave in &parts {
                        for (low, high) in wave[2 * pair].iter().zip(&wave[2 * pair + 1]) {
                            inputs.extend(low.to_le_bytes());
                            inputs.extend(high.to_le_bytes());
                        }
                    }
                }
            }
            all.push(waves);
        }
        let bytes = present.iter().map(|case| output_bytes(dialect, case)).sum();
        let results = execute(&code, 1, &inputs, bytes)?;
        let mut at = 0;
        for (case, waves) in present.iter().zip(&all) {
            let output = &results[at..at + output_bytes(dialect, case)];
            at += output.len();
            for (wave, values) in waves.iter().enumerate() {
                let registers: Registers = (0..result_registers(dialect, &case.shape))
                    .map(|register| {
                        let word = |lane: usize| {
                            let byte = 512 * (register / 2)
                                + 8 * (wave * lanes + lane)
                                + 4 * (register % 2);
                            u32::from_le_bytes(std::array::from_fn(|one| output[byte + one]))
                        };
                        (0..lanes).map(word).collect()
                    })
                    .collect();
                elements += compare(dialect, case, values, &registers, numbers, &mut wrong);
            }
        }
    }
    crate::semantics::judge(&wrong, elements)
}

/// Compares D of one wave; returns the number of elements.
fn compare(
    dialect: Dialect,
    case: &ProductCase,
    values: &Values,
    found: &Registers,
    numbers: Numbers,
    wrong: &mut Vec<String>,
) -> usize {
    let shape = &case.shape;
    // The bits that no element covers keep their value.
    let mut expected = if case.to == C {
        values.c.clone()
    } else {
        found.clone()
    };
    let mut within = true;
    for block in 0..shape.blocks {
        let columns: Vec<Vec<f64>> = (0..shape.rows)
            .map(|j| values.column_of_b(dialect, case, j, block))
            .collect();
        for i in 0..shape.rows {
            let row = values.row_of_a(dialect, case, i, block);
            for (j, column) in columns.iter().enumerate() {
                let place = case.result_place(dialect, [i, j, block]);
                let c = case.addend_value(get(&values.c, &place, shape.to.bits()));
                let products = || row.iter().zip(column).map(|(a, b)| a * b);
                let sum = products().sum::<f64>() + c;
                let bits = get(found, &place, shape.to.bits());
                if shape.to.is_integer() || numbers == Numbers::Small {
                    put(&mut expected, &place, shape.to.bits(), case.bits_of(sum));
                    continue;
                }
                let value = shape.to.decode(bits, true);
                let magnitudes = products().map(f64::abs).sum::<f64>() + c.abs();
                let limit = bound(case, shape.inner + 1, magnitudes, sum);
                if (value - sum).abs() > limit && within {
                    within = false;
                    wrong.push(format!(
                        "{} D[{i}][{j}] of block {block}: {value}, not {sum} within {limit}",
                        case.text
                    ));
                }
                put(&mut expected, &place, shape.to.bits(), bits);
            }
        }
    }
    let differs = |register: &usize| expected[*register] != found[*register];
    if let Some(register) = (0..found.len()).find(differs) {
        let lanes = expected[register].iter().zip(&found[register]);
        let lane = lanes
            .into_iter()
            .position(|(one, other)| one != other)
            .unwrap_or(0);
        wrong.push(format!(
            "{} {numbers:?}: register {register} of D, lane {lane}: {:#x}, not {:#x}",
            case.text, found[register][lane], expected[register][lane]
        ));
    }
    shape.rows * shape.rows * shape.blocks
}
