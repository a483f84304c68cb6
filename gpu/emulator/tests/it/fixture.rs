//! The committed code object, against the same computation on the host.

use emulator::{CodeObject, EmulatedMemory, Execution, KernelLaunch, LaunchFault, run};

const ROWS: u32 = 3;

struct Outcome {
    execution: Execution,
    values: Vec<f32>,
    indices: Vec<i32>,
}

/// Runs the argmax kernel on `ROWS` rows of `input`.
fn argmax(input: &[f32], columns: u32) -> Result<Outcome, LaunchFault> {
    argmax_with(input, columns, |launch| launch)
}

fn argmax_with(
    input: &[f32],
    columns: u32,
    change: impl for<'a> Fn(KernelLaunch<'a>) -> KernelLaunch<'a>,
) -> Result<Outcome, LaunchFault> {
    let code = CodeObject::load(include_bytes!("../../fixtures/argmax_f32x4.hsaco")).unwrap();
    let mut memory = EmulatedMemory::new();
    let data = memory.allocate(4 * input.len() as u64)?;
    let (values, indices) = (
        memory.allocate(4 * u64::from(ROWS))?,
        memory.allocate(4 * u64::from(ROWS))?,
    );
    for (word, value) in memory.bytes_mut(data).chunks_exact_mut(4).zip(input) {
        word.copy_from_slice(&value.to_le_bytes());
    }
    let mut kernarg: Vec<u8> = [data, values, indices]
        .iter()
        .flat_map(|address| address.get().to_le_bytes())
        .collect();
    kernarg.extend((columns / 4).to_le_bytes());
    let launch = change(KernelLaunch {
        kernel: code.kernel("argmax_f32x4").unwrap(),
        workgroups: [ROWS, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 1_000_000,
        resident_workgroups: 0,
        threads: 1,
    });
    let execution = run(&code, &mut memory, &launch)?;
    let words = |address| {
        memory
            .bytes(address)
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
    };
    Ok(Outcome {
        execution,
        values: words(values).map(f32::from_bits).collect(),
        indices: words(indices).map(|word| word as i32).collect(),
    })
}

fn fold(row: &[f32]) -> (f32, i32) {
    let start = (f32::NEG_INFINITY, 0);
    row.iter().enumerate().fold(start, |best, (index, &value)| {
        if value > best.0 {
            (value, index as i32)
        } else {
            best
        }
    })
}

#[track_caller]
fn check(columns: u32, value: impl Fn(u32) -> f32) {
    let input: Vec<f32> = (0..ROWS * columns).map(value).collect();
    let outcome = argmax(&input, columns).unwrap();
    for (row, data) in input.chunks_exact(columns as usize).enumerate() {
        let (value, index) = fold(data);
        assert_eq!(
            (outcome.values[row].to_bits(), outcome.indices[row]),
            (value.to_bits(), index),
            "row {row}"
        );
    }
    assert_eq!(outcome.execution.waves, u64::from(ROWS));
    assert_eq!(outcome.execution.approximate_instructions, 0);
}

fn random(index: u32) -> f32 {
    (index.wrapping_mul(2_654_435_761) >> 7) as f32 - 1e7
}

#[test]
fn argmax_is_the_fold() {
    check(4096, random);
    check(4, random);
    check(260, random);
    check(32_000, |index| (random(index) / 1e6).floor());
    check(1000, |_| 3.5);
    check(1000, |index| index as f32);
    check(1000, |index| -(index as f32));
    check(1000, |index| {
        if index % 3 == 0 {
            f32::NAN
        } else {
            random(index)
        }
    });
    check(1000, |_| f32::from_bits(1));
}

#[test]
fn only_the_asked_workgroups_run() {
    let input: Vec<f32> = (0..ROWS * 64).map(|index| index as f32 + 1.0).collect();
    let outcome = argmax_with(&input, 64, |launch| KernelLaunch {
        workgroup_subset: Some(&[1]),
        ..launch
    })
    .unwrap();
    assert_eq!(outcome.values, [0.0, 128.0, 0.0]);
    assert_eq!(outcome.execution.waves, 1);
}

#[track_caller]
fn check_fault(outcome: Result<Outcome, LaunchFault>, expected: &str) {
    let message = outcome.err().expect("a fault").to_string();
    assert!(message.contains(expected), "{message}");
}

#[test]
fn faults_have_a_location_and_a_reason() {
    let input = [1.0; 3 * 64];
    check_fault(
        argmax(&input, 128),
        "kernel argmax_f32x4, workgroup (1, 0, 0), wave 0, at 0x16c0 `global_load_dwordx4 v[12:15], v[2:3], off`: \
         lane 16 reads 16 bytes at 0x10000000300, outside of every allocation (offset 768 of an allocation of 768 bytes)",
    );
    check_fault(
        argmax_with(&input, 64, |launch| KernelLaunch {
            instruction_limit: 50,
            ..launch
        }),
        "did not end within 50 instructions",
    );
    check_fault(
        argmax_with(&input, 64, |launch| KernelLaunch {
            workgroup_size: [2048, 1, 1],
            ..launch
        }),
        "a workgroup of 2048x1x1 = 2048 work-items exceeds 1024",
    );
    // The product of these counts has more than 64 bits.
    check_fault(
        argmax_with(&input, 64, |launch| KernelLaunch {
            workgroup_size: [u32::MAX; 3],
            ..launch
        }),
        "work-items exceeds 1024",
    );
    check_fault(
        argmax_with(&input, 64, |launch| KernelLaunch {
            workgroups: [u32::MAX; 3],
            ..launch
        }),
        "workgroups are too many",
    );
    check_fault(
        argmax_with(&input, 64, |launch| KernelLaunch {
            workgroups: [u32::MAX, u32::MAX, 0],
            ..launch
        }),
        "are empty",
    );
    check_fault(
        argmax_with(&input, 64, |launch| KernelLaunch {
            kernarg: &[0; 8],
            ..launch
        }),
        "8 bytes of arguments; the kernel's end at byte 28",
    );
    check_fault(
        argmax_with(&input, 64, |launch| KernelLaunch {
            workgroup_subset: Some(&[3]),
            ..launch
        }),
        "workgroup 3 of 3 does not exist",
    );
}

/// The checker's record of each word of LDS would exceed memory.
#[test]
fn the_checker_refuses_large_launches_before_it_allocates() {
    let code = CodeObject::load(include_bytes!("../../fixtures/argmax_f32x4.hsaco")).unwrap();
    let launch = KernelLaunch {
        kernel: code.kernel("argmax_f32x4").unwrap(),
        workgroups: [1, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: u32::MAX,
        kernarg: &[0; 28],
        workgroup_subset: None,
        instruction_limit: 1,
        resident_workgroups: 0,
        threads: 1,
    };
    let checked = emulator::check(&code, &mut EmulatedMemory::new(), &launch);
    assert!(
        matches!(checked.result, Err(LaunchFault::Launch { .. })),
        "{checked:?}"
    );
}
