//! `search_footage`: what is said in videos, found by words (spec §2, "Read kinds"; interface.md, "Tools").
//!
//! Postgres finds passages by their words, and then, where that leaves room, by words that are alike; `domain::search`
//! narrows each to what was meant and scores it. Only items whose search index is stored are searched, at no charge; those
//! that can't be are named.

mod matches;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::envelope::ToolAnswer;
use crate::error::{Answer, ApiError, Code};
use crate::library;
use crate::operation::{Refusals, Tag};
use crate::text::Text;
use common::domain::search::{self, Asked, Fit};
use common::ids::ItemId;
use common::store::footage::{self, Within};
use matches::Hits;
pub use matches::{FootageMatch, MomentSpan};
use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use std::time::Duration;

/// What this operation refuses with, beside what every operation may.
pub const ERRORS: Refusals = &[("POST /tools/search_footage", &[Code::ItemNotFound])];

/// Matches that are answered when no limit is given.
const USUAL_LIMIT: usize = 10;
/// Passages looked at beyond twice the limit: some are the neighbours of a better one.
const MORE_PASSAGES: usize = 20;
/// Refs that are named as not searched, at most.
const MOST_NAMED: i64 = 50;
/// What one statement of a search may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The tool.
pub struct SearchFootage(pub App);

/// What to look for, and where.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct FootageSearch {
    /// What is said, 1 to 500 characters. All words have to be there; `"…"` keeps words together, `or` takes either of two,
    /// `-` leaves a word out.
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
    /// The best first; empty when nothing is said that is like the query.
    pub matches: Vec<FootageMatch>,
    /// Videos without a stored search index, newest first and at most 50: of `refs`, or else of the workspace's newest
    /// thousand. Read `search_index` on them with `prepare_media`. What can have no search index, such as sound, is not named.
    pub unindexed_refs: Vec<Text>,
    /// Items whose moments have no words, because no transcript is stored; newest first, of the same and as many. Read
    /// `transcript` on them.
    pub untranscribed_refs: Vec<Text>,
}

#[OpenApi(tag = "Tag::Library")]
impl SearchFootage {
    /// Search footage
    ///
    /// Finds what is said in videos, by their stored search indexes and transcripts, at no charge. Each match has the time
    /// range of the words that were meant, narrowed to the phrase, the moment (shot) that they begin in, and a still of it.
    /// A score of 1 is the phrase as it was asked for; from 0.5 on all words are there; below that words are alike, which
    /// forgives slips of the pen and of the transcript. English words are found in all their forms. No match is an empty
    /// list; what could not be searched is named.
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
        let hits = self.hits(&caller, &asked.query, items.as_deref(), limit).await?;
        let mut conn = self.0.conn().await?;
        let seen = footage::seen_at(&mut conn, &hits.places()).await?;
        let within = Within { workspace: caller.workspace.id, items: items.as_deref(), limit: MOST_NAMED };
        let unindexed_refs = footage::unindexed(&mut conn, within).await?;
        let untranscribed_refs = footage::untranscribed(&mut conn, within).await?;
        let data = FootageMatches {
            matches: hits.shown(&seen, &self.0.links),
            unindexed_refs: unindexed_refs.into_iter().map(Text).collect(),
            untranscribed_refs: untranscribed_refs.into_iter().map(Text).collect(),
        };
        Ok(ToolAnswer::new(&caller, data).json())
    }
}

impl SearchFootage {
    /// The items that these refs name. One that can't be reached is refused: a search that left it out would seem whole.
    async fn named(&self, caller: &Caller, refs: &[Text]) -> Answer<Vec<ItemId>> {
        let mut conn = self.0.conn().await?;
        let mut items = Vec::with_capacity(refs.len());
        for name in refs {
            items.push(library::reach(&mut conn, caller.workspace, name).await?.id);
        }
        Ok(items)
    }

    /// Use case "search": its statements share one transaction for what they take for alike and how long they may take.
    async fn hits(&self, caller: &Caller, query: &str, items: Option<&[ItemId]>, limit: usize) -> Answer<Hits> {
        let words = search::words(query);
        if words.is_empty() {
            return Err(ApiError::new(Code::InvalidRequest, "`query`: expected at least one word to look for."));
        }
        let passages = i64::try_from(limit * 2 + MORE_PASSAGES).unwrap_or(i64::MAX);
        let within = Within { workspace: caller.workspace.id, items, limit: passages };
        let mut search = self.0.process.pool.begin().await?;
        footage::reach_for_alike(&mut search, PATIENCE).await?;
        let lexemes = footage::lexemes(&mut search, &words).await?;
        let asked = Asked::new(query, &lexemes);
        let said = footage::said(&mut search, query, within).await.map_err(too_long)?;
        let mut hits = Hits::new(limit);
        hits.take(&asked, &said, Fit::Exact);
        if hits.have_room() && search::is_plain(query) {
            match footage::alike(&mut search, &words.join(" "), within).await {
                Ok(alike) => hits.take(&asked, &alike, Fit::Alike),
                // What holds the words is found; what is merely like them is not worth a refusal.
                Err(error) if took_too_long(&error) => {
                    tracing::info!(workspace.id = %caller.workspace.id, "A search for words alike was given up.");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(hits)
    }
}

fn took_too_long(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| code == "57014")
}

fn too_long(error: sqlx::Error) -> ApiError {
    if !took_too_long(&error) {
        return error.into();
    }
    ApiError::new(Code::Unavailable, "The search took too long.").suggest("Name `refs`, or ask for rarer words.")
}
