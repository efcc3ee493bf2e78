//! `search_footage`: finds words that are spoken or shown in items (contract §4.4).
//!
//! Postgres finds passages by their words and then, if there is room left, by similar words; `domain::search` narrows
//! each to the words that were meant and scores it. Items with a stored transcript or search index are searched, at no
//! charge; items that lack such a read are named.

mod matches;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::ToolAnswer;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::text::Text;
use crate::usecases::library::resolve_each;
use crate::usecases::search_footage::search_footage;
use domain::ids::ItemId;
pub use matches::FootageMatch;
use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use store::footage::{self, Within};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /tools/search_footage", &[Code::ItemNotFound])];

/// The number of matches when no limit is given.
const USUAL_LIMIT: usize = 10;
/// The most refs that are named as not searched.
const MOST_NAMED: i64 = 50;

/// The tool.
pub struct SearchFootage(pub App);

/// The words to look for, and where.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct FootageSearch {
    /// Words that are spoken or shown, 1 to 500 characters. All of them must occur; `"…"` keeps words together, `or`
    /// accepts either of two, `-` excludes a word.
    #[oai(validator(min_length = 1, max_length = 500))]
    pub query: Text,
    /// Search these items alone, at most 20, each by its ref, its id, or the id of the job that made it.
    #[oai(validator(min_items = 1, max_items = 20))]
    pub refs: Option<Vec<Text>>,
    /// The number of matches, 1 to 50; 10 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "50")))]
    pub limit: Option<u32>,
}

impl Example for FootageSearch {
    fn example() -> Self {
        Self { query: "the part about the river".into(), refs: Some(vec!["interview".into()]), limit: Some(5) }
    }
}

/// The matches, and the items that were not searched.
#[derive(Debug, Object)]
pub struct FootageMatches {
    /// The best first; empty when nothing like the query is spoken or shown.
    pub matches: Vec<FootageMatch>,
    /// Videos without a stored search index: their written words were not searched, and their matches have no moment
    /// and no still. Newest first and at most 50: of `refs`, or else of the workspace's newest 2,000 items. Read
    /// `search_index` on them with `prepare_media`. Items for which a search index is of no use, such as sound alone,
    /// are not named.
    pub unindexed_refs: Vec<Text>,
    /// Items with sound but without a stored transcript: their spoken words were not searched. Newest first and at most
    /// 50, of the same items. Read `transcript` on them.
    pub untranscribed_refs: Vec<Text>,
}

#[OpenApi(tag = "Tag::Library")]
impl SearchFootage {
    /// Search footage
    ///
    /// Finds words that are spoken in videos and recordings, by their stored transcripts, and words that are written in
    /// the pictures of videos, by their stored search indexes, at no charge; `source` says which. A match of spoken
    /// words has their time range, narrowed to the phrase; one of written words, the time for which they are shown. If
    /// the video's search index is stored, it also has the moment (shot) that it begins in, and a still of it. A score
    /// of 1 is the exact phrase; from 0.5 on all words are there; below that words are similar, which tolerates typing
    /// and transcription errors in queries of up to 16 words. English words are found in all their forms. No match is
    /// an empty list; items that could not be searched are named.
    #[oai(path = "/tools/search_footage", method = "post", operation_id = "search_footage")]
    async fn search_footage(
        &self,
        auth: Auth,
        arguments: Json<FootageSearch>,
    ) -> Answer<Json<ToolAnswer<FootageMatches>>> {
        let Auth(caller) = auth;
        let asked = arguments.0;
        let limit = asked.limit.map_or(USUAL_LIMIT, |limit| limit as usize);
        let items = match &asked.refs {
            Some(refs) => Some(self.find_named(&caller, refs).await?),
            None => None,
        };
        let hits = search_footage(&self.0, &caller, &asked.query, items.clone(), limit).await?;
        let mut conn = self.0.conn().await?;
        let places: Vec<(ItemId, i32)> = hits.iter().map(|hit| (hit.item, hit.spoken.start_ms)).collect();
        let seen = footage::seen_at(&mut conn, &places).await?;
        let within = Within { workspace: caller.workspace.id, items: items.as_deref(), limit: MOST_NAMED };
        let unindexed_refs = footage::unindexed(&mut conn, within).await?;
        let untranscribed_refs = footage::untranscribed(&mut conn, within).await?;
        let shown = hits.into_iter().zip(&seen).map(|(hit, seen)| FootageMatch::of(hit, seen.as_ref(), &self.0.links));
        let data = FootageMatches {
            matches: shown.collect(),
            unindexed_refs: unindexed_refs.into_iter().map(Text).collect(),
            untranscribed_refs: untranscribed_refs.into_iter().map(Text).collect(),
        };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}

impl SearchFootage {
    /// Returns the items that these refs name. Refuses a ref that can't be reached: a search that left it out would
    /// seem complete.
    async fn find_named(&self, caller: &Caller, refs: &[Text]) -> Answer<Vec<ItemId>> {
        let names: Vec<String> = refs.iter().map(|name| name.0.clone()).collect();
        let found = resolve_each(&mut *self.0.conn().await?, caller.workspace.id, &names).await?;
        found.into_iter().map(|item| item.map(|item| item.id)).collect()
    }
}
