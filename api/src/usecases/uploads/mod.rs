//! Items that are still to get their bytes: `begin_upload` awaits them from the client, `import` has a worker fetch
//! them, `complete` hands them to a worker. The storage that an item takes is reserved with its rows, so that no race
//! takes an account past its quotas.

pub mod complete;
pub mod import;

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate;
use crate::usecases::once::{Before, Begun, Made, Once, forgotten};
use crate::usecases::quotas::{self, Asker};
use crate::usecases::reads_on_ready::{self, UPLOAD};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::credential::CredentialHash;
use domain::ids::{ItemId, UploadId};
use domain::read::Read;
use runtime::process::Process;
use sqlx::PgConnection;
use store::items::{self, Added, NewItem};
use store::paces::{self, Paced};
use store::uploads::{self, NewUpload};

/// Bytes of the secret in an upload's URL.
const SECRET_BYTES: usize = 32;

/// An upload to begin, checked as far as it can be before its bytes are sent.
#[derive(Debug)]
pub struct Announced {
    /// The file's name.
    pub filename: String,
    /// The media type, without parameters.
    pub content_type: String,
    /// The file's size in bytes.
    pub bytes: i64,
    /// The file's SHA-256, if the client sent it.
    pub sha256: Option<[u8; 32]>,
    /// The item's ref; its id where there is none.
    pub item_ref: Option<String>,
    /// Reads to start once it is ready.
    pub reads: Vec<Read>,
}

/// An upload that waits for its bytes.
#[derive(Debug, Clone, Copy)]
pub struct BegunUpload {
    /// Its id.
    pub upload: UploadId,
    /// The item that it fills.
    pub item: ItemId,
    /// When it is deleted, unless it was completed.
    pub expires_at: DateTime<Utc>,
}

