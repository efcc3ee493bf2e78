//! The requests for lists, out of the OpenAPI document: each route that takes a `limit`, without and with each of its
//! filters, and each tool that does.
//!
//! A filter gets each of its words in turn, or true and false, or a time before and after everything, or an id of the
//! account. What a list requires, each of its requests has.

use crate::grown::Large;
use anyhow::Context;
use domain::ids::{JobId, UserId};
use serde_json::{Map, Value, json};

const DOCUMENT: &str = include_str!("../../../openapi.json");
/// Times before and after everything that exists.
const TIMES: [&str; 2] = ["2000-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];
/// Parameters that are not filters.
const PAGING: [&str; 3] = ["limit", "cursor", "id"];
/// Parameters of tools that wait, or that name jobs one by one.
const NOT_OF_LISTS: [&str; 4] = ["wait_seconds", "wait_for", "job_ids", "query"];
/// A tool that takes a `limit` and lists nothing: it fetches a page of the web.
const NO_LIST: &str = "/tools/pull_posts";

/// A request for a list.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Its name in the table.
    pub name: String,
    /// Its path, relative to the base URL.
    pub path: String,
    /// The body, if it calls a tool.
    pub body: Option<Value>,
}

impl Ask {
    fn get(path: &str, name: &str, query: &str) -> Self {
        let sign = if path.contains('?') { '&' } else { '?' };
        let path = if query.is_empty() { path.to_owned() } else { format!("{path}{sign}{query}") };
        let name = if query.is_empty() { format!("GET {name}") } else { format!("GET {name} by {query}") };
        Self { name, path, body: None }
    }

    /// Whether it was refused for having none of the filters of which it needs one.
    pub fn needs_a_filter(&self, refusal: &str) -> bool {
        let filtered = self.name.contains(" by ") && !self.name.contains(" by limit=");
        !filtered && refusal.contains("Give either")
    }

    /// Returns the request for the page after this answer, for a list without a filter.
    pub fn second_page(&self, answer: &Value) -> Option<Self> {
        let cursor = answer["next_cursor"].as_str().or_else(|| answer["data"]["next_cursor"].as_str())?;
        if self.path.contains('?') {
            return None;
        }
        let name = format!("{}, the second page", self.name);
        match &self.body {
            None => Some(Self { name, path: format!("{}?cursor={cursor}", self.path), body: None }),
            Some(body) if body.as_object().is_some_and(Map::is_empty) => {
                Some(Self { name, path: self.path.clone(), body: Some(json!({ "cursor": cursor })) })
            }
            Some(_) => None,
        }
    }
}

/// The values for filters.
pub struct Names<'a> {
    /// The account whose lists are asked for.
    pub large: &'a Large,
    /// One of its jobs.
    pub job: JobId,
    /// One of its projects.
    pub project: String,
    /// One of its boards.
    pub board: String,
    /// The month, such as `2026-11`.
    pub month: String,
}

impl Names<'_> {
    /// Returns the values for a filter of this name and schema, one request for each.
    fn values(&self, document: &Value, name: &str, schema: &Value) -> Vec<Value> {
        let schema = resolved(document, schema);
        if let Some(words) = schema["enum"].as_array() {
            return words.clone();
        }
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("array"), _) => self.values(document, name, &schema["items"]),
            (Some("boolean"), _) => vec![json!(true), json!(false)],
            (Some("integer"), _) => vec![json!(200), json!(500)],
            (_, Some("date-time")) => TIMES.map(Value::from).to_vec(),
            _ => vec![self.text(name).into()],
        }
    }

    fn text(&self, name: &str) -> String {
        match name {
            "account_id" => self.large.account.id.to_string(),
            "workspace_id" => self.large.account.workspace.to_string(),
            "endpoint_id" => self.large.endpoint.to_string(),
            "item_id" | "ref" | "refs" => self.large.item.to_string(),
            "job_id" => self.job.to_string(),
            "board_id" => self.board.clone(),
            "month" => self.month.clone(),
            "user_id" => UserId::mint().to_string(),
            _ => "none".to_owned(),
        }
    }
}

