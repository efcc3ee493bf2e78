//! Working tickets: the only use of apalis, but for its migrations, which the store applies.
//!
//! What a ticket is, and how it is pushed, is `store::tickets`'. A handler never answers with an error, and nothing
//! here retries: delays live in our `due_at`, and the scheduler pushes a new ticket for what is due and has none.
//! Waking workers after a commit is `wake`'s.
//!
//! `work` has the workers, in one of two ways: what takes moments is fetched and acknowledged by apalis, what takes
//! minutes is claimed in the transaction that spends its tickets (`claims`), which `picker` finds.

mod claims;
mod picker;
mod slots;
mod watched;
mod work;

pub use claims::{Next, Take, Taken, Work};
pub use picker::{Picked, Picker};
pub use slots::Slot;
pub use store::tickets::{Queue, Subject, Ticket, push};
pub use work::{Claims, Handler, Subscription, WorkError, Works, work};
