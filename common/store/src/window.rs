//! Lists over all accounts' rows with filters that no index serves: a page looks through a bounded number of rows.
//!
//! Such a page may show fewer rows than were requested and still have more after it; its cursor is then the last row
//! that was looked at. So no filter, however rare its matches, makes a statement scan a million rows.

use uuid::Uuid;

/// How many rows one page looks through.
pub const WINDOW: i64 = 2_000;

/// A page of such a list. `P` is a place in the list: an id, if the list is sorted by ids.
#[derive(Debug)]
pub struct Seen<T, P = Uuid> {
    /// The rows that matched, in the list's order.
    pub rows: Vec<T>,
    /// The last row that was looked at, when there may be more after it; none at the end of the list.
    pub last_seen: Option<P>,
}
