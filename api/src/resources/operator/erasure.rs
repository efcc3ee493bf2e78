//! Erasing an item, a workspace or an account: `POST /operator/items/{id}/erase`, likewise of workspaces and
//! accounts.
//!
//! Words and bytes go, the ledger stays as numbers. An account is suspended first: that is the moment to think again. What is
//! cut off half-way is done by asking again: every step leaves out what is done.

use super::{OperatorAuth, OperatorCaller, missing};
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use common::ending;
use common::ids::{AccountId, ItemId, WorkspaceId};
use common::store::erasure::{self, Erased};
use common::store::{audit, items, jobs, workspaces};
use common::wake::Wake;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sqlx::{Acquire, PgConnection};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("POST /operator/accounts/{id}/erase", &[Code::AccountNotFound, Code::IllegalTransition]),
    ("POST /operator/workspaces/{id}/erase", &[Code::WorkspaceNotFound, Code::IllegalTransition]),
    ("POST /operator/items/{id}/erase", &[Code::ItemNotFound]),
];

/// Items, and projects, that one transaction takes.
const SOME: i64 = 200;

/// The operations that erase.
pub struct OperatorErasures(pub App);

/// What was erased now. What was erased before is not counted again.
#[derive(Debug, Default, Object)]
pub struct ErasedAnswer {
    /// Always true.
    pub erased: bool,
    /// Workspaces.
    pub workspaces: u64,
    /// Items. Their bytes follow, once no job reads them.
    pub items: u64,
    /// Projects.
    pub projects: u64,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorErasures {
    /// Erase an account
    ///
    /// It must be suspended. Its workspaces with their items and projects, its users, endpoints, signing secret, audit log and
    /// name go, for good; bytes follow as for deleted items. Ids and the ledger stay. Asked again, it goes on where it was.
    #[oai(path = "/operator/accounts/:id/erase", method = "post", operation_id = "operator_erase_account")]
    async fn account(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
    ) -> Answer<Json<ErasedAnswer>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        let owned = workspaces::owned_by(&mut *self.0.conn().await?, id).await?;
        self.erase_account(&operator, id, &owned).await?;
        let mut done = ErasedAnswer { erased: true, workspaces: owned.len() as u64, ..ErasedAnswer::default() };
        for workspace in owned {
            self.empty(workspace, &mut done).await?;
        }
        Ok(Json(done))
    }

    /// Erase a workspace
    ///
    /// Its items, projects, members, keys and name go, for good. An account's default workspace goes with its account.
    #[oai(path = "/operator/workspaces/:id/erase", method = "post", operation_id = "operator_erase_workspace")]
    async fn workspace(
        &self,
        auth: OperatorAuth,
        /// The workspace's id.
        id: Path<Text>,
    ) -> Answer<Json<ErasedAnswer>> {
        let OperatorAuth(operator) = auth;
        let id: WorkspaceId = id.0.id(Code::WorkspaceNotFound)?;
        self.erase_workspace(&operator, id).await?;
        let mut done = ErasedAnswer { erased: true, workspaces: 1, ..ErasedAnswer::default() };
        self.empty(id, &mut done).await?;
        Ok(Json(done))
    }

    /// Erase an item
    ///
    /// As if its owner had deleted it, and what it was called goes at once. One that was deleted before loses its name too.
    #[oai(path = "/operator/items/:id/erase", method = "post", operation_id = "operator_erase_item")]
    async fn item(
        &self,
        auth: OperatorAuth,
        /// The item's id.
        id: Path<Text>,
    ) -> Answer<Json<ErasedAnswer>> {
        let OperatorAuth(operator) = auth;
        let id: ItemId = id.0.id(Code::ItemNotFound)?;
        let mut conn = self.0.conn().await?;
        let workspace = items::workspace_of(&mut conn, id).await?;
        let workspace = workspace.ok_or_else(|| missing(Code::ItemNotFound, id))?;
        drop(conn);
        self.drop_items(workspace, &[id], Some(&operator)).await?;
        Ok(Json(ErasedAnswer { erased: true, items: 1, ..ErasedAnswer::default() }))
    }
}

