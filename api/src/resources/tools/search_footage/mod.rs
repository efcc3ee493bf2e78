//! `search_footage`: what is said in videos, found by words (spec §2, "Read kinds"; interface.md, "Tools").
//!
//! Postgres finds passages by their words, and then, where that leaves room, by words that are alike; `domain::search`
//! narrows each to what was meant and scores it. Only items whose search index is stored are searched, at no charge; those
//! that can't be are named.

mod matches;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::ToolAnswer;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::resources::library;
use common::domain::search::{self, Asked, Fit};
use common::ids::{ItemId, WorkspaceId};
use common::store;
use common::store::footage::{self, Candidate, Within};
pub use matches::FootageMatch;
use matches::Hits;
use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use std::time::Duration;
use tracing::Instrument;

/// What this operation refuses with, beside what every operation may.
pub const ERRORS: Refusals = &[("POST /tools/search_footage", &[Code::ItemNotFound])];

/// Matches that are answered when no limit is given.
const USUAL_LIMIT: usize = 10;
/// Passages looked at beyond twice the limit: some are the neighbours of a better one.
const MORE_PASSAGES: usize = 20;
/// Refs that are named as not searched, at most.
const MOST_NAMED: i64 = 50;
/// What finding passages by their words may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// And by words that are alike.
const PATIENCE_ALIKE: Duration = Duration::from_secs(1);
/// Words of the longest query that is looked for by words alike.
const MOST_ALIKE: usize = 16;

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
    /// forgives slips of the pen and of the transcript in queries of up to 16 words. English words are found in all their forms. No match is an empty
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
        let hits = self.hits(&caller, &asked.query, items.clone(), limit).await?;
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
        Ok(ToolAnswer::new(&caller.request_id, data).json())
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

    /// Where something like the query is said.
    async fn hits(&self, caller: &Caller, query: &str, items: Option<Vec<ItemId>>, limit: usize) -> Answer<Hits> {
        let words = search::words(query);
        if words.is_empty() {
            return Err(ApiError::new(Code::InvalidRequest, "`query`: expected at least one word to look for."));
        }
        let place = self.0.searches.place(caller.account_id).await?;
        let (app, workspace, query) = (self.0.clone(), caller.workspace.id, query.to_owned());
        let search = Search { app, workspace, query, words, items, limit };
        // It is worked to its end when its client hangs up, and has its place until then.
        let work = async move {
            let found = search.hits().await;
            drop(place);
            found
        };
        tokio::spawn(work.in_current_span()).await.map_err(ApiError::internal)?
    }
}

/// One search.
struct Search {
    app: App,
    workspace: WorkspaceId,
    query: String,
    words: Vec<String>,
    items: Option<Vec<ItemId>>,
    limit: usize,
}

impl Search {
    /// Use case "search": passages that hold the words, then those with words alike. What they come to is worked out on a
    /// thread of its own, while no connection is held.
    async fn hits(self) -> Answer<Hits> {
        let (asked, said) = self.said().await?;
        let (asked, hits) = taken(asked, Hits::new(self.limit), said, Fit::Exact).await?;
        if !hits.have_room() || !search::is_plain(&self.query) || self.words.len() > MOST_ALIKE {
            return Ok(hits);
        }
        match self.alike().await {
            Ok(alike) => taken(asked, hits, alike, Fit::Alike).await.map(|(_, hits)| hits),
            // What holds the words is found; what is merely like them is not worth a refusal.
            Err(error) if took_too_long(&error) || store::is_away(&error) => {
                tracing::info!(workspace.id = %self.workspace, "A search for words alike was given up.");
                Ok(hits)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn said(&self) -> Answer<(Asked, Vec<Candidate>)> {
        let mut search = self.app.process.pool.begin().await?;
        footage::reach_for_alike(&mut search, PATIENCE).await?;
        let lexemes = footage::lexemes(&mut search, &self.words).await?;
        let said = footage::said(&mut search, &self.query, self.within()).await.map_err(too_long)?;
        search.commit().await?;
        Ok((Asked::new(&self.query, &lexemes), said))
    }

    async fn alike(&self) -> sqlx::Result<Vec<Candidate>> {
        let mut search = self.app.process.pool.begin().await?;
        footage::reach_for_alike(&mut search, PATIENCE_ALIKE).await?;
        let alike = footage::alike(&mut search, &self.words.join(" "), self.within()).await?;
        search.commit().await?;
        Ok(alike)
    }

    fn within(&self) -> Within<'_> {
        let passages = i64::try_from(self.limit * 2 + MORE_PASSAGES).unwrap_or(i64::MAX);
        Within { workspace: self.workspace, items: self.items.as_deref(), limit: passages }
    }
}

/// The hits with what is found in these passages.
async fn taken(asked: Asked, mut hits: Hits, passages: Vec<Candidate>, fit: Fit) -> Answer<(Asked, Hits)> {
    let work = move || {
        hits.take(&asked, &passages, fit);
        (asked, hits)
    };
    tokio::task::spawn_blocking(work).await.map_err(ApiError::internal)
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
