//! What commands about timelines, canvases and dubs have in common: the calls that name one, edit it and delete it.

use super::confirm::confirm;
use super::rendered::json_of;
use super::{Context, without_nulls};
use crate::failure::Failure;
use serde_json::{Value, json};

/// A kind of documents that operations change.
pub(super) struct Kind {
    /// What people call one. Its tools and their fields are called so too.
    pub(super) noun: &'static str,
}

impl Kind {
    /// A call about the one with this id.
    pub(super) fn one(&self, id: &str) -> Value {
        json!({ self.id_field(): id })
    }

    /// A call that does operations, which are JSON or in a file.
    pub(super) fn edit(&self, id: &str, ops: &str, if_revision: Option<i32>) -> Result<Value, Failure> {
        Ok(without_nulls(json!({ self.id_field(): id, "if_revision": if_revision, "ops": json_of(ops)? })))
    }

    /// Deletes one, once that is confirmed.
    pub(super) async fn delete(&self, context: &Context, id: &str) -> Result<(), Failure> {
        let noun = self.noun;
        confirm(context, &format!("Delete the {noun} {id} and what is kept of its past?"))?;
        let deleted = context.client.tool(&format!("delete_{noun}"), &self.one(id)).await?;
        context.out.done(&deleted, &format!("Deleted {id}."))
    }

    fn id_field(&self) -> String {
        format!("{}_id", self.noun)
    }
}
