//! The keys of objects. They are made of ids, never of a client's words. An item's objects are under its prefix, so
//! that they can be deleted with it.

use domain::ids::{ItemId, JobId};
use domain::read::Read;
use ulid::Ulid;

/// Returns the prefix of an item's objects, which are deleted when the item is purged.
pub fn item_prefix(item: ItemId) -> String {
    format!("items/{item}")
}

/// Returns a new key for an item's own bytes. Each write has its own, so that two that race can't mix.
pub fn new_media_key(item: ItemId) -> String {
    format!("{}/{}", media_prefix(item), Ulid::generate())
}

/// The prefix of parts that clients put into the bucket themselves.
pub const SENT_PREFIX: &str = "sent";

/// Returns the key of a part of an item's bytes that a client puts into the bucket itself; the first part has number 1.
/// Whoever has its link may put it again while the link lasts, even when the item is gone. So the part itself never
/// becomes the item's object, but is joined into it, and has another prefix, which is swept of what nobody awaits.
pub fn sent_key(item: ItemId, number: usize) -> String {
    format!("{}/{number}", sent_prefix(item))
}

/// Returns the prefix of all such parts of an item.
pub fn sent_prefix(item: ItemId) -> String {
    format!("{SENT_PREFIX}/{item}")
}

/// Returns the item of such a part; none for any other key.
pub fn item_of_sent(key: &str) -> Option<ItemId> {
    key.strip_prefix(SENT_PREFIX)?.strip_prefix('/')?.split('/').next()?.parse().ok()
}

/// Returns the prefix of all writes of an item's own bytes, one of which becomes the item's.
pub fn media_prefix(item: ItemId) -> String {
    format!("items/{item}/media")
}

/// Returns the key of an item that a job makes. It names the claim, so that a worker thought dead can't overwrite
/// another's.
pub fn rendered_key(item: ItemId, job: JobId, claim_no: i32) -> String {
    format!("{}/{job}-{claim_no}", media_prefix(item))
}

/// Returns a new key for a picture of an item. Each attempt has its own, like each write of the item's bytes.
pub fn new_thumbnail_key(item: ItemId) -> String {
    format!("items/{item}/thumbnail/{}.jpg", Ulid::generate())
}

/// Returns the key of a result that is too large for its row. It names the claim, so that a worker thought dead can't
/// overwrite another's.
pub fn read_key(item: ItemId, read: Read, job: JobId, claim_no: i32) -> String {
    format!("items/{item}/reads/{read}/{job}-{claim_no}.json")
}

/// Returns the prefix of the files that go with a result, such as stills. It names the claim, as `read_key` does.
pub fn read_files_prefix(item: ItemId, read: Read, job: JobId, claim_no: i32) -> String {
    format!("items/{item}/reads/{read}/{job}-{claim_no}")
}
