//! Templates: arguments of a tool, checked against what the tool takes when they are saved (`saved`).
//!
//! Running a template is a call of its tool, so that access, rate, Idempotency-Key and costs are the tool's own;
//! `resources/tools/templates` does that.

use crate::app::App;
use crate::auth::Caller;
use crate::contract::operation::RUN_TEMPLATE;
use crate::contract::schema_errors::explain;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{Document, Kept};
use crate::usecases::once::{Made, Once};
use crate::usecases::saved::{BegunSaving, begin_save};
use domain::document::DocumentKind;
use domain::ids::ItemId;
use domain::template::Template;
use serde_json::{Map, Value, json};

impl Document for Template {
    const KIND: DocumentKind = DocumentKind::Template;
    const NOT_FOUND: Code = Code::TemplateNotFound;

    fn summary(&self) -> Value {
        json!({ "tool": self.tool })
    }

    fn items(&self) -> Vec<ItemId> {
        Vec::new()
    }
}

/// A template to save.
#[derive(Debug)]
pub struct NewTemplate {
    /// Its name.
    pub name: String,
    /// The tool that it calls.
    pub tool: String,
    /// The arguments that it calls the tool with.
    pub arguments: Map<String, Value>,
    /// The revision that it replaces; 0 where there is none.
    pub if_revision: Option<i32>,
}

/// Saves a template. `show` writes the answer.
///
/// # Errors
/// As `saved::begin_save` and `Saving::write`; `tool_not_found`, and `invalid_request` for arguments that the tool does
/// not take.
pub async fn save_template(
    app: &App,
    caller: &Caller,
    once: &Once,
    new: NewTemplate,
    show: impl FnOnce(Kept<Template>) -> String,
) -> Answer<Made> {
    check(app, &new.tool, &new.arguments)?;
    let NewTemplate { name, tool, arguments, if_revision } = new;
    let template = Template { tool, arguments };
    match begin_save::<Template>(app, caller, once, &name, if_revision).await? {
        BegunSaving::Now(saving) => saving.write(app, caller, once, &template, show).await,
        BegunSaving::Before(before) => Ok(Made::Before(before)),
    }
}

/// Refuses arguments that the tool would refuse. Required ones may be missing: a run can add them.
fn check(app: &App, tool: &str, arguments: &Map<String, Value>) -> Answer<()> {
    let path = format!("/tools/{tool}");
    let Some(operation) = app.contract.operations().iter().find(|operation| operation.path == path) else {
        let shown: String = tool.chars().take(64).collect();
        let refusal = ApiError::new(Code::ToolNotFound, format!("There is no tool `{shown}`."));
        return Err(refusal.suggest("GET /tools lists them."));
    };
    if path == RUN_TEMPLATE {
        return Err(ApiError::new(Code::InvalidRequest, "`tool`: a template can't run another template."));
    }
    let mut schema = operation.body.clone().unwrap_or_else(|| json!({ "type": "object" }));
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("required");
    }
    match explain(&schema, &Value::Object(arguments.clone())) {
        Some(words) => {
            Err(ApiError::new(Code::InvalidRequest, format!("In `arguments`, as `{tool}` takes them: {words}")))
        }
        None => Ok(()),
    }
}
