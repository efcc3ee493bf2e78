//! `/api/v1/operator/mcp`: what operators ask and do over the Model Context Protocol (contract §11).
//!
//! Its path is below that of the operators' routes, so that their port and their list of addresses hold for it too
//! (`app::doors`). It takes an operator's token and no customer's credential. `operator_tools` is the list: each tool
//! is an operation for operators, and a call is answered by that operation, to which it is sent with the same token. So
//! roles, what is hidden from a role, and the audit log are those of the routes.

use super::operator_steps::next_step;
use super::operator_tools::{OperatorTool, all, with_tools_names};
use super::{judge, service, shape, until_hung_up};
use crate::app::App;
use crate::auth::operator::require_operator;
use crate::http::API_PATH;
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::refusal::Envelope;
use crate::http::request::{Template, media_type};
use crate::http::scope::Scope;
use crate::resources::tools::calling::{CalledAnswer, ask};
use domain::operator::OperatorRole;
use poem::http::header;
use poem::http::request::Parts;
use poem::{Endpoint, Request, Response, Route, post};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use std::sync::Arc;

/// The endpoint's path below `/api/v1`.
pub const OPERATOR_MCP_PATH: &str = "/operator/mcp";
/// What a model should know before it calls a tool.
const INSTRUCTIONS: &str = "For operators of this media service. `get_health` says how the service is: one sentence, \
    five axes, and for each trouble the command of `mws` that helps next. `list_errors` says how jobs of a day \
    failed, those that are alike as one; `list_jobs` and `list_deliveries` find what failed. `retry_job`, \
    `cancel_job`, `resend_delivery`, `resend_deliveries`, the bulk operations, `update_webhook` and `update_read` \
    (pause, resume) work on what is the customers': they need a token of the role `act`, are in the audit log under \
    your operator's name, and are to be agreed with a person first. Count with `dry_run: true` of \
    `resend_deliveries` before you send more than a few, and with `count_failed_reads` before you start an operation \
    of the kind `rerun_reads`, which accounts pay for. The list has what your token's role allows. A refusal is a \
    tool error, whose `error.suggested_action` says what helps next.";

/// The role of the operator who sent a message.
#[derive(Debug, Clone, Copy)]
struct Admitted(OperatorRole);

/// Adds the endpoint.
pub(super) fn add_to(route: Route, app: &App) -> Route {
    let inner = service(app, OperatorServer { app: app.clone(), tools: all(&app.contract).into() });
    route.at(format!("{API_PATH}{OPERATOR_MCP_PATH}"), post(OperatorMcp { inner, app: app.clone() }))
}

/// The protocol's endpoint, for operators.
struct OperatorMcp<E> {
    inner: E,
    app: App,
}

impl<E: Endpoint<Output = Response>> Endpoint for OperatorMcp<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let mut response = match self.admit(&request).await {
            Ok(role) => {
                request.set_data(Admitted(role));
                let is_json = media_type(&request) == "application/json";
                whole(shape(self.inner.get_response(request).await, is_json).await).await
            }
            Err(refusal) => Envelope::Route.refuse(&refusal),
        };
        response.set_data(Template(format!("{API_PATH}{OPERATOR_MCP_PATH}").into()));
        Ok(response)
    }
}

impl<E> OperatorMcp<E> {
    /// Returns the role of the operator who sent this. Whoever is none is refused.
    async fn admit(&self, request: &Request) -> Answer<OperatorRole> {
        let role = require_operator(&self.app, request, OperatorRole::Metadata).await?;
        judge(request, Taker::of(&Scope::of(request))).await?;
        Ok(role)
    }
}

/// Gives an answer its length, by which it takes room among the answers: the transport passes it on without.
async fn whole(mut response: Response) -> Response {
    match response.take_body().into_bytes().await {
        Ok(body) => {
            response.set_body(body);
            response
        }
        Err(error) => Envelope::Route.refuse(&ApiError::internal(error)),
    }
}

/// The protocol's server. One value serves every message.
#[derive(Clone)]
struct OperatorServer {
    app: App,
    tools: Arc<[OperatorTool]>,
}

impl OperatorServer {
    async fn answer(&self, call: CallToolRequestParams, parts: Option<&Parts>) -> CallToolResult {
        let name = call.name.clone();
        let refusal = match self.asked(call, parts).await {
            Ok(answer) if answer.refused.is_none() => return CallToolResult::structured(answer.body),
            Ok(answer) => refusal_of(&answer),
            Err(refusal) => refusal,
        };
        let step = next_step(&name, refusal.code(), refusal.retry_after_seconds());
        CallToolResult::structured_error(refusal.suggest(step).tool_body())
    }

    /// Sends the call to the tool's operation, with the token and under the id of the message that it came in.
    async fn asked(&self, call: CallToolRequestParams, parts: Option<&Parts>) -> Answer<CalledAnswer> {
        let Some(tool) = self.tools.iter().find(|tool| tool.tool.name == call.name) else {
            return Err(ApiError::new(Code::ToolNotFound, "There is no such tool."));
        };
        let parts = parts.ok_or_else(|| ApiError::internal("a call without its request"))?;
        let scope = parts.extensions.get::<Scope>().cloned();
        let scope = scope.ok_or_else(|| ApiError::internal("a call of a request without a scope"))?;
        let mut request = tool.request(call.arguments.unwrap_or_default())?;
        if let Some(token) = parts.headers.get(header::AUTHORIZATION) {
            request.headers_mut().insert(header::AUTHORIZATION, token.clone());
        }
        request.set_data(scope);
        request.set_data(self.app.clone());
        ask(&self.app, request).await
    }
}

/// Returns the operation's refusal in words of these tools, with their next step.
fn refusal_of(answer: &CalledAnswer) -> ApiError {
    let message = answer.body["error"]["message"].as_str().unwrap_or_default().to_owned();
    let refusal = ApiError::new(answer.refused.unwrap_or(Code::Internal), with_tools_names(message));
    match answer.retry_after {
        Some(after) => refusal.retry_after(after.as_secs()),
        None => refusal,
    }
}

impl ServerHandler for OperatorServer {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new("media-and-workspace-service-operators", env!("CARGO_PKG_VERSION"))
            .with_title("Media and Workspace Service, for operators");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.tool.name == name).map(|tool| tool.tool.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let sent = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Admitted>());
        let Some(Admitted(role)) = sent else {
            return Err(ErrorData::internal_error("A message without its operator.", None));
        };
        let allowed = self.tools.iter().filter(|tool| tool.role <= *role);
        Ok(ListToolsResult::with_all_items(allowed.map(|tool| tool.tool.clone()).collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        until_hung_up(&context, self.answer(call, parts)).await
    }
}