/// Returns all requests.
pub fn all(names: &Names<'_>) -> anyhow::Result<Vec<Ask>> {
    let document: Value = serde_json::from_str(DOCUMENT)?;
    let mut asks = Vec::new();
    for (path, operations) in document["paths"].as_object().context("the document has paths")? {
        if let Some(parameters) = operations["get"]["parameters"].as_array()
            && parameters.iter().any(|parameter| parameter["name"] == "limit")
        {
            asks.extend(of_route(&document, names, path, parameters));
        }
        if path.starts_with("/tools/") && path != NO_LIST {
            let contents = operations["post"]["requestBody"]["content"].as_object();
            let content = contents.and_then(|contents| contents.values().next()).unwrap_or(&Value::Null);
            let schema = resolved(&document, &content["schema"]);
            if let Some(properties) = schema["properties"].as_object()
                && properties.contains_key("limit")
            {
                asks.extend(of_tool(&document, names, path, properties, &schema["required"]));
            }
        }
    }
    Ok(asks)
}

fn of_route(document: &Value, names: &Names<'_>, path: &str, parameters: &[Value]) -> Vec<Ask> {
    let before = path.split("/{id}").next().unwrap_or(path);
    let id = match before.rsplit('/').next() {
        Some("accounts") => names.large.account.id.to_string(),
        Some("projects") => names.project.clone(),
        Some("workspaces") => names.large.account.workspace.to_string(),
        _ => names.large.endpoint.to_string(),
    };
    let needed: Vec<String> = parameters.iter().filter_map(|parameter| needed(document, names, parameter)).collect();
    let full = path.replace("{id}", &id);
    let full = if needed.is_empty() { full } else { format!("{full}?{}", needed.join("&")) };
    let mut asks = vec![Ask::get(&full, path, ""), Ask::get(&full, path, "limit=100")];
    for parameter in parameters {
        let Some(name) = parameter["name"].as_str().filter(|name| !PAGING.contains(name)) else { continue };
        if parameter["in"] != "query" || parameter["required"] == true {
            continue;
        }
        for value in names.values(document, name, &parameter["schema"]) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let mut ask = Ask::get(&full, path, &format!("{name}={value}"));
            if differs(name) {
                ask.name = format!("GET {path} by {name}");
            }
            asks.push(ask);
        }
    }
    asks
}

/// Returns a filter that the list requires.
fn needed(document: &Value, names: &Names<'_>, parameter: &Value) -> Option<String> {
    let name = parameter["name"].as_str().filter(|name| !PAGING.contains(name))?;
    if parameter["in"] != "query" || parameter["required"] != true {
        return None;
    }
    let value = names.values(document, name, &parameter["schema"]).into_iter().next()?;
    Some(format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
}

/// Whether a filter's values differ from run to run, which names of rows must not.
fn differs(filter: &str) -> bool {
    filter.ends_with("_id") || filter.starts_with("ref") || filter == "month"
}

fn of_tool(
    document: &Value,
    names: &Names<'_>,
    path: &str,
    properties: &Map<String, Value>,
    required: &Value,
) -> Vec<Ask> {
    let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let first = |name: &str, schema: &Value| names.values(document, name, schema).into_iter().next();
    let needed = properties.iter().filter(|(name, _)| is_required(name));
    let needed: Map<String, Value> =
        needed.filter_map(|(name, schema)| Some((name.clone(), first(name, schema)?))).collect();
    let ask = |name: String, filter: Map<String, Value>| {
        let mut body = needed.clone();
        body.extend(filter);
        if properties.contains_key("query") {
            body.insert("query".to_owned(), json!("bench"));
        }
        Ask { name, path: path.to_owned(), body: Some(body.into()) }
    };
    let mut asks = vec![ask(format!("POST {path}"), Map::new())];
    for (name, schema) in properties {
        if PAGING.contains(&name.as_str()) || NOT_OF_LISTS.contains(&name.as_str()) || is_required(name) {
            continue;
        }
        let schema = resolved(document, schema);
        for value in names.values(document, name, schema) {
            let shown = if differs(name) { String::new() } else { format!(": {value}") };
            let value = if schema["type"] == "array" { json!([value]) } else { value };
            asks.push(ask(format!("POST {path} by {name}{shown}"), Map::from_iter([(name.clone(), value)])));
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "a limit of a page")]
    let largest = json!(properties["limit"]["maximum"].as_f64().unwrap_or(50.0) as i64);
    asks.push(ask(format!("POST {path} by limit: {largest}"), Map::from_iter([("limit".to_owned(), largest)])));
    asks
}

/// Returns a schema, or the one that it refers to.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let name = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    let name = name.and_then(|name| name.rsplit('/').next());
    name.map_or(schema, |name| &document["components"]["schemas"][name])
}
