//! Public links: made and revoked by those who work in the item's workspace, and opened by whoever has one. The
//! account's audit log records what is made and revoked.

use crate::app::App;
use crate::auth::{Caller, in_time, turn_to_look_up};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::usecases::account_audit::{Change, note_here, note_made_here};
use crate::usecases::library::reach;
use crate::usecases::once::{Before, Begun, Made, Once, forgotten};
use domain::credential::CredentialHash;
use domain::ids::PublicLinkId;
use domain::public_link::{LinkToken, MOST_LINKS, MOST_WRONG, WRONG_MINUTES, admission_subject, passphrase_subject};
use domain::read::Read;
use picture::DRAWN;
use serde_json::json;
use store::public_links::{self, LinkRow, NewLink, OpenLink, Rights};

/// Seconds until somebody who gave a link's passphrase is asked for it again.
pub const ADMITTED_SECONDS: i64 = 12 * 3_600;

/// A link to make.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// The id or the ref of its item.
    pub item: &'a str,
    /// Seconds until it expires.
    pub seconds: i64,
    /// What it allows its visitors.
    pub rights: Rights,
    /// The passphrase that its visitors must give.
    pub passphrase: Option<&'a str>,
}

/// Makes a link. `show` writes the answer, which is stored without the token.
///
/// # Errors
/// As `reach`; `quota_reached` where the workspace has as many live links as it may, `rate_limited` after many changes
/// in a day.
pub async fn create_link(
    app: &App,
    caller: &Caller,
    once: &Once,
    wanted: &Wanted<'_>,
    show: impl FnOnce(LinkRow, &LinkToken) -> String,
) -> Answer<Made> {
    let (mut create_link, call) = match once.begin(app).await? {
        Begun::Now(create_link, call) => (create_link, call),
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let item = reach(&mut create_link, caller.workspace, wanted.item).await?;
    let workspace = caller.workspace.id;
    public_links::lock(&mut create_link, workspace).await.map_err(ApiError::of_own_lock)?;
    if public_links::count_live(&mut create_link, workspace, MOST_LINKS).await? >= MOST_LINKS {
        let message = format!("The workspace has {MOST_LINKS} public links, which is the most.");
        let refusal = ApiError::new(Code::QuotaReached, message);
        return Err(refusal.suggest("Revoke some of them with `revoke_public_link`."));
    }
    let (id, token) = (PublicLinkId::mint(), LinkToken::from_random(once.secret(app, call)));
    let passphrase_hash = wanted.passphrase.map(|given| app.links.code(&passphrase_subject(id, given)));
    let new = NewLink {
        id,
        item: item.id,
        workspace,
        token_hash: &token.hash(),
        rights: wanted.rights,
        passphrase_hash: passphrase_hash.as_ref().map(<[u8; 32]>::as_slice),
        seconds: wanted.seconds,
        user: caller.user_id,
        key: caller.key_id,
    };
    public_links::add(&mut create_link, &new).await?;
    let made = public_links::find(&mut create_link, id).await?.ok_or_else(|| unknown(id))?;
    let details = json!({ "item_id": item.id, "expires_at": made.expires_at, "may_download": made.may_download,
        "may_comment": made.may_comment, "has_passphrase": made.has_passphrase });
    note_made_here(&mut create_link, caller, Change::of("link.create", id).with(details)).await?;
    let body = show(made, &token);
    // Only the token's hash is stored, here too.
    once.keep(app, &mut create_link, &body.replace(&token.expose(), "")).await?;
    create_link.commit().await?;
    Ok(Made::Now(body))
}

/// Returns the token of the link that this call made before, derived again.
pub async fn token_made_before(app: &App, caller: &Caller, once: &Once, before: &Before) -> Answer<LinkToken> {
    let mut conn = app.conn().await?;
    for secret in once.secrets(app, before.call) {
        let token = LinkToken::from_random(secret);
        if public_links::has_token(&mut conn, caller.workspace.id, &token.hash()).await? {
            return Ok(token);
        }
    }
    Err(forgotten())
}

/// Ends a link of the workspace that the call acts in, and returns it. A link that has ended already stays as it is.
///
/// # Errors
/// `public_link_not_found`, `workspace_forbidden`.
pub async fn revoke_link(app: &App, caller: &Caller, link: PublicLinkId) -> Answer<LinkRow> {
    let mut revoke_link = app.process.begin().await?;
    let row = public_links::find(&mut revoke_link, link).await?.ok_or_else(|| unknown(link))?;
    if row.workspace_id != caller.workspace.id {
        return Err(ApiError::elsewhere("link"));
    }
    if public_links::revoke(&mut revoke_link, link, caller.workspace.id).await? {
        note_here(&mut revoke_link, caller, Change::of("link.revoke", link)).await?;
    }
    let row = public_links::find(&mut revoke_link, link).await?.ok_or_else(|| unknown(link))?;
    revoke_link.commit().await?;
    Ok(row)
}

fn unknown(link: PublicLinkId) -> ApiError {
    ApiError::new(Code::PublicLinkNotFound, format!("There is no public link {link}."))
}

/// Returns the live link with this token; none when it has ended or never existed. Lookups take turns, and wrong tokens
/// count like wrong keys.
///
/// # Errors
/// `rate_limited` after many wrong tokens from the same address, and where a turn does not come in time.
pub async fn open_link(app: &App, scope: &Scope, token: &str) -> Answer<Option<OpenLink>> {
    let Ok(token) = token.parse::<LinkToken>() else { return Ok(None) };
    let (hash, presented) = (token.hash(), CredentialHash::of(&format!("public link {}", token.expose())));
    app.guesses.refuse(scope, &presented).await?;
    let _turn = turn_to_look_up(app, scope, &presented, &app.turns.public_links, hash).await?;
    let shown: Vec<&str> = DRAWN.into_iter().chain([Read::Transcript.name()]).collect();
    let found = in_time(async { public_links::open(&mut *app.conn().await?, &hash, &shown).await }).await?;
    match &found {
        Some(_) => app.guesses.remember_right(&presented).await,
        None => app.guesses.count(scope).await,
    }
    Ok(found)
}

/// Returns an admission, which proves that somebody gave the link's passphrase, and the unix second when it expires;
/// none for a link without one.
pub fn admission(app: &App, link: &OpenLink) -> Option<(String, i64)> {
    let hash = link.passphrase_hash.as_ref()?;
    let expires = link.expires_at.timestamp().min(link.now.timestamp() + ADMITTED_SECONDS);
    let code = hex::encode(app.links.code(&admission_subject(link.id, hash, expires)));
    Some((format!("{expires}.{code}"), expires))
}

/// Whether somebody with this admission may see what the link shows; anybody may where it has no passphrase.
pub fn is_admitted(app: &App, link: &OpenLink, given: Option<&str>) -> bool {
    let Some(hash) = &link.passphrase_hash else { return true };
    let Some((expires, code)) = given.and_then(|given| given.split_once('.')) else { return false };
    let (Ok(expires), Ok(code)) = (expires.parse::<i64>(), hex::decode(code)) else { return false };
    expires > link.now.timestamp() && app.links.is_code(&admission_subject(link.id, hash, expires), &code)
}

/// Whether this is the link's passphrase. A link takes a bounded number of wrong ones in a while, from anybody.
///
/// # Errors
/// `rate_limited` after too many wrong ones.
pub async fn check_passphrase(app: &App, link: &OpenLink, given: &str) -> Answer<bool> {
    let Some(hash) = &link.passphrase_hash else { return Ok(true) };
    let mut conn = app.conn().await?;
    if !public_links::count_wrong(&mut conn, link.id, MOST_WRONG, WRONG_MINUTES).await? {
        let message = format!("Too many wrong passphrases. Try again in {WRONG_MINUTES} minutes.");
        return Err(ApiError::new(Code::RateLimited, message).retry_after(60 * u64::from(WRONG_MINUTES.unsigned_abs())));
    }
    let is_right = app.links.is_code(&passphrase_subject(link.id, given), hash);
    if is_right {
        public_links::count_right(&mut conn, link.id).await?;
    }
    Ok(is_right)
}
