//! The operations as an endpoint, for the tools that call another by its name.
//!
//! The endpoint is made of the routes, and each route holds the app. So the app gets the endpoint after the routes are
//! put together, and holds it weakly: a strong reference would keep both alive for ever.

use poem::endpoint::BoxEndpoint;
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// The endpoint of all operations. Their paths have no version.
pub type Operations = BoxEndpoint<'static>;

/// Where the endpoint is found once it is made.
#[derive(Default)]
pub struct OperationsHandle(RwLock<Weak<Operations>>);

impl OperationsHandle {
    /// Makes this the endpoint from now on.
    pub fn set(&self, operations: &Arc<Operations>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(operations);
    }

    /// Returns the endpoint; none before the routes are put together and after they are dropped.
    pub fn get(&self) -> Option<Arc<Operations>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).upgrade()
    }
}
