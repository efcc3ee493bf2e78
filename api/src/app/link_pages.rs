//! The pages of public links: a short memory of their parts.
//!
//! Whoever has a link may ask for its page without end, and putting comments and transcript together costs a hundred
//! times as much as looking the link up. So one request at a time does it for an account, whatever its links, and two
//! in all (`fair_turns`). Where the item's reads are long it takes many times as long again: one request does it then,
//! beside those two. The parts are shown to everybody for two seconds, drawings of an item for ten, those of long reads
//! for a minute. Whether the link still works is checked on each request, elsewhere: nothing here lets anybody in.

use crate::http::answers::AnswerPermit;
use crate::http::error::Answer;
use bytes::Bytes;
use domain::ids::{ItemId, PublicLinkId};
use moka::future::Cache;
use moka::ops::compute::Op;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use store::items::ItemRow;

/// How long a page's parts are shown after they were put together.
const SHOWN_FOR: Duration = Duration::from_secs(2);
/// How long a drawing of an item is shown.
const DRAWN_FOR: Duration = Duration::from_secs(10);
/// The same where its reads are long.
const LONG_DRAWN_FOR: Duration = Duration::from_mins(1);
/// The reads that a page shows are long where they have more bytes together. So many are more than an hour of talk, of
/// which captions take some half a second in a debug build; a transcript may have 64 times as many.
pub const LONG_READS: i64 = 1 << 20;
/// Views of one link within this are counted as one.
const COUNTED_ONCE: Duration = Duration::from_secs(1);
/// Bytes that are kept of pages' parts, of drawings, and of drawings of long reads, each.
const MOST_KEPT: u64 = 32 << 20;
/// Links whose last view is remembered.
const MOST_VIEWED: u64 = 100_000;

/// The parts of a page that are the same for everybody: the item, and HTML.
#[derive(Debug)]
pub struct PageParts {
    /// The item.
    pub item: ItemRow,
    /// Whose it is.
    pub brand: Brand,
    /// Its transcript as HTML, where it was read.
    pub said: Option<String>,
    /// The language that the transcript names, or else the default one.
    pub language: Option<String>,
    /// Its comments as HTML, where the link shows them.
    pub talk: Option<String>,
}

/// Whose item it is, as far as they want that to be seen.
#[derive(Debug, Default)]
pub struct Brand {
    /// The name of the workspace, where it is shown.
    pub name: Option<String>,
    /// The colour that stands for it.
    pub color: Option<String>,
}

/// A drawing or a text that is made from an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Drawn {
    /// The picture of its lanes.
    Lanes,
    /// Its captions.
    Captions,
}

/// What was drawn, and the room of those who are being sent it. Clones share both.
#[derive(Debug, Clone)]
pub struct Drawing {
    bytes: Bytes,
    room: Arc<Mutex<Weak<AnswerPermit>>>,
}

impl Drawing {
    /// A drawing that nobody is being sent yet.
    pub fn of(bytes: Bytes) -> Self {
        Self { bytes, room: Arc::default() }
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// Returns the room for its bytes, which is held while they are sent. They are in memory once, so that all who are
    /// being sent them share one room, which the first of them takes.
    ///
    /// # Errors
    /// As `take`, which is told their number.
    pub fn room(&self, take: impl FnOnce(u64) -> Answer<AnswerPermit>) -> Answer<Arc<AnswerPermit>> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = room.upgrade() {
            return Ok(shared);
        }
        let taken = Arc::new(take(self.bytes.len() as u64)?);
        *room = Arc::downgrade(&taken);
        Ok(taken)
    }
}

/// The key of a drawing: its kind, and the item's id, name and reads, so that a change of the item makes another.
type DrawingKey = (Drawn, ItemId, String, Vec<String>);

/// The pages that a process shows.
pub struct LinkPages {
    shown: Cache<PublicLinkId, Arc<PageParts>>,
    drawn: Cache<DrawingKey, Drawing>,
    drawn_of_long: Cache<DrawingKey, Drawing>,
    viewed: Cache<PublicLinkId, ()>,
}