impl OperatorErasures {
    /// The use case: everything of the account that is no item or project, in one transaction.
    async fn erase_account(&self, operator: &OperatorCaller, id: AccountId, owned: &[WorkspaceId]) -> Answer<()> {
        let mut conn = self.0.conn().await?;
        let mut erase_account = conn.begin().await?;
        match erasure::account(&mut erase_account, id).await? {
            Erased::Now => {}
            Erased::Before => return Ok(()),
            Erased::Missing => return Err(missing(Code::AccountNotFound, id)),
            Erased::NotSuspended => {
                let message = format!("{id} is not suspended. Suspend it first: nothing brings back what is erased.");
                return Err(ApiError::new(Code::IllegalTransition, message));
            }
        }
        let users = erasure::users(&mut erase_account, id).await?;
        erasure::belongings(&mut erase_account, id).await?;
        for workspace in owned {
            erasure::workspace(&mut erase_account, *workspace).await?;
        }
        let texts = owned.iter().map(ToString::to_string).chain(users.iter().map(ToString::to_string));
        let targets: Vec<String> = std::iter::once(id.to_string()).chain(texts).collect();
        erasure::audited(&mut erase_account, &targets).await?;
        audit::record(&mut erase_account, &operator.entry("account.erase", id)).await?;
        erase_account.commit().await?;
        self.0.process.wakes.send([Wake::Access(id)]);
        Ok(())
    }

    /// The use case: the workspace's name, members and keys.
    async fn erase_workspace(&self, operator: &OperatorCaller, id: WorkspaceId) -> Answer<()> {
        let mut conn = self.0.conn().await?;
        let mut erase_workspace = conn.begin().await?;
        let row = workspaces::find(&mut erase_workspace, id).await?;
        let row = row.ok_or_else(|| missing(Code::WorkspaceNotFound, id))?;
        if row.is_default {
            let message =
                format!("{id} is its account's default workspace: make another one that first, or erase the account.");
            return Err(ApiError::new(Code::IllegalTransition, message));
        }
        erasure::workspace(&mut erase_workspace, id).await?;
        erasure::audited(&mut erase_workspace, &[id.to_string()]).await?;
        audit::record(&mut erase_workspace, &operator.entry("workspace.erase", id)).await?;
        erase_workspace.commit().await?;
        self.0.process.wakes.send([Wake::Access(row.account_id)]);
        Ok(())
    }

    /// Drops the items and the projects of a workspace, some a transaction.
    async fn empty(&self, workspace: WorkspaceId, done: &mut ErasedAnswer) -> Answer<()> {
        loop {
            let some = erasure::items_left(&mut *self.0.conn().await?, workspace, SOME).await?;
            if some.is_empty() {
                break;
            }
            self.drop_items(workspace, &some, None).await?;
            done.items += some.len() as u64;
        }
        loop {
            let mut conn = self.0.conn().await?;
            let mut erase_projects = conn.begin().await?;
            let some = erasure::projects(&mut erase_projects, workspace, SOME).await?;
            erase_projects.commit().await?;
            done.projects += some;
            if some == 0 {
                return Ok(());
            }
        }
    }

    /// The use case: tombstones without names, and the end of the items' jobs. `operator` is whom the log tells of.
    async fn drop_items(
        &self,
        workspace: WorkspaceId,
        which: &[ItemId],
        operator: Option<&OperatorCaller>,
    ) -> Answer<()> {
        let process = &self.0.process;
        let mut drop_items = process.pool.begin().await?;
        for item in which {
            items::tombstone(&mut drop_items, *item, workspace).await?;
        }
        // Before the jobs end: their events show what the items are called.
        erasure::item_names(&mut drop_items, which).await?;
        let ended = jobs::cancel_for_items(&mut drop_items, which).await?;
        let aftermath = ending::conclude(&mut drop_items, &ended, &[], &process.settings.event_kinds).await?;
        if let Some(operator) = operator {
            note_items(&mut drop_items, operator, which).await?;
        }
        drop_items.commit().await?;
        aftermath.settle_down(&process.pool, &process.wakes).await;
        Ok(())
    }
}

async fn note_items(conn: &mut PgConnection, operator: &OperatorCaller, which: &[ItemId]) -> Answer<()> {
    for item in which {
        audit::record(conn, &operator.entry("item.erase", item)).await?;
    }
    Ok(())
}
