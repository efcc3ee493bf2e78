//! Requests that are refused with the codes about the documents and the members of a workspace.

use super::bench::CodeBench;
use api::http::error::Code;
use mws_tests::world::Answer;
use serde_json::json;
use store::accounts;

/// Returns an answer with this code, to a call about a document or a member.
pub async fn documents(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let made = stage.post("/tools/create_board", json!({ "name": "plan" })).await?.json["data"]["board"]["id"].clone();
    match code {
        Code::RevisionConflict => {
            stage.post("/tools/edit_board", json!({ "board_id": made, "if_revision": 7, "name": "x" })).await
        }
        Code::NameTaken => {
            let new = json!({ "name": "x", "text": "x", "if_revision": 0 });
            stage.post("/tools/save_skill", new.clone()).await?;
            stage.post("/tools/save_skill", new).await
        }
        Code::LastOwner => last_owner(stage).await,
        Code::SkillNotFound => stage.post("/tools/get_skill", json!({ "name": "none" })).await,
        Code::TemplateNotFound => stage.post("/tools/run_template", json!({ "name": "none" })).await,
        Code::CalendarEntryNotFound => stage.post("/tools/delete_calendar_entry", json!({ "entry_id": "x" })).await,
        Code::CalendarFeedNotFound => stage.post("/tools/revoke_calendar_feed", json!({ "feed_id": "x" })).await,
        Code::TimelineNotFound => stage.post("/tools/get_timeline", json!({ "timeline_id": "tml_x" })).await,
        Code::DubNotFound => stage.post("/tools/get_dub", json!({ "dub_id": "dub_x" })).await,
        Code::CanvasNotFound => stage.post("/tools/get_canvas", json!({ "canvas_id": "cnv_x" })).await,
        Code::NothingToUndo => stage.post("/tools/undo_board", json!({ "board_id": made })).await,
        _ => stage.post("/tools/get_board", json!({ "board_id": "brd_x" })).await,
    }
}

/// Returns the answer to removing the only owner of a workspace.
async fn last_owner(stage: &CodeBench) -> anyhow::Result<Answer> {
    let (world, tenant) = (&stage.world, &stage.tenant);
    let mut conn = world.pool().acquire().await?;
    let user = accounts::create_user(&mut conn, tenant.account, "x", None).await?;
    accounts::set_member(&mut conn, tenant.workspace, user, "owner").await?;
    stage.send("DELETE", &format!("/workspaces/{}/members/{user}", tenant.workspace)).await
}
