//! The OpenAPI document: built once from the routes' own types, then patched once.
//!
//! `GET /api/v1/openapi.json` and the two documentation pages show it, the tool registry is derived from it, it says
//! which methods a path has, and it explains why a body is refused. A test here checks that `openapi.json` at the root
//! of the repository is the same.

mod cloud;
#[cfg(test)]
mod compatible;
mod components;
mod examples;
mod operations;
mod pagination;
mod patch;
mod patterns;
mod refusals;
mod shared;
mod webhooks;

use crate::contract::{Contract, Operation, Query, inlined, table};
use crate::http::API_PATH;
use crate::routes::Routes;
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem_openapi::registry::{MetaApi, Registry};
use poem_openapi::{OpenApi, OpenApiService, ServerObject};
use serde_json::Value;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

const TITLE: &str = "Media and Workspace Service";
const VERSION: &str = "1";
const DESCRIPTION: &str = "\
Media-production tools as HTTP calls: every tool is one `POST /tools/<name>` with a JSON body; routes beside the tools \
cover the tool list, account and keys, uploads, webhooks and models.\n\n\
Times are RFC 3339 in UTC with milliseconds. Amounts of cloud processing are minutes with at most two decimals. Ids are \
a prefix and 26 characters, `job_01J…`. Lists take `limit` and `cursor`. Unknown request fields are refused by name. \
Fields may be added to answers within this version.";

/// The contract of this build.
pub fn contract() -> Arc<Contract> {
    Arc::clone(&CONTRACT)
}

static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(|| {
    let mut json: Value = serde_json::from_str(&service().spec())
        .unwrap_or_else(|error| unreachable!("the framework writes JSON: {error}"));
    patch::apply(&mut json);
    let operations = operations(&json);
    Arc::new(Contract::new(json, operations))
});

/// The same contract, for tests that compare the code with it.
#[cfg(test)]
pub fn document() -> &'static Contract {
    &CONTRACT
}

/// The page of Swagger UI; it loads nothing from elsewhere.
pub fn swagger(contract: &Contract) -> String {
    let service = service();
    service.swagger_ui_html().replace(&service.spec(), &contract.compact)
}

/// The page of Scalar; it loads nothing from elsewhere.
pub fn scalar(contract: &Contract) -> String {
    let service = service();
    service.scalar_html().replace(&service.spec(), &contract.compact)
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
                    schema: inlined(json, &query["schema"]),
                    is_required: query["required"] == true,
                });
                let method = method.to_uppercase();
                let name = format!("{method} {path}");
                let row = table::find(&name);
                Some(Operation {
                    needs: row.map(|row| row.needs),
                    repeat: row.and_then(|row| row.repeat),
                    refuses: refusals::own(&name),
                    method: method.parse().ok()?,
                    path: path.clone(),
                    queries: queries.collect(),
                    takes_credential: operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty()),
                    needs_body: operation["requestBody"]["required"] == true,
                    body: operation
                        .pointer("/requestBody/content/application~1json/schema")
                        .map(|schema| inlined(json, schema)),
                    answer: ["200", "201", "202"].iter().find_map(|status| {
                        let at = format!("/responses/{status}/content/application~1json/schema");
                        operation.pointer(&at).map(|schema| inlined(json, schema))
                    }),
                })
            })
        })
        .collect()
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
        // Indented, for people who read its changes.
        let text = serde_json::to_string_pretty(&document().json).expect("JSON") + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).expect("openapi.json can be written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "run: UPDATE=1 cargo test --workspace --lib openapi");
    }

    #[test]
    fn nothing_that_clients_were_promised_is_broken() {
        // Only a new version of the interface is a reason to overwrite the baseline with the document.
        let baseline = include_str!("../../openapi-baseline.json");
        let baseline: Value = serde_json::from_str(baseline).expect("JSON");
        let mut found = compatible::breaks(&baseline, &document().json);
        found.retain(|one| !compatible::INTENDED_EVERYWHERE.iter().any(|end| one.ends_with(end)));
        assert_eq!(found, compatible::INTENDED);
    }

    #[test]
    fn the_title_of_each_operation_is_one_line() {
        let contract = document();
        for operation in contract.operations() {
            let title = contract.described(operation)["summary"].as_str().unwrap_or_default();
            assert!(!title.is_empty() && !title.contains('\n'), "{}: `{title}`", operation.name());
        }
    }

    #[test]
    fn no_schema_of_a_body_keeps_a_reference_once_inlined() {
        for operation in document().operations() {
            let schema = operation.body.clone().unwrap_or_default();
            assert!(!schema.to_string().contains("$ref"), "{}", operation.path);
        }
    }
}
