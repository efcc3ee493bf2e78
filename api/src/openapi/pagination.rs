//! Says of each list how it is read page by page, as `x-pagination`: where the cursor and the number of rows are sent,
//! and where an answer has its rows and the next cursor.
//!
//! The values are OpenAPI's runtime expressions, as its links have them: routes take a cursor in the query and tools in
//! the body, and each tool has a name of its own for its rows.

use serde_json::{Value, json};

/// Adds `x-pagination` to each operation that takes a cursor.
pub fn add(document: &mut Value) {
    let whole: &Value = document;
    let mut found = Vec::new();
    for (path, methods) in whole["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            found.extend(pagination(whole, operation).map(|told| (path.clone(), method.clone(), told)));
        }
    }
    for (path, method, told) in found {
        document["paths"][path][method]["x-pagination"] = told;
    }
}

fn pagination(document: &Value, operation: &Value) -> Option<Value> {
    let request = cursor_goes_into(document, operation)?;
    let answer = resolved(document, operation.pointer("/responses/200/content/application~1json/schema")?);
    let (page, at) = match answer.pointer("/properties/ok") {
        Some(_) => (resolved(document, &answer["properties"]["data"]), "/data"),
        None => (answer, ""),
    };
    let is_rows = |field: &Value| resolved(document, &field["items"])["type"] == "object";
    let (rows, _) = page["properties"].as_object()?.iter().find(|(_, field)| is_rows(field))?;
    Some(json!({
        "cursor": format!("$request.{request}cursor"),
        "limit": format!("$request.{request}limit"),
        "data": format!("$response.body#{at}/{rows}"),
        "next_cursor": format!("$response.body#{at}/next_cursor"),
    }))
}

/// What the expression of a field begins with where the cursor is; none where the operation takes none.
fn cursor_goes_into(document: &Value, operation: &Value) -> Option<&'static str> {
    let mut parameters = operation["parameters"].as_array().into_iter().flatten();
    if parameters.any(|one| one["in"] == "query" && one["name"] == "cursor") {
        return Some("query.");
    }
    let body = operation.pointer("/requestBody/content/application~1json/schema")?;
    resolved(document, body).pointer("/properties/cursor").map(|_| "body#/")
}

/// The schema itself, where this one only names it.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(name) = schema["$ref"].as_str() {
        return document.pointer(name.trim_start_matches('#')).map_or(schema, |named| resolved(document, named));
    }
    match schema["allOf"].as_array().map(Vec::as_slice) {
        Some([only]) => resolved(document, only),
        _ => schema,
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::Operation;
    use crate::openapi::document;
    use poem::http::Method;
    use serde_json::{Value, json};

    /// The schema of what an expression names.
    fn named(operation: &Operation, expression: &Value) -> Value {
        let expression = expression.as_str().unwrap_or_default();
        if let Some(name) = expression.strip_prefix("$request.query.") {
            let query = operation.queries.iter().find(|query| query.name == name);
            return query.map(|query| query.schema.clone()).unwrap_or_default();
        }
        let (whole, pointer) = expression.split_once('#').unwrap_or_default();
        let schema = if whole == "$request.body" { &operation.body } else { &operation.answer };
        let field = |schema: Value, name: &str| match &schema["allOf"] {
            Value::Array(parts) => parts[0]["properties"][name].clone(),
            _ => schema["properties"][name].clone(),
        };
        pointer.split('/').skip(1).fold(schema.clone().unwrap_or_default(), field)
    }

    #[test]
    fn each_operation_that_takes_a_cursor_says_where_it_goes_and_where_the_rows_are() {
        let mut lists = 0;
        for operation in document().operations() {
            let body = operation.body.clone().unwrap_or_default();
            let takes_cursor = operation.queries.iter().any(|query| query.name == "cursor")
                || body["properties"]["cursor"].is_object();
            let told = &document().described(operation)["x-pagination"];
            assert_eq!(told.is_object(), takes_cursor, "{}", operation.name());
            if takes_cursor {
                lists += 1;
                for (name, kind) in
                    [("cursor", "string"), ("limit", "integer"), ("data", "array"), ("next_cursor", "string")]
                {
                    let schema = named(operation, &told[name]);
                    assert_eq!(schema["type"], kind, "{}: {}", operation.name(), told[name]);
                }
            }
        }
        assert!(lists > 30, "{lists}");
    }

    #[test]
    fn routes_are_paged_in_the_query_and_tools_in_the_body() {
        let told = |method: Method, path: &str| {
            let operation = document().operation(&method, path).expect("an operation");
            document().described(operation)["x-pagination"].clone()
        };
        let of_keys = json!({
            "cursor": "$request.query.cursor",
            "limit": "$request.query.limit",
            "data": "$response.body#/data",
            "next_cursor": "$response.body#/next_cursor",
        });
        assert_eq!(told(Method::GET, "/keys"), of_keys);
        // It answers with the ids of jobs that are missing too, which are no rows.
        let of_jobs = json!({
            "cursor": "$request.body#/cursor",
            "limit": "$request.body#/limit",
            "data": "$response.body#/data/jobs",
            "next_cursor": "$response.body#/data/next_cursor",
        });
        assert_eq!(told(Method::POST, "/tools/get_jobs"), of_jobs);
    }
}
