//! Tells clients without a token who issues tokens: OAuth 2.0 Protected Resource Metadata (RFC 9728; contract §5).
//!
//! It is served below the MCP URL, and at the path that the RFC defines for a resource with a path. `auth` checks the
//! tokens themselves.

use super::MCP_PATH;
use crate::app::App;
use poem::endpoint::make_sync;
use poem::{Response, Route, get};
use serde_json::{Value, json};

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Returns its URL, in the form that the RFC defines and clients look for.
pub fn url(app: &App) -> String {
    format!("{}{WELL_KNOWN}{MCP_PATH}", app.public_url)
}

/// Adds both routes, which have the same answer.
pub fn add_to(route: Route, app: &App) -> Route {
    let (issuer, audience) =
        app.oauth.as_ref().map_or((None, &[][..]), |issuer| (Some(issuer.name()), issuer.audience()));
    let body = metadata(&app.public_url, issuer, audience).to_string();
    let page = move |body: String| {
        get(make_sync(move |_| Response::builder().content_type("application/json").body(body.clone())))
    };
    route.at(format!("{WELL_KNOWN}{MCP_PATH}"), page(body.clone())).at(format!("{MCP_PATH}{WELL_KNOWN}"), page(body))
}

/// Returns the fields that the RFC defines; an empty list is left out, as it demands. There are no scopes that every
/// server would know: what a user may do follows from their role in a workspace.
fn metadata(public_url: &str, issuer: Option<&str>, audience: &[String]) -> Value {
    let own = format!("{public_url}{MCP_PATH}");
    // Clients request tokens for `resource`, so it must be one of the audiences that a token is checked against.
    let resource = audience.iter().find(|audience| **audience == own).or(audience.first()).unwrap_or(&own);
    let mut metadata = json!({
        "resource": resource,
        "resource_name": "Media and Workspace Service",
        "bearer_methods_supported": ["header"],
        "resource_documentation": format!("{public_url}/reference"),
    });
    if let Some(issuer) = issuer {
        metadata["authorization_servers"] = json!([issuer]);
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resource_is_the_mcp_url_or_the_audience_that_tokens_are_judged_by() {
        let resource = |audience: &[&str]| {
            let audience: Vec<String> = audience.iter().map(|&one| one.to_owned()).collect();
            metadata("https://media.example", Some("https://login.example"), &audience)["resource"].clone()
        };
        assert_eq!(resource(&[]), "https://media.example/mcp");
        assert_eq!(resource(&["https://media.example"]), "https://media.example");
        assert_eq!(resource(&["https://media.example", "https://media.example/mcp"]), "https://media.example/mcp");
    }

    #[test]
    fn without_an_issuer_no_server_is_named() {
        let metadata = metadata("https://media.example", None, &[]);
        assert!(metadata.get("authorization_servers").is_none());
        assert_eq!(metadata["bearer_methods_supported"], json!(["header"]));
    }
}
