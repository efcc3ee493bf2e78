//! Rebuilds the crate when a migration is added: the macro that embeds them notices only changes of those it knows.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
