//! The workspace's skills as prompts: `prompts/list` and `prompts/get` (contract §4.9).
//!
//! They are the rows that the skills' tools show. A prompt is one message with the skill's text; it takes no arguments.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{ApiError, Code};
use crate::usecases::documents;
use crate::usecases::saved::reach_named;
use domain::document::DocumentKind;
use domain::skill::Skill;
use rmcp::model::{ErrorData, GetPromptResult, Prompt, PromptMessage, Role};

/// Returns all skills, newest first: a workspace has a bounded number.
pub(super) async fn all(app: &App, caller: &Caller) -> Result<Vec<Prompt>, ErrorData> {
    let listed = async {
        let mut conn = app.process.conn_of(caller.account_id).await?;
        documents::page::<Skill>(&mut conn, caller, None, DocumentKind::Skill.most()).await
    };
    let rows = listed.await.map_err(|refusal| refused(&refusal))?;
    let prompt = |row: store::documents::ListedRow| {
        let description = row.summary["description"].as_str().map(str::to_owned);
        Prompt::new(row.name, description, None)
    };
    Ok(rows.into_iter().map(prompt).collect())
}

/// Returns the skill of this name.
pub(super) async fn one(app: &App, caller: &Caller, name: &str) -> Result<GetPromptResult, ErrorData> {
    let found = async {
        // No name contains NUL, and the database accepts none.
        if name.contains('\0') {
            return Err(ApiError::new(Code::SkillNotFound, "There is no such skill."));
        }
        let mut conn = app.conn().await?;
        reach_named::<Skill>(&mut conn, caller.workspace.id, name).await
    };
    let skill = found.await.map_err(|refusal| refused(&refusal))?.body;
    let result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, skill.text)]);
    Ok(match skill.description {
        Some(description) => result.with_description(description),
        None => result,
    })
}

fn refused(refusal: &ApiError) -> ErrorData {
    if refusal.code() == Code::SkillNotFound {
        return ErrorData::invalid_params("There is no such prompt. `prompts/list` lists them.", None);
    }
    if refusal.code() != Code::RateLimited {
        tracing::warn!(error = %refusal, "Prompts could not be answered.");
    }
    ErrorData::internal_error("The prompts can't be read at the moment. Try again.", None)
}
