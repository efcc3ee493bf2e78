//! The OpenAPI document: built once from the routes' own types, patched once, and used from there on.
//!
//! It is what `GET /api/v1/openapi.json` and the two documentation pages show, what the tool registry is derived from,
//! what says which methods a path has, and what a refused body is explained by. `openapi.json` at the root of the
//! repository is kept in step with it by a test here.

mod cloud;
#[cfg(test)]
mod compatible;
mod examples;
mod patch;
mod patterns;
mod refusals;
mod shared;
mod webhooks;

pub use refusals::{own as own_refusals, uses_minutes};

use crate::access::{self, Needs};
use crate::app::API_PATH;
use crate::error::{Answer, ApiError, Code};
use crate::explain::{explain, explain_query};
use crate::guard::{SentBody, media_type};
use crate::idempotency::refuse_in_vain;
use crate::routes::Routes;
use crate::twice::named_twice;
use poem::Request;
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem_openapi::registry::{MetaApi, Registry};
use poem_openapi::{OpenApi, OpenApiService, ServerObject};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::sync::LazyLock;

const TITLE: &str = "Media and Workspace Service";
const VERSION: &str = "1";
const DESCRIPTION: &str = "\
Media-production tools as HTTP calls: every tool is one `POST /tools/<name>` with a JSON body; routes beside the tools \
cover the tool list, account and keys, uploads, webhooks and models.\n\n\
Times are RFC 3339 in UTC with milliseconds. Amounts of cloud processing are minutes with at most two decimals. Ids are \
a prefix and 26 characters, `job_01J…`. Lists take `limit` and `cursor`. Unknown request fields are refused by name. \
Fields may be added to answers within this version.";

/// The document and what is looked up in it.
pub struct Document {
    /// The document itself.
    pub json: Value,
    /// As it is served: without what only indents it.
    pub compact: String,
    operations: Vec<Operation>,
}

/// A query parameter of an operation.
pub struct Query {
    name: String,
    schema: Value,
    is_required: bool,
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
    /// What it asks of its caller; none, which no caller meets, when it has no row in `access`.
    pub needs: Option<Needs>,
    /// Whether it has to have a body.
    pub needs_body: bool,
    /// The schema of its JSON body, if it takes one, with every `$ref` replaced by what it names.
    pub body: Option<Value>,
    /// The schema of what it answers when it does what was asked, likewise, if that is JSON.
    pub answer: Option<Value>,
}

impl Operation {
    /// Its method and path, as tables name it: `"POST /keys"`.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Refuses what the document does not describe: an unknown or doubled query, a field that is unknown, doubled, missing or
    /// wrong. What is no JSON at all is left to the framework. So a handler's own types can't take more than is documented.
    pub fn judge(&self, request: &Request) -> Answer<()> {
        self.refuse_odd_queries(request.uri().query())?;
        refuse_in_vain(&self.name(), request)?;
        let (Some(schema), Some(SentBody(bytes))) = (&self.body, request.data::<SentBody>()) else { return Ok(()) };
        let json = media_type(request).ends_with("json");
        // No body is a body without fields: the first one that is missing is named.
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

/// The document of this build.
pub fn document() -> &'static Document {
    static DOCUMENT: LazyLock<Document> = LazyLock::new(Document::build);
    &DOCUMENT
}

impl Document {
    fn build() -> Self {
        // What is written by the same crate a moment before is JSON.
        let mut json: Value = serde_json::from_str(&service().spec()).unwrap_or_default();
        patch::apply(&mut json);
        let (compact, operations) = (json.to_string(), operations(&json));
        Self { json, compact, operations }
    }

    /// The schema of this name, with every `$ref` in it replaced by what it names.
    pub fn inlined(&self, name: &str) -> Value {
        inlined(&self.json, &self.json["components"]["schemas"][name], 0)
    }

    /// The operations, in the document's order.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The methods of the path of a request (without `/api/v1`); none when there is no such path.
    pub fn methods(&self, path: &str) -> Vec<&Method> {
        self.operations
            .iter()
            .filter(|operation| fits(&operation.path, path))
            .map(|operation| &operation.method)
            .collect()
    }

    /// The operation that answers this method on this path (without `/api/v1`); a literal path before a template.
    pub fn operation(&self, method: &Method, path: &str) -> Option<&Operation> {
        let fitting =
            self.operations.iter().filter(|operation| operation.method == *method && fits(&operation.path, path));
        fitting.min_by_key(|operation| operation.path.matches('{').count())
    }

