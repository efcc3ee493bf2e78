//! Runs a template: a request to its tool, answered by the tool's own endpoint (`calling`).

use crate::app::App;
use crate::auth::Caller;
use crate::contract::envelope::ToolAnswer;
use crate::http::error::Answer;
use crate::http::text::Fields;
use crate::resources::tools::calling::{self, Called};
use domain::template::Template;
use poem::Request;
use serde_json::{Map, Value};

/// The answer of the tool.
pub(super) type Ran = Called<ToolAnswer<Fields>>;

/// Calls the template's tool with its arguments and `overrides`.
///
/// # Errors
/// `tool_not_found` when the service no longer has such a tool.
pub(super) async fn call_tool(
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
