//! One operation of the contract, and what it refuses before its handler runs.

use super::access::Needs;
use super::duplicate_fields::named_twice;
use super::idempotency::{Repeat, refuse_useless_key};
use super::schema_errors::{explain, explain_query};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::request::{SentBody, media_type};
use poem::Request;
use poem::http::Method;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// Attached to each request that matched an operation: that operation.
#[derive(Clone)]
pub struct MatchedOperation(pub Arc<Operation>);

/// The tool that calls another tool. What the other needs, costs and refuses applies to the call.
pub const RUN_TEMPLATE: &str = "/tools/run_template";

/// A query parameter of an operation.
pub struct Query {
    /// Its name.
    pub name: String,
    /// Its schema, with every `$ref` replaced by what it names.
    pub schema: Value,
    /// Whether it is required.
    pub is_required: bool,
}

/// One operation, as the middleware needs it.
pub struct Operation {
    /// Its HTTP method.
    pub method: Method,
    /// Its path in the document, such as `/keys/{keyId}`.
    pub path: String,
    /// Its query parameters. A list may be sent more than once.
    pub queries: Vec<Query>,
    /// Whether it takes a credential. If not, it is judged before it runs; if so, once its caller is known.
    pub takes_credential: bool,
    /// What it needs of its caller; none, which refuses everyone, when it has no row in `table`.
    pub needs: Option<Needs>,
    /// What comes of a repeat; none when it is not a POST.
    pub repeat: Option<Repeat>,
    /// Whether its body is required.
    pub needs_body: bool,
    /// The schema of its JSON body, if it takes one, with every `$ref` replaced by what it names.
    pub body: Option<Value>,
    /// The codes that its own group lists for it; none when it lists nothing.
    pub refuses: Option<&'static [Code]>,
    /// The schema of its successful answer, with every `$ref` replaced too, if that is JSON.
    pub answer: Option<Value>,
}

impl Operation {
    /// Its method and path, as tables name it: `"POST /keys"`.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Whether it may start cloud processing. Such an operation lists `insufficient_minutes` among its refusals.
    pub fn uses_minutes(&self) -> bool {
        self.refuses.is_some_and(|codes| codes.contains(&Code::InsufficientMinutes))
    }

    /// Whether it takes access away from somebody. Such a request is let in past the account's rate (`auth`).
    pub fn goes_first(&self) -> bool {
        self.method == Method::DELETE && matches!(&*self.path, "/keys/{keyId}" | "/workspaces/{id}/members/{userId}")
    }

    /// Whether it calls another tool, whose changes and costs are then its own.
    pub fn runs_others(&self) -> bool {
        self.path == RUN_TEMPLATE
    }

    /// Refuses what the document does not describe: an unknown or doubled query parameter, or a field that is unknown,
    /// doubled, missing or wrong. So a handler's own types can't take more than is documented. A body that is not JSON
    /// is left to the framework.
    pub fn judge(&self, request: &Request) -> Answer<()> {
        self.refuse_odd_queries(request.uri().query())?;
        refuse_useless_key(self.repeat, request)?;
        let (Some(schema), Some(SentBody(bytes))) = (&self.body, request.data::<SentBody>()) else { return Ok(()) };
        let json = media_type(request).ends_with("json");
        // An empty body counts as an object without fields, so that the first missing field is named.
        let is_empty = bytes.is_empty();
        let bytes: &[u8] = if is_empty { b"{}" } else { bytes };
        let sent: Option<Value> = if json { serde_json::from_slice(bytes).ok() } else { None };
        match sent.and_then(|sent| explain(schema, &sent)) {
            Some(words) => Err(ApiError::new(Code::InvalidRequest, words)),
            None if json && is_empty && self.needs_body => {
                Err(ApiError::new(Code::InvalidRequest, "A body is required: expected an object."))
            }
            None if json => refuse_doubled(bytes),
            None => Ok(()),
        }
    }

    fn refuse_odd_queries(&self, query: Option<&str>) -> Answer<()> {
        let mut seen = HashSet::new();
        for (name, text) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let shown: String = name.chars().take(60).collect();
            let Some(Query { name: known, schema, .. }) = self.queries.iter().find(|known| known.name == name) else {
                let message = format!("`{shown}` is not a query parameter of this route.");
                return Err(ApiError::new(Code::InvalidRequest, message));
            };
            if !seen.insert(known) && schema["type"] != "array" {
                return Err(ApiError::new(Code::InvalidRequest, format!("`{shown}` is there twice.")));
            }
            if let Some(words) = explain_query(schema, known, &text) {
                return Err(ApiError::new(Code::InvalidRequest, words));
            }
        }
        if let Some(Query { name, .. }) = self.queries.iter().find(|one| one.is_required && !seen.contains(&one.name)) {
            return Err(ApiError::new(Code::InvalidRequest, format!("`{name}` is required in the query.")));
        }
        Ok(())
    }
}

/// Refuses JSON that names a field twice in one object.
pub fn refuse_doubled(json: &[u8]) -> Answer<()> {
    let doubled = |name| ApiError::new(Code::InvalidRequest, format!("`{name}` is there twice."));
    named_twice(json).map_or(Ok(()), |name| Err(doubled(name)))
}
