//! What a decoder that was taken over can reach: nothing; and where it can't be confined, nothing is decoded. This
//! holds for each row of (root, another user) × (umask 022, 077) × (all capabilities, none) × (namespaces, none). Rows
//! that need another user or other capabilities are left out where the test is not root.
//!
//! This program plays three parts, and so has a `main` of its own:
//! - the test (`matrix`) starts this program once for each row, as the service of that row;
//! - the service (`service`) has secrets, tenants' media, sockets and a neighbour's decoder at work. It starts this
//!   program in ffprobe's place;
//! - the attacker (`attacker`), in ffprobe's place, tries to reach everything. It can only answer as ffprobe does, so
//!   the numbers of the streams that it claims to have found tell what worked.
//!
//! With `measure FILE` the program tells what a confined start costs.

#![cfg_attr(target_os = "linux", expect(clippy::unwrap_used, reason = "a test stops at what it can't have"))]

#[cfg(target_os = "linux")]
mod attacker;
#[cfg(target_os = "linux")]
mod matrix;
#[cfg(target_os = "linux")]
mod service;

fn main() {
    // Elsewhere nothing is decoded unless a setting says so by name.
    #[cfg(target_os = "linux")]
    matrix::main();
}
