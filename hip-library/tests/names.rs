//! Every call of HIP is there, if only to say that it is not.

mod support;

use libloading::Library;

/// The calls of HIP 6.3, as ROCm's `hip_hcc.map` exports them.
const NAMES: &str = include_str!("names.txt");

#[test]
fn every_call_is_exported() {
    // SAFETY: loading the library runs nothing but Rust's own start.
    let library = unsafe { Library::new(support::library()) }.unwrap();
    let is_missing = |name: &&str| {
        // SAFETY: the symbol is not called.
        unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err()
    };
    let missing: Vec<&str> = NAMES.lines().filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
