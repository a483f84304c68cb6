//! The operations that any file must survive, for the tests of damaged files and for the fuzzer.

use emulator::{CodeObject, EmulatedMemory, KernelLaunch};

/// Loads `file` if it is a code object, prints its instructions and launches its kernels with a
/// few instructions.
pub(crate) fn try_out(
    file: &[u8],
    launch: impl Fn(&CodeObject, &mut EmulatedMemory, &KernelLaunch<'_>),
) {
    let Ok(code) = CodeObject::load(file) else {
        return;
    };
    for kernel in code.kernels() {
        let most = file.len() / 4;
        assert!(code.instructions(kernel).count() <= most);
        for instruction in code.instructions(kernel).take(20) {
            assert!(!instruction.to_string().is_empty());
        }
        let mut memory = EmulatedMemory::new();
        let buffer = memory.allocate(4096).unwrap();
        let mut kernarg: Vec<u8> = std::iter::repeat_n(buffer.get().to_le_bytes(), 3)
            .flatten()
            .collect();
        kernarg.extend(64u32.to_le_bytes());
        let little = KernelLaunch {
            kernel,
            workgroups: [2, 1, 1],
            workgroup_size: [64, 1, 1],
            dynamic_lds_bytes: 256,
            kernarg: &kernarg,
            workgroup_subset: None,
            instruction_limit: 300,
            resident_workgroups: 0,
            threads: 1,
        };
        launch(&code, &mut memory, &little);
    }
}
