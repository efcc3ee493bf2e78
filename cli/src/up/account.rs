//! The account of `mws up`: made at the first start, and found again at every later one.

use super::listen::reachable;
use crate::data_dir::{Credentials, DataDir};
use anyhow::Context;
use domain::credential::ApiKey;
use domain::ids::{AccountId, WorkspaceId};
use runtime::process::Process;
use secrecy::ExposeSecret;
use sqlx::{Connection, PgConnection};
use std::net::SocketAddr;
use store::keys::{self, MadeBy, NewKey};
use store::{accounts, workspaces};

/// The account's name, by which it is found when `credentials.json` is gone.
const ACCOUNT: &str = "default";
/// The name of its key.
const KEY: &str = "mws up";
/// Keys that an account may have (contract §8).
const MOST_KEYS: i64 = 10;

/// A working key, with its account and its workspace.
struct Entry {
    key: ApiKey,
    account_id: AccountId,
    workspace_id: WorkspaceId,
}

/// Makes sure that the credentials in the data folder work. Returns them. `public_url` has no path.
pub(super) async fn credentials(
    process: &Process,
    data_dir: &DataDir,
    public_url: &str,
    operator_listen: Option<SocketAddr>,
) -> anyhow::Result<Credentials> {
    let kept = data_dir.credentials()?;
    let entry = entry(process, kept.as_ref()).await?;
    let operator_token = process.settings.operator_token.as_ref().map_or("", ExposeSecret::expose_secret);
    let credentials = Credentials {
        base_url: format!("{public_url}{}", api::http::API_PATH),
        api_key: entry.key.expose().to_owned(),
        account_id: entry.account_id.to_string(),
        workspace_id: entry.workspace_id.to_string(),
        operator_token: operator_token.to_owned(),
        operator_base_url: operator_listen.map(|listen| format!("http://{}{}", reachable(listen), api::http::API_PATH)),
    };
    if kept.as_ref() != Some(&credentials) {
        data_dir.keep_credentials(&credentials)?;
    }
    Ok(credentials)
}

/// The key in the file if it works, else a new one, in one transaction.
async fn entry(process: &Process, kept: Option<&Credentials>) -> anyhow::Result<Entry> {
    let mut conn = process.pool.acquire().await?;
    if let Some(key) = kept.and_then(|kept| ApiKey::parse(&kept.api_key))
        && let Some((account_id, workspace_id)) = keys::owner(&mut conn, &key).await?
    {
        return Ok(Entry { key, account_id, workspace_id });
    }
    let key = ApiKey::from_random(rand::random());
    let mut make_key = conn.begin().await?;
    let known = known_account(&mut make_key, kept).await?;
    let (account_id, workspace_id) = match known {
        Some(known) => known,
        None => new_account(&mut make_key).await?,
    };
    accounts::lock(&mut make_key, account_id).await?;
    let new = NewKey { account_id, workspace_id, name: Some(KEY), key: &key, made_by: MadeBy::default() };
    if keys::insert_within(&mut make_key, &new, MOST_KEYS).await?.is_none() {
        keys::revoke_oldest_named(&mut make_key, account_id, KEY).await?;
        let made = keys::insert_within(&mut make_key, &new, MOST_KEYS).await?;
        made.context("the account holds ten keys: revoke one, so that `mws up` can have its own")?;
    }
    make_key.commit().await?;
    Ok(Entry { key, account_id, workspace_id })
}

async fn new_account(conn: &mut PgConnection) -> sqlx::Result<(AccountId, WorkspaceId)> {
    let account = accounts::create(conn, ACCOUNT).await?;
    Ok((account, accounts::create_workspace(conn, account, ACCOUNT).await?))
}

/// The account that the file names, or, where the file is gone, the one that an earlier start made; with its workspace.
async fn known_account(
    conn: &mut PgConnection,
    kept: Option<&Credentials>,
) -> sqlx::Result<Option<(AccountId, WorkspaceId)>> {
    let named = kept.and_then(|kept| kept.account_id.parse::<AccountId>().ok());
    let found = accounts::named(conn, ACCOUNT).await?;
    for account in [named, found].into_iter().flatten() {
        if let Some(workspace) = workspaces::owned(conn, account, None).await? {
            return Ok(Some((account, workspace)));
        }
    }
    Ok(None)
}
