//! Works tickets: the only use of apalis, except for its migrations, which the store applies.
//!
//! `store::tickets` has what a ticket is, and how it is pushed. A handler never returns an error, and nothing here
//! retries: `due_at` in our rows has the delays, and the scheduler pushes a new ticket for a due row that has none.
//! `wake` wakes workers after a commit.
//!
//! `work` has the workers, of two sorts: apalis fetches and acknowledges the tickets of short work (moments); long work
//! (minutes) is claimed in the transaction that deletes its tickets (`claims`), which `picker` finds.

mod claims;
mod picker;
mod slots;
mod watched;
mod work;

use domain::ids::UploadId;
use domain::job::dated_back;
use store::uploads::Stage;

pub use claims::{Next, Take, Taken, Work};
pub use picker::{Picked, Picker};
pub use slots::{LentSlots, Slot};
pub use store::tickets::{Queue, Subject, Ticket, push};
pub use work::{Claims, Handler, Subscription, WorkError, Works, work};

/// Returns a ticket for an upload whose account has `others` in line at this stage.
pub fn upload_ticket(upload: UploadId, stage: Stage, others: i64) -> Ticket {
    Ticket::new(Queue::from(stage), Subject::Upload(upload)).dated_back(dated_back(others))
}
