//! `/api/v1/operator/mcp`: the verdict on the service over the Model Context Protocol, for operators (contract §11).
//!
//! Its path is below that of the operators' routes, so that their port and their list of addresses hold for it too
//! (`app::doors`). It takes an operator's token and no customer's credential. Its one tool takes nothing, and answers
//! what `GET /operator/report` answers; what the tool says of itself is that operation's description.

use super::schema::json_schema;
use super::tools::object;
use super::{judge, service, shape, until_hung_up};
use crate::app::App;
use crate::auth::operator::require_operator;
use crate::contract::Contract;
use crate::http::API_PATH;
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::refusal::Envelope;
use crate::http::request::{Template, media_type};
use crate::http::scope::Scope;
use crate::resources::operator::report::HealthReport;
use crate::usecases::operator::report::verdict;
use domain::operator::OperatorRole;
use poem::http::Method;
use poem::{Endpoint, Request, Response, Route, post};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

/// The endpoint's path below `/api/v1`.
pub const OPERATOR_MCP_PATH: &str = "/operator/mcp";
/// The operation that the tool answers as, below `/api/v1`.
const REPORT: &str = "/operator/report";
/// The tool's name.
const GET_HEALTH: &str = "get_health";
/// What a model should know before it calls the tool.
const INSTRUCTIONS: &str = "For operators of this media service. `get_health` says how the service is: one sentence, \
    five axes, and for each axis that is not healthy the command of `mws` that helps next. It changes nothing.";

/// Adds the endpoint.
pub(super) fn add_to(route: Route, app: &App) -> Route {
    let inner = service(app, Verdicts { app: app.clone(), tool: tool(&app.contract) });
    route.at(format!("{API_PATH}{OPERATOR_MCP_PATH}"), post(OperatorMcp { inner, app: app.clone() }))
}

fn tool(contract: &Contract) -> Option<Tool> {
    let operation = contract.operation(&Method::GET, REPORT)?;
    let described = contract.described(operation);
    let text = |field: &str| described[field].as_str().unwrap_or_default().to_owned();
    let takes = object(json!({ "type": "object", "properties": {}, "additionalProperties": false }));
    let mut tool = Tool::new(GET_HEALTH, text("description"), takes);
    tool.title = Some(text("summary"));
    tool.output_schema = operation.answer.as_ref().map(|answer| object(json_schema(answer)));
    let hints = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    Some(tool.with_annotations(hints))
}

/// The protocol's endpoint, for operators.
struct OperatorMcp<E> {
    inner: E,
    app: App,
}

impl<E: Endpoint<Output = Response>> Endpoint for OperatorMcp<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let mut response = match self.admit(&request).await {
            Ok(()) => {
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
    /// Refuses whoever is no operator. Those who may only read may ask.
    async fn admit(&self, request: &Request) -> Answer<()> {
        require_operator(&self.app, request, OperatorRole::Metadata).await?;
        judge(request, Taker::of(&Scope::of(request))).await
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

/// The protocol's server.
#[derive(Clone)]
struct Verdicts {
    app: App,
    tool: Option<Tool>,
}

impl Verdicts {
    async fn answer(&self, call: &CallToolRequestParams) -> CallToolResult {
        let refused = |refusal: &ApiError| CallToolResult::structured_error(refusal.tool_body());
        if self.get_tool(&call.name).is_none() {
            let refusal = ApiError::new(Code::ToolNotFound, "There is no such tool.");
            return refused(&refusal.suggest("`tools/list` lists them."));
        }
        if call.arguments.as_ref().is_some_and(|arguments| !arguments.is_empty()) {
            return refused(&ApiError::new(Code::InvalidRequest, "`get_health` takes no arguments."));
        }
        match verdict(&self.app).await {
            Ok(found) => CallToolResult::structured(json_of(&HealthReport::from(found))),
            Err(refusal) => refused(&refusal),
        }
    }
}

impl ServerHandler for Verdicts {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new("media-and-workspace-service-operators", env!("CARGO_PKG_VERSION"))
            .with_title("Media and Workspace Service, for operators");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tool.clone().filter(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tool.iter().cloned().collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        until_hung_up(&context, self.answer(&call)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;

    #[test]
    fn the_tool_says_of_itself_what_the_document_says_of_the_report() {
        let tool = tool(document()).expect("the report is an operation of the document");
        assert_eq!(tool.title.as_deref(), Some("Get the verdict"));
        let answer = tool.output_schema.as_ref().expect("it answers JSON");
        assert_eq!(answer["properties"]["axes"]["type"], "array");
        assert_eq!(tool.annotations.and_then(|hints| hints.read_only_hint), Some(true));
    }
}
