//! The protocol's server: it introduces itself, lists the tools, and passes each call on as a request to its tool.
//!
//! Over REST or here, only [`Calls`] decides the answer of a call. A refusal becomes a tool error with the same
//! envelope, so that a model reads the code, the message and the next step that works.

use super::result::CallAnswer;
use super::{prompts, tools, until_hung_up};
use crate::app::App;
use crate::app::beside::{is_long, run_beside};
use crate::auth::{Caller, PreAuthenticated};
use crate::contract::idempotency;
use crate::http::API_PATH;
use crate::http::answers::{AnswerReserved, Taker};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::http::thread_time::timed_elsewhere;
use crate::resources::tools::calling::keep_headers;
use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::endpoint::BoxEndpoint;
use poem::http::request::Parts;
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Body, Endpoint, Request, Response};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListToolsResult, PaginatedRequestParams, RequestMetaObject, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// The endpoint that answers `POST /api/v1/tools/<name>`, as for a request from outside.
pub type Calls = Arc<BoxEndpoint<'static, Response>>;

/// The key in a call's `_meta` for its Idempotency-Key, since a call has no headers.
const IDEMPOTENCY_META: &str = "idempotency_key";

/// The protocol's server. One value serves every message: it keeps no state of clients.
#[derive(Clone)]
pub struct Server {
    app: App,
    calls: Calls,
    /// All tools, ordered by name.
    tools: Arc<[Tool]>,
    instructions: Arc<str>,
}

impl Server {
    /// Makes a server that answers calls with `calls`.
    pub fn new(app: &App, calls: Calls) -> Self {
        // A process has one contract, and may have several apis.
        static TOOLS: OnceLock<Arc<[Tool]>> = OnceLock::new();
        let tools = Arc::clone(TOOLS.get_or_init(|| tools::all(&app.contract).into()));
        Self { app: app.clone(), calls, tools, instructions: instructions(&app.base_url).into() }
    }

    async fn answer(&self, call: CallToolRequestParams, context: &RequestContext<RoleServer>) -> CallToolResult {
        // A name is not a path: only tools in the list are called.
        if !self.tools.iter().any(|tool| tool.name == call.name) {
            let refusal = ApiError::new(Code::ToolNotFound, "There is no such tool.");
            return CallToolResult::structured_error(refusal.suggest("`tools/list` lists them.").tool_body());
        }
        // The protocol's server calls this in a task of its own.
        let sent = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get());
        let made = || request(&call, context);
        let made = if is_long(sent) { run_beside(made) } else { made() };
        let request = match made {
            Ok(request) => request,
            Err(refusal) => return CallToolResult::structured_error(refusal.tool_body()),
        };
        let kept = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<CallAnswer>());
        let kept = kept.cloned().unwrap_or_default();
        let taker = request
            .data::<PreAuthenticated>()
            .map_or_else(|| Taker::of(&Scope::of(&request)), |known| known.0.account_id.into());
        let answered = result(&self.app, taker, self.calls.get_response(request).await, &kept).await;
        answered.unwrap_or_else(|refusal| CallToolResult::structured_error(refusal.tool_body()))
    }
}

/// Returns what a model should know before it calls a tool.
fn instructions(base_url: &str) -> String {
    format!(
        "Media tools on one workspace's library. `get_overview` tells what is there and what goes on. Long work \
         runs as jobs: `prepare_media` starts reads and answers `job_ids`; `get_jobs` with those, `wait_seconds: \
         30` and `wait_for: \"all\"` follows them: call it again while one is `queued` or `running`. The tools that \
         use a read then answer it at no charge. `dry_run: true` tells what a call would cost. `get_item` answers a \
         `media_url`, by which anyone gets the file for an hour or two; `media` beside other answers has it too. \
         `import_media` brings a file by its URL. To send a file of your own, let a script do it: `get_api_session` \
         gives a code, POST {base_url}/sessions/redeem makes it a bearer token, POST {base_url}/uploads says where \
         to PUT the bytes. `list_skills` names what those who work here want to be known: read what fits with \
         `get_skill` before you begin (they are prompts too). A refusal is a tool error whose `error.code` and \
         `error.suggested_action` say what to do next. `_meta.{IDEMPOTENCY_META}` is the Idempotency-Key of a call."
    )
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new("media-and-workspace-service", env!("CARGO_PKG_VERSION"))
            .with_title("Media and Workspace Service");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_prompts().build())
            .with_server_info(name)
            .with_instructions(&*self.instructions)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all(&self.app, &caller(&context)?).await?))
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::one(&self.app, &caller(&context)?, &asked.name).await?.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // This is a task of its own, whose time is its request's too.
        let scope = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Scope>()).cloned();
        let reckoned = scope.as_ref().and_then(|scope| scope.reckoned.get());
        Box::pin(timed_elsewhere(reckoned, until_hung_up(&context, self.answer(call, &context)))).await
    }
}

/// Returns the caller who sent the message.
fn caller(context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
    let known = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<PreAuthenticated>());
    known.map(|known| known.0.clone()).ok_or_else(|| ErrorData::internal_error("A message without its caller.", None))
}

/// Returns the request that a call stands for, with its authenticated caller.
fn request(call: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Result<Request, ApiError> {
    let parts = context.extensions.get::<Parts>().ok_or_else(|| ApiError::internal("a call without its request"))?;
    let (scope, known) = (parts.extensions.get::<Scope>(), parts.extensions.get::<PreAuthenticated>());
    let (Some(scope), Some(known)) = (scope, known) else {
        return Err(ApiError::internal("a call whose caller was not asked for"));
    };
    let arguments =
        call.arguments.as_ref().map_or_else(|| "{}".to_owned(), |all| Value::Object(all.clone()).to_string());
    let mut request = Request::builder()
        .method(Method::POST)
        .uri_str(format!("{API_PATH}/tools/{}", call.name))
        .content_type("application/json")
        .header("x-request-id", &scope.request_id)
        .body(arguments);
    keep_headers(&parts.headers, &mut request);
    if let Some(key) = idempotency_key(&context.meta)? {
        request.headers_mut().insert(idempotency::HEADER, key);
    }
    request.set_data(known.clone());
    Ok(request)
}

fn idempotency_key(meta: &RequestMetaObject) -> Result<Option<HeaderValue>, ApiError> {
    let wrong = || ApiError::new(Code::InvalidRequest, format!("`_meta.{IDEMPOTENCY_META}`: expected a plain string."));
    match meta.get(IDEMPOTENCY_META) {
        None => Ok(None),
        Some(Value::String(key)) => HeaderValue::from_str(key).map(Some).map_err(|_| wrong()),
        Some(_) => Err(wrong()),
    }
}

/// Returns the result that stands for the answer, whose bytes are kept for the message. Its memory is held until the
/// message has been sent, and as much again while it comes, since it may come in pieces.
async fn result(app: &App, taker: Taker, mut response: Response, kept: &CallAnswer) -> Answer<CallToolResult> {
    let is_fine = response.status() == StatusCode::OK;
    let held = response.data::<AnswerReserved>().and_then(AnswerReserved::held);
    let told = response.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let body = BoxBody::from(response.take_body());
    let length: u64 = told.or(body.size_hint().exact()).unwrap_or(0);
    kept.hold(held, app.answers.hold_to_work(taker, length)?);
    let bytes = Body::from(body).into_bytes().await.map_err(ApiError::internal)?;
    Ok(kept.stand_in(bytes, is_fine))
}
