//! Searching what is said in a workspace's items: passages that hold the words and, where that leaves room, those with
//! words alike. No connection is held while what they come to is worked out.

mod hits;

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{ItemId, WorkspaceId};
use domain::search::{self, Asked, Fit};
pub use hits::Hit;
use hits::Hits;
use std::time::Duration;
use store::footage::{self, FoundPassage, Within};
use tracing::Instrument;

/// Passages looked at beyond twice the limit: some are the neighbours of a better one.
const MORE_PASSAGES: usize = 20;
/// What finding passages by their words may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// And by words that are alike.
const TIMEOUT_ALIKE: Duration = Duration::from_secs(1);
/// Words of the longest query that is looked for by words alike.
const MOST_ALIKE: usize = 16;

/// Where something like the query is said in the caller's workspace, or in these items of it, the best first.
pub async fn search_footage(
    app: &App,
    caller: &Caller,
    query: &str,
    items: Option<Vec<ItemId>>,
    limit: usize,
) -> Answer<Vec<Hit>> {
    let words = search::words(query);
    if words.is_empty() {
        return Err(ApiError::new(Code::InvalidRequest, "`query`: expected at least one word to look for."));
    }
    let permit = app.searches.take(caller.account_id).await?;
    let (app, workspace, query) = (app.clone(), caller.workspace.id, query.to_owned());
    let search = Search { app, workspace, query, words, items, limit };
    // It is worked to its end when its client hangs up, and has its permit until then.
    let work = async move {
        let found = search.hits().await;
        drop(permit);
        found
    };
    tokio::spawn(work.in_current_span()).await.map_err(ApiError::internal)?
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
    /// What passages come to is worked out on a thread of its own, while no connection is held.
    async fn hits(self) -> Answer<Vec<Hit>> {
        let (asked, said) = self.said().await?;
        let (asked, hits) = taken(asked, Hits::new(self.limit), said, Fit::Exact).await?;
        if !hits.have_room() || !search::is_plain(&self.query) || self.words.len() > MOST_ALIKE {
            return Ok(hits.found());
        }
        match self.alike().await {
            Ok(alike) => taken(asked, hits, alike, Fit::Alike).await.map(|(_, hits)| hits.found()),
            // What holds the words is found; what is merely like them is not worth a refusal.
            Err(error) if took_too_long(&error) || store::is_away(&error) => {
                tracing::info!(workspace.id = %self.workspace, "A search for words alike was given up.");
                Ok(hits.found())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn said(&self) -> Answer<(Asked, Vec<FoundPassage>)> {
        let mut search = self.app.process.begin().await?;
        footage::reach_for_alike(&mut search, TIMEOUT).await?;
        let lexemes = footage::lexemes(&mut search, &self.words).await?;
        let said = footage::said(&mut search, &self.query, self.within()).await.map_err(too_long)?;
        search.commit().await?;
        Ok((Asked::new(&self.query, &lexemes), said))
    }

    async fn alike(&self) -> sqlx::Result<Vec<FoundPassage>> {
        let mut search = self.app.process.begin().await?;
        footage::reach_for_alike(&mut search, TIMEOUT_ALIKE).await?;
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
async fn taken(asked: Asked, mut hits: Hits, passages: Vec<FoundPassage>, fit: Fit) -> Answer<(Asked, Hits)> {
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
