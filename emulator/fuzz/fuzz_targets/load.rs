//! Whatever a file holds: it is refused, or its code objects load, say what they are, and run a little under the
//! checker. Nothing panics.

#![no_main]

use emulator::{CodeObject, Launch, Memory, check, code_objects};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(all) = code_objects(file) else {
        return;
    };
    for one in all {
        if let Ok(code) = CodeObject::load(&one.code_object) {
            for kernel in code.kernels() {
                let text: usize = code.instructions(kernel).take(2_000).map(|one| one.to_string().len()).sum();
                assert!(text > 0 || code.instructions(kernel).next().is_none());
                let mut memory = Memory::new();
                let Ok(buffer) = memory.allocate(4096) else {
                    return;
                };
                let kernarg: Vec<u8> = std::iter::repeat_n(buffer.get().to_le_bytes(), 4).flatten().collect();
                let launch = Launch {
                    kernel,
                    workgroups: [2, 1, 1],
                    workgroup_size: [64, 1, 1],
                    dynamic_lds_bytes: 256,
                    kernarg: &kernarg,
                    only: None,
                    instruction_limit: 200,
                    threads: 1,
                };
                let checked = check(&code, &mut memory, &launch);
                for finding in &checked.findings {
                    assert!(!finding.to_string().is_empty());
                }
            }
        }
    }
});
