//! The settings of a workspace (`saved`), and the defaults that they give to calls.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{Document, Kept};
use crate::usecases::once::{Made, Once};
use crate::usecases::saved::{BegunSaving, OnlyDocument, begin_save, find};
use domain::document::DocumentKind;
use domain::ids::{ItemId, WorkspaceId};
use domain::settings::Settings;
use serde_json::{Value, json};
use sqlx::PgConnection;

impl Document for Settings {
    const KIND: DocumentKind = DocumentKind::Settings;
    // Never used: a workspace without settings has the defaults.
    const NOT_FOUND: Code = Code::Internal;

    fn summary(&self) -> Value {
        json!({})
    }

    fn items(&self) -> Vec<ItemId> {
        Vec::new()
    }
}

impl OnlyDocument for Settings {
    const NAME: &'static str = "settings";
}

/// Returns the workspace's stored settings; none while nobody has set any.
pub async fn kept_settings(app: &App, workspace: WorkspaceId) -> Answer<Option<Kept<Settings>>> {
    find(&mut *app.conn().await?, workspace, Settings::NAME).await
}

/// Returns the workspace's settings, or the defaults.
pub async fn settings(app: &App, workspace: WorkspaceId) -> Answer<Settings> {
    Ok(kept_settings(app, workspace).await?.map(|kept| kept.body).unwrap_or_default())
}

/// As [`settings`], in a use case's transaction.
pub(super) async fn settings_of(conn: &mut PgConnection, workspace: WorkspaceId) -> Answer<Settings> {
    Ok(find(conn, workspace, Settings::NAME).await?.map(|kept| kept.body).unwrap_or_default())
}

/// Changes the settings: `change` makes the new ones from the stored ones. `show` writes the answer.
///
/// # Errors
/// As `saved::begin_save` and `Saving::write`; `invalid_request` names the field.
pub async fn update_settings(
    app: &App,
    caller: &Caller,
    once: &Once,
    if_revision: Option<i32>,
    change: impl FnOnce(Settings) -> Settings,
    show: impl FnOnce(Kept<Settings>) -> String,
) -> Answer<Made> {
    match begin_save::<Settings>(app, caller, once, Settings::NAME, if_revision).await? {
        BegunSaving::Before(before) => Ok(Made::Before(before)),
        BegunSaving::Now(mut saving) => {
            let settings = change(saving.before.take().unwrap_or_default());
            settings.check().map_err(|words| ApiError::new(Code::InvalidRequest, format!("{words}.")))?;
            saving.write(app, caller, once, &settings, show).await
        }
    }
}
