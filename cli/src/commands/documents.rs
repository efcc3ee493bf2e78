//! What commands about timelines, canvases and dubs share: calls that name one, edit it or delete it.

use super::confirm::confirm;
use super::rendered::json_of;
use super::{Context, without_nulls};
use crate::failure::Failure;
use serde_json::{Value, json};

/// A kind of document that operations change.
pub(super) struct Kind {
    /// Its noun, which its tools and their id fields are named after.
    pub(super) noun: &'static str,
}

impl Kind {
    /// The body of a call about the one with this id.
    pub(super) fn id_body(&self, id: &str) -> Value {
        json!({ self.id_field(): id })
    }

    /// The body of a call that does operations: JSON, or `@` and a file.
    pub(super) fn edit_body(&self, id: &str, ops: &str, if_revision: Option<i32>) -> Result<Value, Failure> {
        Ok(without_nulls(json!({ self.id_field(): id, "if_revision": if_revision, "ops": json_of(ops)? })))
    }

    /// Deletes one, once the user confirms it.
    pub(super) async fn delete(&self, context: &Context, id: &str) -> Result<(), Failure> {
        let noun = self.noun;
        confirm(context, &format!("Delete the {noun} {id} and its history?"))?;
        let deleted = context.client.tool(&format!("delete_{noun}"), &self.id_body(id)).await?;
        context.out.done(&deleted, &format!("Deleted {id}."))
    }

    fn id_field(&self) -> String {
        format!("{}_id", self.noun)
    }
}
