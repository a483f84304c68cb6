//! Gives the library the name by which programs that were linked with it look for it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libwavetune_hip.so");
}
