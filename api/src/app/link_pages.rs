//! The pages of public links: a short memory of their parts.
//!
//! Whoever has a link may ask for its page without end, and putting comments and transcript together costs a hundred
//! times as much as looking the link up. So one request at a time does it for an account, whatever its links, and two
//! in all (`turns`). The parts are shown to everybody for two seconds, drawings of an item for ten. Whether the link
//! still works is checked on each request, elsewhere: nothing here lets anybody in.

use bytes::Bytes;
use domain::ids::{ItemId, PublicLinkId};
use moka::future::Cache;
use moka::ops::compute::Op;
use std::sync::Arc;
use std::time::Duration;
use store::items::ItemRow;

/// How long a page's parts are shown after they were put together.
const SHOWN_FOR: Duration = Duration::from_secs(2);
/// How long a drawing of an item is shown.
const DRAWN_FOR: Duration = Duration::from_secs(10);
/// Views of one link within this are counted as one.
const COUNTED_ONCE: Duration = Duration::from_secs(1);
/// Bytes that are kept of pages' parts, and of drawings, each.
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

/// The key of a drawing: its kind, and the item's id, name and reads, so that a change of the item makes another.
type Drawing = (Drawn, ItemId, String, Vec<String>);

/// The pages that a process shows.
pub struct LinkPages {
    shown: Cache<PublicLinkId, Arc<PageParts>>,
    drawn: Cache<Drawing, Bytes>,
    viewed: Cache<PublicLinkId, ()>,
}

impl LinkPages {
    /// An empty memory.
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

    /// Returns a drawing of the item as it is now, where one was made within ten seconds.
    pub async fn drawn(&self, what: Drawn, item: &ItemRow) -> Option<Bytes> {
        self.drawn.get(&drawing(what, item)).await
    }

    /// Keeps a drawing for ten seconds.
    pub async fn keep(&self, what: Drawn, item: &ItemRow, bytes: &Bytes) {
        self.drawn.insert(drawing(what, item), bytes.clone()).await;
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

fn drawing(what: Drawn, item: &ItemRow) -> Drawing {
    (what, item.id, item.name.clone(), item.reads.clone())
}
