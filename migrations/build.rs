//! Rebuilds this package when a migration is added: the macro that embeds the migrations does not
//! notice new files itself.

fn main() {
    println!("cargo::rerun-if-changed=sqlite");
    println!("cargo::rerun-if-changed=postgres");
}
