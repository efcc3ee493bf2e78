//! The operations as an endpoint, for the one that calls another by its name.
//!
//! It is known once the routes are put together, which hold this app themselves: so it is held weakly, and lives as
//! long as they do.

use poem::endpoint::BoxEndpoint;
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// What answers operations, by their path without the version.
pub type Operations = BoxEndpoint<'static>;

/// Where it is found once it is made.
#[derive(Default)]
pub struct OperationsHandle(RwLock<Weak<Operations>>);

impl OperationsHandle {
    /// These answer from now on.
    pub fn set(&self, operations: &Arc<Operations>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(operations);
    }

    /// What answers; none before the routes are there and after they are gone.
    pub fn get(&self) -> Option<Arc<Operations>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).upgrade()
    }
}