/// Begins an upload: an item in `processing`, and the upload that fills it. `show` writes the answer from them and the
/// token of the upload's URL; it is stored without the token.
pub async fn begin_upload(
    app: &App,
    caller: &Caller,
    once: &Once,
    announced: &Announced,
    show: impl FnOnce(BegunUpload, &str) -> String,
) -> Answer<Made> {
    let (mut begin_upload, call) = match once.begin(app).await? {
        Begun::Now(begin_upload, call) => (begin_upload, call),
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let upload = UploadId::mint();
    let token = token(app, upload, once.secret(app, call));
    let begun = begin(&mut begin_upload, &app.process, caller, announced, upload, &token).await?;
    let body = show(begun, &token);
    // Only the token's hash is stored, here too.
    once.keep(app, &mut begin_upload, &body.replace(&token, "")).await?;
    begin_upload.commit().await?;
    Ok(Made::Now(body))
}

/// Returns the token of an upload that this call made before, derived again.
pub async fn token_made_before(app: &App, once: &Once, before: &Before, upload: UploadId) -> Answer<String> {
    let row = uploads::find(&mut *app.conn().await?, upload).await?.ok_or_else(forgotten)?;
    // Tokens of earlier releases were the secret alone.
    let tokens =
        |secret: [u8; SECRET_BYTES]| tokens(app, upload, secret).into_iter().chain([URL_SAFE_NO_PAD.encode(secret)]);
    let is_its = |token: &String| row.token_hash.as_deref() == Some(token_hash(token).as_bytes());
    once.secrets(app, before.call).into_iter().flat_map(tokens).find(is_its).ok_or_else(forgotten)
}

/// The token of an upload: its secret, followed by a code over both. The code tells a genuine token from an invented
/// one without a query.
fn token(app: &App, upload: UploadId, secret: [u8; SECRET_BYTES]) -> String {
    URL_SAFE_NO_PAD.encode([secret, app.links.code(&subject(upload, &secret))].concat())
}

/// The token of an upload by each secret key that the service has or had.
fn tokens(app: &App, upload: UploadId, secret: [u8; SECRET_BYTES]) -> Vec<String> {
    let whole = |code| URL_SAFE_NO_PAD.encode([secret, code].concat());
    app.links.codes(&subject(upload, &secret)).map(whole).collect()
}

/// Whether this service issued the token for that upload, which may be gone since.
pub fn is_given_out(app: &App, upload: UploadId, token: &str) -> bool {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(token) else { return false };
    bytes.split_at_checked(SECRET_BYTES).is_some_and(|(secret, code)| app.links.is_code(&subject(upload, secret), code))
}

fn subject(upload: UploadId, secret: &[u8]) -> String {
    format!("upload {upload} {}", URL_SAFE_NO_PAD.encode(secret))
}

/// SHA-256 of a token: only that is stored.
pub fn token_hash(token: &str) -> CredentialHash {
    CredentialHash::of(token)
}

async fn begin(
    conn: &mut PgConnection,
    process: &Process,
    caller: &Caller,
    announced: &Announced,
    upload: UploadId,
    token: &str,
) -> Answer<BegunUpload> {
    let item = ItemId::mint();
    let item_ref = announced.item_ref.clone().unwrap_or_else(|| item.to_string());
    reserve(conn, process, caller, announced.bytes).await?;
    let new = NewItem {
        id: item,
        workspace_id: caller.workspace.id,
        account_id: caller.workspace.account_id,
        item_ref: &item_ref,
        name: &announced.filename,
        content_type: Some(&announced.content_type),
        bytes: announced.bytes,
    };
    add(conn, &new).await?;
    let token_hash = token_hash(token);
    let new = NewUpload {
        id: upload,
        item_id: item,
        workspace_id: caller.workspace.id,
        account_id: caller.workspace.account_id,
        filename: &announced.filename,
        content_type: &announced.content_type,
        bytes: announced.bytes,
        sha256: announced.sha256.as_ref().map(<[u8; 32]>::as_slice),
        token_hash: token_hash.as_bytes(),
        user_id: caller.user_id,
        key_id: caller.key_id,
    };
    let expires_at = uploads::add(conn, &new).await?;
    reads_on_ready::add(conn, caller, item, UPLOAD, &announced.reads).await?;
    Ok(BegunUpload { upload, item, expires_at })
}

/// Refuses what would take the account past its storage, or past its number of items. Other calls that add to it wait
/// until the transaction ends.
async fn reserve(conn: &mut PgConnection, process: &Process, caller: &Caller, bytes: i64) -> Answer<()> {
    let account = caller.workspace.account_id;
    // Inspecting an uploaded file takes processor time that nobody pays for.
    if let Some(wait) =
        paces::longest_wait(conn, account, &rate::most(&process.settings, &[Paced::UnpaidProcessorTime])).await?
    {
        return Err(rate::too_soon(wait));
    }
    let asker = Asker::of(caller, account);
    let kept = quotas::lock(conn, account).await?;
    quotas::one_more_item(&process.settings, kept, asker)?;
    let (kept, quota) = (kept.media_bytes, process.settings.storage_quota_bytes);
    if u64::try_from(kept.saturating_add(bytes)).is_ok_and(|wanted| wanted <= quota) {
        return Ok(());
    }
    // A guest must not learn what another account keeps in its other workspaces.
    let message = if asker == Asker::Own {
        format!("The account may keep {quota} bytes and keeps {kept}; this does not fit.")
    } else {
        "The workspace's account has not that much storage left.".to_owned()
    };
    Err(ApiError::new(Code::FileTooLarge, message).suggest("Delete items that are no longer needed."))
}

async fn add(conn: &mut PgConnection, item: &NewItem<'_>) -> Answer<()> {
    match items::add(conn, item).await? {
        Added::Yes => Ok(()),
        Added::RefTaken => {
            let message = format!("`ref`: an item of this workspace is called `{}` already.", item.item_ref);
            Err(ApiError::new(Code::RefTaken, message))
        }
    }
}
