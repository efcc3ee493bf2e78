//! What a taken-over decoder reaches: nothing, or nothing is decoded. For (root, another user) × (umask 022, 077) ×
//! (all capabilities, none) × (namespaces, none).
//!
//! This program plays three parts, and so has a main of its own. As the test it starts itself once a row, as the
//! service of that row (`service`), which has secrets, tenants' media, sockets and a neighbour's decoder at work, and
//! starts this program a third time in ffprobe's place (`attacker`). That tries everything, and tells what worked in
//! the numbers of the streams that it claims to have found. With `measure FILE` it tells what a confined start costs.
//! Rows that need another user or other capabilities are left out where the test is not root.

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
