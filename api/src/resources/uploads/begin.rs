//! Making an upload or an import: what is announced is checked, the storage it takes is reserved, and its rows are
//! written, in one transaction each.

use super::CreateUpload;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::quotas::{self, Asker};
use chrono::{DateTime, Utc};
use common::config::Settings;
use common::domain::credential::CredentialHash;
use common::domain::item::{check_name, check_ref};
use common::domain::upload::{essence, is_taken};
use common::ids::{AccountId, ItemId, UploadId};
use common::process::Process;
use common::queue::{self, Queue, Subject, Ticket};
use common::store::items::{self, Added, NewItem};
use common::store::uploads::{self, NewImport, NewUpload};
use sqlx::PgConnection;

/// Imports of an account that have not ended.
const MOST_IMPORTS: i64 = 1_000;
/// When to ask for another, in seconds.
const IMPORTS_AGAIN_S: u64 = 10;

/// Bytes that will be sent, as far as that can be judged before they are.
#[derive(Debug)]
pub(super) struct Announced {
    filename: String,
    /// The media type, without parameters.
    pub content_type: String,
    bytes: i64,
    sha256: Option<[u8; 32]>,
    item_ref: Option<String>,
}

impl Announced {
    /// What a request announces.
    ///
    /// # Errors
    /// `invalid_request` by field, `file_too_large`, `unsupported_media_type`.
    pub fn checked(asked: &CreateUpload, settings: &Settings) -> Answer<Self> {
        let filename = named("filename", asked.filename.as_deref())?;
        let content_type = essence(asked.content_type.as_deref().ok_or_else(|| missing("content_type"))?);
        let bytes = asked.bytes.ok_or_else(|| missing("bytes"))?;
        let sha256 = asked.sha256.as_deref().map(hash).transpose()?;
        if !is_taken(&content_type) {
            let message = format!("`{content_type}` is no media type that can be uploaded.");
            return Err(ApiError::new(Code::UnsupportedMediaType, message));
        }
        if u64::try_from(bytes).is_ok_and(|bytes| bytes > settings.max_upload_bytes) {
            let message = format!("A file may have at most {} bytes.", settings.max_upload_bytes);
            return Err(ApiError::new(Code::FileTooLarge, message));
        }
        let item_ref = checked_ref(asked.item_ref.as_deref())?;
        Ok(Self { filename, content_type, bytes, sha256, item_ref })
    }
}

/// An upload that waits for its bytes.
#[derive(Debug)]
pub(super) struct Begun {
    pub upload: UploadId,
    pub item: ItemId,
    pub expires_at: DateTime<Utc>,
}

/// Use case "begin upload", in its transaction: an item in `processing`, and the upload that fills it. `token` is the secret of
/// its URL.
pub(super) async fn begin(
    conn: &mut PgConnection,
    process: &Process,
    caller: &Caller,
    announced: &Announced,
    token: &str,
) -> Answer<Begun> {
    let (upload, item) = (UploadId::mint(), ItemId::mint());
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
    };
    let expires_at = uploads::add(conn, &new).await?;
    Ok(Begun { upload, item, expires_at })
}

/// A URL to import from, and what to call what is there.
#[derive(Debug)]
pub struct Import<'a> {
    /// Where it is.
    pub url: &'a str,
    /// What people will call the item.
    pub name: Option<&'a str>,
    /// What clients will call it.
    pub item_ref: Option<&'a str>,
}

/// An import that was started.
#[derive(Debug, Clone, Copy)]
pub struct Imported {
    /// The upload that a worker will work.
    pub upload: UploadId,
    /// The item it fills.
    pub item: ItemId,
}

/// An import that may be, as far as that can be judged before it is begun.
#[derive(Debug)]
pub struct CheckedImport {
    url: String,
    name: String,
    item_ref: Option<String>,
}

impl CheckedImport {
    /// What a request asks for.
    ///
    /// # Errors
    /// `url_not_allowed`, `invalid_request` by field.
    pub async fn of(process: &Process, caller: &Caller, asked: &Import<'_>) -> Answer<Self> {
        let refused = |refused| ApiError::new(Code::UrlNotAllowed, format!("{refused}."));
        let checked = process.outbound.check_resolves_public(asked.url, caller.account_id).await.map_err(refused)?;
        let name = match asked.name {
            Some(name) => named("name", Some(name))?,
            None => name_in(checked.url()),
        };
        let item_ref = checked_ref(asked.item_ref)?;
        Ok(Self { url: checked.url().as_str().to_owned(), name, item_ref })
    }
}

