//! The refusals that the router itself would make: there is no such path, or it has other methods.

use crate::contract::Contract;
use crate::http::API_PATH;
use crate::http::error::{ApiError, Code};
use crate::http::refusal::Envelope;
use crate::resources::link_page::takes_forms;
use crate::resources::mcp::{MCP_PATH, OPERATOR_MCP_PATH};
use poem::Response;
use poem::http::{HeaderValue, Method, StatusCode, header};

/// Returns the refusal for an answer of this status that nothing has shaped.
pub(super) fn unshaped(
    contract: &Contract,
    envelope: Envelope,
    status: StatusCode,
    method: &Method,
    path: &str,
) -> Response {
    match (status, envelope) {
        (StatusCode::NOT_FOUND, Envelope::Tool) => {
            let refusal = ApiError::new(Code::ToolNotFound, "There is no such tool.");
            envelope.refuse(&refusal.suggest("GET /tools lists them."))
        }
        (StatusCode::NOT_FOUND, Envelope::Route) => {
            envelope.refuse(&ApiError::new(Code::RouteNotFound, "There is no such route."))
        }
        (StatusCode::METHOD_NOT_ALLOWED, _) => {
            let allowed = allowed(contract, method, path);
            let refusal = ApiError::new(Code::MethodNotAllowed, format!("This route takes {allowed}."));
            let mut response = envelope.refuse(&refusal);
            if let Ok(allowed) = HeaderValue::from_str(&allowed) {
                response.headers_mut().insert(header::ALLOW, allowed);
            }
            response
        }
        (status, _) if status.is_client_error() => {
            envelope.refuse(&ApiError::new(Code::InvalidRequest, "The request's path or headers can't be read."))
        }
        _ => envelope.refuse(&ApiError::internal(format!("an answer of status {status} that no one shaped"))),
    }
}

/// The methods of a path for `Allow`. A path that the document does not describe is read-only; HEAD goes with GET.
fn allowed(contract: &Contract, method: &Method, path: &str) -> String {
    if path == MCP_PATH || path.strip_prefix(API_PATH) == Some(OPERATOR_MCP_PATH) {
        return "POST".to_owned();
    }
    let described = path.strip_prefix(API_PATH).map(|path| contract.methods(path)).unwrap_or_default();
    let mut names: Vec<&str> = described.into_iter().map(Method::as_str).collect();
    if names.is_empty() {
        // A path that refuses GET takes forms by POST.
        let is_read = ![Method::GET, Method::HEAD].contains(method);
        names.extend(is_read.then_some("GET"));
        names.extend((!is_read || takes_forms(path)).then_some("POST"));
    }
    if names.contains(&"GET") && !names.contains(&"HEAD") {
        names.push("HEAD");
    }
    names.join(", ")
}
