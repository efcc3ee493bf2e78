//! Searches what is said in a workspace's items: passages that hold the query's words and, where that leaves room,
//! passages with similar words. No connection is held while they are scored.

mod hits;

use crate::app::App;
use crate::app::beside::apart;
use crate::app::permits::Permit;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{AccountId, ItemId, WorkspaceId};
use domain::search::{self, Asked, Fit};
pub use hits::Hit;
use hits::Hits;
use runtime::own_turns::TurnError;
use std::time::Duration;
use store::footage::{self, FoundPassage, Within};
use tracing::Instrument;

/// Passages that are scored beyond twice the limit, since some overlap a better one.
const MORE_PASSAGES: usize = 20;
/// How long finding passages by their words may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How long finding passages by similar words may take.
const TIMEOUT_ALIKE: Duration = Duration::from_secs(1);
/// Words that a query may have to be searched for by similar words.
const MOST_ALIKE: usize = 16;

/// Returns where something like the query is said in the caller's workspace, or in these items of it, the best first.
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
    let (app, account, workspace) = (app.clone(), caller.account_id, caller.workspace.id);
    let search = Search { app, account, workspace, query: query.to_owned(), words, items, limit, permit };
    // The search goes on when its client hangs up, and holds its permit until it ends.
    tokio::spawn(search.hits().in_current_span()).await.map_err(ApiError::internal)?
}

/// One search.
struct Search {
    app: App,
    /// Whose call it is.
    account: AccountId,
    workspace: WorkspaceId,
    query: String,
    words: Vec<String>,
    items: Option<Vec<ItemId>>,
    limit: usize,
    permit: Permit,
}

impl Search {
    /// Passages are scored on a thread of their own, while no connection is held.
    async fn hits(self) -> Answer<Vec<Hit>> {
        let (asked, said) = self.said().await?;
        let (asked, hits) = self.take(asked, Hits::new(self.limit), said, Fit::Exact).await?;
        if !hits.have_room() || !search::is_plain(&self.query) || self.words.len() > MOST_ALIKE {
            return Ok(hits.found());
        }
        match self.alike().await {
            Ok(alike) => self.take(asked, hits, alike, Fit::Alike).await.map(|(_, hits)| hits.found()),
            // Passages with the words were found; a failure to find similar ones is not worth a refusal.
            Err(error) if may_be_given_up(&error) => {
                tracing::info!(workspace.id = %self.workspace, "A search for words alike was given up.");
                Ok(hits.found())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn said(&self) -> Answer<(Asked, Vec<FoundPassage>)> {
        let mut conn = self.app.process.conn_among(self.account, Some(self.permit.few())).await?;
        let mut search = conn.begin_in_turn().await?;
        footage::reach_for_alike(&mut search, TIMEOUT).await?;
        let lexemes = footage::lexemes(&mut search, &self.words).await?;
        let said = footage::said(&mut search, &self.query, self.within()).await.map_err(too_long)?;
        search.commit().await?;
        Ok((Asked::new(&self.query, &lexemes), said))
    }

    async fn alike(&self) -> Result<Vec<FoundPassage>, TurnError> {
        let mut conn = self.app.process.conn_among(self.account, Some(self.permit.few())).await?;
        let mut search = conn.begin_in_turn().await?;
        footage::reach_for_alike(&mut search, TIMEOUT_ALIKE).await?;
        let alike = footage::alike(&mut search, &self.words.join(" "), self.within()).await?;
        search.commit().await?;
        Ok(alike)
    }

    fn within(&self) -> Within<'_> {
        let passages = i64::try_from(self.limit * 2 + MORE_PASSAGES).unwrap_or(i64::MAX);
        Within { workspace: self.workspace, items: self.items.as_deref(), limit: passages }
    }

    /// The hits, with those from these passages added. One of the account's permits for searches is held meanwhile, and
    /// nothing that others need while the turn is waited for.
    async fn take(&self, asked: Asked, mut hits: Hits, passages: Vec<FoundPassage>, fit: Fit) -> Answer<(Asked, Hits)> {
        let turn = self.app.turns.scores.turn(self.account).await;
        let work = move || {
            let _turn = turn;
            hits.take(&asked, &passages, fit);
            (asked, hits)
        };
        apart(&self.app, self.account, work).await
    }
}

/// Whether the search goes on without similar words: to find them took too long, or other calls left no turn for it.
fn may_be_given_up(error: &TurnError) -> bool {
    match error {
        TurnError::OwnCalls => true,
        TurnError::Database(error) => took_too_long(error) || store::is_away(error),
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
