//! Answers that show all of a document.

use crate::app::App;
use crate::app::beside::{in_turn_if, run_beside};
use crate::auth::Caller;
use crate::contract::envelope::{ToolAnswer, Written};
use poem_openapi::types::{ParseFromJSON, ToJSON};

/// Writes a tool's answer with a page of rows that have people's texts, beside the threads that answer: a hundred of
/// them may have two megabytes. It waits for no turn, in which it would stand behind others' long bodies.
pub(super) fn write_list<T: ParseFromJSON + ToJSON>(caller: &Caller, page: T) -> Written<ToolAnswer<T>> {
    run_beside(|| Written::of(&ToolAnswer::new(&caller.request_id, page)))
}

/// Writes a tool's answer: one that shows a long document in the account's turn. No caller of this has a connection.
pub(super) async fn write_document<T: ParseFromJSON + ToJSON>(
    app: &App,
    caller: &Caller,
    is_long: bool,
    data: impl FnOnce() -> T,
) -> Written<ToolAnswer<T>> {
    let write = || Written::of(&ToolAnswer::new(&caller.request_id, data()));
    in_turn_if(app, caller.account_id, is_long, write).await
}
