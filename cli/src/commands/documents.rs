//! What commands about timelines, canvases and dubs share: calls that name one, edit it or delete it.

use super::confirm::confirm;
use super::rendered::json_of;
use super::{Context, without_nulls};
use crate::failure::Failure;
use serde_json::{Value, json};

/// A kind of document that operations change: a timeline, a canvas or a dub.
pub(super) struct Kind {
    /// Its noun, which its tools and their id fields are named after.
    pub(super) noun: &'static str,
}

/// The revision that a change is for.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Based {
    /// Refuse the change unless this is the present revision.
    #[arg(long, value_name = "NUMBER")]
    pub(super) if_revision: Option<i32>,
}

/// What to change.
#[derive(Debug, clap::Args)]
pub struct EditArgs {
    /// The operations as JSON, or @FILE.
    #[arg(required_unless_present = "name")]
    ops: Option<String>,
    /// A new name.
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    based: Based,
}

impl Kind {
    /// Returns the body of a call that takes nothing but the document's id.
    pub(super) fn id_body(&self, id: &str) -> Value {
        json!({ self.id_field(): id })
    }

    /// Returns the body of a call that changes the document with this id.
    pub(super) fn edit_body(&self, id: &str, edit: &EditArgs) -> Result<Value, Failure> {
        let ops = edit.ops.as_deref().map(json_of).transpose()?;
        let EditArgs { name, based: Based { if_revision }, .. } = edit;
        Ok(without_nulls(json!({ self.id_field(): id, "if_revision": if_revision, "name": name, "ops": ops })))
    }

    /// Returns the body of a call that undoes the document's latest change.
    pub(super) fn undo_body(&self, id: &str, based: Based) -> Value {
        without_nulls(json!({ self.id_field(): id, "if_revision": based.if_revision }))
    }

    /// Deletes the document with this id, once the user confirms it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::for_tests::{keys, parameters};
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        edit: EditArgs,
    }

    #[test]
    fn edits_and_undos_take_each_parameter_of_their_tools() {
        let edit = |line: &str| Line::try_parse_from(line.split(' ')).map(|line| line.edit);
        let all = edit("edit [] --name New --if-revision 3").unwrap();
        for noun in ["timeline", "canvas", "dub"] {
            let kind = Kind { noun };
            assert_eq!(keys(&kind.edit_body("x", &all).unwrap()), parameters(&format!("edit_{noun}")));
            let undo = kind.undo_body("x", Based { if_revision: Some(3) });
            assert_eq!(keys(&undo), parameters(&format!("undo_{noun}")));
        }
        let named = Kind { noun: "dub" }.edit_body("x", &edit("edit --name New").unwrap()).unwrap();
        assert_eq!(named, json!({ "dub_id": "x", "name": "New" }));
        assert!(edit("edit").is_err(), "nothing to change");
    }
}
