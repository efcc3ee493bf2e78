//! The pages of public links: what was just put together of them, and turns to put more together.
//!
//! A page is asked for by whoever has its link, as often as they like, and to put its comments and its transcript
//! together costs a hundred times what it costs to look the link up. So one request at a time does it for a link, and
//! few in all; what they made is shown for two seconds to all who come, and what is drawn of an item for ten. Whether
//! the link still works is asked each time, elsewhere: nothing here lets anybody in.

use crate::app::turns::{Turn, Turns};
use crate::http::error::Answer;
use bytes::Bytes;
use domain::ids::{ItemId, PublicLinkId};
use moka::future::Cache;
use moka::ops::compute::Op;
use std::sync::Arc;
use std::time::Duration;
use store::items::ItemRow;
use uuid::Uuid;

/// For how long a page's parts are shown after they were put together.
const SHOWN_FOR: Duration = Duration::from_secs(2);
/// For how long what is drawn of an item is.
const DRAWN_FOR: Duration = Duration::from_secs(10);
/// Views of one link within this are counted as one.
const COUNTED_ONCE: Duration = Duration::from_secs(1);
/// Bytes that are kept of pages, and of what is drawn, each.
const MOST_KEPT: u64 = 32 << 20;
/// Links whose last view is remembered.
const MOST_VIEWED: u64 = 100_000;

/// What stands on a page whoever looks at it: the item, and HTML.
#[derive(Debug)]
pub struct PageParts {
    /// The item.
    pub item: ItemRow,
    /// Whose it is.
    pub brand: Brand,
    /// What is said in it, where that is read.
    pub said: Option<String>,
    /// In which language, where its transcript tells.
    pub language: Option<String>,
    /// What is said about it, where the link shows that.
    pub talk: Option<String>,
}

/// Whose item it is, as far as they want that to be seen.
#[derive(Debug, Default)]
pub struct Brand {
    /// What the workspace is called here.
    pub name: Option<String>,
    /// The colour that stands for it.
    pub color: Option<String>,
}

/// What is drawn or written of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Drawn {
    /// The picture of its lanes.
    Lanes,
    /// Its captions.
    Captions,
}

/// What an item had when something was drawn of it: its name, and its reads.
type Drawing = (Drawn, ItemId, String, Vec<String>);

/// The pages that a process shows.
pub struct LinkPages {
    shown: Cache<PublicLinkId, Arc<PageParts>>,
    drawn: Cache<Drawing, Bytes>,
    viewed: Cache<PublicLinkId, ()>,
    turns: Turns<Uuid>,
}

impl LinkPages {
    /// None yet.
    pub fn new() -> Self {
        let size = |bytes: usize| u32::try_from(bytes + 1_000).unwrap_or(u32::MAX);
        let of_page = move |_: &_, parts: &Arc<PageParts>| {
            size([&parts.said, &parts.talk].into_iter().flatten().map(String::len).sum())
        };
        let of_drawing = move |_: &_, bytes: &Bytes| size(bytes.len());
        Self {
            shown: Cache::builder().max_capacity(MOST_KEPT).weigher(of_page).time_to_live(SHOWN_FOR).build(),
            drawn: Cache::builder().max_capacity(MOST_KEPT).weigher(of_drawing).time_to_live(DRAWN_FOR).build(),
            viewed: Cache::builder().max_capacity(MOST_VIEWED).time_to_live(COUNTED_ONCE).build(),
            turns: Turns::new(1, 2),
        }
    }

    /// A turn to put something together for this link, or of this item.
    ///
    /// # Errors
    /// `rate_limited` when it has not come within two seconds.
    pub async fn turn(&self, of: Uuid) -> Answer<Turn> {
        self.turns.turn_soon(of).await
    }

    /// What was just put together for this link.
    pub async fn shown(&self, link: PublicLinkId) -> Option<Arc<PageParts>> {
        self.shown.get(&link).await
    }

    /// Shows this for a moment to whoever has the link.
    pub async fn show(&self, link: PublicLinkId, parts: &Arc<PageParts>) {
        self.shown.insert(link, Arc::clone(parts)).await;
    }

    /// Has the link's page put together anew: something on it has changed.
    pub async fn forget(&self, link: PublicLinkId) {
        self.shown.invalidate(&link).await;
    }

    /// What was just drawn of the item as it is now.
    pub async fn drawn(&self, what: Drawn, item: &ItemRow) -> Option<Bytes> {
        self.drawn.get(&drawing(what, item)).await
    }

    /// Keeps what was drawn for a moment.
    pub async fn keep(&self, what: Drawn, item: &ItemRow, bytes: &Bytes) {
        self.drawn.insert(drawing(what, item), bytes.clone()).await;
    }

    /// Whether a view of the link is to be counted: the first within a second.
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

fn drawing(what: Drawn, item: &ItemRow) -> Drawing {
    (what, item.id, item.name.clone(), item.reads.clone())
}
