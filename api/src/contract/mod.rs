//! What the service promises of each operation, as data: who may call it, what it takes, and what it refuses.
//!
//! The OpenAPI document is built once, above (`openapi`), and handed down as a [`Contract`]: middleware and handlers
//! look up what they need in it and never call upwards.

pub mod access;
pub mod duplicate_fields;
pub mod envelope;
pub mod groups;
pub mod idempotency;
pub mod operation;
pub mod schema_errors;
pub mod table;

pub use operation::{MatchedOperation, Operation, Query, refuse_doubled};

use poem::http::Method;
use serde_json::Value;
use std::sync::Arc;

/// The document and what is looked up in it.
pub struct Contract {
    /// The document itself.
    pub json: Value,
    /// The text that is served: the document without indentation.
    pub compact: String,
    operations: Vec<Arc<Operation>>,
}

impl Contract {
    /// The contract that this document describes. `operations` are the document's, in its order.
    pub fn new(json: Value, operations: Vec<Operation>) -> Self {
        let compact = json.to_string();
        Self { json, compact, operations: operations.into_iter().map(Arc::new).collect() }
    }

    /// The schema of this name, with every `$ref` in it replaced by what it names.
    pub fn inlined(&self, name: &str) -> Value {
        inlined(&self.json, &self.json["components"]["schemas"][name])
    }

    /// The operations, in the document's order.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// The object that describes the operation in the document.
    pub fn described(&self, operation: &Operation) -> &Value {
        &self.json["paths"][&operation.path][operation.method.as_str().to_lowercase()]
    }

    /// The methods of the path of a request (without `/api/v1`); none when there is no such path. Like the router it
    /// takes a literal path before a template, whose methods are not the literal path's.
    pub fn methods(&self, path: &str) -> Vec<&Method> {
        let fitting: Vec<_> = self.operations.iter().filter(|operation| fits(&operation.path, path)).collect();
        let least = fitting.iter().map(|operation| parameters(&operation.path)).min();
        let nearest = fitting.into_iter().filter(|operation| Some(parameters(&operation.path)) == least);
        nearest.map(|operation| &operation.method).collect()
    }

    /// The operation that answers this method on this path (without `/api/v1`); a literal path before a template.
    pub fn operation(&self, method: &Method, path: &str) -> Option<&Arc<Operation>> {
        let fitting =
            self.operations.iter().filter(|operation| operation.method == *method && fits(&operation.path, path));
        fitting.min_by_key(|operation| parameters(&operation.path))
    }
}

/// How many parameters a template has.
fn parameters(template: &str) -> usize {
    template.matches('{').count()
}

/// Whether a request's path fits this template. Another template, whose parameters have other names, fits it too.
fn fits(template: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    let all =
        template.split('/').all(|part| segments.next().is_some_and(|segment| part.starts_with('{') || part == segment));
    all && segments.next().is_none()
}

/// A schema of the document with every `$ref` in it replaced by what it names.
pub fn inlined(document: &Value, schema: &Value) -> Value {
    inlined_to(document, schema, 0)
}

/// No schema here refers to itself; `depth` only makes sure that one which does would end.
fn inlined_to(document: &Value, schema: &Value, depth: usize) -> Value {
    const DEEPEST: usize = 16;
    match schema {
        Value::Object(object) => {
            let named = object.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
            if let Some(target) = named.and_then(|pointer| document.pointer(pointer)).filter(|_| depth < DEEPEST) {
                return inlined_to(document, target, depth + 1);
            }
            object.iter().map(|(key, value)| (key.clone(), inlined_to(document, value, depth))).collect()
        }
        Value::Array(values) => values.iter().map(|value| inlined_to(document, value, depth)).collect(),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_its_template_and_no_longer_one() {
        assert!(fits("/keys/{keyId}", "/keys/key_1"));
        assert!(fits("/keys/{keyId}", "/keys/:param0"));
        assert!(!fits("/keys/{keyId}", "/keys"));
        assert!(!fits("/keys/{keyId}", "/keys/key_1/x"));
        assert!(!fits("/keys/{keyId}", "/tools/key_1"));
    }
}
