//! What operators change, of any account. Every change and the row of the audit log that tells of it are one
//! transaction, so that a change which can't be logged is not made.

pub mod deliveries;
