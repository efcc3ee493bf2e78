//! Lists over everybody's rows with filters that no index serves: a page looks through a bounded number of rows.
//!
//! Such a page may show fewer rows than were asked for and still have more after it; its cursor is then the last row
//! that was looked at. So no filter, however rare what it looks for, makes a statement scan a million rows.

use uuid::Uuid;

/// Rows that one page looks through.
pub const WINDOW: i64 = 2_000;

/// A page of such a list. `P` is what tells where the list stands: an id, where that is what it is sorted by.
#[derive(Debug)]
pub struct Seen<T, P = Uuid> {
    /// What was found, in the list's order.
    pub rows: Vec<T>,
    /// The last row looked at, when there may be more beyond it.
    pub last_seen: Option<P>,
}
