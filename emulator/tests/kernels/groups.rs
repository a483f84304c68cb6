//! Kernels whose work-items cooperate, against the same computation in Rust.

use emulator::{Fault, Launch, Memory, run};
use libtest_mimic::Failed;

use super::compile;
use super::support::Random;

type GroupTest = fn(&str) -> Result<(), Failed>;

pub(super) const TESTS: [(&str, GroupTest); 6] = [
    ("scan256", scan),
    ("histogram", histogram),
    ("atomics", atomics),
    ("wave_sum", wave_sum),
    ("uneven_barrier", uneven),
    ("dimensions", dimensions),
];

/// Runs a kernel of `groups.hip` on buffers of words; returns what they hold afterwards.
fn groups(
    level: &str,
    kernel: &str,
    grid: ([u32; 3], [u32; 3]),
    buffers: &[Vec<u32>],
) -> Result<Result<Vec<Vec<u32>>, Fault>, Failed> {
    let code = compile("groups.hip", level)?;
    let kernel = code.kernel(kernel).ok_or("no such kernel")?;
    let mut memory = Memory::new();
    let mut kernarg = Vec::new();
    let mut addresses = Vec::new();
    for words in buffers {
        let address = memory.allocate(4 * words.len() as u64)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.bytes_mut(address).copy_from_slice(&bytes);
        kernarg.extend(address.get().to_le_bytes());
        addresses.push(address);
    }
    let launch = Launch {
        kernel,
        workgroups: grid.0,
        workgroup_size: grid.1,
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        only: None,
        instruction_limit: 1_000_000,
    };
    Ok(run(code, &mut memory, &launch).map(|_| {
        addresses
            .iter()
            .map(|&address| memory_words(&memory, address))
            .collect()
    }))
}

fn memory_words(memory: &Memory, address: emulator::Address) -> Vec<u32> {
    let words = memory.bytes(address).chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

fn equal<T: PartialEq + std::fmt::Debug>(got: &[T], expected: &[T]) -> Result<(), Failed> {
    match got.iter().zip(expected).position(|(a, b)| a != b) {
        None if got.len() == expected.len() => Ok(()),
        None => Err(format!("{} values, not {}", got.len(), expected.len()).into()),
        Some(index) => {
            Err(format!("at {index}: {:?}, not {:?}", got[index], expected[index]).into())
        }
    }
}

fn words(count: usize) -> Vec<u32> {
    let mut random = Random(count as u64);
    (0..count).map(|_| random.next() as u32).collect()
}

fn scan(level: &str) -> Result<(), Failed> {
    let input = words(1024);
    let result = groups(
        level,
        "scan256",
        ([4, 1, 1], [256, 1, 1]),
        &[vec![0; 1024], input.clone()],
    )??;
    let sums = input.chunks_exact(256).flat_map(|part| {
        part.iter().scan(0u32, |sum, value| {
            *sum = sum.wrapping_add(*value);
            Some(*sum)
        })
    });
    equal(&result[0], &sums.collect::<Vec<u32>>())
}

fn histogram(level: &str) -> Result<(), Failed> {
    let input = words(192 * 5);
    let result = groups(
        level,
        "histogram",
        ([5, 1, 1], [192, 1, 1]),
        &[vec![0; 16], input.clone()],
    )??;
    let count = |class: u32| input.iter().filter(|value| *value & 15 == class).count() as u32;
    equal(&result[0], &(0..16).map(count).collect::<Vec<u32>>())
}

/// Lanes act in order, instruction after instruction.
fn atomics(level: &str) -> Result<(), Failed> {
    let input = words(64);
    let start = vec![1, 0xffff_ffff, 0, 0x1234, 0xffff_ffff, 0, 77, 0];
    let result = groups(
        level,
        "atomics",
        ([1, 1, 1], [64, 1, 1]),
        &[start.clone(), vec![5; 6], vec![0; 64], input.clone()],
    )??;
    let mut state = start;
    let mut longs = [0x5_0000_0005u64; 3];
    let mut old = vec![0u32; 64];
    let mut step = |word: usize, mix: fn(u32, u32) -> u32, next: fn(u32, u32, u32) -> u32| {
        for (lane, &x) in input.iter().enumerate() {
            old[lane] = mix(old[lane], state[word]);
            state[word] = next(state[word], x, lane as u32);
        }
    };
    let add: fn(u32, u32) -> u32 = u32::wrapping_add;
    let xor: fn(u32, u32) -> u32 = |a, b| a ^ b;
    step(0, add, |s, x, _| s.wrapping_add(x));
    step(1, xor, |s, x, _| s & (x | 0xff));
    step(2, add, |s, x, _| s | (x & 0x0f0f));
    step(3, xor, |s, x, _| s ^ x);
    step(4, add, |s, x, _| s.min(x));
    step(5, xor, |s, x, _| s.max(x));
    step(6, add, |_, x, _| x);
    step(7, xor, |s, _, lane| if s == lane { lane + 1 } else { s });
    for (lane, &x) in input.iter().enumerate() {
        old[lane] = old[lane].wrapping_add(longs[0] as u32);
        longs[0] = longs[0].wrapping_add((u64::from(x) << 32) | lane as u64);
    }
    for (lane, &x) in input.iter().enumerate() {
        old[lane] ^= longs[1] as u32;
        longs[1] = longs[1].max(u64::from(x) * u64::from(x));
    }
    for (lane, value) in old.iter_mut().enumerate() {
        *value = value.wrapping_add(longs[2] as u32);
        longs[2] = if longs[2] == lane as u64 {
            lane as u64 + 1
        } else {
            longs[2]
        };
    }
    equal(&result[0], &state)?;
    equal(
        &result[1],
        &longs
            .iter()
            .flat_map(|value| [*value as u32, (*value >> 32) as u32])
            .collect::<Vec<u32>>(),
    )?;
    equal(&result[2], &old)
}

fn wave_sum(level: &str) -> Result<(), Failed> {
    let input = words(64);
    let result = groups(
        level,
        "wave_sum",
        ([1, 1, 1], [64, 1, 1]),
        &[vec![0; 2], input.clone()],
    )??;
    let sum = input
        .iter()
        .fold(0u32, |sum, value| sum.wrapping_add(*value));
    equal(&result[0], &[sum, sum])
}

/// A wave that has ended counts no longer at a barrier.
fn uneven(level: &str) -> Result<(), Failed> {
    let result = groups(level, "uneven", ([1, 1, 1], [128, 1, 1]), &[vec![0; 128]])??;
    equal(&result[0], &[1; 128])
}

fn dimensions(level: &str) -> Result<(), Failed> {
    let result = groups(
        level,
        "dimensions",
        ([2, 3, 4], [5, 4, 3]),
        &[vec![0; 24 * 60]],
    )??;
    let expected =
        (0..24u32).flat_map(|group| (0..60).map(move |item| group * 1000 + item + 43_200_000));
    equal(&result[0], &expected.collect::<Vec<u32>>())
}