    /// The page that Swagger UI makes of it; nothing is loaded from elsewhere.
    pub fn swagger(&self) -> String {
        let service = service();
        service.swagger_ui_html().replace(&service.spec(), &self.compact)
    }

    /// The page that Scalar makes of it; nothing is loaded from elsewhere.
    pub fn scalar(&self) -> String {
        let service = service();
        service.scalar_html().replace(&service.spec(), &self.compact)
    }
}

/// Whether a request's path, or a template with other names, is one of this template.
fn fits(template: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    let all =
        template.split('/').all(|part| segments.next().is_some_and(|segment| part.starts_with('{') || part == segment));
    all && segments.next().is_none()
}

fn operations(json: &Value) -> Vec<Operation> {
    let paths = json["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.filter_map(move |(method, operation)| {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let queries = parameters.filter(|parameter| parameter["in"] == "query");
                let queries = queries.map(|query| Query {
                    name: query["name"].as_str().unwrap_or_default().to_owned(),
                    schema: inlined(json, &query["schema"], 0),
                    is_required: query["required"] == true,
                });
                let method = method.to_uppercase();
                Some(Operation {
                    needs: access::needs(&format!("{method} {path}")),
                    method: method.parse().ok()?,
                    path: path.clone(),
                    queries: queries.collect(),
                    takes_credential: operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty()),
                    needs_body: operation["requestBody"]["required"] == true,
                    body: operation
                        .pointer("/requestBody/content/application~1json/schema")
                        .map(|schema| inlined(json, schema, 0)),
                    answer: ["200", "201", "202"].iter().find_map(|status| {
                        let at = format!("/responses/{status}/content/application~1json/schema");
                        operation.pointer(&at).map(|schema| inlined(json, schema, 0))
                    }),
                })
            })
        })
        .collect()
}

/// No schema here refers to itself; the depth only makes sure that a future one ends.
fn inlined(document: &Value, schema: &Value, depth: usize) -> Value {
    const DEEPEST: usize = 16;
    match schema {
        Value::Object(object) => {
            let named = object.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
            if let Some(target) = named.and_then(|pointer| document.pointer(pointer)).filter(|_| depth < DEEPEST) {
                return inlined(document, target, depth + 1);
            }
            object.iter().map(|(key, value)| (key.clone(), inlined(document, value, depth))).collect()
        }
        Value::Array(values) => values.iter().map(|value| inlined(document, value, depth)).collect(),
        plain => plain.clone(),
    }
}

fn service() -> OpenApiService<Shape<Routes>, ()> {
    OpenApiService::new(Shape(PhantomData), TITLE, VERSION)
        .description(DESCRIPTION)
        .server(ServerObject::new(API_PATH).description("The service that serves this document."))
}

/// The routes' types without anything to serve, so that the document needs no process.
struct Shape<T>(PhantomData<T>);

impl<T: OpenApi> OpenApi for Shape<T> {
    fn meta() -> Vec<MetaApi> {
        T::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, _table: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_committed_document_is_the_one_this_build_serves() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.json");
        // As people read it in a change.
        let text = serde_json::to_string_pretty(&document().json).expect("JSON") + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).expect("openapi.json can be written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "run: UPDATE=1 cargo test -p mws-api openapi");
    }

    #[test]
    fn nothing_that_clients_were_promised_is_broken() {
        // A new version, and nothing less, is a reason to write the document over the baseline.
        let baseline = include_str!("../../openapi-baseline.json");
        let baseline: Value = serde_json::from_str(baseline).expect("JSON");
        assert_eq!(compatible::breaks(&baseline, &document().json), compatible::INTENDED);
    }

    #[test]
    fn a_path_fits_its_template_and_no_longer_one() {
        assert!(fits("/keys/{keyId}", "/keys/key_1"));
        assert!(fits("/keys/{keyId}", "/keys/:param0"));
        assert!(!fits("/keys/{keyId}", "/keys"));
        assert!(!fits("/keys/{keyId}", "/keys/key_1/x"));
        assert!(!fits("/keys/{keyId}", "/tools/key_1"));
    }

    #[test]
    fn no_schema_of_a_tool_keeps_a_reference_once_inlined() {
        for operation in document().operations() {
            let schema = operation.body.clone().unwrap_or_default();
            assert!(!schema.to_string().contains("$ref"), "{}", operation.path);
        }
    }
}
