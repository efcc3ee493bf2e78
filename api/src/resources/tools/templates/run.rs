//! A run of a template: a request of its tool, answered by the very endpoint that answers the tool's own (`calling`).

use crate::app::App;
use crate::auth::Caller;
use crate::contract::envelope::ToolAnswer;
use crate::http::error::Answer;
use crate::http::text::Fields;
use crate::resources::tools::calling::{self, Called};
use domain::template::Template;
use poem::Request;
use serde_json::{Map, Value};

/// What the tool answered.
pub(super) type Ran = Called<ToolAnswer<Fields>>;

/// Calls the template's tool.
///
/// # Errors
/// `tool_not_found` where the service has no such tool any more.
pub(super) async fn called(
    app: &App,
    request: &Request,
    caller: Caller,
    template: Template,
    overrides: Map<String, Value>,
) -> Answer<Ran> {
    let path = calling::path_of(app, &template.tool)
        .map_err(|none| none.suggest("Save the template anew for another tool."))?;
    let arguments = Value::Object(template.arguments_with(overrides));
    Ok(Called::of(calling::call(app, request, caller, &path, &arguments).await?))
}
