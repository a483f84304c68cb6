//! Every operation on LDS: its results in memory and in registers.

use emulator::Isa;
use testing::Failed;

use crate::semantics::closeness::Match;
use crate::semantics::dialect::Dialect;
use crate::semantics::program::{Kernel, execute, load, present};
use crate::semantics::reference::lds::{Access, Memory, accesses};
use crate::semantics::support::Random;

const WORKGROUPS: usize = 8;
/// Bytes of LDS: 32 per item, and as many higher up for the second places of accesses with large
/// strides.
const LDS: usize = 2 * 64 * 32;
/// Input bytes of an access: LDS (two words of 64 bits) and the data (two), for 64 items each.
/// Result bytes: LDS and the destination.
const INPUT: usize = 4 * 512;
const OUTPUT: usize = 4 * 512;

fn registers(first: u32, count: u32) -> String {
    if count == 1 {
        format!("v{first}")
    } else {
        format!("v[{first}:{}]", first + count - 1)
    }
}

/// Returns the instruction on LDS address v16, with data from v4 and v8 on, into v20 and
/// following.
fn instruction(access: &Access, name: &str) -> String {
    let mut operands = Vec::new();
    if access.returns > 0 {
        operands.push(registers(20, access.returns));
    }
    operands.push("v16".into());
    for (&count, first) in access.data.iter().zip([8, 12]) {
        operands.push(registers(first, count));
    }
    format!("{name} {}{}", operands.join(", "), access.offset)
}

fn block(dialect: Dialect, access: &Access, text: &str) -> String {
    let second = access.second;
    let new = dialect.isa >= Isa::Gfx1100;
    let (write, read) = if new {
        ("ds_store_b64", "ds_load_b64")
    } else {
        ("ds_write_b64", "ds_read_b64")
    };
    let mut body = String::new();
    for (index, register) in [4, 6, 8, 12].into_iter().enumerate() {
        body += &dialect.load_two(register, 1, 4, 512 * index as u32);
    }
    body += dialect.wait();
    body += "v_lshlrev_b32 v16, 2, v1\n";
    // The third and fourth register of wide data.
    body += "v_mov_b32 v10, v12\nv_mov_b32 v11, v13\n";
    body += &format!("{write} v16, v[4:5]\n{write} v16, v[6:7] offset:{second}\n");
    for (register, from) in [(20, 12), (21, 13), (22, 4), (23, 5)] {
        body += &format!("v_mov_b32 v{register}, v{from}\n");
    }
    body += dialect.wait();
    body += text;
    body += "\n";
    body += dialect.wait();
    body += &format!("{read} v[24:25], v16\n{read} v[26:27], v16 offset:{second}\n");
    body += dialect.wait();
    for (index, register) in [24, 26, 20, 22].into_iter().enumerate() {
        body += &dialect.store(2, register, 1, 6, 512 * index as u32);
    }
    body += &dialect.advance(4, &format!("{INPUT:#x}"));
    body += &dialect.advance(6, &format!("{OUTPUT:#x}"));
    body
}

/// Returns the kernel of all operations, with the operations and their texts.
pub(crate) fn kernel(dialect: Dialect) -> Kernel<Access> {
    let all: Vec<(Access, String)> = accesses(dialect.isa)
        .into_iter()
        .flat_map(|access| {
            access
                .names
                .clone()
                .into_iter()
                .map(move |name| (access.clone(), name))
        })
        .filter(|(_, name)| !dialect.renames(name))
        .map(|(access, name)| {
            let text = instruction(&access, &name);
            (access, text)
        })
        .collect();
    let present = present(dialect, all, |(_, text)| text, 80)?;
    let body: String = present
        .iter()
        .map(|(access, text)| block(dialect, access, text))
        .collect();
    let code = load(
        dialect,
        &dialect.kernel(INPUT * present.len(), OUTPUT * present.len(), LDS, &body),
    )?;
    Ok((code, present))
}

pub(crate) fn check(dialect: Dialect) -> Result<(), Failed> {
    let (code, present) = kernel(dialect)?;
    let mut random = Random(13);
    let mut words = Vec::new();
    for index in 0..WORKGROUPS * present.len() {
        let access = &present[index % present.len()].0;
        for part in 0..4 {
            for _ in 0..64 {
                let value = access.kind.value(&mut random);
                let high = if access.kind.registers() == 1 {
                    access.kind.value(&mut random) << 32
                } else {
                    0
                };
                let value = value & access.kind.mask() | high;
                words.push(if part > 3 { random.next() } else { value });
            }
        }
    }
    let inputs: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let results = execute(
        &code,
        WORKGROUPS,
        &inputs,
        OUTPUT * present.len() * WORKGROUPS,
    )?;
    let mut wrong = Vec::new();
    for (index, (inputs, results)) in words
        .chunks_exact(INPUT / 8)
        .zip(results.chunks_exact(OUTPUT))
        .enumerate()
    {
        let (access, text) = &present[index % present.len()];
        for item in 0..64 {
            let input = |part: usize| inputs[64 * part + item];
            let result = |part: usize| {
                let at = 8 * (64 * part + item);
                u64::from_le_bytes(std::array::from_fn(|byte| results[at + byte]))
            };
            let pair = |low: u64, high: u64| u128::from(low) | (u128::from(high) << 64);
            let mut memory = Memory {
                bytes: pair(input(0), input(1)),
                data: [pair(input(2), input(3)), u128::from(input(3))],
                // The old v20 to v23.
                to: pair(input(3), input(0)),
            };
            (access.value)(&mut memory);
            let found = (pair(result(0), result(1)), pair(result(2), result(3)));
            let size = if access.kind.registers() == 1 { 32 } else { 64 };
            let value = |bytes: u128| (bytes as u64) & (u64::MAX >> (64 - size));
            let right = found.1 == memory.to
                && found.0 >> size == memory.bytes >> size
                && Match::Exact.accepts(access.kind, value(found.0), value(memory.bytes));
            if !right {
                wrong.push(format!(
                    "{text}: lds {:x} data {:x} {:x}: lds {:x} to {:x}, not lds {:x} to {:x}",
                    pair(input(0), input(1)),
                    pair(input(2), input(3)),
                    input(3),
                    found.0,
                    found.1,
                    memory.bytes,
                    memory.to
                ));
            }
        }
    }
    crate::semantics::judge(&wrong, 64 * WORKGROUPS * present.len())
}
