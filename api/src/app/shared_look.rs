//! What operators look at together: found once for all who come within some seconds, however many tabs show it.
//!
//! The seconds are the database's and begin at fixed times, so what was found is shown for that long at most. Who comes
//! while another looks waits for what that one finds, and gets its error too; an error is not kept.

use crate::http::error::{Answer, ApiError};
use chrono::{DateTime, Utc};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use std::sync::Arc;

/// What was found last.
pub struct SharedLook<T> {
    seconds: i64,
    found: Cache<i64, Arc<T>>,
}

impl<T: Send + Sync + 'static> SharedLook<T> {
    /// One that looks anew after so many seconds.
    pub fn new(seconds: i64) -> Self {
        // The newest is kept: by the usual policy it would have to be asked for more often than the one before.
        Self { seconds, found: Cache::builder().max_capacity(1).eviction_policy(EvictionPolicy::lru()).build() }
    }

    /// Returns what `look` finds, or what another has found within the same seconds.
    pub async fn at(&self, now: DateTime<Utc>, look: impl Future<Output = sqlx::Result<T>>) -> Answer<Arc<T>> {
        let found = async { look.await.map(Arc::new) };
        let shared = self.found.try_get_with(now.timestamp().div_euclid(self.seconds), found);
        // What the cache needs for this is large.
        Box::pin(shared).await.map_err(|error| ApiError::from(&*error))
    }
}
