//! `search_footage`: what is said and shown in items, found by words (contract §4.4).
//!
//! Postgres finds passages by their words, and then, where that leaves room, by words that are alike; `domain::search`
//! narrows each to what was meant and scores it. Items whose transcript or search index is stored are searched, at no
//! charge; those that a read would help are named.

mod matches;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::ToolAnswer;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::text::Text;
use crate::usecases::library::reach;
use crate::usecases::search_footage::search_footage;
use domain::ids::ItemId;
pub use matches::FootageMatch;
use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use store::footage::{self, Within};

/// What this operation refuses with, beside what every operation may.
pub const ERRORS: Refusals = &[("POST /tools/search_footage", &[Code::ItemNotFound])];

/// Matches that are answered when no limit is given.
const USUAL_LIMIT: usize = 10;
/// Refs that are named as not searched, at most.
const MOST_NAMED: i64 = 50;

/// The tool.
pub struct SearchFootage(pub App);

/// What to look for, and where.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct FootageSearch {
    /// What is said or shown, 1 to 500 characters. All words have to be there; `"…"` keeps words together, `or` takes
    /// either of two, `-` leaves a word out.
    #[oai(validator(min_length = 1, max_length = 500))]
    pub query: Text,
    /// Search these items alone, at most 20, each by its ref, its id, or the id of the job that made it.
    #[oai(validator(min_items = 1, max_items = 20))]
    pub refs: Option<Vec<Text>>,
    /// Matches to answer, 1 to 50; 10 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "50")))]
    pub limit: Option<u32>,
}

impl Example for FootageSearch {
    fn example() -> Self {
        Self { query: "the part about the river".into(), refs: Some(vec!["interview".into()]), limit: Some(5) }
    }
}

/// What was found, and what was not searched.
#[derive(Debug, Object)]
pub struct FootageMatches {
    /// The best first; empty when nothing is said or shown that is like the query.
    pub matches: Vec<FootageMatch>,
    /// Videos whose written words could not be searched, and whose matches have no moment and no still, because no
    /// search index is stored; newest first and at most 50: of `refs`, or else of the workspace's newest 2,000 items.
    /// Read `search_index` on them with `prepare_media`. What no search index would help, such as sound alone, is not
    /// named.
    pub unindexed_refs: Vec<Text>,
    /// Items with sound whose spoken words could not be searched, because no transcript is stored; newest first, of the
    /// same and as many. Read `transcript` on them.
    pub untranscribed_refs: Vec<Text>,
}

#[OpenApi(tag = "Tag::Library")]
impl SearchFootage {
    /// Search footage
    ///
    /// Finds what is said in videos and in recordings of sound, by their stored transcripts, and what is written in the
    /// pictures of videos, by their stored search indexes, at no charge; `source` tells them apart. Each match of
    /// spoken words has their time range, narrowed to the phrase, one of written words the time for which they stand;
    /// of a video whose search index is stored also the moment (shot) that it begins in, and a still of it. A score of
    /// 1 is the phrase as it was asked for; from 0.5 on all words are there; below that words are alike, which forgives
    /// slips of the pen and of the transcript in queries of up to 16 words. English words are found in all their forms.
    /// No match is an empty list; what could not be searched is named.
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
            Some(refs) => Some(self.named(&caller, refs).await?),
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
    /// The items that these refs name. One that can't be reached is refused: a search that left it out would seem
    /// whole.
    async fn named(&self, caller: &Caller, refs: &[Text]) -> Answer<Vec<ItemId>> {
        let mut conn = self.0.conn().await?;
        let mut items = Vec::with_capacity(refs.len());
        for name in refs {
            items.push(reach(&mut conn, caller.workspace, name).await?.id);
        }
        Ok(items)
    }
}
