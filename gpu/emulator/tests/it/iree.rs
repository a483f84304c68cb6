//! IREE's own kernel: arguments preloaded into registers, loads through buffer resources.

use emulator::{CodeObject, EmulatedMemory, KernelLaunch, run};

const ROWS: usize = 4;
const COLUMNS: usize = 32_000;
/// Byte offset of the indices in their binding, as in the dispatch's source.
const INDICES: usize = 64;

/// Returns values and indices of the rows of `input`.
fn argmax(input: &[f32]) -> Vec<(f32, usize)> {
    let code =
        CodeObject::load(include_bytes!("../../fixtures/iree_argmax_4x32000.hsaco")).unwrap();
    let kernel = &code.kernels()[0];
    assert_eq!(kernel.user_registers.preload_dwords, 6);
    assert_eq!(kernel.required_workgroup_size, Some([64, 1, 1]));
    let mut memory = EmulatedMemory::new();
    let data = memory.allocate(4 * input.len() as u64).unwrap();
    let out = memory.allocate(128).unwrap();
    for (word, value) in memory.bytes_mut(data).chunks_exact_mut(4).zip(input) {
        word.copy_from_slice(&value.to_le_bytes());
    }
    let kernarg: Vec<u8> = [data, out, out]
        .iter()
        .flat_map(|address| address.get().to_le_bytes())
        .collect();
    let launch = KernelLaunch {
        kernel,
        workgroups: [ROWS as u32, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 1_000_000,
        resident_workgroups: 0,
        threads: 1,
    };
    let execution = run(&code, &mut memory, &launch).unwrap();
    assert_eq!(execution.bytes_read as usize, 4 * input.len());
    let word = |start: usize| {
        let bytes = &memory.bytes(out)[start..start + 4];
        u32::from_le_bytes(bytes.try_into().unwrap())
    };
    (0..ROWS)
        .map(|row| {
            (
                f32::from_bits(word(4 * row)),
                word(INDICES + 4 * row) as usize,
            )
        })
        .collect()
}

#[test]
fn distinct_values_have_one_answer() {
    let value = |index: usize| ((index as u32).wrapping_mul(2_654_435_761) >> 8) as f32;
    let input: Vec<f32> = (0..ROWS * COLUMNS).map(value).collect();
    for (row, (value, index)) in argmax(&input).into_iter().enumerate() {
        let data = &input[row * COLUMNS..][..COLUMNS];
        let most = data.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!((value, data[index]), (most, most), "row {row}");
        assert_eq!(data.iter().filter(|&&one| one == most).count(), 1);
    }
}

/// IREE promises no tie-break; it returns the index of the lowest lane (four consecutive elements
/// per lane).
#[test]
fn a_tie_goes_to_the_lowest_lane() {
    let mut input = vec![0.0; ROWS * COLUMNS];
    // Element 600 belongs to lane 22 of its first pass, element 1028 to lane 1 of a later one.
    input[600] = 5.0;
    input[1028] = 5.0;
    let answers = argmax(&input);
    assert_eq!(answers[0], (5.0, 1028));
}
