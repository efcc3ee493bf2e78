//! Importing media from a URL: an item in `processing`, and the ticket for a worker to fetch it, in one transaction.

use super::{add, reserve};
use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::library::reach;
use crate::usecases::once::{Begun, Made, Once};
use crate::usecases::reads_on_ready::{self, IMPORT};
use domain::ids::{AccountId, ItemId, UploadId};
use domain::read::Read;
use runtime::process::Process;
use runtime::queue::{self, Ticket};
use sqlx::PgConnection;
use store::items::{ItemRow, NewItem};
use store::uploads::{self, NewImport, Stage};

/// Imports of an account that may be under way.
const MOST_IMPORTS: i64 = 1_000;
/// `Retry-After` for another import, in seconds.
const IMPORTS_AGAIN_S: u64 = 10;

/// An import, checked as far as it can be before it begins.
#[derive(Debug)]
pub struct Import {
    /// The URL to fetch it from.
    pub url: String,
    /// The item's name.
    pub name: String,
    /// The item's ref; its id where there is none.
    pub item_ref: Option<String>,
    /// Reads to start once it is ready.
    pub reads: Vec<Read>,
}

/// An import that was begun.
#[derive(Debug, Clone, Copy)]
pub struct Imported {
    /// The upload that a worker works on.
    pub upload: UploadId,
    /// The item it fills.
    pub item: ItemId,
}

/// Begins an import. `show` writes the answer from the upload that fetches it.
///
/// # Errors
/// `file_too_large` when the account's storage is full, `ref_taken`, `quota_reached`, `rate_limited` while the account
/// has as many under way as it may.
pub async fn import_upload(
    app: &App,
    caller: &Caller,
    once: &Once,
    asked: Import,
    show: impl FnOnce(Imported) -> String,
) -> Answer<Made> {
    let mut begin_import = match once.begin(app).await? {
        Begun::Now(begin_import, _) => begin_import,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let (imported, ticket) = import(&mut begin_import, &app.process, caller, asked).await?;
    let body = show(imported);
    once.keep(app, &mut begin_import, &body).await?;
    begin_import.commit().await?;
    app.process.wakes.tickets(&ticket);
    Ok(Made::Now(body))
}

/// As [`import_upload`], but `show` writes the answer from the item that is filled.
pub async fn import_item(
    app: &App,
    caller: &Caller,
    once: &Once,
    asked: Import,
    show: impl FnOnce(ItemRow) -> String,
) -> Answer<Made> {
    let mut begin_import = match once.begin(app).await? {
        Begun::Now(begin_import, _) => begin_import,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let (imported, ticket) = import(&mut begin_import, &app.process, caller, asked).await?;
    let body = show(reach(&mut begin_import, caller.workspace, &imported.item.to_string()).await?);
    once.keep(app, &mut begin_import, &body).await?;
    begin_import.commit().await?;
    app.process.wakes.tickets(&ticket);
    Ok(Made::Now(body))
}

/// Adds the item, the upload that fills it, and the ticket for a worker to fetch it.
pub(in crate::usecases) async fn import(
    conn: &mut PgConnection,
    process: &Process,
    caller: &Caller,
    asked: Import,
) -> Answer<(Imported, [Ticket; 1])> {
    let Import { url, name, item_ref, reads } = asked;
    let (upload, item) = (UploadId::mint(), ItemId::mint());
    let (workspace_id, account_id) = (caller.workspace.id, caller.workspace.account_id);
    // The size is unknown, so one byte is reserved; the worker reserves more as bytes arrive.
    reserve(conn, process, caller, 1).await?;
    let others = imports_under_way(conn, account_id).await?;
    let ticket = queue::upload_ticket(upload, Stage::Fetch, others);
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
    reads_on_ready::add(conn, caller, item, IMPORT, &reads).await?;
    let pushed = [ticket];
    queue::push(conn, &pushed).await?;
    Ok((Imported { upload, item }, pushed))
}

/// Returns how many imports the account has under way, and refuses one more if these are as many as it may have: all
/// accounts' imports wait in one queue.
async fn imports_under_way(conn: &mut PgConnection, account: AccountId) -> Answer<i64> {
    let under_way = uploads::imports_under_way(conn, account, MOST_IMPORTS).await?;
    if under_way < MOST_IMPORTS {
        return Ok(under_way);
    }
    let message = format!("The account has {MOST_IMPORTS} imports under way, which is the most at once.");
    let refusal = ApiError::new(Code::RateLimited, message).retry_after(IMPORTS_AGAIN_S);
    Err(refusal.suggest("Wait until some of them have ended."))
}
