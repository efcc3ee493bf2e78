//! Research: posts pulled from feeds and pages through the outbound client, and stored.
//!
//! A pull fetches from strangers: bytes and time are bounded, two for each account and 32 for each process are fetched
//! at a time, one that is long and one that is short are parsed at a time, accounts taking turns, and no database
//! connection is held meanwhile. A client that hangs up ends no pull: its permit is held until the work has ended. Its
//! turn among all accounts' ends before what was found is stored, which may wait for the account's other calls.

use crate::app::App;
use crate::app::beside::in_turn;
use crate::app::permits::Permit;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::once::{Begun, Made, Once};
use crate::usecases::uploads::import::{Import, import};
use domain::attempt::AttemptError;
use domain::ids::PostId;
use domain::post::{MOST_POSTS, MOST_PULLED};
use feeds::{Embed, FoundPosts, MOST_BYTES, Post, embed, found};
use futures_util::TryStreamExt;
use runtime::outbound::{FetchError, FetchLimits, Pace};
use runtime::own_turns::TurnError;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use std::collections::HashSet;
use std::time::Duration;
use store::posts::{self, NewPost, PostRow};
use tracing::Instrument;
use url::Url;

/// How long fetching a feed or a page may take.
const FETCH: Duration = Duration::from_secs(15);
/// How long fetching a page's oEmbed may take. Without it the post is stored all the same.
const FETCH_EMBED: Duration = Duration::from_secs(5);
/// `Retry-After`, in seconds, where as many pulls are under way as there may be.
const TRY_AGAIN_S: u64 = 5;
/// Bytes that an oEmbed answer may have.
const MOST_EMBED_BYTES: u64 = 64 << 10;

/// Pulls up to `limit` posts from a feed, or one from a page. Returns them as they are stored.
///
/// # Errors
/// `url_not_allowed`, `pull_failed`, `rate_limited` while the account has two pulls under way, `unavailable` while all
/// accounts have as many as there may be, `quota_reached` where the account's workspaces keep as many posts as they
/// may.
pub async fn pull_posts(app: &App, caller: &Caller, url: &str, limit: usize) -> Answer<Vec<PostRow>> {
    let permit = app.pulls.take(caller.account_id).await?;
    let (app, caller, url) = (app.clone(), caller.clone(), url.to_owned());
    let pull = async move {
        let pulled = pull(&app, &caller, &url, limit, &permit).await;
        drop(permit);
        pulled
    };
    tokio::spawn(pull.in_current_span()).await.map_err(ApiError::internal)?
}

