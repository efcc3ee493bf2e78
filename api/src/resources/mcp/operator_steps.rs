//! What an operator who speaks over MCP can do next where a tool refuses a call. The next steps of the codes are for
//! customers: they name customers' tools and routes, and an operator's token can call none of these.

use crate::http::error::Code;

/// Returns the next step that usually helps where this tool refuses with this code: another call, or a command of
/// `mws`. `wait_seconds`: how long to wait before the call may succeed, if that is known. The step says so, since a
/// tool's answer has no headers.
pub(super) fn next_step(tool: &str, code: Code, wait_seconds: Option<u64>) -> String {
    let own = match (tool, code) {
        ("update_webhook", Code::IllegalTransition) => {
            "Resume the account first, if that is right: `mws admin accounts resume` enables the endpoints that the \
             suspension disabled."
        }
        ("retry_job", Code::WorkspaceForbidden) => {
            "Make somebody of the account that pays an editor there first, if that is right: `mws admin members set`."
        }
        _ => return usual(code, wait_seconds),
    };
    own.to_owned()
}

/// Returns the next step for this code, whichever tool refuses.
fn usual(code: Code, wait_seconds: Option<u64>) -> String {
    let step = match code {
        Code::InvalidCursor => "Call without a cursor, and pass on the `next_cursor` of the answer unchanged.",
        Code::RequestTooLarge => "Send less in one call.",
        Code::Unauthenticated => "Send an operator's token as the bearer: MWS_OPERATOR_TOKENS names them.",
        Code::RoleForbidden => {
            "Use a token of the role that the message names, or give yours that role in MWS_OPERATOR_TOKENS; \
             `tools/list` lists what yours may call."
        }
        Code::ToolNotFound => "`tools/list` lists them.",
        Code::JobNotFound => "`list_jobs` finds jobs of all accounts. Old ones have been deleted.",
        Code::DeliveryNotFound => "`list_deliveries` finds deliveries of all accounts. Old ones have been deleted.",
        Code::WebhookNotFound => {
            "`list_webhooks` lists them. One that its owner removed is listed for a while, and can't be changed any more."
        }
        Code::AccountNotFound => {
            "`list_jobs` names the account that pays for each job, and `mws admin accounts list` lists all accounts."
        }
        Code::WorkspaceNotFound => {
            "`list_jobs` names the workspace of each job, and `mws admin workspaces list` lists all workspaces."
        }
        Code::ItemNotFound => "`list_jobs` names the item that each job works on.",
        Code::BulkOperationNotFound => {
            "`list_bulk_operations` lists them. Those that ended long ago have been deleted."
        }
        Code::KeyNotFound => {
            "Make a key of the account first: `mws admin keys create`. `mws admin keys list` lists those that it had."
        }
        Code::ReadNotFound => "`list_reads` lists them.",
        Code::WorkspaceForbidden => "It is another account's. `list_deliveries` names the endpoint of each delivery.",
        Code::AccountSuspended => "Resume the account first, if that is right: `mws admin accounts resume`.",
        Code::EndpointDisabled => {
            "Find out why it is disabled. Then `update_webhook` with `enabled: true` enables it, and this call works."
        }
        Code::NameTaken => {
            "`list_bulk_operations` shows what the operation of this name does. To start another one, call with the \
             free name that the message offers."
        }
        Code::QuotaReached => {
            "Wait until a bulk operation has ended, or end one with `stop_bulk_operation`; `list_bulk_operations` with \
             `state: running` shows those that run."
        }
        Code::IllegalTransition => "`get_job` shows how the job stands now.",
        Code::ReadNotApplicable => {
            "Only reads are run again here. The account starts its renders, generations and dubs anew by its own tools."
        }
        Code::RateLimited => return after(wait_seconds, "make the same call again."),
        Code::Unavailable | Code::DatabaseUnavailable | Code::ShuttingDown => {
            return after(wait_seconds, "make the same call again. If that goes on, `mws doctor` says what is wrong.");
        }
        Code::Internal => {
            "Make the same call again. If it fails once more, look for the request's id in the log; `get_health` says \
             how the service is."
        }
        _ => "Correct what the message names; `tools/list` says what each tool takes.",
    };
    step.to_owned()
}

fn after(seconds: Option<u64>, then: &str) -> String {
    seconds.map_or_else(|| format!("Wait a little, then {then}"), |seconds| format!("Wait {seconds} s, then {then}"))
}

#[cfg(test)]
mod tests {
    use super::super::operator_tools::all;
    use super::*;
    use crate::openapi::document;

    /// The codes that any tool may refuse with, beside those that its operation lists.
    const ANY: [Code; 10] = [
        Code::InvalidRequest,
        Code::RequestTooLarge,
        Code::Unauthenticated,
        Code::RoleForbidden,
        Code::ToolNotFound,
        Code::RateLimited,
        Code::Internal,
        Code::Unavailable,
        Code::DatabaseUnavailable,
        Code::ShuttingDown,
    ];
    /// What stands in backticks and is neither a tool nor a command: the protocol's own method, and arguments.
    const OTHERS: [&str; 4] = ["tools/list", "next_cursor", "enabled: true", "state: running"];

    #[test]
    fn every_next_step_names_what_an_operator_can_do_and_nothing_of_the_customers() {
        let tools = all(document());
        let is_tool = |name: &str| tools.iter().any(|one| one.tool.name == name);
        let mut seen = 0;
        for tool in &tools {
            let own = tool.refuses();
            for code in own.iter().chain(&ANY) {
                let step = next_step(&tool.tool.name, *code, code.retryable().then_some(7));
                let named: Vec<&str> = step.split('`').skip(1).step_by(2).collect();
                for word in named {
                    let is_known = is_tool(word) || OTHERS.contains(&word) || word.starts_with("mws ");
                    assert!(is_known, "{}, {}: `{word}`", tool.tool.name, code.name());
                }
                for theirs in ["GET ", "POST ", "PATCH ", "DELETE ", "Retry-After", "API key", "the operator "] {
                    assert!(!step.contains(theirs), "{}, {}: {step}", tool.tool.name, code.name());
                }
                let is_of_its_own = step != next_step("", Code::InvalidRequest, None);
                assert!(is_of_its_own || *code == Code::InvalidRequest, "{}: no step", code.name());
                seen += 1;
            }
        }
        assert!(seen > 16 * ANY.len(), "only {seen} steps were looked at");
    }

    #[test]
    fn how_long_to_wait_is_in_the_step_since_a_tools_answer_has_no_headers() {
        assert_eq!(
            next_step("update_webhook", Code::RateLimited, Some(60)),
            "Wait 60 s, then make the same call again."
        );
        assert!(next_step("get_health", Code::DatabaseUnavailable, Some(2)).starts_with("Wait 2 s, then "));
        assert!(next_step("get_health", Code::Unavailable, None).starts_with("Wait a little, then "));
    }
}