/// Use case "import", in its transaction: an item in `processing`, and the ticket that has a worker fetch it. Wake
/// `Queue::Fetch` after the commit.
///
/// # Errors
/// `file_too_large` when the account's storage is full, `ref_taken`, `quota_reached`, `rate_limited` while the account has as many
/// under way as it may.
pub async fn import(
    conn: &mut PgConnection,
    process: &Process,
    caller: &Caller,
    asked: CheckedImport,
) -> Answer<Imported> {
    let CheckedImport { url, name, item_ref } = asked;
    let (upload, item) = (UploadId::mint(), ItemId::mint());
    let ticket = Ticket::new(Queue::Fetch, Subject::Upload(upload));
    let (workspace_id, account_id) = (caller.workspace.id, caller.workspace.account_id);
    // Its size is unknown, so a byte is asked for; the worker reserves what it needs as the bytes come.
    reserve(conn, process, caller, 1).await?;
    one_more_import(conn, account_id).await?;
    let item_ref = item_ref.unwrap_or_else(|| item.to_string());
    let new =
        NewItem { id: item, workspace_id, account_id, item_ref: &item_ref, name: &name, content_type: None, bytes: 0 };
    add(conn, &new).await?;
    let new = NewImport {
        id: upload,
        item_id: item,
        workspace_id,
        account_id,
        filename: &name,
        url: &url,
        ticket_id: &ticket.id,
    };
    uploads::add_import(conn, &new).await?;
    queue::push(conn, &[ticket]).await?;
    Ok(Imported { upload, item })
}

/// Refuses what would take the account past its storage, or past the items that it may have. Others that add to it wait until the transaction ends.
async fn reserve(conn: &mut PgConnection, process: &Process, caller: &Caller, bytes: i64) -> Answer<()> {
    let account = caller.workspace.account_id;
    let asker = if account == caller.account_id { Asker::Own } else { Asker::Guest };
    let kept = quotas::locked(conn, account).await?;
    quotas::one_more_item(&process.settings, kept, asker)?;
    let (kept, quota) = (kept.media_bytes, process.settings.storage_quota_bytes);
    if u64::try_from(kept.saturating_add(bytes)).is_ok_and(|wanted| wanted <= quota) {
        return Ok(());
    }
    // What somebody else's account keeps in its other workspaces is not a guest's to know.
    let message = if asker == Asker::Own {
        format!("The account may keep {quota} bytes and keeps {kept}; this does not fit.")
    } else {
        "The workspace's account has not that much storage left.".to_owned()
    };
    Err(ApiError::new(Code::FileTooLarge, message).suggest("Delete items that are no longer needed."))
}

/// Refuses one more import past those that an account may have under way: they wait in one line with everybody's.
async fn one_more_import(conn: &mut PgConnection, account: AccountId) -> Answer<()> {
    if uploads::imports_under_way(conn, account, MOST_IMPORTS).await? < MOST_IMPORTS {
        return Ok(());
    }
    let message = format!("The account has {MOST_IMPORTS} imports under way, which is the most at once.");
    let refusal = ApiError::new(Code::RateLimited, message).retry_after(IMPORTS_AGAIN_S);
    Err(refusal.suggest("Wait until some of them have ended."))
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

/// SHA-256 of a token, which is all that is kept of it.
pub(super) fn token_hash(token: &str) -> CredentialHash {
    CredentialHash::of(token)
}

fn missing(field: &str) -> ApiError {
    let message = format!("`{field}`: required, unless `url` is given.");
    ApiError::new(Code::InvalidRequest, message)
}

fn named(field: &str, name: Option<&str>) -> Answer<String> {
    let name = name.ok_or_else(|| missing(field))?;
    check_name(name).map_err(|wrong| ApiError::new(Code::InvalidRequest, format!("`{field}`: {wrong}.")))?;
    Ok(name.to_owned())
}

fn checked_ref(text: Option<&str>) -> Answer<Option<String>> {
    let wrong = |wrong| ApiError::new(Code::InvalidRequest, format!("`ref`: {wrong}."));
    text.map(|text| check_ref(text).map(|()| text.to_owned()).map_err(wrong)).transpose()
}

/// What to call an import that nobody named: the last part of the URL's path, or its host.
fn name_in(url: &url::Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).filter(|part| check_name(part).is_ok());
    last.or(url.host_str()).unwrap_or("import").to_owned()
}

fn hash(text: &str) -> Answer<[u8; 32]> {
    let wrong = || ApiError::new(Code::InvalidRequest, "`sha256`: expected 64 hexadecimal characters.");
    if text.len() != 64 || !text.is_ascii() {
        return Err(wrong());
    }
    let mut hash = [0; 32];
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        let pair = text.get(at..at + 2).filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
        *byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).ok_or_else(wrong)?;
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_read_in_either_case_and_refused_when_it_is_none() {
        let text = "00ffAB".to_owned() + &"0".repeat(58);
        assert_eq!(hash(&text).expect("a hash")[..3], [0, 255, 171]);
        for wrong in ["", "00", &"g".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
            assert!(hash(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_import_is_called_by_the_last_part_of_its_url() {
        let name = |url: &str| name_in(&url::Url::parse(url).expect("a URL"));
        assert_eq!(name("https://a.example/x/talk.mp4?sig=1"), "talk.mp4");
        assert_eq!(name("https://a.example/"), "a.example");
    }
}
