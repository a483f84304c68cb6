//! Empty: cargo ignores the build dependencies of a package without a build script.

fn main() {}
