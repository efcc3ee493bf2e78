//! The keys of objects. They are made of ids, never of a client's words. What belongs to an item stands under that
//! item's prefix, so that it can be dropped with it.

use domain::ids::{ItemId, JobId};
use domain::read::Read;
use ulid::Ulid;

/// The prefix of everything that belongs to an item; it goes when the item is purged.
pub fn item_prefix(item: ItemId) -> String {
    format!("items/{item}")
}

/// A fresh key for an item's own bytes. Each write has its own, so that two that race can't mix.
pub fn new_media_key(item: ItemId) -> String {
    format!("{}/{}", media_prefix(item), Ulid::generate())
}

/// The prefix of what clients have put into the bucket themselves.
pub const SENT_PREFIX: &str = "sent";

/// The key of a part of an item's own bytes that a client puts into the bucket itself, counted from one. Whoever has
/// its link may put it again for as long as the link lasts, also when the item is gone: so it never is an item's, but
/// joined to one that is, and has a prefix of its own, which is swept by age.
pub fn sent_key(item: ItemId, number: usize) -> String {
    format!("{SENT_PREFIX}/{item}/{number}")
}

/// The prefix of every write of an item's own bytes, of which one is the item's in the end.
pub fn media_prefix(item: ItemId) -> String {
    format!("items/{item}/media")
}

/// The key of an item that a job renders. It names the claim, so that a worker thought dead can't overwrite another's.
pub fn rendered_key(item: ItemId, job: JobId, claim_no: i32) -> String {
    format!("{}/{job}-{claim_no}", media_prefix(item))
}

/// A fresh key for a picture of an item. Each attempt has its own, as each write of its bytes has.
pub fn new_thumbnail_key(item: ItemId) -> String {
    format!("items/{item}/thumbnail/{}.jpg", Ulid::generate())
}

/// The key of a result too large for its row. It names the claim, so that a worker thought dead can't overwrite
/// another's.
pub fn read_key(item: ItemId, read: Read, job: JobId, claim_no: i32) -> String {
    format!("items/{item}/reads/{read}/{job}-{claim_no}.json")
}

/// The prefix of the files that go with a result, such as stills. It names the claim, as `read_key` does.
pub fn read_files_prefix(item: ItemId, read: Read, job: JobId, claim_no: i32) -> String {
    format!("items/{item}/reads/{read}/{job}-{claim_no}")
}
