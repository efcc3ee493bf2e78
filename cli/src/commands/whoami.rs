//! `mws whoami`: the key that is used, its workspace, and where the key was found.

use super::Context;
use crate::failure::Failure;
use crate::output::Column;
use secrecy::ExposeSecret;
use serde_json::json;

const FIELDS: [Column; 6] = [
    Column::new("API", "/base_url"),
    Column::new("key", "/key_prefix"),
    Column::new("workspace", "/workspace/id"),
    Column::new("name", "/workspace/name"),
    Column::new("role", "/workspace/role"),
    Column::new("found in", "/source"),
];

pub(super) async fn run(context: &Context) -> Result<(), Failure> {
    let access = context.client.access();
    let workspaces = context.client.get("/workspaces").await?;
    let prefix: String = access.key.expose_secret().chars().take(12).collect();
    let me = json!({
        "base_url": access.base_url,
        "key_prefix": prefix,
        "workspace": workspaces["data"][0],
        "source": access.source,
    });
    context.out.record(&me, "key_prefix", &FIELDS)
}