async fn pull(app: &App, caller: &Caller, url: &str, limit: usize, permit: &Permit) -> Answer<Vec<PostRow>> {
    let turn = app.pull_turns.turn_among(caller.account_id, Some(permit.few())).await.map_err(no_turn)?;
    let refused = |refused| ApiError::new(Code::UrlNotAllowed, format!("{refused}."));
    let checked = app.process.outbound.check_resolves_public(url, caller.account_id).await.map_err(refused)?;
    let source = checked.url().clone();
    if source.as_str().len() > feeds::MOST_URL_BYTES {
        let message = format!("`url`: expected at most {} bytes.", feeds::MOST_URL_BYTES);
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    let posts = fetch_posts(app, caller, &source, limit.min(MOST_PULLED)).await?;
    drop(turn);
    let account = caller.workspace.account_id;
    let mut keep_pulled = app.process.begin_of(caller.account_id).await?;
    posts::lock(&mut keep_pulled, account).await.map_err(ApiError::of_own_lock)?;
    let rows = put_all(&mut keep_pulled, caller, &source, &posts).await?;
    let pulled: Vec<PostId> = rows.iter().map(|row| row.id).collect();
    if posts::make_room(&mut keep_pulled, account, &pulled, MOST_POSTS).await? > 0 {
        let message = format!("The workspaces of the account keep {MOST_POSTS} posts, which is the most.");
        let refusal = ApiError::new(Code::QuotaReached, message);
        return Err(refusal.suggest("Delete some of them with `delete_post`."));
    }
    keep_pulled.commit().await?;
    Ok(rows)
}

/// Keeps a post of the workspace that the call acts in, and with `media` imports the media that it shows as an item.
/// `show` writes the answer.
///
/// # Errors
/// `post_not_found`, `workspace_forbidden`; those of `uploads::import` for an import.
pub async fn keep_post(
    app: &App,
    caller: &Caller,
    once: &Once,
    post: PostId,
    tags: Option<Vec<String>>,
    media: Option<Import>,
    show: impl FnOnce(PostRow) -> String,
) -> Answer<Made> {
    let mut keep_post = match once.begin(app).await? {
        Begun::Now(keep_post, _) => keep_post,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let row =
        reachable(caller, post, posts::find_to_change(&mut keep_post, post).await.map_err(ApiError::of_own_lock)?)?;
    let begun = match media {
        // Another call may have imported it meanwhile.
        Some(media) if row.item_id.is_none() => Some(import(&mut keep_post, &app.process, caller, media).await?),
        _ => None,
    };
    let item = begun.as_ref().map(|(imported, _)| imported.item);
    if !posts::keep(&mut keep_post, post, caller.workspace.id, tags.as_deref(), item).await? {
        return Err(unknown(post));
    }
    let body = show(reach(&mut keep_post, caller, post).await?);
    once.keep(app, &mut keep_post, &body).await?;
    keep_post.commit().await?;
    if let Some((_, ticket)) = begun {
        app.process.wakes.tickets(&ticket);
    }
    Ok(Made::Now(body))
}

/// Deletes a post of the workspace that the call acts in.
///
/// # Errors
/// `post_not_found`, `workspace_forbidden`.
pub async fn delete_post(app: &App, caller: &Caller, post: PostId) -> Answer<()> {
    let mut conn = app.conn().await?;
    reach(&mut conn, caller, post).await?;
    if posts::delete(&mut conn, post, caller.workspace.id).await? { Ok(()) } else { Err(unknown(post)) }
}

/// Returns the post, for a call that acts in its workspace.
///
/// # Errors
/// `workspace_forbidden` when it is in another workspace, `post_not_found` when there is none.
pub async fn reach(conn: &mut PgConnection, caller: &Caller, post: PostId) -> Answer<PostRow> {
    reachable(caller, post, posts::find(conn, post).await?)
}

fn reachable(caller: &Caller, post: PostId, row: Option<PostRow>) -> Answer<PostRow> {
    let row = row.ok_or_else(|| unknown(post))?;
    if row.workspace_id != caller.workspace.id {
        return Err(ApiError::elsewhere("post"));
    }
    Ok(row)
}

/// Returns the posts of the feed or the page at this URL.
async fn fetch_posts(app: &App, caller: &Caller, url: &Url, limit: usize) -> Answer<Vec<Post>> {
    let limits = FetchLimits { max_bytes: MOST_BYTES, timeout: FETCH, pace: Pace::default() };
    let (bytes, content_type) = fetch(app, caller, url, limits).await.map_err(|error| not_fetched(&error))?;
    let read = || found(&bytes, content_type.as_deref(), url, limit);
    let read = in_turn(app.turns.pulls(bytes.len()), caller.account_id, read).await;
    match read.map_err(|error| pull_failed(&format!("{error}.")))? {
        FoundPosts::Feed(posts) => Ok(posts),
        FoundPosts::Page(mut post, more) => {
            if let Some(Embed { author, title }) = fetch_embed(app, caller, more).await {
                post.author = post.author.or(author);
                post.title = post.title.or(title);
            }
            Ok(vec![*post])
        }
    }
}

/// Returns what a page's oEmbed adds, where it can be fetched.
async fn fetch_embed(app: &App, caller: &Caller, url: Option<Url>) -> Option<Embed> {
    let limits = FetchLimits { max_bytes: MOST_EMBED_BYTES, timeout: FETCH_EMBED, pace: Pace::default() };
    let (bytes, _) = fetch(app, caller, &url?, limits).await.ok()?;
    embed(&bytes)
}

async fn fetch(
    app: &App,
    caller: &Caller,
    url: &Url,
    limits: FetchLimits,
) -> Result<(Vec<u8>, Option<String>), FetchError> {
    let fetched = app.process.outbound.fetch(url.as_str(), caller.account_id, limits).await?;
    let content_type = fetched.content_type.clone();
    let chunks = fetched.into_stream();
    let bytes = chunks.try_fold(Vec::new(), |mut whole, chunk| async move {
        whole.extend_from_slice(&chunk);
        Ok(whole)
    });
    Ok((bytes.await?, content_type))
}

/// Stores the posts. Of those with one URL the last one counts.
async fn put_all(conn: &mut PgConnection, caller: &Caller, source: &Url, posts: &[Post]) -> Answer<Vec<PostRow>> {
    let mut seen = HashSet::new();
    let mut once: Vec<&Post> = posts.iter().rev().filter(|post| seen.insert(post.url.as_str())).collect();
    once.reverse();
    let said: Vec<(Value, Vec<u8>)> = once.iter().map(|post| media_and_hash(post)).collect();
    let new = once.iter().zip(&said).map(|(post, (media, sha256))| NewPost {
        url: post.url.as_str(),
        author: post.author.as_deref(),
        title: post.title.as_deref(),
        text: &post.text,
        published_at: post.published_at,
        media,
        sha256,
    });
    let new: Vec<NewPost<'_>> = new.collect();
    Ok(posts::put_all(conn, caller.workspace.id, source.as_str(), &new).await?)
}

/// The media of a post as they are stored, and the hash of what it says.
fn media_and_hash(post: &Post) -> (Value, Vec<u8>) {
    let media = post.media.iter().map(|link| json!({ "url": link.url.as_str(), "content_type": link.content_type }));
    let media = Value::Array(media.collect());
    let said = json!([post.title, post.author, post.text, media]).to_string();
    (media, Sha256::digest(said).to_vec())
}

fn not_fetched(error: &FetchError) -> ApiError {
    match error {
        FetchError::Url(_) | FetchError::RedirectedTo(_) => ApiError::new(Code::UrlNotAllowed, format!("{error}.")),
        FetchError::Ours => ApiError::new(Code::Unavailable, "Nothing can be fetched now. Try again shortly."),
        FetchError::Failed { error: AttemptError::UrlNotPublic, .. } => {
            ApiError::new(Code::UrlNotAllowed, "The URL leads to an address that is not public.")
        }
        FetchError::Failed { status: Some(status), .. } => pull_failed(&format!("{}.", answered(*status))),
        FetchError::Failed { error, status: None } => pull_failed(&format!("{}.", unanswered(*error))),
        _ => pull_failed(&format!("{error}.")),
    }
}

/// What a server that answered with another status than 2xx said, and what helps.
fn answered(status: u16) -> String {
    let helps = match status {
        401 | 403 | 407 => "it wants a login or takes no programs, and only what anyone can read is pulled",
        404 | 410 => "there is nothing at this URL: give another one",
        408 | 425 | 429 | 500.. => "try again later",
        _ => "give the URL of a feed or a page that opens in a browser",
    };
    format!("the server answered with status {status}; {helps}")
}

/// Why no answer came, and what helps.
const fn unanswered(error: AttemptError) -> &'static str {
    match error {
        AttemptError::DnsFailed => "the URL's host has no address; look whether it is written as it should be",
        AttemptError::TlsFailed => "the server's certificate is not trusted, or it speaks no TLS",
        AttemptError::RedirectRefused => "the URL redirects, and does not say where to",
        AttemptError::InvalidResponse => "the server's answer is no HTTP",
        AttemptError::ConnectFailed => "the server takes no connection; try again later",
        _ => "the server gave no whole answer; try again later",
    }
}

fn no_turn(error: TurnError) -> ApiError {
    match error {
        TurnError::OwnCalls => error.into(),
        TurnError::Database(_) => {
            let message = "As many posts are being pulled as can be at once. Try again shortly.";
            ApiError::new(Code::Unavailable, message).retry_after(TRY_AGAIN_S)
        }
    }
}

fn pull_failed(why: &str) -> ApiError {
    ApiError::new(Code::PullFailed, format!("Nothing was pulled: {why}"))
}

fn unknown(post: PostId) -> ApiError {
    ApiError::new(Code::PostNotFound, format!("There is no post {post}."))
}
