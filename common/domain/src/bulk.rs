//! Operators' bulk operations: what is done with all that match a filter, and how far it is (contract §11).

use super::series::words;
use serde::{Deserialize, Serialize};

/// How many bulk operations may run at the same time.
pub const MOST_RUNNING: i64 = 5;

/// The most characters of a bulk operation's name.
pub const MOST_NAME_CHARACTERS: usize = 200;

words! {
    /// What a bulk operation does.
    BulkKind {
        /// It sends again what did not arrive.
        ResendDeliveries = "resend_deliveries",
    }
}

words! {
    /// How far a bulk operation is.
    BulkState {
        /// A scheduler takes it forward.
        Running = "running",
        /// An operator stopped it; what it had done stays done.
        Stopped = "stopped",
        /// It has come to its end.
        Finished = "finished",
    }
}
