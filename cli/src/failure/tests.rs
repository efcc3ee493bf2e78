use super::*;

#[test]
fn a_refusal_of_either_envelope_is_told_with_its_code_its_request_and_the_next_step() {
    let tool = json!({ "ok": false, "error": {
        "code": "insufficient_minutes", "message": "Not enough.", "retryable": false, "suggested_action": "Buy some, or see `list_models`.",
    }});
    let failure = Failure::Refused(Box::new(Refusal::read(402, &tool, Some("req_1"))));
    assert_eq!(
        failure.words(),
        "error: Not enough.      (insufficient_minutes, req_1)\n  next: Buy some, or see `mws models list`."
    );
    for (said, here) in [
        ("Wait until `get_item` shows it.", "Wait until `mws items get` shows it."),
        ("GET /tools lists them.", "`mws tools list` lists them."),
        ("GET /webhooks/{id}/deliveries, GET /webhooks.", "`mws deliveries list`, `mws webhooks list`."),
        ("PATCH /webhooks/{id} with `enabled: true`.", "`mws webhooks enable ID`."),
        ("`list_calendar_feeds` and `list_calendar`.", "`mws calendar feeds` and `mws calendar list`."),
    ] {
        assert_eq!(with_commands(said), here);
    }
    let route = json!({ "error": { "code": "rate_limited", "message": "Slow down.", "status": 429 } });
    let failure = Failure::Refused(Box::new(Refusal::read(429, &route, None)));
    assert_eq!(failure.json()["error"]["retryable"], true);
}

#[test]
fn an_operator_is_told_of_tokens_and_of_the_operation_that_has_the_name() {
    let words = |path: &str, code: &str| {
        let refusal = Refusal::read(403, &json!({ "error": { "code": code, "message": "No." } }), None);
        Failure::Refused(Box::new(refusal.of_route(path))).words()
    };
    let role = words("/operator/bulk-operations", "role_forbidden");
    assert!(role.contains("MWS_OPERATOR_TOKENS") && !role.contains("owner"), "{role}");
    assert!(words("/operator/bulk-operations", "name_taken").contains("`mws admin bulk get ID`"));
    let portal = words("/operator/accounts/acc_1/portal-sessions", "key_not_found");
    assert!(portal.ends_with("next: `mws admin keys create --account acc_1` makes one."), "{portal}");
    assert!(words("/operator/keys/key_1", "key_not_found").contains("`mws admin keys list --account ID`"));
    assert!(words("/operator/accounts/acc_1/keys", "key_limit_reached").contains("`mws admin keys revoke ID`"));
    assert!(words("/operator/accounts", "item_not_found").contains("`mws items list`"));
    assert!(words("/projects", "role_forbidden").contains("owner of the workspace"));
}

#[test]
fn a_watch_that_gives_up_says_how_to_go_on() {
    let down = Failure::TryLater("nothing answers\n  next: start the service with `mws up`".to_owned());
    let next = "`mws jobs watch job_1` watches again.";
    assert_eq!(down.with_next(next).words(), format!("error: nothing answers\n  next: {next}"));
    let busy = Failure::Refused(Box::new(Refusal::read(503, &Value::Null, None)));
    assert!(busy.with_next(next).words().ends_with(&format!("\n  next: {next}")));
}

#[test]
fn every_tool_that_a_refusal_of_the_api_suggests_has_a_command() {
    let document: Value = serde_json::from_str(include_str!("../../../openapi.json")).expect("the document is JSON");
    let paths = document["paths"].as_object().expect("it has paths");
    let tools: Vec<&str> = paths.keys().filter_map(|path| path.strip_prefix("/tools/")).collect();
    let is_tool = |word: &&str| tools.contains(word);
    let mut suggested = 0;
    for code in api::http::error::Code::ALL {
        let step = code.suggested_action();
        suggested += step.split('`').filter(is_tool).count();
        let here = with_commands(step);
        let left: Vec<&str> = here.split('`').filter(is_tool).collect();
        // What describes the interface has no command.
        let routes = here.replace("GET /api/v1/openapi.json", "").replace("api DELETE", "");
        let is_told = ["GET /", "POST /", "PATCH /", "DELETE /"].iter().all(|method| !routes.contains(method));
        assert!(left.is_empty() && is_told, "{}: {here}", code.name());
    }
    assert!(suggested > 10, "only {suggested} tools are suggested");
}

#[test]
fn a_cause_that_its_error_repeats_is_told_once() {
    let inner = anyhow::anyhow!("refused").context("can't connect: refused").context("no database");
    assert_eq!(causes(&inner), "no database: can't connect: refused");
}

#[test]
fn every_kind_of_refusal_has_its_exit_code() {
    let code = |status| Refusal::read(status, &Value::Null, None).exit_code();
    let expected = [(400, 2), (401, 3), (402, 5), (403, 3), (404, 4), (409, 5), (422, 5), (429, 6), (500, 1), (503, 6)];
    for (status, exit) in expected {
        assert_eq!(code(status), exit, "{status}");
    }
}
