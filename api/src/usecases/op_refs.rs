//! Operations of an edit that name items by `ref`: each text is replaced by the id of the item that it names. All of
//! them are looked up by one statement, since an edit may have five hundred.

use crate::http::error::{Answer, ApiError};
use crate::usecases::library;
use domain::document::OpList;
use domain::ids::WorkspaceId;
use serde_json::Value;
use sqlx::PgConnection;

/// The field of an operation with the text that names an item.
const REF: &str = "ref";
/// The field that the item's id is put into.
const ITEM_ID: &str = "item_id";
/// Operations whose empty text names no item.
const OPS_OF_CARDS: [&str; 2] = ["add_card", "update_card"];

/// Whether an operation has a field with such a text.
pub fn have_refs(ops: &[Value]) -> bool {
    ops.iter().any(|op| op.get(REF).is_some())
}

/// Replaces, in each operation that has it, the text of `ref` by the id of the item that it names, for a call that acts
/// in this workspace.
///
/// # Errors
/// As `library::reach`, for the first operation whose item can't be reached, with that operation's place.
pub async fn resolve_refs(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    list: OpList,
    ops: &mut [Value],
) -> Answer<()> {
    let (mut places, mut names) = (Vec::new(), Vec::new());
    for (index, op) in ops.iter_mut().enumerate() {
        let Some(op) = op.as_object_mut() else { continue };
        let Some(Value::String(name)) = op.remove(REF) else { continue };
        // A card need not be about an item.
        let is_of_card = op.get("op").and_then(Value::as_str).is_some_and(|op| OPS_OF_CARDS.contains(&op));
        if name.is_empty() && is_of_card {
            op.insert(ITEM_ID.to_owned(), Value::String(name));
        } else {
            places.push(index);
            names.push(name);
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    for (index, item) in places.into_iter().zip(library::resolve_each(conn, workspace, &names).await?) {
        let item = item.map_err(|error| {
            let place = format!("`{}[{index}].{REF}`", list.field());
            ApiError::new(error.code(), format!("{place}: {}", error.message()))
        })?;
        ops[index][ITEM_ID] = Value::String(item.id.to_string());
    }
    Ok(())
}
