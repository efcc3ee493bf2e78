//! What the service does when it is asked, apart from how it is asked: one file a use case.

pub mod dispatch;
pub mod once;
pub mod quotas;
pub mod starting;
