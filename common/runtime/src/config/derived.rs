//! What follows from settings: in other units, or from what stands in where one is unset.

use super::Settings;
use std::time::Duration;

impl Settings {
    /// Returns how long a receiver has for its whole response.
    pub fn webhook_timeout(&self) -> Duration {
        Duration::from_millis(self.webhook_timeout_ms)
    }

    /// Returns the URL of the media store: the setting, or the folder `media` in the data folder.
    pub fn media_store_url(&self) -> String {
        self.media_store.clone().unwrap_or_else(|| format!("file:{}", self.data_dir.join("media").display()))
    }

    /// Returns the URL for migrations and for listening: `MWS_DATABASE_DIRECT_URL`, or else the database's own.
    pub fn direct_url<'a>(&'a self, database_url: &'a str) -> &'a str {
        self.database_direct_url.as_deref().unwrap_or(database_url)
    }

    /// Returns how many reads this process runs at once; at least one.
    pub fn read_slots(&self) -> usize {
        self.worker_reads
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
            .max(1)
    }
}
