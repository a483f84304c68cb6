//! Rebuilds this package when a migration is added: the macro that embeds them sees only those that were there before.

fn main() {
    println!("cargo::rerun-if-changed=sqlite");
    println!("cargo::rerun-if-changed=postgres");
}
