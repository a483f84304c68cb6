//! Every call of HIP is exported, even if it only fails.

use libloading::Library;

/// The calls of HIP 6.3 that ROCm's `hip_hcc.map` exports, and those that its headers declare
/// beside them.
const NAMES: &str = include_str!("names.txt");

#[test]
fn every_call_is_exported() {
    // SAFETY: loading the library runs nothing but Rust's own start.
    let library = unsafe { Library::new(testing::hip::library()) }.unwrap();
    let is_missing = |name: &&str| {
        // SAFETY: the symbol is not called.
        unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err()
    };
    let missing: Vec<&str> = NAMES.lines().filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Checks all calls with zero arguments: null pointers, null handles, no bytes, device 0.
#[test]
fn no_call_crashes_on_nothing() {
    type Call = extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i32;
    // SAFETY: loading the library runs nothing but Rust's own start.
    let library = unsafe { Library::new(testing::hip::library()) }.unwrap();
    let mut answers = std::collections::BTreeMap::<i32, usize>::new();
    for name in NAMES.lines() {
        // SAFETY: C passes what a function does not take where nobody looks.
        let call = unsafe { library.get::<Call>(name.as_bytes()) }.unwrap();
        let answer = call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        // A panic would have become this.
        assert_ne!(answer, 999, "{name}");
        *answers.entry(answer).or_default() += 1;
    }
    // Most say that there is nothing, or that they are not there.
    assert!(answers[&1] > 60 && answers[&801] > 200, "{answers:?}");
}
