//! The HTTP server: connections, what surrounds every request, and the routes.

mod guard;
mod outer;
mod router;
mod serve;
mod traced;

pub use router::router;
pub use serve::serve;

#[cfg(test)]
pub(crate) mod tests;
