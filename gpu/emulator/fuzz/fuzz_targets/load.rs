//! Loads arbitrary bytes as a file. The file is refused, or its code objects load, describe
//! themselves, and run a little under the checker. Nothing panics.

#![no_main]

#[path = "../../tests/it/support/try_out.rs"]
mod try_out;

use emulator::{check, code_objects};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(all) = code_objects(file) else {
        return;
    };
    for one in all {
        try_out::try_out(one.code_object(), |code, memory, launch| {
            for finding in &check(code, memory, launch).findings {
                assert!(!finding.to_string().is_empty());
            }
        });
    }
});
