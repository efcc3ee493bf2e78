//! A run of a template: a request of its tool, answered by the very endpoint that answers the tool's own.
//!
//! The caller was let in and counted once already, as over MCP; what the tool needs of the caller, its body and its
//! Idempotency-Key is judged there again.

use crate::app::App;
use crate::auth::{Caller, PreAuthenticated};
use crate::contract::envelope::ToolAnswer;
use crate::contract::idempotency;
use crate::contract::operation::RUN_TEMPLATE;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::request::SentBody;
use crate::http::scope::Scope;
use crate::http::text::Fields;
use bytes::Bytes;
use domain::template::Template;
use poem::http::{HeaderName, Method, header};
use poem::{Endpoint, IntoResponse, Request, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaResponses, Registry};
use serde_json::{Map, Value};

/// Headers that the call keeps.
const KEPT: [HeaderName; 4] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-workspace-id"),
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("traceparent"),
];
const _: () = assert!(idempotency::HEADER.len() == "idempotency-key".len(), "the header that is kept is the key's");

/// What the tool answered.
pub(super) struct Ran(Response);

impl IntoResponse for Ran {
    fn into_response(self) -> Response {
        self.0
    }
}

impl ApiResponse for Ran {
    fn meta() -> MetaResponses {
        <Json<ToolAnswer<Fields>> as ApiResponse>::meta()
    }

    fn register(registry: &mut Registry) {
        <Json<ToolAnswer<Fields>> as ApiResponse>::register(registry);
    }
}

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
    let path = format!("/tools/{}", template.tool);
    if path == RUN_TEMPLATE || app.contract.operation(&Method::POST, &path).is_none() {
        let message = format!("There is no tool `{}` any more.", template.tool);
        return Err(ApiError::new(Code::ToolNotFound, message).suggest("Save the template anew for another tool."));
    }
    let operations = app.operations.get().ok_or_else(|| ApiError::internal("a run without the routes"))?;
    let body = Bytes::from(Value::Object(template.arguments_with(overrides)).to_string());
    let mut call =
        Request::builder().method(Method::POST).uri_str(path).content_type("application/json").body(body.clone());
    for name in &KEPT {
        if let Some(value) = request.headers().get(name) {
            call.headers_mut().insert(name, value.clone());
        }
    }
    call.set_data(app.clone());
    call.set_data(Scope::of(request));
    call.set_data(SentBody(body));
    call.set_data(PreAuthenticated(caller));
    Ok(Ran(operations.get_response(call).await))
}