impl LinkPages {
    /// An empty memory.
    pub fn new() -> Self {
        let of_page = |_: &_, parts: &Arc<PageParts>| {
            weight([&parts.said, &parts.talk].into_iter().flatten().map(String::len).sum())
        };
        Self {
            shown: Cache::builder().max_capacity(MOST_KEPT).weigher(of_page).time_to_live(SHOWN_FOR).build(),
            drawn: drawings(DRAWN_FOR),
            drawn_of_long: drawings(LONG_DRAWN_FOR),
            viewed: Cache::builder().max_capacity(MOST_VIEWED).time_to_live(COUNTED_ONCE).build(),
        }
    }

    /// Returns the parts of this link's page, where they were put together within two seconds.
    pub async fn parts_of(&self, link: PublicLinkId) -> Option<Arc<PageParts>> {
        self.shown.get(&link).await
    }

    /// Keeps the parts of this link's page for two seconds.
    pub async fn keep_parts(&self, link: PublicLinkId, parts: &Arc<PageParts>) {
        self.shown.insert(link, Arc::clone(parts)).await;
    }

    /// Drops the parts of the link's page, since something on it has changed.
    pub async fn forget(&self, link: PublicLinkId) {
        self.shown.invalidate(&link).await;
    }

    /// Returns a drawing of the item as it is now, where one was made within ten seconds, or within a minute if the
    /// item's reads, which have so many bytes, are long.
    pub async fn drawn(&self, what: Drawn, item: &ItemRow, read_bytes: i64) -> Option<Drawing> {
        self.drawings_of(read_bytes).get(&key(what, item)).await
    }

    /// Keeps a drawing for as long.
    pub async fn keep(&self, what: Drawn, item: &ItemRow, read_bytes: i64, drawing: &Drawing) {
        self.drawings_of(read_bytes).insert(key(what, item), drawing.clone()).await;
    }

    /// Where drawings of reads with so many bytes are kept. Those of long ones push no others out.
    const fn drawings_of(&self, read_bytes: i64) -> &Cache<DrawingKey, Drawing> {
        if read_bytes > LONG_READS { &self.drawn_of_long } else { &self.drawn }
    }

    /// Whether a view of the link counts: the first within a second does.
    pub async fn is_first_view(&self, link: PublicLinkId) -> bool {
        let entry = self
            .viewed
            .entry(link)
            .and_compute_with(|seen| std::future::ready(if seen.is_some() { Op::Nop } else { Op::Put(()) }));
        matches!(entry.await, moka::ops::compute::CompResult::Inserted(_))
    }
}

impl Default for LinkPages {
    fn default() -> Self {
        Self::new()
    }
}

/// A memory of drawings, which are shown for so long.
fn drawings(shown_for: Duration) -> Cache<DrawingKey, Drawing> {
    let of_drawing = |_: &DrawingKey, drawing: &Drawing| weight(drawing.bytes.len());
    Cache::builder().max_capacity(MOST_KEPT).weigher(of_drawing).time_to_live(shown_for).build()
}

/// What is kept for so many bytes, with what it takes beside them.
fn weight(bytes: usize) -> u32 {
    u32::try_from(bytes + 1_000).unwrap_or(u32::MAX)
}

fn key(what: Drawn, item: &ItemRow) -> DrawingKey {
    (what, item.id, item.name.clone(), item.reads.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::answers::{Answers, Taker};
    use domain::ids::AccountId;

    #[test]
    fn a_drawing_takes_room_once_however_many_are_being_sent_it() {
        let (answers, visitors) = (Answers::new(), Taker::Visitors(AccountId::mint()));
        let drawing = Drawing::of(Bytes::from(vec![0; 20 << 20]));
        let sent = || drawing.clone().room(|bytes| answers.hold(visitors, bytes));
        let rooms: Vec<_> = (0..10).map(|_| sent().expect("it has its room")).collect();
        let more = || answers.hold(visitors, 20 << 20);
        assert!(more().is_err(), "visitors of one account have 32 MiB");
        assert!(Drawing::of(drawing.bytes()).room(|_| more()).is_err(), "what is drawn anew takes its own");
        drop(rooms);
        let _others = more().expect("all is given back with the last");
        assert!(sent().is_err(), "it is taken anew");
    }

    #[test]
    fn what_is_drawn_of_long_reads_is_shown_for_longer() {
        let pages = LinkPages::new();
        let shown_for = |read_bytes| pages.drawings_of(read_bytes).policy().time_to_live();
        assert_eq!([0, LONG_READS].map(shown_for), [Some(DRAWN_FOR); 2]);
        assert_eq!(shown_for(LONG_READS + 1), Some(LONG_DRAWN_FOR));
    }
}
